"""Where results go: files that appear whole or not at all, and never over what was read.

A file is written beside its place, brought to the disk, and moved there. It keeps the mode, the owner
and the attributes of the one it replaces as far as the system permits; a new one gets what the umask
leaves. Links are followed: they stay, and what they name is replaced. Of a file with several names (hard
links) only the one that was given changes; the others keep the old content. Into what is no file, such
as a device, a pipe or ``/dev/stdout``, the result is written as a shell would.

A program that ends, also by an interrupt, takes its unfinished file away. One that is killed cannot; the
next result for the same place does, by the lock that only a living program holds.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from secrets import token_hex
from typing import Any

from steadyrank.errors import UnwritableFileError

MOST_LINKS = 40
"""How many links in a row are followed: as many as Linux does."""
DESCRIPTORS = re.compile(r"/dev/fd|/proc/(\d+)(/task/\d+)?/fd")
"""The folders whose files are open descriptors, and the program that has them open."""
UNFINISHED = ".steadyrank-part"
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
    """What a path leads to: where it is, what is there, and the descriptor if it stands for one."""

    path: Path
    found: os.stat_result | None = None
    descriptor: int | None = None

    @property
    def is_file(self) -> bool:
        """Whether a file is or can be there, to be replaced as a whole."""
        return self.descriptor is None and (self.found is None or stat.S_ISREG(self.found.st_mode))


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
        if isinstance(place, int):
            return Target(Path(given), os.fstat(place), place)
        target = Target(Path(place), Path(place).stat() if os.path.lexists(place) else None)
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
    _write(content.encode() if isinstance(content, str) else content, path, _replace)
    return Path(path)


def append_whole(text: str, path: str | os.PathLike[str]) -> None:
    """Add text to the end of a file, all of it or nothing; what others wrote there stays."""
    _write(text.encode("utf-8", "backslashreplace"), path, _append)


def _write(
    data: bytes, path: str | os.PathLike[str], into_file: Callable[[Target, bytes], None]
) -> None:
    target = target_of(path)
    try:
        (into_file if target.is_file else _write_into)(target, data)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: str | os.PathLike[str], error: OSError) -> UnwritableFileError:
    """Return an error of the file system as one that names the path that was asked for."""
    why = (error.strerror or str(error) or type(error).__name__).lower()
    full = error.errno in {errno.ENOSPC, errno.EDQUOT}
    return UnwritableFileError(
        f"{os.fspath(path)!r} cannot be written: {why}",
        way_out="The disk is full." if full else "Give a path that you may write to.",
    )


def _followed(path: str) -> str | int:
    """Return what links lead to in the end: a path without them, or an open descriptor."""
    for _ in range(MOST_LINKS):
        folder, name = os.path.split(path)
        if not Path(folder).is_dir():  # the system says so, who follows links as it should
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder!r}")
        if name in {"", os.curdir, os.pardir}:
            raise _is_folder(path)
        folder = os.path.realpath(folder or os.curdir)
        open_ones = DESCRIPTORS.fullmatch(folder)
        if open_ones and open_ones[1] in {None, str(os.getpid())} and name.isdecimal():
            return int(name)
        place = os.path.join(folder, name)  # noqa: PTH118 (a link may name what Path would change)
        if not os.path.islink(place):  # noqa: PTH114
            return place
        path = os.path.join(folder, os.readlink(place))  # noqa: PTH115, PTH118
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


def _write_into(target: Target, data: bytes) -> None:
    """Write to what is open, or opens; a reader that has gone, as ``head`` does, is no error."""
    if target.descriptor is None:
        handle = os.open(target.path, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
    else:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()  # what was said before comes before
        handle = os.dup(target.descriptor)
    left = memoryview(data)
    with _closing(handle), suppress(BrokenPipeError):
        while left:
            left = left[os.write(handle, left) :]


def _append(target: Target, data: bytes) -> None:
    with _closing(os.open(target.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)) as handle:
        hold(handle, wait=True)
        written = os.write(handle, data)  # at once, so that nobody's text comes between
        if written < len(data):
            os.ftruncate(handle, os.fstat(handle).st_size - written)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _replace(target: Target, data: bytes) -> None:
    path, stem = target.path, f".{target.path.name[:40]}."
    _sweep(path.parent, stem)
    part = path.with_name(f"{stem}{token_hex(8)}{UNFINISHED}")
    try:
        with os.fdopen(_open_new(part, 0o666 if target.found is None else 0o600), "wb") as file:
            file.write(data)
            file.flush()
            if target.found is not None:
                _keep_rights(file.fileno(), target.path, target.found)
            os.fsync(file.fileno())
            if os.name == "nt":
                file.close()  # what is open cannot be moved there; elsewhere it stays held until it is
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(path.parent)


def _open_new(part: Path, mode: int) -> int:
    """Make a file and hold it; what was swept away before it was held is made again."""
    while True:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        hold(handle, wait=True)  # for one that sweeps, and is about to find it held
        if os.fstat(handle).st_nlink:
            return handle
        os.close(handle)


def hold(handle: int, *, wait: bool) -> bool:
    """Lock an open file until it is closed or the program ends; tell whether that could be done."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except (ImportError, OSError):  # some systems and file systems have no locks; then nothing is swept
        return False
    return True


def _sweep(folder: Path, stem: str) -> None:
    """Remove the unfinished files that programs left which were killed."""
    flags = os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0)
    for left in folder.glob(f"{escape(stem)}{'[0-9a-f]' * 16}{UNFINISHED}"):
        with suppress(OSError), _closing(os.open(left, flags)) as handle:
            # Its writer may have made it anew under the same name before we held it.
            if hold(handle, wait=False) and os.path.samestat(os.fstat(handle), left.lstat()):
                left.unlink()


def _keep_rights(handle: int, path: Path, old: os.stat_result) -> None:
    """Give a new file the owner, the mode and the attributes of an old one, as far as we may."""
    if not hasattr(os, "fchown"):
        return
    mode = stat.S_IMODE(old.st_mode)
    try:
        os.fchown(handle, old.st_uid, old.st_gid)
    except OSError:
        mode &= 0o777  # another owner's programs must not run as ours
    for name in os.listxattr(path) if hasattr(os, "listxattr") else ():
        with suppress(OSError):
            os.setxattr(handle, name, os.getxattr(path, name))
    os.fchmod(handle, mode)


def _sync_folder(folder: Path) -> None:
    """Bring the new name to the disk, where a folder can be brought there."""
    with suppress(OSError), _closing(os.open(folder, os.O_RDONLY)) as handle:
        os.fsync(handle)


@contextmanager
def _closing(handle: int) -> Iterator[int]:
    try:
        yield handle
    finally:
        os.close(handle)
