"""Where a path leads is for the system to say: results go where a shell would write them."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from steadyrank.errors import UnwritableFileError
from steadyrank.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

    Cases = Callable[[int], Iterator[np.random.Generator]]

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="links as POSIX has them"
)

NAMES = ("a", "b", "c", "d")
FOLDERS = ("", "one", "two", "one/deep")


def drawn_path(rng: np.random.Generator) -> str:
    """Draw a path: through folders and links, with detours, sometimes to a folder or nowhere."""
    steps = rng.choice(
        [*NAMES, "one", "two", "deep", ".", "..", ""], size=int(rng.integers(0, 4))
    )
    last = str(rng.choice([*NAMES, *NAMES, *NAMES, "one", ".", "..", "a/"]))
    return "/".join([*steps.tolist(), last]).lstrip("/")


def drawn_tree(rng: np.random.Generator) -> list[tuple[str, str, object]]:
    """Draw files with their modes, and links with what they name: each other, themselves, nothing."""
    places = [f"{folder}/{name}".lstrip("/") for folder in FOLDERS for name in NAMES]
    tree: list[tuple[str, str, object]] = []
    for place in places:
        kind = str(rng.choice(["file", "link", "absolute link", "folder", "nothing"]))
        if kind == "file":
            tree.append((place, kind, int(rng.integers(0o1000)) | 0o200))
        elif "link" in kind:
            tree.append((place, kind, drawn_path(rng)))
        elif kind == "folder" and rng.random() < 0.3:
            tree.append((place, kind, None))
    return tree


def built(tree: list[tuple[str, str, object]], root: Path) -> Path:
    for folder in FOLDERS:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for place, kind, what in tree:
        if kind == "file":
            (root / place).write_text("old", encoding="utf-8")
            (root / place).chmod(int(str(what)))
        elif kind == "folder":
            (root / place).mkdir()
        else:
            (root / place).symlink_to(
                f"{root}/{what}" if kind == "absolute link" else str(what)
            )
    return root


def seen(root: Path) -> dict[str, object]:
    """Return all that is in a folder: links by what they name, files by mode and content."""
    found: dict[str, object] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(folder, name)
            key = str(path.relative_to(root))
            if path.is_symlink():
                found[key] = str(path.readlink()).replace(str(root), "ROOT")
            elif path.is_file():
                found[key] = (path.stat().st_mode, path.read_text(encoding="utf-8"))
            else:
                found[key] = "folder"
    return found


def as_a_shell(path: str) -> bool:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    except OSError:
        return False
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("new")
    return True


def as_we_do(path: str) -> bool:
    try:
        write_whole("new", path)
    except UnwritableFileError:
        return False
    return True


def test_a_path_leads_where_the_system_says(
    cases: Cases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = refused = 0
    for number, rng in enumerate(cases(250)):
        tree, path = drawn_tree(rng), drawn_path(rng)
        absolute = rng.random() < 0.5
        outcomes = []
        for way, write in (("shell", as_a_shell), ("ours", as_we_do)):
            root = built(tree, tmp_path / f"{number}" / way)
            monkeypatch.chdir(root)
            outcomes.append((write(f"{root}/{path}" if absolute else path), seen(root)))
        assert outcomes[0] == outcomes[1], (tree, path)
        written += outcomes[0][0]
        refused += not outcomes[0][0]
    assert min(written, refused) > 20  # the cases are of both sorts


def test_many_writers_of_one_file(cases: Cases, tmp_path: Path) -> None:
    """Whoever is last wins, whole."""
    place = tmp_path / "result"
    for rng in cases(10):
        texts = [str(number) * int(rng.integers(1, 200_000)) for number in range(8)]
        failures: list[BaseException] = []

        def write(text: str, failures: list[BaseException] = failures) -> None:
            try:
                for _ in range(5):
                    write_whole(text, place)
            except BaseException as error:
                failures.append(error)

        writers = [threading.Thread(target=write, args=[text]) for text in texts]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert not failures
        assert place.read_text(encoding="utf-8") in texts
        assert [path.name for path in tmp_path.iterdir()] == ["result"]
