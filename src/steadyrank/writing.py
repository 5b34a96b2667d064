"""Where results go: files that appear whole or not at all, and never over what was read.

A file is written beside its place, brought to the disk, and moved there. Links are followed: they stay,
and what they name is replaced. Into what is no file, such as a pipe or ``/dev/stdout``, the result
is written directly. A program that ends, also by an interrupt, takes its unfinished file away; one that
is killed cannot.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadyrank.errors import UnwritableFileError

OPEN = {"/dev", "/dev/fd", "/proc/self/fd"}
"""Folders whose names, such as ``/dev/stdout``, stand for what is open already."""

_READ: dict[tuple[int, int], Path | int] = {}
"""The files that data came from: the path or the descriptor of each, by device and number."""


def remember_input(source: Any) -> None:
    """Take note of a path or a stream that data come from: no result replaces it."""
    with suppress(OSError, ValueError, AttributeError):  # a stream in memory is no file
        is_path = isinstance(source, str | os.PathLike)
        place: Path | int = Path(source).absolute() if is_path else source.fileno()
        found = os.stat(place)  # noqa: PTH116 (or a descriptor)
        _READ[found.st_dev, found.st_ino] = place


def refuse_input(found: os.stat_result, name: str) -> None:
    """Complain if a file is one that data came from, whatever name it goes by here."""
    still_there = False
    with suppress(OSError, KeyError):  # or its number was given to another file since
        place = _READ[found.st_dev, found.st_ino]
        still_there = os.path.samestat(os.stat(place), found)  # noqa: PTH116 (likewise)
    if still_there and stat.S_ISREG(found.st_mode):
        raise UnwritableFileError(
            f"{name} holds the data that were read, which a result would destroy",
            way_out="Give another path for the result.",
        )


@dataclass(frozen=True)
class Target:
    """What a path leads to: where it is, what is there, and whether that is replaced as a whole."""

    path: Path
    found: os.stat_result | None
    is_file: bool


def target_of(path: str | os.PathLike[str]) -> Target:
    """Return where a result for this path goes; complain if it cannot, or must not, go there."""
    found, place = None, os.fspath(path)
    with _said_of(path):
        with suppress(
            FileNotFoundError
        ):  # of links that lead round in a circle, the system complains
            found = os.stat(path)  # noqa: PTH116
        if found is not None and stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        folder = os.path.dirname(place)  # noqa: PTH120 (a path would lose the last slash)
        while folder not in OPEN and os.path.islink(place):  # noqa: PTH114
            place = os.path.join(folder, os.readlink(place))  # noqa: PTH115, PTH118
            folder = os.path.dirname(place)  # noqa: PTH120
        if not Path(folder).is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder!r}")
        is_file = folder not in OPEN and (found is None or stat.S_ISREG(found.st_mode))
        needed = [folder or os.curdir] * is_file + [place] * (found is not None)
        if not all(os.access(one, os.W_OK) for one in needed):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    if found is not None:
        refuse_input(found, repr(os.fspath(path)))
    return Target(Path(place), found, is_file)


def write_whole(content: str | bytes, path: str | os.PathLike[str]) -> Path:
    """Write text or bytes so that nobody ever sees half of it, and return the path."""
    target = target_of(path)
    with _said_of(path):
        (_replace if target.is_file else _append)(target, _encoded(content))
    return Path(path)


def append_whole(text: str, path: str | os.PathLike[str]) -> None:
    """Add text to the end of a file; what others wrote there stays."""
    target = target_of(path)
    with _said_of(path):
        _append(target, _encoded(text))


def _encoded(content: str | bytes) -> bytes:
    """Return what is written; what UTF-8 cannot hold becomes an escape."""
    return (
        content
        if isinstance(content, bytes)
        else content.encode("utf-8", "backslashreplace")
    )


@contextmanager
def _said_of(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let errors of the file system name the path that was asked for."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error) or type(error).__name__).lower()
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        raise UnwritableFileError(
            f"{os.fspath(path)!r} cannot be written: {why}",
            way_out="The disk is full."
            if full
            else "Give a path that you may write to.",
        ) from error


def _append(target: Target, data: bytes) -> None:
    """Write after what is there; a reader that has gone, as ``head`` does, is no error."""
    handle = os.open(target.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    with suppress(BrokenPipeError), os.fdopen(handle, "wb", buffering=0) as file:
        left = memoryview(data)
        while left:
            left = left[file.write(left) :]


def _replace(target: Target, data: bytes) -> None:
    part = target.path.with_name(
        f".{target.path.name[:40]}.{os.urandom(8).hex()}.steadyrank-part"
    )
    try:
        with os.fdopen(
            os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb"
        ) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.found is not None:
            part.chmod(stat.S_IMODE(target.found.st_mode))
        part.replace(target.path)
    finally:
        part.unlink(missing_ok=True)
