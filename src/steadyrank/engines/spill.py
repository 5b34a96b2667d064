"""Temporary folders that are gone afterwards, whatever ends the work."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path

PREFIX = "steadyrank-spill-"


class SpillFolder:
    """A folder for what an engine writes when memory runs out.

    It is removed by :meth:`close`, when nobody holds this object any more, and at the end of the
    program, also one that was interrupted. A program that was killed cannot clean up; the next
    folder made in the same place removes what it left.

    Parameters
    ----------
    parent : str or path, optional
        Where to make it; by default where the system keeps temporary files.

    Examples
    --------
    >>> folder = SpillFolder()
    >>> folder.path.is_dir()
    True
    >>> folder.close()
    >>> folder.path.exists()
    False
    """

    def __init__(self, parent: str | os.PathLike[str] | None = None) -> None:
        place = Path(tempfile.gettempdir() if parent is None else parent)
        remove_left_behind(place)
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=place))
        self._remove = weakref.finalize(self, _remove_own, self.path, os.getpid())

    def close(self) -> None:
        """Remove the folder and all that is in it."""
        self._remove()


def remove_left_behind(place: Path) -> None:
    """Remove the folders of programs that do not run any more."""
    for folder in place.glob(f"{PREFIX}*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdigit() and not _runs(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _remove_own(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked child must not remove what its parent still uses
        shutil.rmtree(path, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it runs, and belongs to somebody else
        return True
    return True
