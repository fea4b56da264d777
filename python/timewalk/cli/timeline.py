"""A vertical timeline: month ticks, the window marked, and beside each event how it was reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from timewalk.cli.story import STYLES, Glyphs, glyphs, numbers, trail
from timewalk.cli.table import body
from timewalk.recall.hits import Hit, Hits
from timewalk.recall.places import Place, place, window_words
from timewalk.recall.words import day, month, when

_LABEL = 13  # columns left of the axis
_WIDEST = 110
_TEXT_LINES = 2
_BANDS: tuple[Place, ...] = ("before", "inside", "after", "undated")


@dataclass(frozen=True)
class Timeline:
    """The hits of one recall along an axis of time, oldest first; stretches without a hit are folded.

    Texts are cut after two lines, inside the window after `inside_lines`.
    """

    hits: Hits
    inside_lines: int = _TEXT_LINES

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = min(options.max_width, _WIDEST)
        yield from _Drawing(self.hits, console, width, self.inside_lines).lines()


class _Drawing:
    def __init__(self, hits: Hits, console: Console, width: int, inside_lines: int) -> None:
        self._hits = hits
        self._console = console
        self._width = width
        self._inside_lines = inside_lines
        self._glyphs: Glyphs = glyphs(console)
        self._ranks: Mapping[str, int] = numbers(hits)
        self._band: Place = "before"
        self._tick: tuple[int, int] | None = None

    def lines(self) -> Iterator[Text]:
        bands: dict[Place, list[Hit]] = {band: [] for band in _BANDS}
        for hit in self._hits:
            bands[place(hit, self._hits.window)].append(hit)
        for band, found in bands.items():
            self._band = band
            if band == "inside" and self._hits.window is not None:
                yield self._rule(f"the window: {window_words(self._hits.window)}, {_count(found)}")
            elif found:
                yield self._head(band, found)
            for hit in sorted(found, key=_order):
                yield from self._ticks(hit)
                yield from self._event(hit)
            if band == "inside" and self._hits.window is not None:
                yield self._rule("")

    def _head(self, band: Place, found: Sequence[Hit]) -> Text:
        words = {"before": "before the window", "after": "after the window"}.get(band, "")
        if not words:
            words = "without a date" if band == "undated" else "all dated hits"
        return Text(f"{' ' * _LABEL}   {words}, {_count(found)}", style=STYLES[band])

    def _rule(self, words: str) -> Text:
        bar = self._glyphs.dash * 3
        left = f"{' ' * _LABEL} {bar} {words} " if words else f"{' ' * _LABEL} "
        return Text(left + self._glyphs.dash * max(0, self._width - len(left)), style="yellow")

    def _ticks(self, hit: Hit) -> Iterator[Text]:
        start = hit.when
        if start is None:
            return
        whole_year = _whole_year(hit)
        here = (start.year, 0 if whole_year else start.month)
        if here == self._tick:
            return
        gap = _months_between(self._tick, here)
        if gap > 1:
            yield self._row("", self._glyphs.gap, Text(_duration(gap), style="dim"))
        self._tick = here
        label = str(start.year) if whole_year else month(start)
        yield self._row(label, self._glyphs.tick, Text(), label_style="bold")

    def _event(self, hit: Hit) -> Iterator[Text]:
        style = STYLES[self._band]
        room = max(20, self._width - _LABEL - 5)
        dot = self._glyphs.dots[self._band]
        lines = self._inside_lines if self._band == "inside" else _TEXT_LINES
        text = body(hit, room - 5, lines, self._console).wrap(self._console, room - 5)
        rank = f"[{self._ranks[hit.id]}]"
        for number, line in enumerate(text):
            line.rstrip()
            lead = (f"{rank:<5}" if number == 0 else " " * 5, style)
            label = _label(hit) if number == 0 else ""
            yield self._row(label, dot if number == 0 else self._axis(), Text.assemble(lead, line), mark_style=style)
        how = trail(hit, self._ranks, self._console)
        if how.plain and (hit.path or self._band != "inside"):
            for number, line in enumerate(how.wrap(self._console, room - 7)):
                line.rstrip()
                lead = (f"     {self._glyphs.under} " if number == 0 else " " * 7, "dim")
                yield self._row("", self._axis(), Text.assemble(lead, line))

    def _axis(self) -> str:
        return self._glyphs.heavy if self._band == "inside" and self._hits.window is not None else self._glyphs.axis

    def _row(self, label: str, mark: str, content: Text, *, label_style: str = "", mark_style: str = "") -> Text:
        inside = self._band == "inside" and self._hits.window is not None
        mark_style = mark_style or ("yellow" if inside else "dim")
        return Text.assemble((f"{label:>{_LABEL}}", label_style), (f" {mark} ", mark_style), content)


def _order(hit: Hit) -> tuple[datetime | None, str]:
    return hit.when, hit.id  # within a band either all have a date or none has


def _label(hit: Hit) -> str:
    return "" if hit.when is None else day(hit.when, hit.occurred_end if hit.occurred_start is not None else None)


def _whole_year(hit: Hit) -> bool:
    return hit.occurred_start is not None and "-" not in when(hit.occurred_start, hit.occurred_end)


def _months_between(last: tuple[int, int] | None, here: tuple[int, int]) -> int:
    if last is None:
        return 0
    return (here[0] - last[0]) * 12 + max(here[1], 1) - max(last[1], 1)


def _duration(months: int) -> str:
    years, rest = divmod(months, 12)
    parts = [f"{n} {word}{'s' if n > 1 else ''}" for n, word in ((years, "year"), (rest, "month")) if n]
    return " ".join(parts)


def _count(found: Sequence[Hit]) -> str:
    return f"{len(found)} found" if found else "none found"
