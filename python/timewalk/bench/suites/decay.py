"""Decay formulas against values computed with many digits, and their speed against the same formulas in numpy.

decay/truth_*.jsonl: kind, inputs and truth (a decimal string). A row whose ages fall between microseconds has no time
column that says the same, and is left out; so is one whose limit is not finite: timewalk has a null there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from timewalk.bench.data import Row, find, formed, picked, read_lines
from timewalk.bench.results import OURS, Part
from timewalk.bench.suites.base import Setting, Suite
from timewalk.decay import actr, ebbinghaus, exp, gauss, half_life, linear, power_law
from timewalk.times import to_micros

_NOW = datetime(2026, 1, 1, tzinfo=UTC)
_MICROS = to_micros(_NOW)
_STAMP = pa.timestamp("us", tz="UTC")
_MICROSECOND = 1e-6
_CLOSE = 1e-13
_SHAPES: dict[str, Callable[..., pa.Array]] = {"gauss_decay": gauss, "exp_decay": exp, "linear_decay": linear}
_ROWS = 1_000_000
_REPEATS = 5


def error(row: Row) -> float | None:
    """The relative error of a row, the absolute one where the truth is 0; None where it is left out."""
    truth = float(row["truth"])
    if row["kind"] in ("half_life", "ebbinghaus") and row["inputs"]["age_s"] < 0:
        truth = 1.0  # what lies in the future has age 0
    if not math.isfinite(truth):
        return None
    got = _weight(row["kind"], row["inputs"])
    if got is None:
        return None
    return abs(got - truth) / (abs(truth) or 1.0)


def _weight(kind: str, given: dict[str, Any]) -> float | None:
    if kind in _SHAPES:
        options = {name: given[name] for name in ("scale", "offset", "decay")}
        return _first(_SHAPES[kind]([given["distance"]], origin=0.0, **options))
    if kind == "half_life":
        return _aged(given["age_s"], lambda times: half_life(times, now=_NOW, half_life=given["half_life_s"]))
    if kind == "ebbinghaus":
        return _aged(given["age_s"], lambda times: ebbinghaus(times, now=_NOW, strength=given["strength_s"]))
    if kind == "fsrs_retrievability":
        stability, decay = given["stability_days"] * 86_400, -given["decay"]
        return _aged(
            given["elapsed_days"] * 86_400, lambda times: power_law(times, now=_NOW, stability=stability, decay=decay)
        )
    if kind == "bll_exact":
        return _actr(given["ages_s"], given["d"], {})
    recent = given.get("recent_ages_s", [])
    older = given["older_count"] if "older_count" in given else given["n"]
    created = _stamps([given["lifetime_s"]])
    if created is None:
        return None
    options = {"historical_count": [len(recent) + older], "created_at": pa.array(created, _STAMP)}
    return _actr(recent, given["d"], options)


def _actr(ages: Sequence[float], decay: float, options: dict[str, Any]) -> float | None:
    recent = _stamps(ages)
    if recent is None:
        return None
    column = pa.array([recent], pa.list_(_STAMP))
    return _first(actr(column, now=_NOW, decay=decay, min_age=_MICROSECOND, **options))


def _aged(age: float, weigh: Callable[[pa.Array], pa.Array]) -> float | None:
    stamps = _stamps([age])
    return None if stamps is None else _first(weigh(pa.array(stamps, _STAMP)))


def _stamps(ages: Sequence[float]) -> list[int] | None:
    micros = [round(age * 1e6) for age in ages]
    if any(abs(count - age * 1e6) > 1e-4 for count, age in zip(micros, ages, strict=True)):
        return None
    return [_MICROS - count for count in micros]


def _first(column: pa.Array) -> float | None:
    value = column[0].as_py()
    return None if value is None else float(value)


def _speed() -> dict[str, float | None]:
    """One thread against numpy in place: ages into a buffer that is there already, each step writing to it."""
    times = _MICROS - np.random.default_rng(0).integers(10**6, 10**14, _ROWS)
    column, buffer, span = pa.array(times, _STAMP), np.empty(_ROWS), 30 * 86_400.0

    def numpy_half_life() -> None:
        np.subtract(_MICROS, times, out=buffer, casting="unsafe")
        np.multiply(buffer, -1e-6 / span, out=buffer)
        np.exp2(buffer, out=buffer)

    lists = pa.ListArray.from_arrays(np.arange(0, _ROWS + 1, 10, dtype=np.int32), column)
    starts = np.arange(0, _ROWS, 10)

    def numpy_actr() -> None:
        np.subtract(_MICROS, times, out=buffer, casting="unsafe")
        np.multiply(buffer, 1e-6, out=buffer)
        np.power(buffer, -0.5, out=buffer)
        np.log(np.add.reduceat(buffer, starts))

    ours = _best(lambda: half_life(column, now=_NOW, half_life=span, threads=1))
    theirs = _best(numpy_half_life)
    ours_actr, theirs_actr = _best(lambda: actr(lists, now=_NOW, threads=1)), _best(numpy_actr)
    return {
        f"half-life of {_ROWS:,} rows on one thread, ms": ours,
        "the same in numpy, ms": theirs,
        "half-life, times as fast as numpy": theirs / ours,
        f"ACT-R of {_ROWS // 10:,} rows of ten on one thread, ms": ours_actr,
        "ACT-R in numpy, ms": theirs_actr,
        "ACT-R, times as fast as numpy": theirs_actr / ours_actr,
    }


def _best(task: Callable[[], object]) -> float:
    taken = []
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        task()
        taken.append(time.perf_counter() - begin)
    return min(taken) * 1000


def _part(setting: Setting) -> Part:
    with formed("decay"):
        rows = read_lines(*find(setting.data, "decay", ("truth_*.jsonl",), folder="decay", many=True))
        rows = picked(rows, setting.limit, "decay")
        errors = []
        for number, row in enumerate(rows, 1):
            errors.append(error(row))
            setting.progress("accuracy: weighing", number, len(rows))
        close = [None if found is None else float(found <= _CLOSE) for found in errors]
        return Part(
            name="accuracy",
            measures=["largest relative error", f"within {_CLOSE:.0e}"],
            questions=[str(row["id"]) for row in rows],
            groups=[row["kind"] for row in rows],
            values={OURS: {"largest relative error": list(errors), f"within {_CLOSE:.0e}": list(close)}},
            aggregate={"largest relative error": "max"},
            facts={"rows": len(rows), "left out": sum(found is None for found in errors)},
            timing=_speed(),
        )


SUITE = Suite(
    name="decay",
    about="Decay formulas against values with 80 digits, and against numpy for speed.",
    parts={"accuracy": _part},
    embeds=False,
)
