"""How a command ends: an exit code and, if anything went wrong, one message; never a traceback."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from steadyrank.errors import Option, SteadyrankError
from steadyrank.text import shown

if TYPE_CHECKING:
    from types import FrameType


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
    ExitCode.FAILED: "no answer (bad input, a result that cannot be written, or a bug)",
    ExitCode.HUNG_UP: "the terminal was closed",
    ExitCode.INTERRUPTED: "interrupted",
    ExitCode.TERMINATED: "terminated",
}

ENDING = {
    "SIGINT": ExitCode.INTERRUPTED,
    "SIGTERM": ExitCode.TERMINATED,
    "SIGHUP": ExitCode.HUNG_UP,
}
"""Signals that ask the program to end, and the exit code that says so."""


class Ended(BaseException):
    """A signal asks the program to end; as it is no Exception, nothing catches it on its way."""


def run_guarded(run: Callable[[], int | None]) -> int:
    """Run a command and return its exit code; say what went wrong, if anything did."""
    signals: list[ExitCode] = []
    code: int = ExitCode.FINE
    with suppress(Ended), _signals_raise(signals), _quiet_warnings():
        try:
            code = run() or ExitCode.FINE
            sys.stdout.flush()
        except BaseException as error:  # nothing may end in a traceback
            code = signals[0] if signals else _say_error(error)
    if signals:  # also where a library, as DuckDB does, made another error of it
        code = signals[0]
    if code in ENDING.values():
        say(f"{MEANINGS[ExitCode(code)]}.")
    return int(code)


@contextmanager
def _signals_raise(signals: list[ExitCode]) -> Iterator[None]:
    """Let the first signal raise an error, so that unfinished files are removed."""

    def end(number: int, _: FrameType | None) -> None:
        signals.append(ENDING[signal.Signals(number).name])
        if len(signals) == 1:
            raise Ended

    usual = (signal.SIG_DFL, signal.default_int_handler)
    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        numbers = (getattr(signal, name) for name in ENDING if hasattr(signal, name))
        before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler in usual:  # nohup, or a program around this one, may want another
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler in usual:
                signal.signal(number, handler)


@contextmanager
def _quiet_warnings() -> Iterator[None]:
    """Hide the warnings of libraries unless Python was started to show them."""
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.showwarning = lambda *_, **__: None
        yield


def _say_error(error: BaseException) -> int:
    if isinstance(error, BrokenPipeError):  # the reader of our output has gone
        to_nowhere(sys.stdout)
        return ExitCode.FINE
    if isinstance(error, KeyboardInterrupt):
        return ExitCode.INTERRUPTED
    if isinstance(error, OSError):  # perhaps of standard output: do not try it again
        to_nowhere(sys.stdout)
    say(message_of(error))
    return ExitCode.FAILED


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
        return _message_of_system(error)
    return (
        f"something went wrong ({type(error).__name__}: {error}). "
        "This is a bug in steadyrank; please report it with the command that you ran."
    )


def _message_of_system(error: OSError) -> str:
    if error.filename is None and error.errno == errno.EBADF:
        return "standard output is closed. Open it, or write to a file with -o."
    why = (error.strerror or str(error) or type(error).__name__).lower()
    if error.errno == errno.ENOSPC:
        why += ". The disk is full"
    place = "" if error.filename is None else f"{error.filename!r}: "
    return f"{place}{why}."


def say(message: str) -> None:
    """Write one message to standard error; nothing in it can steer a terminal."""
    stream: Any = sys.stderr
    encoding = getattr(stream, "encoding", None) or "utf-8"
    lines = [shown(line, encoding) for line in f"steadyrank: {message}".split("\n")]
    try:
        stream.write("\n".join(lines) + "\n")
        stream.flush()
    except OSError:  # nothing reads it; the exit code remains
        to_nowhere(stream)


def open_standard_streams() -> None:
    """Let closed standard output and error fail like a full disk.

    Their numbers are taken by a device that cannot be used, so that no file of ours
    gets what was meant for them. Standard input stays None.
    """
    for name, unusable in (
        ("stdin", os.O_WRONLY),
        ("stdout", os.O_RDONLY),
        ("stderr", os.O_RDONLY),
    ):
        if getattr(sys, name) is None:
            device = os.open(os.devnull, unusable)
            if name != "stdin":
                setattr(sys, name, os.fdopen(device, "w", closefd=False))


def to_nowhere(stream: Any) -> None:
    """Give up on a standard stream, so that Python does not flush it at exit."""
    device = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):  # not a real file: nothing will be flushed
        os.dup2(device, stream.fileno())
    os.close(device)
