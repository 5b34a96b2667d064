"""Battles whose results are shares: against refits, fractions over raw rows, replays and brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from oracles.refitting import all_rows, assert_answers_agree
from steadyrank import Battles, BradleyTerry, Elo, Study, WinRate
from steadyrank.errors import (
    InvalidDataError,
    UndefinedScoresError,
    WrongDataError,
)

ITEMS = list("abcd")
SHARES = ["0.7", "0.25", "1", "0.5", "0", "0.333333", "0.1"]


class Rows:
    """Battles as somebody would write them down."""

    def __init__(self, rng: np.random.Generator, *, people: bool = True) -> None:
        size = int(rng.integers(5, 9))
        sides = [rng.permutation(4)[:2] for _ in range(size - 4)]
        sides = [
            *sides,
            (0, 1),
            (1, 2),
            (2, 3),
            (3, 0),
        ]  # so that everybody met somebody, twice
        self.sides = [(ITEMS[one], ITEMS[two]) for one, two in sides]
        self.shares = [SHARES[rng.integers(len(SHARES))] for _ in range(size)]
        some = people and rng.random() < 0.5
        self.weights = (
            [["1", "0.5", "2"][rng.integers(3)] for _ in range(size)] if some else None
        )
        self.units = (
            [f"u{rng.integers(3)}" for _ in range(size)]
            if people and rng.random() < 0.4
            else None
        )

    def data(self, gone: tuple[int, ...] = ()) -> Battles:
        left = [row for row in range(len(self.sides)) if row not in gone]
        one, two = zip(*(self.sides[row] for row in left), strict=True)
        people: dict[str, Any] = {}
        if self.weights is not None:
            people["weights"] = [float(self.weights[row]) for row in left]
        if self.units is not None:
            people["units"] = [self.units[row] for row in left]
        return Battles(
            one, two, [float(self.shares[row]) for row in left], items=ITEMS, **people
        )

    def units_of(self) -> list[tuple[int, ...]]:
        """Return the rows of each unit."""
        if self.units is None:
            return [(row,) for row in range(len(self.sides))]
        return [
            tuple(row for row, unit in enumerate(self.units) if unit == one)
            for one in dict.fromkeys(self.units)
        ]

    def win_rates(self, gone: tuple[int, ...] = ()) -> list[Fraction] | None:
        won, met = dict.fromkeys(ITEMS, Fraction(0)), dict.fromkeys(ITEMS, Fraction(0))
        for row, (one, two) in enumerate(self.sides):
            if row not in gone:
                weight = Fraction(self.weights[row]) if self.weights else Fraction(1)
                share = Fraction(self.shares[row])
                won[one] += weight * share
                won[two] += weight * (1 - share)
                met[one] += weight
                met[two] += weight
        return [won[item] / met[item] for item in ITEMS] if all(met.values()) else None


def order_of(scores: Any) -> list[int]:
    return sorted(range(len(scores)), key=lambda item: (-scores[item], item))


def test_win_rates_are_fractions_with_and_without_each_unit() -> None:
    tried = 0
    for rng in map(np.random.default_rng, range(60)):
        rows = Rows(rng)
        units, whole = rows.units_of(), rows.win_rates()
        assert whole is not None
        assert WinRate().score(rows.data()).tolist() == [float(rate) for rate in whole]
        expected = [rows.win_rates(gone) for gone in units]
        if any(rates is None for rates in expected):
            continue
        out = WinRate().leave_one_out(rows.data())
        found = np.repeat(all_rows(out), out.units.counts, axis=0).tolist()
        assert sorted(found) == sorted(
            [float(rate) for rate in rates] for rates in expected if rates
        )
        assert_answers_agree(out, rng)
        assert out.shifts().max() <= WinRate().sensitivity(rows.data()).eps
        tried += 1
    assert tried > 20


SCORERS = [BradleyTerry(ridge=0.1), BradleyTerry(ridge=1.0, scale="arena"), Elo(k=32)]


@pytest.mark.parametrize("scorer", SCORERS, ids=lambda scorer: scorer.name)
def test_scores_without_each_unit_are_those_of_refits(scorer: Any) -> None:
    for rng in map(np.random.default_rng, range(12)):
        rows = Rows(rng)
        try:
            out = scorer.leave_one_out(rows.data())
        except UndefinedScoresError:
            continue
        found = np.repeat(all_rows(out), out.units.counts, axis=0)
        refits = [
            scorer.score(rows.data(gone))
            for gone in rows.units_of()
            if len(gone) < len(rows.sides)
        ]
        order = [np.lexsort(np.round(part, 6).T) for part in (found, np.array(refits))]
        np.testing.assert_allclose(
            found[order[0]], np.array(refits)[order[1]], atol=1e-7
        )


@pytest.mark.parametrize("scorer", [BradleyTerry(), BradleyTerry(0.5)])
def test_a_share_is_so_much_of_a_win_and_the_rest_of_a_loss(scorer: Any) -> None:
    left, right = ["a", "b", "c", "a"], ["b", "c", "a", "d"]
    shares = [0.7, 0.4, 0.9, 0.2]
    twice = Battles(
        left * 2,
        right * 2,
        ["left"] * 4 + ["right"] * 4,
        weights=[*shares, *(round(1 - share, 1) for share in shares)],
    )
    mine = scorer.score(Battles(left, right, shares))
    np.testing.assert_allclose(mine, scorer.score(twice), atol=1e-9)


def test_elo_is_a_replay() -> None:
    ratings = dict.fromkeys("ab", 1000.0)
    for one, two, share in (("a", "b", 0.8), ("b", "a", 0.25)):
        expected = 1 / (1 + 10 ** ((ratings[two] - ratings[one]) / 400))
        move = 32 * (share - expected)
        ratings[one] += move
        ratings[two] -= move
    found = Elo(k=32).score(Battles(["a", "b"], ["b", "a"], [0.8, 0.25]))
    np.testing.assert_allclose(found, list(ratings.values()), atol=1e-6)


@pytest.mark.parametrize(
    "scorer", [WinRate(), BradleyTerry(ridge=0.5)], ids=["win rate", "fit"]
)
def test_margins_hold_against_every_set_of_battles(scorer: Any) -> None:
    asked = 0
    for rng in map(np.random.default_rng, range(8)):
        rows = Rows(rng, people=False)
        number = len(rows.sides)
        order, fewest = order_of(scorer.score(rows.data())), None
        for size in range(1, 5):
            for gone in combinations(range(number), size):
                scores = scorer.score(rows.data(gone))
                if order_of(scores.tolist())[0] != order[0]:
                    fewest = size
                    break
            if fewest:
                break
        try:
            found = Study(rows.data(), scorer).margin(1)
        except UndefinedScoresError:
            continue
        asked += 1
        assert found.lower <= (fewest or number)
        assert found.upper is None or fewest is None or found.upper >= fewest
        if fewest == 1:
            assert found.upper == 1
    assert asked > 4


@pytest.mark.parametrize("name", ["copeland", "condorcet", "points"])
def test_scorers_that_need_winners_refuse_shares_by_name(name: str) -> None:
    with pytest.raises(
        WrongDataError, match=r"needs wins and ties, but was given shares of battles"
    ):
        Study(Battles(["a", "b"], ["b", "a"], [0.7, 0.2]), name)


def test_shares_are_read_where_nothing_else_fits() -> None:
    data = Battles(["a", "a", "b"], ["b", "b", "a"], ["0.7", "0.70", "0.3"])
    assert data.outcome.tolist() == pytest.approx([0.4, 0.4, -0.4])
    assert list(data.units.labels) == ["a took 0.7 against b"]
    assert Battles(["a"], ["b"], [0.5]).outcome.dtype == np.int8
    assert Battles(["a", "a"], ["b", "b"], [1.0, 0]).outcome.tolist() == [1, -1]
    with pytest.raises(InvalidDataError, match="label of a side"):
        Battles([0.25, 0.5], [0.5, 0.25], [0.25, 0.5])  # labels that look like shares
    for wrong in (
        [0.7, 1.2],
        [0.7, -0.1],
        [0.7, None],
        [0.7, "tie"],
        [0.7, float("nan")],
    ):
        with pytest.raises(InvalidDataError, match="unknown result"):
            Battles(["a", "a"], ["b", "b"], wrong)


def test_explanations_say_the_share() -> None:
    data = Battles(["a", "b", "c", "c"], ["b", "c", "a", "b"], [0.9, 0.4, 0.35, 0.5])
    assert "a took 0.9 against b" in str(Study(data, "win-rate").explain(1))
