"""`Memory`: what an agent remembers, in one file or in RAM."""

from timewalk.memory.memory import Memory

__all__ = ["Memory"]
