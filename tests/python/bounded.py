"""Runs Python with the arguments given, bound by the modes of files even where root started it."""

import ctypes
import os
import sys

_DROP = 24  # PR_CAPBSET_DROP
_OVERRIDE, _SEARCH = 1, 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
_NOBODY = 65534


def main() -> None:
    if os.getuid() == 0:
        prctl = getattr(ctypes.CDLL(None, use_errno=True), "prctl", None)
        # What the owner may do is then asked of root too. Elsewhere than on Linux another user must do.
        if prctl is None or any(prctl(_DROP, right, 0, 0, 0) for right in (_OVERRIDE, _SEARCH)):
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])


main()
