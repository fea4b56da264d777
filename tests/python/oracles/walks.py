"""The temporal walk in plain Python: both orders, written from their definitions, slow and short.

A graph is `memories`: id -> dict with start, end, mentioned (microseconds or None), vector (or None), namespace,
fact_type, tags; and `edges`: list of (source, target, relation, weight).
"""

import math

CAUSAL = {"causes": "caused_by", "enables": "enabled_by", "prevents": "prevented_by"}
CAUSAL |= {inverse: relation for relation, inverse in CAUSAL.items()}
BOOST = {relation: 2.0 if relation in ("causes", "caused_by") else 1.5 for relation in CAUSAL}
BOOST |= {"temporal": 1.0, "follows": 1.0, "followed_by": 1.0}
RELATIONS = ["temporal", "causes", "caused_by", "enables", "enabled_by", "prevents", "prevented_by", "follows"]
RELATIONS += ["followed_by", "similar", "mentions", "mentioned_by", "co_occurs"]
HOUR = 3_600_000_000


def interval(memory):
    start, end, mentioned = memory["start"], memory["end"], memory["mentioned"]
    if start is not None or end is not None:
        return (end if start is None else start, start if end is None else end)
    return None if mentioned is None else (mentioned, mentioned)


def touches(memory, window):
    start, end = window

    def before(time):
        return time <= end if start == end else time < end

    event = interval(memory)
    if event is not None and before(event[0]) and (event[1] > start or event[0] == event[1] == start):
        return True  # the end of an event that lasts is no part of it
    mention = memory["mentioned"]
    return mention is not None and start <= mention and before(mention)


def cosine(a, b):
    if a is None or b is None:
        return None
    na, nb = math.sqrt(sum(x * x for x in a)), math.sqrt(sum(y * y for y in b))
    if na == 0 or nb == 0:
        return None
    return max(-1.0, min(1.0, sum(x * y for x, y in zip(a, b, strict=True)) / na / nb))


class Query:
    """What the query says of each memory: (similarity, relevance, passes the gate)."""

    def __init__(self, memories, query, relevance, threshold):
        self.memories, self.query, self.relevance, self.threshold = memories, query, relevance, threshold

    def __call__(self, id):
        if self.query is None and self.relevance is None:
            return None, 1.0, True
        similarity = None if self.query is None else cosine(self.query, self.memories[id]["vector"])
        keyword = None if self.relevance is None else self.relevance.get(id)
        relevance = max(similarity or 0.0, keyword or 0.0, 0.0)
        passes = any(value is not None and value >= self.threshold for value in (similarity, keyword))
        return similarity, relevance, passes


def allowed(memory, namespace=None, fact_type=None, tags=None, no_date=0.0):
    return (
        (namespace is None or memory["namespace"] == namespace)
        and (fact_type is None or memory["fact_type"] == fact_type)
        and (tags is None or bool(set(tags) & set(memory["tags"])))
        and (no_date is not None or interval(memory) is not None)
    )


def linear(memory, window, no_date):
    event = interval(memory)
    if event is None:
        return no_date or 0.0
    middle, half = (window[0] + window[1]) / 2, (window[1] - window[0]) / 2
    distance = abs((event[0] + event[1]) / 2 - middle)
    if half == 0:
        return 1.0 if distance == 0 else 0.0
    return 1 - min(distance / half, 1.0)


def breadth(memories, edges, window, query=None, relevance=None, budget=100, threshold=0.3, no_date=0.0, **filters):
    """The published rule; rows of (id, similarity, proximity, activation, depth, parent, relation)."""
    see = Query(memories, query, relevance, threshold)

    def passes(id):
        return allowed(memories[id], no_date=no_date, **filters) and see(id)[2]

    def recency(memory):
        return next(t for t in (memory["start"], memory["mentioned"], memory["end"]) if t is not None)

    entries = [id for id, memory in memories.items() if touches(memory, window) and passes(id)]
    entries.sort(key=lambda id: (-recency(memories[id]), id))
    rows, visited, queue = {}, set(), []
    for id in entries[: min(10, budget)]:
        rows[id] = (id, see(id)[0], linear(memories[id], window, no_date), 1.0, 0, None, None)
        visited.add(id)
        queue.append(id)
    left = budget - len(queue)
    while queue and left > 0:
        batch, queue = queue[:20], queue[20:]
        found = [
            (-weight, target, source, RELATIONS.index(relation))
            for source, target, relation, weight in edges
            if source in batch and relation in BOOST and weight >= 0.1 and passes(target)
        ]
        for negative, target, source, number in sorted(found)[:200]:
            if left == 0:
                break
            if target in visited:
                continue
            visited.add(target)
            left -= 1
            relation = RELATIONS[number]
            proximity = linear(memories[target], window, no_date)
            activation = max(rows[source][3] * -negative * BOOST[relation] * 0.7, proximity)
            if activation > 0.2:
                depth = rows[source][4] + 1
                rows[target] = (target, see(target)[0], proximity, activation, depth, source, relation)
                queue.append(target)
    return sorted(rows.values(), key=lambda row: (-row[3], row[0]))


def proximity(memory, window, no_date):
    event = interval(memory)
    if event is None:
        return no_date or 0.0
    middle, half = (window[0] + window[1]) / 2, max((window[1] - window[0]) / 2, 12 * HOUR)
    low, high = max(event[0], middle - half), min(event[1], middle + half)
    if low <= high:
        return 1 - 0.5 * abs((low + high) / 2 - middle) / half
    gap = max(middle - half - event[1], event[0] - (middle + half))
    return 0.5 * 2 ** (-gap / half)


def choose_seeds(memories, window, see, entries, count):
    """The best of equal slices of the window in turn."""
    middle, half = (window[0] + window[1]) / 2, max((window[1] - window[0]) / 2, 12 * HOUR)
    slices = {}
    for id in entries:
        start = see(id)[1] * proximity(memories[id], window, None)
        event = [min(max(time, middle - half), middle + half) for time in interval(memories[id])]
        place = (sum(event) / 2 - (middle - half)) / (2 * half)
        if start > 0:
            slices.setdefault(min(int(place * count), count - 1), []).append((-start, id))
    turns = []
    for members in slices.values():
        turns += [(turn, negative, id) for turn, (negative, id) in enumerate(sorted(members))]
    return {id: -negative for _, negative, id in sorted(turns)[:count]}


def best(
    memories, edges, window, query=None, relevance=None, budget=100, threshold=0.3, no_date=0.0, fan_out=64, **filters
):
    """The default order: the highest activation is settled first; each row as in `breadth`."""
    see = Query(memories, query, relevance, threshold)

    def visible(id):
        return allowed(memories[id], no_date=no_date, **filters)

    entries = [id for id, memory in memories.items() if touches(memory, window) and visible(id) and see(id)[2]]
    open_ = {id: (start, 0, None, None) for id, start in choose_seeds(memories, window, see, entries, 10).items()}
    steps = {}
    for source, target, relation, weight in edges:
        if relation in BOOST and weight >= 0.1:
            steps.setdefault(source, []).append((target, relation, weight))
            if relation in CAUSAL:
                steps.setdefault(target, []).append((source, CAUSAL[relation], weight))
    settled = {}
    while open_ and len(settled) < budget:
        id = min(open_, key=lambda id: (-open_[id][0], id))
        activation, depth, parent, relation = open_.pop(id)
        settled[id] = (
            id, see(id)[0], proximity(memories[id], window, no_date), activation, depth, parent, relation,
        )  # fmt: skip
        ways = {}
        for target, relation, weight in steps.get(id, []):
            if target in settled or not visible(target) or not (relation in CAUSAL or see(target)[2]):
                continue
            factor = min(weight * BOOST[relation] * 0.7, 0.95)
            ways[target] = min(ways.get(target, (0.0, 99)), (-factor, RELATIONS.index(relation)))
        ranked = sorted((negative, target, number) for target, (negative, number) in ways.items())
        for negative, target, number in ranked[:fan_out]:
            offered = activation * -negative
            if offered > open_.get(target, (0.0,))[0]:
                open_[target] = (offered, depth + 1, id, RELATIONS[number])
    return sorted(settled.values(), key=lambda row: (-row[3], row[0]))
