"""Where results and messages go: the terminal, a pipe, or a file; and signs of life on the way."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from steadyrank.progress import listening
from steadyrank.text import columns_of, shown
from steadyrank.writing import refuse_input, write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import Console

    from steadyrank.report.lines import Line
    from steadyrank.report.terminal import Terminal


EVERY = 30.0
"""Seconds between two lines where there is no terminal; shorter work says nothing."""


def console(*, stderr: bool = False) -> Console:
    """Return a console that shows text as it is: no markup, no emoji codes, no colour in a pipe."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=False)


def terminal_of(screen: Console, encoding: str | None = None) -> Terminal:
    """Return what this console can show, or a file of its width in an encoding."""
    from steadyrank.report.terminal import Terminal

    return Terminal(max(40, screen.width), encoding or screen.encoding, options=True)


def within(lines: Iterable[Line], terminal: Terminal, *, whole: bool = False) -> Iterator[Line]:
    """Yield lines that fit: what is still too wide goes on below; ``whole`` words may stay so."""
    for line in lines:
        if columns_of(line.text) <= terminal.width:
            yield line
        else:
            parts = terminal.wrapped(line.text, rest="" if whole else " " * 5, whole=whole)
            yield from (line._replace(text=part) for part in parts)


def show(lines: Iterable[Line], screen: Console, *, whole: bool = False) -> None:
    """Print lines, one that is too wide on several; ``whole`` words, such as paths, are not broken."""
    from rich.text import Text

    with screen.capture() as captured:
        for line in within(lines, terminal_of(screen), whole=whole):
            screen.print(Text(line.text, line.style), no_wrap=True, overflow="ignore", crop=False)
    deliver(captured.get(), encoding=screen.encoding)


def deliver(text: str, path: str | None = None, *, encoding: str = "utf-8") -> None:
    """Write text to standard output or, whole or not at all, to a file.

    A reader that has gone, as ``head`` does, is no error: what is left goes nowhere.
    """
    ended = text if text.endswith("\n") else text + "\n"
    if path is not None:
        save(ended, path)
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
    for name, wrong_way in (("stdin", os.O_WRONLY), ("stdout", os.O_RDONLY), ("stderr", os.O_RDONLY)):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, wrong_way)
            if name != "stdin":
                setattr(sys, name, os.fdopen(nothing, "w", closefd=False))


def to_nowhere(stream: Any) -> None:
    """Give up on a standard stream, so that Python does not try again on its way out."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):  # not a real file: nothing will be tried again
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def save(text: str, path: str) -> None:
    """Write a file; what UTF-8 cannot hold is written as an escape."""
    write_whole(text.encode("utf-8", "backslashreplace"), path)


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
    """How far something is, and how long it will still take at its pace so far."""

    def __init__(self, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._what, self._clock = what, clock
        self._said = clock()
        self._first: dict[str, tuple[float, int]] = {}  # of each noun: one work may follow another

    def text(self, done: int, total: int, noun: str) -> str:
        """Return how far it is; what was done before anybody counted tells nothing of the pace."""
        now = self._clock()
        start, before = self._first.setdefault(noun, (now, done))
        known = f"{self._what}: {done:,} of {total:,} {noun}"
        if done <= before:
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
    """Show what is being done for as long as this block takes."""
    pace = Pace(what)
    if not sys.stderr.isatty():
        with listening(pace.line):
            yield
        return
    status = console(stderr=True).status(what)
    with status, listening(lambda *far: status.update(pace.text(*far))):
        yield
