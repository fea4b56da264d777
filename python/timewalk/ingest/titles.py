"""Links from memories to those whose title they name."""

from __future__ import annotations

import re
from math import log

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timewalk.ingest.identity import entity_key
from timewalk.ingest.known import KnownEntities
from timewalk.ingest.links import SCHEMA, column_of, edge_table, namespaces_of
from timewalk.ingest.words import COMMON

_LONGEST = 80
_MOST_WORDS = 12
_TITLE = rf"^[^\n]{{2,{_LONGEST}}}\n\s*\S"
_SENTENCE_END = re.compile(r"[.!?:;,\u3002\uff01\uff1f]$")
_IN_BRACKETS = re.compile(r"\s*[(\uff08][^()\uff08\uff09]*[)\uff09]$")
_MOST_OF_A_NAME = 8
"""Memories that may go by one name; more of them are a heading rather than a title."""


def title_of(text: str) -> str | None:
    """The title of a text: its first line, if that is short, no sentence, and not all there is."""
    line, _, rest = text.partition("\n")
    line = line.strip()
    if not rest.strip() or not 2 <= len(line) <= _LONGEST or len(line.split()) > _MOST_WORDS:
        return None
    return None if _SENTENCE_END.search(line) or entity_key(line) in COMMON else line


def titled(memories: pa.Table) -> npt.NDArray[np.bool_]:
    """Which memories may have a title, by the form of their `text`."""
    matches = pc.match_substring_regex(column_of(memories, "text").cast(pa.string()), _TITLE)
    return np.asarray(pc.fill_null(matches, False).to_numpy(zero_copy_only=False), np.bool_)


def title_links(memories: pa.Table) -> pa.Table:
    """`mentions` links from each memory to those whose title its text names; the origin is "title".

    `memories`: id, text and maybe namespace. A title is a first line that is short and no sentence; what it has in
    brackets at its end ("Lilu (mythology)") may be missing where it is named. Whole words count, in any case and
    Unicode form; a title that is an ordinary word counts for nothing. The weight is ln(n/m)/ln(n), n being the
    memories of the namespace and m those that name the title, so that what everything names ties nothing together.
    A namespace is never crossed. O(text) for all titles together (Aho and Corasick 1975).
    """
    texts = column_of(memories, "text").cast(pa.string())
    with_title = np.flatnonzero(titled(memories))
    if not len(with_title):
        return SCHEMA.empty_table()
    spaces = namespaces_of(memories).dictionary_encode().indices.to_numpy(zero_copy_only=False)
    tables = [SCHEMA.empty_table()]
    for space in np.unique(spaces[with_title]).tolist():
        rows = np.flatnonzero(spaces == space)
        tables.append(_within(column_of(memories, "id").take(rows), texts.take(rows)))
    return pa.concat_tables(tables).combine_chunks()


def _within(ids: pa.Array, texts: pa.Array) -> pa.Table:
    found = [text or "" for text in texts.to_pylist()]
    bearers: dict[str, list[int]] = {}
    for row, text in enumerate(found):
        title = title_of(text)
        for name in {entity_key(title), entity_key(_IN_BRACKETS.sub("", title))} if title else ():
            if name and name not in COMMON:
                bearers.setdefault(name, []).append(row)
    names = [name for name, rows in bearers.items() if len(rows) <= _MOST_OF_A_NAME]
    if not names:
        return SCHEMA.empty_table()
    naming: dict[int, set[int]] = {}
    for row, mentions in enumerate(KnownEntities(names)(found)):
        for mention in mentions:
            for bearer in bearers[mention.name]:
                if bearer != row:
                    naming.setdefault(bearer, set()).add(row)
    everything = log(max(len(found), 2))
    sources, targets, weights = [], [], []
    for bearer, rows in sorted(naming.items()):
        weight = log(len(found) / len(rows)) / everything
        if weight > 0:
            sources += sorted(rows)
            targets += [bearer] * len(rows)
            weights += [weight] * len(rows)
    return edge_table(
        ids.take(pa.array(sources, pa.int64())), ids.take(pa.array(targets, pa.int64())), "mentions", weights, "title"
    )
