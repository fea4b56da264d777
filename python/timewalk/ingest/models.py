"""Entity extractors that run a model: spaCy and GLiNER, imported only when one is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from timewalk.errors import InvalidValueError, MissingDependencyError
from timewalk.ingest.mentions import Mention, once

_SPACY_TYPES = {
    "PERSON": "person",
    "PER": "person",
    "NORP": "concept",
    "FAC": "place",
    "GPE": "place",
    "LOC": "place",
    "ORG": "organisation",
    "EVENT": "event",
    "PRODUCT": "thing",
    "WORK_OF_ART": "thing",
    "LAW": "thing",
    "MISC": "thing",
}
"""spaCy's labels that are entities here; dates, times, amounts and numbers are left out."""

_GLINER_LABELS = ("person", "place", "organisation", "event", "thing", "concept")


def _load(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            f"this extractor needs {module}; install it with: pip install 'timewalk[{extra}]'"
        ) from error


class SpacyExtractor:
    """Named entities of a spaCy pipeline.

    `model`: the name of an installed pipeline or a loaded one. spaCy gives no confidence, so all get `confidence`.
    `types` maps its labels to types; labels that it lacks (dates, numbers) are left out. Raises
    `MissingDependencyError` if spaCy or the pipeline is not installed.
    """

    def __init__(
        self,
        model: Any = "en_core_web_sm",
        *,
        types: Mapping[str, str] = _SPACY_TYPES,
        confidence: float = 0.85,
        batch_size: int = 256,
    ) -> None:
        if not 0 < confidence <= 1:
            raise InvalidValueError(f"confidence is in (0, 1], not {confidence}")
        if isinstance(model, str):
            spacy = _load("spacy", "spacy")
            try:
                model = spacy.load(model)
            except OSError as error:
                raise MissingDependencyError(
                    f"spaCy has no pipeline {model!r}; install it with: python -m spacy download {model}"
                ) from error
        self._pipeline = model
        self._types = dict(types)
        self._confidence = confidence
        self._batch_size = batch_size

    def __call__(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Mentions of each text."""
        return [
            once(
                Mention(entity.text, self._types[entity.label_], self._confidence)
                for entity in document.ents
                if entity.label_ in self._types
            )
            for document in self._pipeline.pipe(texts, batch_size=self._batch_size)
        ]


class GlinerExtractor:
    """Entities of the types named in `labels`, by a GLiNER model and with its confidence.

    `model`: the name or folder of a model, or a loaded one. Mentions under `threshold` are dropped. Raises
    `MissingDependencyError` if GLiNER is not installed.
    """

    def __init__(
        self,
        model: Any = "urchade/gliner_small-v2.1",
        *,
        labels: Sequence[str] = _GLINER_LABELS,
        threshold: float = 0.5,
        batch_size: int = 32,
    ) -> None:
        if not 0 < threshold <= 1:
            raise InvalidValueError(f"threshold is in (0, 1], not {threshold}")
        if isinstance(model, str):
            model = _load("gliner", "gliner").GLiNER.from_pretrained(model)
        self._model = model
        self._labels = list(labels)
        self._threshold = threshold
        self._batch_size = batch_size

    def __call__(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Mentions of each text."""
        found: list[list[Mention]] = []
        for at in range(0, len(texts), self._batch_size):
            part = list(texts[at : at + self._batch_size])
            for entities in self._model.inference(part, self._labels, threshold=self._threshold):
                found.append(once(Mention(e["text"], e["label"], min(float(e["score"]), 1.0)) for e in entities))
        return found
