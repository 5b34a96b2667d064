"""Bradley-Terry against other implementations, plain refits and hand-made hard cases."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from scipy.optimize import minimize

from oracles.decimals import win_counts
from steadyrank import Study, read
from steadyrank.data import Battles, Votes
from steadyrank.errors import (
    InvalidSettingError,
    SteadyrankError,
    TooFewUnitsError,
    UndefinedScoresError,
    WrongDataError,
)
from steadyrank.scorers.bradley_terry import fit
from steadyrank.scorers.bradley_terry.fit import strengths
from steadyrank.scorers.bradley_terry.folds import BattleFolds
from steadyrank.scorers.bradley_terry.scorer import BradleyTerry, Removals, components


def plain_fit(wins, ridge=0.0):
    """Newton's method with an optimiser's safeguards, started from nothing, on the whole table."""
    items = len(wins)

    def loss(s):
        gaps = s[:, None] - s[None, :]
        return (
            (wins * np.logaddexp(0, -gaps)).sum() + ridge / 2 * s @ s + s.sum() ** 2 / 2
        )

    def gradient(s):
        upset = 1 / (1 + np.exp(s[:, None] - s[None, :]))
        missed = wins * upset
        return missed.sum(axis=0) - missed.sum(axis=1) + ridge * s + s.sum()

    def hessian(s):
        upset = 1 / (1 + np.exp(s[:, None] - s[None, :]))
        flow = (wins + wins.T) * upset * upset.T
        return np.diag(flow.sum(axis=0)) - flow + ridge * np.eye(items) + 1

    s = minimize(
        loss, np.zeros(items), jac=gradient, hess=hessian, method="trust-exact"
    ).x
    for _ in range(3):
        s = s - np.linalg.solve(hessian(s), gradient(s))
    return s - s.mean()


def without_each(data, scorer):
    return np.concatenate(
        [block.scores for block in scorer.leave_one_out(data).blocks()]
    )


def refits(data, ridge=0.0):
    """Take away one copy of each distinct unit and fit again."""
    pairs = data.unit_pairs
    wins = win_counts(data)
    for unit in range(len(pairs.indptr) - 1):
        rest = wins.copy()
        for entry in range(pairs.indptr[unit], pairs.indptr[unit + 1]):
            winner, loser = pairs.winner[entry], pairs.loser[entry]
            rest[winner, loser] -= pairs.wins[entry] + pairs.ties[entry] / 2
            rest[loser, winner] -= pairs.ties[entry] / 2
        yield plain_fit(rest, ridge)


def by_steps(data, ridge=0.0, **tolerance):
    """Return the scores without each unit by steps from the full fit, and which of these are sound."""
    wins, removals = win_counts(data), Removals.of(data)
    folds = BattleFolds(strengths(wins, ridge), wins, removals, ridge, **tolerance)
    return folds.chords.solve(removals, folds.owners, folds.begun(folds.owners))


@st.composite
def battles(draw, *, most=6, grouped=False):
    items = draw(st.integers(2, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(items, 12 * items))
    left = rng.integers(items, size=rows)
    right = (left + rng.integers(1, items, size=rows)) % items
    outcome = rng.choice(["left", "right", "tie"], size=rows)
    counts = rng.integers(1, draw(st.sampled_from([2, 4, 400])), size=rows)
    units = np.arange(rows) % draw(st.integers(2, 8)) if grouped else None
    if units is not None:
        rng.shuffle(units)
    return Battles(left, right, outcome, counts=counts, items=range(items), units=units)


def dense_battles(items=12, most=60, seed=0):
    """Return battles where every pair met, and most of them often."""
    rng = np.random.default_rng(seed)
    left, right = np.triu_indices(items, 1)
    table = rng.integers(1, most, size=(3, len(left)))
    return Battles.from_pairs(left, right, table[0], table[1], ties=table[2])


class TestScore:
    @given(battles())
    def test_is_the_plain_fit(self, data):
        wins = win_counts(data)
        if len(components(wins > 0)) > 1:
            with pytest.raises(UndefinedScoresError):
                BradleyTerry().score(data)
        else:
            assert BradleyTerry().score(data) == pytest.approx(
                plain_fit(wins), abs=1e-9
            )
        ridged = BradleyTerry(ridge=0.3).score(data)
        assert ridged == pytest.approx(plain_fit(wins, 0.3), abs=1e-9)
        assert ridged.mean() == pytest.approx(0, abs=1e-12)

    def test_agrees_with_choix(self):
        import choix

        data = dense_battles()
        wins = win_counts(data)
        pairs = [
            (i, j) for (i, j), n in np.ndenumerate(2 * wins) for _ in range(int(n))
        ]
        # choix has no half wins: twice the data, at twice its penalty per parameter.
        ours = strengths(2 * wins, 0.5)
        theirs = choix.opt_pairwise(len(wins), pairs, alpha=0.25, tol=1e-12)
        assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-6)
        theirs = choix.ilsr_pairwise(len(wins), pairs, tol=1e-12)
        assert BradleyTerry().score(data) == pytest.approx(theirs, abs=1e-7)

    def test_agrees_with_evalica(self):
        import evalica

        data = dense_battles(seed=1)
        names = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}
        rows = np.repeat(np.arange(len(data.left)), data.counts)
        found = evalica.bradley_terry(
            [int(x) for x in data.left[rows]],
            [int(x) for x in data.right[rows]],
            [names[int(x)] for x in data.outcome[rows]],
            tie_weight=0.5,
            tolerance=1e-13,
            limit=100_000,
        )
        theirs = np.log(found.scores.sort_index().to_numpy())
        ours = BradleyTerry().score(data)
        assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-6)

    @pytest.mark.parametrize("ridge", [0.0, 0.05])
    @pytest.mark.parametrize("seed", range(6))
    def test_whatever_the_graph_it_is_the_plain_fit(self, seed, ridge, monkeypatch):
        """Random pairs, chains and stars, solved as those of few items, of many and of thin graphs."""
        rng = np.random.default_rng(seed)
        items = int(rng.integers(8, 40))
        ends = [
            (np.arange(items - 1), np.arange(1, items)),
            (np.zeros(items - 1, dtype=int), np.arange(1, items)),
            np.triu_indices(items, 1),
        ][seed % 3]
        place, wins = rng.permutation(items), np.zeros((items, items))
        for one, other in (ends, ends[::-1]):
            wins[place[one], place[other]] = rng.integers(1, 5, len(one)) / rng.choice(
                [1, 2]
            )
        expected = plain_fit(wins, ridge)
        for many, thin in ((10**9, 10**9), (1, 10**9), (1, 0), (10**9, 0)):
            monkeypatch.setattr(fit, "MANY", many)
            monkeypatch.setattr(fit, "THIN", thin)
            assert (fit.Graph.of(wins).band is None) == (thin > 0)
            assert strengths(wins, ridge) == pytest.approx(expected, abs=1e-11)

    @pytest.mark.parametrize("ridge", [0.0, 1.0])
    @pytest.mark.parametrize("many", [1, 10**9])
    def test_items_that_nothing_tells_apart_are_equal(self, many, ridge, monkeypatch):
        """All battles tied, or each pair won both ways: nothing pulls from the start."""
        monkeypatch.setattr(fit, "MANY", many)
        left, right = np.triu_indices(12, 1)
        ties = Battles(left, right, ["tie"] * len(left), items=range(12))
        both = Battles(
            np.append(left, right),
            np.append(right, left),
            ["left"] * 132,
            items=range(12),
        )
        for data in (ties, both):
            assert BradleyTerry(ridge=ridge).score(data).tolist() == [0.0] * 12
            found = without_each(data, BradleyTerry(ridge=ridge))
            assert found == pytest.approx(np.array(list(refits(data, ridge))), abs=1e-9)

    def test_equations_are_solved_in_a_band_as_with_full_matrices(self, monkeypatch):
        monkeypatch.setattr(fit, "THIN", 0)
        rng = np.random.default_rng(3)
        one = np.arange(11)
        joined = fit.Graph(np.append(one, [0, 2]), np.append(one + 1, [4, 9]), 12)
        order = np.lexsort((joined.second, joined.first))
        joined = fit.Graph(joined.first[order], joined.second[order], 12)
        information, forces = rng.random(13) + 0.1, rng.normal(size=(12, 3))
        forces -= forces.mean(axis=0)
        for ridge in (0.0, 0.3):
            full = joined.laplacian(information[np.newaxis])[0] + ridge * np.eye(12)
            assert full.sum(axis=0) == pytest.approx(np.full(12, ridge), abs=1e-12)
            moved = joined.solved_in_band(information, ridge)(forces)
            assert full @ moved == pytest.approx(forces, abs=1e-12)
            near = joined.nearly_solved(information, ridge)(forces[:, 0])
            assert full @ near == pytest.approx(forces[:, 0], abs=1e-2)

    def test_folds_of_a_thin_graph_are_those_of_full_matrices(self, monkeypatch):
        left = np.tile(np.arange(9), 4)
        data = Battles(
            left,
            left + 1,
            np.repeat(["left", "right", "tie", "left"], 9),
            items=range(10),
        )
        for ridge in (0.0, 0.2):
            expected = without_each(data, BradleyTerry(ridge=ridge))
            with monkeypatch.context() as patched:
                patched.setattr(fit, "THIN", 0)
                found = without_each(data, BradleyTerry(ridge=ridge))
            assert found == pytest.approx(expected, abs=1e-11)
            assert found == pytest.approx(np.array(list(refits(data, ridge))), abs=1e-9)

    def test_two_items_are_log_odds(self):
        score = BradleyTerry().score(
            Battles.from_pairs(["a"], ["b"], [9], [3], ties=[4])
        )
        assert score == pytest.approx(
            [np.log(11 / 5) / 2, -np.log(11 / 5) / 2], abs=1e-14
        )

    def test_a_count_of_10_to_the_15(self):
        big = 10**15
        score = BradleyTerry().score(Battles.from_pairs(["a"], ["b"], [big], [1]))
        assert score[0] - score[1] == pytest.approx(np.log(big), rel=1e-12)

    def test_a_long_chain_and_lopsided_pairs(self):
        left = np.arange(30)
        data = Battles.from_pairs(left, left + 1, np.full(30, 1000), np.full(30, 1))
        steps = -np.diff(BradleyTerry().score(data))
        assert steps == pytest.approx(np.full(30, np.log(1000)), rel=1e-11)

    def test_an_item_without_battles_needs_the_ridge(self):
        data = Battles(
            ["a", "b"], ["b", "a"], ["left", "left"], items=["a", "b", "new"]
        )
        with pytest.raises(UndefinedScoresError, match="new"):
            BradleyTerry().score(data)
        assert BradleyTerry(ridge=1e-3).score(data)[2] == 0.0

    @pytest.mark.parametrize("ridge", [-1.0, np.nan, np.inf])
    def test_bad_ridge(self, ridge):
        with pytest.raises(InvalidSettingError, match="ridge must be"):
            BradleyTerry(ridge=ridge)

    def test_other_data_is_refused(self):
        with pytest.raises(
            WrongDataError, match="BradleyTerry needs battles, but was given votes"
        ):
            BradleyTerry().score(Votes(["a", "b"]))

    def test_separable_counts_given_straight_to_the_fit(self):
        with pytest.raises(SteadyrankError, match=r"Use a ridge|did not settle"):
            strengths(np.array([[0.0, 3.0], [0.0, 0.0]]))


class TestConnection:
    def test_components_are_listed_best_first(self):
        data = Battles(
            ["a", "b", "c", "d", "b"],
            ["b", "a", "d", "c", "c"],
            ["left"] * 5,
            items="abcd",
        )
        with pytest.raises(UndefinedScoresError, match=r"\[a, b\], \[c, d\]") as caught:
            BradleyTerry().score(data)
        assert caught.value.components == [["a", "b"], ["c", "d"]]
        assert 'Use a ridge, for example scorer="bradley-terry:ridge=' in str(
            caught.value
        )

    def test_ties_join_both_ways(self):
        data = Battles(["a", "b"], ["b", "c"], ["tie", "tie"])
        assert BradleyTerry().score(data) == pytest.approx([0, 0, 0], abs=1e-12)

    def test_the_unit_that_would_disconnect_is_named(self):
        data = Battles.from_pairs(["a", "b"], ["b", "c"], [5, 5], [5, 1])
        with pytest.raises(
            UndefinedScoresError, match="without battle 'c beats b'"
        ) as e:
            BradleyTerry().leave_one_out(data)
        assert e.value.components == [["a", "b"], ["c"]]
        assert without_each(data, BradleyTerry(ridge=0.1)).shape == (4, 3)

    def test_a_group_that_would_disconnect_is_named(self):
        data = Battles(
            ["a", "a", "b", "b"],
            ["b", "b", "a", "a"],
            ["left"] * 4,
            units=["x", "y", "z", "z"],
        )
        with pytest.raises(UndefinedScoresError, match="without group 'z'"):
            BradleyTerry().leave_one_out(data)

    @given(battles(most=5, grouped=True) | battles(most=5))
    def test_refused_exactly_when_some_rest_is_disconnected(self, data):
        wins = win_counts(data)
        assume(len(components(wins > 0)) == 1)
        pairs = data.unit_pairs
        broken = False
        for unit in range(len(pairs.indptr) - 1):
            rest = wins.copy()
            part = slice(pairs.indptr[unit], pairs.indptr[unit + 1])
            half = pairs.ties[part] / 2
            np.subtract.at(
                rest, (pairs.winner[part], pairs.loser[part]), pairs.wins[part] + half
            )
            np.subtract.at(rest, (pairs.loser[part], pairs.winner[part]), half)
            broken |= len(components(rest > 0)) > 1
        if broken:
            with pytest.raises(UndefinedScoresError, match="without"):
                BradleyTerry().leave_one_out(data)
        else:
            assert (
                len(BradleyTerry().leave_one_out(data).units) == len(pairs.indptr) - 1
            )

    @given(st.integers(1, 7), st.integers(0, 2**32 - 1), st.floats(0, 0.6))
    def test_components_are_those_of_the_transitive_closure(self, items, seed, share):
        arcs = np.random.default_rng(seed).random((items, items)) < share
        reach = arcs | np.eye(items, dtype=bool)
        for middle in range(items):
            reach |= reach[:, [middle]] & reach[[middle], :]
        parts = components(arcs)
        assert sorted(np.concatenate(parts).tolist()) == list(range(items))
        for place, part in enumerate(parts):
            assert (reach & reach.T)[np.ix_(part, part)].all()
            for later in parts[place + 1 :]:
                assert not reach[np.ix_(later, part)].any()


class TestLeaveOneOut:
    @given(battles(), st.sampled_from([0.0, 0.05, 2.0]))
    def test_battles_are_refitted(self, data, ridge):
        try:
            found = without_each(data, BradleyTerry(ridge=ridge))
        except UndefinedScoresError:
            assume(False)
        assert found == pytest.approx(np.array(list(refits(data, ridge))), abs=1e-9)

    @given(battles(grouped=True), st.sampled_from([0.0, 0.05, 2.0]))
    def test_groups_are_refitted(self, data, ridge):
        try:
            found = without_each(data, BradleyTerry(ridge=ridge))
        except UndefinedScoresError:
            assume(False)
        assert found == pytest.approx(np.array(list(refits(data, ridge))), abs=1e-9)

    @pytest.mark.parametrize("ridge", [0.0, 1.0])
    @pytest.mark.parametrize("most", [8, 60, 3000])
    def test_steps_are_used_and_exact(self, most, ridge):
        data = dense_battles(most=most, seed=most)
        found, sound = by_steps(data, ridge)
        assert sound.all()
        exact = np.array(list(refits(data, ridge)))
        assert found[sound] == pytest.approx(exact[sound], abs=2e-12)
        assert without_each(data, BradleyTerry(ridge=ridge)) == pytest.approx(
            exact, abs=2e-12
        )

    def test_many_battles_and_a_tight_tolerance(self):
        data = dense_battles(most=100_000, seed=5)
        exact = np.array(list(refits(data)))
        assert without_each(data, BradleyTerry()) == pytest.approx(exact, abs=2e-13)
        loose = dense_battles(most=300, seed=6)
        wins = win_counts(loose)
        folds = BattleFolds(
            strengths(wins), wins, Removals.of(loose), 0.0, tolerance=1e-15
        )
        tight = folds.rows(slice(0, len(loose.units)))
        assert tight == pytest.approx(np.array(list(refits(loose))), abs=1e-13)

    @pytest.mark.parametrize("tolerance", [1e-4, 1e-6, 1e-8, 1e-10])
    @pytest.mark.parametrize("most", [20, 300])
    def test_the_error_bound_is_one(self, most, tolerance):
        data = dense_battles(most=most, seed=8)
        found, sound = by_steps(data, tolerance=tolerance)
        off = np.ptp(found - np.array(list(refits(data))), axis=1)
        assert sound.any()
        assert off[sound].max() <= tolerance

    def test_derivatives_are_as_small_as_the_bounds_of_sketches_take_them(self):
        s = np.linspace(0, 1, 2001)
        slope = np.polynomial.Polynomial([0, 1, -1])
        ratio = np.polynomial.Polynomial([1.0])
        for _ in (2, 3):
            ratio = ratio * slope.deriv() + ratio.deriv() * slope
            assert np.abs(ratio(s)).max() <= 1 + 1e-9

    def test_many_units_of_the_same_pair(self):
        rng = np.random.default_rng(7)
        rows = 4000
        left = rng.integers(3, size=rows)
        right = (left + rng.integers(1, 3, size=rows)) % 3
        unit = np.where(
            left + right == 1,
            rng.integers(20, size=rows),
            100 + rng.integers(20, size=rows),
        )
        data = Battles(
            left, right, rng.choice(["left", "right", "tie"], size=rows), units=unit
        )
        found = without_each(data, BradleyTerry())
        assert found == pytest.approx(np.array(list(refits(data))), abs=1e-11)

    def test_equal_battles_are_one_unit_whatever_the_side(self):
        data = Battles(
            ["a", "b", "a", "b"], ["b", "a", "b", "a"], ["left", "right", "tie", "left"]
        )
        without = BradleyTerry(ridge=1.0).leave_one_out(data)
        assert Counter(without.units.counts.tolist()) == Counter([2, 1, 1])

    def test_a_group_that_holds_no_battle_is_not_there(self):
        data = Battles(
            ["a", "b", "a", "b"],
            ["b", "a", "b", "a"],
            ["left"] * 4,
            counts=[1, 1, 1, 0],
            units=["x", "y", "z", "empty"],
        )
        assert list(data.units.labels) == ["x", "y", "z"]
        assert len(without_each(data, BradleyTerry(ridge=1.0))) == 3

    def test_blocks_do_not_matter_and_can_be_asked_again(self):
        data = dense_battles(items=6)
        whole = without_each(data, BradleyTerry())
        for kept in (0, 10**6):
            out = replace(
                BradleyTerry().leave_one_out(data), block_numbers=40, kept_numbers=kept
            )
            for _ in range(2):
                parts = list(out.blocks())
                assert len(parts) > 5
                assert [part.start for part in parts[:2]] == [0, 6]
                found = np.concatenate([part.scores for part in parts])
                assert found == pytest.approx(whole, abs=1e-14)

    def test_one_battle(self):
        with pytest.raises(TooFewUnitsError):
            BradleyTerry(ridge=1.0).leave_one_out(Battles(["a"], ["b"], ["left"]))


def arena_pairs(folder):
    """Return counted pairs as battles, a row for each result of a pair."""
    columns = {"left": "wins_a", "right": "wins_b", "tie": "ties + ties_bothbad"}
    rows = " UNION ALL ".join(
        f"SELECT model_a, model_b, '{winner}' AS winner, {count} AS n FROM numbers"
        for winner, count in columns.items()
    )
    sql = (
        "WITH numbers AS (SELECT * REPLACE (wins_a::int AS wins_a, wins_b::int AS wins_b, "
        f"ties::int AS ties, ties_bothbad::int AS ties_bothbad) FROM data) {rows}"
    )
    path = folder / "battles" / "arena_pairs.csv"
    return read(
        path, left="model_a", right="model_b", winner="winner", count="n", sql=sql
    )


class TestRealData:
    def test_arena_votes(self, shared_data):
        data = arena_pairs(shared_data)
        without = BradleyTerry().leave_one_out(data)
        found = np.concatenate([block.scores for block in without.blocks()])
        assert len(found) == len(data.units) < 3 * 129 * 128 / 2
        wins, pairs = win_counts(data), data.unit_pairs
        shifts = without.shifts()
        rng = np.random.default_rng(0)
        for unit in [*np.argsort(-shifts)[:10], *rng.integers(len(found), size=20)]:
            rest = wins.copy()
            winner, loser = pairs.winner[unit], pairs.loser[unit]
            rest[winner, loser] -= pairs.wins[unit] + pairs.ties[unit] / 2
            rest[loser, winner] -= pairs.ties[unit] / 2
            assert found[unit] == pytest.approx(strengths(rest), abs=1e-12)

    @pytest.mark.parametrize("grouping", ["prompt", "worker", None])
    def test_crowd_comparisons(self, shared_data, grouping):
        pandas = pytest.importorskip("pandas")
        frame = pandas.read_csv(shared_data / "battles" / "llmfao.csv")
        data = read(frame, left="left", right="right", winner="winner", unit=grouping)
        found = without_each(data, BradleyTerry())
        pairs, wins = data.unit_pairs, win_counts(data)
        for unit in np.random.default_rng(0).integers(len(found), size=10):
            rest = wins.copy()
            part = slice(pairs.indptr[unit], pairs.indptr[unit + 1])
            half = pairs.ties[part] / 2
            np.subtract.at(
                rest, (pairs.winner[part], pairs.loser[part]), pairs.wins[part] + half
            )
            np.subtract.at(rest, (pairs.loser[part], pairs.winner[part]), half)
            assert found[unit] == pytest.approx(plain_fit(rest), abs=1e-10)


class TestArenaScale:
    FACTOR = 400 / np.log(10)

    def studies(self, seed, ridge=0.0):
        data = dense_battles(7, 12, seed)
        return Study(data, BradleyTerry(ridge)), Study(
            data, f"bradley-terry:ridge={ridge},scale=arena"
        )

    def test_is_1000_and_400_over_log_10_times_the_log_odds(self):
        plain, arena = self.studies(0)
        assert arena.scores == pytest.approx(
            1000 + self.FACTOR * plain.scores, abs=1e-9
        )
        assert arena.scorer.resolution == pytest.approx(self.FACTOR * 1e-9)
        assert "arena scale" in arena.scorer.name
        with pytest.raises(
            InvalidSettingError, match="scale must be log-odds or arena"
        ):
            BradleyTerry(scale="elo")

    def test_agrees_with_evalica(self):
        import evalica

        data = dense_battles(6, 20)
        rows = np.repeat(np.arange(len(data.left)), data.counts)
        named = {1: evalica.Winner.X, 0: evalica.Winner.Draw, -1: evalica.Winner.Y}
        winners = [named[int(outcome)] for outcome in data.outcome[rows]]
        sides = data.left[rows].tolist(), data.right[rows].tolist()
        found = evalica.bradley_terry(*sides, winners, tolerance=1e-13, limit=10_000)
        logs = np.log10(found.scores.sort_index().to_numpy())
        expected = 1000 + 400 * (logs - logs.mean())
        assert BradleyTerry(scale="arena").score(data) == pytest.approx(
            expected, abs=1e-6
        )

    @pytest.mark.parametrize("seed", range(3))
    def test_every_answer_is_that_of_the_log_odds(self, seed):
        plain, arena = self.studies(seed, ridge=0.5)
        for k in (1, 3):
            one, two = plain.audit(k, eps=0.02), arena.audit(k, eps=0.02 * self.FACTOR)
            assert [row.delta for row in one.table] == [row.delta for row in two.table]
            assert plain.topk(k).members == arena.topk(k).members
            first, second = plain.margin(k), arena.margin(k)
            assert (first.lower, first.upper) == (second.lower, second.upper)
        assert arena.facts.leave_one_out.shifts() == pytest.approx(
            self.FACTOR * plain.facts.leave_one_out.shifts(), rel=1e-9, abs=1e-9
        )
        for quick, slow in zip(
            arena.facts.leave_one_out.bounds(outer=True),
            arena.facts.leave_one_out.bounds(),
            strict=True,
        ):
            assert quick == pytest.approx(slow, abs=5.0)
        low, high = arena.facts.leave_one_out.bounds(outer=True)
        inner = arena.facts.leave_one_out.bounds()
        assert (low <= inner[0]).all()
        assert (high >= inner[1]).all()

    def test_rows_are_refits_and_the_rule_goes_with_the_scale(self):
        data = dense_battles(4, 3)
        scorer = BradleyTerry(ridge=1.0, scale="arena")
        rows = np.concatenate(
            [block.scores for block in scorer.leave_one_out(data).blocks()]
        )
        for unit in range(len(data.units)):
            assert rows[unit] == pytest.approx(
                scorer.score(data.without(unit)), abs=1e-8
            )
        plain = BradleyTerry(ridge=1.0).sensitivity(data)
        assert scorer.sensitivity(data).eps == pytest.approx(self.FACTOR * plain.eps)
        assert scorer.leave_one_out(data).shifts().max() <= scorer.sensitivity(data).eps
