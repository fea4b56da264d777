"""`timewalk recall`: ask a store."""

from __future__ import annotations

from typing import Annotated

import typer

from timewalk.cli import jsonout
from timewalk.cli.options import (
    EmbedderOption,
    JsonOption,
    KOption,
    NowOption,
    StoreOption,
    TzOption,
    open_store,
    time_of,
    window_of,
)
from timewalk.cli.run import err, out


def recall(
    question: Annotated[str, typer.Argument(help="What to ask, in words; a time in it becomes the window.")],
    store: StoreOption,
    now: NowOption = None,
    k: KOption = 10,
    window: Annotated[
        str | None,
        typer.Option(
            "--window",
            metavar="START..END",
            help="The window, instead of the one in the question; END is not included, either end may be left out. "
            "One day, month or year (1970-04) is a window too.",
        ),
    ] = None,
    namespace: Annotated[
        list[str] | None, typer.Option("--namespace", "-n", help="Only memories of this namespace; may be repeated.")
    ] = None,
    tz: TzOption = "UTC",
    embedder: EmbedderOption = "auto",
    timeline: Annotated[bool, typer.Option("--timeline", help="Draw the answer along an axis of time.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each hit's arms, ranks, scores and path with weights.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Ask a store what happened, and see what led to it and what came of it.

    Example: `timewalk recall "what happened around the outage last week?" --store team.timewalk`
    """
    from timewalk.cli.table import explained, heading, notes, table
    from timewalk.cli.timeline import Timeline

    seen_from = time_of(now, "--now", tz)
    given = window_of(window, tz)
    with open_store(store, embedder) as memory, err().status("reading the store", spinner="dots"):
        hits = memory.recall(
            question, k=k, now=seen_from, tz=tz, window=given, namespace=namespace or None, explain=explain
        )
    if as_json:
        jsonout.write(jsonout.answer(hits))
        return
    console = out()
    console.print(heading(hits))
    console.print()
    console.print(Timeline(hits) if timeline else table(hits, console))
    if explain and hits:
        console.print()
        console.print(explained(hits, console))
    if hits.notes:
        console.print(notes(hits))
