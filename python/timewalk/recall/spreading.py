"""What the best found pass on over links: along threads, to what they name by title, and to causes and effects.

Each takes the scores by id, raises those of the memories that gain, and returns these, strongest first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from operator import itemgetter

from timewalk.recall.arms import Found, Question
from timewalk.recall.index import ENTITY, Index

_THREAD_DECAY = 0.4
_THREAD_HOPS = 2
_WHOLE_THREAD = 0.4  # share of the mean of a thread's two best that all found of it gain
_TITLE_DECAY = 0.6
_CAUSE_DECAY = 0.85  # a step is felt, however sure a link is
_CAUSE_FAN = 4  # a few causes and effects are a story, many a hub, of which each is the fainter
_CAUSE_BUDGET = 100
_CAUSE_LEAST = 0.2  # of the best score
_SEEDS = 5
_FAINT = 1e-6


def best(scores: Mapping[str, float], k: int) -> list[str]:
    """The ids of the `k` best, by score and id."""
    if len(scores) > k:
        # Numbers are sorted faster than pairs, and most of what was found is not among the best.
        least = sorted(scores.values(), reverse=True)[k - 1]
        scores = {id: score for id, score in scores.items() if score >= least}
    return sorted(scores, key=lambda id: (-scores[id], id))[:k]


def _along_threads(index: Index, question: Question, base: dict[str, float]) -> Found:
    """What memories gain from their thread, strongest first: from their neighbours in it, and from its best.

    In a wave, so that what comes from two turns away does not hang on whether the turn between was itself found.
    """
    sending = {id: score for id, score in base.items() if score > _FAINT}
    if not sending:
        return Found()
    wave = index.graph.spread(
        sending,
        depth=_THREAD_HOPS,
        decay=_THREAD_DECAY,
        threshold=_FAINT,
        fire="wave",
        own=False,
        direction="both",
        relations=("follows", "followed_by"),
        mask=question.mask,
    )
    gained = dict(zip(wave["id"].to_pylist(), wave["activation"].to_pylist(), strict=True))
    # Two good turns say that a thread is about the matter, one may be chance.
    found: dict[int, list[float]] = {}
    for thread, score in zip(index.threads(list(sending)), sending.values(), strict=True):
        found.setdefault(thread, []).append(score)
    whole = {thread: _WHOLE_THREAD * sum(sorted(scores)[-2:]) / 2 for thread, scores in found.items() if thread >= 0}
    reached = [*gained, *(id for id in sending if id not in gained)]
    for id, thread in zip(reached, index.threads(reached), strict=True):
        if thread in whole:
            gained[id] = gained.get(id, 0.0) + whole[thread]
    return _raised(base, sorted(gained.items(), key=itemgetter(1), reverse=True))


def _along_titles(index: Index, question: Question, base: dict[str, float]) -> Found:
    """What memories gain whose title the best ones name: the second step of a question that asks for one thing by
    another ("the mother of the director of …").
    """
    sending = _seeds(base)
    if not sending:
        return Found()
    gained = index.graph.spread(
        sending,
        depth=1,
        decay=_TITLE_DECAY,
        threshold=_FAINT,
        fire="wave",
        own=False,
        relations=("mentions",),
        mask=question.mask,
    )
    pairs = zip(gained["id"].to_pylist(), gained["activation"].to_pylist(), strict=True)
    return _raised(base, [(id, score) for id, score in pairs if not id.startswith(ENTITY)])


def _seeds(base: Mapping[str, float]) -> dict[str, float]:
    return {id: base[id] for id in best(base, _SEEDS) if base[id] > _FAINT}


def _raised(base: dict[str, float], gained: list[tuple[str, float]]) -> Found:
    for id, score in gained:
        base[id] = base.get(id, 0.0) + score
    return Found([id for id, _ in gained], [score for _, score in gained])


def _along_causes(index: Index, question: Question, base: dict[str, float]) -> Found:
    """What causal links tie to the best found counts at least as much as its way there leaves of them: the largest
    product of weights (1 at most), each times the decay, and of the share that a hub leaves to each of many.

    For a question without a window; where there is one, the temporal arm starts from what lies in it.
    """
    sending = _seeds(base)
    if question.window is not None or not sending:
        return Found()
    walk = index.graph.best_first(
        sending,
        budget=_CAUSE_BUDGET,
        decay=_CAUSE_DECAY,
        threshold=_CAUSE_LEAST * max(sending.values()),
        direction="both",
        relations=index.causal,
        mask=question.mask,
    )
    ids, parents = walk["id"].to_pylist(), walk["parent"].to_pylist()
    fan = Counter(parents)
    reached: dict[str, float] = {}
    # In the order of the walk a parent comes before what it leads to.
    for id, parent, weight in zip(ids, parents, walk["weight"].to_pylist(), strict=True):
        if parent is None:
            reached[id] = sending[id]
        else:
            share = min(1.0, _CAUSE_FAN / fan[parent])
            reached[id] = reached[parent] * min(weight, 1.0) * _CAUSE_DECAY * share
    raised = {id: score for id, score in reached.items() if score > base.get(id, 0.0)}
    base.update(raised)
    strongest = best(raised, len(raised))
    return Found(strongest, [raised[id] for id in strongest], walk)


SPREADING: dict[str, Callable[[Index, Question, dict[str, float]], Found]] = {
    "thread": _along_threads,
    "title": _along_titles,
    "cause": _along_causes,
}
"""What spreads from what the arms found, one after the other: chosen like arms, but nothing is found by it alone."""
