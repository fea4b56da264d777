"""Classic spreading activation and exact personalised PageRank, in plain Python and numpy."""

import math
from collections import defaultdict

import numpy as np


def spread(
    edges, seeds, depth=3, decay=0.5, threshold=0.01, fire="every", combine="sum", fan=None, clamp=math.inf, own=True
):
    """id -> activation, by the rule as written. `edges` are (source, target, relation, weight)."""
    out = defaultdict(list)
    for source, target, _, weight in edges:
        out[source].append((target, weight))

    def join(before, new):
        if combine == "sum":
            return before + new
        if combine == "max":
            return max(before, new)
        return 1 - (1 - min(before, 1)) * (1 - min(new, 1))

    def share(node):
        degree = len(out[node])
        match fan:
            case "sqrt":
                return 1 / math.sqrt(degree)
            case "degree":
                return 1 / degree
            case "actr":
                return max(0, 1 - math.log(degree) / 2)
        return 1

    start = {id: min(value, clamp) for id, value in seeds.items()}
    activation = dict(start) if own else {}
    sending = dict(start)
    for _ in range(depth):
        arrived = {}
        for node in sorted(sending):
            for target, weight in out[node]:
                sent = sending[node] * share(node) * weight * decay
                if sent > threshold:
                    arrived[target] = join(arrived.get(target, 0), sent)
        fresh = set(arrived) - set(activation)
        for node, value in arrived.items():
            activation[node] = min(join(activation.get(node, 0), value), clamp)
        match fire:
            case "every":
                sending = activation
            case "once":
                sending = {node: activation[node] for node in fresh}
            case "wave":
                sending = {node: min(value, clamp) for node, value in arrived.items()}
    return activation


def pagerank(ids, edges, seeds, restart):
    """id -> exact personalised PageRank, solved as a linear system; nodes without edges lead back to the seeds."""
    at = {id: number for number, id in enumerate(ids)}
    matrix = np.zeros((len(ids), len(ids)))
    for source, target, _, weight in edges:
        matrix[at[source], at[target]] += weight
    start = np.zeros(len(ids))
    for id, weight in seeds.items():
        start[at[id]] = weight
    start /= start.sum()
    sums = matrix.sum(axis=1)
    matrix[sums == 0] = start
    sums[sums == 0] = 1
    matrix /= sums[:, None]
    solved = np.linalg.solve(np.eye(len(ids)) - (1 - restart) * matrix.T, restart * start)
    return dict(zip(ids, solved, strict=True))
