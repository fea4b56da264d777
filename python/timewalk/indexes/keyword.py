"""Keyword search: BM25 by tantivy, for languages with and without spaces between words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from math import log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import tantivy
from tantivy import Occur, Query

# Scripts that put no spaces between words are indexed by characters and pairs of them; a stemmer does not help there.
_UNSPACED = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+"
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
_HEAP = 64 << 20
_LOOKUP = 5  # what it costs to look a row up in the index, in hits that could be fetched instead
_MARGIN = 1.5


def _folded(text: str) -> str:
    """One spelling of what reads the same: composed characters, full and half width, ß and ss, large and small."""
    return unicodedata.normalize("NFKC", text).casefold()


class KeywordDocument(NamedTuple):
    """What the index holds of one memory. Times in microseconds, already defaulted (see `effective_times`)."""

    row: int
    text: str
    namespace: str
    fact_type: str | None
    tags: Sequence[str]
    start: int
    end: int
    invalid_at: int


class KeywordHits(NamedTuple):
    """Rows with their BM25 scores, best first, and what share of the query's weight each covers, in [0, 1]."""

    rows: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    relevance: npt.NDArray[np.float64]


EMPTY = KeywordHits(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


class KeywordIndex:
    """BM25 over the texts of memories, in RAM."""

    def __init__(self) -> None:
        simple = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        self._words = (
            simple.filter(tantivy.Filter.remove_long(_LONGEST_TOKEN))
            .filter(tantivy.Filter.lowercase())
            .filter(tantivy.Filter.stemmer("english"))
            .build()
        )
        self._content = (
            tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
            .filter(tantivy.Filter.lowercase())
            .filter(tantivy.Filter.custom_stopword(_FUNCTION_WORDS))
            .filter(tantivy.Filter.stemmer("english"))
            .build()
        )
        self._pairs = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.ngram(1, 2, False)).build()
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", tokenizer_name="words", index_option="freq")
        builder.add_text_field("unspaced", tokenizer_name="pairs", index_option="freq")
        builder.add_integer_field("row", fast=True)
        builder.add_integer_field("start", fast=True)
        builder.add_integer_field("end", fast=True)
        builder.add_integer_field("invalid_at", fast=True)
        # The row as a term too: looking up a set of terms is twice as fast as one of integers.
        for name in ("namespace", "fact_type", "tag", "row_term"):
            builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema)
        self._index.register_tokenizer("words", self._words)
        self._index.register_tokenizer("pairs", self._pairs)
        # One thread, so that documents lie in the order they came.
        self._writer = self._index.writer(_HEAP, 1)
        self._searcher = self._index.searcher()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def add(self, documents: Iterable[KeywordDocument]) -> None:
        """Indexes documents; rows must be new."""
        for document in documents:
            entry = tantivy.Document()
            text = _folded(document.text)
            entry.add_text("text", text)
            for run in _UNSPACED.findall(text):
                entry.add_text("unspaced", run)
            entry.add_integer("row", document.row)
            entry.add_text("row_term", str(document.row))
            entry.add_integer("start", document.start)
            entry.add_integer("end", document.end)
            entry.add_integer("invalid_at", document.invalid_at)
            entry.add_text("namespace", document.namespace)
            if document.fact_type is not None:
                entry.add_text("fact_type", document.fact_type)
            for tag in document.tags:
                entry.add_text("tag", tag)
            self._writer.add_document(entry)
        self._writer.commit()
        self._index.reload()
        self._searcher = self._index.searcher()

    def names_something(self, text: str) -> bool:
        """Whether a text holds more than function words."""
        return bool(self._content.analyze(_folded(text)))

    def search(
        self,
        text: str,
        limit: int,
        *,
        window: tuple[int, int] | None = None,
        valid_at: int | None = None,
        namespaces: Sequence[str] = (),
        fact_types: Sequence[str] = (),
        tags: Sequence[str] = (),
        mask: npt.NDArray[np.bool_] | None = None,
    ) -> KeywordHits:
        """The `limit` best rows for a text, ties by row; empty where nothing matches.

        Filters hold before the cut: `window` keeps what overlaps [start, end), `valid_at` what is not invalid by
        then, `mask` (bool, one a row) the rows it holds for, each other one what has any of its values; an empty one
        keeps all.
        """
        terms = self._terms(_folded(text))
        # The search sets memory aside for as many as are asked for, found or not.
        limit = min(limit, len(self))
        if not terms or limit < 1:
            return EMPTY
        weights = [self._idf(field, term) for field, term in terms]
        anyof = Query.boolean_query(
            [(Occur.Should, Query.term_query(self._schema, field, term, index_option="freq")) for field, term in terms]
        )
        filters = [
            Query.term_set_query(self._schema, field, list(values))
            for field, values in (("namespace", namespaces), ("fact_type", fact_types), ("tag", tags))
            if values
        ]
        if window is not None:
            start, end = window
            filters += [
                self._range("start", upper_bound=end, include_upper=False),
                self._range("end", lower_bound=start),
            ]
        if valid_at is not None:
            filters.append(self._range("invalid_at", lower_bound=valid_at, include_lower=False))
        share = 1.0
        if mask is not None:
            passing = np.flatnonzero(mask)
            if not len(passing):
                return EMPTY
            share = len(passing) / len(mask)
            if len(passing) * _LOOKUP < limit / share:
                filters.append(Query.term_set_query(self._schema, "row_term", [str(row) for row in passing.tolist()]))
                mask, share = None, 1.0
        must = [(Occur.Must, Query.const_score_query(query, 0.0)) for query in filters]
        query = Query.boolean_query([(Occur.Must, anyof), *must]) if must else anyof
        rows, scores = self._top(query, limit, mask, share)
        whole = sum(weights)
        relevance = np.minimum(scores / whole, 1.0) if whole > 0 else np.zeros(len(scores))
        return KeywordHits(rows, scores, relevance)

    def _range(self, field: str, **bounds: Any) -> Query:
        return Query.range_query(self._schema, field, tantivy.FieldType.Integer, **bounds)

    def _top(
        self, query: Query, limit: int, mask: npt.NDArray[np.bool_] | None, share: float
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        # Of what comes back `share` should pass the mask. Which of equal scores make the cut would depend on how the
        # index is split: fetch until a lower score follows them, then cut by row.
        fetch = min(int(limit / share * _MARGIN) if mask is not None else limit, len(self)) + 1
        while True:
            hits = self._searcher.search(query, fetch, count=False).hits
            if not hits:
                return EMPTY.rows, EMPTY.scores
            rows = np.asarray(self._searcher.fast_field_values("row", [address for _, address in hits]), np.int64)
            scores = np.asarray([score for score, _ in hits], np.float64)
            lowest = scores[-1]
            if mask is not None:
                passes = mask[rows]
                rows, scores = rows[passes], scores[passes]
            if len(hits) < fetch or (len(rows) >= limit and lowest < scores[limit - 1]):
                break
            fetch *= 4
        best = np.lexsort((rows, -scores))[:limit]
        return rows[best], scores[best]

    def _terms(self, text: str) -> list[tuple[str, str]]:
        words = self._content.analyze(text) or self._words.analyze(text)
        terms = [("text", word) for word in words if len(word) <= _LONGEST_TOKEN]
        for run in _UNSPACED.findall(text):
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
