"""`timewalk ingest`: files, or the history of a git repository, into a store."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from timewalk.cli.options import EmbedderOption, NowOption, StoreOption, TzOption, open_memory, time_of
from timewalk.cli.progress import counting
from timewalk.cli.run import out
from timewalk.errors import InvalidValueError
from timewalk.recall.words import plain

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 10_000


def ingest(
    sources: Annotated[
        list[str], typer.Argument(metavar="FILE... | git PATH", help="Files of records, or a git repository's folder.")
    ],
    store: StoreOption,
    format: Annotated[
        str | None,
        typer.Option("--format", help="jsonl, json, csv, tsv, parquet or arrow; by the file's name unless given."),
    ] = None,
    tz: TzOption = "UTC",
    namespace: Annotated[
        str | None, typer.Option("--namespace", "-n", help="The namespace of records that name none.")
    ] = None,
    embedder: EmbedderOption = "auto",
    now: NowOption = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="With git: no commits before this time.")
    ] = None,
) -> None:
    """Add records from files, or the commits of a git repository, to a store. All go in, or none.

    A record needs a text; id, occurred_start, occurred_end, mentioned_at, thread, author, tags, causes, caused_by and
    more are taken where they are there, and everything else is kept as metadata.

    Example: `timewalk ingest events.jsonl notes.csv --store team.timewalk`

    Example: `timewalk ingest git ~/src/project --store project.timewalk`
    """
    import pyarrow as pa

    began = time.perf_counter()
    stamp = time_of(now, "--now", tz)
    with counting() as progress:
        reading = progress.add_task("reading", total=None)
        tables = []
        for table in _tables(sources, format, tz, namespace, stamp, time_of(since, "--since", tz)):
            tables.append(table)
            progress.update(reading, advance=table.num_rows)
        records = pa.concat_tables(tables)
        progress.update(reading, total=records.num_rows, completed=records.num_rows)
        storing = progress.add_task("storing", total=records.num_rows)
        with open_memory(store, embedder) as memory:
            added = memory.add(
                records,
                tz=tz,
                now=stamp,
                progress=lambda done, total: progress.update(storing, completed=done, total=total),
            )
            progress.update(storing, total=records.num_rows, completed=records.num_rows)
            known = len(memory)
            # What was written is indexed as the store closes, which can take longer than all before.
            progress.add_task("indexing", total=None)
    seconds = time.perf_counter() - began
    out().print(
        f"{_counted(added.new, added.changed, added.unchanged)} in {seconds:.1f} s; "
        f"{plain(str(store))} holds {known:,} {'memory' if known == 1 else 'memories'}",
        soft_wrap=True,
    )


def _counted(new: int, changed: int, unchanged: int) -> str:
    """How many records came, and what became of them."""
    count = new + changed + unchanged
    parts = [(new, "new"), (changed, "changed"), (unchanged, "unchanged")]
    told = ", ".join(f"{number:,} {word}" for number, word in parts if number)
    return f"{count:,} record{'' if count == 1 else 's'}{': ' if told else ''}{told}"


def _tables(
    sources: list[str],
    format: str | None,
    tz: str,
    namespace: str | None,
    stamp: datetime | None,
    since: datetime | None,
) -> Iterator[pa.Table]:
    """The records of all sources, batch by batch, as canonical tables; at least one, maybe empty."""
    from timewalk.ingest.lines import rows_of_file
    from timewalk.ingest.records import to_table
    from timewalk.ingest.schema import SCHEMA

    seen: dict[str, int] = {}
    yield SCHEMA.empty_table()
    for name, batches in _sources(sources, format, tz, since):
        rows = 0
        for batch in batches:
            with rows_of_file(name, rows, format=format):
                table = to_table(_named(batch, namespace), tz=tz, now=stamp, seen=seen)
            rows += table.num_rows
            yield table


def _sources(
    sources: list[str], format: str | None, tz: str, since: datetime | None
) -> Iterator[tuple[str, Iterable[Any]]]:
    from timewalk.ingest.readers import read_batches

    if sources[0] == "git":
        from timewalk.ingest.git import read_history

        if len(sources) != 2:
            raise InvalidValueError("give git one folder: timewalk ingest git PATH --store FILE")
        if format is not None:
            raise InvalidValueError("--format is for files; git has its own")
        yield sources[1], _chunks(read_history(sources[1], since=since, tz=tz))
        return
    if since is not None:
        raise InvalidValueError("--since is for git: timewalk ingest git PATH --since TIME --store FILE")
    for source in sources:
        yield source, read_batches(Path(source), _BATCH, format=format)


def _chunks(records: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while chunk := list(islice(records, _BATCH)):
        yield chunk


def _named(batch: Any, namespace: str | None) -> Any:
    """The batch with the namespace filled in where it has none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if namespace is None:
        return batch
    if not isinstance(batch, pa.Table):
        return [{**record, "namespace": record.get("namespace") or namespace} for record in batch]
    if "namespace" not in batch.column_names:
        return batch.append_column("namespace", pa.array([namespace] * batch.num_rows, pa.string()))
    at = batch.column_names.index("namespace")
    return batch.set_column(at, "namespace", pc.fill_null(batch["namespace"].cast(pa.string()), namespace))
