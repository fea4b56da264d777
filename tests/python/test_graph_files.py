"""The graph in files and copies: the same answers to the bit, and clear words for what is damaged."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import zlib

import pyarrow as pa
import pytest
from oracles.graphs import BASE, DAY, build, edge_table, random_graph

import timewalk as tw
from timewalk import graph as forms


def rich(seed=3):
    """A graph with everything: patched rows, own relations, entities with aliases, deleted and invalid nodes."""
    memories, edges = random_graph(seed, most=60)
    graph = build(memories, edges)
    graph.register_relation("breaks", inverse="broken_by", boost=1.25)
    graph.add_entities(pa.table({"id": ["ann", "anne", "北京"], "type": ["person", "person", None]}))
    ids = list(memories)
    graph.add_edges(
        edge_table(
            [(ids[0], "ann", "mentions", 0.1), (ids[1], "anne", "mentions", 1.0), (ids[2], ids[3], "breaks", 1.0)]
        )
    )
    graph.merge_entities("ann", ["anne"])
    graph.invalidate([ids[4]], at=BASE)
    graph.delete([ids[5]])
    return graph, [ids[0], ids[1], "anne"]


def answers(graph, seeds):
    window = (BASE - 6 * DAY, BASE + 6 * DAY)
    return [
        graph.walk(window, query=[0.5, 0.5, 0.5, 0.5], threshold=0.1),
        graph.walk(window, order="breadth", as_of=BASE - 1),
        graph.spread(seeds, depth=4),
        graph.pagerank(seeds, direction="both"),
        graph.best_first(seeds),
        graph.entities(),
        graph.relations(),
        graph.memories(),
        graph.edges().sort_by([("source", "ascending"), ("target", "ascending"), ("relation", "ascending")]),
    ]


def same(graph, other, seeds):
    return all(a.equals(b) for a, b in zip(answers(graph, seeds), answers(other, seeds), strict=True))


def test_a_file_answers_the_same_to_the_bit_and_can_be_written_to(tmp_path):
    graph, seeds = rich()
    path = tmp_path / "memory.graph"
    graph.save(path)
    loaded = tw.MemoryGraph.load(path)
    assert same(graph, loaded, seeds)
    assert loaded.check() == []
    more = edge_table([(seeds[0], "北京", "mentions", 1.0)])
    changed = pa.table({"id": [seeds[0]], "embedding": [[0.0, 0.0, 0.0, 1.0]]})
    for one in (graph, loaded):
        one.add_edges(more)
        one.add_memories(changed)
    assert same(graph, loaded, seeds)
    assert os.listdir(tmp_path) == ["memory.graph"]
    loaded.save(path)  # over the file that its own map reads
    assert same(graph, loaded, seeds)
    assert same(graph, tw.MemoryGraph.load(path), seeds)


def test_pickle_and_copies():
    for graph, seeds in (rich(), (tw.MemoryGraph(), [])):
        for other in (pickle.loads(pickle.dumps(graph)), copy.copy(graph), copy.deepcopy(graph)):
            if seeds:
                assert same(graph, other, seeds)
            other.add_memories(pa.table({"id": ["only here"]}))
            assert "only here" not in graph
            assert "only here" in other


def test_json_lines_graphml_and_networkx_and_back(tmp_path):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    graph, seeds = rich()
    forms.write_jsonl(graph, tmp_path / "g.jsonl")
    forms.write_graphml(graph, tmp_path / "g.graphml")
    assert same(graph, forms.read_jsonl(tmp_path / "g.jsonl"), seeds)
    assert same(graph, forms.read_graphml(tmp_path / "g.graphml"), seeds)
    net = forms.to_networkx(graph)
    assert net.number_of_nodes() == len(graph)
    assert net.number_of_edges() == graph.num_edges
    assert same(graph, forms.from_networkx(net), seeds)
    read = networkx.read_graphml(tmp_path / "g.graphml")
    assert read.number_of_edges() == graph.num_edges


def test_foreign_networkx_graphs():
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    net = networkx.Graph([(1, 2, {"weight": 0.5}), (2, 3)])
    graph = forms.from_networkx(net)
    assert {tuple(row.values()) for row in graph.edges().to_pylist()} == {
        ("1", "2", "temporal", 0.5), ("2", "1", "temporal", 0.5),
        ("2", "3", "temporal", 1.0), ("3", "2", "temporal", 1.0),
    }  # fmt: skip


def test_bad_text_files_are_named(tmp_path):
    bad = tmp_path / "bad"
    bad.write_text('{"kind": "memory", "id": "a"}\n{"kind"\n')
    with pytest.raises(tw.FileFormatError, match="line 2"):
        forms.read_jsonl(bad)
    bad.write_text('{"kind": "planet", "id": "a"}\n')
    with pytest.raises(tw.FileFormatError, match="planet"):
        forms.read_jsonl(bad)
    bad.write_text('{"kind": "memory", "id": "a", "tags": 3}\n')
    with pytest.raises(tw.InvalidTypeError):
        forms.read_jsonl(bad)
    bad.write_text("<graphml")
    with pytest.raises(tw.FileFormatError):
        forms.read_graphml(bad)
    for read in (forms.read_jsonl, forms.read_graphml, tw.MemoryGraph.load):
        with pytest.raises(tw.FileAccessError):
            read(tmp_path / "absent")
    for write in (forms.write_jsonl, forms.write_graphml, tw.MemoryGraph.save):
        with pytest.raises(tw.FileAccessError):
            write(tw.MemoryGraph(), tmp_path / "absent" / "x")


def test_every_damage_to_a_file_is_a_clear_error(tmp_path):
    graph, _ = rich()
    data = graph.to_bytes()
    path = tmp_path / "damaged"

    def refused(content):
        path.write_bytes(content)
        for load in (lambda: tw.MemoryGraph.load(path), lambda: tw.MemoryGraph.from_bytes(content)):
            with pytest.raises(tw.FileFormatError):
                load()

    for content in (b"", b"timewalk", b"something else entirely, and long enough for a header"):
        refused(content)
    for cut in (1, 64, len(data) // 2, len(data) - 40):
        refused(data[:-cut])
    refused(data + b"\0" * 64)
    refused(data[:8] + (2).to_bytes(4, "little") + data[12:])


def test_no_bit_of_a_file_changes_unseen():
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": ["a", "b"], "tags": [["x"], None], "embedding": [[1.0, 2.0], [0.0, 1.0]]}))
    graph.add_edges(edge_table([("a", "b", "causes", 0.5)]))
    data = graph.to_bytes()
    assert tw.MemoryGraph.from_bytes(data).edges().equals(graph.edges())
    for at in range(len(data)):
        for bit in range(8):
            changed = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
            with pytest.raises(tw.FileFormatError):
                tw.MemoryGraph.from_bytes(changed)


def test_false_contents_under_true_checksums_are_refused():
    """A file made up by someone: checksums fit, numbers lead nowhere. Every one is an error or a sound graph."""
    graph, seeds = rich()
    data = bytearray(graph.to_bytes())
    count = int.from_bytes(data[12:16], "little")
    refused = 0
    for entry in range(32, 32 + 24 * count, 24):
        offset, length = (int.from_bytes(data[entry + at : entry + at + 8], "little") for at in (8, 16))
        for at in range(0, min(length, 64), 4):
            forged = bytearray(data)
            forged[offset + at] ^= 0xFF
            section = bytes(forged[offset : offset + length])
            forged[entry + 4 : entry + 8] = zlib.crc32(section).to_bytes(4, "little")
            forged[24:28] = zlib.crc32(bytes(forged[:24] + forged[32 : 32 + 24 * count])).to_bytes(4, "little")
            try:
                other = tw.MemoryGraph.from_bytes(bytes(forged))
                for call in (lambda g=other: g.check(), lambda g=other: answers(g, seeds)):
                    call()
            except tw.TimewalkError:
                refused += 1
    assert refused > 50


@pytest.mark.skipif(os.name == "nt", reason="signals as on POSIX")
def test_ctrl_c_stops_a_kernel():
    script = textwrap.dedent("""
        import os, signal, threading, time
        import pyarrow as pa
        import timewalk as tw
        graph = tw.MemoryGraph()
        ids = [str(i) for i in range(300)]
        graph.add_memories(pa.table({"id": ids}))
        pairs = [(a, b) for a in ids for b in ids if a != b]
        columns = {"source": [a for a, _ in pairs], "target": [b for _, b in pairs]}
        graph.add_edges(pa.table(columns | {"relation": ["similar"] * len(pairs)}))
        # So little is sent that the sums go on growing for as many rounds as there may be.
        slow = {"decay": 1e-5, "threshold": 0.0, "depth": 10_000}
        for many in (False, True):
            threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            begin = time.monotonic()
            try:
                if many:
                    graph.spread_many([["0"]] * 64, threads=2, **slow)
                else:
                    graph.spread(["0"], **slow)
            except KeyboardInterrupt:
                print("stopped" if time.monotonic() - begin < 20 else "late")
    """)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["stopped", "stopped"], done.stderr
    assert signal.SIGINT


@pytest.mark.parametrize(
    "line",
    [
        b'{"kind": "relation"}',
        b'{"kind": "memory", "id": "\xff"}',
        b'{"kind": "entity", "id": "x", "aliases": 5}',
        b'{"kind": "memory", "id": 5}',
    ],
)
def test_records_that_do_not_fit_are_typed_errors(tmp_path, line):
    path = tmp_path / "graph.jsonl"
    path.write_bytes(line + b"\n")
    with pytest.raises(tw.TimewalkError):
        forms.read_jsonl(path)


def test_what_is_no_network_is_a_typed_error():
    with pytest.raises(tw.InvalidTypeError, match="networkx"):
        forms.from_networkx(5)
