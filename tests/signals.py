"""Signals as a terminal leaves them, also where the tests themselves run under nohup."""

from __future__ import annotations

import signal


def hang_up_as_usual() -> None:
    """Let a hang-up end a child process: who ignores it passes that on to all that are started."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
