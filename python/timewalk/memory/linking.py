"""Explicit links between memories, and the relations they may have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import pyarrow as pa

from timewalk.errors import InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.stores.memories import LinkRow, add_links, rows_of
from timewalk.stores.sqlite import Store

BUILT_IN = (
    "temporal",
    "causes",
    "caused_by",
    "enables",
    "enabled_by",
    "prevents",
    "prevented_by",
    "follows",
    "followed_by",
    "similar",
)
"""Relations between memories that need no registration."""

_HEAVIEST = 3.4e38
_KINDS = ("causal", "enabling", "temporal", "other")
_BOOSTS = {"causal": 2.0, "enabling": 1.5, "temporal": 1.0, "other": 1.0}


class Relation(NamedTuple):
    """A caller's own relation: its inverse, its kind and its causal boost."""

    name: str
    inverse: str
    kind: str
    boost: float


class Relations:
    """The relations that a store knows: the built-in ones and those registered in it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def own(self) -> list[Relation]:
        """Registered relations, by name."""
        return [Relation(*row) for row in self._store.query("SELECT name, inverse, kind, boost FROM relation")]

    def names(self) -> set[str]:
        """All names that a link may use."""
        return {name for relation in self.own() for name in relation[:2]} | set(BUILT_IN)

    def register(self, name: str, *, inverse: str | None, kind: str, boost: float | None) -> None:
        """Adds a relation; the same again changes nothing, another meaning for a known name is an error."""
        if not isinstance(name, str) or not name.strip():
            raise InvalidTypeError("a relation's name is a string that is not blank")
        if kind not in _KINDS:
            raise InvalidValueError(f"unknown kind {kind!r}; use one of {', '.join(_KINDS)}")
        if inverse is not None and (not isinstance(inverse, str) or not inverse.strip()):
            raise InvalidTypeError("the name of the inverse is a string that is not blank, or None")
        if boost is not None and (isinstance(boost, bool) or not isinstance(boost, (int, float))):
            raise InvalidTypeError(f"a boost is a number, not {type(boost).__name__}")
        strength = _BOOSTS[kind] if boost is None else float(boost)
        if not (math.isfinite(strength) and strength >= 0):
            raise InvalidValueError(f"a boost is a finite number of 0 or more, not {boost}")
        wanted = Relation(name, inverse if inverse is not None else name, kind, strength)
        known = {relation.name: relation for relation in self.own()}
        if name in BUILT_IN or (name in known and known[name] != wanted):
            raise InvalidValueError(f"the relation {name!r} is defined already, with another meaning")
        if name not in known:
            with self._store.transaction() as connection:
                connection.execute("INSERT INTO relation VALUES (?, ?, ?, ?)", wanted)

    def check_ends(
        self,
        source: str,
        source_namespace: str,
        target: str,
        target_namespace: str,
        *,
        column: str,
        row: int | None,
    ) -> None:
        """Refuses self-loops and links between two namespaces."""
        place = f"column '{column}'" if row is None else f"column '{column}', row {row}"
        if source == target:
            raise InvalidValueError(f"{source!r} cannot be linked to itself ({place})", column=column, row=row)
        if source_namespace != target_namespace:
            raise InvalidValueError(
                f"{source!r} is in the namespace {source_namespace!r} and {target!r} in {target_namespace!r}; "
                f"no link crosses namespaces ({place})",
                column=column,
                row=row,
            )


class Link(NamedTuple):
    """One link as a caller gives it."""

    source: str
    target: str
    relation: str
    weight: float


def links_of(links: object) -> list[Link]:
    """Links from an Arrow table or a data frame with source, target, relation and, if there is one, weight.

    A weight that is null is 1; NaN is no weight, and in a frame of pandas, where it may stand for either, an error too.
    """
    table = _arrow(links)
    if type(links).__module__.partition(".")[0] == "pandas" and "weight" in table.column_names:
        missing = table["weight"].is_null().to_pylist()
        if any(missing) and pa.types.is_floating(table["weight"].type):
            raise InvalidValueError(
                f"a weight is a number, not NaN (column 'weight', row {missing.index(True)}); without it, it is 1",
                column="weight",
                row=missing.index(True),
            )
    for column in ("source", "target", "relation"):
        if column not in table.column_names:
            raise InvalidValueError(f"the table of links lacks the column '{column}'", column=column)
        values = table[column]
        if values.null_count:
            row = values.is_null().to_pylist().index(True)
            raise InvalidValueError(f"a link needs a {column} (column '{column}', row {row})", column=column, row=row)
    columns = [table[name].to_pylist() for name in ("source", "target", "relation")]
    weights = table["weight"].to_pylist() if "weight" in table.column_names else [None] * len(table)
    return [
        Link(str(source), str(target), str(relation), 1.0 if weight is None else weight)
        for source, target, relation, weight in zip(*columns, weights, strict=True)
    ]


def _arrow(links: object) -> pa.Table:
    try:
        return pa.table(cast(Any, links))
    except (TypeError, ValueError, pa.ArrowInvalid) as error:
        raise InvalidTypeError(f"links come as an Arrow table or a data frame, not {type(links).__name__}") from error


def add(store: Store, relations: Relations, links: Sequence[Link], *, single: bool = False) -> None:
    """Stores links, all or none. Of two with the same ends and relation the larger weight stays.

    Raises `UnknownIdError` for an id or relation that does not exist, `InvalidValueError` for weights that are
    negative or not finite, self-loops and links between namespaces; each names column and row, unless `single`.
    """
    for number, link in enumerate(links):
        for column, name in zip(Link._fields, link[:3], strict=False):
            if not isinstance(name, str):
                row = None if single else number
                raise InvalidTypeError(
                    f"a string is expected, not {type(name).__name__}{_place(column, row)}", column=column, row=row
                )
    known = relations.names()
    rows = []
    with store.transaction() as connection:
        ends = rows_of(store, {id for link in links for id in link[:2]})
        for number, link in enumerate(links):
            row = None if single else number
            for column in ("source", "target"):
                id = getattr(link, column)
                if id not in ends:
                    raise UnknownIdError(f"there is no memory {id!r}{_place(column, row)}", column=column, row=row)
            if link.relation not in known:
                raise UnknownIdError(
                    f"unknown relation {link.relation!r}{_place('relation', row)}; register_relation adds one; "
                    f"known are {', '.join(sorted(known))}",
                    column="relation",
                    row=row,
                )
            weight = _weight(link.weight, row)
            (source, source_namespace), (target, target_namespace) = ends[link.source], ends[link.target]
            relations.check_ends(link.source, source_namespace, link.target, target_namespace, column="target", row=row)
            rows.append(LinkRow(source, target, link.relation, weight, "caller"))
        add_links(connection, rows)


def _weight(weight: float, row: int | None) -> float:
    if isinstance(weight, bool) or not isinstance(weight, (int, float)):
        raise InvalidTypeError(
            f"a weight is a number, not {type(weight).__name__}{_place('weight', row)}", column="weight", row=row
        )
    # The graph keeps weights in 32 bits: what has no place there must not get into the store.
    if not 0 <= weight <= _HEAVIEST:
        raise InvalidValueError(
            f"a weight is a finite number of 0 or more (up to 3.4e38), not {weight:.6g}{_place('weight', row)}"
            if isinstance(weight, float)
            else f"a weight is a finite number of 0 or more (up to 3.4e38){_place('weight', row)}",
            column="weight",
            row=row,
        )
    return float(weight)


def _place(column: str, row: int | None) -> str:
    return f" (column '{column}')" if row is None else f" (column '{column}', row {row})"
