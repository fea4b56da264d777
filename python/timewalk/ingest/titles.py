"""Links from memories to those whose title they name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import log

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from timewalk.ingest.identity import entity_key
from timewalk.ingest.known import KnownEntities
from timewalk.ingest.links import column_of, edge_table, namespaces_of
from timewalk.ingest.words import COMMON

_LONGEST = 80
_MOST_WORDS = 12
_SENTENCE_END = re.compile(r"[.!?:;,\u3002\uff01\uff1f]$")
_IN_BRACKETS = re.compile(r"\s*[(\uff08][^()\uff08\uff09]*[)\uff09]$")
_MOST_OF_A_NAME = 8  # memories that may go by one name; more of them are a heading rather than a title

Positions = npt.NDArray[np.int64]
Ends = tuple[int, int]


def title_of(text: str) -> str | None:
    """The title of a text: its first line, if that is short, no sentence, and not all there is."""
    line, _, rest = text.partition("\n")
    line = line.strip()
    if not 2 <= len(line) <= _LONGEST or not rest.strip() or len(line.split()) > _MOST_WORDS:
        return None
    return None if _SENTENCE_END.search(line) or entity_key(line) in COMMON else line


def title_links(memories: pa.Table) -> pa.Table:
    """`mentions` links from each memory to those whose title its text names; the origin is "title".

    `memories`: id, text and maybe namespace. A title is a first line that is short and no sentence; what it has in
    brackets at its end ("Lilu (mythology)") may be missing where it is named. Whole words count, in any case and
    Unicode form; a title that is an ordinary word counts for nothing. The weight is ln(n/m)/ln(n), n being the
    memories of the namespace and m those that name the title, both by their next power of two, so that what
    everything names ties nothing together. A namespace is never crossed. O(text) for all titles together (Aho and
    Corasick 1975).
    """
    ids = column_of(memories, "id")
    everything = np.arange(len(ids))
    texts = column_of(memories, "text").cast(pa.string())
    _, _, source, target, weight = TitleLinks().update(everything[:0], everything, namespaces_of(memories), texts)
    return edge_table(ids.take(source), ids.take(target), "mentions", weight.to_numpy(), "title")


class TitleLinks:
    """The links of `title_links`, kept in step with memories that come and go, by position.

    New texts are searched for all titles, and all texts for new titles.
    """

    def __init__(self) -> None:
        self._spaces: dict[str | None, _Space] = {}
        self._space_of: dict[int, _Space] = {}

    def update(
        self, removed: Positions, positions: Positions, namespaces: pa.Array, texts: pa.Array
    ) -> tuple[pa.Array, pa.Array, pa.Array, pa.Array, pa.Array]:
        """Takes memories out, then others in at `positions`. Source and target of links that are no more, and source,
        target and weight of those that are new or have another weight.
        """
        touched = {}
        for position in removed.tolist():
            space = self._space_of.pop(position, None)
            if space is not None:
                space.take_out(position)
                touched[id(space)] = space
        written = texts.to_pylist()
        rows: dict[str | None, list[int]] = {}
        for row, name in enumerate(namespaces.to_pylist()):
            rows.setdefault(name, []).append(row)
        for name, own in rows.items():
            space = self._spaces.setdefault(name, _Space())
            space.put_in({int(positions[row]): written[row] or "" for row in own})
            self._space_of.update(dict.fromkeys((int(positions[row]) for row in own), space))
            touched[id(space)] = space
        gone: list[Ends] = []
        new: list[tuple[Ends, float]] = []
        for space in touched.values():
            before, space.links = space.links, space.made()
            gone += before.keys() - space.links.keys()
            new += (link for link in space.links.items() if before.get(link[0]) != link[1])
        gone.sort()
        new.sort()
        return (
            pa.array([source for source, _ in gone], pa.uint32()),
            pa.array([target for _, target in gone], pa.uint32()),
            pa.array([source for (source, _), _ in new], pa.uint32()),
            pa.array([target for (_, target), _ in new], pa.uint32()),
            pa.array([weight for _, weight in new], pa.float64()),
        )


class _Space:
    """The memories of one namespace."""

    def __init__(self) -> None:
        self.links: dict[Ends, float] = {}
        self._texts: dict[int, str] = {}
        self._named: dict[int, set[str]] = {}  # names in each text
        self._naming: dict[str, set[int]] = {}  # and the other way round
        self._bearers: dict[str, set[int]] = {}
        self._names: dict[int, set[str]] = {}
        self._known: KnownEntities | None = None

    def take_out(self, position: int) -> None:
        self._texts.pop(position)
        for name in self._named.pop(position, ()):
            self._naming[name].discard(position)
        for name in self._names.pop(position, ()):
            self._bearers[name].discard(position)
            if not self._bearers[name]:
                del self._bearers[name]
                for other in self._naming.pop(name, ()):
                    self._named[other].discard(name)
                self._known = None

    def put_in(self, texts: dict[int, str]) -> None:
        fresh: dict[str, None] = {}
        for position, text in texts.items():
            names = _names_of(text)
            for name in names:
                if name not in self._bearers:
                    fresh[name] = None
                self._bearers.setdefault(name, set()).add(position)
            if names:
                self._names[position] = names
        if fresh:
            self._known = None
            self._search(KnownEntities(fresh), self._texts)
        self._texts.update(texts)
        if self._bearers:
            self._known = self._known or KnownEntities(sorted(self._bearers))
            self._search(self._known, texts)

    def _search(self, names: KnownEntities, texts: dict[int, str]) -> None:
        for position, mentions in zip(texts, names(list(texts.values())), strict=True):
            for mention in mentions:
                self._named.setdefault(position, set()).add(mention.name)
                self._naming.setdefault(mention.name, set()).add(position)

    def made(self) -> dict[Ends, float]:
        naming: dict[int, set[int]] = {}
        for name, bearers in self._bearers.items():
            if len(bearers) <= _MOST_OF_A_NAME:
                for bearer in bearers:
                    naming.setdefault(bearer, set()).update(self._naming.get(name, ()))
        size = _stepped(len(self._texts))
        links = {}
        for bearer, sources in naming.items():
            sources.discard(bearer)
            # In steps, so that a new memory changes few of the weights.
            weight = log(size / _stepped(len(sources))) / log(size) if sources and size > 1 else 0.0
            if weight > 0:
                links.update(dict.fromkeys(((source, bearer) for source in sources), weight))
        return links


def _names_of(text: str) -> set[str]:
    title = title_of(text)
    if title is None:
        return set()
    names: Iterable[str] = (entity_key(title), entity_key(_IN_BRACKETS.sub("", title)))
    return {name for name in names if len(name) > 1 and name not in COMMON}


def _stepped(number: int) -> int:
    """The next power of two."""
    return 1 << (number - 1).bit_length()
