"""Files that appear complete or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(text: str, path: str | os.PathLike[str]) -> Path:
    """Write a text file so that nobody ever sees half of it."""
    target = Path(path)
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}-", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return target


def _umask() -> int:
    """Return the mask of new files, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
