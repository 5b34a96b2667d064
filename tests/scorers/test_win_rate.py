"""Win rates against their definition, evalica, and scoring anew."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oracles.refitting import all_rows
from steadyrank import Battles, Study, Votes, WinRate
from steadyrank.errors import TooFewUnitsError, WrongDataError
from steadyrank.scorers import named_scorer


def plain(data: Battles) -> list[float]:
    """Count in fractions, row by row."""
    points = [Fraction(0)] * data.n_items
    number = [Fraction(0)] * data.n_items
    weights = [1] * len(data.left) if data.weights is None else data.weights.tolist()
    for left, right, outcome, count, weight in zip(
        data.left, data.right, data.outcome, data.counts.tolist(), weights, strict=True
    ):
        times = count * Fraction(str(weight))
        points[left] += times * (1 + int(outcome)) / 2
        points[right] += times * (1 - int(outcome)) / 2
        number[left] += times
        number[right] += times
    return [float(won / of) for won, of in zip(points, number, strict=True)]


def some_battles(**people: object) -> Battles:
    rng = np.random.default_rng(3)
    left = rng.integers(5, size=60)
    right = (left + rng.integers(1, 5, size=60)) % 5
    outcome = rng.choice(["left", "right", "tie"], size=60)
    return Battles(left, right, outcome, items=range(5), **people)  # type: ignore[arg-type]


def test_is_the_share_of_battles_won() -> None:
    for data in (
        some_battles(),
        some_battles(weights=np.arange(60) % 3 + 0.25),
        some_battles(counts=np.arange(60) % 4),
    ):
        assert WinRate().score(data).tolist() == plain(data)


def test_agrees_with_what_evalica_counts() -> None:
    """Its counting adds points up without dividing."""
    import evalica

    data = some_battles()
    winners = [
        {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}[
            int(outcome)
        ]
        for outcome in data.outcome
    ]
    found = evalica.counting(
        data.left.tolist(), data.right.tolist(), winners, win_weight=1.0, tie_weight=0.5
    )
    points = found.scores.sort_index().to_numpy()
    assert WinRate().score(data) == pytest.approx(points / data.item_counts, abs=1e-12)


@pytest.mark.parametrize("units", [None, np.arange(60) % 7], ids=["battles", "judges"])
def test_leaving_one_out_is_scoring_anew(units: object) -> None:
    data, scorer = some_battles(units=units, weights=np.arange(60) % 3 + 0.5), WinRate()
    out, proved = scorer.leave_one_out(data), scorer.sensitivity(data)
    assert proved is not None
    assert out.shifts().max() <= proved.eps
    rows = all_rows(out)
    for unit in range(len(data.units)):
        assert rows[unit].tolist() == plain(data.without(unit))


def test_an_item_that_loses_its_battles_is_last() -> None:
    data = Battles(["x", "x", "y"], ["y", "y", "z"], ["left", "right", "tie"])
    without_tie = list(data.units.labels).index("y ties z")
    rows = all_rows(WinRate().leave_one_out(data))
    assert rows[without_tie].tolist() == [0.5, 0.5, -1.0]
    alone = Battles(["x"], ["y"], ["tie"], items=["w", "x", "y"])
    assert WinRate().score(alone).tolist() == [-0.5, 0.5, 0.5]
    with pytest.raises(TooFewUnitsError):
        WinRate().leave_one_out(Battles(["x"], ["y"], ["tie"]))
    with pytest.raises(WrongDataError, match="battles"):
        WinRate().score(Votes(["x"]))  # type: ignore[arg-type]


def test_the_proved_bound_is_reached() -> None:
    """The one that wins the battle lost all its others, and the one that loses it won all its others."""
    left, right = ["x"] + ["x"] * 4 + ["y"] * 2, ["y"] + ["z"] * 4 + ["z"] * 2
    data = Battles(left, right, ["left"] + ["right"] * 4 + ["left"] * 2)
    proved = WinRate().sensitivity(data)
    assert proved is not None
    assert proved.eps == pytest.approx(np.hypot(1 / 5, 1 / 3))
    assert WinRate().leave_one_out(data).shifts().max() == pytest.approx(
        proved.eps, rel=1e-9
    )
    assert "for any results of these battles." in proved.sentence


def test_a_margin_is_called_exact_where_all_splits_were_tried() -> None:
    groups, weights = {"units": [0, 1, 2, 3] * 15}, {"weights": [1, 2] * 30}
    for people, rule in (
        ({}, "exact: "),
        (groups, "certified by"),
        (weights, "certified by"),
    ):
        found = Study(some_battles(**people), WinRate()).margin(1)
        assert found.lower == found.upper
        assert found.rule.startswith(rule)


def test_margins_take_equal_battles_one_by_one() -> None:
    data = Battles(
        list("xxyxyz"),
        list("yzzyzx"),
        ["left", "left", "left", "right", "tie", "left"],
        counts=[3, 2, 4, 4, 5, 1],
    )
    study = Study(data, named_scorer("win-rate"))
    found = study.margin(1)
    assert found.lower == found.upper == int(found.leaving.sum())
    left = data.with_copies(data.units.counts - found.leaving)
    assert np.argmax(WinRate().score(left)) != np.argmax(study.scores)
