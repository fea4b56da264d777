"""Re-rankers: anything that scores texts against a question, such as a cross-encoder."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from timewalk.errors import InvalidTypeError, InvalidValueError, MissingDependencyError, RerankerError
from timewalk.recall.combine import Combined

Floats: TypeAlias = npt.NDArray[np.float64]

log = logging.getLogger("timewalk")

NAME = "reranker"
"""The name under which a hit keeps the rank and the raw score that a re-ranker gave it."""

_TIES = 0.05  # the most that the arms' own scores may add where a re-ranker tells texts apart


@runtime_checkable
class Reranker(Protocol):
    """A callable from a question and n texts to n finite scores, higher is better, on any scale."""

    def __call__(self, query: str, texts: Sequence[str], /) -> Any:
        """The scores, any array-like of n numbers."""
        ...


class SentenceTransformersReranker:
    """A cross-encoder of sentence-transformers, by the name or folder of its model.

    `options` go to `sentence_transformers.CrossEncoder`. Raises `MissingDependencyError` where it is not installed.
    """

    def __init__(self, model: str = "cross-encoder/ms-marco-MiniLM-L-6-v2", **options: Any) -> None:
        package = _import("sentence_transformers", "sentence-transformers")
        self._encoder = package.CrossEncoder(model, **options)

    def __call__(self, query: str, texts: Sequence[str], /) -> Any:
        """Scores of the texts."""
        return self._encoder.predict([(query, text) for text in texts], show_progress_bar=False)


class FastembedReranker:
    """A cross-encoder of fastembed (ONNX), by the name of its model.

    `options` go to `fastembed.rerank.cross_encoder.TextCrossEncoder`. Raises `MissingDependencyError` where it is not
    installed.
    """

    def __init__(self, model: str = "Xenova/ms-marco-MiniLM-L-6-v2", **options: Any) -> None:
        package = _import("fastembed.rerank.cross_encoder", "fastembed")
        self._encoder = package.TextCrossEncoder(model_name=model, **options)

    def __call__(self, query: str, texts: Sequence[str], /) -> Any:
        """Scores of the texts."""
        return list(self._encoder.rerank(query, list(texts)))


_NAMED: Mapping[str, type[SentenceTransformersReranker | FastembedReranker]] = {
    "sentence-transformers": SentenceTransformersReranker,
    "fastembed": FastembedReranker,
}


def resolve(reranker: object) -> Reranker | None:
    """A re-ranker from a callable or a name: "sentence-transformers" or "fastembed", each with ":model" if you like.

    A named model is loaded once in a process.
    """
    if reranker is None:
        return None
    if isinstance(reranker, str):
        return _loaded(reranker)
    if isinstance(reranker, type) or not isinstance(reranker, Reranker):
        raise InvalidTypeError(f"a reranker is a name or a callable of a question and texts, not {_kind(reranker)}")
    return reranker


def apply(
    reranker: Reranker, query: str, pool: Sequence[Combined], texts: Sequence[str]
) -> tuple[list[Combined], str | None]:
    """The pool in the order of a re-ranker, best first, and a note if it failed and the order is as it was.

    A re-ranker's scale is its own: its scores are brought between 0 and the best that the arms gave. Two that it tells
    apart come in its order; those that it does not stay in the order of the arms, so that one whose scores are all the
    same changes nothing. What a window added to a score is left as it is, since time comes after text. Raw scores are
    kept.

    Raises `RerankerError` for scores that are not one finite number a text.
    """
    if not pool:
        return [], None
    try:
        given = reranker(query, list(texts))
    except Exception as error:
        log.warning("the re-ranker failed; this recall goes without it", exc_info=error)
        return list(pool), f"the re-ranker failed ({type(error).__name__}: {error})"
    raw = _scores(given, len(pool))
    scores = np.asarray([entry.score for entry in pool], np.float64)
    timed = np.asarray([entry.timed for entry in pool], np.float64)
    order = np.lexsort((np.arange(len(pool)), timed - scores, -raw))
    ranks = np.empty(len(pool), np.int64)
    ranks[order] = np.arange(1, len(pool) + 1)
    if raw.min() < raw.max():
        text = _texts(raw, scores - timed) + timed
        # A best text and a best time may meet for the first time here; no score passes the best so far.
        scores = text * min(1.0, scores.max() / text.max()) if text.max() > 0 else text
    told = [
        entry._replace(
            score=float(scores[at]),
            ranks={**entry.ranks, NAME: int(ranks[at])},
            scores={**entry.scores, NAME: float(raw[at])},
        )
        for at, entry in enumerate(pool)
    ]
    return sorted(told, key=lambda entry: (-entry.score, entry.id)), None


def _texts(raw: Floats, arms: Floats) -> Floats:
    """Scores by text, from 0 to the best of `arms`: in the order of `raw`, where that ties in the order of `arms`."""
    top = arms.max()
    if top <= 0:
        return np.zeros(len(raw))
    level = raw / max(1.0, float(np.abs(raw).max()))  # so that a difference does not overflow
    level = (level - level.min()) / (level.max() - level.min())
    # Small enough that the arms cannot turn around what the re-ranker told apart.
    gap = float(np.diff(np.unique(level)).min())
    share = min(_TIES, gap / (2 + 2 * gap))
    return np.asarray((1 - share) * top * level + share * np.maximum(arms, 0.0), np.float64)


def _scores(given: Any, count: int) -> Floats:
    try:
        scores = np.asarray(given, np.float64)
    except (TypeError, ValueError) as error:
        raise RerankerError(f"a re-ranker returns one number a text, not {_kind(given)}") from error
    if scores.shape == (count, 1):
        scores = scores[:, 0]
    if scores.shape != (count,):
        raise RerankerError(f"the re-ranker returned shape {scores.shape} for {count} texts; ({count},) is expected")
    finite = np.isfinite(scores)
    if not finite.all():
        row = int(np.argmin(finite))
        raise RerankerError(f"the re-ranker gave text {row} a score that is not finite", row=row)
    return scores


@lru_cache(maxsize=4)
def _loaded(name: str) -> Reranker:
    library, _, model = name.partition(":")
    if library not in _NAMED:
        raise InvalidValueError(
            f"unknown reranker {name!r}; use {' or '.join(_NAMED)} (with :model if you like) "
            "or a callable of a question and texts"
        )
    try:
        return _NAMED[library](model) if model else _NAMED[library]()
    except MissingDependencyError:
        raise
    except Exception as error:
        raise RerankerError(f"the re-ranker {name!r} was not loaded ({type(error).__name__}: {error})") from error


def _import(package: str, extra: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingDependencyError(
            f"the re-ranker {extra!r} needs the package {extra}: pip install 'timewalk[{extra}]'"
        ) from error


def _kind(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
