"""What a recall may be told, once for all ways in, and the same checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from math import isfinite
from numbers import Integral, Real
from typing import Any, cast

from timewalk.decay import Engine
from timewalk.errors import InvalidTypeError, InvalidValueError
from timewalk.recall import pipeline
from timewalk.recall.budget import CountTokens, estimate_tokens
from timewalk.recall.filters import FilterOptions, Filters
from timewalk.recall.rerankers import Reranker, resolve
from timewalk.times import TimeLike, from_micros, now_micros, to_micros, zone
from timewalk.windows import Window
from timewalk.windows.find import checked_locale, find_window
from timewalk.windows.foreign import built_in


class RecallOptions(FilterOptions, total=False):
    """Every option of `Memory.recall` but the vector of the question, for `recall_many` and `arecall`."""

    k: int
    now: TimeLike | None
    tz: str | tzinfo
    locale: str
    window: Window | tuple[TimeLike | None, TimeLike | None] | None
    arms: str | Sequence[str] | None
    engine: Engine | Sequence[Engine] | None
    reranker: Reranker | str | None
    diversity: float
    max_tokens: int | None
    count_tokens: CountTokens | None
    explain: bool


@dataclass(frozen=True, slots=True)
class Settings:
    """`RecallOptions`, checked; times in microseconds."""

    k: int
    now: int
    tz: str | tzinfo
    locale: str
    window: Window | None
    filters: Filters
    arms: tuple[str, ...]
    engine: Engine | Sequence[Engine] | None
    reranker: Reranker | None
    diversity: float
    max_tokens: int | None
    count_tokens: CountTokens
    explain: bool

    @classmethod
    def of(cls, options: RecallOptions) -> Settings:
        """Raises `InvalidTypeError` for what is of the wrong type or no option, `InvalidValueError` for the rest."""
        for name in options:
            if name not in RecallOptions.__annotations__:
                raise InvalidTypeError(
                    f"there is no argument {name!r}; the options are {', '.join(RecallOptions.__annotations__)}"
                )
        tz = zone(options.get("tz", "UTC"))
        now = now_micros(options.get("now"), tz=tz)
        filters = {name: value for name, value in options.items() if name in FilterOptions.__annotations__}
        count = options.get("count_tokens")
        return cls(
            k=_whole(options.get("k", 10), "k"),
            now=now,
            tz=tz,
            locale=_known_locale(options.get("locale", "en")),
            window=_window(options.get("window"), tz),
            filters=Filters.of(cast(FilterOptions, filters), now=now, tz=tz),
            arms=pipeline.chosen(options.get("arms")),
            engine=_engine(options.get("engine")),
            reranker=resolve(options.get("reranker")),
            diversity=_share(options.get("diversity", 0.0), "diversity"),
            max_tokens=None if options.get("max_tokens") is None else _whole(options["max_tokens"], "max_tokens"),
            count_tokens=estimate_tokens if count is None else _callable(count, "count_tokens"),
            explain=_flag(options.get("explain", False), "explain"),
        )

    @property
    def whole_pool(self) -> bool:
        """Whether more than the best k must be looked at, since a later step may change which they are."""
        return bool(
            self.engine is not None or self.reranker is not None or self.diversity > 0 or self.max_tokens is not None
        )


def text(value: object, name: str) -> str:
    """A question or text, or `InvalidTypeError`."""
    if not isinstance(value, str):
        raise InvalidTypeError(f"{name} is a string, not {type(value).__name__}")
    return value


def texts(values: object, name: str) -> list[str]:
    """Several questions, or `InvalidTypeError`."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise InvalidTypeError(f"{name} are several strings, not {type(values).__name__}")
    return [text(value, f"{name}[{number}]") for number, value in enumerate(values)]


def vectors(values: Any, count: int) -> list[Any]:
    """One vector a question, or an error that says how many there are."""
    try:
        rows = list(values)
    except TypeError:
        raise InvalidTypeError(f"query_vectors holds one vector a question, not {type(values).__name__}") from None
    if len(rows) != count:
        raise InvalidValueError(f"query_vectors holds one vector for each of {count} questions, not {len(rows)}")
    return rows


def _known_locale(locale: str) -> str:
    if not built_in(checked_locale(locale)):
        # A language that nothing can read is an error here, before a question is asked in vain.
        find_window("", now=from_micros(0), locale=locale)
    return locale


def _whole(value: object, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InvalidTypeError(f"{name} is a whole number, not {type(value).__name__}")
    if value < 1:
        raise InvalidValueError(f"{name} is 1 or more, not {value}")
    return int(value)


def _share(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InvalidTypeError(f"{name} is a number from 0 to 1, not {type(value).__name__}")
    share = float(value)
    if not (isfinite(share) and 0 <= share <= 1):
        raise InvalidValueError(f"{name} is a number from 0 to 1, not {value}")
    return share


def _flag(value: object, name: str) -> bool:
    if not isinstance(value, bool):
        raise InvalidTypeError(f"{name} is True or False, not {type(value).__name__}")
    return value


def _callable(value: Any, name: str) -> Callable[[str], int]:
    if not callable(value):
        raise InvalidTypeError(f"{name} is a callable from a text to its number of tokens, not {type(value).__name__}")
    return cast(Callable[[str], int], value)


def _engine(engine: object) -> Engine | Sequence[Engine] | None:
    if engine is None or isinstance(engine, Engine):
        return engine
    if isinstance(engine, (list, tuple)) and engine and all(isinstance(one, Engine) for one in engine):
        return engine
    raise InvalidTypeError(
        f"an engine is one of timewalk's, such as timewalk.HalfLife(…), or several, not {type(engine).__name__}"
    )


def _window(window: object, tz: str | tzinfo) -> Window | None:
    if window is None or isinstance(window, Window):
        return window
    if not isinstance(window, (tuple, list)) or len(window) != 2:
        raise InvalidTypeError(f"a window is a timewalk.Window or (start, end), not {type(window).__name__}")
    try:
        start, end = (None if time is None else to_micros(cast(TimeLike, time), tz=tz) for time in window)
    except (InvalidTypeError, InvalidValueError) as error:
        raise type(error)(f"window: {error}") from None
    if start is not None and end is not None and end < start:
        raise InvalidValueError("the window ends before it starts; give (start, end) with start first")
    if start is not None and start == end:
        raise InvalidValueError(
            'the window is empty, since its end does not belong to it; for all of 2024 give ("2024", "2025")'
        )
    return Window.from_micros(start, end, grain="given", span=(0, 0))
