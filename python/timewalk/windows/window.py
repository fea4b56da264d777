"""The window that a text speaks of."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from timewalk.times import from_micros, to_micros

MIN_MICROS = -(2**63)
MAX_MICROS = 2**63 - 1

_DAY = 86_400_000_000
_CYCLE = 146_097 * _DAY  # 400 years of the Gregorian calendar, after which it repeats
_FIRST = -719_162 * _DAY  # 1 January of the year 1
_LAST = 2_932_897 * _DAY  # 1 January of the year 10000


@dataclass(frozen=True, slots=True)
class Window:
    """A half-open range of time [start, end) in UTC.

    `start` and `end` are aware datetimes, None where the text leaves that end open. `grain` says how finely it was
    said: "second", "minute", "hour", "part of day", "day", "weekend", "week", "fortnight", "month", "quarter",
    "season", "half", "year", "decade", "century". `span` holds the characters it was read from, `text` those
    characters; `margin` is what a word such as "around" added to both ends. `anchor` is the id of the memory that the
    window hangs on, if it hangs on one.

    Datetimes end at the years 1 and 9999; `start_micros` and `end_micros` go further (microseconds since the epoch,
    `MIN_MICROS` and `MAX_MICROS` where the window is open). `clipped` says that `start` or `end` could not hold the
    time; `str()` shows it whole, with the years of ISO 8601 (44 BC is -0043).
    """

    start: datetime | None
    end: datetime | None
    grain: str
    span: tuple[int, int]
    text: str = ""
    margin: timedelta = timedelta(0)
    anchor: str | None = None
    start_micros: int = field(default=MIN_MICROS, repr=False)
    end_micros: int = field(default=MAX_MICROS, repr=False)

    def __post_init__(self) -> None:
        # Made from datetimes alone, a window must not be taken for an open one.
        if self.start is not None and self.start_micros == MIN_MICROS:
            object.__setattr__(self, "start_micros", to_micros(self.start))
        if self.end is not None and self.end_micros == MAX_MICROS:
            object.__setattr__(self, "end_micros", to_micros(self.end))

    @classmethod
    def from_micros(
        cls,
        start: int | None,
        end: int | None,
        *,
        grain: str = "second",
        span: tuple[int, int] = (0, 0),
        text: str = "",
        margin: int = 0,
        anchor: str | None = None,
    ) -> Window:
        """A window from microseconds since the epoch, None for an open end."""
        return cls(
            start=None if start is None else from_micros(start),
            end=None if end is None else from_micros(end),
            grain=grain,
            span=span,
            text=text,
            margin=timedelta(microseconds=margin),
            anchor=anchor,
            start_micros=MIN_MICROS if start is None else start,
            end_micros=MAX_MICROS if end is None else end,
        )

    @property
    def clipped(self) -> bool:
        """Whether an end that is not open lies outside the years that a datetime can have."""
        return (self.start is not None and not _FIRST <= self.start_micros < _LAST) or (
            self.end is not None and not _FIRST <= self.end_micros < _LAST
        )

    def __str__(self) -> str:
        start = "…" if self.start is None else iso(self.start_micros)
        end = "…" if self.end is None else iso(self.end_micros)
        return f"[{start}, {end}) {self.grain}"


def iso(micros: int) -> str:
    """ISO 8601 of microseconds since the epoch, UTC, also of years that a datetime does not have."""
    if _FIRST <= micros < _LAST:
        return from_micros(micros).isoformat()
    cycles = (micros - _FIRST) // _CYCLE
    year, rest = from_micros(micros - cycles * _CYCLE).isoformat().split("-", 1)
    there = int(year) + 400 * cycles
    return f"{'-' if there < 0 else '+' * (there > 9999)}{abs(there):04}-{rest}"
