"""What a suite is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from timewalk.bench.data import formed
from timewalk.bench.questions import Task
from timewalk.bench.results import Part
from timewalk.bench.retrieval import Progress, retrieve
from timewalk.embedders import Embedder


@dataclass(frozen=True)
class Setting:
    """What a run was asked for. `data` is the suite's folder (or file); the last three are of one's own questions."""

    embedder: Embedder | None
    data: Path | None = None
    limit: int | None = None
    progress: Progress = lambda _what, _done, _total: None
    memories: Path | None = None
    questions: Path | None = None
    store: Path | None = None


@dataclass(frozen=True)
class Suite:
    """A suite: its parts by name, each run from a setting, and `default` those that run where none is named.

    `about` says in a sentence or two what is asked of what, and what the measures are.
    """

    name: str
    about: str
    parts: Mapping[str, Callable[[Setting], Part]]
    default: tuple[str, ...] = ()
    embeds: bool = True


def retrieval(name: str, build: Callable[[Setting], Task]) -> Callable[[Setting], Part]:
    """A part that is a retrieval task."""

    def part(setting: Setting) -> Part:
        setting.progress(f"{name}: reading", 0, 1)
        with formed(name):
            task = build(setting)
        setting.progress(f"{name}: reading", 1, 1)
        return retrieve(name, task, setting.embedder, limit=setting.limit, progress=setting.progress)

    return part
