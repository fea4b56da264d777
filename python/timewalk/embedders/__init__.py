"""Embedders: anything that turns a list of texts into float32 vectors, or the name of a library that does."""

from timewalk.embedders.base import Embed, Embedder, resolve

__all__ = ["Embed", "Embedder", "resolve"]
