"""Entities by rules, without a model: runs of capitalised words, acronyms, and what `technical` knows by its form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from timewalk.errors import InvalidTypeError, InvalidValueError
from timewalk.ingest import words
from timewalk.ingest.east_asian import east_asian
from timewalk.ingest.mentions import Mention, once
from timewalk.ingest.technical import Found, blanked, technical, titles

# Scripts that have capitals, with their combining marks. Others (Chinese, Arabic …) must not stick to a Latin name.
_CASED = ((0x41, 0x24F), (0x370, 0x52F), (0x531, 0x587), (0x1E00, 0x1FFF))
_LETTERS = [chr(code) for low, high in _CASED for code in range(low, high + 1)]
_CAPITALS = "".join(letter for letter in _LETTERS if letter.isupper() or letter.istitle())
_UPPER = f"[{_CAPITALS}]"
_LETTER = "[A-Za-z\u00aa-\u00ba\u00c0-\u024f\u0300-\u036f\u0370-\u052f\u0531-\u0587\u1e00-\u1fff]"
_TITLES = r"(?:Mr|Mrs|Ms|Dr|St|Prof|Gen|Lt|Col|Sgt|Sen|Rep|Gov|Capt|Jr|Sr|Rev|Hon|Mt|Ft)\."
_APOSTROPHE = "['\u2019]"
_PREFIX = rf"(?:(?:al|el|ul)-|[dl]{_APOSTROPHE}|[a-z](?={_UPPER}{_LETTER}))?"
_WORD = rf"{_PREFIX}{_UPPER}(?:{_LETTER}|\d)*(?:{_APOSTROPHE}{_LETTER}+|-(?:{_LETTER}|\d)+)*"
_ITEM = rf"(?:{_TITLES}|{_UPPER}\.(?:{_UPPER}\.)+|{_UPPER}\.(?=[ ]{_UPPER})|{_WORD})"
_JOINS = (
    r"of(?:[ ]the)?|for[ ]the|de(?:[ ]l[ao]s?)?|del|della|d[aiou]|dos|van(?:[ ]de[nr]?)?|von(?:[ ]der)?|bin|ibn|al|y|&"
)
_JOIN = rf"[ ](?:(?:{_JOINS})[ ])?"
_TAIL = r"(?:[ -]\d{1,4}[A-Za-z]?\b(?![.:/]?\d))?"
_RUN = re.compile(rf"(?<!{_LETTER})(?<![\d_@#'\u2019.-])({_ITEM}(?:{_JOIN}{_ITEM}){{0,9}}{_TAIL})(?!{_LETTER}|[\d_])")
_PARTS = re.compile(rf"{_ITEM}|\d+[A-Za-z]?|[^\s]+")

_POSSESSIVE = re.compile(rf"{_APOSTROPHE}[sS]?$")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d$")
_ACRONYM = re.compile(rf"{_UPPER}(?:{_UPPER}|\d|[&+-](?={_UPPER}|\d))+s?$")
_HAS_CAPITAL = re.compile(_UPPER)
_HAS_SMALL = re.compile(r"[a-zà-ÿа-яα-ω]")

# Quotation marks, brackets and bullets may stand between the end of one sentence and the first word of the next.
_LEADING = " \t\"'()[]*->\u201c\u201d\u2018\u2019\u00ab\u00bb\u2013\u2022"
_ENDS = ".!?:;\n\r\u2026\u2014\u3002\uff01\uff1f"

KINDS = frozenset(("names", "acronyms", "technical", "titles", "east_asian"))
_MOST_WORDS = 7


class RuleExtractor:
    """Finds entities by rules: no model, no state, 20,000 short texts a second and more.

    Names are runs of capitalised words, with "of", "de", "van" and the like between them and a number after them
    ("University of California", "Room 101", "Apollo 13"). Dates, months, weekdays and ordinary words are left out; a
    single word at the begin of a sentence counts only if it does not look like an ordinary word, and then with low
    confidence. Possessives go ("Maria's" is Maria), names that have an apostrophe keep it ("O'Brien"). Known by form:
    acronyms, @handles and #hashtags (without their sign), addresses, file names, code (snake_case, camelCase,
    dotted.names, `spans`), issue numbers, the scope that opens a commit message, titles in quotation marks. Chinese
    and Japanese names only where an ending shows them (大学, 市, 先生 …), in quotation marks, or in katakana.

    `kinds` picks among "names", "acronyms", "technical", "titles" and "east_asian"; mentions under `min_confidence`
    are dropped.
    """

    def __init__(self, *, min_confidence: float = 0.3, kinds: frozenset[str] | set[str] = KINDS) -> None:
        if not 0 <= min_confidence <= 1:
            raise InvalidValueError(f"min_confidence is in [0, 1], not {min_confidence}")
        if not set(kinds) <= KINDS:
            raise InvalidValueError(
                f"kinds are {', '.join(sorted(KINDS))}, not {', '.join(sorted(set(kinds) - KINDS))}"
            )
        self._floor = min_confidence
        self._kinds = frozenset(kinds)

    def __call__(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Mentions of each text: each entity once, in order of appearance."""
        if isinstance(texts, str):
            raise InvalidTypeError("texts are a sequence of strings, not one string")
        return [self.one(text) for text in texts]

    def one(self, text: str) -> list[Mention]:
        """Mentions of one text."""
        found = technical(text) if "technical" in self._kinds else []
        rest = blanked(text, found)
        if "titles" in self._kinds:
            quoted = titles(rest)
            found += quoted
            rest = blanked(rest, quoted)
        if not self._kinds.isdisjoint(("names", "acronyms")) and _HAS_CAPITAL.search(rest):
            found += _names(rest, self._kinds)
        if "east_asian" in self._kinds and not rest.isascii():
            found += east_asian(rest)
        found.sort(key=lambda piece: piece.start)
        return once(
            Mention(piece.name, piece.type, piece.confidence)
            for piece in found
            if piece.type is not None and piece.confidence >= self._floor
        )


class _Token(NamedTuple):
    text: str
    lower: str
    start: int
    opens: bool  # stands at the begin of a sentence


def _names(text: str, kinds: frozenset[str]) -> list[Found]:
    if len(text) > 20 and _HAS_SMALL.search(text) is None:
        return []  # all in capitals: they tell nothing
    found = []
    for match in _RUN.finditer(text):
        if match[0] in _NEVER_A_NAME:
            continue
        for run in _split(_tokens(match, text)):
            piece = _name(run)
            if piece is not None and ("acronyms" if _ACRONYM.match(piece.name) else "names") in kinds:
                found.append(piece)
    return found


def _tokens(match: re.Match[str], text: str) -> Iterator[_Token]:
    opens = _opens_sentence(text, match.start())
    for part in _PARTS.finditer(match[0]):
        yield _Token(part[0], part[0].lower().replace("\u2019", "'"), match.start() + part.start(), opens)
        opens = False


def _opens_sentence(text: str, at: int) -> bool:
    at -= 1
    while at >= 0 and text[at] in _LEADING:
        at -= 1
    return at < 0 or text[at] in _ENDS


def _split(tokens: Iterator[_Token]) -> Iterator[list[_Token]]:
    """Runs without the words that belong to no name, and cut behind each possessive."""
    run: list[_Token] = []
    for token in tokens:
        bare = _POSSESSIVE.sub("", token.text)
        owner = bare != token.text
        lower = bare.lower()
        acronym = len(bare) > 1 and bare.isupper() and lower not in _CAPITAL_STOP
        plain = lower in words.STOP and not acronym and (token.opens or lower not in words.STOP_AND_NAME)
        connector = token.text[0].islower() or token.text == "&"
        if (plain and not connector) or _is_contraction(token.lower):
            yield run
            run = []
            continue
        run.append(token._replace(text=bare, lower=lower))
        if owner:
            yield run
            run = []
    yield run


# Most runs are one of these, and need no closer look.
_NEVER_A_NAME = frozenset(word.capitalize() for word in words.STOP - words.STOP_AND_NAME)

# Written in capitals they are still themselves, while "US" and "IT" are names.
_CAPITAL_STOP = words.STOP - {"us", "it", "who", "am", "pm", "ad", "ie"}


def _is_contraction(lower: str) -> bool:
    head, mark, tail = lower.partition("'")
    return (
        bool(mark) and tail in ("m", "re", "ve", "ll", "d", "t", "s") and (head in words.STOP or head in words.STARTERS)
    )


def _name(run: list[_Token]) -> Found | None:
    run = _trim(run)
    if not run or len(run) > _MOST_WORDS:
        return None
    first = run[0]
    if len(run) == 1:
        return _single(first)
    name = " ".join(token.text for token in run)
    kind = _type(run)
    sure = 0.85 if not (first.opens and first.lower in words.COMMON) else 0.6
    return Found(first.start, first.start + len(name), name, kind, sure)


def _trim(run: list[_Token]) -> list[_Token]:
    """Without connectors, weekdays, lone months and seasons, years at the ends, and words that only open a sentence."""
    while run:
        first, last = run[0], run[-1]
        follows = run[1].text if len(run) > 1 else ""
        if (
            (first.text[0].islower() and not _HAS_CAPITAL.search(first.text))
            or first.text[0].isdigit()
            or first.text == "&"
            or first.lower in words.WEEKDAYS
            or (first.lower in words.MONTHS and (not follows or follows[0].isdigit() or not follows[0].isupper()))
            or (first.opens and follows[:1].islower() and first.lower in words.COMMON - words.HEADS)
            or (first.opens and first.lower in words.STARTERS and not _ACRONYM.match(first.text))
            or (first.lower in words.SEASONS and len(run) == 1)
            or (len(first.text) == 2 and first.text[1] == "." and len(run) == 1)
        ):
            # What comes next stands in the middle of the sentence: its capital is its own.
            run = run[1:]
        elif (
            (last.text[0].islower() and not _HAS_CAPITAL.search(last.text))
            or last.text == "&"
            or last.lower in words.WEEKDAYS
            or (last.text[0].isdigit() and _YEAR.match(last.text))
        ):
            run = run[:-1]
        elif last.text[0].isdigit() and (run[-2].lower in words.MONTHS or run[-2].lower in words.SEASONS):
            run = run[:-2]
        else:
            break
    return run


def _single(token: _Token) -> Found | None:
    name = token.text
    end = token.start + len(name)
    if len(name.strip(".-'\u2019")) < 2:
        return None
    if _ACRONYM.match(name):
        return None if token.lower in words.SHOUTS else Found(token.start, end, name, "thing", 0.8)
    if token.lower.rstrip(".") in words.PERSON_TITLES and name.endswith("."):
        return None
    if token.opens:
        if token.lower in words.COMMON:
            return None
        ends = len(name) > 4 and words.COMMON_END.search(token.lower) is not None
        if ends and token.lower not in words.NAMES_ALL_THE_SAME:
            return None
        # A capital inside shows a name even here: OpenAI, McDonald.
        inside = any(letter.isupper() for letter in name[1:])
        return Found(token.start, end, name, "thing", 0.8 if inside else 0.5)
    ordinary = token.lower in words.COMMON
    return Found(token.start, end, name, "thing", 0.25 if ordinary else 0.75)


def _type(run: list[_Token]) -> str:
    """The type that a word of the name gives away; "thing" where none does."""
    first, last = run[0].lower.rstrip("."), run[-1].lower
    if last.isdigit() and len(run) > 1:
        last = run[-2].lower
    if first in words.PERSON_TITLES and first not in words.PLACE_WORDS:
        return "person"
    every = {token.lower for token in run}
    if last in words.EVENT_WORDS:
        return "event"
    if last in words.ORGANISATION_WORDS or every & words.ORGANISATION_HEADS:
        return "organisation"
    if last in words.PLACE_WORDS or first in ("mount", "mt", "lake", "cape", "fort", "san", "santa", "port"):
        return "place"
    names = [token for token in run if token.text[0].isupper()]
    numbered = run[-1].text[0].isdigit()
    if len(names) in (2, 3) and not numbered and "of" not in every and not any(_ACRONYM.match(n.text) for n in names):
        return "person"
    return "thing"
