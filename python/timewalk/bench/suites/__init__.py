"""The suites by name."""

from timewalk.bench.suites import (
    decay,
    locomo,
    longmemeval,
    multihop,
    own,
    proactive,
    speed,
    story,
    timelines,
    windows,
)
from timewalk.bench.suites.base import Setting, Suite

SUITES: dict[str, Suite] = {
    module.SUITE.name: module.SUITE
    for module in (locomo, longmemeval, story, timelines, multihop, proactive, windows, decay, speed, own)
}
"""Every suite, in the order in which they are shown."""

__all__ = ["SUITES", "Setting", "Suite"]
