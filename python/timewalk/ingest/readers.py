"""Files of records: JSON lines, JSON, CSV, Parquet and Arrow, whole or in batches."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from timewalk.errors import FileAccessError, FileFormatError, InvalidValueError
from timewalk.files import first_line, unreadable

Batch: TypeAlias = "list[dict[str, Any]] | pa.Table"
"""Records as `timewalk.ingest.records.to_table` takes them."""

_LISTS = ("tags", "causes", "caused_by", "entities", "files", "recent_accesses")
_TEXT_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv")
SUFFIXES = (*_TEXT_SUFFIXES, *(f"{suffix}.gz" for suffix in _TEXT_SUFFIXES), ".parquet", ".arrow", ".feather", ".ipc")
"""Names of files that can be read; the suffix decides the format."""


def read(path: str | os.PathLike[str]) -> Batch:
    """All records of a file: a list of mappings, or a table for Parquet and Arrow. See `read_batches`."""
    parts = list(read_batches(path))
    if parts and isinstance(parts[0], pa.Table):
        return pa.concat_tables(parts)
    return [record for part in parts for record in part]


def read_batches(
    path: str | os.PathLike[str], batch_rows: int = 10_000, *, format: str | None = None
) -> Iterator[Batch]:
    """Reads a file batch by batch, never more than `batch_rows` records at once (a JSON array is parsed as a whole).

    The suffix decides: `.jsonl` and `.ndjson` (one JSON object a line, blank lines are skipped), `.json` (an array
    of objects, or one object), `.csv` and `.tsv` (with a header; an empty cell is missing, lists are separated by
    ";" or spelled in JSON), all of these also with `.gz`; `.parquet`; `.arrow`, `.feather` and `.ipc` (file or
    stream format). `format` is one of these suffixes, with or without its dot, for a file of another name.

    Raises `FileAccessError` for a file that is missing or may not be read, `InvalidValueError` for a suffix that is
    not supported, and `FileFormatError`, which names the line where there is one, for content that is not what the
    name says. The file and its suffix are checked at once, the content as it is read.
    """
    if batch_rows < 1:
        raise InvalidValueError(f"batch_rows is at least 1, not {batch_rows}")
    path = Path(path)
    name = path.name.lower() if format is None else f".{format.lower().removeprefix('.')}"
    suffix = next((suffix for suffix in sorted(SUFFIXES, key=len, reverse=True) if name.endswith(suffix)), None)
    if suffix is None or (format is not None and suffix != name):
        if format is not None:
            raise InvalidValueError(f"unknown format {format!r}; supported are {', '.join(SUFFIXES)}")
        raise InvalidValueError(f"cannot tell the format of {path} by its name; supported are {', '.join(SUFFIXES)}")
    if path.is_dir():
        raise FileAccessError(f"{path} is a folder, not a file")
    if not path.exists():
        raise FileAccessError(f"there is no file {path}")
    return _batches(path, suffix, batch_rows)


def _batches(path: Path, suffix: str, batch_rows: int) -> Iterator[Batch]:
    kind = suffix.removesuffix(".gz")
    if kind in _TEXT_SUFFIXES:
        with text_lines(path, zipped=suffix.endswith(".gz")) as lines:
            records = _TEXT_READERS[kind](lines, path)
            while batch := list(islice(records, batch_rows)):
                yield batch
        return
    try:
        with path.open("rb") as file:
            yield from _parquet(file, batch_rows) if kind == ".parquet" else _arrow(file, batch_rows)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, pa.ArrowSerializationError) as error:
        what = "a Parquet file" if kind == ".parquet" else "an Arrow file"
        raise FileFormatError(f"{path} is not {what}, or a broken one: {first_line(error)}") from None
    except OSError as error:
        raise unreadable(path, error) from error


def _parquet(file: IO[bytes], batch_rows: int) -> Iterator[pa.Table]:
    source = pq.ParquetFile(file)
    none = True
    for batch in source.iter_batches(batch_rows):
        none = False
        yield pa.Table.from_batches([batch])
    if none:
        yield source.schema_arrow.empty_table()


def _arrow(file: IO[bytes], batch_rows: int) -> Iterator[pa.Table]:
    magic = file.read(6)
    file.seek(0)
    if magic == b"ARROW1":
        source = pa.ipc.open_file(file)
        batches: Iterator[pa.RecordBatch] = (source.get_batch(at) for at in range(source.num_record_batches))
    else:
        source = pa.ipc.open_stream(file)
        batches = iter(source)
    none = True
    for batch in batches:
        for at in range(0, batch.num_rows, batch_rows):
            none = False
            yield pa.Table.from_batches([batch.slice(at, batch_rows)])
    if none:
        yield source.schema.empty_table()


@contextmanager
def text_lines(path: Path, *, zipped: bool | None = None) -> Iterator[IO[str]]:
    """The text of a file; what goes wrong below the text becomes one of our errors.

    Whether it is zipped is told by its name unless said.
    """
    zipped = path.name.lower().endswith(".gz") if zipped is None else zipped
    try:
        with path.open("rb") as raw:
            binary = gzip.GzipFile(fileobj=raw) if zipped else raw
            with io.TextIOWrapper(binary, encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
                yield lines
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileFormatError(f"{path} is not a whole gzip file: {first_line(error)}") from None
    except OSError as error:
        raise unreadable(path, error) from error


def _json_lines(lines: IO[str], path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, 1):
        if line.isspace():
            continue
        _refuse_bad_utf8(line, path, number)
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = error.msg if isinstance(error, json.JSONDecodeError) else first_line(error)
            raise _bad_line(path, number, f"this is not a JSON object: {reason}") from None
        if not isinstance(record, dict):
            raise _bad_line(path, number, f"a JSON object is expected, not {_kind(record)}")
        yield record


def _json(lines: IO[str], path: Path) -> Iterator[dict[str, Any]]:
    whole = lines.read()
    try:
        found = json.loads(whole)
    except json.JSONDecodeError as error:
        hint = "; one object a line is called .jsonl" if error.msg == "Extra data" else ""
        raise _bad_line(path, error.lineno, f"this is not JSON: {error.msg}{hint}") from None
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path} cannot be read as JSON: {first_line(error)}") from None
    _refuse_bad_utf8(whole, path, None)
    records = found if isinstance(found, list) else [found]
    for at, record in enumerate(records):
        if not isinstance(record, dict):
            raise FileFormatError(f"{path}: item {at} is {_kind(record)}, where an object is expected", row=at)
        yield record


def _csv(lines: IO[str], path: Path, delimiter: str = ",") -> Iterator[dict[str, Any]]:
    # Texts are longer than the 128 KiB that the module allows for a cell; the limit is one for the whole process.
    csv.field_size_limit(max(csv.field_size_limit(), 1 << 30))
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    begin = 1
    try:
        for cells in rows:
            number, begin = begin, rows.line_num + 1
            if not cells:
                continue
            for cell in cells:
                _refuse_bad_utf8(cell, path, number)
            if header is None:
                header = _header(cells, path, number)
            elif len(cells) != len(header):
                raise _bad_line(path, number, f"{len(cells)} cells under a header of {len(header)}")
            else:
                yield {name: _cell(name, cell) for name, cell in zip(header, cells, strict=True) if cell.strip()}
    except csv.Error as error:
        raise _bad_line(path, rows.line_num, f"this is not CSV: {error}") from None


def _header(cells: list[str], path: Path, number: int) -> list[str]:
    names = [cell.strip() for cell in cells]
    if len(names) == 1 and (hint := one_column_hint(names[0])):
        raise _bad_line(path, number, hint)
    if "" in names or len(set(names)) < len(names):
        raise _bad_line(path, number, "every column needs a name of its own in the header")
    return names


def one_column_hint(name: str) -> str | None:
    """What is wrong if this is the only column of a header; None if nothing is."""
    for separator, word in ((";", "semicolons"), ("\t", "tabs")):
        if separator in name:
            return (
                f"the cells seem to be separated by {word}: the header is one column, {name!r}; "
                f"separate them by commas, or by tabs in a file that is called .tsv"
            )
    return None


def _cell(name: str, cell: str) -> Any:
    if name in _LISTS and not cell.lstrip().startswith("["):
        return [item.strip() for item in cell.split(";") if item.strip()]
    if name == "historical_count":
        try:
            return int(cell)
        except ValueError:
            return cell
    if name == "entities":
        try:
            return json.loads(cell)
        except ValueError:
            return cell
    return cell


def _tsv(lines: IO[str], path: Path) -> Iterator[dict[str, Any]]:
    return _csv(lines, path, "\t")


def _refuse_bad_utf8(text: str, path: Path, number: int | None) -> None:
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = number if number is not None else text.count("\n", 0, error.start) + 1
        raise _bad_line(path, line, "this is not text in UTF-8") from None


def _bad_line(path: Path, number: int, reason: str) -> FileFormatError:
    return FileFormatError(f"{path}, line {number}: {reason}")


def _kind(value: object) -> str:
    names = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")


_TEXT_READERS: dict[str, Callable[[IO[str], Path], Iterator[dict[str, Any]]]] = {
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json,
    ".csv": _csv,
    ".tsv": _tsv,
}
