"""Entities in texts: the protocol of extractors, the rules that need no model, and models as options."""

from __future__ import annotations

from timewalk.ingest.known import Entity, KnownEntities
from timewalk.ingest.mentions import EntityExtractor, Mention, once
from timewalk.ingest.models import GlinerExtractor, SpacyExtractor
from timewalk.ingest.rules import RuleExtractor

__all__ = [
    "Entity",
    "EntityExtractor",
    "GlinerExtractor",
    "KnownEntities",
    "Mention",
    "RuleExtractor",
    "SpacyExtractor",
    "once",
]
