"""What is found by its form alone: addresses, handles, hashtags, files, code, and titles in quotation marks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from timewalk.ingest.words import COMMON, SMALL


class Found(NamedTuple):
    """A piece of the text, what it names, and whether that is an entity (a type) or only to be passed over (None)."""

    start: int
    end: int
    name: str
    type: str | None
    confidence: float


_EXTENSIONS = (
    "py|pyi|pyx|ipynb|c|h|cc|cpp|cxx|hh|hpp|rs|go|js|jsx|mjs|ts|tsx|java|kt|kts|scala|rb|php|swift|cs|fs|vb|lua|pl|pm|r|jl|"
    "sh|bash|zsh|fish|bat|ps1|sql|html?|css|scss|less|xml|xsl|svg|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|md|rst|txt|tex|"
    "csv|tsv|parquet|arrow|feather|avro|db|sqlite|log|pdf|docx?|xlsx?|pptx?|odt|png|jpe?g|gif|webp|bmp|ico|mp[34]|wav|ogg|flac|"
    "avi|mov|mkv|zip|tar|gz|tgz|bz2|xz|7z|rar|exe|dll|so|dylib|o|a|jar|war|whl|deb|rpm|iso|img|bin|dat|proto|graphql|"
    "vue|svelte|tf|gradle|cmake|mk|am|ac|in|at|patch|diff|service|plist|asm|s|sv|vhd|m|mm|ovsschema|spec"
)
_TOP_DOMAINS = "com|org|net|io|dev|ai|edu|gov|info|co|uk|de|fr|eu|ch|jp|cn|in|us|app|me|tv"

_PATTERN = re.compile(
    rf"""
      (?P<url>      \b(?:https?|ftp|file|ssh|git)://[^\s<>"'`)\]]+ )
    | (?P<email>    (?<![\w.+@-])[\w.+-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}})+ )
    | (?P<package>  (?<![\w@/])@[a-z0-9][\w.-]{{0,60}}/[a-z0-9][\w.-]{{0,80}} )
    | (?P<handle>   (?<![\w@/.])@[A-Za-z0-9_][\w.-]{{0,63}} )
    | (?P<hashtag>  (?<![\w&\#/])\#[^\W\d_]\w{{0,80}} )
    | (?P<number>   (?<![\w&\#/])\#\d{{1,9}}\b )
    | (?P<path>     (?<![\w/.~+-]) (?:~?/|\.{{1,2}}/)? (?:[\w.+@-]{{1,80}}/){{1,12}} [\w.+@-]{{0,80}}[\w+] )
    | (?P<file>     (?<![\w/.~+-]) [\w+-]{{1,80}}(?:\.[\w+-]{{1,40}}){{0,4}}\.(?:{_EXTENSIONS})(?![\w/]|\.\w) )
    | (?P<dotted>   (?<![\w/.~+-]) [A-Za-z_]\w{{0,60}}(?:\.[A-Za-z_]\w{{0,60}}){{1,8}}(?:\(\))?(?![\w/]|\.\w) )
    | (?P<snake>    (?<![\w/.~+-]) _{{0,2}}[A-Za-z][A-Za-z0-9]{{0,60}}(?:_+[A-Za-z0-9]{{1,60}}){{1,12}}_?_?(?:\(\))? )
    | (?P<dunder>   (?<![\w/.~+-]) __[a-z]\w{{0,60}}?__(?:\(\))?(?!\w) )
    | (?P<call>     (?<![\w/.~+-]) [A-Za-z]\w{{1,60}}\(\) )
    | (?P<camel>    (?<![\w/.~+'\u2019-]) [a-z]{{2,30}}(?:[A-Z][a-z0-9]{{0,30}}){{1,8}}\b )
    """,
    re.X | re.M,
)
# Trying the pattern everywhere is slow; words that have nothing of it need no look.
_HINT = re.compile(r"[_/@#]|[^\W_][.(][^\W_)]|\(\)|[a-z][A-Z]")
_SPAN = re.compile(r"`([^`\n]{1,80})`")
_SCOPE = re.compile(r"^[a-z][a-z0-9]{1,40}(?:[-./_][a-z0-9]{1,40}){0,5}(?=: )", re.M)

_SPACE = re.compile(r"\s")
_WORD = re.compile(r"\w")

_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^”\n]{2,80})”|«([^»\n]{2,80})»|[「『《〈]([^」』》〉\n]{1,40})[」』》〉]")


def technical(text: str) -> list[Found]:
    """Pieces that are known by their form, in order; they do not overlap."""
    found = []
    if "`" in text:
        for match in _SPAN.finditer(text):
            name = match[1].strip().removesuffix("()")
            if _WORD.search(name):
                found.append(Found(match.start(), match.end(), name, "code", 0.9))
        text = blanked(text, found)
    if ": " in text:
        for match in _SCOPE.finditer(text):
            if len(match[0]) > 2 and match[0] not in COMMON:
                found.append(Found(match.start(), match.end(), match[0], "code", 0.7))
    at = 0
    while (hint := _HINT.search(text, at)) is not None:
        begin = max(at, hint.start() - len(text[at : hint.start()].split(" ")[-1]))
        space = _SPACE.search(text, hint.end())
        at = space.start() if space is not None else len(text)
        for match in _PATTERN.finditer(text, begin, at):
            kind = match.lastgroup or ""
            piece = _READ[kind](match[0])
            if piece is not None:
                found.append(Found(match.start(), match.end(), *piece))
    return _apart(found)


def _apart(found: list[Found]) -> list[Found]:
    """In order, and of two that overlap only the first."""
    found.sort()
    end, kept = 0, []
    for piece in found:
        if piece.start >= end:
            kept.append(piece)
            end = piece.end
    return kept


def blanked(text: str, found: list[Found]) -> str:
    """The text with the pieces blanked out at the same length, so that positions stay."""
    if not found:
        return text
    parts, at = [], 0
    for piece in found:
        parts += [text[at : piece.start], "\x1f" * (piece.end - piece.start)]
        at = piece.end
    return "".join([*parts, text[at:]])


def titles(text: str) -> list[Found]:
    """Titles in quotation marks: one to ten words, all but the small ones capitalised; anything in East Asian marks."""
    found = []
    for match in _QUOTED.finditer(text):
        asian = match[4]
        name = (asian or match[1] or match[2] or match[3] or "").strip().rstrip(",;")
        if asian or _is_title(name):
            found.append(Found(match.start(), match.end(), name, "thing", 0.7))
    return found


def _is_title(name: str) -> bool:
    words = name.split()
    large = [word for word in words if word.lower() not in SMALL]
    if not large or len(words) > 10 or name[-1] in ".":
        return False
    if len(words) == 1 and words[0].strip("!?'").lower() in COMMON:
        return False
    return words[0][0].isupper() and all(word[0].isupper() or word[0].isdigit() for word in large)


_Piece = tuple[str, str | None, float] | None


def _path(token: str) -> _Piece:
    name = token.rstrip(".")
    last = name.rpartition("/")[2]
    rooted = name.startswith(("/", "./", "../", "~"))
    named = re.fullmatch(rf"[\w.+@-]*\.(?:{_EXTENSIONS})", last) is not None
    # "and/or", "km/h" and "TCP/IP" are no paths, and "24/7/365" is none either.
    if (rooted or named or name.count("/") > 1) and re.search(r"[A-Za-z]{2}", name):
        return name.removeprefix("./"), "file", 0.95
    return None


def _dotted(token: str) -> _Piece:
    parts = token.removesuffix("()").split(".")
    if len(parts) == 2 and re.fullmatch(_TOP_DOMAINS, parts[-1]):
        return token, "thing", 0.8
    # Two parts alone may be two sentences without a space between them, and single letters are abbreviations.
    if all(len(part) == 1 for part in parts):
        return None
    if token.endswith("()") or "_" in token or (len(parts) > 2 and all(part[0].islower() for part in parts[:-1])):
        return token.removesuffix("()"), "code", 0.85
    return None


_READ: dict[str, Callable[[str], _Piece]] = {
    "url": lambda token: ("", None, 0.0),
    "email": lambda token: (token.rstrip("."), "person", 0.95),
    "package": lambda token: (token.rstrip(".-"), "code", 0.9),
    "handle": lambda token: (token[1:].rstrip(".-"), "person", 0.95),
    "hashtag": lambda token: (token[1:], "concept", 0.95),
    "number": lambda token: (token, "thing", 0.8),
    "path": _path,
    "file": lambda token: (token, "file", 0.95),
    "dotted": _dotted,
    "snake": lambda token: (token.removesuffix("()"), "code", 0.9),
    "dunder": lambda token: (token.removesuffix("()"), "code", 0.9),
    "call": lambda token: (token.removesuffix("()"), "code", 0.9),
    "camel": lambda token: (token, "code", 0.8),
}
