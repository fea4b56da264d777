"""What an `OSError` of a file means, the same for every file that is read or written but stores."""

from __future__ import annotations

import os

from timewalk.errors import FileAccessError, FileFormatError


def unreadable(path: str | os.PathLike[str], error: OSError) -> FileAccessError | FileFormatError:
    """The error for a file that could not be read.

    pyarrow raises an `OSError` for broken content too; only one of the system has a number.
    """
    name = os.fspath(path)
    if isinstance(error, FileNotFoundError):
        return FileAccessError(f"there is no file {name}")
    if error.errno is None:
        return FileFormatError(f"{name} is not a whole file of its kind: {first_line(error)}")
    return FileAccessError(f"cannot read {name}: {error.strerror or first_line(error)}")


def unwritable(path: str | os.PathLike[str], error: OSError) -> FileAccessError:
    """The error for a file that could not be written."""
    return FileAccessError(f"cannot write {os.fspath(path)}: {error.strerror or first_line(error)}")


def first_line(error: BaseException) -> str:
    """The begin of what an error says."""
    return next(iter(str(error).splitlines()), type(error).__name__)
