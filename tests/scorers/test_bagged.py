"""Bagging: the right bags, the same whoever computes them, and the constants of its bound."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

import joblib
import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank.data import Ballots, Ratings, Regression, ScoreMatrix, Votes
from steadyrank.errors import InvalidSettingError, RefitError
from steadyrank.scorers.bagged import Bagged, bagging_constant, drawn_copies
from steadyrank.scorers.least_squares import ConstrainedLeastSquares
from steadyrank.scorers.means import Mean
from steadyrank.scorers.refit import Refit
from steadyrank.scorers.voting import Approval, Borda, Plurality

VOTES = Votes(["a"] * 6 + ["b"] * 3 + ["c"])


def shares(data):
    return data.tally / data.n_units


def sizes(data):
    return np.full(data.n_items, float(data.n_units))


def table(out):
    return np.concatenate([block.scores for block in out.blocks()])


class TestConstant:
    @given(st.integers(2, 60), st.data())
    def test_without_replacement(self, n, draw):
        size = draw.draw(st.integers(1, n - 1))
        p, q, constant = bagging_constant(n, size)
        both_out = Fraction(comb(n - 2, size), comb(n, size))
        assert p == pytest.approx(size / n)
        assert q == pytest.approx(
            float(Fraction(n - size, n) ** 2 - both_out), rel=1e-9
        )
        assert constant == pytest.approx((p / (1 - p) + q / (1 - p) ** 2) / n, rel=1e-9)

    @given(st.integers(2, 60), st.integers(1, 80))
    def test_with_replacement(self, n, size):
        p, q, constant = bagging_constant(n, size, replace=True)
        one, both = Fraction(n - 1, n) ** size, Fraction(n - 2, n) ** size
        exact = (1 - one) / one + (one**2 - both) / one**2
        assert p == pytest.approx(float(1 - one), rel=1e-12)
        assert q == pytest.approx(float(one**2 - both), rel=1e-9)
        assert constant == pytest.approx(float(exact / n), rel=1e-9)

    def test_millions_of_units_keep_their_digits(self):
        n = m = 10**7
        one, both = Fraction(n - 1, n), Fraction(n - 2, n)
        exact = float((1 - (both / one**2)) * m)  # first order of q / (1-p)^2
        p, q, _ = bagging_constant(n, m, replace=True)
        assert q / (1 - p) ** 2 == pytest.approx(exact, rel=1e-6)

    def test_every_unit_in_every_bag_has_no_bound(self):
        assert bagging_constant(5, 5)[2] == np.inf
        assert bagging_constant(1, 3, replace=True)[2] == np.inf

    @pytest.mark.parametrize("size", [0, 11, 2.5, True])
    def test_bad_size(self, size):
        with pytest.raises(
            InvalidSettingError, match=r"size must be a whole number from 1 to 10"
        ):
            bagging_constant(10, size)


class TestBags:
    @pytest.mark.parametrize("replace", [False, True])
    def test_bags_have_the_distribution_of_drawing_units(self, replace):
        counts, size, draws = np.array([2, 1, 1]), 2, 20_000
        rng = np.random.default_rng(0)
        found = {}
        for _ in range(draws):
            bag = tuple(drawn_copies(rng, counts, size, replace=replace).tolist())
            found[bag] = found.get(bag, 0) + 1
        owner = [0, 0, 1, 2]
        expected = {}
        for drawn in product(range(4), repeat=size):
            if replace or len(set(drawn)) == size:
                bag = tuple(
                    np.bincount([owner[unit] for unit in drawn], minlength=3).tolist()
                )
                expected[bag] = expected.get(bag, 0) + 1
        total = sum(expected.values())
        assert set(found) == set(expected)
        for bag, times in expected.items():
            share = times / total
            assert abs(found[bag] / draws - share) < 5 * np.sqrt(
                share * (1 - share) / draws
            )

    @pytest.mark.parametrize("replace", [False, True])
    def test_every_bag_has_the_same_size_also_without_a_unit(self, replace):
        bagged = Bagged(Refit(sizes), bags=7, size=4, replace=replace)
        out = bagged.leave_one_out(VOTES)
        assert (out.scores == 4).all()
        assert (table(out) == 4).all()


class TestBagged:
    def test_is_the_mean_and_is_unbiased(self):
        score = Bagged(Refit(shares), bags=1000, size=3, seed=2).score(VOTES)
        assert score == pytest.approx([0.6, 0.3, 0.1], abs=0.04)
        assert score.sum() == pytest.approx(1)

    def test_without_a_unit_it_is_never_drawn(self):
        out = Bagged(Refit(shares), bags=50, size=5).leave_one_out(VOTES)
        lonely = list(out.units.labels).index("c")
        assert table(out)[lonely][2] == 0.0

    def test_seed_fixes_everything(self):
        def run(seed):
            out = Bagged(Refit(shares), bags=5, size=4, seed=seed).leave_one_out(VOTES)
            return np.vstack([out.scores, table(out)])

        assert (run(1) == run(1)).all()
        assert (run(1) != run(2)).any()

    def test_workers_do_not_matter(self):
        bagged = Bagged(Refit(shares), bags=5, size=4)
        alone = table(bagged.leave_one_out(VOTES))
        with joblib.parallel_config("threading", n_jobs=2):
            assert (table(bagged.leave_one_out(VOTES)) == alone).all()

    def test_score_is_that_of_the_audit(self):
        bagged = Bagged(Refit(shares), bags=5, size=4)
        assert (bagged.score(VOTES) == bagged.leave_one_out(VOTES).scores).all()

    def test_default_size_is_half(self):
        assert Bagged(Plurality()).bagging_numbers(VOTES)["size"] == 5

    def test_numbers(self):
        numbers = Bagged(Plurality(), bags=100, size=4).bagging_numbers(VOTES)
        assert [numbers[key] for key in ("n", "size", "bags", "replace")] == [
            10,
            4,
            100,
            False,
        ]
        assert numbers["finite_bags"] == 0.02
        assert numbers["C"] == pytest.approx(0.4 / (0.6 * 9))
        assert (numbers["p"], numbers["q"]) == pytest.approx((0.4, 0.4 * 0.6 / 9))
        assert numbers["radius_squared"] == pytest.approx(2 / 3)

    def test_radius_is_given_known_or_absent(self):
        assert Bagged(Refit(shares)).bagging_numbers(VOTES) is None
        given = Bagged(Refit(shares), radius_squared=0.7).bagging_numbers(VOTES)
        assert given["radius_squared"] == 0.7
        with pytest.raises(InvalidSettingError, match="radius_squared"):
            Bagged(Refit(shares), radius_squared=np.nan)

    def test_the_bound_holds(self):
        """The mean over units of the squared shift is at most rad^2 (C + 2/B), on average."""
        data = ScoreMatrix(np.eye(6)[:, :3])

        def winner(data):
            return np.eye(3)[np.argmax(data.values.sum(axis=0))]

        squares = []
        for seed in range(15):
            bagged = Bagged(Refit(winner), bags=20, size=3, seed=seed)
            squares.append((bagged.leave_one_out(data).shifts() ** 2).mean())
        constant = bagging_constant(6, 3)[2]
        bound = (1 - 1 / 3) * (constant + 2 / 20)
        assert np.mean(squares) <= bound

    def test_full_bags_cannot_be_audited_without_replacement(self):
        with pytest.raises(
            InvalidSettingError, match="Use a smaller size, or replace=True"
        ):
            Bagged(Refit(shares), size=10).leave_one_out(VOTES)

    @pytest.mark.parametrize(
        "setting", [{"bags": 0}, {"bags": 1.5}, {"seed": -1}, {"seed": None}]
    )
    def test_bad_settings(self, setting):
        with pytest.raises(InvalidSettingError, match="whole number"):
            Bagged(Refit(shares), **setting)


class TestRadius:
    """Outputs on random data lie in a ball of that radius around the centre of the set."""

    @given(st.integers(0, 2**32 - 1), st.integers(2, 5))
    def test_shares_and_points(self, seed, items):
        rng = np.random.default_rng(seed)
        votes = Votes(rng.integers(items, size=4), items=range(items))
        ballots = Ballots(
            [rng.permutation(items).tolist() for _ in range(3)], items=range(items)
        )
        sets = Ballots(
            [np.flatnonzero(row).tolist() for row in rng.random((3, items)) < 0.5],
            items=range(items),
            approval=True,
        )
        for scorer, data, centre in [
            (Plurality(), votes, 1 / items),
            (Borda(), ballots, (items - 1) / 2),
            (Approval(), sets, 0.5),
        ]:
            distance = ((scorer.score(data) - centre) ** 2).sum()
            assert distance <= scorer.output_radius_squared(data) + 1e-12

    @given(st.integers(0, 2**32 - 1))
    def test_boxes_and_balls(self, seed):
        rng = np.random.default_rng(seed)
        matrix = ScoreMatrix(rng.integers(1, 3, size=(3, 4)))
        means = Mean(value_range=(1, 2))
        radius = means.output_radius_squared(matrix)
        assert radius == 1.0
        assert ((means.score(matrix) - 1.5) ** 2).sum() <= radius
        data = Regression(rng.normal(size=(6, 3)), rng.normal(size=6) * 9)
        assert ConstrainedLeastSquares(0.5).output_radius_squared(data) == 0.25
        ratings = Ratings([0, 1, 1], [0, 0, 1], rng.integers(1, 6, size=3))
        stars = Mean(1.0, value_range=(1, 5))
        radius = stars.output_radius_squared(ratings)
        assert radius == 2 * 25 / 4
        assert ((stars.score(ratings) - 2.5) ** 2).sum() <= radius

    def test_unknown_without_a_range(self):
        assert Mean().output_radius_squared(ScoreMatrix([[1.0]])) is None


def test_a_stated_ball_that_is_too_small_for_the_bags_is_refused() -> None:
    votes = Votes(["a"] * 3 + ["b"] * 3)
    how = {"bags": 20, "size": 1}  # bags say (1, 0) or (0, 1): sqrt(2) apart
    kept = Bagged(Plurality(), radius_squared=0.5, **how)
    assert (kept.score(votes) == Bagged(Plurality(), **how).score(votes)).all()
    small = Bagged(Plurality(), radius_squared=0.49, **how)
    for ask in (small.score, small.leave_one_out):
        with pytest.raises(
            (InvalidSettingError, RefitError),
            match=r"1\.41421 apart.*radius_squared=0\.49.*1\.4 wide",
        ):
            ask(votes)
