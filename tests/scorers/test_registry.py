"""The usual scorers, scorers by name, and what importing them loads."""

from __future__ import annotations

import functools
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

import steadyrank
import steadyrank.scorers as scorers_package
from oracles.refitting import all_rows
from steadyrank import Study
from steadyrank.data import Ballots, Battles, Ratings, Regression, ScoreMatrix, Votes
from steadyrank.errors import InvalidSettingError, WrongDataError
from steadyrank.scorers import (
    Approval,
    Bagged,
    Borda,
    BradleyTerry,
    ConstrainedLeastSquares,
    Mean,
    Plurality,
    Refit,
    Ridge,
    Scorer,
    as_scorer,
    default_scorer,
    named_scorer,
    registry,
    resolve_scorer,
    scorer_names,
)

if TYPE_CHECKING:
    from pathlib import Path

USUAL = [
    (Votes(["a", "b"]), Plurality()),
    (Ratings(["u"], ["i"], [3]), Mean(shrinkage=1.0)),
    (ScoreMatrix([[1, 2]]), Mean()),
    (Battles(["a"], ["b"], ["left"]), BradleyTerry()),
    (Ballots([["a", "b"]]), Borda()),
    (Ballots([{"a"}, {"b"}], approval=True), Approval()),
    (Regression([[1.0, 2.0]], [1.0]), ConstrainedLeastSquares()),
]


@pytest.mark.parametrize(
    ("data", "scorer"), USUAL, ids=lambda value: type(value).__name__
)
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
        with pytest.raises(
            WrongDataError,
            match=r"a scorer needs observations \(Votes, .*given (list|Votes)\.",
        ):
            default_scorer(foreign)


@pytest.mark.parametrize("spelling", ["Mean", "mean", " MEAN ", "mean:shrinkage=0"])
def test_spelling_does_not_matter(spelling: str) -> None:
    assert named_scorer(spelling) == Mean()


def test_every_name_gives_a_scorer() -> None:
    for name in scorer_names():
        settings = {"penalty": 1.0} if name == "ridge" else {}
        assert named_scorer(name, **settings).name


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(InvalidSettingError) as caught:
        named_scorer("bradley")
    assert "Did you mean 'bradley-terry'?" in str(caught.value)
    for name in scorer_names():
        assert name in str(caught.value)
    with pytest.raises(
        InvalidSettingError, match=r"called '99'\. The names are: approval, borda"
    ):
        named_scorer("99")


def test_settings_are_passed_on_and_checked() -> None:
    assert named_scorer("ridge", penalty=2.0) == Ridge(2.0)
    with pytest.raises(
        InvalidSettingError, match=r"no setting 'shrink'\. Its settings are: shrinka"
    ):
        named_scorer("mean:shrinkage=1", shrink=1)
    with pytest.raises(
        InvalidSettingError, match=r"'ridge' is not complete: .*'penalty'"
    ):
        named_scorer("ridge")
    with pytest.raises(
        InvalidSettingError, match=r"no setting 'x'\. Its settings are: none"
    ):
        named_scorer("borda", x=1)


VOTES = Votes(["a", "b", "a"])
MATRIX = ScoreMatrix([[1.0, 5.0], [2.0, 0.0], [9.0, 1.0]], items=["x", "y"])


def shares(data: Votes) -> np.ndarray:
    return data.tally / data.n_units


class TestResolving:
    @pytest.mark.parametrize(
        "given",
        [None, "plurality", "Plurality", Plurality()],
        ids=["None", "name", "Name", "object"],
    )
    def test_a_name_or_an_object(self, given: object) -> None:
        assert resolve_scorer(given, VOTES) == Plurality()

    @pytest.mark.parametrize(
        ("text", "scorer"),
        [
            ("mean:shrinkage=5", Mean(5)),
            (
                "mean: shrinkage = 0.5 , value_range=1..5",
                Mean(0.5, (1, 5)),
            ),
            ("mean:value_range=-1.5..2e3", Mean(value_range=(-1.5, 2000.0))),
            ("ridge:penalty=2", Ridge(2)),
            ("borda:", Borda()),
        ],
    )
    def test_a_name_with_settings(self, text: str, scorer: object) -> None:
        assert as_scorer(text) == scorer

    def test_an_approval_ballot_has_its_own_usual_scorer(self) -> None:
        ballots = Ballots([{"a"}, {"b"}], approval=True)
        assert resolve_scorer(None, ballots) == Approval()
        assert resolve_scorer("borda", ballots) == Borda()

    def test_a_function_is_refitted(self) -> None:
        for given in (
            shares,
            lambda data: data.tally / data.n_units,
            functools.partial(shares),
        ):
            scorer = resolve_scorer(given, VOTES)
            assert isinstance(scorer, Refit)
            expected = all_rows(Plurality().leave_one_out(VOTES))
            np.testing.assert_array_equal(
                all_rows(scorer.leave_one_out(VOTES)), expected
            )

    def test_an_estimator_is_refitted(self) -> None:
        from sklearn.linear_model import LinearRegression

        data = Regression(
            [[1.0, 2.0], [0.0, 1.0], [3.0, 1.0], [1.0, 1.0]], [1.0, 2.0, 3.0, 4.0]
        )
        scorer = resolve_scorer(LinearRegression(), data)
        assert isinstance(scorer, Refit)
        assert len(scorer.score(data)) == 2
        with pytest.raises(
            WrongDataError, match=r"LinearRegression needs regression.*given votes"
        ):
            resolve_scorer(LinearRegression(), VOTES)

    @pytest.mark.parametrize(
        "given", [3, ["plurality"], int, Scorer, Plurality, 0.5, object()]
    )
    def test_anything_else_is_refused_with_the_choices(self, given: object) -> None:
        with pytest.raises(
            InvalidSettingError, match=r"a scorer is a name.*The names are: approval,"
        ):
            resolve_scorer(given, VOTES)

    @pytest.mark.parametrize(
        ("given", "error", "why"),
        [
            ("plural", InvalidSettingError, "Did you mean 'plurality'"),
            ("", InvalidSettingError, "no scorer called ''"),
            (
                "mean:5",
                InvalidSettingError,
                "a setting is written name=value, but there is '5'",
            ),
            ("mean:shrink=5", InvalidSettingError, "no setting 'shrink'"),
            ("mean:shrinkage=much", InvalidSettingError, "but is 'much'"),
            ("ridge", InvalidSettingError, "'ridge' is not complete: .*'penalty'"),
            (
                "borda",
                WrongDataError,
                "Borda needs ballots, but was given votes. Omit the scorer",
            ),
            (
                Mean(1.0),
                WrongDataError,
                "Mean needs scores or ratings, but was given votes",
            ),
            (
                Bagged(Borda(), bags=2),
                WrongDataError,
                "Borda needs ballots, but was given votes",
            ),
        ],
    )
    def test_errors_say_what_is_wrong(
        self, given: object, error: type[Exception], why: str
    ) -> None:
        with pytest.raises(error, match=why):
            resolve_scorer(given, VOTES)

    def test_a_bag_takes_whatever_is_a_scorer(self) -> None:
        for given in ("plurality", Plurality()):
            assert Bagged(given, bags=2).scorer == Plurality()
        assert isinstance(Bagged(shares, bags=2).scorer, Refit)

    @pytest.mark.parametrize("given", ["mean", lambda data: data.values.mean(axis=0)])
    def test_an_audit_takes_them_all(self, given: object) -> None:
        one = Study(MATRIX, given).audit(k=1, eps=0.5)
        two = Study(MATRIX, Mean()).audit(k=1, eps=0.5)
        assert [row.delta for row in one.table] == [row.delta for row in two.table]
        assert Study(MATRIX, given).topk(1).members == Study(MATRIX).topk(1).members


NEW = """
from dataclasses import dataclass
import numpy as np
from steadyrank.scorers import Scorer

@dataclass(frozen=True)
class Medians(Scorer):
    takes = ("scores",)
    name = "column medians"
    factor: float = 1.0

    def score(self, data):
        data = self.prepared(data)
        return self.factor * np.median(data.values, axis=0)
"""


def test_a_new_scorer_is_its_file_and_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "medians.py").write_text(NEW, encoding="utf-8")
    monkeypatch.setattr(
        scorers_package, "__path__", [*scorers_package.__path__, str(tmp_path)]
    )
    monkeypatch.setitem(registry.NAMED, "medians", "medians.Medians")
    scorer = resolve_scorer("medians:factor=2", MATRIX)
    assert scorer.score(MATRIX).tolist() == [4.0, 2.0]
    assert "medians" in scorer_names()
    found = Study(MATRIX, "medians").audit(k=1, eps=0.1)
    expected = Study(MATRIX, lambda data: np.median(data.values, axis=0)).audit(
        k=1, eps=0.1
    )
    np.testing.assert_array_equal(found.shifts, expected.shifts)
    assert found.scorer == "column medians"
    with pytest.raises(
        WrongDataError, match="Medians needs scores, but was given votes"
    ):
        resolve_scorer("medians", VOTES)
    del sys.modules["steadyrank.scorers.medians"]


def test_every_registered_scorer_is_public() -> None:
    classes = {
        "Bagged",
        "Refit",
        *(place.rpartition(".")[2] for place in registry.NAMED.values()),
    }
    assert classes <= set(steadyrank.__all__)
    assert classes <= set(scorers_package.__all__)
    for name in classes:
        assert issubclass(getattr(scorers_package, name), Scorer)


def test_all_exported_names_exist_and_others_do_not() -> None:
    for name in scorers_package.__all__:
        assert getattr(scorers_package, name) is not None
    assert set(dir(scorers_package)) == set(scorers_package.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'Glicko'"):
        scorers_package.Glicko  # noqa: B018


@pytest.mark.parametrize("use", ["", ".Plurality", ".Mean", ".Borda"])
def test_importing_loads_nothing_heavy(use: str) -> None:
    script = (
        f"import sys, steadyrank.scorers; steadyrank.scorers{use}; "
        "print(*sorted({'scipy', 'pandas', 'polars', 'sklearn', 'joblib'} & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == ""
