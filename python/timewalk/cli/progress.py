"""What the commands show while someone waits: a bar where there is something to count, else a spinner."""

from __future__ import annotations

from contextlib import AbstractContextManager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from timewalk.cli.run import err


def waiting(what: str) -> AbstractContextManager[object]:
    """A spinner on stderr that says what is being done and goes when it is; nothing where stderr is no terminal."""
    return err().status(what, spinner="dots")


def counting(*, quiet: bool = False) -> Progress:
    """A bar on stderr that counts to a total and goes when it is done; nothing where stderr is no terminal.

    A task without total is a spinner.
    """
    console = err()
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal)
