"""Windows read from text, against suites of time expressions, and windows that hang on an event in the store.

time_windows*.jsonl: text, span (the expression alone), reference, start, end (half-open), alts (further readings),
grain, kind, source, and lang where it is not English; rows of kind `open` and with `anchor_semantics` are not scored.
story/anchored_*.jsonl: text, reference, anchor (id of an event), start, end, tolerance_days, asked of a store that
holds all of story/events.jsonl.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import datetime

from timewalk.bench.data import Row, find, formed, picked, read_lines
from timewalk.bench.results import OURS, Part
from timewalk.bench.suites import story
from timewalk.bench.suites.base import Setting, Suite
from timewalk.memory import Memory
from timewalk.times import to_micros
from timewalk.windows import Window, find_window

_FINE = ("second", "minute", "hour")
_DAY = 86_400_000_000
_FIELDS = ("text", "span")


def scored(row: Row, window: Window | None) -> tuple[bool, bool]:
    """Whether the start lies on the right day, and whether both ends are right: to the minute where the grain is finer
    than a day, else to the day."""
    if window is None or window.start is None:
        return False, False
    begins = window.start.replace(tzinfo=None)
    ends = None if window.end is None else window.end.replace(tzinfo=None)

    def cut(moment: datetime) -> datetime:
        moment = moment.replace(second=0, microsecond=0)
        return moment if row["grain"] in _FINE else moment.replace(hour=0, minute=0)

    start = exact = False
    for first, last in row["alts"] or [(row["start"], row["end"])]:
        if first is None or last is None:
            continue
        start |= begins.date() == _moment(first).date()
        exact |= ends is not None and cut(begins) == cut(_moment(first)) and cut(ends) == cut(_moment(last))
    return start, exact


def _moment(text: str) -> datetime:
    year, rest = text.split("-", 1)
    return datetime.fromisoformat(f"{int(year):04}-{rest}")


def _read(row: Row, field: str) -> Window | None:
    return find_window(
        row[field],
        now=row["reference"],
        prefer="future" if row["source"] == "duckling" else "past",
        locale=row.get("lang", "en"),
    )


def _expressions(name: str, pattern: tuple[str, ...]) -> Callable[[Setting], Part]:
    def part(setting: Setting) -> Part:
        with formed("windows"):
            rows = read_lines(*find(setting.data, "windows", pattern, many=True))
            rows = [row for row in rows if row["kind"] != "open" and not row.get("anchor_semantics")]
            rows = [row for row in rows if ("lang" in row) == (name == "languages")]
            rows = picked(rows, setting.limit, "windows")
            measures = [f"{what}, {field}" for field in _FIELDS for what in ("exact", "start")]
            values: dict[str, list[float | None]] = {measure: [] for measure in measures}
            seconds = []
            for number, row in enumerate(rows, 1):
                for field in _FIELDS:
                    begin = time.perf_counter()
                    window = _read(row, field)
                    seconds.append(time.perf_counter() - begin)
                    start, exact = scored(row, window)
                    values[f"exact, {field}"].append(float(exact))
                    values[f"start, {field}"].append(float(start))
                setting.progress(f"{name}: reading", number, len(rows))
            return Part(
                name=name,
                measures=measures,
                questions=[str(row["id"]) for row in rows],
                groups=[f"{row.get('lang') or row['source']}/{row['kind']}" for row in rows],
                values={OURS: values},
                facts={"expressions": len(rows)},
                timing={"median time a text, µs": statistics.median(seconds) * 1e6 if seconds else None},
            )

    return part


def _anchored(setting: Setting) -> Part:
    with formed("windows"):
        events = story.events(setting, "windows")
        rows = read_lines(*find(setting.data, "windows", ("anchored_*.jsonl",), folder=story.FOLDER, many=True))
        rows = picked(rows, setting.limit, "windows")
        values: dict[str, list[float | None]] = {"window right": [], "anchor right": []}
        with Memory(embedder=setting.embedder) as memory:
            memory.add(
                events,
                now="2024-01-01",
                progress=lambda done, total: setting.progress("anchored: storing", done, total),
            )
            for number, row in enumerate(rows, 1):
                window = memory.recall(row["text"], now=row["reference"]).window
                near = row["tolerance_days"] * _DAY
                values["anchor right"].append(float(window is not None and window.anchor == row["anchor"]))
                values["window right"].append(
                    float(
                        window is not None
                        and window.start is not None
                        and window.end is not None
                        and abs(window.start_micros - to_micros(row["start"])) <= near
                        and abs(window.end_micros - to_micros(row["end"])) <= near
                    )
                )
                setting.progress("anchored: asking", number, len(rows))
    return Part(
        name="anchored",
        measures=list(values),
        questions=[str(row["id"]) for row in rows],
        groups=["" for _ in rows],
        values={OURS: values},
        facts={"questions": len(rows), "memories": len(events)},
    )


SUITE = Suite(
    name="windows",
    about="Time expressions and the windows that they mean. exact: start and end are those of one reading, to the day, "
    "to the minute where the grain is finer; start: the right day; of the whole text, and of the expression alone. "
    "anchored: questions whose time hangs on an event in the store.",
    parts={
        "english": _expressions("english", ("time_windows_*.jsonl", "time_windows*.jsonl")),
        "languages": _expressions("languages", ("time_windows_*.jsonl", "time_windows*.jsonl")),
        "anchored": _anchored,
    },
)
