"""The README keeps its word: its result, its examples and its pictures are those of this version."""

from __future__ import annotations

import contextlib
import io
import re
from typing import TYPE_CHECKING

import pytest

from docs.page_examples import ROOT, alike, run_page

if TYPE_CHECKING:
    from pathlib import Path

ANEW = "python tests/docs/page_examples.py README.md"
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, flags=re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    found = [text for name, text in BLOCKS if name == language]
    assert found, f"the README has no {language} block"
    return found


@pytest.fixture
def demo_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    data = ROOT / "src" / "steadyrank" / "demo" / "restaurants.csv"
    (tmp_path / "restaurants.csv").write_bytes(data.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_result_stands_before_line_40() -> None:
    head = README.splitlines()[:40]
    assert any(line.startswith(" ●  1  Red Door") for line in head)
    assert any(line.startswith(" ◐ contender:") for line in head)


def test_the_shown_result_is_what_the_command_prints(tmp_path: Path) -> None:
    [(block, printed), *_] = run_page(ROOT / "README.md", tmp_path)
    assert block.shown is not None
    assert alike(block.shown, printed), (
        f"It printed:\n{printed}\nWrite it anew with: {ANEW}"
    )
    assert not alike(block.shown.replace("Red Door", "Red Dor"), printed)


def test_its_sentences_are_true_of_every_single_deletion(demo_folder: Path) -> None:
    from steadyrank import Ratings, Study, read, topk

    roles = {"item": "restaurant", "rating": "stars", "unit": "reviewer"}
    data = read("restaurants.csv", **roles)

    def best(ratings: Ratings) -> set[object]:
        study = Study(ratings)
        return {study.items[place] for place in topk(study.scores, 5)}

    full, without = (
        best(data),
        [best(data.without([unit])) for unit in range(data.n_units)],
    )
    changing = sum(found != full for found in without)
    told = " ".join(README.split())
    assert (
        f"remove any one of {changing} of the {data.n_units}, and Saltmarsh replaces Ivy Court"
        in told
    )
    shown = set(re.findall(r"^ [●◐] +\d+  (.+?)  ", README, flags=re.MULTILINE))
    sure = set(re.findall(r"^ ● +\d+  (.+?)  ", README, flags=re.MULTILINE))
    assert full.union(*without) == shown
    assert full.intersection(*without) == sure


def test_the_python_example_runs_and_says_the_truth(demo_folder: Path) -> None:
    [block] = blocks("python")
    space: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(block, "README.md", "exec"), space)
    shown = re.findall(
        r"^(\S.*?) +# (\(.*\)|\d+|array\(.*\))(?:: .*)?$", block, flags=re.MULTILINE
    )
    assert len(shown) == 4
    for expression, value in shown:
        assert repr(eval(expression, space)) == value


def test_every_file_that_the_readme_names_is_there() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target
