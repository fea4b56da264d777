"""All links that ingestion infers, rule by rule, each of which can be switched off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timewalk.errors import UnknownIdError
from timewalk.ingest.causal import LinkExtractor, causal_links, extracted_links
from timewalk.ingest.links import SCHEMA, co_occurrence_links, column_of, mention_links, temporal_links, thread_links
from timewalk.ingest.titles import title_links

_NEARNESS = 0.3


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
    """Being near in time is a hint, not a statement: what a text states weighs more."""
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
