"""Decay: how much a memory weighs after a time. Pure functions over columns, and the same as engine objects.

Compared with others, checked against what they return:

- pyactup and python_actr: the same base-level activation, exact, optimised and hybrid, where they follow their own
  formula. Near t_n = t_k and at d = 1 their quotient loses digits or fails; here both are limits.
- FSRS: the same curve, but its library floors ages to whole days, so that a card of 23 hours has not aged. Ages are
  fractions here. It counts stability in days; here a number is seconds and a timedelta is what it says.
- Elasticsearch, Qdrant and Milvus: the same gauss, exp and linear. Qdrant and Milvus compute partly in float32 and give
  0 below its range; here tiny weights stay numbers. Milvus gives 0 for a null, which outranks negative similarities;
  here a row without its times ranks after all others.
- LangChain: (1 - decay_rate)^hours is `exp` with scale one hour and decay = 1 - decay_rate; it is added to the
  relevance there. A time in the future has a weight above 1 there, and 1 here.
- LlamaIndex: as LangChain, but a score of 0.0 is taken as 1.0 and a missing time as now; neither happens here.
"""

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
