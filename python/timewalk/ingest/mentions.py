"""What an entity extractor is, and what it finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from timewalk.ingest.identity import entity_key


class Mention(NamedTuple):
    """One entity found in a text: its name as written there, its type, and a confidence in (0, 1].

    Types: person, place, organisation, event, thing, concept, file and code; an extractor may have its own.
    """

    name: str
    type: str
    confidence: float


@runtime_checkable
class EntityExtractor(Protocol):
    """Anything that finds entities: for each text its mentions, each entity once, in order of appearance.

    The same extractor reads memories and questions, so that both name an entity alike. What it finds in a text must
    not depend on the other texts of the call.
    """

    def __call__(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Mentions of each text."""
        ...


def once(mentions: Iterable[Mention]) -> list[Mention]:
    """Each entity once (by `entity_key`), in its first form, with the type and confidence of its surest mention."""
    found: dict[str, Mention] = {}
    for mention in mentions:
        key = entity_key(mention.name)
        if not key:
            continue
        first = found.get(key)
        if first is None:
            found[key] = mention
        elif mention.confidence > first.confidence:
            found[key] = first._replace(type=mention.type, confidence=mention.confidence)
    return list(found.values())
