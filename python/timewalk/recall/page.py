"""Hits as HTML: a page of its own, and the part of it that notebooks show."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from timewalk.recall.picture import svg
from timewalk.recall.places import dated, window_words
from timewalk.recall.words import plain, when

if TYPE_CHECKING:
    from timewalk.recall.hits import Hit, Hits

_STYLE = """
:root{color-scheme:light dark}
body{margin:2rem auto;max-width:60rem;padding:0 1rem;font:15px/1.5 system-ui,sans-serif;background:#fff;color:#1c1c1c}
h1{font-size:1.3rem;margin:0 0 .3rem}
@media (prefers-color-scheme:dark){body{background:#16181b;color:#e4e4e4}}
@media print{body{background:#fff;color:#000}}
"""
_FRAGMENT_STYLE = """
.timewalk{text-align:left}
.timewalk svg{max-width:100%;height:auto}
.timewalk p{margin:.2rem 0;opacity:.75}
.timewalk table{border-collapse:collapse;width:100%}
.timewalk th,.timewalk td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-top:1px solid #8885}
.timewalk td.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.timewalk .text{white-space:pre-wrap;overflow-wrap:anywhere}
.timewalk pre{margin:.2rem 0;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85em;opacity:.85;background:none}
"""


def page(hits: Hits) -> str:
    """A page that needs nothing from elsewhere: no scripts, no fonts, no images."""
    question = escape(plain(hits.query) or "(no question)")
    return _shown(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{question}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{question}</h1>\n{_body(hits)}\n</body></html>\n"
    )


def fragment(hits: Hits) -> str:
    """The same for a notebook, in its own colours."""
    return _shown(f"<div><strong>{escape(plain(hits.query) or '(no question)')}</strong>{_body(hits)}</div>")


def _body(hits: Hits) -> str:
    about = f"window: {window_words(hits.window)} · seen from {when(hits.now)} · {len(hits)} found"
    notes = "".join(f"<p>{escape(plain(note))}</p>" for note in hits.notes)
    rows = "".join(_row(hit, rank) for rank, hit in enumerate(hits, 1))
    names = "<tr><th>#</th><th>when</th><th>what, and why</th><th>score</th></tr>"
    table = f"<table>{names}{rows}</table>" if rows else ""
    head = f"<style>{_FRAGMENT_STYLE}</style><p>{escape(about)}</p>{notes}"
    return f'<div class="timewalk">{head}\n{svg(hits)}\n{table}</div>'


def _row(hit: Hit, rank: int) -> str:
    return (
        f'<tr><td class="number">{rank}</td><td>{escape(dated(hit))}</td>'
        f'<td><div class="text">{escape(hit.text)}</div>'
        f"<details><summary>{escape(plain(hit.id))}</summary><pre>{escape(hit.why())}</pre></details></td>"
        f'<td class="number">{hit.score:.3f}</td></tr>'
    )


def _shown(text: str) -> str:
    """Text that every encoding can hold: a lone half of a character becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")
