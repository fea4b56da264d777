"""Chroma (embedded): query, weigh by time, write back what was used. Needs `pip install chromadb`.

Chroma's metadata hold single values, so this uses a half-life, which needs the last access alone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import chromadb

import timewalk as tw

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)


def store(name: str = "notes") -> Any:
    """Two notes: the better match is older."""
    collection = chromadb.EphemeralClient().create_collection(name, metadata={"hnsw:space": "cosine"})
    collection.add(
        ids=["old", "new"],
        embeddings=[[1.0, 0.0, 0.0], [1.0, 0.5, 0.0]],
        documents=["The office is on the third floor", "The office moves to the fifth floor"],
        metadatas=[
            {"last_access": (NOW - timedelta(days=60)).isoformat()},
            {"last_access": (NOW - timedelta(days=3)).isoformat()},
        ],
    )
    return collection


def recall(collection: Any, now: datetime, k: int = 1) -> list[dict[str, Any]]:
    """The best notes, weighed by a half-life of 30 days, and marked as used."""
    found = collection.query(query_embeddings=[[1.0, 0.0, 0.0]], n_results=2)
    rows = zip(found["ids"][0], found["distances"][0], found["documents"][0], found["metadatas"][0], strict=True)
    hits = [{"id": id, "distance": far, "text": text, "metadata": dict(data)} for id, far, text, data in rows]
    engine = tw.HalfLife("30d", last_access="metadata.last_access")
    best = tw.rerank(hits, engine, now=now, k=k, similarity="distance", distance="cosine")
    for hit in best:
        used = tw.touch(hit["metadata"], now=now)
        single = {name: value for name, value in used.items() if not isinstance(value, list)}
        collection.update(ids=[hit["id"]], metadatas=[single])
    return best


def main() -> None:
    """Two questions: the second sees that the first was answered."""
    collection = store()
    for days in (0, 10):
        (best,) = recall(collection, NOW + timedelta(days=days))
        print(f"{best['score']:5.2f}  {best['text']}  (weight {best['temporal_weight']:.2f})")


if __name__ == "__main__":
    main()
