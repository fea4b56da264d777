"""The command `timewalk` and its subcommands."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from timewalk import __version__
from timewalk.cli.bench import bench
from timewalk.cli.demo import demo
from timewalk.cli.ingest import ingest
from timewalk.cli.recall import recall
from timewalk.cli.rerank import rerank
from timewalk.cli.run import Commands, guarded, prepare
from timewalk.cli.window import window

app = typer.Typer(
    name="timewalk",
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(guarded(demo))
app.command()(guarded(ingest))
app.command()(guarded(recall))
app.command()(guarded(rerank))
app.command()(guarded(window))
app.command()(guarded(bench))


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"timewalk {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[
        bool, typer.Option("--debug", envvar="TIMEWALK_DEBUG", help="Show tracebacks and what the library logs.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    """Memory for agents that walks through time: from what happened in a window to the whole story around it.

    Example: `timewalk demo`
    """
    prepare(debug=debug)


def main() -> None:
    """Runs the command line. Exit codes: 0, 2 for wrong input, 130 after Ctrl-C."""
    try:
        app(prog_name="timewalk")
    except KeyboardInterrupt:
        sys.exit(130)
