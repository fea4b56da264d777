"""Asks every system every question of a task, over the same store, and keeps each answer's worth."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from timewalk.bench.baselines import Plain, available, window_of
from timewalk.bench.data import formed
from timewalk.bench.embedding import Remembering
from timewalk.bench.questions import Corpus, Question, Task, spread
from timewalk.bench.results import OURS, Part, Values
from timewalk.bench.rss import peak_mib, rss_mib
from timewalk.bench.systems import RECALL, of_timewalk
from timewalk.embedders import Embedder
from timewalk.errors import FileFormatError, TimewalkError
from timewalk.memory import Memory
from timewalk.recall.filters import Filters
from timewalk.recall.hits import Hits
from timewalk.times import TimeLike, from_micros, to_micros

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and all of it."""

_NO_DATE = "2024-01-01"  # when what has no date is stored and asked; the clock is never read


@dataclass
class _Run:
    task: Task
    values: Values = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    windows: list[bool] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    memories: int = 0
    filling: float = 0.0
    filling_cpu: float = 0.0
    filled_mib: float | None = None

    def note(self, system: str, seconds: float, processing: float) -> None:
        self.seconds.setdefault(system, []).append(seconds)
        if system == OURS:
            self.cpu.append(processing)


def retrieve(name: str, task: Task, embedder: Embedder | None, *, limit: int | None, progress: Progress) -> Part:
    """Runs a task. Corpora come one after the other, so that one store at a time is in memory."""
    chosen = _limited(task.corpora, limit)
    asked = sum(len(questions) for _, questions in chosen)
    if not asked:
        raise FileFormatError(f"the data of {name} holds no question that has an answer")
    dated = not task.proactive and any(
        _window(question, question.now or _NO_DATE) is not None for _, questions in chosen for question in questions
    )
    run = _Run(task)
    before = rss_mib()
    for corpus, questions in chosen:
        kept = _remembering(corpus, embedder)
        with _store(name, corpus, kept, run, progress) as memory:
            now, embedded = _latest(memory), kept is not None and memory._index.vectors is not None
            for question in questions:
                _ask(memory, question, run, now=question.now or now, embedded=embedded, dated=dated)
                progress(f"{name}: asking", len(run.ids), asked)
    facts = {"questions": len(run.ids), "memories": run.memories, **task.facts}
    if len(chosen) > 1:
        facts["stores"] = len(chosen)
    if run.windows:
        facts["windows read right"] = f"{sum(run.windows):,} of {len(run.windows):,}"
    timing: dict[str, float | None] = {"filling the store, s": run.filling, "of the processors, s": run.filling_cpu}
    if run.filling:
        timing["memories stored a second"] = run.memories / run.filling
    timing["median CPU time a recall, ms"] = statistics.median(run.cpu) * 1000
    timing["memory before, MiB"] = before
    timing["memory with the store, MiB"] = run.filled_mib
    timing["most memory, MiB"] = peak_mib()
    return Part(
        name=name,
        measures=list(task.measures),
        questions=run.ids,
        groups=run.groups,
        values=run.values,
        facts=facts,
        millis={system: statistics.median(run.seconds[system]) * 1000 for system in run.values},
        timing=timing,
    )


def _limited(corpora: Sequence[Corpus], limit: int | None) -> list[tuple[Corpus, list[Question]]]:
    pairs = [(corpus, question) for corpus in corpora for question in corpus.questions]
    kept = [pairs[place] for place in spread(len(pairs), limit)]
    by_corpus = [(corpus, [question for of, question in kept if of is corpus]) for corpus in corpora]
    return [(corpus, questions) for corpus, questions in by_corpus if questions]


def _remembering(corpus: Corpus, embedder: Embedder | None) -> Embedder | None:
    """The embedder of a corpus, which embeds a question once however often it is asked; of a store, its own."""
    if corpus.store is not None and embedder is None:
        with Memory(corpus.store) as memory:
            embedder = memory._embedder
    return None if embedder is None else Embedder(embedder.name, Remembering(embedder))


def _store(name: str, corpus: Corpus, embedder: Embedder | None, run: _Run, progress: Progress) -> Memory:
    memory = Memory(corpus.store, embedder=embedder)
    try:
        with formed(name):
            records = list(corpus.records())
        begin, busy = time.perf_counter(), time.process_time()
        if records:
            for relation in corpus.relations:
                memory.register_relation(relation.name, inverse=relation.inverse, kind=relation.kind)
            memory.add(
                records,
                now=_NO_DATE,
                progress=lambda done, total: progress(f"{name}: storing", done, total),
            )
        if corpus.links:
            source, target, kind, weight = zip(*corpus.links, strict=True)
            memory.link_many(_table(source, target, kind, weight))
        memory.recall("a first question builds the indexes", now=_NO_DATE)
        run.filling += time.perf_counter() - begin
        run.filling_cpu += time.process_time() - busy
        run.memories += len(memory)
        # Several stores come one after the other: what counts is the one that takes most.
        run.filled_mib = max(rss_mib() or 0.0, run.filled_mib or 0.0) or None
    except BaseException:
        memory.close()
        raise
    return memory


def _ask(memory: Memory, question: Question, run: _Run, *, now: TimeLike, embedded: bool, dated: bool) -> None:
    # The first time embeds the question, so that none of the systems pays for it.
    proactive = run.task.proactive

    def recall(arms: tuple[str, ...] | None) -> Hits:
        return memory.recall(question.text, k=run.task.k, now=now, window=question.given, arms=arms, **question.filters)

    def context(arms: tuple[str, ...] | None) -> Hits:
        return memory.proactive_context(question.text, k=run.task.k, now=now, arms=arms, **question.filters)

    ask = context if proactive else recall
    first = ask(None)
    topic = question.text if question.topic is None else question.topic
    mask = memory._index.mask(Filters.of(question.filters, now=to_micros(now)))
    window = None if proactive else _window(question, now)
    plain = Plain(topic, memory._asker.embedded(topic), window, to_micros(now), mask)
    found: dict[str, list[str]] = {}

    def ids(ask: Callable[[tuple[str, ...] | None], Hits], arms: tuple[str, ...] | None) -> list[str]:
        return ask(arms).ids

    asks: dict[str, Callable[[], list[str]]] = {
        system: partial(ids, ask, arms)
        for system, arms in of_timewalk(embedded=embedded, windows=not proactive).items()
    }
    if proactive:
        asks[RECALL] = partial(ids, recall, None)
    for system, baseline in available(embedded=embedded, windows=dated).items():
        asks[system] = partial(baseline, memory._index, plain)
    # Each question begins with another system, since whoever comes first waits for what came before it.
    systems = list(asks)
    start = len(run.ids) % len(systems)
    for system in systems[start:] + systems[:start]:
        begin, busy = time.perf_counter(), time.process_time()
        found[system] = asks[system]()
        run.note(system, time.perf_counter() - begin, time.process_time() - busy)
    if found[OURS] != first.ids:
        raise TimewalkError(f"two answers to {question.text!r} gave different hits")
    for system in systems:
        by_measure = run.values.setdefault(system, {name: [] for name in run.task.measures})
        for name, measure in run.task.measures.items():
            by_measure[name].append(measure(found[system], question))
    if question.window is not None:
        seen = first.window
        right = seen is not None and (seen.start_micros, seen.end_micros) == _micros(question.window)
        run.windows.append(right)
    run.ids.append(question.id)
    run.groups.append(question.group)


def _window(question: Question, now: TimeLike) -> tuple[int, int] | None:
    """The window of the baselines: the one given with the question, else the one that its text speaks of."""
    if question.given is not None:
        return _micros(question.given)
    return window_of(question.text, to_micros(now))


def _latest(memory: Memory) -> TimeLike:
    """When a question is asked that does not say so: when the last of the memories happened or was told."""
    index = memory._index
    dated = index.ends[index.starts <= index.ends]
    return from_micros(int(dated.max())) if len(dated) else _NO_DATE


def _micros(window: tuple[TimeLike, TimeLike]) -> tuple[int, int]:
    return to_micros(window[0]), to_micros(window[1])


def _table(source: Sequence[str], target: Sequence[str], kind: Sequence[str], weight: Sequence[float]) -> object:
    import pyarrow as pa

    return pa.table({"source": source, "target": target, "relation": kind, "weight": weight})
