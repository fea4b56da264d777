"""How much memory the process holds."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_STATM = Path("/proc/self/statm")


def rss_mib() -> float | None:
    """Resident memory now, in MiB; where the system does not tell it, the most so far; None where neither is known."""
    try:
        pages = int(_STATM.read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, ValueError, IndexError, AttributeError):
        return peak_mib()


def peak_mib() -> float | None:
    """The most resident memory so far, in MiB; None where the system does not tell it."""
    if sys.platform == "win32":
        return None
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / 2**20 if sys.platform == "darwin" else most / 2**10
