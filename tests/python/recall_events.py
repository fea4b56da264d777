"""The events, questions and tiny embedder of the tests of recall's options."""

NOW = "2024-12-01"
EVENTS = [
    {"id": "plan", "text": "The team planned the move of the database", "occurred_start": "2024-01-10"},
    {
        "id": "move",
        "text": "The database moved to the new cluster in Lisbon",
        "occurred_start": "2024-03-02",
        "caused_by": ["plan"],
    },
    {
        "id": "outage",
        "text": "The shop was down: an outage of the database",
        "occurred_start": "2024-03-05",
        "caused_by": ["move"],
    },
    {
        "id": "fix",
        "text": "The pool was made larger and the alarm stricter",
        "occurred_start": "2024-04-02",
        "caused_by": ["outage"],
    },
    {"id": "again", "text": "The shop was down: another outage of the database", "occurred_start": "2024-03-09"},
    {"id": "lunch", "text": "Lunch with Maria Lopez about the database budget", "author": "Maria Lopez"},
    {"id": "memo", "text": "A memo about the database, the shop, the outage and much more " + "and more " * 60},
]
QUESTIONS = ["what about the outage of the database?", "what about the outage in March 2024?", "database"]


def hashed(texts):
    """A tiny embedder: letters counted."""
    return [[text.count(letter) + 0.1 for letter in "abcdefghilmnoprstuv"] for text in texts]


def pairs(hits):
    return [(hit.id, hit.score, hit.path) for hit in hits]
