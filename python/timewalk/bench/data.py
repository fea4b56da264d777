"""Files of the suites: found in the folder that the caller names, plain or compressed with gzip."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from timewalk.bench.questions import spread
from timewalk.errors import FileAccessError, FileFormatError, InvalidValueError, TimewalkError
from timewalk.files import unreadable

Row = dict[str, Any]

_PIECE = 1 << 20


@contextmanager
def formed(what: str) -> Iterator[None]:
    """Turns what a row of another form raises into a `FileFormatError`."""
    try:
        yield
    except TimewalkError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise FileFormatError(f"the data of {what} is not in its form: {type(error).__name__}: {error}") from error


def find(data: Path | None, suite: str, patterns: Sequence[str], *, folder: str = "", many: bool = False) -> list[Path]:
    """The files of a suite: the first pattern that fits, in DATA/folder or in DATA itself; DATA may be the file.

    A pattern is a file's name without `.gz`. Raises `InvalidValueError` without data, `FileAccessError` where nothing
    fits, saying what to give, and where several files fit and only one may.
    """
    wanted = " or ".join(f"{folder}/{pattern}" if folder else pattern for pattern in patterns)
    if data is None:
        raise InvalidValueError(
            f"the suite {suite} needs data: name the folder that holds {wanted} (or the same with .gz) with --data"
        )
    if data.is_file():
        if any(_fits(data, pattern) for pattern in patterns):
            return [data]
    elif not data.is_dir():
        raise FileAccessError(f"there is no folder {data}; --data names the one that holds {wanted}")
    for pattern in patterns:
        for place in dict.fromkeys((data / folder, data)):
            there = {*place.glob(pattern), *place.glob(f"{pattern}.gz")} if place.is_dir() else set()
            found = sorted(path for path in there if path.is_file())
            if len(found) > 1 and not many:
                names = ", ".join(path.name for path in found)
                raise FileAccessError(
                    f"{place} holds several files for the suite {suite} ({names}); name one with --data"
                )
            if found:
                return found
    raise FileAccessError(f"{data} holds no {wanted} (or the same with .gz), which the suite {suite} reads")


def _fits(path: Path, pattern: str) -> bool:
    return path.match(pattern) or path.match(f"{pattern}.gz")


def read_json(path: Path) -> Any:
    """The one JSON value in a file."""
    try:
        return json.loads(_bytes(path))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path} is not JSON: {error}") from error


def array_items(path: Path) -> Iterator[Row]:
    """The objects of a JSON array, one after the other: of a file of gigabytes only one is in memory at a time.

    Bytes that are no UTF-8 become question marks. Raises `FileFormatError` for anything but an array of objects.
    """
    decoder = json.JSONDecoder()
    try:
        with (gzip.open if path.name.endswith(".gz") else open)(
            path, "rt", encoding="utf-8-sig", errors="replace"
        ) as file:
            text = _more("", file)
            if not text.startswith("["):
                raise FileFormatError(f"{path} is not a JSON array")
            text, first = text[1:], True
            while True:
                text = _more(text, file)
                if text.startswith("]"):
                    return
                if not first:
                    if not text.startswith(","):
                        raise FileFormatError(
                            f"{path} is not a JSON array of objects: {text[:20]!r} between two of them"
                        )
                    text = _more(text[1:], file)
                first = False
                if not text.startswith("{"):
                    raise FileFormatError(f"{path} is not a JSON array of objects: {text[:20]!r} in it")
                while True:
                    try:
                        item, end = decoder.raw_decode(text)
                        break
                    except (ValueError, RecursionError) as error:
                        # As much again as there is: an object is parsed a few times at most.
                        piece = file.read(max(_PIECE, len(text)))
                        if not piece:
                            raise FileFormatError(f"{path} is not whole JSON: {error}") from error
                        text += piece
                text = text[end:]
                yield item
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileFormatError(f"{path} is not a whole gzip file: {error}") from error
    except TimewalkError:
        raise
    except OSError as error:
        raise unreadable(path, error) from error


def _more(text: str, file: IO[str]) -> str:
    """The text from its next sign on, with more of the file if it has none."""
    text = text.lstrip()
    while not text and (piece := file.read(_PIECE)):
        text = piece.lstrip()
    return text


def read_lines(*paths: Path) -> list[Row]:
    """The objects of JSON lines files, one after the other."""
    return [row for path in paths for row in numbered_lines(path).values()]


def numbered_lines(path: Path) -> dict[int, Row]:
    """The objects of a JSON lines file by their line, from 0; empty lines count."""
    rows: dict[int, Row] = {}
    for number, line in enumerate(_bytes(path).splitlines()):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FileFormatError(f"line {number + 1} of {path} is not JSON: {error}", row=number) from error
        if not isinstance(row, dict):
            raise FileFormatError(f"line {number + 1} of {path} is not a JSON object", row=number)
        rows[number] = row
    return rows


def picked(rows: list[Row], limit: int | None, what: str) -> list[Row]:
    """At most `limit` of the rows, evenly spread; raises `FileFormatError` where there are none."""
    if not rows:
        raise FileFormatError(f"the data of {what} holds no rows that are scored")
    return [rows[place] for place in spread(len(rows), limit)]


def _bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.name.endswith(".gz") else data
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileFormatError(f"{path} is not a whole gzip file: {error}") from error
    except OSError as error:
        raise unreadable(path, error) from error
