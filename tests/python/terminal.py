"""A terminal for commands that look whether they have one."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path


def on_a_terminal(command: Sequence[str | Path]) -> str:
    """What a command shows on stderr where that is a terminal."""
    import pty

    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait(timeout=60) == 0, shown
    return shown.decode()
