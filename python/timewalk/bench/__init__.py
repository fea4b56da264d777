"""The benchmarking harness: does recall find what it should, and better than the usual ways? `timewalk bench`.

It runs from an installed package, on published data sets where you have them, and on your own questions.
"""

from timewalk.bench.compare import Change, compare
from timewalk.bench.report import markdown
from timewalk.bench.results import Interval, Part, Result
from timewalk.bench.runner import run
from timewalk.bench.suites import SUITES

__all__ = ["SUITES", "Change", "Interval", "Part", "Result", "compare", "markdown", "run"]
