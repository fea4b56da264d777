"""The token budget: what does not fit is passed over, and what comes after it may."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TypeAlias

from timewalk.errors import InvalidTypeError, InvalidValueError

CountTokens: TypeAlias = Callable[[str], int]

_BYTES_A_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens a language model makes of a text: one for every four bytes of UTF-8, rounded up.

    A rule of thumb, good to a third or so; where the limit is hard, pass the model's own counter.
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN)


class Budget:
    """How many tokens are left of `limit`; None sets no limit."""

    def __init__(self, limit: int | None, count: CountTokens = estimate_tokens) -> None:
        self.limit = limit
        self.skipped = 0
        self._left = limit
        self._count = count

    def takes(self, text: str) -> bool:
        """Spends what a text needs, if that is left; else counts it as skipped."""
        if self._left is None:
            return True
        need = self._tokens(text)
        if need > self._left:
            self.skipped += 1
            return False
        self._left -= need
        return True

    def _tokens(self, text: str) -> int:
        try:
            counted = self._count(text)
        except Exception as error:
            raise InvalidValueError(f"count_tokens failed ({type(error).__name__}: {error})") from error
        try:
            tokens = operator.index(counted)
        except TypeError:
            raise InvalidTypeError(
                f"count_tokens returns a whole number of tokens, not {type(counted).__name__}"
            ) from None
        if tokens < 0:
            raise InvalidValueError(f"count_tokens returns 0 or more tokens, not {tokens}")
        return tokens
