"""Causal links that texts state, and the protocol for a caller's own extractor of links."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Protocol, runtime_checkable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timewalk import _core
from timewalk.errors import InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.ingest.columns import plain
from timewalk.ingest.links import SCHEMA, column_of, edge_table, micros_of, namespaces_of

SEASON = timedelta(days=90)
REPAIRS, REPAIR_FLOOR, CLAUSE_FLOOR, ENTITY_WEIGHT = 6, 0.003, 0.5, 20.0


@runtime_checkable
class LinkExtractor(Protocol):
    """Anything that finds links between memories: rules, a language model, a lookup in another system.

    `memories` are the columns of memories (at least id, namespace, text and times) in the order of arrival; the
    result has the columns source, target, relation and maybe weight (1 where missing) and origin.
    """

    def __call__(self, memories: pa.Table) -> pa.Table:
        """Links between these memories."""
        ...


def causal_links(
    table: pa.Table,
    *,
    repairs: int = REPAIRS,
    repair_floor: float = REPAIR_FLOOR,
    clause_floor: float = CLAUSE_FLOOR,
    span: timedelta = SEASON,
    entity_weight: float = ENTITY_WEIGHT,
) -> pa.Table:
    """`caused_by`, `causes` and `enabled_by` links where a text says so; the origin is "text:" and the cue.

    `table`: id and text, and maybe namespace, occurred_start, occurred_end, and entities (lists of keys, which help
    to tell what a text speaks of). Its row order is the order of arrival.

    - "because", "due to", "caused by", "as a result of" … name a cause in the clause behind them, "led to",
      "resulted in", "causing" … an effect; "after" and "following" a cause if something fails in the clause. The
      memory that has the largest share of the clause's information (BM25 weights; Robertson and Zaragoza 2009)
      is meant, if the share is at least `clause_floor`.
    - "fix", "repair" and "revert" in the first line say that the memory repairs something earlier: up to `repairs`
      memories that share its words and entities. "Crash", "avoid", "missing" and the like only hint at it, and count
      for memories that have an entity in common which not many others have.
    - A text that states nothing of the kind may still build on such a memory, if both have dates: an `enabled_by` link,
      "text:shared".

    What a clause speaks of is scored by the share times 1/√(1 + distance in time / `span`), which is held against the
    floor; the weight is its square root. A cause begins no later than its effect ends; without dates, the order of
    arrival decides. A namespace is never crossed.

    For whole memories it is a guess: one mostly has more than one plausible cause, so these links are leads rather than
    facts. With the share w of words and the share e of entities that the other has, their likeness is
    l = w·(1 + `entity_weight`·e)/(1 + `entity_weight`), of at least `repair_floor`, and the odds are
    w²·l/∛(1 + distance in time / day): rare files in common say most, and what repairs come after lies from days to
    years back, at a rate that falls like a power of the age. The probability p is the odds through the sum of those of
    all `repairs` and of 0.0001 for there being no cause. The weight is 0.16·p^(1/8), or 0.21·p^(1/8) for `enabled_by`,
    so that with their boosts steps along both are worth the same, and the likelier ones are followed first without
    being cut off.
    """
    reach = span / timedelta(microseconds=1)
    if repairs < 0 or not reach > 0 or not 0 <= entity_weight < np.inf:
        raise InvalidValueError("repairs and entity_weight are 0 or more, and span is above 0")
    if not (0 <= repair_floor <= 1 and 0 <= clause_floor <= 1):
        raise InvalidValueError(f"floors are in [0, 1], not {repair_floor} and {clause_floor}")
    ids = column_of(table, "id")
    columns = (
        column_of(table, "text"),
        namespaces_of(table),
        micros_of(table, "occurred_start"),
        micros_of(table, "occurred_end"),
        _entity_keys(table),
    )
    state = _core.CausalLinks(repairs, repair_floor, clause_floor, reach, entity_weight)
    places = np.arange(len(ids))
    nothing, everything = pa.array([], pa.uint32()), pa.array(places, pa.uint32())
    _, (source, target, relation, weight, cue) = state.update(nothing, everything, pa.array(places), columns)
    links = edge_table(ids.take(source), ids.take(target), relation, weight.to_numpy(), "text")
    return links.set_column(4, SCHEMA.field("origin"), pc.binary_join_element_wise("text", cue, ":"))


def _entity_keys(table: pa.Table) -> pa.Array:
    kind = pa.list_(pa.string())
    if "entities" not in table.column_names:
        return pa.nulls(table.num_rows, kind)
    column = column_of(table, "entities")
    if pa.types.is_null(column.type):
        return column.cast(kind)
    if pa.types.is_list(column.type) and pa.types.is_struct(column.type.value_type):
        names = pc.utf8_lower(pc.struct_field(column.values, "name"))
        return pa.ListArray.from_arrays(column.offsets, names, mask=column.is_null())
    try:
        return column.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InvalidTypeError(
            f"lists of strings are expected, not {column.type} (column 'entities')", column="entities"
        ) from None


def extracted_links(memories: pa.Table, extractors: Sequence[LinkExtractor]) -> pa.Table:
    """The links of a caller's own extractors, checked; without an origin they get "extractor".

    Raises `InvalidTypeError` or `InvalidValueError` for what is no table of links, and `UnknownIdError` for an end that
    is not among `memories`.
    """
    known = column_of(memories, "id")
    found = [SCHEMA.empty_table()]
    for extractor in extractors:
        links = extractor(memories)
        if not isinstance(links, pa.Table):
            raise InvalidTypeError(f"a link extractor returns a pyarrow table, not {type(links).__name__}")
        source, target, relation = (column_of(links, name).cast(pa.string()) for name in SCHEMA.names[:3])
        for name, column in (("source", source), ("target", target)):
            odd = pc.index(pc.fill_null(pc.is_in(column, known), False), False).as_py()
            if odd >= 0:
                raise UnknownIdError(
                    f"there is no memory {column[odd].as_py()!r} (column '{name}', row {odd})", column=name, row=odd
                )
        loop = pc.index(pc.equal(source, target), True).as_py()
        if loop >= 0:
            raise InvalidValueError(
                f"{source[loop].as_py()!r} cannot be linked to itself (column 'target', row {loop})",
                column="target",
                row=loop,
            )
        found.append(edge_table(source, target, relation, _weights(links), "extractor"))
        if "origin" in links.column_names:
            origin = pc.fill_null(plain(links.column("origin")).cast(pa.string()), "extractor")
            found[-1] = found[-1].set_column(4, SCHEMA.field("origin"), origin)
    return pa.concat_tables(found).combine_chunks()


def _weights(links: pa.Table) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    if "weight" not in links.column_names:
        return np.ones(links.num_rows)
    try:
        weights = pc.fill_null(plain(links.column("weight")).cast(pa.float64()), 1.0).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InvalidTypeError("weights are numbers (column 'weight')", column="weight") from None
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        row = int(bad[0])
        raise InvalidValueError(
            f"a weight is a finite number of 0 or more, not {weights[row]} (column 'weight', row {row})",
            column="weight",
            row=row,
        )
    return np.asarray(weights, np.float64)
