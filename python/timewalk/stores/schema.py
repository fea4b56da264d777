"""The tables of a store file, and how a file is recognised as one."""

from __future__ import annotations

APPLICATION_ID = 0x7477_6C6B  # "twlk", SQLite's own field for telling file types apart
VERSION = 2

# Rows, not ids, join the tables: an id can be long, and renaming one would touch every edge.
# `change` grows with every write, so that caches know what they have seen; `edit` says what of that they knew before:
# memories that were changed or deleted (kind 0) and memories from which links may have grown (kind 1).
EDITS = """
CREATE TABLE edit (
    memory INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    change INTEGER NOT NULL,
    PRIMARY KEY (memory, kind)
) WITHOUT ROWID;
CREATE INDEX edit_change ON edit (change);
"""
TABLES = f"""{EDITS}
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE memory (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    namespace TEXT NOT NULL,
    text TEXT NOT NULL,
    fact_type TEXT,
    thread TEXT,
    author TEXT,
    tags TEXT NOT NULL,
    occurred_start INTEGER,
    occurred_end INTEGER,
    mentioned_at INTEGER,
    created_at INTEGER NOT NULL,
    recent_accesses TEXT NOT NULL,
    historical_count INTEGER NOT NULL,
    invalid_at INTEGER,
    metadata TEXT NOT NULL
);
CREATE TABLE vector (
    memory INTEGER PRIMARY KEY REFERENCES memory (row) ON DELETE CASCADE,
    data BLOB NOT NULL
);
CREATE TABLE entity (
    row INTEGER PRIMARY KEY,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    UNIQUE (namespace, key)
);
CREATE TABLE mention (
    memory INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    entity INTEGER NOT NULL REFERENCES entity (row),
    confidence REAL NOT NULL,
    PRIMARY KEY (memory, entity)
) WITHOUT ROWID;
CREATE INDEX mention_entity ON mention (entity);
CREATE TABLE link (
    source INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    target INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    relation TEXT NOT NULL,
    weight REAL NOT NULL,
    origin TEXT NOT NULL,
    PRIMARY KEY (source, target, relation)
) WITHOUT ROWID;
CREATE INDEX link_target ON link (target);
CREATE TABLE relation (
    name TEXT PRIMARY KEY,
    inverse TEXT NOT NULL,
    kind TEXT NOT NULL,
    boost REAL NOT NULL
) WITHOUT ROWID;
"""
