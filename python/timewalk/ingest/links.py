"""Links that ingestion infers from columns: neighbours in threads and in time, mentions, co-occurrence, similarity.

Every function takes columns and answers with a table of `SCHEMA`: source, target, relation, weight in (0, 1], and the
origin, which names the rule. All of it is vectorised, and the result depends on the content of the rows only, except
where order is the content (threads).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timewalk.errors import InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.ingest.columns import plain

SCHEMA = pa.schema(
    [
        pa.field("source", pa.string(), nullable=False),
        pa.field("target", pa.string(), nullable=False),
        pa.field("relation", pa.string(), nullable=False),
        pa.field("weight", pa.float64(), nullable=False),
        pa.field("origin", pa.string(), nullable=False),
    ]
)
"""Columns of every table of links."""

WEEK = timedelta(days=7)
_NEVER = np.iinfo(np.int64).min

Integers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


def edge_table(
    source: pa.Array, target: pa.Array, relation: str | pa.Array, weight: npt.ArrayLike, origin: str
) -> pa.Table:
    """A table of links from its columns."""
    rows = len(source)
    relations = pa.repeat(pa.scalar(relation), rows) if isinstance(relation, str) else relation
    weights = pa.array(np.broadcast_to(np.asarray(weight, np.float64), (rows,)))
    columns = [source.cast(pa.string()), target.cast(pa.string()), relations, weights]
    return pa.table([*columns, pa.repeat(pa.scalar(origin), rows)], schema=SCHEMA)


def thread_links(table: pa.Table, *, previous: Mapping[tuple[str, str], str] | None = None) -> pa.Table:
    """`follows` links: each memory of a thread (source) to the one that arrived right before it (target), weight 1.

    `table`: id, thread and maybe namespace; its row order is the order of arrival. A thread lives within its
    namespace; rows without thread get none. `previous` names the last memory that is already known of a
    (namespace, thread), which the first new one follows.
    """
    ids, thread = column_of(table, "id"), column_of(table, "thread")
    rows = np.flatnonzero(thread.is_valid().to_numpy(zero_copy_only=False))
    space = _codes(namespaces_of(table))
    key = space * (len(thread) + 1) + _codes(thread)
    rows = rows[np.argsort(key[rows], kind="stable")]
    same = key[rows][1:] == key[rows][:-1]
    source, target = ids.take(rows[1:][same]), ids.take(rows[:-1][same])
    if previous and len(rows):
        first = rows[np.concatenate([[True], ~same])]
        spaces = namespaces_of(table).take(first).to_pylist()
        known = [previous.get(name) for name in zip(spaces, thread.take(first).to_pylist(), strict=True)]
        known = [None if last == own else last for last, own in zip(known, ids.take(first).to_pylist(), strict=True)]
        found = pa.array([name is not None for name in known], pa.bool_())
        source = pa.concat_arrays([ids.take(first).filter(found), source])
        target = pa.concat_arrays([pa.array(known, pa.string()).filter(found), target])
    return edge_table(source, target, "follows", 1.0, "thread")


def temporal_links(
    table: pa.Table,
    *,
    half_life: timedelta = WEEK,
    floor: float = 0.1,
    limit: int = 5,
    fallback: str | None = None,
    new: pa.Array | None = None,
) -> pa.Table:
    """`temporal` links between neighbours in time within a namespace, stored in both directions.

    `table`: id, occurred_start, occurred_end and maybe namespace. An interval stands at its middle, a lone date at
    itself; rows without either get no links, unless `fallback` names another time column to take then
    ("mentioned_at"). A memory is linked to the `limit` nearest before it and after it, in the order (time, id), with
    weight 0.5^(distance / `half_life`), where that is at least `floor`. With `new`, only links with one of
    these ids at an end. O(n log n + n·limit).
    """
    scale = half_life / timedelta(microseconds=1)
    if not scale > 0 or not 0 < floor <= 1 or limit < 0:
        raise InvalidValueError(
            f"half_life is above 0, floor in (0, 1] and limit 0 or more, not {half_life}, {floor} and {limit}"
        )
    ids = column_of(table, "id")
    time = _middles(table, fallback)
    dated = np.flatnonzero(time != _NEVER)
    space = _codes(namespaces_of(table))
    rank = _ranks(ids)[0]
    order = dated[np.lexsort((rank[dated], time[dated], space[dated]))]
    times, spaces = time[order], space[order]
    fresh = None if new is None else pc.is_in(ids, plain(new)).to_numpy(zero_copy_only=False)[order]
    sources, targets, weights = [], [], []
    reach = -np.log2(floor) * scale
    for step in range(1, limit + 1):
        # Distances of dates thousands of years apart overflow 64 bits, floats only round them.
        gap = times[step:].astype(np.float64) - times[:-step].astype(np.float64)
        near = (spaces[step:] == spaces[:-step]) & (gap <= reach)
        if fresh is not None:
            near &= fresh[step:] | fresh[:-step]
        at = np.flatnonzero(near)
        exact = (times[at + step] - times[at]).astype(np.float64)
        sources.append(order[at])
        targets.append(order[at + step])
        weights.append(np.exp2(-exact / scale))
    return _both_ways(ids, sources, targets, weights, "temporal", "time")


def co_occurrence_links(
    mentions: pa.Table,
    *,
    measure: Literal["cosine", "npmi"] = "cosine",
    floor: float = 0.05,
    limit: int = 20,
    min_count: int = 1,
    most_entities: int = 50,
) -> pa.Table:
    """`co_occurs` links between entities that the same memories mention, stored in both directions.

    `mentions`: memory and entity (ids; a pair given twice counts once). "cosine" weighs a pair by
    n_xy / √(n_x · n_y), "npmi" by pointwise mutual information over its maximum -ln p(x, y) (Bouma 2009), both in
    (0, 1]; a hub that occurs with everything gets low weights either way. Pairs under `floor` or seen in fewer than
    `min_count` memories are dropped, and each entity keeps its `limit` strongest (ties by id). Memories that mention
    more than `most_entities` are lists rather than statements and count for nothing. O(m · most_entities).
    """
    if measure not in ("cosine", "npmi"):
        raise InvalidValueError(f"measure is 'cosine' or 'npmi', not {measure!r}")
    entity = column_of(mentions, "entity")
    coded = entity.dictionary_encode()
    names = coded.dictionary
    rank, by_name = _ranks(names)
    names = names.take(by_name)
    codes = rank[coded.indices.to_numpy(zero_copy_only=False)]
    pairs = np.unique(_codes(column_of(mentions, "memory")) * max(len(names), 1) + codes)
    memory, code = pairs // max(len(names), 1), pairs % max(len(names), 1)
    _, group, sizes = np.unique(memory, return_inverse=True, return_counts=True)
    kept = sizes[group] <= most_entities
    memories = int((sizes <= most_entities).sum())
    memory, code = memory[kept], code[kept]
    count = np.bincount(code, minlength=len(names)).astype(np.float64)
    a, b, both = _pair_counts(memory, code, len(names), most_entities)
    enough = both >= min_count
    a, b, both = a[enough], b[enough], both[enough]
    measured = {"cosine": _cosine, "npmi": _npmi}[measure]
    weight = measured(both, count[a], count[b], memories)
    strong = weight >= max(floor, np.finfo(np.float64).tiny)
    a, b, weight = a[strong], b[strong], np.minimum(weight[strong], 1.0)
    source, target, weight = _strongest(np.concatenate([a, b]), np.concatenate([b, a]), np.tile(weight, 2), limit)
    return edge_table(names.take(source), names.take(target), "co_occurs", weight, "co_occurrence")


def mention_links(mentions: pa.Table) -> pa.Table:
    """`mentions` links from memories to entities; `mentions`: memory, entity and maybe confidence (the weight)."""
    memory, entity = column_of(mentions, "memory"), column_of(mentions, "entity")
    weight: Any = 1.0
    if "confidence" in mentions.column_names:
        weight = pc.fill_null(column_of(mentions, "confidence").cast(pa.float64()), 1.0).to_numpy(zero_copy_only=False)
    return edge_table(memory, entity, "mentions", weight, "mention")


def similarity_links(
    ids: pa.Array,
    neighbours: npt.ArrayLike,
    similarities: npt.ArrayLike,
    *,
    threshold: float = 0.7,
    limit: int = 5,
    namespaces: pa.Array | None = None,
) -> pa.Table:
    """`similar` links from each memory to its nearest, stored in both directions.

    `neighbours` and `similarities`: arrays [n, k] with the positions of each row's neighbours (negative: none) and
    their similarity. A row keeps the `limit` best of at least `threshold` (ties by id); itself and rows of another
    namespace do not count. The weight is the similarity, at most 1.
    """
    ids = plain(ids)
    near = np.asarray(neighbours, np.int64)
    close = np.asarray(similarities, np.float64)
    if near.shape != close.shape or near.ndim != 2 or len(near) != len(ids):
        raise InvalidValueError(
            f"neighbours and similarities are both [n, k] for n ids, not {near.shape}, {close.shape}"
        )
    if near.size and near.max() >= len(ids):
        raise UnknownIdError(f"a neighbour at position {near.max()} of {len(ids)} ids")
    source = np.repeat(np.arange(len(near)), near.shape[1])
    target, weight = near.ravel(), close.ravel()
    good = (target >= 0) & (target != source) & (weight >= threshold) & (weight > 0)
    if namespaces is not None:
        space = _codes(plain(namespaces))
        good &= space[np.maximum(target, 0)] == space[source]
    rank, order = _ranks(ids)
    a, b, weight = _strongest(rank[source[good]], rank[target[good]], np.minimum(weight[good], 1.0), limit)
    return _both_ways(ids, [order[a]], [order[b]], [weight], "similar", "similarity", unique=True)


def column_of(table: pa.Table, name: str) -> pa.Array:
    """One column of a table; `UnknownIdError` if it lacks it."""
    if not isinstance(table, pa.Table):
        raise InvalidTypeError(f"a pyarrow table is expected, not {type(table).__name__}")
    if name not in table.column_names:
        have = ", ".join(table.column_names)
        raise UnknownIdError(f"the table lacks the column '{name}'; it has {have}", column=name)
    return plain(table.column(name))


def namespaces_of(table: pa.Table) -> pa.Array:
    """The namespace of each row; "default" where there is none."""
    if "namespace" not in table.column_names:
        return pa.repeat(pa.scalar("default"), table.num_rows)
    return pc.fill_null(column_of(table, "namespace"), "default")


def micros_of(table: pa.Table, name: str) -> pa.Array:
    """A time column as int64 microseconds; nulls where the table lacks it."""
    if name not in table.column_names:
        return pa.nulls(table.num_rows, pa.int64())
    column = column_of(table, name)
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    elif not (pa.types.is_null(column.type) or pa.types.is_int64(column.type)):
        raise InvalidTypeError(f"timestamps are expected, not {column.type} (column '{name}')", column=name)
    return column.cast(pa.int64())


def middles(table: pa.Table, fallback: str | None) -> pa.Array:
    """The time by which `temporal_links` orders rows, int64 microseconds; null where there is none."""
    times = _middles(table, fallback)
    return pa.array(times, mask=times == _NEVER)


def _codes(column: pa.Array) -> Integers:
    """Equal values to equal numbers; null is -1."""
    return np.asarray(pc.fill_null(column.dictionary_encode().indices, -1).to_numpy(zero_copy_only=False), np.int64)


def _ranks(names: pa.Array) -> tuple[Integers, Integers]:
    """Place of each string in sorted order, and the strings' positions in that order."""
    order = pc.array_sort_indices(names).to_numpy().astype(np.int64)
    rank = np.empty(len(names), np.int64)
    rank[order] = np.arange(len(names))
    return rank, order


def _middles(table: pa.Table, fallback: str | None) -> Integers:
    """Middle of the interval of each row in microseconds, `_NEVER` where it has no time."""
    start = _micros(table, "occurred_start")
    end = _micros(table, "occurred_end")
    first, last = np.where(start == _NEVER, end, start), np.where(end == _NEVER, start, end)
    # Halves first, so that a sum of far times stays within 64 bits.
    middle = first // 2 + last // 2 + (first % 2 + last % 2) // 2
    middle = np.where(first == _NEVER, _NEVER, middle)
    return middle if fallback is None else np.where(middle == _NEVER, _micros(table, fallback), middle)


def _micros(table: pa.Table, name: str) -> Integers:
    return np.asarray(pc.fill_null(micros_of(table, name), int(_NEVER)).to_numpy(zero_copy_only=False), np.int64)


def _pair_counts(memory: Integers, code: Integers, names: int, most: int) -> tuple[Integers, Integers, Integers]:
    """Pairs a < b within one memory and how many memories have them; rows are sorted by memory and code."""
    keys = [np.empty(0, np.int64)]
    for step in range(1, most):
        at = np.flatnonzero(memory[step:] == memory[:-step])
        if not len(at):
            break
        keys.append(code[at] * names + code[at + step])
    pair, both = np.unique(np.concatenate(keys), return_counts=True)
    return pair // max(names, 1), pair % max(names, 1), both


def _cosine(both: Integers, a: Floats, b: Floats, _memories: int) -> Floats:
    return both / np.sqrt(a * b)


def _npmi(both: Integers, a: Floats, b: Floats, memories: int) -> Floats:
    # A pair that every memory has tells nothing; its quotient 0/0 is set to 0.
    most = np.log(memories / both)
    gain = np.log(both * memories / (a * b))
    return np.asarray(np.divide(gain, most, out=np.zeros_like(gain), where=most > 0), np.float64)


def _strongest(source: Integers, target: Integers, weight: Floats, limit: int) -> tuple[Integers, Integers, Floats]:
    """The `limit` heaviest links of each source, ties by target, ordered by source, weight and target."""
    order = np.lexsort((target, -weight, source))
    source, target, weight = source[order], target[order], weight[order]
    first = np.searchsorted(source, source, side="left")
    kept = np.arange(len(source)) - first < limit
    return source[kept], target[kept], weight[kept]


def _both_ways(
    ids: pa.Array,
    sources: list[Integers],
    targets: list[Integers],
    weights: list[Floats],
    relation: str,
    origin: str,
    *,
    unique: bool = False,
) -> pa.Table:
    none = np.empty(0, np.int64)
    a, b = np.concatenate([none, *sources]), np.concatenate([none, *targets])
    weight = np.tile(np.concatenate([np.empty(0), *weights]), 2)
    source, target = np.concatenate([a, b]), np.concatenate([b, a])
    if unique:
        # Two rows may have chosen each other, with similarities that differ in the last digit: the larger stays.
        order = np.lexsort((-weight, target, source))
        source, target, weight = source[order], target[order], weight[order]
        fresh = np.ones(len(source), bool)
        fresh[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
        source, target, weight = source[fresh], target[fresh], weight[fresh]
    return edge_table(ids.take(source), ids.take(target), relation, weight, origin)
