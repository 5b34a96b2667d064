"""Every recipe runs on a small file of its tool, and refusals name recipes that exist."""

from __future__ import annotations

import csv
import io
import re
import subprocess
from pathlib import Path

import pytest

from docs.page_examples import DOCS
from docs.recipe_files import write_all
from steadyrank.cli import main
from steadyrank.reading.refusal import RECIPES, RECIPES_PAGE, Recipe

PAGE = (DOCS / "guides" / "recipes.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)

# From the values in recipe_files.py, by hand.
SCORES: dict[str, dict[str, float]] = {
    "u.data": {"242": 9 / 3, "302": 3 / 3, "377": 1 / 2},
    "ratings.dat": {"1193": 9 / 3, "661": 5 / 3},
    "board.md": {"birch": 0.725, "alder": 0.55},
    "titled.csv": {"alder": 0.625, "birch": 0.375},
    "output/*/results_*.json": {"org/birch": 0.725, "org/alder": 0.55},
    "output/*/samples_*.jsonl": {"org__birch": 1.0, "org__alder": 0.5},
    "runs/suite/*/stats.json": {"org_birch": 0.775, "org_alder": 0.55},
    # 2 wins, a loss and a tie of 4: log(2.5 / 1.5) apart.
    "alpaca/annotations.json": {
        "birch": 0.2554128118829953,
        "base": -0.2554128118829953,
    },
    "reports/*.json": {"birch": 2 / 3, "alder": 1 / 3},
    "CvrExport_1.json": {"Ann": 1.0, "Bob": 0.0},
    "drinks.csv": {"tea": 1.0, "coffee": 1 / 3, "milk": 1 / 3},
    "answers.csv": {"alder": 1.0, "birch": 0.5},
    "pairs.csv": {"birch": 10 / 15, "alder": 6.5 / 15, "cedar": 3.5 / 10},
    "films.csv": {"Big": 7 / 3, "Up": 3 / 3},
    "ratings.csv": {"Big, the film": 9 / 3, "Up": 5 / 3},
    "months.csv": {"north": 2.0, "south": 2.0},
}


def words_of(block: str) -> list[str]:
    """Return the words that a shell makes of a command, without its first."""
    echo = "steadyrank() { printf '%s\\0' \"$@\"; }\n"
    done = subprocess.run(
        ["sh", "-c", echo + block], capture_output=True, check=True, encoding="utf-8"
    )
    return done.stdout.split("\0")[:-1]


ANCHORS = {
    heading.lower().replace(" ", "-")
    for heading in re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
} | set(re.findall(r'<span id="([\w-]+)">', PAGE))
COMMANDS = {words[1]: words for words in map(words_of, BLOCKS)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_all(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def scores_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    assert main([*words, "--csv", "--quiet"]) == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    return {row["item"]: float(row["score"]) for row in rows}


@pytest.mark.parametrize("file", SCORES)
def test_a_recipe_scores_a_small_file(
    file: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = COMMANDS[file]
    if file == "pairs.csv":  # its usual score has no closed form
        words = [*words, "--scorer", "win-rate"]
    found = scores_of(words, capsys)
    assert list(found) == list(SCORES[file])
    assert found == pytest.approx(SCORES[file], abs=1e-9)


def test_every_recipe_has_its_scores() -> None:
    assert len(BLOCKS) == len(COMMANDS)
    assert COMMANDS.keys() == SCORES.keys()


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.what)
def test_the_page_has_the_anchor_of_each_recipe(recipe: Recipe) -> None:
    assert recipe.name in ANCHORS


@pytest.mark.parametrize(
    ("file", "anchor"),
    [
        ("u.data", "no-header"),
        ("ratings.dat", "double-colon"),
        ("board.md", "markdown"),
        ("titled.csv", "titles"),
        ("output/org__alder/results_2024-06-01T10-00-00.json", "lm-eval"),
        (
            "output/org__alder/samples_arc_easy_2024-06-01T10-00-00.jsonl",
            "lm-eval",
        ),
        ("runs/suite/boolq:model=org_alder/stats.json", "helm"),
        ("alpaca/annotations.json", "alpacaeval"),
        ("reports/alder.run1.json", "swe-bench"),
        ("CvrExport_1.json", "dominion"),
    ],
)
def test_a_refusal_names_the_recipe(
    file: str, anchor: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([file]) == 2
    refusal = capsys.readouterr().err
    assert f"{RECIPES_PAGE}#{anchor}." in refusal
    assert anchor in ANCHORS
