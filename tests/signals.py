"""Signals as a terminal leaves them, also where the tests themselves run in the background."""

from __future__ import annotations

import signal


def signals_as_usual() -> None:
    """Let a hang-up or an interrupt end a child process, though the parent may ignore them."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
