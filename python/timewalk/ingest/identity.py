"""One identity key for entities everywhere."""

from __future__ import annotations

import unicodedata


def entity_key(name: str) -> str:
    """The key under which names are one entity: NFKC, casefolded, white space collapsed to single spaces.

    Nothing else is folded away: accents, scripts, apostrophes and digits tell entities apart ("Room 101" is not
    "Room 102", 北京大学 is not 上海大学). The display form is the caller's to keep. Casefolding can undo
    normalisation, so NFKC is applied again after it; the key of a key is itself.
    """
    if name.isascii():
        return " ".join(name.casefold().split())
    folded = unicodedata.normalize("NFKC", name).casefold()
    # A letter such as U+0345 folds to one that composes anew, so one more round reaches the fixed point.
    folded = unicodedata.normalize("NFKC", folded).casefold()
    return " ".join(unicodedata.normalize("NFKC", folded).split())
