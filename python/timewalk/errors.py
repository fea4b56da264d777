"""Every error that timewalk raises: a `TimewalkError` and, at the same time, the matching builtin."""

from __future__ import annotations


class TimewalkError(Exception):
    """Base of all errors of this package.

    `column` and `row` (counted from 0) say where in the input the fault sits, if it sits in a table.
    """

    def __init__(self, message: str, *, column: str | None = None, row: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.column = column
        self.row = row

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.column, self.row)


def _rebuild(kind: type[TimewalkError], message: str, column: str | None, row: int | None) -> TimewalkError:
    return kind(message, column=column, row=row)


class InvalidValueError(TimewalkError, ValueError):
    """A value outside its allowed range."""


class InvalidTypeError(TimewalkError, TypeError):
    """An argument or column of the wrong type."""


class UnknownIdError(TimewalkError, KeyError):
    """An id, relation or column that does not exist."""


class FileFormatError(TimewalkError, ValueError):
    """A file that is not what its name says."""


class StoreError(TimewalkError, OSError):
    """A store that cannot be opened or written, or that is not a timewalk store."""


class ClosedError(TimewalkError, RuntimeError):
    """A call on a `Memory` that has been closed."""


class EmbedderError(TimewalkError, RuntimeError):
    """An embedder that failed, or that does not belong to the store."""


class RerankerError(TimewalkError, RuntimeError):
    """A re-ranker that could not be loaded, or that gave something else than one finite number a text."""


class MissingDependencyError(TimewalkError, ImportError):
    """An optional package is needed and not installed; the message names the command that installs it."""


class FileAccessError(TimewalkError, OSError):
    """A file or folder that is missing, is not of the right kind, or may not be read or written."""
