"""The exit codes, in one place: the help and the documentation say what stands here."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended. Only a check that was carried out, and failed, ends with 1."""

    FINE = 0
    UNSTABLE = 1
    FAILED = 2
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143


MEANINGS = {
    ExitCode.FINE: "fine",
    ExitCode.UNSTABLE: "check found the answer unstable",
    ExitCode.FAILED: "no answer (bad input, a result that cannot be written, or a fault)",
    ExitCode.HUNG_UP: "the terminal was closed",
    ExitCode.INTERRUPTED: "interrupted",
    ExitCode.TERMINATED: "terminated",
}


def told() -> str:
    """Return all codes with what they mean, as one sentence."""
    return f"Exit codes: {'; '.join(f'{code} {meaning}' for code, meaning in MEANINGS.items())}."
