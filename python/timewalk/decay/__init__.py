"""Decay: how much a memory weighs after a time. Pure functions over columns, and the same as engine objects."""

from timewalk.decay.engines import (
    ACTR,
    ENGINES,
    Column,
    Columns,
    Ebbinghaus,
    Engine,
    Exp,
    Gauss,
    HalfLife,
    Linear,
    PowerLaw,
)
from timewalk.decay.functions import actr, ebbinghaus, exp, gauss, half_life, linear, power_law, simd

__all__ = [
    "ACTR",
    "ENGINES",
    "Column",
    "Columns",
    "Ebbinghaus",
    "Engine",
    "Exp",
    "Gauss",
    "HalfLife",
    "Linear",
    "PowerLaw",
    "actr",
    "ebbinghaus",
    "exp",
    "gauss",
    "half_life",
    "linear",
    "power_law",
    "simd",
]
