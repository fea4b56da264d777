"""Qdrant (local mode): query, weigh by time, write back what was used. Needs `pip install qdrant-client`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from qdrant_client import QdrantClient, models

import timewalk as tw

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)


def store() -> QdrantClient:
    """Three notes about the same thing: one used four times, one new, one old."""
    client = QdrantClient(":memory:")
    client.create_collection("notes", vectors_config=models.VectorParams(size=3, distance=models.Distance.COSINE))
    notes: list[tuple[list[float], dict[str, Any]]] = [
        ([1.0, 0.00, 0.0], {"text": "The staging password is rotated on Mondays", "age": 40, "uses": 4}),
        ([1.0, 0.05, 0.0], {"text": "The staging password was changed", "age": 1, "uses": 1}),
        ([1.0, 0.02, 0.0], {"text": "Somebody asked for the staging password", "age": 200, "uses": 1}),
    ]
    points = []
    for number, (vector, note) in enumerate(notes, start=1):
        last = NOW - timedelta(days=note["age"])
        accesses = [last - timedelta(days=day) for day in range(note["uses"])][::-1]
        payload = {
            "text": note["text"],
            "created_at": accesses[0].isoformat(),
            "last_access": last.isoformat(),
            "recent_accesses": [time.isoformat() for time in accesses],
            "historical_count": len(accesses),
        }
        points.append(models.PointStruct(id=number, vector=vector, payload=payload))
    client.upsert("notes", points)
    return client


def recall(client: QdrantClient, now: datetime, k: int = 1) -> list[dict[str, Any]]:
    """The best notes, weighed as people remember, and marked as used."""
    found = client.query_points("notes", query=[1.0, 0.0, 0.0], limit=50, with_payload=True).points
    hits = [{"id": point.id, "similarity": point.score, "payload": point.payload} for point in found]
    engine = tw.ACTR(
        recent_accesses="payload.recent_accesses",
        historical_count="payload.historical_count",
        created_at="payload.created_at",
    )
    best = tw.rerank(hits, engine, now=now, k=k)
    for hit in best:
        client.set_payload("notes", payload=tw.touch(hit["payload"], now=now), points=[hit["id"]])
    return best


def main() -> None:
    """Two questions: the second sees that the first was answered."""
    client = store()
    for number in range(2):
        (best,) = recall(client, NOW + timedelta(hours=number))
        print(f"{best['score']:6.2f}  {best['payload']['text']}  (activation {best['temporal_weight']:.2f})")


if __name__ == "__main__":
    main()
