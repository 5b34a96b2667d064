"""A new user with three files and the README: what the program says, computed again with polars."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from release.repository import ROOT
from steadyrank.cli import main
from steadyrank.demo import demo_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Scores = dict[str, float]

TEAMS = ("Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple")


def of_ratings(frame: pl.DataFrame) -> Iterator[Scores]:
    """Yield the shrunk means of all rows, then those without each user."""
    users = frame["reviewer"].unique(maintain_order=True)
    for gone in (None, *users):
        rest = frame.filter(pl.col("reviewer") != gone) if gone is not None else frame
        means = rest.group_by("restaurant").agg(pl.col("stars").sum() / (pl.len() + 1))
        yield dict(sorted(means.iter_rows()))


def of_benchmark(frame: pl.DataFrame) -> Iterator[Scores]:
    """Yield the means of the columns, then those without each row."""
    for gone in (None, *range(len(frame))):
        rest = frame.with_row_index().filter(
            pl.col("index") != (-1 if gone is None else gone)
        )
        yield rest.drop("index", "task").mean().row(0, named=True)


def of_league(frame: pl.DataFrame) -> Iterator[Scores]:
    """Yield the strengths of teams, fitted by minorise-maximise, then those without each match."""
    goals = frame["Scored", "Conceded"].rows()
    said = [
        1.0 if ours > theirs else 0.0 if ours < theirs else 0.5
        for ours, theirs in goals
    ]
    ends = [[TEAMS.index(team) for team in frame[side]] for side in ("Home", "Away")]
    for gone in (None, *range(len(frame))):
        met, won = np.zeros((8, 8)), np.zeros(8)
        for match, (home, away, share) in enumerate(zip(*ends, said, strict=True)):
            if match != gone:
                met[[home, away], [away, home]] += 1
                won[[home, away]] += share, 1 - share
        strength = np.ones(8)
        for _ in range(2000):
            strength = won / (met / np.add.outer(strength, strength)).sum(axis=1)
            strength /= np.exp(np.log(strength).mean())
        yield dict(zip(TEAMS, np.log(strength).tolist(), strict=True))


def league(path: Path) -> Path:
    """Write a season in which each team is at home to each other: the first ones score more."""
    rng, lines = np.random.default_rng(4), ["Home,Away,Scored,Conceded"]
    for home, one in enumerate(TEAMS):
        for away, other in enumerate(TEAMS):
            if home != away:
                ours, theirs = rng.poisson([1.8 - 0.1 * home, 1.4 - 0.1 * away])
                lines.append(f"{one},{other},{ours},{theirs}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(params=["restaurants.csv", "benchmark.csv", "league.csv"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    if request.param == "league.csv":
        yield league(tmp_path / request.param)
    else:
        with demo_file(request.param) as path:
            yield path


def by_rank(scores: Scores) -> list[str]:
    return sorted(
        scores, key=lambda item: -round(scores[item], 9)
    )  # of equal ones, the first listed


SCORED: dict[str, tuple[Callable[[pl.DataFrame], Iterator[Scores]], int]] = {
    "restaurants.csv": (of_ratings, 5), "benchmark.csv": (of_benchmark, 4), "league.csv": (of_league, 3),
}  # fmt: skip


SAID = {
    "restaurants.csv": "--item restaurant --rating stars --unit reviewer",
    "benchmark.csv": "",
    "league.csv": "--left Home --right Away --left-score Scored --right-score Conceded",
}


def test_what_the_readme_makes_one_type_says_what_is_true(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scored, k = SCORED[file.name]
    plain, *others = map(by_rank, scored(pl.read_csv(file)))
    tops = [set(order[:k]) for order in others]
    sure = [
        item for item in plain if item in plain[:k] and all(item in top for top in tops)
    ]
    listed = [
        item for item in plain if item in plain[:k] or any(item in top for top in tops)
    ]
    contenders = [item for item in listed if item not in sure]
    changing = sum(top != set(plain[:k]) for top in tops)

    def typed(*words: str) -> str:
        assert main(words) == 0
        return capsys.readouterr().out

    words = ("topk", str(file), "-k", str(k), *SAID[file.name].split())
    said = " ".join(typed(*words).split())
    found: Any = json.loads(typed(*words, "--json"))
    standing = {row["item"]: row["standing"] for row in found["rows"]}
    assert [item for item in plain if standing[item] == "sure"] == sure
    assert [item for item in plain if standing[item] == "contender"] == contenders
    for row in found["rows"]:
        ranks = [order.index(row["item"]) + 1 for order in (plain, *others)]
        assert (row["rank"], row["best_rank"], row["worst_rank"]) == (
            ranks[0],
            min(ranks),
            max(ranks),
        )
        assert row["share"] == pytest.approx(
            sum(row["item"] in top for top in tops) / len(others)
        )
    assert f"any one of {changing} of the {len(others)}" in said
    assert f"The top {k} always stayed within these {len(listed)} names." in said
    assert len(contenders) > 1  # or the file would be too easy to tell anything

    page = tmp_path / "report.html"
    typed("report", *words[1:], "-o", str(page))
    assert escape(found["headline"].rpartition(", ")[2]) in page.read_text(
        encoding="utf-8"
    )


def test_the_record_and_the_readme_name_the_same_commands() -> None:
    record = (ROOT / "tests" / "release" / "new_user.md").read_text(encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ("topk", "report"):
        assert f"steadyrank {command} " in readme
        assert command in record
