"""The live reports of the site and the pictures beside them, made by the commands that the pages show.

mkdocs calls this while it builds, for the reports. Run as a script it draws the pictures anew, into
docs/figures/: ``python scripts/docs_reports.py``.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
STARTS = ROOT / "docs" / "start"
FIGURES = ROOT / "docs" / "figures"
PAGES = ("leaderboard", "polls", "features", "recommendations")


@dataclass(frozen=True)
class Made:
    """What the examples of a page leave behind: the report they write, and the answer they find."""

    report: str
    answer: Any


def run(name: str) -> Made:
    """Run the examples of a page as the tests do."""
    examples = _page_examples()
    space: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for block in examples.examples_of(
            (STARTS / f"{name}.md").read_text(encoding="utf-8")
        ):
            if block.language == "python":
                examples.run_python(block.code, space, name)
            else:
                examples.run_console(block.code, Path(folder))
        return Made(Path(f"{name}.html").read_text(encoding="utf-8"), space["answer"])


def _page_examples() -> Any:
    """Load the module of the tests that knows how to run a page."""
    path = ROOT / "tests" / "docs" / "page_examples.py"
    spec = importlib.util.spec_from_file_location("page_examples", path)
    if spec is None or spec.loader is None:
        raise ImportError(path.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules["page_examples"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def on_files(files: Any, config: Any) -> Any:
    """Add the reports to the files of the site, so that links to them are checked like others."""
    from mkdocs.structure.files import File

    for name in PAGES:
        files.append(
            File.generated(config, f"reports/{name}.html", content=run(name).report)
        )
    return files


def main() -> None:
    """Draw the pictures of all pages."""
    from steadyrank.report.picture import share_image

    for name in PAGES:
        picture = share_image(run(name).answer.findings())
        (FIGURES / f"{name}.svg").write_text(f"{picture}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
