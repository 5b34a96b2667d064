"""Where results go: the terminal, a pipe, or a file that appears complete or not at all."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from rich.console import Console

    from steadyrank.report.terminal import Terminal
    from steadyrank.report.text import Line


def console(*, stderr: bool = False) -> Console:
    """Return a console that shows text as it is: no markup, no emoji codes, no colour in a pipe."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=False)


def terminal_of(screen: Console, encoding: str | None = None) -> Terminal:
    """Return what this console can show, or a file of its width in an encoding."""
    from steadyrank.report.terminal import Terminal

    return Terminal(max(40, screen.width), encoding or screen.encoding, options=True)


def show(lines: Iterable[Line], screen: Console) -> None:
    """Print lines as they are: they are already wrapped, and a wide table is better than a torn one."""
    from rich.text import Text

    with screen.capture() as captured:
        for line in lines:
            screen.print(Text(line.text, line.style), no_wrap=True, overflow="ignore", crop=False)
    deliver(captured.get(), encoding=screen.encoding)


def working(what: str) -> AbstractContextManager[Any]:
    """Return a sign of life on a terminal, and nothing at all elsewhere."""
    return console(stderr=True).status(what) if sys.stderr.isatty() else nullcontext()


def deliver(text: str, path: str | None = None, *, encoding: str = "utf-8") -> None:
    """Write text to standard output or, whole or not at all, to a file.

    A reader that has gone, as ``head`` does, is no error: what is left goes nowhere.
    """
    ended = text if text.endswith("\n") else text + "\n"
    if path is not None:
        save(ended, path)
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(ended.encode(encoding, "backslashreplace"))
        sys.stdout.flush()
    except BrokenPipeError:
        stdout_to_nowhere()


def stdout_to_nowhere() -> None:
    """Give up on standard output, so that Python does not try again on its way out."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):  # not a real file: nothing will be tried again
        pass
    finally:
        os.close(nowhere)


def save(text: str, path: str) -> None:
    """Write a file so that nobody ever sees half of it; an error names the file that was asked for."""
    from steadyrank.report.export import write_whole

    with named(path):
        write_whole(text.encode("utf-8", "backslashreplace").decode("utf-8"), path)


@contextmanager
def named(path: str) -> Iterator[None]:
    """Make errors of the file system name this path, not that of a temporary file."""
    if Path(path).is_dir():
        raise InvalidValueError(f"{path!r} is a folder: give the name of a file.")
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
