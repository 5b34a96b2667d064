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
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadyrank.errors import UnwritableFileError

MOST_LINKS = 40
"""How many links in a row are followed: as many as Linux does."""
OPEN = {"/dev", "/dev/fd", "/proc/self/fd"}
"""Folders whose names, such as ``/dev/stdout``, stand for what is open already."""
CHECKPOINT_MARK = b"STRK"
"""Tells a checkpoint: the application id of its database, in bytes 68 to 71 of the file."""

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
    place = _READ.get((found.st_dev, found.st_ino))
    if place is None or not stat.S_ISREG(found.st_mode):
        return
    try:
        still_there = os.path.samestat(os.stat(place), found)  # noqa: PTH116 (likewise)
    except OSError:
        still_there = False  # its number was given to another file since
    if still_there:
        raise UnwritableFileError(
            f"{name} holds the data that were read, which a result would destroy",
            way_out="Give another path for the result.",
        )


@dataclass(frozen=True)
class Target:
    """What a path leads to: where it is, and what is there."""

    path: Path
    found: os.stat_result | None = None

    @property
    def is_file(self) -> bool:
        """Whether a file is or can be there, to be replaced as a whole."""
        regular = self.found is None or stat.S_ISREG(self.found.st_mode)
        return regular and str(self.path.parent) not in OPEN


def target_of(path: str | os.PathLike[str]) -> Target:
    """Return where a result for this path goes; complain if it cannot, or must not, go there."""
    target = resolved(path)
    if target.found is not None:
        refuse_input(target.found, repr(os.fspath(path)))
    if target.is_file and target.found is not None and holds_refits(target.path):
        raise UnwritableFileError(
            f"{os.fspath(path)!r} is a checkpoint of refits, which a result would destroy",
            way_out="Give another path for the result, or delete it.",
        )
    return target


def resolved(path: str | os.PathLike[str]) -> Target:
    """Follow the links of a path to its end, and complain if nothing can be written there."""
    given = os.fspath(path)
    try:
        place = _followed(given)
        target = Target(place, place.stat() if os.path.lexists(place) else None)
        _check_kind(given, target)
    except UnwritableFileError:
        raise
    except OSError as error:
        raise unwritable(given, error) from error
    return target


def holds_refits(path: Path) -> bool:
    """Tell whether a file is a checkpoint; one that may not be read counts as another file."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(72)[68:] == CHECKPOINT_MARK
    return False


def write_whole(content: str | bytes, path: str | os.PathLike[str]) -> Path:
    """Write text or bytes so that nobody ever sees half of it, and return the path."""
    data, target = content.encode() if isinstance(content, str) else content, target_of(path)
    try:
        (_replace if target.is_file else _append)(target, data)
    except OSError as error:
        raise unwritable(path, error) from error
    return Path(path)


def append_whole(text: str, path: str | os.PathLike[str]) -> None:
    """Add text to the end of a file; what others wrote there stays."""
    try:
        _append(target_of(path), text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise error if isinstance(error, UnwritableFileError) else unwritable(path, error) from error


def unwritable(path: str | os.PathLike[str], error: OSError) -> UnwritableFileError:
    """Return an error of the file system as one that names the path that was asked for."""
    why = (error.strerror or str(error) or type(error).__name__).lower()
    full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    return UnwritableFileError(
        f"{os.fspath(path)!r} cannot be written: {why}",
        way_out="The disk is full." if full else "Give a path that you may write to.",
    )


def _followed(path: str) -> Path:
    """Return what links lead to in the end, or the name of something that is open."""
    for _ in range(MOST_LINKS):
        folder, name = os.path.split(path)
        if not Path(folder).is_dir():  # the system says so, who follows links as it should
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder!r}")
        if name in {"", os.curdir, os.pardir}:
            raise _is_folder(path)
        if folder in OPEN or not os.path.islink(path):  # noqa: PTH114
            return Path(path)
        path = os.path.join(folder, os.readlink(path))  # noqa: PTH115, PTH118
    raise OSError(errno.ELOOP, "its links lead round in a circle")


def _is_folder(path: str) -> UnwritableFileError:
    return UnwritableFileError(f"{path!r} is a folder", way_out="Give the name of a file.")


def _check_kind(given: str, target: Target) -> None:
    mode = 0 if target.found is None else target.found.st_mode
    if stat.S_ISDIR(mode):
        raise _is_folder(given)
    if stat.S_ISSOCK(mode):
        raise UnwritableFileError(
            f"{given!r} is a socket, which takes no files", way_out="Give the name of a file."
        )
    if target.is_file and not os.access(target.path.parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, f"{os.strerror(errno.EACCES)} for its folder")
    if mode and not os.access(target.path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _append(target: Target, data: bytes) -> None:
    """Write after what is there; a reader that has gone, as ``head`` does, is no error."""
    handle = os.open(target.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    with suppress(BrokenPipeError), os.fdopen(handle, "wb", buffering=0) as file:
        left = memoryview(data)
        while left:
            left = left[file.write(left) :]


def _replace(target: Target, data: bytes) -> None:
    part = target.path.with_name(f".{target.path.name[:40]}.{os.urandom(8).hex()}.steadyrank-part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.found is not None:
            part.chmod(stat.S_IMODE(target.found.st_mode))
        part.replace(target.path)
    finally:
        part.unlink(missing_ok=True)
