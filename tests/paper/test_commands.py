"""``python -m paper``: what it prints, and what it writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from paper import commands
from paper.__main__ import main

if TYPE_CHECKING:
    from collections.abc import Callable

    from paper.full_ranking import RegressionExperiment
    from paper.lookalike import Lookalike

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    def call(*arguments: str) -> str:
        capsys.readouterr()
        code = main(arguments)
        shown = capsys.readouterr()
        assert code == 0, shown.err
        return shown.out

    return call


@pytest.fixture
def few_users(monkeypatch: pytest.MonkeyPatch, small: Lookalike) -> None:
    monkeypatch.setattr(
        commands, "lookalike_population", lambda *, seed: replace(small, seed=seed)
    )


def test_table_2_stands_beside_the_published_one(
    printed: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    table_2: Callable[..., RegressionExperiment],
) -> None:
    asked = {}

    def experiment(**settings: Any) -> RegressionExperiment:
        asked.update(settings)
        return table_2(beta="script")

    monkeypatch.setattr(commands, "regression_experiment", experiment)
    shown = printed("regression")
    assert asked == {
        "beta": "script",
        "seed": 1234567891,
        "trials": 1000,
        "progress": None,
    }
    for line in (
        "ranking            paper     0.78   0.1757 (0.0049)",
        "1.766 (0.038)",
    ):
        assert line in shown
    rows = [line.split() for line in shown.splitlines() if "(0.0" in line]
    paper, script, ours = (
        [row[row.index(whose) + 1 :] for row in rows if whose in row]
        for whose in ("paper", "script", "ours")
    )
    deltas, size = slice(0, 3), slice(3, 5)  # max, mean, its error; size, its error
    assert [row[deltas] for row in paper] == [row[deltas] for row in script]
    assert [row[deltas] for row in paper] == [row[deltas] for row in ours]
    assert [row[size] for row in script] == [row[size] for row in ours]
    assert [row[size] for row in paper] == [["1.00", "(0.00)"], ["1.76", "(0.04)"]]
    assert [row[5:] for row in ours] == [[], ["0.242", "0.061"]]


def test_json_holds_all_trials(printed: Callable[..., str]) -> None:
    result = json.loads(
        printed("regression", "--beta", "text", "--trials", "30", "--json")
    )
    assert result["beta"] == "text"
    assert len(result["methods"]["inflated ranking"]["deltas"]) == 30


def test_the_study_of_features(
    printed: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    short = commands.dimension_study

    def small(**settings: object) -> object:
        return short(features=[5, 8], **settings)

    monkeypatch.setattr(commands, "dimension_study", small)
    shown = printed(
        "regression", "--study", "--trials", "2", "--figures", str(tmp_path)
    )
    assert "log10 size" in shown
    assert {path.name for path in tmp_path.iterdir()} == {
        "paper-dimensions.svg",
        "paper-dimensions.png",
    }


@pytest.mark.usefixtures("few_users")
def test_lists_of_movies(printed: Callable[..., str], tmp_path: Path) -> None:
    shown = printed(
        "netflix",
        "--trials",
        "2",
        "--ties",
        "script",
        "--figures",
        str(tmp_path / "new"),
    )
    assert "ties by unstable sort" in shown
    assert shown.count("paper") == shown.count("ours") == 10
    assert (tmp_path / "new" / "paper-netflix-script.svg").stat().st_size > 1000
    assert (
        (tmp_path / "new" / "paper-netflix-script.png")
        .read_bytes()
        .startswith(b"\x89PNG")
    )


@pytest.mark.usefixtures("few_users")
def test_everybody_at_once(printed: Callable[..., str], tmp_path: Path) -> None:
    shown = printed("netflix", "--population", "--figures", str(tmp_path))
    assert "All 3,000 users at once" in shown
    assert not list(tmp_path.iterdir())
    study = printed("netflix", "--study", "--trials", "2", "--figures", str(tmp_path))
    assert "Users from which on" in study
    assert (tmp_path / "paper-population.svg").exists()


def prize_files(folder: Path, users: int) -> None:
    lines = []
    for movie in range(1, 121):
        lines.append(f"{movie}:")
        raters = [user for user in range(1, users + 1) if (user * movie) % 7 < 3]
        lines += [f"{user},{1 + (user + movie) % 5},2005-09-06" for user in raters]
    (folder / "combined_data_1.txt").write_text("\n".join(lines) + "\n")


def test_the_true_files_are_read_where_there_are_any(
    printed: Callable[..., str], tmp_path: Path
) -> None:
    prize_files(tmp_path, 1100)
    result = json.loads(
        printed("netflix", "--data", str(tmp_path), "--trials", "2", "--json")
    )
    assert result["source"] == "Netflix Prize files"
    assert result["users"] == 1000
    assert "All 1,100 users" in printed(
        "netflix", "--data", str(tmp_path), "--population"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["netflix", "--lookalike", "--data", "."], "exclude each other"),
        (["netflix", "--data", "nowhere"], "nowhere"),
        (["netflix", "--ties", "both"], "--ties"),
        (["netflix", "--draws", "script"], "needs --data"),
        (["netflix", "--data", ".", "--draws", "script", "--study"], "Tables 1 and 3"),
        (["netflix", "--data", ".", "--files", "a.txt"], "for --draws script"),
        (["regression", "--trials", "0"], "--trials"),
        (["regression", "--beta", "2"], "--beta"),
    ],
)
def test_wrong_options_are_named(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_it_runs_from_the_root_of_the_repository() -> None:
    command = [sys.executable, "-m", "paper", "regression", "--trials", "3", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["methods"]["ranking"]["trials"] == 3


def test_an_error_is_one_message(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert main(["netflix", "--data", str(tmp_path)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("paper: ")
    assert "combined_data_*.txt" in shown.err


def test_exit_codes_are_those_of_the_commands(capsys: pytest.CaptureFixture) -> None:
    assert main(["--help"]) == 0
    assert "python -m paper" in capsys.readouterr().out
    assert main(["regression", "--trials", "0"]) == 2


def test_a_missing_package_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for module in ("paper.commands", "paper.figures"):
        monkeypatch.delitem(sys.modules, module)
    assert main(["regression", "--figures", "."]) == 2
    assert 'pip install "steadyrank[plot]"' in capsys.readouterr().err


def test_progress_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    with commands._progress("trials", 3) as progress:
        assert progress is None
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with commands._progress("trials", 3) as progress:
        assert progress is not None
        progress(3)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "trials: 3/3" in shown.err


def test_a_terminal_without_greek_gets_words() -> None:
    command = [sys.executable, "-m", "paper", "regression", "--trials", "2"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, check=True, env=environment
    )
    assert b"mean delta (se)" in done.stdout
