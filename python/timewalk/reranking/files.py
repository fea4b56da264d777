"""Hits in files: in batch by batch, so that memory is bounded by the result and not by the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pyarrow as pa

from timewalk import _core
from timewalk.errors import FileAccessError, InvalidValueError, TimewalkError
from timewalk.ingest.lines import rows_of_file
from timewalk.reranking.formats import ROWS, Stream, file_format, open_stream, whole_file, writer
from timewalk.reranking.sources import ArrowHits, new_names, with_columns

if TYPE_CHECKING:
    from timewalk.reranking.api import Plan

Progress = Callable[[int, int | None], None]
"""Told the rows done so far, and how many there are where that is known."""
Piece = TypeVar("Piece")


def rerank_file(path: Path, plan: Plan, output: Path | None, progress: Progress | None = None) -> Path:
    """Re-ranks the hits of a file into another; a temporary file is renamed when it is whole.

    With `k`, memory holds the best rows of each group and a few batches. Without it, or with a normalisation that needs
    all of a group, it holds the file.
    """
    if not path.name:
        raise InvalidValueError(f"{str(path)!r} names no file")
    output = output or path.with_name(f"{path.stem}.reranked{path.suffix}")
    kind = file_format(output)
    if output.is_dir():
        raise FileAccessError(f"{output} is a folder, not a file")
    stream = open_stream(path)
    try:
        schema, tables = ranked(stream, plan, progress)
    finally:
        stream.close()
    with whole_file(output) as part, writer(part, kind, schema) as write:
        for table in ahead(tables):
            write(table)
    return output


def ranked(stream: Stream, plan: Plan, progress: Progress | None = None) -> tuple[pa.Schema, Iterator[pa.Table]]:
    """The hits of a stream in their new order, piece by piece; the stream is read to its end before this returns."""
    names = new_names(plan.prefix, list(stream.schema.names), plan.similarity)
    batches = _counted(ahead(stream.batches), stream.rows, progress)
    if plan.k is None or not plan.is_local:
        whole = ArrowHits(pa.Table.from_batches(batches, schema=stream.schema))
        with _rows_of_the_stream(stream, 0):
            table = plan.ranked(whole)
        return table.schema, _slices(table)
    best = _core.BestHits(plan.k)
    kept = [stream.schema.empty_table()]
    for batch in batches:
        source = ArrowHits(pa.Table.from_batches([batch]))
        with _rows_of_the_stream(stream, best.counts()[0]):
            rows = plan.add(best, source)
        if len(rows):
            kept.append(source.table.take(rows))
        _, count, alive = best.counts()
        if count > 2 * alive + 4 * ROWS or len(kept) > 512:
            kept = [pa.concat_tables(kept).take(best.compact()).combine_chunks()]
    # A batch at a time has been read so far; an unknown column must fail even where there was none.
    if best.counts()[0] == 0:
        plan.add(best, ArrowHits(kept[0]))
    winners = best.winners()
    kept = [pa.concat_tables(kept).combine_chunks()]
    pieces = _taken(kept[0], winners, names)
    first = next(pieces)
    return first.schema, chain([first], pieces)


def _taken(kept: pa.Table, winners: list[pa.Array], names: tuple[str, str, str]) -> Iterator[pa.Table]:
    """The winners in pieces, so that they are not in memory twice as a whole; at least one piece, if an empty one."""
    order, *columns = winners
    for start in range(0, max(len(order), 1), ROWS):
        rows = kept.take(order.slice(start, ROWS))
        yield with_columns(rows, names, [column.slice(start, ROWS) for column in columns])


def _slices(table: pa.Table) -> Iterator[pa.Table]:
    for start in range(0, max(table.num_rows, 1), ROWS):
        yield table.slice(start, ROWS)


@contextmanager
def _rows_of_the_stream(stream: Stream, first: int) -> Iterator[None]:
    """Errors in a batch name the row of the batch; the user knows the row of the file, or its line."""
    if stream.path is not None:
        with rows_of_file(stream.path, first):
            yield
        return
    try:
        yield
    except TimewalkError as error:
        if error.row is None or first == 0:
            raise
        message = error.message.replace(f"row {error.row})", f"row {error.row + first})")
        raise type(error)(message, column=error.column, row=error.row + first) from None


def ahead(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The same pieces, the next one made on another thread while the last one is worked on."""
    with ThreadPoolExecutor(1, thread_name_prefix="timewalk-ahead") as pool:
        following = pool.submit(next, pieces, None)
        while (piece := following.result()) is not None:
            following = pool.submit(next, pieces, None)
            yield piece


def _counted(
    batches: Iterator[pa.RecordBatch], rows: int | None, progress: Progress | None
) -> Iterator[pa.RecordBatch]:
    done = 0
    for batch in batches:
        yield batch
        done += batch.num_rows
        if progress is not None:
            progress(done, rows)
