"""`timewalk bench`: does recall find what it should?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from timewalk.cli.run import out
from timewalk.errors import FileAccessError
from timewalk.files import unwritable


def bench(
    suite: Annotated[
        str,
        typer.Argument(
            metavar="SUITE",
            help="locomo, longmemeval, story, timelines, multihop, windows, decay, speed; own: your own questions.",
        ),
    ],
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", envvar="TIMEWALK_DATA", help="The folder that holds the suite's files."),
    ] = None,
    memories: Annotated[
        Path | None, typer.Option("--memories", metavar="FILE", help="With own: a file that `ingest` reads.")
    ] = None,
    store: Annotated[
        Path | None, typer.Option("--store", metavar="FILE", help="With own: a store, instead of --memories.")
    ] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            metavar="FILE",
            help='With own: JSON lines of {"query": …, "relevant": [ids]}, and now, window, group, id if you like.',
        ),
    ] = None,
    part: Annotated[
        list[str] | None, typer.Option("--part", metavar="PART", help="Only this part of the suite; may be repeated.")
    ] = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            metavar="NAME",
            help="static (wordllama; unless given), none, a name as in the other commands, or MODULE:CALLABLE.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="At most so many questions a part, evenly spread.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write every value that was measured.")
    ] = None,
    markdown: Annotated[Path | None, typer.Option("--markdown", metavar="OUT", help="Write the tables.")] = None,
    against: Annotated[
        Path | None,
        typer.Option("--compare", metavar="OTHER.json", help="Show what changed since a run that --json wrote."),
    ] = None,
) -> None:
    """Measure recall on a data set or on your own questions: timewalk, its arms one by one, and the usual baselines.

    Example: `timewalk bench own --memories notes.jsonl --questions questions.jsonl`

    Example: `timewalk bench locomo --data ~/data/locomo --json now.json --compare before.json`
    """
    from timewalk.bench import Result, compare, run
    from timewalk.bench import markdown as document
    from timewalk.bench.report import print_sheet, show
    from timewalk.bench.tables import changes
    from timewalk.cli.progress import counting

    for path in (json, markdown):
        _writable(path)
    before = None if against is None else Result.read(against)
    with counting() as progress:
        bars: dict[str, int] = {"": progress.add_task("making ready", total=None)}

        def tell(what: str, done: int, total: int) -> None:
            if what not in bars:
                progress.update(bars[""], visible=False)  # type: ignore[arg-type]
                bars[what] = progress.add_task(what, total=total)
            progress.update(bars[what], completed=done, total=total)  # type: ignore[arg-type]

        result = run(
            suite,
            data=data,
            embedder=embedder,
            limit=limit,
            parts=part or (),
            memories=memories,
            questions=questions,
            store=store,
            progress=tell,
        )
    if json is not None:
        _write(json, result.to_json())
    if markdown is not None:
        _write(markdown, document([result]))
    console = out()
    show(result, console)
    if before is not None:
        console.print()
        print_sheet(changes(compare(result, before)), console)


def _writable(path: Path | None) -> None:
    """A run may take minutes: that its result cannot be written is said before it."""
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise FileAccessError(f"{path} cannot be written: give a file in a folder that exists")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from error
