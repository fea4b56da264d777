"""Stores: the embedded database file that is the one source of truth."""
