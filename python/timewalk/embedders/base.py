"""What an embedder is, how a name becomes one, and what its output must be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from timewalk.embedders import named
from timewalk.errors import EmbedderError, InvalidTypeError, InvalidValueError, TimewalkError

Vectors: TypeAlias = npt.NDArray[np.float32]
Embed: TypeAlias = Callable[[list[str]], Any]
"""A callable from n texts to an array-like of shape [n, d]."""


@dataclass(frozen=True)
class Embedder:
    """An embedding function and the name by which a store remembers it. Use `resolve` to make one."""

    name: str
    function: Embed = field(repr=False)

    def __call__(self, texts: Sequence[str], *, dimension: int | None = None) -> Vectors:
        """Vectors of the texts, float32 [n, d].

        Raises `EmbedderError` where the function fails, or gives another number of vectors, another dimension than
        `dimension`, or values that are not finite.
        """
        if not texts:
            return np.zeros((0, dimension or 0), np.float32)
        try:
            with np.errstate(over="ignore"):  # what is too large for float32 becomes infinite, and is refused below
                vectors = np.asarray(self.function(list(texts)), dtype=np.float32)
        except EmbedderError:
            raise
        except Exception as error:
            raise EmbedderError(f"the embedder {self.name} failed: {type(error).__name__}: {error}") from error
        if vectors.ndim != 2 or len(vectors) != len(texts) or vectors.shape[1] == 0:
            raise EmbedderError(
                f"the embedder {self.name} returned shape {vectors.shape} for {len(texts)} texts; "
                f"[{len(texts)}, dimension] is expected"
            )
        if dimension is not None and vectors.shape[1] != dimension:
            raise EmbedderError(
                f"the embedder {self.name} returned vectors of {vectors.shape[1]} dimensions, "
                f"but those of the store have {dimension}; use the embedder it was written with"
            )
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            row = int(np.argmin(finite))
            raise EmbedderError(f"the embedder {self.name} returned a vector that is not finite", row=row)
        return np.ascontiguousarray(vectors)


def resolve(embedder: Embed | Embedder | str) -> Embedder:
    """An `Embedder` from a callable, or from a name such as "wordllama" or "model2vec:minishlab/potion-base-8M".

    Known names: wordllama, sentence-transformers, fastembed, model2vec, openai (any endpoint that speaks its
    protocol, from OPENAI_BASE_URL and OPENAI_API_KEY); a model may follow after a colon. The library is imported
    here and not before; `MissingDependencyError` says how to install it.
    """
    if isinstance(embedder, Embedder):
        return embedder
    if isinstance(embedder, str):
        library, _, model = embedder.partition(":")
        if library not in named.LOADERS:
            raise InvalidValueError(
                f"unknown embedder {embedder!r}; use {', '.join(named.LOADERS)} (with :model if you like) "
                "or a callable from a list of texts to vectors"
            )
        try:
            name, function = named.LOADERS[library](model or None)
        except TimewalkError:
            raise
        except Exception as error:
            # What a library raises for a model that it does not have, or cannot fetch, is its own affair.
            raise EmbedderError(f"the embedder {embedder!r} could not be loaded: {error}") from error
        return Embedder(name, function)
    if callable(embedder):
        return Embedder(_callable_name(embedder), embedder)
    raise InvalidTypeError(f"an embedder is a name or a callable, not {type(embedder).__name__}")


def _callable_name(function: Embed) -> str:
    given = getattr(function, "name", None)
    if isinstance(given, str) and given:
        return given
    kind = function if hasattr(function, "__qualname__") else type(function)
    return f"{kind.__module__}.{kind.__qualname__}"
