"""Retrieval for the memory of AI agents: time as a dimension to walk, in your own process."""

from timewalk._core import MemoryGraph, __version__
from timewalk.decay import (
    ACTR,
    Column,
    Ebbinghaus,
    Engine,
    Exp,
    Gauss,
    HalfLife,
    Linear,
    PowerLaw,
    actr,
    ebbinghaus,
    exp,
    gauss,
    half_life,
    linear,
    power_law,
)
from timewalk.errors import (
    ClosedError,
    EmbedderError,
    FileAccessError,
    FileFormatError,
    InvalidTypeError,
    InvalidValueError,
    MissingDependencyError,
    RerankerError,
    StoreError,
    TimewalkError,
    UnknownIdError,
)
from timewalk.fusion import Fused, fuse
from timewalk.ingest.inference import LinkRules
from timewalk.memory import Memory
from timewalk.recall.filters import FilterOptions
from timewalk.recall.hits import Hit, Hits, Step
from timewalk.recall.rerankers import FastembedReranker, Reranker, SentenceTransformersReranker
from timewalk.reranking import rerank
from timewalk.touch import touch
from timewalk.windows import Window, find_window, find_windows

__all__ = [
    "ACTR",
    "ClosedError",
    "Column",
    "Ebbinghaus",
    "EmbedderError",
    "Engine",
    "Exp",
    "FastembedReranker",
    "FileAccessError",
    "FileFormatError",
    "FilterOptions",
    "Fused",
    "Gauss",
    "HalfLife",
    "Hit",
    "Hits",
    "InvalidTypeError",
    "InvalidValueError",
    "Linear",
    "LinkRules",
    "Memory",
    "MemoryGraph",
    "MissingDependencyError",
    "PowerLaw",
    "Reranker",
    "RerankerError",
    "SentenceTransformersReranker",
    "Step",
    "StoreError",
    "TimewalkError",
    "UnknownIdError",
    "Window",
    "__version__",
    "actr",
    "ebbinghaus",
    "exp",
    "find_window",
    "find_windows",
    "fuse",
    "gauss",
    "half_life",
    "linear",
    "power_law",
    "rerank",
    "touch",
]
