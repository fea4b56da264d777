"""The tables of a result, as text in cells: for the terminal and for Markdown alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from timewalk.bench.compare import Change
from timewalk.bench.results import OURS, Interval, Part, Result, within
from timewalk.bench.systems import ONLY, WITHOUT

_MOST_GROUPS = 40
_PER_PART = 3  # systems of a comparison that are named beside timewalk


@dataclass
class Sheet:
    """A table: the first column is text, the others are numbers. `strong` are the rows that stand out."""

    title: str
    header: list[str]
    rows: list[list[str]]
    strong: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)


def of_part(part: Part) -> list[Sheet]:
    """A part's tables: its systems, if there are several, and its kinds of question, if there are several."""
    sheets = [_systems(part)] if len(part.values) > 1 else []
    groups = group_names(part)
    if len(groups) > 1 or not sheets:
        sheets.append(_groups(part, groups) if sheets else _alone(part, groups))
    sheets[-1].notes = [line for line in (facts(part), times(part)) if line]
    return sheets


def group_names(part: Part) -> list[str]:
    """Kinds of question; of one such as "de/point" the whole, "de", comes first."""
    names = set(part.groups) - {""}
    wholes = {name.partition("/")[0] for name in names if "/" in name}
    return sorted(names | wholes, key=lambda name: name.split("/"))[:_MOST_GROUPS]


def number(value: float | None) -> str:
    """Three digits, or a dash where there is no value."""
    if value is None or math.isnan(value):
        return "–"
    return f"{value:.3f}" if value == 0 or abs(value) >= 5e-4 else f"{value:.1e}"


def signed(interval: Interval) -> str:
    """A difference with its interval; a star says that 0 lies outside."""
    if math.isnan(interval.mean):
        return "–"
    if math.isnan(interval.low):
        return _sign(interval.mean)
    star = " *" if interval.clear else ""
    return f"{_sign(interval.mean)} ({_sign(interval.low)}, {_sign(interval.high)}){star}"


def _sign(value: float) -> str:
    if 0 < abs(value) < 5e-4:
        return f"{value:+.1e}".replace("-", "−")
    # Rounded first, so that nothing is a negative zero.
    return f"{round(value, 3) + 0.0:+.3f}".replace("-", "−")


def spanned(interval: Interval) -> str:
    """A value with its interval."""
    if math.isnan(interval.low):
        return number(interval.mean)
    return f"{number(interval.mean)} ({number(interval.low)}–{number(interval.high)})"


def millis(value: float | None) -> str:
    """Milliseconds with as many digits as say something."""
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _systems(part: Part) -> Sheet:
    first, rest = part.measures[0], part.measures[1:]
    summary, less = part.summary(), part.differences(first)
    rows = []
    for system in part.systems:
        row = [system, spanned(summary[system][first]), *(number(summary[system][name].mean) for name in rest)]
        row.append(signed(less[system]) if system in less else "")
        row.append(millis(part.millis.get(system)))
        rows.append(row)
    header = ["", first, *rest, "against timewalk", "ms"]
    return Sheet(f"{part.name}: {_count(part)}", header, rows, strong={part.systems.index(OURS)})


def _groups(part: Part, groups: Sequence[str]) -> Sheet:
    systems = [name for name in part.systems if not name.startswith((ONLY, WITHOUT))]
    first = part.measures[0]
    rows = []
    for group in groups:
        summary = part.summary(group)
        rows.append([group, f"{_size(part, group):,}", *(number(summary[name][first].mean) for name in systems)])
    return Sheet(f"{part.name}: {first} by kind of question", ["", "n", *systems], rows)


def _alone(part: Part, groups: Sequence[str]) -> Sheet:
    rows = []
    for group in ["", *groups]:
        summary = part.summary(group or None)[part.systems[0]]
        size = _size(part, group) if group else len(part.questions)
        # Intervals of the whole only: there they say most, and the rows stay short.
        shown = [number(summary[name].mean) if group else spanned(summary[name]) for name in part.measures]
        rows.append([group or "all", f"{size:,}", *shown])
    return Sheet(part.name, ["", "n", *part.measures], rows, strong={0})


def _size(part: Part, group: str) -> int:
    return sum(within(name, group) for name in part.groups)


def _count(part: Part) -> str:
    stores = f" in {part.facts['stores']} stores" if "stores" in part.facts else ""
    return f"{len(part.questions):,} questions, {part.facts['memories']:,} memories{stores}"


def facts(part: Part) -> str:
    """What else is known of a part and comes out the same on every run."""
    known = {"questions", "memories", "stores", "expressions", "rows"}
    return "; ".join(f"{name}: {_plain(value)}" for name, value in part.facts.items() if name not in known)


def times(part: Part) -> str:
    """What the clock and the system's memory said."""
    return "; ".join(f"{name}: {_plain(value)}" for name, value in part.timing.items() if value is not None)


def _plain(value: float | int | str) -> str:
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else value


def embedder(result: Result) -> str:
    """The embedder of a run, without its model."""
    return str(result.setting.get("embedder", "none")).partition(":")[0]


def overview(results: Iterable[Result]) -> Sheet:
    """One line a part: every baseline, and timewalk with its interval."""
    baselines = ("BM25", "vectors", "rank fusion", "date filter", "published walk")
    rows = []
    for result in results:
        for part in result.parts:
            if len(part.values) < 2:
                continue
            first = part.measures[0]
            summary = part.summary()
            rows.append(
                [
                    f"{result.suite}, {part.name}",
                    embedder(result),
                    first,
                    *(number(summary[name][first].mean) if name in summary else "–" for name in baselines),
                    f"**{number(summary[OURS][first].mean)}** "
                    f"({number(summary[OURS][first].low)}–{number(summary[OURS][first].high)})",
                    millis(part.millis.get(OURS)),
                ]
            )
    return Sheet("Overview", ["suite", "embedder", "measure", *baselines, "timewalk", "ms"], rows)


def arms(results: Iterable[Result]) -> Sheet:
    """What each arm adds to each part's first measure, timewalk less timewalk without it; and which do clearly."""
    names: dict[str, None] = {}
    lines: list[tuple[str, dict[str, Interval]]] = []
    for result in results:
        for part in result.parts:
            gains = {
                system.removeprefix(WITHOUT): Interval(-less.mean, -less.high, -less.low)
                for system, less in part.differences(part.measures[0]).items()
                if system.startswith(WITHOUT)
            }
            if gains:
                names.update(dict.fromkeys(gains))
                lines.append((f"{result.suite}, {part.name}, {embedder(result)}", gains))
    rows = [[title, *(_gain(gains.get(name)) for name in names)] for title, gains in lines]
    sheet = Sheet("What each arm adds to the first measure", ["", *names], rows)
    for name in names:
        helps = [title for title, gains in lines if name in gains and gains[name].low > 0]
        harms = [title for title, gains in lines if name in gains and gains[name].high < 0]
        told = f"`{name}` clearly helps in {len(helps)} of {len(lines)}"
        if not helps:
            told = f"`{name}` earns its place nowhere here: no clear gain in any of {len(lines)}"
        if harms:
            told += f", and clearly harms in {len(harms)} ({'; '.join(harms)})"
        sheet.notes.append(told)
    return sheet


def _gain(interval: Interval | None) -> str:
    if interval is None or math.isnan(interval.mean):
        return "–"
    return f"{_sign(interval.mean)}{' *' if interval.clear else ''}"


def changes(found: Sequence[Change], *, everything: bool = False) -> Sheet:
    """A comparison; of timewalk alone unless `everything` is asked for."""
    kept = [change for change in found if everything or change.system == OURS] or list(found)
    rows = [
        [
            f"{change.part}, {change.system}, {change.measure}",
            f"{change.questions:,}",
            number(change.before),
            number(change.after),
            signed(change.difference),
        ]
        for change in kept
    ]
    return Sheet("Changes", ["", "n", "before", "now", "difference"], rows)
