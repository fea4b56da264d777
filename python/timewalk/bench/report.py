"""Results as Markdown, and in a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

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
    """Prints one table, in several blocks of columns where the console is too narrow for all of them side by side."""
    from rich.table import Table
    from rich.text import Text

    rows, notes = sheet.rows, list(sheet.notes)
    if _width(sheet.header, rows, range(1, len(sheet.header))) > console.width:
        rows = [[_INTERVAL.sub("", cell) for cell in row] for row in rows]
        if rows != sheet.rows:
            notes.append("no room for the intervals here; --markdown and --json have them")
    for number, block in enumerate(_blocks(sheet.header, rows, console.width)):
        title = sheet.title if number == 0 else f"{sheet.title} (continued)"
        if number:
            console.print()
        grid = Table(title=title, title_justify="left", title_style="bold", show_edge=False, pad_edge=False)
        for place in (0, *block):
            width = min(_column(sheet.header, rows, place), console.width // 2)
            side: Literal["left", "right"] = "right" if place else "left"
            grid.add_column(Text(sheet.header[place]), justify=side, overflow="fold", min_width=width)
        for place, row in enumerate(rows):
            cells = (Text(row[column]) for column in (0, *block))
            grid.add_row(*cells, style="bold" if place in sheet.strong else "")
        console.print(grid)
    for note in notes:
        console.print(Text(note, style="dim"))


def _blocks(header: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> Iterable[list[int]]:
    """The columns after the first in as few blocks as fit beside it; one that fits nowhere is alone, and folds."""
    block: list[int] = []
    for place in range(1, len(header)):
        if block and _width(header, rows, [*block, place]) > room:
            yield block
            block = []
        block.append(place)
    yield block


def _width(header: Sequence[str], rows: Sequence[Sequence[str]], columns: Iterable[int]) -> int:
    """What a block takes with its first column, in characters."""
    return sum(_column(header, rows, place) + 3 for place in (0, *columns)) - 3


def _column(header: Sequence[str], rows: Sequence[Sequence[str]], place: int) -> int:
    """What a column needs: names of rows and of columns fold between their words, values do not."""
    words = max(map(len, header[place].split()), default=0)
    cells = max((len(row[place]) for row in rows), default=0)
    return max(words, cells if place else min(_NAMED, cells))


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
