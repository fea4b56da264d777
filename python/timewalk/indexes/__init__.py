"""Indexes over a store: caches, rebuilt from it whenever they do not match."""
