"""Random graphs for the oracles, and the same graphs as `MemoryGraph`s."""

import numpy as np
import pyarrow as pa
from oracles.walks import RELATIONS

from timewalk import MemoryGraph

DAY = 86_400_000_000
BASE = 1_700_000_000_000_000


def exact_vector(rng):
    """A vector of length 1 whose cosines are multiples of 1/4, so that float32 rounds nothing and ties are ties."""
    if rng.random() < 0.5:
        return rng.choice([-0.5, 0.5], size=4).tolist()
    return (np.eye(4)[int(rng.integers(4))] * rng.choice([-1.0, 1.0, 1.0, 1.0])).tolist()


def random_graph(seed, *, most=40):
    """(memories, edges): partial dates, ties in dates, weights and vectors, cycles, parallel edges, hubs."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, most))

    def time(chance):
        return None if rng.random() > chance else BASE + int(rng.integers(-20, 20)) * DAY // 2

    memories = {}
    for number in rng.permutation(count):
        start, end, mentioned = time(0.7), time(0.5), time(0.5)
        if start is not None and end is not None and end < start:
            start, end = end, start
        memories[f"m{number}"] = {
            "start": start,
            "end": end,
            "mentioned": mentioned,
            "vector": None if rng.random() < 0.1 else exact_vector(rng),
            "namespace": "default",
            "fact_type": ["world", "opinion", None][int(rng.integers(3))],
            "tags": [tag for tag in ("a", "b") if rng.random() < 0.5],
        }
    ids, edges = list(memories), {}
    for _ in range(int(rng.integers(0, 5 * count))):
        source = ids[int(rng.integers(count) * rng.random())]
        target = ids[int(rng.integers(count))]
        if source != target:
            # Multiples of 1/32 are the same in float32 and float64, and make ties.
            weight = float(rng.integers(0, 33)) / 32
            relation = RELATIONS[int(rng.integers(len(RELATIONS)))] if rng.random() < 0.7 else "temporal"
            edges[source, target, relation] = weight
    return memories, [(*key, weight) for key, weight in edges.items()]


def memory_table(memories):
    times = pa.timestamp("us", tz="UTC")

    def column(name):
        return [memory[name] for memory in memories.values()]

    return pa.table(
        {
            "id": pa.array(list(memories), pa.string()),
            "namespace": pa.array(column("namespace"), pa.string()),
            "fact_type": pa.array(column("fact_type"), pa.string()),
            "tags": pa.array(column("tags"), pa.list_(pa.string())),
            "occurred_start": pa.array(column("start"), times),
            "occurred_end": pa.array(column("end"), times),
            "mentioned_at": pa.array(column("mentioned"), times),
            "embedding": pa.array(column("vector"), pa.list_(pa.float32())),
        }
    )


def edge_table(edges):
    source, target, relation, weight = zip(*edges, strict=True) if edges else ((), (), (), ())
    return pa.table(
        {
            "source": pa.array(source, pa.string()),
            "target": pa.array(target, pa.string()),
            "relation": pa.array(relation, pa.string()),
            "weight": pa.array(weight, pa.float64()),
        }
    )


def build(memories, edges, *, pieces=1):
    """The graph, its edges added in so many pieces."""
    graph = MemoryGraph()
    graph.add_memories(memory_table(memories))
    for piece in range(pieces):
        graph.add_edges(edge_table(edges[piece::pieces]))
    return graph
