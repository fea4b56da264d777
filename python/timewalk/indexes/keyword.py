"""Keyword search: BM25, for languages with and without spaces between words."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from timewalk._core import Keywords

Mask = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]


class KeywordHits(NamedTuple):
    """Positions with their BM25 scores, best first, and what share of the query's weight each covers, in [0, 1]."""

    rows: Integers
    scores: npt.NDArray[np.float64]
    relevance: npt.NDArray[np.float64]


class KeywordIndex:
    """BM25 (Robertson and Zaragoza 2009) over the texts of memories, which go by their position.

    Words count by their English stem, scripts without spaces by characters and pairs of them, an emoji by itself.
    Function words of a question count only where it has no others. The index always is what it would be if it had been
    filled at once with what it holds.
    """

    def __init__(self, core: Keywords | None = None) -> None:
        self._core = Keywords() if core is None else core

    def __len__(self) -> int:
        return len(self._core)

    def add(self, positions: Integers, texts: pa.Array) -> None:
        """Takes memories in at positions that are free."""
        self._core.add(pa.array(positions, pa.uint32()), _folded(texts))

    def remove(self, positions: Integers, texts: pa.Array) -> None:
        """Takes memories out, by the texts they came with."""
        self._core.remove(pa.array(positions, pa.uint32()), _folded(texts))

    def names_something(self, text: str) -> bool:
        """Whether a text holds more than function words."""
        return self._core.names_something(_fold(text))

    def search(self, text: str, limit: int, mask: Mask | None = None) -> KeywordHits:
        """The `limit` best positions for a text and all that tie with the last of them, ties by position.

        `mask` (bool, by position) says which may be found. Empty where nothing matches.
        """
        allowed = None if mask is None else pa.array(mask.view(np.uint8))
        positions, found, whole = self._core.search(_fold(text), limit, allowed)
        scores = found.to_numpy()
        relevance = np.minimum(scores / whole, 1.0) if whole > 0 else np.zeros(len(scores))
        return KeywordHits(positions.to_numpy(), scores, relevance)

    def to_bytes(self) -> bytes:
        """The index as bytes, for `from_bytes`."""
        return self._core.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> KeywordIndex:
        """Raises `FileFormatError` for bytes that `to_bytes` did not make."""
        return cls(Keywords.from_bytes(data))


def _fold(text: str) -> str:
    """One spelling of what reads the same: composed characters, full and half width, ß and ss, large and small."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _folded(texts: pa.Array) -> pa.Array:
    plain = pc.string_is_ascii(texts)
    if pc.all(plain).as_py() is not False:
        return pc.ascii_lower(texts)
    return pa.array([None if text is None else _fold(text) for text in texts.to_pylist()], pa.string())
