"""Ingestion: from records, files and repositories to one table of memories, with entities and links found in them."""
