"""Folders of temporary files: those of the living stay, those of the dead go, all else is left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from steadyrank.engines.backends import LOCK, PREFIX, SpillFolder, remove_left_behind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.adversary.conftest import Cases

pytest.importorskip("fcntl")

HOLD = """
    import os, sys
    from steadyrank.engines.backends import SpillFolder
    folder = SpillFolder(sys.argv[1])
    (folder.path / "spilled").write_text("x" * 1000)
    print(folder.path, flush=True)
    sys.stdin.readline()
"""


@contextmanager
def owner(place: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Run a program that holds a folder until it is told to end, or killed."""
    command = [sys.executable, "-c", textwrap.dedent(HOLD), str(place)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def odd_neighbour(place: Path, name: str, kind: int) -> Path:
    """Put something that is none of our folders beside them."""
    path = place / name
    if kind == 0:
        path.mkdir()
    elif kind == 1:
        path.write_text("a file")
    else:
        path.symlink_to(place)
    return path


def test_the_living_stay_and_the_dead_go(tmp_path: Path, cases: Cases) -> None:
    """Also where the owner cannot be seen: no number of a process is looked at."""
    with owner(tmp_path) as (killed, dead), owner(tmp_path) as (alive, kept):
        ours = SpillFolder(tmp_path)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert dead.is_dir()
        for rng in cases(20):
            letters = [f"{PREFIX}{word}" for word in ("²-x", "-", "1-abc", "x\ny", "[a]*", "ä" * 20)]
            path = odd_neighbour(tmp_path, str(rng.choice(letters)), int(rng.integers(3)))
            remove_left_behind(tmp_path)
            assert path.exists()
            assert (kept / "spilled").is_file()
            assert ours.path.is_dir()
            assert not dead.exists()
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        assert alive.stdin is not None
        alive.stdin.write("\n")
        alive.stdin.close()
        assert alive.wait() == 0
        assert not kept.exists()
        ours.close()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_never_seen_without_its_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cleaner that comes while a folder is being made must not take it."""
    rename = Path.rename

    def look_first(path: Path, target: Path) -> Path:
        remove_left_behind(tmp_path)
        assert path.is_dir()
        renamed = rename(path, target)
        remove_left_behind(tmp_path)
        return renamed

    monkeypatch.setattr(Path, "rename", look_first)
    folder = SpillFolder(tmp_path)
    assert (folder.path / LOCK).is_file()
    folder.close()
    assert list(tmp_path.iterdir()) == []


def test_a_forked_child_removes_nothing(tmp_path: Path) -> None:
    script = """
        import os, sys
        from steadyrank.engines.backends import SpillFolder
        folder = SpillFolder(sys.argv[1])
        child = os.fork()
        if child:
            os.waitpid(child, 0)
            print(folder.path.is_dir())
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
    assert os.listdir(tmp_path) == []  # noqa: PTH208 (names alone)
