"""Reused bags: what is proved of them, against every way in which so few bags can be drawn.

The twin lists all bags and all sequences of them, with their probabilities, and shares no code with the
scorer; adversaries choose what the scorer says of each bag.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product
from typing import TYPE_CHECKING

import joblib
import numpy as np
import pytest

from steadyrank import Bagged, Plurality, Refit, ScoreMatrix, Votes, stable_topk
from steadyrank.errors import CheckpointError, InvalidSettingError, NoProofError, RefitError
from steadyrank.scorers.bagged import bagging_constant, reused_term

if TYPE_CHECKING:
    from collections.abc import Iterator

    Bags = tuple[list[tuple[int, ...]], np.ndarray]

TINY = [
    (3, 1, False, 2),
    (3, 1, False, 5),
    (4, 2, False, 4),
    (4, 3, False, 5),
    (3, 2, True, 4),
    (6, 1, False, 3),
    (3, 1, False, 6),
    (2, 2, True, 6),
]
"""Units, size of a bag, whether drawn with replacement, number of bags: all sequences can be listed."""


def every_bag(n: int, size: int, *, replace: bool) -> Bags:
    """Return the bags, each in order of its units, and their probabilities."""
    drawn = product(range(n), repeat=size) if replace else combinations(range(n), size)
    times = Counter(tuple(sorted(bag)) for bag in drawn)
    chance = np.array(list(times.values()), dtype=float)
    return list(times), chance / chance.sum()


def sequences(chance: np.ndarray, bags: int) -> Iterator[tuple[tuple[int, ...], float]]:
    for drawn in product(range(len(chance)), repeat=bags):
        yield drawn, float(np.prod(chance[list(drawn)]))


class Listed:
    """Expected squared shifts of all units as quadratic forms of what is said of each bag."""

    def __init__(self, n: int, size: int, bags: int, *, replace: bool) -> None:
        self.known, chance = every_bag(n, size, replace=replace)
        holds = np.array([[unit in bag for unit in range(n)] for bag in self.known])
        self.form, self.sound = np.zeros((len(self.known),) * 2), 0.0
        for drawn, probability in sequences(chance, bags):
            held = holds[list(drawn)]
            if held.all(axis=0).any():
                continue  # some unit is in every bag: refused
            self.sound += probability
            for unit in range(n):
                weight = np.zeros(len(self.known))
                np.add.at(weight, list(drawn), 1 / bags)
                np.subtract.at(weight, np.array(drawn)[~held[:, unit]], 1 / (~held[:, unit]).sum())
                self.form += probability / n * np.outer(weight, weight)
        self.form /= self.sound or 1.0

    def mean_square(self, said: np.ndarray) -> float:
        """Return the mean over units, and the expectation over the bags, given that none is refused."""
        return float(np.einsum("bl,bc,cl->", said, self.form, said))


def in_the_ball(said: np.ndarray) -> np.ndarray:
    return said / np.maximum(1.0, np.linalg.norm(said, axis=1, keepdims=True))


@pytest.mark.parametrize(("n", "size", "replace", "bags"), TINY)
def test_theorem_the_bound_holds_for_whatever_is_said_of_bags(
    n: int, size: int, replace: bool, bags: int
) -> None:
    listed = Listed(n, size, bags, replace=replace)
    p, _, constant = bagging_constant(n, size, replace=replace)
    bound = constant + reused_term(n, bags, p, constant)
    rng, most = np.random.default_rng([n, size, bags]), 0.0
    for _ in range(20):
        said = in_the_ball(rng.normal(size=(len(listed.known), 3)) * 5)
        for _ in range(30):  # the form is convex, so going uphill and back into the ball never loses
            said = in_the_ball(said + 50 * listed.form @ said)
        most = max(most, listed.mean_square(said))
    assert most <= bound
    least, largest = (
        (0.24, 0.8) if n * p**bags < 0.5 else (0.01, 0.02)
    )  # docs/research/bounds.md says so
    assert least <= most / bound <= largest


@pytest.mark.parametrize(("n", "size", "replace", "bags"), TINY)
def test_without_a_unit_reused_bags_are_bags_of_the_others(
    n: int, size: int, replace: bool, bags: int
) -> None:
    """Given how many do not hold it, they are so many independent bags of the data without it."""
    known, chance = every_bag(n, size, replace=replace)
    (others, without), unit = every_bag(n - 1, size, replace=replace), n - 1
    fresh = dict(zip(others, without, strict=True))
    found: dict[int, Counter[tuple[tuple[int, ...], ...]]] = {}
    for drawn, probability in sequences(chance, bags):
        kept = tuple(known[bag] for bag in drawn if unit not in known[bag])
        found.setdefault(len(kept), Counter())[kept] += probability
    for number, seen in found.items():
        expected = {bag: math.prod(fresh[one] for one in bag) for bag in product(others, repeat=number)}
        total = sum(seen.values())
        assert {bag: share / total for bag, share in seen.items()} == pytest.approx(expected)
    p = bagging_constant(n, size, replace=replace)[0]
    assert sum(found.get(0, Counter()).values()) == pytest.approx(p**bags)


def test_the_term_is_what_its_parts_add_up_to() -> None:
    """The closed forms bound the exact sums over how many bags hold a unit, and come near to them."""
    for bags in (3, 10, 40, 300):
        for p in (0.1, 0.5, 0.9):
            chance = [math.comb(bags, m) * p**m * (1 - p) ** (bags - m) for m in range(bags + 1)]
            held = [m / (bags - m) * c for m, c in enumerate(chance) if m < bags]
            closed = p / (1 - p) * (1 + 3 / ((bags + 1) * (1 - p)))
            assert sum(held) <= closed
            if bags * (1 - p) > 20:
                assert sum(held) > 0.8 * closed
    assert reused_term(10, 3, 0.5, 0.1) == math.inf  # 10 / 2^3 is more than 1
    constant = bagging_constant(1000, 500)[2]
    assert reused_term(1000, 10_000, 0.5, constant) == pytest.approx(1e-4, rel=1e-2)  # fresh: 2e-4


MATRIX = ScoreMatrix(np.eye(6)[:, :3] + np.eye(6)[:, 3:])


def winner(data: ScoreMatrix) -> np.ndarray:
    """One item takes it all: nothing is less stable."""
    return np.eye(3)[np.argmax(data.values.sum(axis=0))]


@pytest.mark.parametrize(("size", "replace", "bags"), [(3, False, 12), (2, False, 8), (4, True, 15)])
def test_drawn_bags_keep_the_bound_on_average(size: int, replace: bool, bags: int) -> None:
    def make(seed: int) -> Bagged:
        return Bagged(Refit(winner), bags, size, replace, seed, radius_squared=2 / 3, reuse=True)

    squares = []
    for seed in range(60):
        try:
            squares.append((make(seed).leave_one_out(MATRIX).shifts() ** 2).mean())
        except InvalidSettingError:
            continue
    numbers = make(0).bagging_numbers(MATRIX)
    assert len(squares) / 60 >= 1 - 6 * numbers["p"] ** bags - 0.15
    bound = numbers["radius_squared"] * (numbers["C"] + numbers["finite_bags"])
    assert 0.1 * bound < np.mean(squares) <= bound


@pytest.mark.parametrize("replace", [False, True])
def test_equal_units_are_drawn_as_if_they_were_told_apart(replace: bool) -> None:
    """One of three equal votes is missing as often as any unit, and bags are as they would be."""
    votes, size, bags = Votes(["x"] * 3 + ["y"] * 2 + ["z"]), 3, 500
    scorer = Bagged(Plurality(), bags, size, replace, seed=3, reuse=True)
    drawn = [scorer._bag(votes, size, bag) for bag in range(bags)]
    assert all(copies.sum() == size for _, copies in drawn)
    p = bagging_constant(6, size, replace=replace)[0]
    held = np.mean([held for held, _ in drawn], axis=0)
    assert held == pytest.approx([p, p, p], abs=5 * math.sqrt(p * (1 - p) / bags))
    of_x = np.mean([copies[0] for held, copies in drawn if not held[0]])
    assert of_x == pytest.approx(size * 2 / 5, abs=0.2)
    out = scorer.leave_one_out(votes)
    slow = [[], [], []]
    for held, copies in drawn:
        for unit in np.flatnonzero(~held):
            slow[unit].append(copies / size)
    assert np.array([out.rows(slice(0, 3))]) == pytest.approx(
        np.array([[np.mean(s, axis=0) for s in slow]])
    )
    assert out.scores == pytest.approx(np.mean([copies / size for _, copies in drawn], axis=0))


def test_so_many_fits_as_there_are_bags() -> None:
    calls: list[int] = []

    def shares(data: Votes) -> np.ndarray:
        calls.append(data.n_units)
        return data.tally / data.n_units

    votes, bags = Votes(range(40)), 25
    for reuse, fits in ((True, bags), (False, bags * 41)):
        calls.clear()
        Bagged(Refit(shares), bags, size=10, reuse=reuse).leave_one_out(votes)
        assert len(calls) == fits
        assert set(calls) == {10}


def test_seeds_workers_and_checkpoints(tmp_path) -> None:
    votes = Votes(["a"] * 6 + ["b"] * 3 + ["c"])

    def table(**how: object) -> np.ndarray:
        out = Bagged(Plurality(), 30, 4, **{"reuse": True, "seed": 1} | how).leave_one_out(votes)
        return np.vstack([out.scores, out.rows(slice(0, 3))])

    alone, scorer = table(), Bagged(Plurality(), 30, 4, seed=1, reuse=True)
    assert (scorer.score(votes) == alone[0]).all()
    assert (table(seed=2) != alone).any()
    with joblib.parallel_config("threading", n_jobs=2):
        assert (table() == alone).all()
    path = tmp_path / "bags"
    assert (table(checkpoint=path) == alone).all()
    assert (table(checkpoint=path) == alone).all()
    with pytest.raises(CheckpointError, match="other scorer"):
        table(checkpoint=path, reuse=False)
    with pytest.raises(RefitError, match=r"refitting on bag \d+ of the data failed"):
        Bagged(Refit(lambda data: 1 / 0), 5, 4, reuse=True).leave_one_out(votes)


def test_a_unit_in_every_bag_is_refused_with_the_number_of_bags_that_will_do() -> None:
    votes = Votes(range(20))
    few = Bagged(Plurality(), bags=2, size=15, reuse=True)
    with pytest.raises(InvalidSettingError, match=r"all 2 bags hold.*From 35 bags on that is rarer"):
        few.leave_one_out(votes)
    assert 20 * 0.75**35 <= 0.001 < 20 * 0.75**34
    Bagged(Plurality(), bags=35, size=15, reuse=True).leave_one_out(votes)
    with pytest.raises(NoProofError, match="no rule proves delta"):
        stable_topk(votes, 1, delta=0.5, claim="proved", scorer=few)


def test_nothing_is_proved_of_bags_that_all_hold_a_unit() -> None:
    """What is proved is given that there is no such unit; 3 / 3^2 is below 1, so the bound is finite."""
    votes, refused = Votes(["a", "b", "c"]), 0
    for seed in range(30):
        scorer = Bagged(Plurality(), bags=2, size=1, seed=seed, reuse=True)
        same = sorted(scorer.score(votes)) == [0, 0, 1]  # both bags hold one and the same vote
        refused += same
        if same:
            with pytest.raises(InvalidSettingError, match="all 2 bags hold"):
                stable_topk(votes, 1, delta=0.9, claim="proved", scorer=scorer)
        else:
            assert stable_topk(votes, 1, delta=0.9, claim="proved", scorer=scorer).certificate
    assert 0 < refused < 30


def test_bags_that_hold_every_unit_as_far_as_floats_can_tell() -> None:
    for size in (100, 500, 2000):
        votes = Votes(["a", "b"])
        with pytest.raises(InvalidSettingError, match=r"all 10 bags hold.*Use smaller bags\.$"):
            Bagged(Plurality(), 10, size, replace=True, reuse=True).leave_one_out(votes)
        for reuse in (False, True):
            scorer = Bagged(Plurality(), 10, size, replace=True, reuse=reuse)
            assert stable_topk(votes, 1, eps=0.5, claim="proved", scorer=scorer).certificate.vacuous
            assert scorer.bagging_numbers(votes)["C"] > 1e25


def test_certificates_say_which_bags_and_promise_more_with_reused_ones() -> None:
    votes = Votes(["x", "y", "z"], counts=[52, 40, 8])
    told = {}
    for reuse in (False, True):
        scorer = Bagged(Plurality(), bags=100, size=50, seed=1, reuse=reuse)
        answer = stable_topk(votes, 1, delta=0.2, claim="proved", guarantee="overlap", scorer=scorer)
        told[reuse] = answer
        assert answer.certificate.numbers["reuse"] is reuse
        assert ("mean of 100 reused bags" in answer.scorer) is reuse
    fresh, reused = (told[reuse].certificate for reuse in (False, True))
    for told_of in (fresh, reused):
        assert "over the vote and the bags, if every bag can be scored, the new list" in told_of.sentence
    assert "100 bags, drawn anew without each, is the term 2/B = 0.02 beside" in fresh.sentence
    assert (
        "used again without each, given that none is in all of them, is the term 0.010"
        in reused.sentence
    )
    assert reused.eps == pytest.approx(fresh.eps / math.sqrt(3 / 2), rel=0.02)  # C is about 1/B
    found = told[True].findings()
    assert found["certificate"]["numbers"]["reuse"] == 1
