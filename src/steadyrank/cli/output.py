"""Where results and messages go, signs of life on the way, and how a command ends.

Whatever goes wrong: an exit code and one clear message, never a traceback.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
import signal
import sys
import threading
import time
import warnings
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from steadyrank.errors import Option, SteadyrankError
from steadyrank.progress import READ, listening
from steadyrank.text import shown
from steadyrank.writing import refuse_input, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import FrameType

    from rich.console import Console

    from steadyrank.report.terminal import Line, Terminal

STARTED = time.monotonic()
NARROWEST = 40
"""Columns that every terminal is taken to have."""

EVERY = 30.0
"""Seconds between two lines where there is no terminal; shorter work says nothing."""


def console(*, stderr: bool = False) -> Console:
    """Return a console that shows text as it is: no markup, no emoji codes, no colour in a pipe."""
    from rich.console import Console

    return Console(
        stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=False
    )


def terminal(encoding: str | None = None, **wanted: bool) -> Terminal:
    """Return what standard output can show and is to show, or a file of its width in an encoding."""
    from steadyrank.report.terminal import Terminal

    screen = console()
    return Terminal(
        max(NARROWEST, screen.width),
        encoding or screen.encoding,
        options=True,
        **wanted,
    )


def show(
    lines: Iterable[Line], page: Terminal | None = None, *, whole: bool = False
) -> None:
    """Print lines, one that is too wide on several; ``whole`` words, such as paths, are not broken."""
    from rich.text import Text

    screen = console()
    with screen.capture() as captured:
        for line in (page or terminal()).fitting(lines, whole=whole):
            screen.print(
                Text(line.text, line.style), no_wrap=True, overflow="ignore", crop=False
            )
    deliver(captured.get(), encoding=screen.encoding)


def deliver(text: str, path: str | None = None, *, encoding: str = "utf-8") -> None:
    """Write text to standard output or, whole or not at all, to a file.

    A reader that has gone, as ``head`` does, is no error: what is left goes nowhere.
    """
    ended = text if text.endswith("\n") else text + "\n"
    if path is not None:
        write_whole(ended, path)
        return
    found = None
    with suppress(OSError, ValueError):  # no real file
        found = os.fstat(sys.stdout.fileno())
    if found is not None:  # or a shell would append the result to the data
        refuse_input(found, "standard output")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(ended.encode(encoding, "backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:
        to_nowhere(sys.stdout)


def open_standard_streams() -> None:
    """Let standard output and error fail where they are closed, as a full disk would.

    Something that cannot be used takes their numbers, so that no file of ours gets what was meant for
    them. Standard input stays None.
    """
    for name, wrong_way in (
        ("stdin", os.O_WRONLY),
        ("stdout", os.O_RDONLY),
        ("stderr", os.O_RDONLY),
    ):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, wrong_way)
            if name != "stdin":
                setattr(sys, name, os.fdopen(nothing, "w", closefd=False))


def settle_width() -> None:
    """Let COLUMNS name a width that text fits, or nothing, for us and for every library.

    Some programs set it to 0 where they know no width; then the terminal is asked, as without it.
    """
    told = os.environ.get("COLUMNS", "")
    # int() takes more than ASCII digits, and four of them are a wide terminal
    width = int(told) if re.fullmatch("[0-9]{1,4}", told) else 0
    if width:
        os.environ["COLUMNS"] = str(max(NARROWEST, width))
    else:
        os.environ.pop("COLUMNS", None)


def to_nowhere(stream: Any) -> None:
    """Give up on a standard stream, so that Python does not try again on its way out."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):  # not a real file: nothing will be tried again
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def say(text: str, code: int = 0, lead: str = "steadyrank: ") -> int:
    """Write one message to standard error, with nothing in it that steers a terminal."""
    stream: Any = sys.stderr
    line = shown(f"{lead}{text}", getattr(stream, "encoding", None) or "utf-8")
    try:
        stream.write(line + "\n")
        stream.flush()
    except OSError:  # nobody reads it; the exit code is left
        to_nowhere(stream)
    return code


class Pace:
    """How far something is, and how long it will still take at its pace so far.

    Reading is not all of the work, so nothing is said of the time that is left of it.
    """

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._clock = what, clock
        self._said = clock()
        self._first: dict[
            str, tuple[float, int]
        ] = {}  # of each noun: one work may follow another

    def text(self, done: int, total: int, noun: str) -> str:
        """Return how far it is; what was done before anybody counted tells nothing of the pace."""
        now = self._clock()
        start, before = self._first.setdefault(noun, (now, done))
        known = f"{self._what}: {done:,} of {total:,} {noun}"
        if not total:  # less than one of them: no news
            return self._what
        if done >= total:
            return f"{self._what}: all {total:,} {noun} done, still working"
        if done <= before or noun == READ:
            return known
        return f"{known}, about {in_words((now - start) * (total - done) / (done - before))} left"

    def line(self, done: int, total: int, noun: str) -> None:
        """Say so on standard error if that was long ago."""
        told = self.text(done, total, noun)
        if self._clock() - self._said >= EVERY:
            self._said = self._clock()
            say(told)


def in_words(seconds: float) -> str:
    """Return a time in whole units.

    Examples
    --------
    >>> in_words(7.2), in_words(600), in_words(9000)
    ('8 s', '10 min', '3 h')
    """
    for size, unit in ((5400, "h"), (90, "min")):
        if seconds >= size:
            return f"{-(-seconds // (size / 1.5)):.0f} {unit}"
    return f"{-(-seconds // 1):.0f} s"


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show what is being done for as long as this block takes, under one clock for the whole command."""
    pace = Pace(what)
    if not sys.stderr.isatty():
        with listening(pace.line):
            yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
    )
    line = Progress(*columns, console=console(stderr=True), transient=True)
    job = line.add_task(what, total=None)
    line.tasks[0].start_time = STARTED
    with line, listening(lambda *far: line.update(job, description=pace.text(*far))):
        yield


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


def told() -> str:
    """Return all codes with what they mean, as one sentence."""
    return f"Exit codes: {'; '.join(f'{code} {meaning}' for code, meaning in MEANINGS.items())}."


ENDING = {
    "SIGINT": ExitCode.INTERRUPTED,
    "SIGTERM": ExitCode.TERMINATED,
    "SIGHUP": ExitCode.HUNG_UP,
}
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
        except (
            BaseException
        ) as error:  # nothing may end in a traceback, nor with another code
            code = asked[0] if asked else _report(error, typed)
    # What a library made of a signal, as DuckDB does, is still that signal.
    code = asked[0] if asked else code
    return (
        say(f"{MEANINGS[ExitCode(code)]}.", code)
        if code in ENDING.values()
        else int(code)
    )


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
    before = {
        number: signal.getsignal(number)
        for number in known
        if signal.getsignal(number) in usual
    }
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
    stopped = (
        error.__context__ if isinstance(error, SystemExit) else error
    )  # what typer makes of it
    if isinstance(
        stopped, BrokenPipeError
    ):  # the help, read by something that stopped reading
        to_nowhere(sys.stdout)
        return ExitCode.FINE
    if isinstance(error, KeyboardInterrupt) or type(error).__name__ == "Abort":
        return ExitCode.INTERRUPTED
    if hasattr(error, "format_message"):  # a wrong option, found while parsing
        context = getattr(error, "ctx", None)
        command = getattr(context, "command_path", "steadyrank")
        text = f"{error.format_message().rstrip('.')}. See: {command} --help"
        return say(text, ExitCode.FAILED)
    if isinstance(
        error, OSError
    ):  # perhaps of standard output, which must not be tried again
        to_nowhere(sys.stdout)
    return say_error(error, typed)


def say_error(error: BaseException, typed: Sequence[str]) -> int:
    """Say what is wrong, and of a table the commands that read it: what each would rank, and why."""
    code = say(message_of(error), ExitCode.FAILED)
    for number, reading in enumerate(getattr(error, "readings", ()), 1):
        reasons = [f"+ {reason}" for reason in reading.support[:3]]
        reasons += [f"- {reason}" for reason in reading.against[:3]]
        say(f"{number}. {shlex.join(reading.command(*typed))}", lead="")
        for told in (reading.ranks, *reasons):
            say(f"   {told}", lead="")
    return code


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
        f"something went wrong ({type(error).__name__}: {error}). "
        "This is a bug in steadyrank; please report it with the command that you ran."
    )
