"""`timewalk window TEXT`: the time that a text speaks of, on a small calendar line."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from timewalk.errors import TimewalkError
from timewalk.times import TimeLike, from_micros, to_micros
from timewalk.windows import AnchoredExpression, Window, find_anchor, find_window, find_windows
from timewalk.windows.window import iso

WIDTH = 61
_DAY = 86_400_000_000


def window(
    text: Annotated[str, typer.Argument(help="The text, such as 'what happened in the last two weeks?'")],
    now: Annotated[
        str | None, typer.Option(help="ISO time that the text is read from; the clock's if left out.")
    ] = None,
    tz: Annotated[str, typer.Option(help="Zone whose days are meant.")] = "UTC",
    prefer: Annotated[
        str, typer.Option(help="past, future or nearest: which reading where several are open.")
    ] = "past",
    locale: Annotated[str, typer.Option(help="Language, such as en, en-GB, de.")] = "en",
    event: Annotated[
        str | None, typer.Option(help="ISO time of the event that the text hangs on ('before the outage').")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the windows as JSON.")] = False,
) -> None:
    """Show the time window that a text speaks of.

    Example: `timewalk window "what broke in the last two weeks?" --now 2024-05-20`
    """
    console = Console()
    moment: TimeLike = datetime.now(UTC) if now is None else now
    options: dict[str, Any] = {"now": moment, "tz": tz, "prefer": prefer, "locale": locale}
    try:
        governing = find_window(text, **options)
        found = find_windows(text, **options)
        anchor = find_anchor(text, now=moment, tz=tz, locale=locale)
        if anchor is not None and event is not None and (governing is None or anchor.explicit):
            governing = anchor.window(event, now=moment, tz=tz)
            found = [governing]
    except TimewalkError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
    if as_json:
        rows = [dict(_row(each), governs=each == governing) for each in found]
        typer.echo(json.dumps(rows, ensure_ascii=False))
        return
    if anchor is not None and event is None:
        console.print(_hanging(anchor), highlight=False)
    if governing is None:
        if anchor is None:
            console.print("no time in this text")
        return
    marked = Text(text)
    for each in found:
        marked.stylize("bold cyan" if each == governing else "cyan", *each.span)
    console.print(marked)
    console.print(f"{_start_day(governing)} to {_end_day(governing)}, {governing.grain}", highlight=False)
    console.print(calendar_line(governing, now=from_micros(to_micros(moment, tz=tz))), highlight=False)


def _hanging(anchor: AnchoredExpression) -> str:
    """In words, what an expression without its event says."""
    length = " ".join(f"{count / 1000:g} {unit}{'s' * (count != 1000)}" for unit, count in anchor.length)
    return (
        f"hangs on an event: {length + ' ' if length else ''}{anchor.relation} '{anchor.event}'; --event gives its time"
    )


def calendar_line(window: Window, *, now: datetime, width: int = WIDTH) -> str:
    """A line of time with the window drawn thick and now as a mark, and a line of dates below."""
    here = to_micros(now)
    start = window.start_micros if window.start is not None else min(here, _end(window, here)) - 30 * _DAY
    end = window.end_micros if window.end is not None else max(here, start) + 30 * _DAY
    first, last = min(start, here), max(end, here)
    pad = max((last - first) / 12, 60_000_000)
    low, high = first - pad, last + pad

    def place(time: int) -> int:
        return round((time - low) / (high - low) * (width - 1))

    cells = ["─"] * width
    left, right = place(start), max(place(end), place(start) + 1)
    cells[left:right] = "█" * (right - left)
    if window.start is None:
        cells[left] = "◀"
    if window.end is None:
        cells[right - 1] = "▶"
    at = place(here)
    cells[at] = "●"
    marks = [" "] * (width + 16)
    for column, label in sorted([(at, "now"), (left, _start_day(window)), (right, _end_day(window))]):
        if all(mark == " " for mark in marks[max(column - 1, 0) : column + len(label) + 1]):
            marks[column : column + len(label)] = label
    return "".join(cells) + "\n" + "".join(marks).rstrip()


def _end(window: Window, now: int) -> int:
    return now if window.end is None else window.end_micros


def _start_day(window: Window) -> str:
    return "…" if window.start is None else _day(window.start_micros)


def _end_day(window: Window) -> str:
    return "…" if window.end is None else _day(window.end_micros)


def _day(micros: int) -> str:
    return (
        iso(micros)
        .partition("+00:00")[0]
        .replace("T", " ")
        .partition(".")[0]
        .removesuffix(":00")
        .removesuffix(" 00:00")
    )


def _row(window: Window) -> dict[str, Any]:
    return {
        "start": None if window.start is None else iso(window.start_micros),
        "end": None if window.end is None else iso(window.end_micros),
        "grain": window.grain,
        "span": list(window.span),
        "text": window.text,
        "margin_seconds": window.margin.total_seconds(),
        "anchor": window.anchor,
    }
