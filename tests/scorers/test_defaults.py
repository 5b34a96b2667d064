"""The usual scorers, scorers by name, and what importing them loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

import steadyrank.scorers as scorers_package
from steadyrank.data import Ballots, Battles, Ratings, Regression, ScoreMatrix, Votes
from steadyrank.errors import InvalidSettingError, UnknownScorerError, WrongDataError
from steadyrank.scorers import (
    Approval,
    Borda,
    BradleyTerry,
    ColumnMeans,
    ConstrainedLeastSquares,
    MeanRating,
    Plurality,
    Ridge,
    Scorer,
    default_scorer,
    named_scorer,
    scorer_names,
)

USUAL = [
    (Votes(["a", "b"]), Plurality()),
    (Ratings(["u"], ["i"], [3]), MeanRating(shrinkage=1.0)),
    (ScoreMatrix([[1, 2]]), ColumnMeans()),
    (Battles(["a"], ["b"], ["left"]), BradleyTerry()),
    (Ballots([["a", "b"]]), Borda()),
    (Ballots([{"a"}, {"b"}], approval=True), Approval()),
    (Regression([[1.0, 2.0]], [1.0]), ConstrainedLeastSquares()),
]


@pytest.mark.parametrize(("data", "scorer"), USUAL, ids=lambda value: type(value).__name__)
def test_each_kind_has_its_usual_scorer(data: object, scorer: object) -> None:
    assert default_scorer(data) == scorer
    assert isinstance(default_scorer(data), Scorer)


def test_a_subclass_is_scored_like_its_kind() -> None:
    class Election(Votes):
        pass

    assert default_scorer(Election(["a"])) == Plurality()


def test_anything_else_has_none() -> None:
    class Votes:
        """Shares only the name."""

    for foreign in ([1, 2, 3], Votes()):
        with pytest.raises(WrongDataError, match="needs one of Votes, Ratings"):
            default_scorer(foreign)


@pytest.mark.parametrize("spelling", ["mean-rating", "Mean Rating", "mean_rating", "MEANRATING"])
def test_spelling_does_not_matter(spelling: str) -> None:
    assert named_scorer(spelling) == MeanRating()


def test_every_name_gives_a_scorer() -> None:
    for name in scorer_names():
        settings = {"penalty": 1.0} if name == "ridge" else {}
        assert named_scorer(name, **settings).name


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(UnknownScorerError) as caught:
        named_scorer("bradley")
    assert "Did you mean 'bradley-terry'?" in str(caught.value)
    for name in scorer_names():
        assert name in str(caught.value)
    with pytest.raises(UnknownScorerError, match=r"called '99'\. The names are: approval, borda"):
        named_scorer("99")


def test_settings_are_passed_on_and_checked() -> None:
    assert named_scorer("ridge", penalty=2.0) == Ridge(2.0)
    with pytest.raises(InvalidSettingError, match=r"no setting 'shrink'\. Its settings are: shrinka"):
        named_scorer("mean-rating", shrink=1)
    with pytest.raises(InvalidSettingError, match="'ridge' needs a value for 'penalty'"):
        named_scorer("ridge")
    with pytest.raises(InvalidSettingError, match=r"no setting 'x'\. Its settings are: none"):
        named_scorer("borda", x=1)


def test_all_exported_names_exist_and_others_do_not() -> None:
    for name in scorers_package.__all__:
        assert getattr(scorers_package, name) is not None
    assert set(dir(scorers_package)) == set(scorers_package.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Elo'"):
        scorers_package.Elo  # noqa: B018


@pytest.mark.parametrize("use", ["", ".Plurality", ".MeanRating", ".ColumnMeans", ".Borda"])
def test_importing_loads_nothing_heavy(use: str) -> None:
    script = (
        f"import sys, steadyrank.scorers; steadyrank.scorers{use}; "
        "print(*sorted({'scipy', 'pandas', 'polars', 'sklearn', 'joblib'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""
