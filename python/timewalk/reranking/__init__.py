"""Re-ranking: hits of any vector store, weighed by time, best first."""

from timewalk.reranking.api import rerank
from timewalk.reranking.fusion import Fusion

__all__ = ["Fusion", "rerank"]
