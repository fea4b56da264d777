"""Options that several commands share, and how their values are read."""

from __future__ import annotations

from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from timewalk.errors import InvalidValueError, StoreError, TimewalkError
from timewalk.times import from_micros, to_micros, zone

if TYPE_CHECKING:
    from timewalk.memory import Memory
    from timewalk.windows import Window

StoreOption: TypeAlias = Annotated[
    Path, typer.Option("--store", "-s", envvar="TIMEWALK_STORE", help="The store's file.", show_default=False)
]
NowOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--now", metavar="TIME", help="The time to look from, ISO 8601; the clock's unless given."),
]
TzOption: TypeAlias = Annotated[
    str, typer.Option("--tz", metavar="ZONE", help="Zone of times that name none: Europe/Berlin, +08:00.")
]
EmbedderOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--embedder",
        metavar="NAME",
        help="wordllama, sentence-transformers, fastembed, model2vec or openai, each with ':model' if you like; "
        "none; auto: the store's own, else wordllama where it is installed.",
    ),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")]
KOption: TypeAlias = Annotated[int, typer.Option("-k", min=1, metavar="N", help="How many memories to show at most.")]


def time_of(text: str | None, option: str, tz: str = "UTC") -> datetime | None:
    """The time given to an option, or None where it was not given."""
    if text is None:
        return None
    try:
        return from_micros(to_micros(text, tz=tz))
    except TimewalkError as error:
        raise InvalidValueError(f"{option}: {error}") from None


def window_of(text: str | None, tz: str = "UTC") -> Window | None:
    """The window in "START..END" (END not included; either may be left out) or in one day, month or year."""
    if text is None:
        return None
    from timewalk.ingest.instants import span
    from timewalk.windows import Window

    start, dots, end = text.partition("..")
    if dots:
        first, last = (time_of(part.strip() or None, "--window", tz) for part in (start, end))
    else:
        try:
            low, high = span(text.strip(), zone(tz), "--window")
        except TimewalkError as error:
            raise InvalidValueError(f"--window: {error}") from None
        if low is None or high is None:
            raise InvalidValueError(
                f"--window: {text!r} is an instant; give START..END, or a day, month or year such as 1970-04"
            )
        first, last = from_micros(low), from_micros(high)
    if first is not None and last is not None and last < first:
        raise InvalidValueError(f"--window: {text!r} ends before it starts")
    return Window(first, last, "given", (0, 0))


def open_store(path: Path, embedder: str) -> Memory:
    """A store that must be there already."""
    if not path.exists():
        raise StoreError(f"there is no store {path}; make one with: timewalk ingest FILE --store {path}")
    return open_memory(path, embedder)


def open_memory(path: Path | None, embedder: str) -> Memory:
    """A memory in a file or in RAM, with the embedder that an option names."""
    from timewalk.memory import Memory

    if embedder == "auto":
        # A store knows its embedder; a new one takes the model that comes with the extra `static`, if it is there.
        new = path is None or not path.exists()
        return Memory(path, embedder="wordllama" if new and find_spec("wordllama") is not None else None)
    return Memory(path, embedder=None if embedder == "none" else embedder)
