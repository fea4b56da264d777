"""Where in a file a record is, for errors: people look for a line, not for the number of a record."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import IO

from timewalk.errors import TimewalkError
from timewalk.ingest.readers import text_lines


@contextmanager
def rows_of_file(path: str | PathLike[str], first: int = 0, *, format: str | None = None) -> Iterator[None]:
    """Errors in the block name the file, and where they name a row of a batch, the row of the file and its line.

    `first` is the row of the file that the batch starts at. `format` is the suffix for a file of another name.
    """
    try:
        yield
    except TimewalkError as error:
        row = None if error.row is None else first + error.row
        line = None if row is None else line_of(path, row, format=format)
        place = f"{path}" if line is None else f"{path}, line {line}"
        message = error.message.replace(f"row {error.row})", f"row {row})")
        raise type(error)(f"{place}: {message}", column=error.column, row=row) from error


def line_of(path: str | PathLike[str], row: int, *, format: str | None = None) -> int | None:
    """The line, from 1, on which a record of a text file starts; None for formats without lines.

    Reads the file again, so it is for errors only.
    """
    name = (Path(path).name if format is None else f".{format}").lower().removesuffix(".gz")
    kind = name[name.rfind(".") :]
    try:
        with text_lines(Path(path)) as lines:
            if kind in (".jsonl", ".ndjson"):
                return next(islice((at for at, line in enumerate(lines, 1) if not line.isspace()), row, None), None)
            if kind in (".csv", ".tsv"):
                # The header comes first.
                return next(islice(_starts(lines, "\t" if kind == ".tsv" else ","), row + 1, None), None)
    except (TimewalkError, OSError, csv.Error):
        # The file is not what it was: the error goes without a line.
        return None
    return None


def _starts(lines: IO[str], delimiter: str) -> Iterator[int]:
    rows = csv.reader(lines, delimiter=delimiter)
    begin = 1
    for cells in rows:
        number, begin = begin, rows.line_num + 1
        if cells:
            yield number
