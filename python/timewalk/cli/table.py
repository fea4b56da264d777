"""Hits as a table for a terminal of 80 columns and more."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from timewalk.cli.story import STYLES, numbers, trail
from timewalk.recall.hits import Hit, Hits
from timewalk.recall.places import dated, place, window_words
from timewalk.recall.words import cut, plain, when

_LONGEST_TEXT = 3  # lines a memory's text may take
_LONGEST_TITLE = 120  # characters of a first line that is a title, such as the subject of a commit


def heading(hits: Hits) -> Text:
    """The question, the window that was understood, and the day it was seen from."""
    text = Text()
    text.append(plain(hits.query) or "(no question)", style="bold")
    text.append("\nwindow: ", style="dim")
    text.append(window_words(hits.window), style="yellow" if hits.window is not None else "")
    anchor = getattr(hits.window, "anchor", None)
    if anchor is not None:
        text.append(f", hung on {plain(anchor)}")
    text.append(f"   seen from: {when(hits.now)}", style="dim")
    return text


def notes(hits: Hits) -> Text:
    """What the recall left out or could not do, one line a note."""
    return Text("\n".join(f"note: {plain(note)}" for note in hits.notes), style="dim")


def table(hits: Hits, console: Console) -> RenderableType:
    """One row a hit, best first: rank, when, what and how it came in, score."""
    if not hits:
        return Text("nothing found")
    ranks = numbers(hits)
    grid = Table(expand=True, show_edge=False, pad_edge=False, header_style="dim")
    grid.add_column("#", justify="right", no_wrap=True)
    grid.add_column("when", width=10)
    grid.add_column("what, and how it came in", ratio=1)
    grid.add_column("score", justify="right", no_wrap=True)
    width = max(20, console.width - 27)
    for hit in hits:
        style = STYLES[place(hit, hits.window)]
        what = Group(body(hit, width, _LONGEST_TEXT, console), trail(hit, ranks, console))
        grid.add_row(str(ranks[hit.id]), Text(dated(hit), style=style), what, f"{hit.score:.3f}")
    return grid


def explained(hits: Hits, console: Console) -> RenderableType:
    """Each hit's arms with rank and score, its seed and path with relations and weights, and every factor."""
    ranks = numbers(hits)
    parts: list[RenderableType] = []
    for hit in hits:
        text = Text(f"[{ranks[hit.id]}] ", style="bold")
        text.append(plain(hit.id), style="bold")
        text.append(f"  score {hit.score:.4g}")
        for arm, rank in sorted(hit.ranks.items(), key=lambda pair: (pair[1], pair[0])):
            score = hit.scores.get(arm)
            text.append(f"\n    {arm:<9} rank {rank}" + ("" if score is None else f", score {score:.4g}"))
        for name, factor in hit.explain()["factors"].items():
            text.append(f"\n    {name:<9} {factor:.4g}")
        if hit.activation is not None:
            text.append(f"\n    activation {hit.activation:.4g}" + ("" if hit.path else ", a seed of the walk"))
        if hit.proximity is not None:
            text.append(f"\n    nearness to the window {hit.proximity:.3f}")
        if hit.path:
            text.append("\n    path ")
            text.append_text(trail(hit, ranks, console, full=True))
        parts.append(text)
    return Group(*parts)


def body(hit: Hit, width: int, lines: int, console: Console) -> Text:
    """A hit's text in at most `lines` lines; the title in its metadata, or a first line of its own, leads in bold."""
    title, text = hit.metadata.get("title"), hit.text
    if not isinstance(title, str) or not plain(title):
        title, newline, rest = hit.text.strip().partition("\n")
        if not newline or len(title) > _LONGEST_TITLE:
            return clipped(plain(text), width, lines, console)
        text = rest
    title = plain(title)
    stop = "" if title.endswith((".", ":", "!", "?")) else "."
    shown = clipped(f"{title}{stop} {plain(text)}", width, lines, console)
    shown.stylize("bold", 0, len(title))
    return shown


def clipped(text: str, width: int, lines: int, console: Console) -> Text:
    """Text wrapped to `width`, cut after `lines` lines with an ellipsis."""
    wrapped = Text(text).wrap(console, width)
    if len(wrapped) <= lines:
        return Text(text)
    kept = [line.plain.rstrip() for line in wrapped[:lines]]
    return Text("\n".join([*kept[:-1], cut(kept[-1], width)]))
