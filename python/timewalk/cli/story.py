"""What the tables and the timeline share: the place of a hit beside the window, and the way that led to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from timewalk.recall.places import Place
from timewalk.recall.words import headline

if TYPE_CHECKING:
    from timewalk.recall.hits import Hit

STYLES: Mapping[Place, str] = {"before": "cyan", "inside": "bold yellow", "after": "magenta", "undated": "dim"}
_LONGEST_ID = 28


def numbers(hits: Sequence[Hit]) -> dict[str, int]:
    """The rank of each hit, from 1, by id; paths refer to hits by it."""
    return {hit.id: rank for rank, hit in enumerate(hits, 1)}


def trail(hit: Hit, ranks: Mapping[str, int], console: Console, *, full: bool = False) -> Text:
    """How a hit came in: the path from its seed, hits by rank in brackets; without a path the arms that found it.

    `full` gives every name and weight.
    """
    if not hit.path:
        return Text("found by " + ", ".join(hit.ranks) if hit.ranks else "", style="dim")
    glyph = glyphs(console)
    text = Text(style="dim")
    last = len(hit.path) - 1
    for number, step in enumerate(hit.path):
        # A hit has a row of its own to look up; the name of the one that led here is worth the room.
        text.append(_name(step.source, ranks, named=full or number == last))
        relation = f"{step.relation} {step.weight:.2g}" if full else step.relation
        text.append(f" {glyph.dash}{relation}{glyph.arrow} ", style="not dim green")
    text.append("here")
    return text


@dataclass(frozen=True)
class Glyphs:
    """The characters to draw with."""

    dash: str
    arrow: str
    axis: str
    heavy: str
    gap: str
    tick: str
    under: str
    dots: Mapping[Place, str]


_DRAWN = Glyphs("─", "→", "│", "┃", "┊", "┼", "╰", {"before": "○", "inside": "●", "after": "◆", "undated": "·"})
_ASCII = Glyphs("-", ">", "|", "#", ":", "+", "`", {"before": "o", "inside": "*", "after": "@", "undated": "."})


def glyphs(console: Console) -> Glyphs:
    """Drawn lines where the encoding has them, else plain ASCII."""
    return _DRAWN if console.encoding.lower().startswith("utf") else _ASCII


def _name(id: str, ranks: Mapping[str, int], *, named: bool) -> str:
    name = headline(id, _LONGEST_ID)
    if id not in ranks:
        return name
    return f"[{ranks[id]}] {name}" if named else f"[{ranks[id]}]"
