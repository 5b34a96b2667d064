"""The repository: its files, its settings and its scripts."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def files_of_the_repository() -> set[str]:
    """Return all paths that are not ignored: by git or, in an unpacked sdist, as they lie there."""
    if (ROOT / ".git").exists():
        command = [
            "git",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "-z",
        ]
        listed = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        return {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    import pathspec

    patterns = (ROOT / ".gitignore").read_text(encoding="utf-8")
    ignored = pathspec.PathSpec.from_lines("gitignore", patterns.splitlines())
    every = (
        path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file()
    )
    return {name for name in every if not ignored.match_file(name)} - {"PKG-INFO"}


def settings_in(name: str) -> Any:
    """Return what a file of settings in YAML says."""
    import yaml

    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def script(name: str) -> Any:
    """Load a script of the repository as a module; it may import those beside it."""
    if str(ROOT / "scripts") not in sys.path:
        sys.path.append(str(ROOT / "scripts"))
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
