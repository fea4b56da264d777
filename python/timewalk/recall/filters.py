"""Filters of a recall: one definition for every way in, one mask over the columns of the index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Literal, NamedTuple, TypeAlias, TypedDict, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timewalk.errors import InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.ingest.identity import entity_key
from timewalk.times import TimeLike, to_micros

Mask: TypeAlias = npt.NDArray[np.bool_]
TimeColumn: TypeAlias = Literal["occurred_start", "occurred_end", "mentioned_at", "created_at"]
TimeRange: TypeAlias = tuple[TimeLike | None, TimeLike | None]
Values: TypeAlias = str | Sequence[str]

_KEPT = 32  # masks, of one byte a memory each

TIME_COLUMNS: tuple[TimeColumn, ...] = ("occurred_start", "occurred_end", "mentioned_at", "created_at")


class FilterOptions(TypedDict, total=False):
    """What a hit must be; every one given must hold, on seeds, on each hop and on results. None lets all through.

    `namespace`, `fact_type`, `tags`, `author` and `thread` take one value or several, of which a memory must have any;
    `tags_all` those of which it must have all, `tags_none` those of which it may have none. `times` maps any of
    occurred_start, occurred_end, mentioned_at and created_at to (start, end), end not included, either None where that
    side is open; a memory that lacks that time does not pass. `as_of` asks the store as it was true then: what was
    created later, or invalidated by then, is left out. `mask` is the caller's own choice: ids, or one boolean a memory
    in the order of `Memory.ids`.

    An empty list is an error, except as `mask`: a list of permissions that came out empty must not open everything.
    """

    namespace: Values | None
    fact_type: Values | None
    tags: Values | None
    tags_all: Values | None
    tags_none: Values | None
    author: Values | None
    thread: Values | None
    times: Mapping[TimeColumn, TimeRange] | None
    as_of: TimeLike | None
    mask: Sequence[str] | Sequence[bool] | Mask | pa.Array | None


class TimeFilter(NamedTuple):
    """A half-open range [start, end) of one time column in microseconds; None where a side is open."""

    column: str
    start: int | None
    end: int | None


@dataclass(frozen=True, slots=True)
class Filters:
    """`FilterOptions`, checked, times in microseconds; an empty tuple lets all through.

    What was invalidated at or before `valid_at` is left out, and what was created after `created_by`, if that is given.
    """

    namespaces: tuple[str, ...] = ()
    fact_types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    valid_at: int = 0
    tags_all: tuple[str, ...] = ()
    tags_none: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()
    times: tuple[TimeFilter, ...] = ()
    created_by: int | None = None
    chosen: frozenset[str] | Mask | None = None

    @classmethod
    def of(cls, options: FilterOptions, *, now: int, tz: str | tzinfo = "UTC") -> Filters:
        """Filters from a caller's arguments; times without zone are read in `tz`.

        Raises `InvalidTypeError` for values of the wrong type and names that no filter has, `InvalidValueError` for
        empty lists and ranges that end before they start.
        """
        for name in options:
            if name not in FilterOptions.__annotations__:
                raise InvalidTypeError(
                    f"there is no argument {name!r}; the filters are {', '.join(FilterOptions.__annotations__)}"
                )
        as_of = options.get("as_of")
        moment = None if as_of is None else _micros(as_of, "as_of", tz)
        several = {
            name: _several(options.get(name), name)
            for name in ("namespace", "fact_type", "tags", "tags_all", "tags_none", "author", "thread")
        }
        return cls(
            several["namespace"],
            several["fact_type"],
            several["tags"],
            now if moment is None else moment,
            several["tags_all"],
            several["tags_none"],
            several["author"],
            several["thread"],
            _times(options.get("times"), tz),
            moment,
            _chosen(options.get("mask")),
        )

    @property
    def beyond_words(self) -> bool:
        """Whether there are filters that the keyword index does not know by itself."""
        more = self.tags_all or self.tags_none or self.authors or self.threads or self.times
        return bool(more) or self.created_by is not None or self.chosen is not None

    def mask(self, columns: pa.Table, masks: Masks | None = None) -> Mask | None:
        """Which rows pass, bool [n]; None where all do. Raises `UnknownIdError` for an id that no row has.

        `masks` keeps what strings and tags make for the next time.
        """
        masks = masks or Masks()
        parts = [
            *(masks.get(columns, name, values) for name, values in self._wanted() if values),
            *(masks.get(columns, "tags", (tag,)) for tag in self.tags_all),
        ]
        if self.tags_none:
            parts.append(~masks.get(columns, "tags", self.tags_none))
        for column, start, end in self.times:
            parts += _within(columns[column], start, end)
        if self.created_by is not None:
            parts.append(_compare(pc.less_equal, columns["created_at"], self.created_by))
        if self.chosen is not None:
            parts.append(_own(self.chosen, columns["id"]))
        invalid = columns["invalid_at"]
        if invalid.null_count < len(invalid):
            parts.append(_booleans(pc.greater(pc.fill_null(invalid, np.iinfo(np.int64).max), self.valid_at)))
        # One mask alone goes on as it is: what has been made of it for an earlier question is found again.
        return None if not parts else parts[0] if len(parts) == 1 else np.logical_and.reduce(parts)

    def _wanted(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return (
            ("namespace", self.namespaces),
            ("fact_type", self.fact_types),
            ("tags", self.tags),
            ("author", self.authors),
            ("thread", self.threads),
        )


class Masks:
    """Masks of strings and tags over one table, the last few of them: most questions ask with the same filters."""

    def __init__(self) -> None:
        self._columns: pa.Table | None = None
        self._made: dict[tuple[str, tuple[str, ...]], Mask] = {}

    def get(self, columns: pa.Table, name: str, values: tuple[str, ...]) -> Mask:
        """Rows whose column has any of the values, bool [n]; not to be written to."""
        if columns is not self._columns:
            self._columns = columns
            self._made.clear()
        mask = self._made.pop((name, values), None)
        if mask is None:
            mask = _MAKE.get(name, _any)(columns[name], values)
        self._made[(name, values)] = mask
        if len(self._made) > _KEPT:
            del self._made[next(iter(self._made))]
        return mask


def _any(column: pa.ChunkedArray, values: Sequence[str]) -> Mask:
    return _booleans(pc.is_in(column, value_set=pa.array(values, pa.string())))


def _written(authors: pa.ChunkedArray, wanted: Sequence[str]) -> Mask:
    """An author is an entity: the same whatever the case and the white space."""
    keys = {entity_key(name) for name in wanted}
    names = pc.unique(authors).to_pylist()
    return _any(authors, [name for name in names if name is not None and entity_key(name) in keys])


def _tagged(tags: pa.ChunkedArray, wanted: tuple[str, ...]) -> Mask:
    mask = np.zeros(len(tags), np.bool_)
    lists = tags.combine_chunks()
    hits = _booleans(pc.is_in(pc.list_flatten(lists), value_set=pa.array(wanted, pa.string())))
    parents = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
    mask[parents[hits]] = True
    return mask


_MAKE: Mapping[str, Callable[[pa.ChunkedArray, tuple[str, ...]], Mask]] = {"author": _written, "tags": _tagged}


def _within(column: pa.ChunkedArray, start: int | None, end: int | None) -> list[Mask]:
    masks = []
    if start is not None:
        masks.append(_compare(pc.greater_equal, column, start))
    if end is not None:
        masks.append(_compare(pc.less, column, end))
    return masks or [_booleans(column.is_valid())]


def _compare(compare: Callable[[Any, Any], Any], column: pa.ChunkedArray, micros: int) -> Mask:
    return _booleans(compare(column.cast(pa.int64()), pa.scalar(micros, pa.int64())))


def _own(chosen: frozenset[str] | Mask, ids: pa.ChunkedArray) -> Mask:
    if isinstance(chosen, np.ndarray):
        if len(chosen) != len(ids):
            raise InvalidValueError(
                f"a mask of booleans has one for each of the {len(ids)} memories, in the order of Memory.ids, "
                f"not {len(chosen)}"
            )
        return chosen
    mask = _any(ids, tuple(chosen))
    if np.count_nonzero(mask) < len(chosen):
        missing = min(chosen.difference(ids.to_pylist()))
        raise UnknownIdError(f"there is no memory {missing!r} (mask)")
    return mask


def _booleans(values: pa.Array | pa.ChunkedArray) -> Mask:
    joined = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    return np.asarray(pc.fill_null(joined, False).to_numpy(zero_copy_only=False), np.bool_)


def _several(value: object, name: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable):
        raise InvalidTypeError(f"{name} is a string or several, not {type(value).__name__}")
    values = tuple(value)
    for one in values:
        if not isinstance(one, str):
            raise InvalidTypeError(f"{name} holds strings, not {type(one).__name__}")
    if not values:
        # A list of permissions that came out empty must not open everything.
        raise InvalidValueError(f"{name} is empty and would let nothing through; None lets all through")
    return values


def _times(times: object, tz: str | tzinfo) -> tuple[TimeFilter, ...]:
    if times is None:
        return ()
    if not isinstance(times, Mapping):
        raise InvalidTypeError(f'times is a dict such as {{"mentioned_at": (start, end)}}, not {type(times).__name__}')
    if not times:
        raise InvalidValueError("times is empty; None lets all through")
    return tuple(_range(column, times[column], tz) for column in sorted(times, key=str))


def _range(column: object, bounds: object, tz: str | tzinfo) -> TimeFilter:
    if column not in TIME_COLUMNS:
        raise InvalidValueError(f"times knows {', '.join(TIME_COLUMNS)}, not {column!r}")
    name = f"times[{column!r}]"
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise InvalidTypeError(f"{name} is (start, end), either None where it is open, not {bounds!r}")
    start, end = (None if bound is None else _micros(bound, name, tz) for bound in bounds)
    if start is not None and end is not None and end < start:
        raise InvalidValueError(f"{name} ends before it starts; give (start, end) with start first")
    return TimeFilter(str(column), start, end)


def _micros(time: object, name: str, tz: str | tzinfo) -> int:
    try:
        return to_micros(cast(TimeLike, time), tz=tz)
    except (InvalidTypeError, InvalidValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def _chosen(mask: object) -> frozenset[str] | Mask | None:
    if mask is None:
        return None
    if isinstance(mask, (pa.Array, pa.ChunkedArray)):
        mask = mask.to_pylist()
    if isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.ndim == 1:
        return mask.copy()
    if isinstance(mask, (str, bytes, Mapping)) or not isinstance(mask, Iterable):
        raise InvalidTypeError(f"mask holds ids, or one boolean a memory, not {type(mask).__name__}")
    values = list(mask)
    if values and all(isinstance(value, (bool, np.bool_)) for value in values):
        return np.asarray(values, np.bool_)
    for value in values:
        if not isinstance(value, str):
            raise InvalidTypeError(f"mask holds ids, or one boolean a memory, not {type(value).__name__}")
    return frozenset(values)
