"""Elo against evalica, plain replays and its proved bound."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine_makers import relation
from oracles.refitting import all_rows
from steadyrank import Bagged, Battles, Elo, Study, read
from steadyrank.errors import InvalidSettingError, TooFewUnitsError, WrongDataError
from steadyrank.scorers import named_scorer
from steadyrank.scorers.elo import replayed


def some_battles(size: int = 50, **people: object) -> Battles:
    rng = np.random.default_rng(5)
    left = rng.integers(5, size=size)
    right = (left + rng.integers(1, 5, size=size)) % 5
    outcome = rng.choice(["left", "right", "tie"], size=size)
    return Battles(left, right, outcome, items=range(5), **people)  # type: ignore[arg-type]


def test_agrees_with_evalica() -> None:
    import evalica

    data = some_battles(300)
    winners = [
        {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}[
            int(outcome)
        ]
        for outcome in data.outcome
    ]
    settings = {"k": 25.0, "initial": 1500.0, "scale": 300.0, "base": 7.0}
    theirs = evalica.elo(data.left.tolist(), data.right.tolist(), winners, **settings)
    assert Elo(**settings).score(data) == pytest.approx(
        theirs.scores.sort_index(), abs=1e-9
    )


def test_odds_beyond_floats_are_sure_wins() -> None:
    """As the batch of all folds takes them, whose logistic function never overflows."""
    data = Battles(["x", "y", "x"], ["y", "x", "y"], ["left", "left", "tie"])
    scorer = Elo(k=1e6)
    assert scorer.score(data) == pytest.approx([1000.0, 1000.0])
    three = Battles([*"xyxx"], [*"yxyy"], ["left", "left", "tie", "left"])
    assert all_rows(scorer.leave_one_out(three))[3] == pytest.approx(scorer.score(data))


def test_every_battle_is_a_unit_in_its_place() -> None:
    """Equal battles are told apart: what one does depends on when it took place."""
    data = Battles(
        ["x", "y", "x", "x"], ["y", "x", "y", "z"], ["left", "tie", "left", "right"]
    )
    study = Study(data, "elo:k=30")
    assert study.units.total == len(study.units) == 4
    assert study.units.labels[2] == "3: x beats y"
    assert study.facts.leave_one_out.shifts()[0] != pytest.approx(
        study.facts.leave_one_out.shifts()[2]
    )
    assert any("played again" in note for note in study.facts.notes)
    assert len({*study.facts.notes}) == len(Study(study.data, study.scorer).facts.notes)
    assert len(data.units) == 3  # as they were


@pytest.mark.parametrize("judges", [None, np.arange(50) % 6], ids=["battles", "judges"])
@pytest.mark.parametrize(
    "weights", [None, np.arange(50) % 3 + 0.5], ids=["alike", "weighted"]
)
def test_leaving_one_out_skips_its_matches(judges: object, weights: object) -> None:
    data = some_battles(units=judges, weights=weights)
    scorer = Elo(k=60)
    rows = all_rows(scorer.leave_one_out(data))
    apart = data.in_order()
    for unit in range(len(apart.units)):
        rest = scorer.score(apart.without(unit))
        assert rows[unit] == pytest.approx(rest, abs=1e-9)


def test_folds_do_not_depend_on_the_blocks() -> None:
    data = some_battles(units=np.random.default_rng(1).integers(9, size=50)).in_order()
    steps = np.full(50, 100.0)
    whole = replayed(data, steps, 0.006, slice(0, 9))
    for start in range(0, 9, 2):
        part = replayed(data, steps, 0.006, slice(start, min(start + 2, 9)))
        assert part[0] == pytest.approx(whole[0], abs=1e-11)
        assert part[1:] == pytest.approx(whole[1:][start : start + 2], abs=1e-11)


def test_copies_are_played_in_succession() -> None:
    once = Battles(["x", "y"], ["y", "z"], ["left", "left"])
    again = Battles(["x", "y", "y", "y"], ["y", "z", "z", "z"], ["left"] * 4)
    assert (
        Elo().score(once.in_order().with_copies([1, 3])).tolist()
        == Elo().score(again).tolist()
    )


SIDES = {"left": "model_a", "right": "model_b", "winner": "winner"}


def test_data_without_an_order_are_refused() -> None:
    rows = {"model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["x", "y"]}
    counted = [
        Battles(["x", "x"], ["y", "y"], ["left", "right"], counts=[1, 1]),
        Battles.from_pairs(["x"], ["y"], [1], [1]),
        read({**rows, "count": [1, 1]}, **SIDES, count="count"),
    ]
    for data in counted:
        with pytest.raises(WrongDataError, match="one row for each battle"):
            Study(data, "elo")
        with pytest.raises(WrongDataError):
            Elo().score(data.without(0))
    assert Elo().score(read(rows, **SIDES)).shape == (2,)


def test_an_engine_keeps_no_order() -> None:
    pytest.importorskip("duckdb")
    frame = {"model_a": ["x", "x"], "model_b": ["y", "z"], "winner": ["x", "x"]}
    with pytest.raises(WrongDataError):
        Study(read(relation(frame), **SIDES), Elo())


def test_a_late_upset_comes_near_the_proved_bound() -> None:
    data = Battles(["x"] * 60, ["y"] * 60, ["left"] * 59 + ["right"])
    scorer = Elo(k=100)
    proved = scorer.sensitivity(data)
    assert proved is not None
    assert proved.eps == pytest.approx(math.sqrt(2) * 100, rel=1e-6)
    assert 0.98 * proved.eps < scorer.leave_one_out(data).shifts().max() < proved.eps
    assert "60 battles" in proved.sentence
    grouped = Battles(
        ["x"] * 6, ["y"] * 6, ["left"] * 6, units=list("aaabbc"), unit_kind="judge"
    )
    assert scorer.sensitivity(grouped).eps == pytest.approx(
        math.sqrt(2) * 300, rel=1e-6
    )  # type: ignore[union-attr]
    # Where a match may turn near ratings round and throw them apart, nothing is proved.
    largest = 4 * 400 / math.log(10)
    assert Elo(k=largest * 0.999).sensitivity(data) is not None
    assert Elo(k=largest * 1.001).sensitivity(data) is None
    heavy = Battles(["x"] * 2, ["y"] * 2, ["left"] * 2, weights=[1.0, 8.0])
    assert scorer.sensitivity(heavy) is None


def test_beyond_the_condition_the_bound_can_fail() -> None:
    """One match moves the ratings by 1.07 times sqrt(2) K here, so the rule needs its condition."""
    left, right = (
        [5, 5, 4, 3, 2, 2, 0, 2, 1, 3, 5, 5, 3, 2],
        [0, 3, 2, 1, 3, 0, 1, 3, 3, 0, 0, 0, 5, 3],
    )
    outcome = (
        ["left"] * 3 + ["right", "left", "tie", "tie", "right", "right"] + ["tie"] * 5
    )
    scorer = Elo(k=3000)
    data = Battles(left, right, outcome)
    assert scorer.leave_one_out(data).shifts().max() > 1.07 * math.sqrt(2) * scorer.k
    assert scorer.sensitivity(data) is None


def test_audits_and_bags_take_the_matches_one_by_one() -> None:
    data = some_battles(30)
    assert sum(Study(data, "elo").audit(2, eps=6.0).units.counts) == 30
    bagged = Bagged(Elo(), bags=4, size=10)
    assert Study(data, bagged).units.total == len(Study(data, bagged).units) == 30


def test_settings_and_single_battles_are_checked() -> None:
    for wrong in (
        {"k": 0},
        {"scale": -1},
        {"base": 1},
        {"initial": math.inf},
        {"k": "four"},
    ):
        with pytest.raises(InvalidSettingError, match=next(iter(wrong))):
            Elo(**wrong)  # type: ignore[arg-type]
    with pytest.raises(TooFewUnitsError):
        Elo().leave_one_out(Battles(["x"], ["y"], ["left"]))
    assert named_scorer("elo:k=32,initial=1500") == Elo(k=32, initial=1500)
