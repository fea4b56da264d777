"""What every command shares: consoles, and errors as one line instead of a traceback."""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from timewalk.errors import TimewalkError

_P = ParamSpec("_P")
_R = TypeVar("_R")
_WRONG_INPUT = 2
_INTERRUPTED = 130
_USAGE_ERROR: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "UsageError")
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


class Commands(TyperGroup):
    """The commands; wrong usage of one is a line on stderr that says what is wrong, and which help to read."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command and leaves the process, unless `standalone_mode` is off."""
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
            if not standalone_mode:
                return code
        except _USAGE_ERROR as error:
            if not standalone_mode:
                raise
            _print_error(_usage(error))
            code = _WRONG_INPUT
        except typer.Abort:
            if not standalone_mode:
                raise
            err().print("interrupted")
            code = _INTERRUPTED
        sys.exit(code if isinstance(code, int) else 0)


def _usage(error: Any) -> str:
    """What is wrong with a command line, in a sentence."""
    said = " ".join(error.format_message().split()).rstrip(".") or "something is missing"
    said = said[:1].lower() + said[1:]
    help = getattr(getattr(error, "param", None), "help", None)
    if said.startswith("missing") and help:
        said += f": {help[:1].lower()}{help[1:].rstrip('.')}"
    path = error.ctx.command_path if error.ctx is not None else "timewalk"
    return f"{said}; {path} --help tells more"


def _print_error(message: str) -> None:
    err().print(Text.assemble(("error: ", "bold red"), " ".join(message.split())), soft_wrap=True)


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
            _print_error(str(error))
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
