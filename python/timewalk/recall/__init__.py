"""Recall: the arms that find memories, how they are fused, and what comes out."""
