"""Where results go: a terminal, a pipe or a file, in the form that was asked for."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from steadyrank.cli.endings import say, to_nowhere
from steadyrank.errors import UnwritableFileError
from steadyrank.progress import listening
from steadyrank.report.terminal import FAINT, Line, Terminal
from steadyrank.text import fitted
from steadyrank.writing import refuse_input, write_whole

ENDINGS = {
    "text": ".txt",
    "json": ".json",
    "csv": ".csv",
    "markdown": ".md",
    "html": ".html",
}
"""The forms of a result, and how a file that holds one ends; it may have no ending."""

COLOURS = {
    "": "",
    "bold": "1",
    "green": "32",
    "yellow": "33",
    FAINT: "90",
    "bold green": "1;32",
    "bold red": "1;31",
}
"""How a terminal draws each style: the numbers of its control sequence."""

NARROWEST = 40  # columns that every terminal is taken to have
REDRAWN = 0.1  # seconds between two drawings of a line of progress
EVERY = 30.0  # seconds between two lines of progress where there is no terminal


def form_of(path: str | None, forms: Sequence[str], asked: str | None = None) -> str:
    """Return the form in which a result is written: as asked for, or as its file ends.

    Parameters
    ----------
    path : str, optional
        Where it is written; an ending that does not fit is refused.
    forms : sequence of str
        Those that the result may have, the usual one first.
    asked : str, optional
        The one that was asked for.

    Examples
    --------
    >>> form_of("top.json", ["text", "json"]), form_of("/dev/stdout", ["text", "json"])
    ('json', 'text')
    """
    fitting = [asked] if asked is not None else forms
    ending = Path(path or "").suffix
    by_ending = {ENDINGS[form]: form for form in fitting}
    if not ending:
        return fitting[0]
    if ending.lower() in by_ending:
        return by_ending[ending.lower()]
    raise UnwritableFileError(
        f"{path!r} ends in {ending}, but the result is {' or '.join(fitting)}",
        way_out=f"Let its name end in {' or '.join(by_ending)}, or give it no ending.",
    )


def draws(stream: Any) -> bool:
    """Tell whether a stream is a terminal that obeys control sequences."""
    if not stream.isatty() or os.environ.get("TERM") == "dumb":
        return False
    return sys.platform != "win32" or "WT_SESSION" in os.environ


def terminal(encoding: str | None = None, **wanted: bool) -> Terminal:
    """Return what standard output can show, or a file of its width in an encoding."""
    columns = shutil.get_terminal_size().columns or Terminal.width
    known = encoding or getattr(sys.stdout, "encoding", None) or "utf-8"
    return Terminal(max(NARROWEST, columns), known, options=True, **wanted)


def show(lines: Iterable[Line], page: Terminal, *, whole: bool = False) -> None:
    """Print lines, one that is too wide on several; ``whole`` words are not broken."""
    fitting = page.fitting(lines, whole=whole)
    if draws(sys.stdout) and not os.environ.get("NO_COLOR"):
        texts = [_coloured(line) for line in fitting]
    else:
        texts = [line.text for line in fitting]
    deliver("".join(f"{text}\n" for text in texts), encoding=page.encoding)


def _coloured(line: Line) -> str:
    if not line.style:
        return line.text
    return f"\x1b[{COLOURS[line.style]}m{line.text}\x1b[0m"


def deliver(text: str, path: str | None = None, *, encoding: str = "utf-8") -> None:
    """Write text to standard output or, whole or not at all, to a file."""
    ended = text if text.endswith("\n") else text + "\n"
    if path is not None:
        write_whole(ended, path)
        return
    found = None
    with suppress(OSError, ValueError):  # standard output may be no real file
        found = os.fstat(sys.stdout.fileno())
    if found is not None:  # a shell would append the result to the data
        refuse_input(found, "standard output")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(ended.encode(encoding, "backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:  # a reader that has gone, as `head` does, is no error
        to_nowhere(sys.stdout)


class Pace:
    """Says now and then how far work is, and how long the rest takes at its pace.

    Parameters
    ----------
    what : str
        What is being done.
    every : float
        Seconds between two messages.
    write : callable
        Where they go.
    clock : callable
        Gives the time in seconds.
    """

    def __init__(
        self,
        what: str,
        every: float,
        write: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._what = what
        self._every = every
        self._write = write
        self._clock = clock
        self._last = clock()
        # Of each noun, as one work may follow another: when it was first counted.
        self._first: dict[str, tuple[float, int]] = {}

    def __call__(self, done: int, total: int, noun: str) -> None:
        """Take note of how far the work is."""
        now = self._clock()
        start, before = self._first.setdefault(noun, (now, done))
        if now - self._last < self._every:
            return
        self._last = now
        text = f"{self._what}: {done:,} of {total:,} {noun}"
        if done >= total:
            text = f"{self._what}: all {total:,} {noun} done, still working"
        elif done > before:
            rest = (now - start) * (total - done) / (done - before)
            text += f", about {in_words(rest)} left"
        self._write(text)


def draw(text: str) -> None:
    """Replace the last line of the terminal; an empty text removes it."""
    line = fitted(text, terminal().width - 1).rstrip()
    sys.stderr.write(f"\r\x1b[K{line}")
    sys.stderr.flush()


def in_words(seconds: float) -> str:
    """Return a time in whole units.

    Examples
    --------
    >>> in_words(7.2), in_words(600), in_words(9000)
    ('8 s', '10 min', '3 h')
    """
    for most, size, unit in ((90, 1, "s"), (5400, 60, "min")):
        if seconds < most:
            return f"{-(-seconds // size):.0f} {unit}"
    return f"{-(-seconds // 3600):.0f} h"


@contextmanager
def working(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Show what is being done for as long as this block takes."""
    if quiet:
        yield
    elif not draws(sys.stderr):
        with listening(Pace(what, EVERY, say)):
            yield
    else:
        draw(what)
        try:
            with listening(Pace(what, REDRAWN, draw)):
                yield
        finally:
            draw("")
