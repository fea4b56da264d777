"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import os
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

import typer

from timewalk.errors import InvalidValueError, StoreError, TimewalkError
from timewalk.files import unwritable
from timewalk.times import from_micros, to_micros, zone

if TYPE_CHECKING:
    from timewalk.memory import Memory
    from timewalk.recall.filters import FilterOptions, TimeColumn
    from timewalk.windows import Window

TIME_COLUMNS = ("occurred_start", "occurred_end", "mentioned_at", "created_at")

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
HtmlOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Draw the story on an axis of time, with its links, as a page."),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead.")]
KOption: TypeAlias = Annotated[
    int, typer.Option("--k", "-k", min=1, metavar="N", help="How many memories to show at most.")
]


NamespaceOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--namespace", "-n", metavar="NAME", help="Only memories of this namespace; may be repeated."),
]
FactTypeOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--fact-type", metavar="TYPE", help="Only memories of this fact type; may be repeated."),
]
TagsOption: TypeAlias = Annotated[
    list[str] | None, typer.Option("--tags", metavar="TAG", help="Only memories with this tag; repeated: with any.")
]
TagsAllOption: TypeAlias = Annotated[
    list[str] | None, typer.Option("--tags-all", metavar="TAG", help="The same; repeated: with all of them.")
]
TagsNoneOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--tags-none", metavar="TAG", help="Only memories without this tag; may be repeated."),
]
AuthorOption: TypeAlias = Annotated[
    list[str] | None, typer.Option("--author", metavar="NAME", help="Only memories by this author; may be repeated.")
]
ThreadOption: TypeAlias = Annotated[
    list[str] | None, typer.Option("--thread", metavar="NAME", help="Only memories of this thread; may be repeated.")
]
TimesOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--times",
        metavar="WHICH=START..END",
        help="Only memories whose occurred_start, occurred_end, mentioned_at or created_at lies there, END not "
        "included: mentioned_at=2026-07..; may be repeated.",
    ),
]
AsOfOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--as-of", metavar="TIME", help="The store as it was true then: nothing newer, nothing taken back."),
]


def filters_of(
    *,
    namespace: list[str] | None = None,
    fact_type: list[str] | None = None,
    tags: list[str] | None = None,
    tags_all: list[str] | None = None,
    tags_none: list[str] | None = None,
    author: list[str] | None = None,
    thread: list[str] | None = None,
    times: list[str] | None = None,
    as_of: str | None = None,
    tz: str = "UTC",
) -> FilterOptions:
    """The filters that options name; an option that was not given lets all through."""
    return {
        "namespace": namespace or None,
        "fact_type": fact_type or None,
        "tags": tags or None,
        "tags_all": tags_all or None,
        "tags_none": tags_none or None,
        "author": author or None,
        "thread": thread or None,
        "times": _all_times_of(times, tz) if times else None,
        "as_of": time_of(as_of, "--as-of", tz),
    }


def _all_times_of(texts: list[str], tz: str) -> dict[TimeColumn, tuple[datetime | None, datetime | None]]:
    found: dict[TimeColumn, tuple[datetime | None, datetime | None]] = {}
    for text in texts:
        column, span = _times_of(text, tz)
        if column in found:
            raise InvalidValueError(f"--times: {column} is given twice; give one START..END that is in both")
        found[column] = span
    return found


def _times_of(text: str, tz: str) -> tuple[TimeColumn, tuple[datetime | None, datetime | None]]:
    name, equals, given = text.partition("=")
    if not equals or name.strip() not in TIME_COLUMNS:
        raise InvalidValueError(
            f"--times: {text!r} is not WHICH=START..END, with WHICH one of {', '.join(TIME_COLUMNS)}"
        )
    window = window_of(given, tz, "--times")
    return cast("TimeColumn", name.strip()), (None, None) if window is None else (window.start, window.end)


def time_of(text: str | None, option: str, tz: str = "UTC") -> datetime | None:
    """The time given to an option, or None where it was not given."""
    if text is None:
        return None
    try:
        return from_micros(to_micros(text, tz=tz))
    except TimewalkError as error:
        raise InvalidValueError(f"{option}: {error}") from None


def window_of(text: str | None, tz: str = "UTC", option: str = "--window") -> Window | None:
    """The window in "START..END" (END not included; either may be left out) or in one day, month or year."""
    if text is None:
        return None
    from timewalk.ingest.instants import span
    from timewalk.windows import Window

    start, dots, end = text.partition("..")
    if dots:
        first, last = (time_of(part.strip() or None, option, tz) for part in (start, end))
    else:
        try:
            low, high = span(text.strip(), zone(tz), option)
        except TimewalkError as error:
            raise InvalidValueError(f"{option}: {error}") from None
        if low is None or high is None:
            raise InvalidValueError(
                f"{option}: {text!r} is an instant; give START..END, or a day, month or year such as 1970-04"
            )
        first, last = from_micros(low), from_micros(high)
    if first is not None and last is not None and last < first:
        raise InvalidValueError(f"{option}: {text!r} ends before it starts")
    if first is not None and first == last:
        raise InvalidValueError(f"{option}: {text!r} is empty, since its end does not belong to it")
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


def write_text(path: Path, text: str) -> None:
    """Writes a file in UTF-8, whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            part.write_text(text, encoding="utf-8")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error
