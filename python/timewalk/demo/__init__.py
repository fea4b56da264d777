"""The bundled example: what happened in space from 1961 to 1975, with what led to what."""

from timewalk.demo.data import NOW, QUESTION, load, records
from timewalk.demo.datefilter import by_date

__all__ = ["NOW", "QUESTION", "by_date", "load", "records"]
