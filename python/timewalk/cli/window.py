"""`timewalk window TEXT`: the time that a text speaks of, on a small calendar line."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from timewalk.errors import TimewalkError
from timewalk.times import TimeLike, from_micros, to_micros
from timewalk.windows import AnchoredExpression, Window, find_anchor, find_window, find_windows

WIDTH = 61


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
    console.print(f"{_day(governing.start)} to {_day(governing.end)}, {governing.grain}", highlight=False)
    console.print(calendar_line(governing, now=from_micros(to_micros(moment, tz=tz))), highlight=False)


def _hanging(anchor: AnchoredExpression) -> str:
    """In words, what an expression without its event says."""
    length = " ".join(f"{count / 1000:g} {unit}" for unit, count in anchor.length)
    return (
        f"hangs on an event: {length + ' ' if length else ''}{anchor.relation} '{anchor.event}'; --event gives its time"
    )


def calendar_line(window: Window, *, now: datetime, width: int = WIDTH) -> str:
    """A line of time with the window drawn thick and now as a mark, and a line of dates below."""
    start = window.start or min(now, window.end or now) - timedelta(days=30)
    end = window.end or max(now, start) + timedelta(days=30)
    first, last = min(start, now), max(end, now)
    pad = max((last - first) / 12, timedelta(minutes=1))
    low, high = _seconds(first) - pad.total_seconds(), _seconds(last) + pad.total_seconds()

    def place(time: datetime) -> int:
        return round((_seconds(time) - low) / (high - low) * (width - 1))

    cells = ["─"] * width
    left, right = place(start), max(place(end), place(start) + 1)
    cells[left:right] = "█" * (right - left)
    if window.start is None:
        cells[left] = "◀"
    if window.end is None:
        cells[right - 1] = "▶"
    at = place(now)
    cells[at] = "●"
    marks = [" "] * (width + 12)
    for column, label in sorted([(at, "now"), (left, _day(start)), (right, _day(end))]):
        if all(mark == " " for mark in marks[max(column - 1, 0) : column + len(label) + 1]):
            marks[column : column + len(label)] = label
    return "".join(cells) + "\n" + "".join(marks).rstrip()


def _seconds(time: datetime) -> float:
    return to_micros(time) / 1_000_000


def _day(time: datetime | None) -> str:
    if time is None:
        return "…"
    return time.strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")


def _row(window: Window) -> dict[str, Any]:
    return {
        "start": None if window.start is None else window.start.isoformat(),
        "end": None if window.end is None else window.end.isoformat(),
        "grain": window.grain,
        "span": list(window.span),
        "text": window.text,
        "margin_seconds": window.margin.total_seconds(),
        "anchor": window.anchor,
    }
