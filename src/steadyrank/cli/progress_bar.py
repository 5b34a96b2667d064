"""Signs of life: on a terminal what is done and the time left, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from steadyrank.cli.codes import ExitCode
from steadyrank.cli.failures import say
from steadyrank.cli.output import console
from steadyrank.progress import listening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EVERY = 30.0
"""Seconds between two lines where there is no terminal; shorter work says nothing."""


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
            say(told, ExitCode.FINE)


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
