"""Retrieval for the memory of AI agents: time as a dimension to walk, in your own process."""

from timewalk._core import MemoryGraph, __version__
from timewalk.decay import actr, ebbinghaus, exp, gauss, half_life, linear, power_law
from timewalk.errors import (
    ClosedError,
    EmbedderError,
    FileAccessError,
    FileFormatError,
    InvalidTypeError,
    InvalidValueError,
    MissingDependencyError,
    StoreError,
    TimewalkError,
    UnknownIdError,
)
from timewalk.fusion import Fused, fuse
from timewalk.recall.hits import Hit, Hits, Step
from timewalk.windows import Window, find_window, find_windows

__all__ = [
    "ClosedError",
    "EmbedderError",
    "FileAccessError",
    "FileFormatError",
    "Fused",
    "Hit",
    "Hits",
    "InvalidTypeError",
    "InvalidValueError",
    "MemoryGraph",
    "MissingDependencyError",
    "Step",
    "StoreError",
    "TimewalkError",
    "UnknownIdError",
    "Window",
    "__version__",
    "actr",
    "ebbinghaus",
    "exp",
    "fuse",
    "gauss",
    "half_life",
    "linear",
    "power_law",
    "find_window",
    "find_windows",
]
