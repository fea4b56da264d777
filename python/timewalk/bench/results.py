"""What a run gives: every question's value for every system, from which means, intervals and differences follow."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from timewalk.bench.bootstrap import intervals
from timewalk.errors import FileFormatError
from timewalk.files import unreadable

OURS = "timewalk"
"""The system that the others are measured against."""

FORMAT = "timewalk-bench/1"
_DIGITS = 9

Values = dict[str, dict[str, list[float | None]]]
"""By system and measure, a value for each question; None where a question does not count."""

Aggregate = Literal["mean", "max"]


class Interval(NamedTuple):
    """A mean, and where it lies in 95 of 100 resamples of the questions; NaN where there is no value."""

    mean: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether 0 lies outside."""
        return self.low > 0 or self.high < 0


@dataclass
class Part:
    """One part of a suite: its questions, and what each system made of them.

    `facts` are counts and shares that come out the same on every run; `timing` is what a clock or the system's memory
    said and does not. `millis` is the median time a question by system.
    """

    name: str
    measures: list[str]
    questions: list[str]
    groups: list[str]
    values: Values
    aggregate: dict[str, Aggregate] = field(default_factory=dict)
    facts: dict[str, float | int | str] = field(default_factory=dict)
    millis: dict[str, float] = field(default_factory=dict)
    timing: dict[str, float | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Rounded before anything is worked out of them, so that a result means the same once it was written.
        self.values = _rounded(self.values)

    @property
    def systems(self) -> list[str]:
        """The systems, timewalk first."""
        return list(self.values)

    def summary(self, group: str | None = None) -> dict[str, dict[str, Interval]]:
        """By system and measure, the mean with its interval; of one group of questions if that is given."""
        rows = [n for n, name in enumerate(self.groups) if group is None or within(name, group)]
        out: dict[str, dict[str, Interval]] = {system: {} for system in self.values}
        for measure in self.measures:
            table = _table([self.values[system][measure] for system in self.values], rows)
            if self.aggregate.get(measure) == "max":
                for system, column in zip(self.values, table.T, strict=True):
                    most = float(np.nanmax(column)) if len(column) and not np.isnan(column).all() else math.nan
                    out[system][measure] = Interval(most, math.nan, math.nan)
                continue
            for system, row in zip(self.values, intervals(table), strict=True):
                out[system][measure] = Interval(*row.tolist())
        return out

    def differences(self, measure: str) -> dict[str, Interval]:
        """By system, its value less timewalk's, paired by question."""
        if OURS not in self.values or self.aggregate.get(measure) == "max":
            return {}
        others = [system for system in self.values if system != OURS]
        table = _table([self.values[system][measure] for system in (OURS, *others)], range(len(self.questions)))
        found = intervals(table[:, 1:] - table[:, :1])
        return {system: Interval(*row.tolist()) for system, row in zip(others, found, strict=True)}


@dataclass
class Result:
    """A run of one suite. `setting` is what was asked for, `platform` what it ran on."""

    suite: str
    about: str
    setting: dict[str, Any]
    platform: dict[str, Any]
    parts: list[Part]

    def to_json(self) -> str:
        """The whole result, with the means and intervals beside the values that they come from."""
        parts = []
        for part in self.parts:
            summary = {
                system: {measure: _plain(interval) for measure, interval in by_measure.items()}
                for system, by_measure in part.summary().items()
            }
            differences = {
                measure: {system: _plain(interval) for system, interval in part.differences(measure).items()}
                for measure in part.measures
            }
            parts.append({**asdict(part), "summary": summary, "less_timewalk": differences})
        whole = {
            "format": FORMAT,
            "suite": self.suite,
            "about": self.about,
            "setting": self.setting,
            "platform": self.platform,
            "parts": parts,
        }
        return json.dumps(_rounded(whole), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str, source: str = "the text") -> Result:
        """Reads what `to_json` wrote; raises `FileFormatError` for anything else."""
        try:
            whole = json.loads(text)
            if not isinstance(whole, Mapping) or whole.get("format") != FORMAT:
                raise FileFormatError(f"{source} is not a result of `timewalk bench … --json` (format {FORMAT})")
            names = Part.__dataclass_fields__
            parts = [Part(**{name: part[name] for name in names}) for part in whole["parts"]]
            return cls(whole["suite"], whole["about"], whole["setting"], whole["platform"], parts)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, FileFormatError):
                raise
            raise FileFormatError(f"{source} is not a result of `timewalk bench … --json`: {error}") from error

    @classmethod
    def read(cls, path: Path) -> Result:
        """Reads a file that `timewalk bench … --json` wrote."""
        try:
            text = path.read_text(encoding="utf-8")
        except OSError as error:
            raise unreadable(path, error) from error
        except UnicodeDecodeError as error:
            raise FileFormatError(f"{path} is not a result of `timewalk bench … --json`: {error}") from error
        return cls.from_json(text, str(path))


def within(name: str, group: str) -> bool:
    """Whether a kind of question, such as "de/point", is of a group, such as "de"."""
    return name == group or name.startswith(f"{group}/")


def _table(columns: Sequence[Sequence[float | None]], rows: Sequence[int] | range) -> Any:
    return np.asarray(
        [[math.nan if (value := column[row]) is None else value for column in columns] for row in rows], np.float64
    ).reshape(len(rows), len(columns))


def _plain(interval: Interval) -> dict[str, float | None]:
    return {name: None if math.isnan(value) else value for name, value in interval._asdict().items()}


def _rounded(value: Any) -> Any:
    """Digits that the last bits of a sum cannot reach."""
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.{_DIGITS}g}")
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(item) for item in value]
    return value
