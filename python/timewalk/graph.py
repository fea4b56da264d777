"""Memory graphs in and out: NetworkX, GraphML and JSON lines. Arrow tables are `MemoryGraph`'s own."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa

from timewalk._core import MemoryGraph
from timewalk.errors import FileFormatError, InvalidTypeError, MissingDependencyError, UnknownIdError
from timewalk.files import unreadable, unwritable
from timewalk.times import to_micros

_TIME = pa.timestamp("us", tz="UTC")
MEMORY = pa.schema(
    [
        ("id", pa.string()),
        ("namespace", pa.string()),
        ("fact_type", pa.string()),
        ("thread", pa.string()),
        ("author", pa.string()),
        ("tags", pa.list_(pa.string())),
        ("occurred_start", _TIME),
        ("occurred_end", _TIME),
        ("mentioned_at", _TIME),
        ("created_at", _TIME),
        ("embedding", pa.list_(pa.float32())),
    ]
)
"""Columns of a memory in the graph."""

_ENTITY = pa.schema([("id", pa.string()), ("namespace", pa.string()), ("type", pa.string())])
_EDGE = pa.schema(
    [("source", pa.string()), ("target", pa.string()), ("relation", pa.string()), ("weight", pa.float64())]
)
_TIMES = ("occurred_start", "occurred_end", "mentioned_at", "created_at", "invalid_at")
_GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
Record = dict[str, Any]


def records(graph: MemoryGraph) -> Iterator[Record]:
    """The graph as dicts that JSON can hold: its relations, memories, entities and edges, in this order.

    Each has a "kind" ("relation", "memory", "entity" or "edge"), times are ISO strings, nulls are left out.
    """
    for kind, table in (
        ("relation", graph.relations()),
        ("memory", graph.memories()),
        ("entity", graph.entities()),
        ("edge", graph.edges()),
    ):
        name = "role" if kind == "relation" else None  # a relation's own "kind" would hide what the record is
        if name:
            table = table.rename_columns(["role" if column == "kind" else column for column in table.column_names])
        for batch in table.to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                yield {"kind": kind, **{key: _plain(value) for key, value in row.items() if value not in (None, [])}}


def from_records(items: Iterator[Record]) -> MemoryGraph:
    """A graph from dicts as `records` gives them, in any order.

    Raises the errors of `MemoryGraph.add_memories` and `add_edges`, and `FileFormatError` for an unknown kind.
    """
    kinds: dict[str, list[Record]] = {"relation": [], "memory": [], "entity": [], "edge": []}
    for number, item in enumerate(items):
        kind = item.get("kind")
        if not isinstance(kind, str) or kind not in kinds:
            raise FileFormatError(f"record {number} is of kind {kind!r}; known are {', '.join(kinds)}", row=number)
        kinds[kind].append(item)
    graph = MemoryGraph()
    for relation in kinds["relation"]:
        missing = {"name", "inverse", "role", "boost"} - relation.keys()
        if missing:
            raise FileFormatError(f"a record of kind 'relation' lacks {', '.join(sorted(missing))}")
        graph.register_relation(
            relation["name"], inverse=relation["inverse"], kind=relation["role"], boost=relation["boost"]
        )
    graph.add_memories(_table(kinds["memory"], MEMORY))
    graph.add_entities(_table(kinds["entity"], _ENTITY))
    graph.add_edges(_table(kinds["edge"], _EDGE))
    for memory in kinds["memory"]:
        if "invalid_at" in memory:
            graph.invalidate([memory["id"]], at=memory["invalid_at"])
    for entity in kinds["entity"]:
        aliases = entity.get("aliases", [])
        if not isinstance(aliases, list):
            raise FileFormatError(f"the aliases of the entity {entity.get('id')!r} are a list, not {aliases!r}")
        if aliases:
            namespace = entity.get("namespace")
            graph.add_entities(_table([{"id": alias, "namespace": namespace} for alias in aliases], _ENTITY))
            graph.merge_entities(entity["id"], aliases)
    return graph


def write_jsonl(graph: MemoryGraph, path: str | os.PathLike[str]) -> None:
    """Writes one record a line, in UTF-8. Raises `FileAccessError` where the file cannot be written."""
    with _writing(path) as file:
        for record in records(graph):
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def read_jsonl(path: str | os.PathLike[str]) -> MemoryGraph:
    """A graph from what `write_jsonl` wrote. Raises `FileFormatError` with the line that is not JSON."""

    def lines() -> Iterator[Record]:
        with _reading(path) as file:
            for number, raw in enumerate(file, 1):
                try:
                    line = raw.decode()
                except UnicodeDecodeError:
                    raise FileFormatError(f"{os.fspath(path)}, line {number}: not UTF-8") from None
                if not line.strip():
                    continue
                try:
                    record = json.loads(line)
                except ValueError as error:
                    raise FileFormatError(f"{os.fspath(path)}, line {number}: not JSON ({error})") from None
                if not isinstance(record, dict):
                    raise FileFormatError(f"{os.fspath(path)}, line {number}: not a JSON object")
                yield record

    return from_records(lines())


def to_networkx(graph: MemoryGraph) -> Any:
    """A `networkx.MultiDiGraph`: nodes by id with their attributes, edges by relation with their weight.

    The graph's own relations are in its attribute "relations". Raises `MissingDependencyError` without networkx.
    """
    networkx = _networkx()
    out = networkx.MultiDiGraph(relations=[record for record in records(graph) if record["kind"] == "relation"])
    for record in records(graph):
        if record["kind"] in ("memory", "entity"):
            out.add_node(record.pop("id"), **record)
        elif record["kind"] == "edge":
            out.add_edge(record["source"], record["target"], key=record["relation"], weight=record["weight"])
    return out


def from_networkx(graph: Any) -> MemoryGraph:
    """A graph from any NetworkX graph.

    Nodes are memories unless their attribute "kind" says "entity"; attributes of the names that `add_memories` takes
    count. An edge's relation is its attribute "relation", else its key in a multigraph, else "temporal"; its weight
    defaults to 1.0. Undirected edges become one edge each way.
    """
    if not all(hasattr(graph, name) for name in ("nodes", "edges", "graph", "is_multigraph", "is_directed")):
        raise InvalidTypeError(f"a networkx graph is expected, not {type(graph).__name__}")
    own = [relation for relation in graph.graph.get("relations", []) if isinstance(relation, dict)]
    known = set(MemoryGraph().relations()["name"].to_pylist()) | {relation["name"] for relation in own}

    def items() -> Iterator[Record]:
        yield from own
        for id, attributes in graph.nodes(data=True):
            kind = "entity" if attributes.get("kind") == "entity" else "memory"
            yield {**attributes, "kind": kind, "id": str(id)}
        edges = graph.edges(keys=True, data=True) if graph.is_multigraph() else graph.edges(data=True)
        for source, target, *key, attributes in edges:
            default = key[0] if key and key[0] in known else "temporal"
            relation, weight = attributes.get("relation", default), attributes.get("weight", 1.0)
            edge = {"kind": "edge", "relation": relation, "weight": weight}
            yield {**edge, "source": str(source), "target": str(target)}
            if not graph.is_directed():
                yield {**edge, "source": str(target), "target": str(source)}

    return from_records(items())


def write_graphml(graph: MemoryGraph, path: str | os.PathLike[str]) -> None:
    """Writes GraphML for Gephi, yEd, igraph and others: every value as text, lists and relations as JSON.

    Read back by `read_graphml`, the graph is the same. Raises `FileAccessError` where the file cannot be written.
    """
    names = ["kind", *MEMORY.names[1:], "invalid_at", "type", "aliases"]
    with _writing(path) as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write(f"<graphml xmlns={quoteattr(_GRAPHML[1:-1])}>\n")
        for name in names:
            file.write(f'<key id="{name}" for="node" attr.name="{name}" attr.type="string"/>\n')
        file.write('<key id="relation" for="edge" attr.name="relation" attr.type="string"/>\n')
        file.write('<key id="weight" for="edge" attr.name="weight" attr.type="double"/>\n')
        file.write('<key id="relations" for="graph" attr.name="relations" attr.type="string"/>\n')
        file.write('<graph id="memory" edgedefault="directed">\n')
        relations = [record for record in records(graph) if record["kind"] == "relation"]
        file.write(f'<data key="relations">{escape(json.dumps(relations, ensure_ascii=False))}</data>\n')
        for record in records(graph):
            if record["kind"] in ("memory", "entity"):
                file.write(f"<node id={quoteattr(record.pop('id'))}>")
                for name, value in record.items():
                    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                    file.write(f'<data key="{name}">{escape(text)}</data>')
                file.write("</node>\n")
            elif record["kind"] == "edge":
                file.write(f"<edge source={quoteattr(record['source'])} target={quoteattr(record['target'])}>")
                file.write(f'<data key="relation">{escape(record["relation"])}</data>')
                file.write(f'<data key="weight">{record["weight"]!r}</data></edge>\n')
        file.write("</graph>\n</graphml>\n")


def read_graphml(path: str | os.PathLike[str]) -> MemoryGraph:
    """A graph from what `write_graphml` wrote. Raises `FileFormatError` for anything that is not GraphML."""
    names: dict[str, str] = {}

    def data(element: ElementTree.Element) -> Record:
        found = ((names.get(part.get("key", ""), ""), part.text or "") for part in element.iter(f"{_GRAPHML}data"))
        lists = ("tags", "embedding", "aliases")
        return {name: json.loads(text) if name in lists else text for name, text in found if name}

    def items() -> Iterator[Record]:
        with _reading(path) as file:
            for _, element in ElementTree.iterparse(file):
                if element.tag == f"{_GRAPHML}key":
                    names[element.get("id", "")] = element.get("attr.name", "")
                elif element.tag == f"{_GRAPHML}data" and names.get(element.get("key", "")) == "relations":
                    yield from json.loads(element.text or "[]")
                elif element.tag == f"{_GRAPHML}node":
                    yield {"kind": "memory", **data(element), "id": element.get("id")}
                    element.clear()
                elif element.tag == f"{_GRAPHML}edge":
                    ends = {"source": element.get("source"), "target": element.get("target")}
                    fields = data(element)
                    weight = float(fields.get("weight", 1.0))
                    yield {"relation": "temporal", **fields, **ends, "kind": "edge", "weight": weight}
                    element.clear()

    try:
        return from_records(items())
    except (ElementTree.ParseError, json.JSONDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{os.fspath(path)} is not GraphML: {error}") from None


def path_to(table: pa.Table, id: str) -> list[Record]:
    """The steps that brought a row in, from its seed: source, relation, weight, target.

    For a table of `walk` or `best_first`, or of `spread` or `pagerank` under `paths=True`. Empty for a seed; a path
    begins later where the table was cut above it (`limit`, `max_active`). Raises `UnknownIdError` for an id that the
    table does not hold, and for a table without paths.
    """
    missing = {"id", "parent", "relation", "weight"} - set(table.column_names)
    if missing:
        raise UnknownIdError(f"the table has no column {', '.join(sorted(missing))}; ask for it with paths=True")
    rows = {row["id"]: row for row in table.select(["id", "parent", "relation", "weight"]).to_pylist()}
    if id not in rows:
        raise UnknownIdError(f"the table has no row of '{id}'")
    steps: list[Record] = []
    row: Record | None = rows[id]
    while row is not None and row["parent"] is not None:
        steps.append(
            {"source": row["parent"], "relation": row["relation"], "weight": row["weight"], "target": row["id"]}
        )
        row = rows.get(row["parent"])
    return steps[::-1]


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _table(rows: list[Record], schema: pa.Schema) -> pa.Table:
    times = [name for name in _TIMES if name in schema.names]
    rows = [
        {**row, **{name: to_micros(row[name]) for name in times if isinstance(row.get(name), str | datetime)}}
        for row in rows
    ]
    try:
        return pa.Table.from_pylist(rows, schema)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
        raise InvalidTypeError(f"a record does not fit its columns: {error}") from None


@contextmanager
def _writing(path: str | os.PathLike[str]) -> Iterator[IO[str]]:
    try:
        with Path(path).open("w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise unwritable(path, error) from error


@contextmanager
def _reading(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    try:
        with Path(path).open("rb") as file:
            yield file
    except OSError as error:
        raise unreadable(path, error) from error


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise MissingDependencyError("networkx is needed for this; install it with: pip install networkx") from None
    return networkx
