"""Scorers of battles against slow twins that share no code with them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from oracles.refitting import all_rows, assert_answers_agree
from steadyrank import Battles, Elo, SteadyrankError, Study, WinRate

if TYPE_CHECKING:
    from conftest import Cases


def drawn(
    rng: np.random.Generator, *, most: int = 5, rows: int = 30, **fixed: object
) -> Battles:
    """Draw battles: few items, so that there are ties; some with weights, counts or judges."""
    items, size = int(rng.integers(2, most + 1)), int(rng.integers(3, rows + 1))
    left = rng.integers(items, size=size)
    right = (left + rng.integers(1, items, size=size)) % items
    chances = rng.dirichlet([1, 1, 1])
    outcome = rng.choice(["left", "right", "tie"], size=size, p=chances)
    more: dict[str, object] = {}
    if rng.random() < 0.3:
        more["units"] = rng.integers(4, size=size)
    if rng.random() < 0.3:
        more["weights"] = rng.choice([0.5, 1.0, 2.25], size=size)
    if rng.random() < 0.3:
        more["counts"] = rng.integers(1, 4, size=size)
    return Battles(left, right, outcome, items=range(items), **more | fixed)  # type: ignore[arg-type]


def fewest_leaving(data: Battles, k: int) -> int | None:
    """Try all ways to take units away; those that leave an item without a battle do not count."""
    scorer, order = (
        WinRate(),
        lambda scores: set(np.argsort(-scores, kind="stable")[:k].tolist()),
    )
    before, fewest = order(scorer.score(data)), None
    for leaving in product(*(range(count + 1) for count in data.units.counts.tolist())):
        number = sum(leaving)
        if number == data.n_units or (fewest is not None and number >= fewest):
            continue
        try:
            after = scorer.score(
                data.with_copies(data.units.counts - np.array(leaving))
            )
        except SteadyrankError:
            continue
        fewest = number if order(after) != before else fewest
    return fewest


def test_win_rates_without_each_unit_are_those_of_the_rest(cases: Cases) -> None:
    for rng in cases(40):
        data = drawn(rng)
        try:
            out = WinRate().leave_one_out(data)
        except (
            SteadyrankError
        ):  # an item without a battle, in the data or once a unit is gone
            continue
        rows = all_rows(out)
        for unit in range(len(data.units)):
            if rows[unit].min() >= 0:  # less than 0 is the score of no battle
                again = WinRate().score(data.without(unit))
                assert rows[unit].tolist() == again.tolist()
        assert_answers_agree(out, rng)
        proved = WinRate().sensitivity(data)
        if proved is not None:  # an item loses all that it has with one unit
            assert out.shifts().max() <= proved.eps


def test_margins_of_win_rates_are_those_of_all_removals(cases: Cases) -> None:
    for rng in cases(25):
        data = drawn(rng, most=3, rows=8, weights=None, units=None)
        try:
            study = Study(data, WinRate())
            found = study.margin(1)
        except SteadyrankError:
            continue
        fewest = fewest_leaving(data, 1)
        if fewest is None:
            assert found.upper is None
        elif found.upper is None:  # a way that empties a third item was the cheapest
            assert found.lower <= fewest
        else:
            assert found.lower <= fewest <= found.upper


def replay(data: Battles, k: float, skipped: int | None = None) -> list[float]:
    """Play the rows one after the other, in plain numbers."""
    ratings = [1000.0] * data.n_items
    for row in range(len(data.left)):
        if skipped is not None and data.unit is not None and data.unit[row] == skipped:
            continue
        weight = 1.0 if data.weights is None else float(data.weights[row])
        left, right = int(data.left[row]), int(data.right[row])
        expected = 1 / (1 + 10 ** ((ratings[right] - ratings[left]) / 400))
        move = k * weight * ((1 + int(data.outcome[row])) / 2 - expected)
        ratings[left] += move
        ratings[right] -= move
    return ratings


def test_elo_without_each_unit_is_a_replay_and_keeps_to_its_bound(cases: Cases) -> None:
    for rng in cases(80):
        data = drawn(rng, counts=None).in_order()
        scorer = Elo(k=float(10 ** rng.uniform(-1, 3)))
        if data.n_units == 1:
            continue
        out = scorer.leave_one_out(data)
        rows = all_rows(out)
        # Equal ones by the resolution differ from the replay by less than all links together.
        slack = scorer.resolution * data.n_items
        assert np.abs(out.scores - replay(data, scorer.k)).max() <= slack
        for unit in range(len(data.units)):
            assert np.abs(rows[unit] - replay(data, scorer.k, unit)).max() <= slack
        assert_answers_agree(out, rng)
        proved = scorer.sensitivity(data)
        heaviest = 1.0 if data.weights is None else float(data.weights.max())
        assert (proved is None) == (scorer.k * heaviest * np.log(10) > 1600)
        assert proved is None or out.shifts().max() <= proved.eps


def test_the_bound_of_elo_holds_for_upsets_after_long_series(cases: Cases) -> None:
    """The worst that is known: everything goes one way, and then it does not."""
    nearest = 0.0
    for rng in cases(60):
        size, k = int(rng.integers(2, 80)), float(rng.choice([5.0, 50.0, 400.0, 690.0]))
        outcome = np.where(rng.random(size) < 0.97, "left", "right")
        outcome[-1] = "right"
        data = Battles(["x"] * size, rng.choice(["y", "z"], size=size), outcome)
        proved = Elo(k=k).sensitivity(data)
        assert proved is not None
        share = Elo(k=k).leave_one_out(data).shifts().max() / proved.eps
        assert share <= 1
        nearest = max(nearest, share)
    assert nearest > 0.99
