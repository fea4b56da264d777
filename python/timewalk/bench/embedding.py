"""The embedder that a run names, and one that remembers the questions, so that embedding stays out of the times."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from timewalk.embedders import Embed, Embedder, resolve
from timewalk.embedders.named import LOADERS
from timewalk.errors import InvalidValueError

STATIC = "wordllama"
"""What `--embedder static` stands for: the model of the extra of that name."""


def named(name: str) -> Embedder | None:
    """The embedder of `--embedder`: none, static, a name that `Memory` knows, or MODULE:CALLABLE.

    A module is looked for where Python looks, and in the working directory.
    """
    if name == "none":
        return None
    if name == "static":
        return resolve(STATIC)
    module, _, attribute = name.partition(":")
    if module in LOADERS or not attribute:
        return resolve(name)
    return resolve(_imported(module, attribute))


def _imported(module: str, attribute: str) -> Embed:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise InvalidValueError(
            f"the embedder {module}:{attribute} cannot be imported ({error}); give static, none, "
            f"{', '.join(LOADERS)}, or MODULE:CALLABLE"
        ) from error
    if not callable(found):
        raise InvalidValueError(f"{module}:{attribute} is no callable from a list of texts to vectors")
    return found  # type: ignore[no-any-return]


class Remembering:
    """Keeps the vectors of single texts, as questions come, and passes all else through."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, npt.NDArray[np.float32]] = {}

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Vectors of the texts, float32 [n, d]."""
        if len(texts) != 1:
            return self._embedder(texts)
        if texts[0] not in self._known:
            self._known[texts[0]] = self._embedder(texts)
        return self._known[texts[0]]
