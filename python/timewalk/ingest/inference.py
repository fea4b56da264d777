"""All links that ingestion infers, rule by rule, each of which can be switched off."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timewalk._core import CausalLinks, MentionLinks, ThreadLinks, TimeLinks
from timewalk.errors import InvalidTypeError, InvalidValueError, UnknownIdError
from timewalk.ingest.causal import (
    CLAUSE_FLOOR,
    ENTITY_WEIGHT,
    REPAIR_FLOOR,
    REPAIRS,
    SEASON,
    LinkExtractor,
    causal_links,
    extracted_links,
)
from timewalk.ingest.links import (
    SCHEMA,
    WEEK,
    co_occurrence_links,
    column_of,
    mention_links,
    micros_of,
    middles,
    temporal_links,
    thread_links,
)
from timewalk.ingest.titles import TitleLinks, title_links

Positions = npt.NDArray[np.int64]

_NEARNESS = 0.15
"""Being near in time is a hint, not a statement: what a text states weighs more."""


@dataclass(frozen=True, kw_only=True)
class LinkRules:
    """Which links are inferred. The origin of each link names its rule.

    `threads`: `follows` within a thread ("thread"). `times`: `temporal` between neighbours in time ("time"), with
    `time_fallback` for memories that have no date of their own. `texts`: `causes` and `caused_by` where a text says so
    ("text:" and the cue), and `enabled_by` where it does not, but shares entities and rare words with an earlier one
    ("text:shared"). `titles`: `mentions` of the memories whose title a text names ("title"). `mentions`: from memories
    to their entities ("mention"). `co_occurrence`: between entities ("co_occurrence"). `extractors`: a caller's own
    ("extractor", or what they say).
    """

    threads: bool = True
    times: bool = True
    time_fallback: str | None = "mentioned_at"
    texts: bool = True
    titles: bool = True
    mentions: bool = True
    co_occurrence: bool = True
    extractors: tuple[LinkExtractor, ...] = ()

    def __post_init__(self) -> None:
        for name in ("threads", "times", "texts", "titles", "mentions", "co_occurrence"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidTypeError(f"{name} is True or False, not {getattr(self, name)!r}")
        if self.time_fallback not in (None, "mentioned_at", "created_at"):
            raise InvalidValueError(
                f"time_fallback is 'mentioned_at', 'created_at' or None, not {self.time_fallback!r}"
            )
        if not isinstance(self.extractors, (tuple, list)) or not all(map(callable, self.extractors)):
            raise InvalidTypeError(f"extractors is a tuple of callables, not {self.extractors!r}")
        object.__setattr__(self, "extractors", tuple(self.extractors))

    def infer(self, memories: pa.Table, mentions: pa.Table) -> pa.Table:
        """Links of all rules that are on, as one table of `timewalk.ingest.links.SCHEMA`.

        `memories`: id, text, namespace, thread and times, in the order of arrival. `mentions`: memory and entity (ids)
        and maybe confidence. Raises `UnknownIdError` for a mention of a memory that is not there.
        """
        found = [SCHEMA.empty_table()]
        if self.threads:
            found.append(thread_links(memories))
        if self.times:
            found.append(_fainter(temporal_links(memories, fallback=self.time_fallback)))
        if self.texts:
            found.append(causal_links(_with_entities(memories, mentions)))
        if self.titles:
            found.append(title_links(memories))
        if self.mentions:
            found.append(mention_links(mentions))
        if self.co_occurrence:
            found.append(co_occurrence_links(mentions))
        if self.extractors:
            found.append(extracted_links(memories, self.extractors))
        return pa.concat_tables(found).combine_chunks()


def _fainter(links: pa.Table) -> pa.Table:
    weight = pc.multiply(links["weight"], _NEARNESS)
    return links.set_column(SCHEMA.get_field_index("weight"), SCHEMA.field("weight"), weight)


def _with_entities(memories: pa.Table, mentions: pa.Table) -> pa.Table:
    """The memories with their mentions as a column of lists, sorted, so that the order of mentions does not matter."""
    owner = pc.index_in(column_of(mentions, "memory"), column_of(memories, "id"))
    if owner.null_count:
        row = pc.index(owner.is_null(), True).as_py()
        name = column_of(mentions, "memory")[row].as_py()
        raise UnknownIdError(f"there is no memory {name!r} (column 'memory', row {row})", column="memory", row=row)
    pairs = pa.table({"owner": owner, "entity": column_of(mentions, "entity").cast(pa.string())})
    pairs = pairs.sort_by([("owner", "ascending"), ("entity", "ascending")]).combine_chunks()
    counts = np.bincount(pairs["owner"].to_numpy(), minlength=memories.num_rows)
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]).astype(np.int32))
    values = pa.concat_arrays(pairs["entity"].chunks) if pairs.num_rows else pa.array([], pa.string())
    lists = pa.ListArray.from_arrays(offsets, values)
    kept = [name for name in memories.column_names if name != "entities"]
    return memories.select(kept).append_column("entities", lists)


class LinkChanges(NamedTuple):
    """What an update changes: ends and relation of links that are no more, links that are new or have another weight,
    and entities that no memory mentions any more.
    """

    removed: pa.Table
    set: pa.Table
    gone: list[str]


class InferredLinks:
    """The links of all rules, kept in step with memories that come and go: an update costs what it changes.

    However it came to hold its memories, the links are those of `LinkRules.infer` over all of them, but for the rules
    of a caller's own, which can only be asked about all memories at once.
    """

    def __init__(self, rules: LinkRules) -> None:
        self._rules = rules
        self._threads = ThreadLinks()
        self._times = TimeLinks(_micros(WEEK), 0.1, 5)
        self._mentions = MentionLinks(0.05, 20, 50)
        self._causes = CausalLinks(REPAIRS, REPAIR_FLOOR, CLAUSE_FLOOR, _micros(SEASON), ENTITY_WEIGHT)
        self._titles = TitleLinks()

    def update(self, removed: Positions, positions: Positions, memories: pa.Table, ids: pa.ChunkedArray) -> LinkChanges:
        """Takes memories out, by position, then others in, at `positions`.

        `memories`: row (order of arrival), id, text, namespace, thread, times, entities (lists of ids) and confidences
        (lists of float64). `ids`: the id at each position, of what is taken out too.
        """
        rules, found = self._rules, _Found(ids)
        out, into = pa.array(removed, pa.uint32()), pa.array(positions, pa.uint32())
        space, order = column_of(memories, "namespace"), column_of(memories, "row")
        if rules.threads:
            found.add("follows", self._threads.update(out, into, order, space, column_of(memories, "thread")))
        if rules.times:
            times = middles(memories, rules.time_fallback)
            *ends, weight = self._times.update(out, into, space, column_of(memories, "id"), times)
            found.add("temporal", (*ends, pc.multiply(weight, _NEARNESS)))
        entities = column_of(memories, "entities")
        if rules.texts:
            times = micros_of(memories, "occurred_start"), micros_of(memories, "occurred_end")
            gone, new = self._causes.update(out, into, order, (column_of(memories, "text"), space, *times, entities))
            for relation in ("caused_by", "causes", "enabled_by"):
                was, now = pc.equal(gone[2], relation), pc.equal(new[2], relation)
                old = [column.filter(was) for column in gone[:2]]
                found.add(relation, (*old, *(column.filter(now) for column in (new[0], new[1], new[3]))))
        if rules.titles:
            found.add("mentions", self._titles.update(removed, positions, space, column_of(memories, "text")))
        leaving = np.setdiff1d(removed, positions)
        mentions, pairs, unmentioned = self._mentions.update(
            pa.concat_arrays([pa.array(leaving, pa.uint32()), into]),
            pa.concat_arrays([_empty(len(leaving), pa.string()), entities]),
            pa.concat_arrays([_empty(len(leaving), pa.float64()), column_of(memories, "confidences")]),
        )
        if rules.mentions:
            found.add("mentions", mentions)
        if rules.co_occurrence:
            found.add("co_occurs", pairs)
        return LinkChanges(*found.tables(), unmentioned.to_pylist())


class _Found:
    """Gathers changes of several rules; ends that are positions become ids."""

    def __init__(self, ids: pa.ChunkedArray) -> None:
        self._ids = ids
        self._removed: list[pa.Table] = []
        self._set: list[pa.Table] = []

    def add(self, relation: str, changed: tuple[pa.Array, ...]) -> None:
        removed, new = changed[:2], changed[2:]
        if len(removed[0]):
            self._removed.append(pa.table([*map(self._named, removed), pa.repeat(relation, len(removed[0]))], _ENDS))
        if len(new[0]):
            ends = [self._named(end) for end in new[:2]]
            self._set.append(pa.table([*ends, pa.repeat(relation, len(new[0])), new[2]], _LINK.names))

    def tables(self) -> tuple[pa.Table, pa.Table]:
        """The gathered changes: what is no more, and what is new."""
        removed, new = _LINK.empty_table().select(_ENDS), _LINK.empty_table()
        return pa.concat_tables([removed, *self._removed]), pa.concat_tables([new, *self._set])

    def _named(self, ends: pa.Array) -> pa.Array:
        if not pa.types.is_integer(ends.type):
            return ends
        named = self._ids.take(ends)
        return named.combine_chunks() if isinstance(named, pa.ChunkedArray) else named


_LINK = pa.schema(
    [("source", pa.string()), ("target", pa.string()), ("relation", pa.string()), ("weight", pa.float64())]
)
_ENDS = _LINK.names[:3]


def _empty(rows: int, kind: pa.DataType) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(np.zeros(rows + 1, np.int32)), pa.array([], kind))


def _micros(span: timedelta) -> float:
    return span / timedelta(microseconds=1)
