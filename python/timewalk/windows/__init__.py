"""Time windows from plain language: half-open ranges of time that a text speaks of."""

from timewalk.windows.anchor import AnchoredExpression, find_anchor
from timewalk.windows.find import find_window, find_windows
from timewalk.windows.window import MAX_MICROS, MIN_MICROS, Window

__all__ = ["MAX_MICROS", "MIN_MICROS", "AnchoredExpression", "Window", "find_anchor", "find_window", "find_windows"]
