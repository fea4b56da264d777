"""The memory graph and its kernels beside what people use today, as ratios, in one run.

    pip install scikit-network igraph networkx scipy pgserver asyncpg
    python benches/python/graph.py [--only NAME ...] [--nodes 1000000] [--edges 10000000] [--json OUT]

Everything runs on one thread unless the row says otherwise, through Python, and gives medians. The graph is scale-free:
sources uniform, targets by a power law, weights uniform in (0, 1), fixed seed. Queries start from five nodes, drawn
uniformly or by in-degree ("popular"). Rows whose rival is not installed say so and are left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import timewalk as tw

DAY = 86_400_000_000
ROWS: list[dict[str, Any]] = []


def median(work: Callable[[], Any], repeat: int) -> float:
    """Median seconds of so many runs."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def report(name: str, seconds: float | None = None, **more: Any) -> None:
    row = {"name": name, **({} if seconds is None else {"ms": round(seconds * 1e3, 4)}), **more}
    ROWS.append(row)
    print("  ".join(f"{key}={value}" for key, value in row.items()), flush=True)


class Net:
    """The scale-free graph as columns."""

    def __init__(self, nodes: int, edges: int, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        self.nodes = nodes
        source = rng.integers(0, nodes, edges)
        shuffled = rng.permutation(nodes)
        target = shuffled[np.minimum((nodes * rng.random(edges) ** 2.5).astype(np.int64), nodes - 1)]
        keep = source != target
        self.source, self.target = source[keep], target[keep]
        self.weight = rng.random(len(self.source)).astype(np.float32)
        self.rng = rng

    def table(self, part: slice = slice(None)) -> pa.Table:
        count = len(self.source[part])
        relation = pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), ["temporal"])
        return pa.table(
            {
                "source": self.source[part],
                "target": self.target[part],
                "relation": relation,
                "weight": self.weight[part],
            }
        )

    def build(self) -> tw.MemoryGraph:
        graph = tw.MemoryGraph()
        graph.add_entities(pa.table({"id": np.arange(self.nodes)}))
        graph.add_edges(self.table())
        return graph

    def queries(self, kind: str, count: int) -> list[list[int]]:
        if kind == "uniform":
            return [list(map(int, set(self.rng.integers(0, self.nodes, 5)))) for _ in range(count)]
        at = self.rng.integers(0, len(self.target), (count, 5))
        return [list(map(int, set(row))) for row in self.target[at]]


def bench_build(net: Net) -> None:
    numbers = pa.table({"id": np.arange(net.nodes)})
    table = net.table()

    def ours() -> None:
        graph = tw.MemoryGraph()
        graph.add_entities(numbers)
        graph.add_edges(table)

    seconds = median(ours, 3)
    report("build from Arrow, integer ids", seconds, limit_ms=1500)
    texts = table.set_column(0, "source", table["source"].cast(pa.string()))
    texts = texts.set_column(1, "target", texts["target"].cast(pa.string()))
    graph = tw.MemoryGraph()
    graph.add_entities(numbers)
    begin = time.perf_counter()
    graph.add_edges(texts)
    report("build from Arrow, string ids", time.perf_counter() - begin)
    try:
        import igraph

        pairs = np.column_stack([net.source, net.target])
        igraph_seconds = median(
            lambda: igraph.Graph(n=net.nodes, edges=pairs, directed=True, edge_attrs={"weight": net.weight}), 1
        )
        report("build, igraph from a numpy array", igraph_seconds, ratio=round(igraph_seconds / seconds, 1))
    except ImportError:
        print("igraph is not installed")
    try:
        import networkx

        part = slice(0, len(net.source) // 10)
        triples = list(
            zip(net.source[part].tolist(), net.target[part].tolist(), net.weight[part].tolist(), strict=True)
        )

        def theirs() -> None:
            networkx.DiGraph().add_weighted_edges_from(triples)

        networkx_seconds = 10 * median(theirs, 1)
        report(
            "build, networkx (a tenth of the edges, times 10)",
            networkx_seconds,
            ratio=round(networkx_seconds / seconds, 1),
        )
    except ImportError:
        print("networkx is not installed")


def bench_memory(net: Net) -> None:
    graph = net.build()
    graph.spread([0])
    sizes = graph.stats()
    report("memory, edges in both directions", bytes_an_edge=round(sizes["bytes_edges"] / sizes["edges"], 2), limit=20)
    report("memory, nodes and ids", bytes_a_node=round((sizes["bytes"] - sizes["bytes_edges"]) / sizes["nodes"], 1))


def frontier(indptr: Any, indices: Any, weights: Any, nodes: int, seeds: list[int], threshold: float) -> Any:
    """The same rule over CSR with numpy: only active rows are touched."""
    activation = np.zeros(nodes)
    activation[seeds] = 1.0
    active = np.asarray(sorted(seeds))
    for _ in range(3):
        begin, end = indptr[active], indptr[active + 1]
        lengths = end - begin
        offsets = np.repeat(begin - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) + np.arange(lengths.sum())
        sent = np.repeat(activation[active], lengths) * weights[offsets] * 0.5
        keep = sent > threshold
        targets, inverse = np.unique(indices[offsets[keep]], return_inverse=True)
        activation[targets] += np.bincount(inverse, sent[keep], len(targets))
        active = np.union1d(active, targets)
    return active, activation[active]


def bench_spread(net: Net, graph: tw.MemoryGraph) -> None:
    order = np.lexsort((net.target, net.source))
    source, target, weight = net.source[order], net.target[order], net.weight[order]
    first = np.ones(len(source), bool)
    first[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    weight = np.maximum.reduceat(weight, np.flatnonzero(first))  # the larger of parallel edges, as in the graph
    source, target = source[first], target[first]
    indptr = np.searchsorted(source, np.arange(net.nodes + 1))
    weight = weight.astype(np.float64)
    for kind in ("uniform", "popular"):
        queries = net.queries(kind, 40)
        for seeds in queries[:5]:
            active, values = frontier(indptr, target, weight, net.nodes, seeds, 0.01)
            ours = graph.spread(seeds)
            assert ours.num_rows == len(active)
            assert np.allclose(np.sort(values), np.sort(ours["activation"].to_numpy()), rtol=1e-9)
        mine = statistics.median(median(lambda s=seeds: graph.spread(s), 3) for seeds in queries)
        theirs = statistics.median(
            median(lambda s=seeds: frontier(indptr, target, weight, net.nodes, s, 0.01), 1) for seeds in queries
        )
        report(
            f"classic spreading, {kind}",
            mine,
            numpy_ms=round(theirs * 1e3, 2),
            ratio=round(theirs / mine, 1),
            at_least=3,
        )


def bench_pagerank(net: Net, graph: tw.MemoryGraph) -> None:
    from scipy import sparse

    matrix = sparse.csr_matrix((net.weight, (net.source, net.target)), shape=(net.nodes, net.nodes), dtype=np.float64)
    edges = graph.edges()  # after the merge of parallel edges
    at = [edges[name].cast(pa.int64()).to_numpy() for name in ("source", "target")]
    matrix = sparse.csr_matrix((edges["weight"].to_numpy(), tuple(at)), shape=matrix.shape)
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    step = (sparse.diags(1 / np.where(sums > 0, sums, 1)) @ matrix).T.tocsr()
    for kind in ("uniform", "popular"):
        queries = net.queries(kind, 30)
        mine = statistics.median(median(lambda s=seeds: graph.pagerank(s), 5) for seeds in queries)
        top = statistics.median(median(lambda s=seeds: graph.pagerank(s, limit=20), 5) for seeds in queries)
        shared = []
        for seeds in queries[:10]:
            start = np.zeros(net.nodes)
            start[seeds] = 1 / len(seeds)
            exact = start.copy()
            for _ in range(40):
                exact = 0.5 * start + 0.5 * (step @ exact + exact[sums == 0].sum() * start)
            best = set(np.argsort(-exact)[:20])
            found = {int(id) for id in graph.pagerank(seeds, limit=20)["id"].to_pylist()}
            shared.append(len(best & found) / 20)
        more: dict[str, Any] = {}
        try:
            from sknetwork.ranking import PageRank

            rival = PageRank(damping_factor=0.5, n_iter=10)
            weights = dict.fromkeys(queries[0], 1)
            theirs = median(lambda r=rival, w=weights: r.fit_predict(matrix, weights=w), 3)
            more = {"scikit_network_ms": round(theirs * 1e3, 1), "ratio": round(theirs / mine)}
        except ImportError:
            print("scikit-network is not installed")
        report(
            f"PageRank by push, {kind}", mine, limit_ms=0.3, best_20_ms=round(top * 1e3, 4),
            agrees=round(statistics.fmean(shared), 3), at_least=0.95, **more,
        )  # fmt: skip


def memories(count: int, dim: int, inside: int, seed: int = 2) -> tuple[tw.MemoryGraph, tuple[int, int], Any]:
    """Memories with vectors and ten links each; `inside` of them lie in a window of 14 days."""
    rng = np.random.default_rng(seed)
    window = (0, 14 * DAY)
    times = np.where(
        np.arange(count) < inside, rng.integers(0, 14 * DAY, count), rng.integers(15 * DAY, 4000 * DAY, count)
    )
    query = rng.normal(size=dim).astype(np.float32)
    query /= np.linalg.norm(query)
    vectors = rng.normal(size=(count, dim)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors += 0.6 * query * rng.random((count, 1), dtype=np.float32)  # cosines from 0 to 0.5: some pass the gate
    order = rng.permutation(count)
    times, vectors = times[order], vectors[order]
    graph = tw.MemoryGraph()
    graph.add_memories(
        pa.table(
            {
                "id": np.arange(count),
                "occurred_start": pa.array(times).cast(pa.timestamp("us", tz="UTC")),
                "embedding": pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), dim),
            }
        )
    )
    source = np.repeat(np.arange(count), 10)
    target = rng.integers(0, count, len(source))
    keep = source != target
    kinds = np.where(rng.random(len(source)) < 0.1, 1, 0).astype(np.int32)
    relation = pa.DictionaryArray.from_arrays(pa.array(kinds[keep]), ["temporal", "caused_by"])
    weight = 0.2 + 0.8 * rng.random(keep.sum())
    graph.add_edges(pa.table({"source": source[keep], "target": target[keep], "relation": relation, "weight": weight}))
    return graph, window, query


def bench_walk() -> None:
    graph, window, query = memories(100_000, 384, 350)
    for order in ("best", "breadth"):
        rows = graph.walk(window, query=query, order=order).num_rows
        seconds = median(lambda o=order: graph.walk(window, query=query, order=o), 200)
        report(
            f"temporal walk, {order}", seconds, rows=rows, postgres_ms=31, ratio=round(0.031 / seconds), at_least=200
        )
    numbers = {}
    for count in (10_000, 100_000, 1_000_000):
        del graph
        graph, window, query = memories(count, 128, 350)
        numbers[count] = median(lambda g=graph, w=window, q=query: g.walk(w, query=q), 200)
    growth = max(numbers.values()) / numbers[10_000]
    report("temporal walk, 10,000 to 1,000,000 memories", numbers[1_000_000], growth=round(growth, 2), at_most=1.5)


async def published_in_sql(rows: Any, links: Any, window: tuple[int, int], query: Any, repeat: int) -> float:
    """Median seconds of the published walk as SQL on PostgreSQL with pgvector: the loop in Python, three statements."""
    import tempfile

    import asyncpg
    import pgserver

    with tempfile.TemporaryDirectory() as folder:
        server = pgserver.get_server(folder, cleanup_mode="delete")
        connection = await asyncpg.connect(server.get_uri())
        await connection.execute("CREATE EXTENSION vector")
        await connection.execute(
            f"CREATE TABLE memory (id int PRIMARY KEY, at bigint, embedding vector({len(query)}));"
            "CREATE TABLE link (source int, target int, relation text, weight real)"
        )
        texts = [(at, moment, "[" + ",".join(f"{value:.6f}" for value in row) + "]") for at, moment, row in rows]
        await connection.execute("CREATE TEMP TABLE raw (id int, at bigint, embedding text)")
        await connection.copy_records_to_table("raw", records=texts)
        await connection.execute("INSERT INTO memory SELECT id, at, embedding::vector FROM raw")
        await connection.copy_records_to_table("link", records=links)
        await connection.execute("CREATE INDEX ON memory (at); CREATE INDEX ON link (source, weight DESC); ANALYZE")
        vector = "[" + ",".join(f"{value:.6f}" for value in query) + "]"
        near = "1 - (embedding <=> $1::text::vector)"
        seeds_sql = (
            f"SELECT id, at FROM memory WHERE at >= $2 AND at < $3 AND {near} >= 0.3 ORDER BY at DESC, id LIMIT 10"
        )
        step_sql = (
            "SELECT source, target, relation, weight, at FROM link JOIN memory ON id = target "
            f"WHERE source = ANY($2) AND weight >= 0.1 AND {near} >= 0.3 ORDER BY weight DESC, target LIMIT 200"
        )
        middle, half = sum(window) / 2, (window[1] - window[0]) / 2

        async def walk() -> dict[int, float]:
            found = {row["id"]: 1.0 for row in await connection.fetch(seeds_sql, vector, *window)}
            queue, left = list(found), 100 - len(found)
            while queue and left > 0:
                batch, queue = queue[:20], queue[20:]
                for row in await connection.fetch(step_sql, vector, batch):
                    if row["target"] in found or left == 0:
                        continue
                    left -= 1
                    boost = 2.0 if row["relation"] == "caused_by" else 1.0
                    proximity = max(0.0, 1.0 - abs(row["at"] - middle) / half)
                    found[row["target"]] = max(found[row["source"]] * row["weight"] * boost * 0.7, proximity)
                    if found[row["target"]] > 0.2:
                        queue.append(row["target"])
            return found

        times = []
        for _ in range(repeat):
            begin = time.perf_counter()
            await walk()
            times.append(time.perf_counter() - begin)
        await connection.close()
        server.cleanup()
        return statistics.median(times)


def bench_postgres() -> None:
    graph, window, query = memories(100_000, 384, 350)
    table = graph.memories().select(["id", "occurred_start", "embedding"])
    vectors = table["embedding"].combine_chunks().flatten().to_numpy().reshape(-1, 384)
    ids, times = table["id"].cast(pa.int32()).to_pylist(), table["occurred_start"].cast(pa.int64()).to_pylist()
    edges = graph.edges()
    columns = [edges["source"].cast(pa.int32()), edges["target"].cast(pa.int32()), edges["relation"], edges["weight"]]
    links = list(zip(*(column.to_pylist() for column in columns), strict=True))
    ours = median(lambda: graph.walk(window, query=query, order="breadth"), 200)
    try:
        theirs = asyncio.run(published_in_sql(zip(ids, times, vectors, strict=True), links, window, query, 30))
    except ImportError:
        print("pgserver or asyncpg is not installed")
        return
    report("the published walk, ours", ours, postgres_ms=round(theirs * 1e3, 2), ratio=round(theirs / ours))


def bench_window() -> None:
    graph, window, query = memories(200_000, 384, 700)
    narrow = median(lambda: graph.walk(window, query=query), 100)
    report("window of 14 days, 200,000 memories", narrow)
    whole = median(lambda: graph.walk((None, None), query=query), 20)
    report("window of everything, exact scan of 200,000 vectors", whole, ratio=round(whole / narrow, 1))
    proposals = [str(id) for id in range(0, 200_000, 1000)]
    planned = median(lambda: graph.walk((None, None), query=query, candidates=proposals), 100)
    report("window of everything, 200 proposals of an index", planned, ratio=round(planned / narrow, 2), at_most=3)


def bench_write(net: Net, graph: tw.MemoryGraph) -> None:
    rng = np.random.default_rng(9)
    times = []
    for _ in range(15):
        source, target = rng.integers(0, net.nodes, 1000), rng.integers(0, net.nodes, 1000)
        keep = source != target
        relation = ["similar"] * int(keep.sum())
        table = pa.table({"source": source[keep], "target": target[keep], "relation": relation})
        begin = time.perf_counter()
        graph.add_edges(table)
        found = graph.spread([int(source[keep][0])], depth=1, relations="similar")
        times.append(time.perf_counter() - begin)
        assert str(target[keep][0]) in found["id"].to_pylist()
    report("1,000 new edges and a query that sees them", statistics.median(times), limit_ms=5)


def small_writes(count: int) -> None:
    """Medians of small writes to a graph of so many memories."""
    rng = np.random.default_rng(11)
    graph, window, query = memories(count, 384, 350)
    tables, edges, some = [], [], []
    for at in range(20):
        vectors = rng.normal(size=(10, 384)).astype(np.float32)
        times = pa.array(rng.integers(0, 14 * DAY, 10)).cast(pa.timestamp("us", tz="UTC"))
        embedding = pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), 384)
        ids = [f"new{at}-{row}" for row in range(10)]
        tables.append(pa.table({"id": ids, "occurred_start": times, "embedding": embedding}))
        source = rng.integers(0, count, 20)
        target = (source + 1 + rng.integers(0, count - 1, 20)) % count
        edges.append(pa.table({"source": source, "target": target, "relation": ["temporal"] * 20}))
        some.append([str(id) for id in rng.integers(0, count, 5)])
    work: dict[str, Callable[[int], Any]] = {
        "add 10 memories with vectors": lambda at: graph.add_memories(tables[at]),
        "add 20 edges": lambda at: graph.add_edges(edges[at]),
        "a walk after that": lambda _: graph.walk(window, query=query),
        "remove 20 edges": lambda at: graph.remove_edges(edges[at]),
        "invalidate 5 memories": lambda at: graph.invalidate(some[at], at=0),
        "delete 10 memories": lambda at: graph.delete(tables[at]["id"]),
    }
    for name, one in work.items():
        rounds = iter(range(20))
        report(f"{name}, of {count:,}", median(lambda one=one, rounds=rounds: one(next(rounds)), 20))


def bench_incremental() -> None:
    """What `Memory` does between two questions; the figures at ten times the store say whether they grow with it."""
    small_writes(30_000)
    small_writes(300_000)


def bench_batch() -> None:
    graph, window, query = memories(100_000, 384, 350)
    rng = np.random.default_rng(3)
    queries = (query + 0.01 * rng.normal(size=(1000, 384))).astype(np.float32)
    windows = [window] * len(queries)
    one = median(lambda: graph.walk_many(windows, queries=queries, threads=1), 3)
    two = median(lambda: graph.walk_many(windows, queries=queries, threads=2), 3)
    report("1,000 walks, two threads", two, one_thread_ms=round(one * 1e3, 1), ratio=round(one / two, 2), at_least=1.8)


def bench_gil(net: Net, graph: tw.MemoryGraph) -> None:
    def count(seconds: float) -> int:
        end, counted = time.perf_counter() + seconds, 0
        while time.perf_counter() < end:
            counted += 1
        return counted

    seeds = net.queries("popular", 1)[0]
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            graph.spread(seeds, depth=12, threshold=1e-5)

    alone = statistics.median(count(1.0) for _ in range(3))
    worker = threading.Thread(target=work)
    worker.start()
    beside = statistics.median(count(1.0) for _ in range(3))
    stop.set()
    worker.join()
    report("a Python thread counting beside a kernel", share=round(beside / alone, 3), at_least=0.9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--json", type=Path, default=None)
    options = parser.parse_args()
    chosen = options.only
    over_net: dict[str, Callable[..., None]] = {"build": bench_build, "memory": bench_memory}
    over_graph = {"spread": bench_spread, "pagerank": bench_pagerank, "gil": bench_gil, "write": bench_write}
    alone: dict[str, Callable[[], None]] = {
        "walk": bench_walk,
        "window": bench_window,
        "batch": bench_batch,
        "incremental": bench_incremental,
        "postgres": bench_postgres,
    }
    unknown = set(chosen or ()) - {*over_net, *over_graph, *alone}
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join([*over_net, *over_graph, *alone])}")

    def wanted(names: dict[str, Any]) -> list[str]:
        return [name for name in names if chosen is None or name in chosen]

    if wanted(over_net) or wanted(over_graph):
        net = Net(options.nodes, options.edges)
        for name in wanted(over_net):
            over_net[name](net)
        if wanted(over_graph):
            graph = net.build()
            for name in wanted(over_graph):
                over_graph[name](net, graph)
            del graph
        del net
    for name in wanted(alone):
        alone[name]()
    if options.json:
        options.json.write_text(json.dumps(ROWS, indent=1))


if __name__ == "__main__":
    main()
