"""Keyword search: BM25 by tantivy, for languages with and without spaces between words."""

from __future__ import annotations

import re
import shutil
import tarfile
import unicodedata
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import tantivy
from tantivy import Occur, Query

from timewalk.errors import FileFormatError
from timewalk.temporary import Folder

Mask = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Term = tuple[str, str]
"""A field of the index and a word in it."""

# Scripts that put no spaces between words are indexed by characters and pairs of them; a stemmer does not help there.
# Emoji are words of one character.
_UNSPACED = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
    r"|[\U0001f1e6-\U0001f1ff]{2}|[\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001f3fa\U0001f400-\U0001faff]"
)
# Words that hold a question together and name nothing. Only questions are freed of them: in texts they do no harm.
_FUNCTION_WORDS = """
a about after again all also am an and any are around as at be because been before being between both but by can could
did do does doing during each for from further had has have having he her hers him his how i if in into is it its just
me more most my no nor not now of off on once only or other our out over own same she should so some such than that the
their them then there these they this those through to too under until up upon us very was we were what when where
which while who whom whose why will with would you your happen happened happening tell explain describe know remember
recall remind please s t
""".split()  # noqa: SIM905  a list of 130 lines reads worse
_LONGEST_TOKEN = 80
_READ = 2_000  # characters of a text that are looked through for what it shares with others
_HEAP = 64 << 20
_LOOKUP = 5  # what it costs to look a position up in the index, in hits that could be fetched instead
_MARGIN = 1.5
# tantivy adds float32 scores in an order that hangs on how the index is split; on this grid the sums are the same.
_GRID = 1024.0


class KeywordHits(NamedTuple):
    """Positions with their BM25 scores, best first, and what share of the query's weight each covers, in [0, 1]."""

    rows: Integers
    scores: Floats
    relevance: Floats


EMPTY = KeywordHits(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


class KeywordIndex:
    """BM25 (Robertson and Zaragoza 2009) over the texts of memories, which go by their position.

    Words count by their English stem, scripts without spaces by characters and pairs of them, an emoji by itself.
    Function words of a question count only where it has no others. It lies in RAM, or in a temporary folder where it
    came from a file. Nothing is ever taken out: tantivy would go on counting it, and answers would hang on the past.
    """

    def __init__(self) -> None:
        self._open(tantivy.Index(_schema()), None)

    def _open(self, index: tantivy.Index, folder: Folder | None) -> None:
        self._index = index
        self._folder = folder
        if folder is not None:
            weakref.finalize(self, folder.close)
        self._content = _analyzer(stop=True)
        self._words = _analyzer(stop=False)
        self._pairs = _pairs()
        index.register_tokenizer("words", self._words)
        index.register_tokenizer("pairs", self._pairs)
        self._writer: Any = None
        self._searcher = index.searcher()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def add(self, positions: Integers, texts: pa.Array) -> None:
        """Takes memories in at positions that are free."""
        if len(positions):
            if self._writer is None:
                # One thread, so that documents lie in the order they came.
                self._writer = self._index.writer(_HEAP, 1)
            _fill(self._writer, positions, texts)
            self._index.reload()
            self._searcher = self._index.searcher()

    def names_something(self, text: str) -> bool:
        """Whether a text holds more than function words."""
        return bool(self._content.analyze(_folded(text))) or bool(_UNSPACED.search(text))

    def shared(self, texts: Sequence[str], limit: int) -> dict[Term, float]:
        """The `limit` words that tell most of what several texts have in common, by the share of the texts that hold
        them times their weight in BM25; with that share, in (0, 1].
        """
        held = Counter(term for text in texts for term in self._terms(_folded(text[:_READ])))
        shares = {term: count / len(texts) for term, count in held.items() if count > 1}
        worth = {term: share * self._idf(*term) for term, share in shares.items()}
        best = sorted(worth, key=lambda term: (-worth[term], term))[:limit]
        return {term: shares[term] for term in best}

    def search(
        self, text: str, limit: int, mask: Mask | None = None, also: Mapping[Term, float] | None = None
    ) -> KeywordHits:
        """The `limit` best positions for a text and all that tie with the last of them, ties by position.

        `mask` (bool, by position) says which may be found; it holds before the cut. `also` are terms that count beside
        the text's own, which count 1. Empty where nothing matches.
        """
        terms = dict.fromkeys(self._terms(_folded(text)), 1.0)
        for term, weight in (also or {}).items():
            terms[term] = terms.get(term, 0.0) + weight
        # The search sets memory aside for as many as are asked for, found or not.
        limit = min(limit, len(self))
        if not terms or limit < 1:
            return EMPTY
        schema = self._index.schema
        query = Query.boolean_query([(Occur.Should, self._query(term, weight)) for term, weight in terms.items()])
        share = 1.0
        if mask is not None:
            passing = int(np.count_nonzero(mask))
            if not passing:
                return EMPTY
            share = passing / len(mask)
            if passing * _LOOKUP < limit / share:
                few = Query.term_set_query(schema, "term", [str(position) for position in np.flatnonzero(mask)])
                query = Query.boolean_query([(Occur.Must, query), (Occur.Must, Query.const_score_query(few, 0.0))])
                mask, share = None, 1.0
        rows, scores = self._top(query, limit, mask, share)
        whole = sum(weight * self._idf(*term) for term, weight in terms.items())
        relevance = np.minimum(scores / whole, 1.0) if whole > 0 else np.zeros(len(scores))
        return KeywordHits(rows, scores, relevance)

    def _query(self, term: Term, weight: float) -> Query:
        query = Query.term_query(self._index.schema, *term, index_option="freq")
        return query if weight == 1 else Query.boost_query(query, weight)

    def _top(self, query: Query, limit: int, mask: Mask | None, share: float) -> tuple[Integers, Floats]:
        # Of what comes back `share` should pass the mask; fetch until a lower score follows the last that is wanted.
        fetch = min(int(limit / share * _MARGIN) if mask is not None else limit, len(self)) + 1
        while True:
            hits = self._searcher.search(query, fetch, count=False).hits
            if not hits:
                return EMPTY.rows, EMPTY.scores
            rows = np.asarray(self._searcher.fast_field_values("position", [address for _, address in hits]), np.int64)
            scores = np.round(np.asarray([score for score, _ in hits], np.float64) * _GRID) / _GRID
            lowest = scores[-1]
            if mask is not None:
                passes = (rows < len(mask)) & mask[np.minimum(rows, len(mask) - 1)]
                rows, scores = rows[passes], scores[passes]
            if len(hits) < fetch or (len(rows) >= limit and lowest < scores[limit - 1]):
                break
            fetch *= 4
        best = np.lexsort((rows, -scores))
        rows, scores = rows[best], scores[best]
        if len(rows) > limit:
            tied = scores >= scores[limit - 1]
            rows, scores = rows[tied], scores[tied]
        return rows, scores

    def _terms(self, text: str) -> list[Term]:
        words = self._content.analyze(text)
        unspaced = [] if text.isascii() else _UNSPACED.findall(text)
        if not words and not unspaced:
            words = self._words.analyze(text)
        terms = [("text", word) for word in words if len(word) <= _LONGEST_TOKEN]
        for run in unspaced:
            # Pairs tell words apart; a single character is asked for only where it stands alone.
            terms += [("unspaced", pair) for pair in self._pairs.analyze(run) if len(pair) == min(2, len(run))]
        return list(dict.fromkeys(terms))

    def _idf(self, field: str, term: str) -> float:
        """Weight of a term in BM25, as tantivy computes it; what a text of average length scores that holds it once.

        A term that no memory holds weighs nothing: it tells none of them apart.
        """
        frequency = self._searcher.doc_freq(field, term)
        if frequency == 0:
            return 0.0
        count = self._searcher.num_docs
        return log(1.0 + (count - frequency + 0.5) / (frequency + 0.5))

    def save(self, path: Path, positions: Integers, texts: pa.Array) -> None:
        """Writes a file for `load`; `positions` and `texts` are those that the index holds."""
        if self._folder is None:
            with Folder() as folder:
                index = tantivy.Index(_schema(), path=str(folder.path))
                index.register_tokenizer("words", self._words)
                index.register_tokenizer("pairs", self._pairs)
                writer = index.writer(_HEAP, 1)
                _fill(writer, positions, texts)
                writer.wait_merging_threads()
                _pack(folder.path, path)
            return
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None
        _pack(self._folder.path, path)

    @classmethod
    def load(cls, path: Path) -> KeywordIndex:
        """Raises `FileFormatError` for a file that `save` did not make."""
        folder = Folder()
        index = cls.__new__(cls)
        try:
            with tarfile.open(path) as packed:
                _unpack(packed, folder.path)
            index._open(tantivy.Index.open(str(folder.path)), folder)
        except (tarfile.TarError, ValueError, OSError) as error:
            folder.close()
            raise FileFormatError(f"{path} holds no keyword index ({error})") from error
        return index


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="words", index_option="freq")
    builder.add_text_field("unspaced", tokenizer_name="pairs", index_option="freq")
    builder.add_integer_field("position", fast=True)
    # The position as a term too: looking up a set of terms is twice as fast as one of integers.
    builder.add_text_field("term", tokenizer_name="raw", index_option="basic")
    return builder.build()


def _analyzer(*, stop: bool) -> tantivy.TextAnalyzer:
    simple = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    if stop:
        simple = simple.filter(tantivy.Filter.custom_stopword(_FUNCTION_WORDS))
    else:
        simple = simple.filter(tantivy.Filter.remove_long(_LONGEST_TOKEN))
    return simple.filter(tantivy.Filter.stemmer("english")).build()


def _pairs() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(1, 2, False)).build()


def _fill(writer: Any, positions: Integers, texts: pa.Array) -> None:
    for position, text in zip(positions.tolist(), texts.to_pylist(), strict=True):
        folded = _folded(text)
        entry = tantivy.Document()
        entry.add_text("text", folded)
        if not folded.isascii():
            for run in _UNSPACED.findall(folded):
                entry.add_text("unspaced", run)
        entry.add_integer("position", position)
        entry.add_text("term", str(position))
        writer.add_document(entry)
    writer.commit()


def _pack(folder: Path, path: Path) -> None:
    with tarfile.open(path, "w") as packed:
        for file in sorted(folder.iterdir()):
            if not file.name.endswith(".lock"):
                packed.add(file, file.name)


def _unpack(packed: tarfile.TarFile, folder: Path) -> None:
    """Plain files by their bare names only, whatever an archive says. (Python before 3.11.4 has no filters for it.)"""
    for member in packed:
        source = packed.extractfile(member) if member.isfile() else None
        if source is None or Path(member.name).name != member.name:
            raise tarfile.TarError(f"it holds {member.name!r}")
        with source, open(folder / member.name, "wb") as target:
            shutil.copyfileobj(source, target)


def _folded(text: str) -> str:
    """One spelling of what reads the same: composed characters, full and half width, ß and ss, large and small."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
