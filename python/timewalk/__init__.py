"""Retrieval for the memory of AI agents: time as a dimension to walk, in your own process."""

from timewalk._core import __version__
from timewalk.decay import actr, ebbinghaus, exp, gauss, half_life, linear, power_law
from timewalk.errors import (
    ClosedError,
    EmbedderError,
    FileFormatError,
    InvalidTypeError,
    InvalidValueError,
    MissingDependencyError,
    StoreError,
    TimewalkError,
    UnknownIdError,
)

__all__ = [
    "ClosedError",
    "EmbedderError",
    "FileFormatError",
    "InvalidTypeError",
    "InvalidValueError",
    "MissingDependencyError",
    "StoreError",
    "TimewalkError",
    "UnknownIdError",
    "__version__",
    "actr",
    "ebbinghaus",
    "exp",
    "gauss",
    "half_life",
    "linear",
    "power_law",
]
