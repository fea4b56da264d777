"""The bar that the long commands show while someone waits."""

from __future__ import annotations

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from timewalk.cli.run import err


def counting() -> Progress:
    """A bar on stderr that counts to a total and goes when it is done; nothing where stderr is no terminal."""
    console = err()
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
