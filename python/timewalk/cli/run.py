"""What every command shares: consoles, and errors as one line instead of a traceback."""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from timewalk.errors import TimewalkError

_P = ParamSpec("_P")
_R = TypeVar("_R")
_WRONG_INPUT = 2
_INTERRUPTED = 130
_debug = False


def prepare(*, debug: bool) -> None:
    """Sets up the streams and the log for one run."""
    global _debug
    _debug = debug
    for stream in (sys.stdout, sys.stderr):
        # Text that a terminal's encoding lacks becomes a question mark; it never stops a command.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    # What a recall could not do stands in its notes, which the commands print.
    logging.getLogger("timewalk").setLevel(logging.DEBUG if debug else logging.ERROR)


def out() -> Console:
    """The console for results: stdout, colour only on a terminal that has it and without NO_COLOR."""
    return Console(highlight=False, emoji=False)


def err() -> Console:
    """The console for progress and errors: stderr."""
    return Console(stderr=True, highlight=False, emoji=False)


def guarded(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """Wraps a command: a `TimewalkError` is one line on stderr and exit code 2, Ctrl-C is 130, a closed pipe is quiet.

    With --debug, or TIMEWALK_DEBUG set, the traceback shows.
    """

    @functools.wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return command(*args, **kwargs)
        except TimewalkError as error:
            if _debug:
                raise
            message = " ".join(str(error).split())
            err().print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
            raise typer.Exit(_WRONG_INPUT) from None
        except KeyboardInterrupt:
            if _debug:
                raise
            err().print("interrupted")
            raise typer.Exit(_INTERRUPTED) from None
        except BrokenPipeError:
            # `timewalk … | head`: nobody reads on. The interpreter would complain when it flushes at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None

    return run
