"""How a command ends: an exit code and, whatever goes wrong, one clear message, never a traceback."""

from __future__ import annotations

import errno
import shlex
import signal
import sys
import threading
import warnings
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import TYPE_CHECKING

from steadyrank.cli.output import say, to_nowhere
from steadyrank.errors import Option, SteadyrankError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType
    from typing import Any


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


ENDING = {"SIGINT": ExitCode.INTERRUPTED, "SIGTERM": ExitCode.TERMINATED, "SIGHUP": ExitCode.HUNG_UP}
"""Signals that ask the program to end, and the exit code that says so."""


class Ended(BaseException):
    """A signal that asks the program to end: it passes what catches errors, and cleans up on its way."""


def run_guarded(run: Callable[[], int | None], typed: Sequence[str] = ()) -> int:
    """Run a command, as it was typed, and return the exit code; say what went wrong, if anything did."""
    asked: list[ExitCode] = []
    code: int = ExitCode.FINE
    with suppress(Ended), _ending_in_order(asked), _quiet_warnings():
        try:
            code = run() or code
            sys.stdout.flush()
        except BaseException as error:  # nothing may end in a traceback, nor with another code
            code = asked[0] if asked else _report(error, typed)
    # What a library made of a signal, as DuckDB does, is still that signal.
    code = asked[0] if asked else code
    return say(f"{MEANINGS[ExitCode(code)]}.", code) if code in ENDING.values() else int(code)


@contextmanager
def _ending_in_order(asked: list[ExitCode]) -> Iterator[None]:
    """Let the first request to end do so as an error does: unfinished files are removed."""

    def end(number: int, _: FrameType | None) -> None:
        asked.append(ENDING[signal.Signals(number).name])
        if len(asked) == 1:
            raise Ended

    usual = (signal.SIG_DFL, signal.default_int_handler)
    known = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    # not those that nohup, or a program around this one, wants otherwise
    before = {number: signal.getsignal(number) for number in known if signal.getsignal(number) in usual}
    numbers = before if threading.current_thread() is threading.main_thread() else ()
    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number])


@contextmanager
def _quiet_warnings() -> Iterator[None]:
    """Show no warnings of libraries, which say nothing to users, unless Python was asked to."""
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.showwarning = lambda *_, **__: None
        yield


def _report(error: BaseException, typed: Sequence[str]) -> int:
    stopped = error.__context__ if isinstance(error, SystemExit) else error  # what typer makes of it
    if isinstance(stopped, BrokenPipeError):  # the help, read by something that stopped reading
        to_nowhere(sys.stdout)
        return ExitCode.FINE
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        return ExitCode.INTERRUPTED
    if hasattr(error, "format_message"):  # a wrong option, found while parsing
        context = getattr(error, "ctx", None)
        command = getattr(context, "command_path", "steadyrank")
        text = f"{error.format_message().rstrip('.')}. See: {command} --help"
        return say(text, ExitCode.FAILED)
    if isinstance(error, OSError):  # perhaps of standard output, which must not be tried again
        to_nowhere(sys.stdout)
    code = say(message_of(error), ExitCode.FAILED)
    for line in ways(getattr(error, "readings", ()), typed):
        say(line, code, lead="")
    return code


def ways(readings: Sequence[Any], typed: Sequence[str]) -> Iterator[str]:
    """Yield the commands that read a table, each with what it would rank and why."""
    for number, reading in enumerate(readings, 1):
        yield f"{number}. {shlex.join(reading.command(*typed))}"
        yield f"   {reading.ranks}"
        yield from (f"   + {reason}" for reason in reading.support[:3])
        yield from (f"   - {reason}" for reason in reading.against[:3])


def message_of(error: BaseException) -> str:
    """Return what to tell the user about an error.

    Examples
    --------
    >>> message_of(PermissionError(13, "Permission denied", "secret.csv"))
    "'secret.csv': permission denied."
    """
    if isinstance(error, SteadyrankError):
        return error.worded(Option.typed)
    if isinstance(error, MemoryError):
        return "not enough memory for these data."
    if isinstance(error, OSError):
        if error.filename is None and error.errno == errno.EBADF:
            return "standard output is closed. Open it, or write to a file with -o."
        place = "" if error.filename is None else f"{error.filename!r}: "
        why = (error.strerror or str(error) or type(error).__name__).lower()
        hint = " The disk is full." if error.errno == errno.ENOSPC else ""
        return f"{place}{why}.{hint}"
    return (
        f"something went wrong that should not ({type(error).__name__}: {error}). "
        "This is a fault of steadyrank; please report it with the command that you ran."
    )
