"""How far long work is, told to whoever listens: mostly nobody, which costs next to nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

Listener: TypeAlias = "Callable[[int, int, str], None]"
"""Gets what is done, how much there is, and of what."""
Found = TypeVar("Found")

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let somebody be told what is done in this block."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def tell(done: int, total: int, what: str) -> None:
    """Say how far something is."""
    listener = _listener.get()
    if listener is not None:
        listener(done, total, what)


def counting(work: Iterable[Found], total: int, what: str) -> Iterator[Found]:
    """Yield from work of a known size, telling how much of it is done.

    Examples
    --------
    >>> with listening(lambda done, total, what: print(f"{done} of {total} {what}")):
    ...     print(sum(counting([2, 3], 2, "numbers")))
    1 of 2 numbers
    2 of 2 numbers
    5
    """
    for done, found in enumerate(work, start=1):
        tell(done, total, what)
        yield found
