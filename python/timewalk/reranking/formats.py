"""Files of hits as streams of record batches, and record batches as files: Parquet, Arrow, CSV, JSON lines."""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.json
import pyarrow.parquet as pq

from timewalk.errors import FileAccessError, FileFormatError, InvalidValueError, TimewalkError
from timewalk.files import unreadable, unwritable
from timewalk.ingest.readers import one_column_hint

ROWS = 65_536
"""Rows of a batch."""
FORMATS = {
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


@dataclass
class Stream:
    """The batches of a file."""

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    rows: int | None
    """How many rows there are, where the file says so."""
    close: Callable[[], None]
    path: Path | None = None
    """The file, if it is one."""


def file_format(path: Path) -> str:
    """The format by the name's ending; `InvalidValueError` for others."""
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise InvalidValueError(f"{path.name}: the ending says no format; use one of {', '.join(FORMATS)}")
    return kind


def open_stream(path: Path) -> Stream:
    """The file's batches; what is no such file is a `FileFormatError`, what cannot be read a
    `FileAccessError`."""
    kind = file_format(path)
    if path.is_dir():
        raise FileAccessError(f"{path} is a folder, not a file")
    try:
        stream = _open(path, kind)
        stream.path = path
        names = stream.schema.names
        if kind == "csv" and len(names) == 1 and (hint := one_column_hint(names[0])):
            stream.close()
            raise FileFormatError(f"{path}, line 1: {hint}")
        return stream
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise FileFormatError(f"{path}: not a {kind} file: {error}") from None
    except OSError as error:
        raise unreadable(path, error) from None


def _open(path: Path, kind: str) -> Stream:
    if kind == "parquet":
        # Read piece by piece: a file may be one row group, and mapped pages count as memory. The pieces fit into the
        # processor's cache beside what is made of them.
        file = pq.ParquetFile(path, pre_buffer=False, buffer_size=1 << 18)
        batches = file.iter_batches(batch_size=ROWS)
        return Stream(file.schema_arrow, _guarded(batches, path, kind), file.metadata.num_rows, file.close)
    if kind == "arrow":
        source = pa.memory_map(str(path))
        try:
            random = pa.ipc.open_file(source)
        except pa.ArrowInvalid:
            source.seek(0)
            reader = pa.ipc.open_stream(source)
            return Stream(reader.schema, _guarded(iter(reader), path, kind), None, source.close)
        batches = (random.get_batch(at) for at in range(random.num_record_batches))
        rows = sum(random.get_batch(at).num_rows for at in range(random.num_record_batches))
        return Stream(random.schema, _guarded(batches, path, kind), rows, source.close)
    if kind == "csv":
        convert = pa.csv.ConvertOptions(strings_can_be_null=True)
        reader = pa.csv.open_csv(path, convert_options=convert)
        return Stream(reader.schema, _guarded(iter(reader), path, kind), None, reader.close)
    if hasattr(pa.json, "open_json"):
        lines = pa.json.open_json(path)
        return Stream(lines.schema, _guarded(iter(lines), path, kind), None, lines.close)
    table = pa.json.read_json(path)
    return Stream(table.schema, iter(table.to_batches(max_chunksize=ROWS)), table.num_rows, lambda: None)


def _guarded(batches: Iterator[pa.RecordBatch], path: Path, kind: str) -> Iterator[pa.RecordBatch]:
    try:
        yield from batches
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise FileFormatError(f"{path}: a broken {kind} file: {error}") from None
    except OSError as error:
        raise unreadable(path, error) from None


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its name when the block ends well, and vanishes when it does not."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise unwritable(path, error) from None
    os.close(handle)
    part = Path(name)
    try:
        # mkstemp keeps the file to its owner; a result is as open as any new file.
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        yield part
        os.replace(part, path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, TimewalkError):
            raise unwritable(path, error) from error
        raise


@contextmanager
def writer(path: Path, kind: str, schema: pa.Schema) -> Iterator[Callable[[pa.Table], None]]:
    """A function that appends tables of the schema to the file."""
    if kind == "parquet":
        # The winners of many queries have little in common: dictionaries cost more than the rest of the file.
        with pq.ParquetWriter(path, schema, compression="snappy", use_dictionary=False) as parquet:
            yield lambda table: parquet.write_table(table)
    elif kind == "arrow":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as arrow:
            yield lambda table: arrow.write_table(table)
    elif kind == "csv":
        nested = [field.name for field in schema if pa.types.is_nested(field.type)]
        if nested:
            raise InvalidValueError(f"CSV has no place for {nested[0]!r}, which is {schema.field(nested[0]).type}")
        with pa.csv.CSVWriter(path, schema) as csv:
            yield lambda table: csv.write_table(table)
    else:
        with path.open("w", encoding="utf-8") as lines:

            def write(table: pa.Table) -> None:
                for row in table.to_pylist():
                    lines.write(json.dumps(row, ensure_ascii=False, default=_json) + "\n")

            yield write


def _json(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def read_config(path: Path) -> dict[str, Any]:
    """A TOML or JSON file as a dict."""
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            return tomllib.loads(text)
        return dict(json.loads(text))
    except OSError as error:
        raise unreadable(path, error) from None
    except (ValueError, TypeError) as error:
        raise FileFormatError(f"{path}: {error}") from None
