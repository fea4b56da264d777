"""The picture of a story: one row a hit in the order of time, its dot on an axis of time, its links as arrows.

The axis keeps the order and the ends of all times, but folds long stretches in which nothing was found: a stretch of
length t takes room in proportion to log(1 + t / 1 hour). Its ticks say what lies where. Colours are middle tones that
show on light and on dark ground; words take the colour of the text around the picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from itertools import accumulate, pairwise
from math import log1p
from typing import TYPE_CHECKING, NamedTuple

from timewalk.recall.places import Place, dated, place, window_words
from timewalk.recall.words import headline, plain, when

if TYPE_CHECKING:
    from timewalk.recall.hits import Hit, Hits, Step

_WIDTH, _AXIS_LEFT, _AXIS_RIGHT, _TEXT = 960, 44, 430, 458
_ROW, _TOP, _FOOT = 30, 58, 14
_TICK_ROOM = 74
_HEADLINE, _TITLE = 64, 300
_BACK = {"caused_by": "causes", "enabled_by": "enables", "prevented_by": "prevents", "followed_by": "follows"}
_KINDS = {"causes": "cause", "enables": "cause", "prevents": "cause", "follows": "thread", "temporal": "thread"}
_LEGEND = {"cause": "cause → consequence", "thread": "earlier → later", "other": "other link"}
_FINE = 3 * 86_400  # seconds up to which ticks tell hours
_STYLE = """
.timewalk-story{font-family:system-ui,sans-serif}
.timewalk-story text{fill:currentColor;font-size:12px}
.timewalk-story .faint{opacity:.65;font-size:11px}
.timewalk-story .grid{stroke:currentColor;stroke-width:1;opacity:.18}
.timewalk-story .window{fill:#d9a400;opacity:.16}
.timewalk-story .edge{stroke:#b98a00;stroke-width:1}
.timewalk-story .before{fill:#2b8fb3}.timewalk-story .inside{fill:#c28a00}
.timewalk-story .after{fill:#b3529c}.timewalk-story .undated{fill:#888888}
.timewalk-story .link{fill:none;stroke-width:1.6}
.timewalk-story .cause{stroke:#d1495b}.timewalk-story .thread{stroke:#7a8a99}.timewalk-story .other{stroke:#5b8c5a}
.timewalk-story .arrow-cause{fill:#d1495b}.timewalk-story .arrow-thread{fill:#7a8a99}
.timewalk-story .arrow-other{fill:#5b8c5a}
"""


class _Dot(NamedTuple):
    """A hit on the picture: where it begins and ends on the axis, None without a date, and its row's height."""

    hit: Hit
    left: float | None
    right: float | None
    y: float
    place: Place


class _Axis:
    """Places on the axis for the times of a story, in seconds; `times` are all that must be told apart."""

    def __init__(self, times: Sequence[datetime], left: float, right: float) -> None:
        self._times = sorted(set(times))
        stretches = [log1p((second - first).total_seconds() / 3600) for first, second in pairwise(self._times)]
        room = [*accumulate(stretches, initial=0.0)][: len(self._times)]
        scale = (right - left) / room[-1] if len(room) > 1 else 0.0
        middle = (left + right) / 2
        self._x = {time: left + scale * far if scale else middle for time, far in zip(self._times, room, strict=True)}

    def x(self, time: datetime) -> float:
        return self._x[time]

    def label(self, time: datetime) -> str:
        """A time as a tick tells it: the day, and the minute where all lies within a few days."""
        fine = (self._times[-1] - self._times[0]).total_seconds() <= _FINE
        return f"{time:%m-%d %H:%M}" if fine else when(time)[:10]

    def ticks(self, first: Sequence[datetime]) -> Iterator[tuple[float, datetime]]:
        """Times that have room for a label, those in `first` before others."""
        taken: list[float] = []
        ends = self._times[:1] + self._times[-1:]
        for time in [*first, *ends, *self._times]:
            x = self._x[time]
            if all(abs(x - other) >= _TICK_ROOM for other in taken):
                taken.append(x)
                yield x, time


def svg(hits: Hits) -> str:
    """The story as an SVG image, complete in itself."""
    window = hits.window
    edges = [time for time in (window.start, window.end) if time is not None] if window is not None else []
    ordered = sorted(hits, key=_order)
    times = edges + [time for hit in ordered for time in _span(hit)]
    axis = _Axis(times, _AXIS_LEFT, _AXIS_RIGHT)
    dots = [_dot(hit, axis, _TOP + _ROW * (number + 0.5), hits) for number, hit in enumerate(ordered)]
    links = list(_links(dots))
    height = _TOP + _ROW * max(len(dots), 1) + _FOOT
    label = escape(f"The story found for: {plain(hits.query) or '(no question)'}", quote=True)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="timewalk-story" role="img" aria-label="{label}" '
        f'viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}">',
        f"<style>{_STYLE}</style>",
        *_arrowheads(),
        *_frame(hits, axis, edges, height),
        *_legend(links),
        *(link for _, link in links),
        *(_row(dot, rank) for dot, rank in zip(dots, _ranks(hits, ordered), strict=True)),
    ]
    if not dots:
        parts.append(f'<text x="{_TEXT}" y="{_TOP + _ROW / 2 + 4}">nothing found</text>')
    return _shown("\n".join([*parts, "</svg>"]))


def _order(hit: Hit) -> tuple[bool, datetime | None, str]:
    return (hit.when is None, hit.when, hit.id)


def _span(hit: Hit) -> tuple[datetime, ...]:
    start, end = hit.when, hit.occurred_end if hit.occurred_start is not None else None
    if start is None:
        return ()
    return (start,) if end is None or end <= start else (start, end)


def _ranks(hits: Hits, ordered: Sequence[Hit]) -> list[int]:
    ranks = {hit.id: rank for rank, hit in enumerate(hits, 1)}
    return [ranks[hit.id] for hit in ordered]


def _dot(hit: Hit, axis: _Axis, y: float, hits: Hits) -> _Dot:
    span = _span(hit)
    left, right = (axis.x(span[0]), axis.x(span[-1])) if span else (None, None)
    return _Dot(hit, left, right, y, place(hit, hits.window))


def _frame(hits: Hits, axis: _Axis, edges: Sequence[datetime], height: float) -> Iterator[str]:
    """The window as a band, ticks with dates, and the words above."""
    window, foot = hits.window, height - _FOOT
    if window is not None:
        left = _AXIS_LEFT - 14 if window.start is None else axis.x(window.start)
        right = _AXIS_RIGHT + 14 if window.end is None else axis.x(window.end)
        yield f'<rect class="window" x="{left:.1f}" y="{_TOP}" width="{right - left:.1f}" height="{foot - _TOP:.1f}"/>'
        for edge in edges:
            x = axis.x(edge)
            yield f'<line class="edge" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{foot:.1f}"/>'
    yield f'<text x="{_AXIS_LEFT - 30}" y="18" class="faint">window: {escape(window_words(window))}</text>'
    for x, time in axis.ticks(edges):
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 8}" y2="{foot:.1f}"/>'
        yield f'<text x="{x:.1f}" y="{_TOP - 14}" text-anchor="middle" class="faint">{axis.label(time)}</text>'


def _row(dot: _Dot, rank: int) -> str:
    hit = dot.hit
    title = hit.metadata.get("title")
    text = f"{title}. {hit.text}" if isinstance(title, str) and plain(title) else hit.text
    about = escape(f"{headline(text, _TITLE)}\n\n{hit.id}\n{hit.why()}")
    mark = ""
    if dot.left is not None and dot.right is not None:
        mark = f'<circle class="{dot.place}" cx="{dot.left:.1f}" cy="{dot.y:.1f}" r="5"/>'
        if dot.right > dot.left:
            mark = (
                f'<rect class="{dot.place}" x="{dot.left:.1f}" y="{dot.y - 2.5:.1f}" rx="2.5" height="5" '
                f'width="{dot.right - dot.left:.1f}" opacity="0.55"/>{mark}'
            )
    else:
        mark = f'<text x="{_AXIS_LEFT - 30}" y="{dot.y + 4:.1f}" class="faint">undated</text>'
    words = (
        f'<text x="{_TEXT}" y="{dot.y - 1:.1f}">{escape(headline(text, _HEADLINE))}</text>'
        f'<text x="{_TEXT}" y="{dot.y + 12:.1f}" class="faint">[{rank}] {escape(dated(hit))}'
        f"{escape(_how(hit))}</text>"
    )
    return f"<g><title>{about}</title>{mark}{words}</g>"


def _how(hit: Hit) -> str:
    if not hit.path:
        return ""
    step = hit.path[-1]
    return f" · {step.relation} ← {headline(step.source, 40)}"


def _legend(links: Sequence[tuple[str, str]]) -> Iterator[str]:
    """What the colours of the arrows mean, of those that are there."""
    x = _TEXT
    for kind in _LEGEND:
        if any(kind == other for other, _ in links):
            yield f'<path class="link {kind}" marker-end="url(#timewalk-{kind})" d="M{x} 14H{x + 26}"/>'
            yield f'<text x="{x + 36}" y="18" class="faint">{_LEGEND[kind]}</text>'
            x += 170


def _links(dots: Sequence[_Dot]) -> Iterator[tuple[str, str]]:
    """Each step of a path once, by kind: an arrow from cause to consequence, or from earlier to later in a thread."""
    places = {dot.hit.id: dot for dot in dots}
    seen: set[tuple[str, str, str]] = set()
    for dot in dots:
        for step in dot.hit.path:
            source, target, relation = _forward(step)
            ends = places.get(source), places.get(target)
            if (source, target, relation) in seen or ends[0] is None or ends[1] is None:
                continue
            seen.add((source, target, relation))
            kind = _KINDS.get(relation, "other")
            yield kind, _link(ends[0], ends[1], kind, relation, step.weight)


def _forward(step: Step) -> tuple[str, str, str]:
    if step.relation in _BACK:
        return step.target, step.source, _BACK[step.relation]
    return step.source, step.target, step.relation


def _link(start: _Dot, end: _Dot, kind: str, relation: str, weight: float) -> str:
    x1, x2 = (_AXIS_LEFT if dot.left is None else dot.left for dot in (start, end))
    down = 1 if end.y > start.y else -1
    y1, y2 = start.y + 6 * down, end.y - 9 * down
    # The further apart two rows are, the further the curve leans out, so that links do not lie on each other.
    lean = min(18 + abs(y2 - y1) / 6, 60)
    bend = max(x1, x2) + lean if start.y < end.y else min(x1, x2) - lean
    title = f"{headline(start.hit.id, 80)} {relation} {headline(end.hit.id, 80)}, weight {weight:.2g}"
    return (
        f'<path class="link {kind}" marker-end="url(#timewalk-{kind})" '
        f'd="M{x1:.1f} {y1:.1f} C{bend:.1f} {y1 + 8 * down:.1f} {bend:.1f} {y2 - 8 * down:.1f} {x2:.1f} {y2:.1f}">'
        f"<title>{escape(title)}</title></path>"
    )


def _arrowheads() -> Iterator[str]:
    yield "<defs>"
    for kind in ("cause", "thread", "other"):
        yield (
            f'<marker id="timewalk-{kind}" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="6" markerHeight="6" '
            f'orient="auto"><path class="arrow-{kind}" d="M0 0L8 4L0 8z"/></marker>'
        )
    yield "</defs>"


def _shown(text: str) -> str:
    """Text without the characters that XML does not allow, line breaks kept."""
    return "".join(c for c in text if c in "\n\t" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe"))
