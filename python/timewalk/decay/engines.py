"""The decay engines as small frozen objects, for `timewalk.rerank` and for config files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import date, datetime, timedelta
from difflib import get_close_matches
from typing import Any, ClassVar, Protocol, Self, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timewalk import _core
from timewalk.arguments import is_number, number, text, text_or_none
from timewalk.decay.columns import Named, Options, moment, parameter
from timewalk.decay.durations import Duration, seconds
from timewalk.errors import InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.times import TimeLike

_UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Columns(Protocol):
    """The columns of hits, as an engine asks for them; each raises `UnknownIdError` where there is no such column."""

    def __contains__(self, name: str) -> bool:
        """Whether there is such a column."""
        ...

    def times(self, name: str) -> Named:
        """A column of times."""
        ...

    def time_lists(self, name: str) -> Named:
        """A column of lists of times."""
        ...

    def numbers(self, name: str) -> Named:
        """A column of numbers, or of durations."""
        ...


@dataclass(frozen=True, slots=True)
class Column:
    """A parameter that each row brings itself, in a column of the hits.

    `unit` is what numbers in a column of spans are counted in ("s", "m", "h", "d", "ms", "us"); Arrow durations know
    theirs.
    """

    name: str
    unit: str = "s"

    def __post_init__(self) -> None:
        text(self.name, "the name of a column")
        if text(self.unit, "unit") not in _UNITS:
            raise InvalidValueError(f"unknown unit {self.unit!r} of a column of spans; use one of {', '.join(_UNITS)}")

    def read(self, columns: Columns) -> Named:
        """The column, spans in seconds."""
        name, values = columns.numbers(self.name)
        if self.unit != "s":
            values = _flat(values)
            if pa.types.is_duration(values.type):
                return name, values
            values = pc.multiply(pc.cast(values, pa.float64()), _UNITS[self.unit])
        return name, values


Span: TypeAlias = Duration | Column
Number: TypeAlias = float | Column


@dataclass(frozen=True)
class Engine:
    """What all engines have in common."""

    kind: ClassVar[str]
    """Name in config files."""
    additive: ClassVar[bool] = False
    """Whether the weight is an activation (a logarithm, added) instead of a factor between 0 and 1."""

    def weights(self, columns: Columns, options: Options) -> _core.Column:
        """One temporal weight for each row, null where the row has no times."""
        raise NotImplementedError

    @property
    def source(self) -> str:
        """The column that the weights are made from."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """A dict of plain values for JSON, TOML or YAML: "engine" and every field that is not as by default."""
        out: dict[str, Any] = {"engine": self.kind}
        for field in fields(self):
            value = getattr(self, field.name)
            if field.default is MISSING or value != field.default:
                out[field.name] = _plain(value)
        return out

    @classmethod
    def from_dict(cls, config: dict[str, Any]) -> Self:
        """The engine of a dict; `Engine.from_dict` takes any kind, a class only its own."""
        if not isinstance(config, Mapping):
            raise InvalidTypeError(f"the config of an engine is a dict, not {type(config).__name__}")
        given = dict(config)
        kind = given.pop("engine", getattr(cls, "kind", None))
        if not isinstance(kind, str) or kind not in ENGINES:
            raise UnknownIdError(f"unknown engine {kind!r}{_nearest(str(kind), list(ENGINES))}")
        made = ENGINES[kind]
        if not issubclass(made, cls):
            raise InvalidValueError(f"{cls.__name__} cannot be made from the config of {kind!r}")
        names = [field.name for field in fields(made)]
        for name in given:
            if name not in names:
                raise UnknownIdError(f"{kind} has no parameter {name!r}{_nearest(str(name), names)}")
        for field in fields(made):
            if field.default is MISSING and field.name not in given:
                raise InvalidTypeError(f"{kind} needs {field.name}")
        return made(**{name: _made(value) for name, value in given.items()})


@dataclass(frozen=True)
class HalfLife(Engine):
    """(1/2)^(age / half_life); see `timewalk.half_life`.

    `half_life` is a span ("30d", a timedelta, a number of seconds) or a `Column` of spans.
    """

    kind: ClassVar[str] = "half_life"
    half_life: Span
    last_access: str = "last_access"

    def __post_init__(self) -> None:
        _above_zero(self.half_life, "half_life")

    @property
    def source(self) -> str:
        """The column that the weights are made from."""
        return self.last_access

    def weights(self, columns: Columns, options: Options) -> _core.Column:
        """Weights in [0, 1]."""
        times = columns.times(self.last_access)
        return _core.decay_half_life(times, _read(self.half_life, "half_life", columns, span=True), options)


@dataclass(frozen=True)
class Ebbinghaus(Engine):
    """floor + (1 - floor)·e^(-age / strength); see `timewalk.ebbinghaus`.

    Without a strength, each row brings its own.
    """

    kind: ClassVar[str] = "ebbinghaus"
    strength: Span = Column("strength")
    floor: Number = 0.0
    last_access: str = "last_access"

    def __post_init__(self) -> None:
        _above_zero(self.strength, "strength")
        if not isinstance(self.floor, Column) and not 0.0 <= number(self.floor, "floor") < 1.0:
            raise InvalidValueError(f"floor must be at least 0 and below 1, not {self.floor}")

    @property
    def source(self) -> str:
        """The column that the weights are made from."""
        return self.last_access

    def weights(self, columns: Columns, options: Options) -> _core.Column:
        """Weights in [floor, 1]."""
        return _core.decay_ebbinghaus(
            columns.times(self.last_access),
            _read(self.strength, "strength", columns, span=True),
            _read(self.floor, "floor", columns),
            options,
        )


@dataclass(frozen=True)
class PowerLaw(Engine):
    """(1 + factor·age / stability)^(-decay); see `timewalk.power_law`. Without a stability, each row brings its own.

    FSRS counts stability in days: `Column("stability", unit="d")`.
    """

    kind: ClassVar[str] = "power_law"
    stability: Span = Column("stability")
    decay: Number = 0.5
    factor: Number | None = None
    last_access: str = "last_access"

    def __post_init__(self) -> None:
        _above_zero(self.stability, "stability")
        _above_zero(self.decay, "decay")
        if self.factor is not None:
            _above_zero(self.factor, "factor")

    @property
    def source(self) -> str:
        """The column that the weights are made from."""
        return self.last_access

    def weights(self, columns: Columns, options: Options) -> _core.Column:
        """Weights in (0, 1]."""
        return _core.decay_power_law(
            columns.times(self.last_access),
            _read(self.stability, "stability", columns, span=True),
            _read(self.decay, "decay", columns),
            None if self.factor is None else _read(self.factor, "factor", columns),
            options,
        )


@dataclass(frozen=True)
class ACTR(Engine):
    """ACT-R's base-level activation with Petrov's hybrid; see `timewalk.actr`.

    The columns `historical_count` and `created_at` are used where the hits have them. The weight is an activation: it
    is added to the similarity, not multiplied.
    """

    kind: ClassVar[str] = "actr"
    additive: ClassVar[bool] = True
    decay: Number = 0.5
    min_age: Duration = 1.0
    recent_accesses: str = "recent_accesses"
    historical_count: str | None = "historical_count"
    created_at: str | None = "created_at"

    def __post_init__(self) -> None:
        if not isinstance(self.decay, Column) and not 0.0 <= number(self.decay, "decay") <= 1000.0:
            raise InvalidValueError(f"decay must be at least 0 and at most 1000, not {self.decay}")
        if not seconds(self.min_age, "min_age") >= 1e-6:
            raise InvalidValueError(f"min_age must be at least a microsecond, not {self.min_age}")

    @property
    def source(self) -> str:
        """The column that the weights are made from."""
        return self.recent_accesses

    def weights(self, columns: Columns, options: Options) -> _core.Column:
        """Activations, of any finite size."""
        count = text_or_none(self.historical_count, "historical_count")
        created = text_or_none(self.created_at, "created_at")
        # The usual names may be absent; a name of the caller's own may not.
        count = None if count == "historical_count" and count not in columns else count
        created = None if created == "created_at" and created not in columns else created
        return _core.decay_actr(
            columns.time_lists(self.recent_accesses),
            None if count is None else columns.numbers(count),
            None if created is None else columns.times(created),
            _read(self.decay, "decay", columns),
            seconds(self.min_age, "min_age"),
            options,
        )


@dataclass(frozen=True)
class _Curve(Engine):
    scale: Span
    values: str = "last_access"
    origin: TimeLike | float | None = None
    offset: Span = 0.0
    decay: Number = 0.5

    def __post_init__(self) -> None:
        _above_zero(self.scale, "scale")
        if not isinstance(self.offset, Column) and not seconds(self.offset, "offset") >= 0.0:
            raise InvalidValueError(f"offset must be at least 0, not {self.offset}")
        if not isinstance(self.decay, Column) and not 0.0 < number(self.decay, "decay") < 1.0:
            raise InvalidValueError(f"decay must be above 0 and below 1, not {self.decay}")

    @property
    def source(self) -> str:
        """The column that the weights are made from."""
        return self.values

    def weights(self, columns: Columns, options: Options) -> _core.Column:
        """Weights in [0, 1]."""
        counted = is_number(self.origin)
        if counted:
            at = ("number", number(self.origin, "origin"), 0)
        elif self.origin is None:
            at = ("now", 0.0, 0)
        else:
            at = ("time", 0.0, moment(self.origin, options[1]))  # type: ignore[arg-type]
        return _core.decay_curve(
            self.kind,
            columns.numbers(self.values) if counted else columns.times(self.values),
            at,
            _read(self.scale, "scale", columns, span=not counted),
            _read(self.offset, "offset", columns, span=not counted),
            _read(self.decay, "decay", columns),
            options,
        )


@dataclass(frozen=True)
class Gauss(_Curve):
    """decay^(x²), x = max(0, distance - offset) / scale; see `timewalk.gauss`.

    `origin=None` takes ages from now; a time or a number takes the distance to it, both ways.
    """

    kind: ClassVar[str] = "gauss"


@dataclass(frozen=True)
class Exp(_Curve):
    """decay^x, x = max(0, distance - offset) / scale; see `timewalk.exp` and `Gauss`."""

    kind: ClassVar[str] = "exp"


@dataclass(frozen=True)
class Linear(_Curve):
    """max(0, 1 - x·(1 - decay)), x = max(0, distance - offset) / scale; see `timewalk.linear` and `Gauss`."""

    kind: ClassVar[str] = "linear"


ENGINES: dict[str, type[Engine]] = {
    made.kind: made for made in (HalfLife, Ebbinghaus, PowerLaw, ACTR, Gauss, Exp, Linear)
}
"""Every engine by its name in config files."""


def _above_zero(value: Any, name: str) -> None:
    if not isinstance(value, Column) and not 0.0 < seconds(value, name) < float("inf"):
        raise InvalidValueError(f"{name} must be above 0 and finite, not {value}")


def _read(value: Any, name: str, columns: Columns, *, span: bool = False) -> float | Named:
    return value.read(columns) if isinstance(value, Column) else parameter(value, name, span=span)


def _flat(values: Any) -> Any:
    if isinstance(values, _core.Column):
        return values.to_pyarrow()
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    return pa.chunked_array(values) if hasattr(values, "__arrow_c_stream__") else pa.array(values)


def _nearest(name: str, names: list[str]) -> str:
    close = get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(map(repr, names))}"


def _plain(value: Any) -> Any:
    if isinstance(value, Column):
        return {"column": value.name} | ({} if value.unit == "s" else {"unit": value.unit})
    if isinstance(value, timedelta):
        parts = {"days": value.days, "seconds": value.seconds, "microseconds": value.microseconds}
        return {name: count for name, count in parts.items() if count} or {"seconds": 0}
    if isinstance(value, (datetime, date)):
        return {"time" if isinstance(value, datetime) else "date": value.isoformat()}
    if isinstance(value, np.timedelta64):
        return float(value / np.timedelta64(1, "us")) / 1e6
    return value.item() if isinstance(value, np.generic) else value


def _made(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    try:
        if "column" in value:
            return Column(value["column"], **{name: unit for name, unit in value.items() if name != "column"})
        if "time" in value:
            return datetime.fromisoformat(value["time"])
        if "date" in value:
            return date.fromisoformat(value["date"])
        return timedelta(**value)
    except TypeError:
        raise InvalidTypeError(
            f"{value!r} is neither a span such as {{'days': 30}} nor a column such as {{'column': 'strength'}}"
        ) from None
