"""Runs a suite."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from timewalk import __version__
from timewalk.bench.embedding import named
from timewalk.bench.results import Result
from timewalk.bench.retrieval import Progress
from timewalk.bench.suites import SUITES, Setting
from timewalk.errors import InvalidValueError


def run(
    suite: str,
    *,
    data: str | os.PathLike[str] | None = None,
    embedder: str | None = None,
    limit: int | None = None,
    parts: Sequence[str] = (),
    memories: str | os.PathLike[str] | None = None,
    questions: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    progress: Progress = lambda _what, _done, _total: None,
) -> Result:
    """Runs a suite of `SUITES`, by name, and gives every value that was measured.

    `data` is the folder with the suite's files. `embedder` is "static" (wordllama, unless told otherwise), "none", a
    name that `Memory` knows or "module:callable"; a store that is there already brings its own. `limit` is the most
    questions a part asks, evenly spread; `parts` which parts run, all that run by default unless given. `memories`,
    `questions` and `store` are the files of the suite `own`.

    The same call gives the same values on every run, apart from times and memory. Raises `InvalidValueError` for an
    unknown suite or part and for missing arguments, `FileAccessError` and `FileFormatError` for the data.
    """
    chosen = SUITES.get(suite)
    if chosen is None:
        raise InvalidValueError(f"there is no suite {suite!r}; choose from {', '.join(SUITES)}")
    for part in parts:
        if part not in chosen.parts:
            raise InvalidValueError(f"{suite} has no part {part!r}; choose from {', '.join(chosen.parts)}")
    if limit is not None and limit < 1:
        raise InvalidValueError(f"the limit is 1 or more, not {limit}")
    if embedder is not None and store is not None:
        raise InvalidValueError("a store has its own embedder; leave out the other")
    model = named(embedder or "static") if chosen.embeds and store is None else None
    setting = Setting(
        embedder=model,
        data=_path(data),
        limit=limit,
        progress=progress,
        memories=_path(memories),
        questions=_path(questions),
        store=_path(store),
    )
    wanted = parts or chosen.default or tuple(chosen.parts)
    found = [chosen.parts[part](setting) for part in dict.fromkeys(wanted)]
    asked: dict[str, Any] = {"limit": limit}
    if chosen.embeds:
        asked["embedder"] = "the store's own" if store is not None else "none" if model is None else model.name
    return Result(suite, chosen.about, asked, _platform(), found)


def _path(path: str | os.PathLike[str] | None) -> Path | None:
    return None if path is None else Path(path)


def _platform() -> dict[str, Any]:
    return {
        "timewalk": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": sys.platform,
        "machine": platform.machine(),
        "processors": os.cpu_count(),
    }
