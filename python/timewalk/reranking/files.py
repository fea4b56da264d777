"""Hits in files."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from timewalk.errors import FileFormatError, InvalidValueError
from timewalk.reranking.sources import ArrowHits

if TYPE_CHECKING:
    from timewalk.reranking.api import Plan


def rerank_file(path: Path, plan: Plan, output: Path | None) -> Path:
    """Re-ranks the hits of a file into another; a temporary file is renamed when it is whole."""
    output = output or path.with_name(f"{path.stem}.reranked{path.suffix}")
    if path.suffix != ".parquet" or output.suffix != ".parquet":
        raise InvalidValueError(f"{path.name}: a Parquet file is expected")
    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid as error:
        raise FileFormatError(f"{path}: {error}") from None
    handle, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.parent)
    os.close(handle)
    try:
        pq.write_table(plan.ranked(ArrowHits(table)), name)
        os.replace(name, output)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return output
