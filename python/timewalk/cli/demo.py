"""`timewalk demo`: the story around Apollo 13, beside what a date filter finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from timewalk.cli import jsonout
from timewalk.cli.options import EmbedderOption, HtmlOption, JsonOption, KOption, open_memory, time_of, write_text
from timewalk.cli.progress import waiting
from timewalk.cli.run import out
from timewalk.demo import NOW, QUESTION, by_date, load, records

if TYPE_CHECKING:
    from timewalk.recall.hits import Hit, Hits
    from timewalk.recall.places import Place


def demo(
    question: Annotated[str, typer.Option("--question", "-q", help="What to ask.")] = QUESTION,
    now: Annotated[
        str, typer.Option("--now", metavar="TIME", help="The time to look from, ISO 8601.")
    ] = f"{NOW:%Y-%m-%dT%H:%MZ}",
    k: KOption = 30,
    embedder: EmbedderOption = "auto",
    html: HtmlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask what happened in space around April 1970, and compare with a date filter.

    Loads some 270 events of the years 1961 to 1975 into RAM, asks, and shows what a date filter finds beside what
    timewalk finds, and then the story along an axis of time.

    Example: `timewalk demo`

    Example: `timewalk demo --question "why was Skylab too hot in May 1973?" --html skylab.html`
    """
    seen_from = time_of(now, "--now") or NOW
    with waiting("loading the events"), open_memory(None, embedder) as memory:
        events = load(memory, now=seen_from)
        hits = memory.recall(question, k=k, now=seen_from)
        dated, filtered = _filtered(hits, embedder, k)
    if html is not None:
        write_text(html, hits.to_html())
    if as_json:
        answer = jsonout.answer(hits)
        answer["events"] = events
        answer["date_filter"] = {
            "dated_in_window": dated,
            "hits": jsonout.answer(filtered)["hits"] if filtered is not None else [],
        }
        jsonout.write(answer)
        return
    from timewalk.cli.table import heading, notes
    from timewalk.cli.timeline import Timeline

    console = out()
    console.print(heading(hits))
    console.print(Text(f"asked of {events} events of the years 1961 to 1975\n", style="dim"))
    console.print(beside(filtered, dated, hits, k, console))
    console.print()
    console.print(Text("The story, and how timewalk came to each part of it", style="bold"))
    console.print()
    console.print(Timeline(hits, inside_lines=1))
    if hits.notes:
        console.print(notes(hits))


def _filtered(hits: Hits, embedder: str, k: int) -> tuple[int, Hits | None]:
    """How many events the window holds, and the best of those alone by the same search, links left out."""
    if hits.window is None:
        return 0, None
    inside = set(by_date(records(), hits.window.start, hits.window.end))
    with open_memory(None, embedder) as memory:
        memory.add([_alone(event) for event in records() if event["id"] in inside], now=hits.now)
        return len(inside), memory.recall(hits.query, k=k, now=hits.now)


def _alone(event: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in event.items() if key not in ("causes", "caused_by")}


def beside(filtered: Hits | None, dated: int, hits: Hits, k: int, console: Console) -> RenderableType:
    """Date filter and timewalk beside each other, each in the order of time, in three bands around the window."""
    from timewalk.recall.places import window_words

    table = Table(expand=True, show_edge=False, pad_edge=False, show_lines=True, header_style="bold")
    table.add_column("", width=6, no_wrap=True, style="dim")
    table.add_column(Text("a date filter"), ratio=1)
    table.add_column(Text("timewalk"), ratio=1)
    width = (console.width - 12) // 2
    bands: tuple[Place, ...] = ("before", "inside", "after") if hits.window is not None else ("inside",)
    for band in bands:
        left = _cell(filtered, band, width) if filtered is not None else Text("no window", style="dim")
        table.add_row(band, left, _cell(hits, band, width))
    if hits.window is not None:
        table.caption = Text(
            f"{dated} events lie in the window {window_words(hits.window)}; each column holds the best {k} it found"
        )
        table.caption_justify = "left"
    return table


def _cell(hits: Hits, band: Place, width: int) -> Text:
    """One line an event: first day (or month, or year) and title."""
    from timewalk.cli.story import STYLES
    from timewalk.recall.places import place
    from timewalk.recall.words import headline, when

    found = sorted((hit for hit in hits if place(hit, hits.window) == band), key=_order)
    if not found:
        return Text("nothing", style="dim")
    lines = []
    for hit in found:
        start = when(hit.occurred_start, hit.occurred_end)[:10].strip()
        title = headline(str(hit.metadata.get("title") or hit.text), max(width - 11, 8))
        lines.append(Text.assemble((f"{start:<10} ", STYLES[band]), title))
    return Text("\n").join(lines)


def _order(hit: Hit) -> tuple[Any, str]:
    return hit.when, hit.id
