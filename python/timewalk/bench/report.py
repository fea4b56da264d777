"""Results as Markdown, and in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from timewalk.bench import tables
from timewalk.bench.bootstrap import SAMPLES
from timewalk.bench.results import Result
from timewalk.bench.tables import Sheet

if TYPE_CHECKING:
    from rich.console import Console

_INTERVAL = re.compile(r" \([^)]*\d\)")

_NAMED = 20  # characters of a row's name that stay in one line

LEGEND = (
    f"In brackets: 95 % intervals from {SAMPLES:,} resamples of the questions, paired by question for differences; a "
    "star says that 0 lies outside. `only` and `without` are timewalk with one arm alone, and with one arm left out; "
    "`thread` is what neighbours in a thread gain, `title` what memories gain whose title the best name. ms: median "
    "time a question, without embedding it. Times and memory differ from run to run, all else is the same."
)


def markdown(results: Sequence[Result]) -> str:
    """A document: an overview where there are several results, what each arm adds, and every table."""
    lines = ["# Results", "", LEGEND, ""]
    if results:
        first = results[0].platform
        lines += [
            f"timewalk {first['timewalk']}, Python {first['python']}, {first['system']} {first['machine']}, "
            f"{first['processors']} processors.",
            "",
        ]
    for sheet in (tables.overview(results), tables.arms(results)):
        if sheet.rows:
            lines += [f"## {sheet.title}", "", *_table(sheet)]
    for result in results:
        lines += [f"## {title(result)}", "", result.about, ""]
        for part in result.parts:
            for sheet in tables.of_part(part):
                lines += [f"### {sheet.title}", "", *_table(sheet)]
    return "\n".join(lines).rstrip() + "\n"


def title(result: Result) -> str:
    """A result's suite with its embedder and limit."""
    embedder, limit = result.setting.get("embedder"), result.setting.get("limit")
    words = [result.suite]
    if embedder is not None:
        words.append(f"embedder {embedder}")
    if limit is not None:
        words.append(f"at most {limit:,} questions a part")
    return ", ".join(words)


def show(result: Result, console: Console) -> None:
    """Prints a result's tables."""
    from rich.text import Text

    console.print(Text(title(result), style="bold"))
    console.print(Text(result.about, style="dim"))
    for part in result.parts:
        for sheet in tables.of_part(part):
            console.print()
            print_sheet(sheet, console)
    worth = tables.arms([result])
    if worth.rows:
        console.print()
        print_sheet(worth, console)
        console.print(Text("* the 95 % interval, of questions drawn anew, lies on one side of 0", style="dim"))


def print_sheet(sheet: Sheet, console: Console) -> None:
    """Prints one table."""
    from rich.table import Table
    from rich.text import Text

    grid = Table(title=sheet.title, title_justify="left", title_style="bold", show_edge=False, pad_edge=False)
    for place, name in enumerate(sheet.header):
        # Headers fold before the names of rows do.
        least = 0 if place else min(_NAMED, max((len(row[0]) for row in sheet.rows), default=0))
        grid.add_column(Text(name), justify="right" if place else "left", overflow="fold", min_width=least)
    rows = sheet.rows
    if _width(sheet.header, rows) > console.width:
        # Where there is no room for intervals, the values and the stars say what matters.
        rows = [[_INTERVAL.sub("", cell) for cell in row] for row in rows]
    for place, row in enumerate(rows):
        grid.add_row(*(Text(cell) for cell in row), style="bold" if place in sheet.strong else "")
    console.print(grid)
    for note in sheet.notes:
        console.print(Text(note, style="dim"))


def _width(header: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    return sum(max(map(len, column)) + 3 for column in zip(header, *rows, strict=True))


def _table(sheet: Sheet) -> Iterable[str]:
    yield "| " + " | ".join(sheet.header) + " |"
    yield "| --- |" + " ---: |" * (len(sheet.header) - 1)
    for place, row in enumerate(sheet.rows):
        cells = [_escaped(cell) for cell in row]
        if place in sheet.strong:
            cells = [f"**{cell}**" if cell else "" for cell in cells]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    for note in sheet.notes:
        yield note + "."
        yield ""


def _escaped(cell: str) -> str:
    return cell.replace("|", "\\|").replace(" *", " \\*")
