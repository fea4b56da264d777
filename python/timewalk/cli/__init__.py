"""The command line: `timewalk demo`, `ingest`, `recall`, `rerank`, `window`, `bench`."""

from timewalk.cli.app import main

__all__ = ["main"]
