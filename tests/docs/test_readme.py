"""The README keeps its word: its result, its examples and its pictures are those of this version."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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
    assert any("Surely in the top 5" in line for line in head)
    assert any("Contenders" in line for line in head)


def test_the_shown_table_is_what_the_command_prints(demo_folder: Path) -> None:
    command = [sys.executable, "-m", "steadyrank.cli", "topk", "restaurants.csv", "-k", "5"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, cwd=demo_folder)
    printed = {without_bars(line) for line in done.stdout.splitlines()}
    rows = [line for line in blocks("console")[0].splitlines() if re.match(r" [●◐○] ", line)]
    assert len(rows) == 7
    assert {without_bars(row) for row in rows} <= printed


def without_bars(line: str) -> str:
    """Return a row of a table without its drawing, whose width depends on the terminal's."""
    return " ".join(re.sub(r"[━│┿●◐○]", " ", line).split())


def test_the_number_of_flipping_users_is_right(demo_folder: Path) -> None:
    from steadyrank import Ratings, audit, stable_topk

    data = Ratings.read("restaurants.csv")
    answer = stable_topk(data, k=5)
    result = audit(data, k=5, eps=answer.eps, methods=["topk", "inflated_topk"])
    plain, inflated = (round(row.delta * data.n_units) for row in result.table)
    assert f"any one of {plain} of the {data.n_units} users" in README
    assert inflated == 0
    assert f"The list of {answer.size} above holds" in README


@pytest.mark.parametrize("block", blocks("python"), ids=["from data", "from scores"])
def test_the_python_examples_run_and_say_the_truth(demo_folder: Path, block: str) -> None:
    space: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(block, "README.md", "exec"), space)
    shown = re.findall(r"^(\S.*?) +# (\(.*\)|array.*)$", block, flags=re.MULTILINE)
    assert shown
    for expression, value in shown:
        assert repr(eval(expression, space)) == value


def test_every_file_that_the_readme_names_is_there() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    for target in targets:
        assert (ROOT / target).exists(), target
