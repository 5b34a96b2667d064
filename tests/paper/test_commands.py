"""``steadyrank paper``: what it prints, and what it writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from paper import commands
from paper.commands import app

if TYPE_CHECKING:
    from pathlib import Path

runner = CliRunner()


def printed(*arguments: str) -> str:
    result = runner.invoke(app, list(arguments), env={"COLUMNS": "100"}, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def few_users(monkeypatch: pytest.MonkeyPatch) -> None:
    def small(*, seed: int) -> commands.LookalikeSource:
        return original(seed=seed, users=2000)

    original = commands.LookalikeSource.of
    monkeypatch.setattr(commands.LookalikeSource, "of", small)


def test_table_2_stands_beside_the_published_one() -> None:
    shown = printed("regression")
    for line in ("ranking            paper    0.78   0.1757 (0.0049)", "1.766 (0.038)"):
        assert line in shown
    rows = [line.split() for line in shown.splitlines() if "(0.0" in line]
    ours, paper = ([row for row in rows if whose in row] for whose in ("ours", "paper"))
    assert len(ours) == 2
    assert [" ".join(row).replace("ours", "paper") for row in ours] == [" ".join(row) for row in paper]


def test_json_holds_all_trials() -> None:
    result = json.loads(printed("regression", "--beta", "text", "--trials", "30", "--json"))
    assert result["beta"] == "text"
    assert len(result["methods"]["inflated ranking"]["deltas"]) == 30


def test_the_study_of_features(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    short = commands.dimension_study

    def small(**settings: object) -> object:
        return short(features=[5, 20], **settings)

    monkeypatch.setattr(commands, "dimension_study", small)
    shown = printed("regression", "--study", "--trials", "4", "--figures", str(tmp_path))
    assert "log10 size" in shown
    assert {path.name for path in tmp_path.iterdir()} == {"paper-dimensions.svg", "paper-dimensions.png"}


@pytest.mark.usefixtures("few_users")
def test_lists_of_movies(tmp_path: Path) -> None:
    shown = printed("netflix", "--trials", "2", "--ties", "script", "--figures", str(tmp_path / "new"))
    assert "ties by unstable sort" in shown
    assert shown.count("paper") == shown.count("ours") == 10
    assert (tmp_path / "new" / "paper-netflix-script.svg").stat().st_size > 1000
    assert (tmp_path / "new" / "paper-netflix-script.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.usefixtures("few_users")
def test_everybody_at_once(tmp_path: Path) -> None:
    shown = printed("netflix", "--population", "--figures", str(tmp_path))
    assert "All 2,000 users at once" in shown
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


def test_the_true_files_are_read_where_there_are_any(tmp_path: Path) -> None:
    prize_files(tmp_path, 1100)
    result = json.loads(printed("netflix", "--data", str(tmp_path), "--trials", "2", "--json"))
    assert result["source"] == "Netflix Prize files"
    assert result["users"] == 1000
    assert "All 1,100 users" in printed("netflix", "--data", str(tmp_path), "--population")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["netflix", "--lookalike", "--data", "."], "exclude each other"),
        (["netflix", "--data", "nowhere"], "nowhere"),
        (["netflix", "--ties", "both"], "--ties"),
        (["regression", "--trials", "0"], "--trials"),
        (["regression", "--beta", "2"], "--beta"),
    ],
)
def test_wrong_options_are_named(arguments: list[str], message: str) -> None:
    result = runner.invoke(app, arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert message in result.output


def test_a_bar_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    with commands._progress("trials", 3) as progress:
        assert progress is None
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with commands._progress("trials", 3) as progress:
        assert progress is not None
        progress(3)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "3/3" in shown.err


def test_a_terminal_without_greek_gets_words(tmp_path: Path) -> None:
    from rich.console import Console

    from paper.full_ranking import regression_experiment
    from paper.tables import regression_table

    with (tmp_path / "shown.txt").open("w", encoding="ascii") as file:
        regression_table(regression_experiment(trials=2)).show(Console(file=file, width=90))
    assert "mean delta (se)" in (tmp_path / "shown.txt").read_text()
