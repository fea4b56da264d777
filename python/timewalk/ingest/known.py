"""Known entities, found by their names and aliases wherever they stand, in any script and any case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from timewalk import _core
from timewalk.errors import InvalidTypeError
from timewalk.ingest.identity import entity_key
from timewalk.ingest.mentions import EntityExtractor, Mention, once
from timewalk.ingest.schema import bad_type, bad_value
from timewalk.ingest.words import COMMON


class Entity(NamedTuple):
    """An entity that the caller knows: its name, its type, and what else it is called."""

    name: str
    type: str = "thing"
    aliases: Sequence[str] = ()


class KnownEntities:
    """Finds known entities by name and alias in one pass over each text (Aho and Corasick 1975).

    Names count as whole words, except in scripts without spaces, and in any case and Unicode form; of two that
    overlap, the one that begins first counts, and of those the longest. A mention carries the entity's own name and
    type, whatever alias was written. An alias that is also an entity's name stands for that entity; one that several
    share, for the first of them. Ordinary words ("Will", "May") are left to `other`, since their case is not looked at.

    `other`: a further extractor, whose mentions join in; an alias that it finds becomes the entity's name.
    Raises `InvalidValueError` for a blank name.
    """

    def __init__(self, entities: Iterable[Entity | tuple[str, str] | str], *, other: EntityExtractor | None = None):
        self._entities = [_entity(entity, row) for row, entity in enumerate(entities)]
        self._by_key: dict[str, int] = {}
        for names in (lambda entity: (entity.name,), lambda entity: entity.aliases):
            for number, entity in enumerate(self._entities):
                for name in names(entity):
                    if not entity_key(name):
                        raise bad_value("an entity needs a name that is not blank", "name", number)
                    self._by_key.setdefault(entity_key(name), number)
        looked_for = [key for key in self._by_key if key not in COMMON and len(key) > 1]
        folded = _folded(looked_for)
        self._numbers = [self._by_key[key] for key in looked_for]
        self._exact = [entity_key(self._entities[self._by_key[key]].name) == key for key in looked_for]
        self._matcher = _core.NameMatcher(folded)
        self._other = other

    def __len__(self) -> int:
        return len(self._entities)

    def __call__(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Mentions of each text: known entities in order of appearance, then those of `other`."""
        if isinstance(texts, str):
            raise InvalidTypeError("texts are a sequence of strings, not one string")
        found: list[list[Mention]] = [[] for _ in texts]
        rows, names = self._matcher.find(_folded(texts))
        for row, name in zip(rows.to_pylist(), names.to_pylist(), strict=True):
            entity = self._entities[self._numbers[name]]
            found[row].append(Mention(entity.name, entity.type, 0.95 if self._exact[name] else 0.85))
        if self._other is not None:
            for mentions, more in zip(found, self._other(texts), strict=True):
                mentions += [self._named(mention) for mention in more]
        return [once(mentions) for mentions in found]

    def _named(self, mention: Mention) -> Mention:
        number = self._by_key.get(entity_key(mention.name))
        if number is None:
            return mention
        entity = self._entities[number]
        return Mention(entity.name, entity.type, mention.confidence)


def _entity(entity: Entity | tuple[str, str] | str, row: int) -> Entity:
    if isinstance(entity, str):
        entity = Entity(entity)
    if not isinstance(entity, tuple) or not all(isinstance(part, str) for part in entity[:2]):
        raise bad_type("an entity is a name, a (name, type) pair or an Entity", "name", row)
    made = Entity(*entity)
    if isinstance(made.aliases, str) or not all(isinstance(alias, str) for alias in made.aliases):
        raise bad_type("aliases are a sequence of strings", "aliases", row)
    return made


def _folded(texts: Sequence[str]) -> pa.Array:
    """Texts in one form for comparison: NFKC, lower case, white space as single spaces."""
    try:
        column = pa.array(list(texts), pa.string())
    except UnicodeEncodeError:
        column = pa.array([text.encode("utf-8", "replace").decode() for text in texts], pa.string())
    column = pc.utf8_lower(pc.utf8_normalize(column, "NFKC"))
    return pc.replace_substring_regex(column, pattern=r"\s+", replacement=" ")
