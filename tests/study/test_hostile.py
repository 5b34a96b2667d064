"""Input that breaks things: each case has the right answer, or an error that names it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles.leaving_out import brute_audit, differences
from steadyrank import (
    Ballots,
    Battles,
    Ratings,
    Regression,
    ScoreMatrix,
    Study,
    Votes,
    inflated_topk,
    topk,
)
from steadyrank.errors import (
    InvalidLabelError,
    InvalidValueError,
    TooFewUnitsError,
    UndefinedScoresError,
)
from steadyrank.scorers import (
    Approval,
    Bagged,
    Borda,
    BradleyTerry,
    Mean,
    Plurality,
    Refit,
    Ridge,
)
from steadyrank.scorers.registry import default_scorer


def agrees(data, ks, eps, scorer=None, tolerance=1e-12):
    """Compare an audit of everything with brute force, and the curve with both."""
    chosen = scorer or default_scorer(data)
    result = Study(data, scorer).audit(k=ks, eps=eps)
    assert not differences(result, brute_audit(data, chosen, ks, eps), tolerance)
    for k in ks:
        row = result.row("inflated_topk", k)
        assert result.curve(k).delta(eps) == pytest.approx(row.delta, abs=tolerance)
        assert result.curve(k).size(eps) == row.size
        assert row.delta <= result.share_reaching_eps + tolerance
    return result


ONE_UNIT = [
    Votes(["x"]),
    Ballots([["x", "y"]]),
    Ballots([{"x"}], approval=True),
    Ratings(["u", "u"], ["x", "y"], [1, 2]),
    ScoreMatrix([[1.0, 2.0]]),
    ScoreMatrix(np.eye(3), units=["g", "g", "g"]),
    Regression([[1.0, 2.0]], [1.0]),
    Battles(["x"], ["y"], ["tie"]),
]


@pytest.mark.parametrize("data", ONE_UNIT, ids=lambda data: type(data).__name__)
def test_one_unit_cannot_be_left_out(data):
    for ask in (
        lambda: Study(data).audit(k=1, eps=0.1),
        lambda: Study(data).topk(1),
        lambda: Study(data).ranking(),
        lambda: Study(data).topk(1, proved=True),
        lambda: Study(data).topk(1, eps=9.0),
    ):
        with pytest.raises(TooFewUnitsError, match="only one unit"):
            ask()


def test_one_unit_is_not_refitted_either():
    with pytest.raises(TooFewUnitsError):
        Study(ScoreMatrix([[1.0, 2.0]]), Refit(lambda data: data.values[0])).audit(
            k=1, eps=0.1
        )
    with pytest.raises(InvalidValueError):
        Study(Votes(["x"]), Bagged(Plurality(), bags=2)).audit(k=1, eps=0.1)


@pytest.mark.parametrize("items", [1, 2, 5])
def test_all_scores_equal(items):
    for data in (
        ScoreMatrix(np.full((4, items), 0.1)),
        Votes(range(items), counts=[3] * items) if items > 1 else Votes([0, 0]),
        Ballots(
            [
                list(order)
                for order in itertools.islice(itertools.permutations(range(items)), 6)
            ]
            * 2
        )
        if items < 3
        else Ballots([{*range(items)}, set()], items=range(items), approval=True),
    ):
        for eps in (1e-300, 0.01, 10.0):
            result = agrees(data, [1, items], eps)
            assert result.row("inflated_topk", 1).delta == 0
            assert result.row("inflated_topk", 1).size == items
    answer = Study(ScoreMatrix(np.full((4, items), 0.1))).topk(1, delta=0)
    assert answer.members == (
        0,
    )  # of equal items the first is ahead, whichever row is left out
    assert answer.certificate.delta == 0


def test_ties_that_a_plain_answer_breaks_by_index_and_an_inflated_one_does_not():
    values = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    result = agrees(ScoreMatrix(values), [1, 2], 1e-9)
    assert result.row("topk", 1).delta == pytest.approx(
        1 / 3
    )  # without row 0, item 1 is first
    assert result.row("inflated_topk", 1).delta == 0


def test_one_item():
    for data in (
        Votes(["x", "x"]),
        ScoreMatrix([[1.0], [5.0]]),
        Ratings([1, 2], ["x", "x"], [1, 5]),
        Ballots([["x"], ["x"]]),
        Regression([[1.0], [2.0], [1.0]], [1.0, 0.0, 3.0]),
    ):
        result = agrees(data, [1], 0.1)
        assert all(row.delta == 0 and row.size == 1 for row in result.table)
        assert Study(data).topk(1).sure == data.items
        assert Study(data).ranking().tiers == (data.items,)


@pytest.mark.parametrize("offset", [0.0, 1e15, -1e15])
def test_values_of_the_size_of_10_to_15(offset):
    rng = np.random.default_rng(0)
    values = rng.integers(0, 50, (7, 5)) + offset
    for eps in (1e-3, 1.0, 5.0, 1e15):
        agrees(ScoreMatrix(values), [1, 3, 5], eps)
    answer = Study(ScoreMatrix(values)).topk(2, delta=0)
    row = Study(ScoreMatrix(values)).audit(k=2, eps=answer.eps).row("inflated_topk", 2)
    assert row.delta == 0 == answer.certificate.delta
    assert answer.size < 5 or answer.eps > 1


def test_a_proof_for_large_values_holds_after_rounding():
    rng = np.random.default_rng(1)
    scorer = Mean(value_range=(0, 4e15))
    for _ in range(20):
        values = rng.integers(0, 4, (5, 4)) * 1e15 + rng.integers(0, 3, (5, 4))
        answer = Study(ScoreMatrix(values), scorer).topk(2, proved=True)
        result = Study(ScoreMatrix(values), scorer).audit(k=2, eps=answer.eps)
        assert result.row("inflated_topk", 2).delta == 0
        assert result.row("inflated_ranking").delta == 0


@pytest.mark.parametrize("eps", [5e-324, 1e-300, 1e-17, 1e300, 1.7e308])
@pytest.mark.parametrize("size", [1.0, 1e15, 1e119])
def test_eps_at_the_ends_of_the_floats(eps, size):
    values = np.array([[3.0, 2, 1, 0], [0, 1, 3, 1], [1, 2, 3, 0], [3, 1, 2, 0]]) * size
    result = agrees(ScoreMatrix(values), [1, 2, 4], eps)
    inflated = result.row("inflated_topk", 2)
    if eps < 1:
        assert inflated.delta == result.row("topk", 2).delta
        assert inflated.size == 2
    elif eps > 100 * size:
        assert (inflated.delta, inflated.jaccard, inflated.size) == (0.0, 1.0, 4)
        assert result.row("inflated_ranking").size == 24


def test_the_largest_floats():
    values = np.array([[9e119, -9e119], [9e119, -9e119]])
    assert Study(ScoreMatrix(values)).topk(1, delta=0).members == (0,)
    assert Study(ScoreMatrix(values)).ranking().tiers == ((0,), (1,))


def test_unicode_labels_in_answers_and_flips():
    names = [
        "naïve",
        "naïve",
        "日本",
        "a\tb",
    ]  # the first two differ only in how ï is written
    names[1] = "nai\u0308ve"
    values = np.array([[2.0, 1, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]])
    data = ScoreMatrix(values, items=names, rows=["α", "β", "γ", "δ"])
    result = Study(data).audit(k=1, eps=1e-6)
    assert set(Study(data).topk(4).members) == set(names)
    for flip in result.flips(1).plain:
        assert flip.unit in {"α", "β", "γ", "δ"}
        assert set(flip.leaves) | set(flip.enters) <= set(names)
    assert {
        flip.unit: (flip.leaves, flip.enters) for flip in result.flips(1).plain
    } == {"α": (("naïve",), ("nai\u0308ve",))}


def test_duplicate_labels():
    with pytest.raises(InvalidLabelError, match="x"):
        ScoreMatrix(np.eye(2), items=["x", "x"])
    # Rows may share a name: they stay units of their own.
    data = ScoreMatrix(np.eye(3) * [1, 1.1, 1], rows=["r", "r", "r"])
    assert agrees(data, [1], 0.01).units.total == 3


def test_labels_that_look_like_numbers_stay_what_they_are():
    for labels in (["1", "2"], [1, 2], ["1.0", "1"]):
        assert set(Study(Votes([*labels, labels[0]])).topk(2).members) == set(labels)


def test_an_item_that_vanishes_with_its_only_unit():
    votes = Votes(["x"] * 2 + ["y"])
    result = agrees(votes, [1, 2], 0.01)
    assert result.items == ("x", "y")
    ratings = Ratings([1, 1, 2, 2], ["a", "b", "b", "c"], [5, 3, 4, 5])
    agrees(ratings, [1, 2, 3], 0.5)
    assert Study(ratings, Mean()).topk(1).members == ("a", "c")
    gaps = ScoreMatrix([[1.0, np.nan], [2.0, 3.0], [1.0, np.nan]], missing="available")
    assert Study(gaps).topk(1).members == (1, 0)


def test_battles_that_fall_apart_without_one():
    bridge = Battles(
        ["a", "a", "c", "c", "b", "c"],
        ["b", "b", "d", "d", "c", "b"],
        [1, 0, 1, 0, 1, 1],
    )
    with pytest.raises(UndefinedScoresError, match="ridge"):
        Study(bridge).audit(k=1, eps=0.1)
    agrees(bridge, [1, 2], 0.1, BradleyTerry(ridge=0.1), tolerance=1e-9)


def test_k_is_the_number_of_items():
    for data in (
        Votes([0, 1, 1, 2]),
        ScoreMatrix(np.random.default_rng(0).random((5, 4))),
    ):
        result = agrees(data, [data.n_items], 0.1)
        for method in ("topk", "inflated_topk"):
            row = result.row(method, data.n_items)
            assert (row.delta, row.jaccard, row.size) == (0.0, 1.0, data.n_items)
        answer = Study(data).topk(data.n_items, delta=0)
        assert set(answer.sure) == set(data.items)
        assert not answer.contenders


def test_two_units():
    for data, tolerance in (
        (Votes(["x", "y"]), 1e-12),
        (Ballots([["x", "y"], ["y", "x"]]), 1e-12),
        (Ratings([1, 2], ["x", "y"], [5, 4]), 1e-12),
        (ScoreMatrix([[1.0, 0.0], [0.0, 1.0]]), 1e-12),
        (ScoreMatrix([[3.0, 0.0], [0.0, 1.0]]), 1e-12),
    ):
        for eps in (0.001, 0.5, float(np.sqrt(0.5)), float(np.sqrt(2)), 2.0):
            agrees(data, [1, 2], eps, tolerance=tolerance)
        answer = Study(data).topk(1, delta=0)
        assert Study(data).audit(k=1, eps=answer.eps).row("inflated_topk", 1).delta == 0


def test_units_with_equal_effects_are_counted_as_often_as_they_occur():
    repeated = np.repeat([[1.0, 0, 0], [0, 1, 0], [0.3, 0.3, 1]], [4, 3, 2], axis=0)
    agrees(ScoreMatrix(repeated), [1, 2], 0.05)
    counted = Ballots([["x", "y"], ["y", "x"], ["z"]], counts=[5, 4, 1])
    spread = Ballots([["x", "y"]] * 5 + [["y", "x"]] * 4 + [["z"]])
    one, two = (Study(data).audit(k=[1, 2], eps=0.1) for data in (counted, spread))
    assert [(r.delta, r.jaccard, r.size) for r in one.table] == [
        (r.delta, r.jaccard, r.size) for r in two.table
    ]
    agrees(counted, [1, 2], 0.1)
    battles = Battles(
        ["a", "b", "c", "a"], ["b", "c", "a", "b"], [1, 1, 1, 0], counts=[9, 7, 8, 3]
    )
    agrees(battles, [1, 2], 0.05, tolerance=1e-9)


def test_a_target_between_two_numbers_of_units_is_kept():
    """With counts, one distinct unit may be too many at once."""
    data = Ballots([["x", "y"], ["y", "x"]], counts=[11, 10])
    for delta in (0.0, 0.04, 0.05, 0.1, 0.47, 0.48, 0.53, 0.9):
        answer = Study(data).topk(1, delta=delta)
        audited = Study(data).audit(k=1, eps=answer.eps).row("inflated_topk", 1)
        assert audited.delta == answer.certificate.delta <= delta


@pytest.mark.parametrize("kind", ["worker", "prompt"])
def test_groups_of_battles_leave_together(kind):
    rng = np.random.default_rng(7)
    left = rng.integers(0, 4, 40)
    right = (left + rng.integers(1, 4, 40)) % 4
    outcome = rng.choice(["left", "right", "tie"], 40)
    groups = rng.integers(0, 6 if kind == "worker" else 20, 40)
    data = Battles(left, right, outcome, units=groups, unit_kind=kind)
    result = agrees(data, [1, 2], 0.1, BradleyTerry(ridge=0.2), tolerance=1e-9)
    assert result.units.kind == kind
    assert result.units.total == len(set(groups.tolist()))
    sentence = Study(data, BradleyTerry(ridge=0.2)).topk(1).certificate.sentence
    assert f"each of the {result.units.total} {kind}s was left out" in sentence


def test_gaps_in_a_matrix():
    rng = np.random.default_rng(8)
    values = rng.integers(0, 5, (9, 4)).astype(float)
    values[rng.random((9, 4)) < 0.25] = np.nan
    available = ScoreMatrix(values, missing="available")
    agrees(available, [1, 2, 4], 0.2)
    grouped = ScoreMatrix(
        values, missing="available", units=[0, 0, 1, 1, 2, 2, 3, 3, 3]
    )
    agrees(grouped, [1, 2], 0.2)
    dropped = ScoreMatrix(values, missing="drop")
    result = agrees(dropped, [1, 2], 0.2)
    assert result.units.total == int((~np.isnan(values)).all(axis=1).sum())
    assert any("dropped" in note for note in result.notes)
    assert any(
        "missing values left out" in note
        for note in Study(available).audit(k=1, eps=0.1).notes
    )


def test_ballots_with_ties_and_gaps():
    orders = [[("x", "y"), "z"], [("x", "y", "z", "v")], ["v"], ["z", ("v", "x")]]
    for eps in (0.05, 0.3, 1.0):
        agrees(
            Ballots(orders, counts=[2, 1, 3, 2], items=list("vxyz")),
            [1, 2, 4],
            eps,
            Borda(),
        )
    approvals = Ballots(
        [{"x"}, set(), {"x", "y"}, {"z"}], counts=[2, 1, 1, 2], approval=True
    )
    for eps in (0.05, 0.3):
        agrees(approvals, [1, 2], eps, Approval())


def test_more_features_than_rows():
    rng = np.random.default_rng(9)
    data = Regression(rng.normal(size=(5, 8)), rng.normal(size=5))
    agrees(data, [1, 3], 0.1, Ridge(penalty=1.0), tolerance=1e-9)
    result = Study(data).audit(k=[1, 3], eps=0.1)
    assert {row.delta * 5 for row in result.table} <= {0, 1, 2, 3, 4, 5}


@given(
    st.integers(2, 5).flatmap(
        lambda items: st.lists(
            st.lists(st.integers(0, 2), min_size=items, max_size=items),
            min_size=2,
            max_size=6,
        )
    ),
    st.sampled_from(
        [5e-324, 1e-12, 0.1, float(np.sqrt(2)) / 3, float(np.sqrt(2)) / 4, 7.0, 1e200]
    ),
    st.sampled_from([1e-118, 1.0, 1e12]),
)
def test_coarse_matrices_of_any_size_agree_with_brute_force(rows, eps, size):
    data = ScoreMatrix(np.array(rows, dtype=float) * size)
    agrees(data, sorted({1, 2, data.n_items}), min(eps * size or 5e-324, 1e300))


@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=6).filter(lambda c: sum(c) > 1),
    st.integers(1, 3),
)
def test_votes_on_the_boundary_agree_with_brute_force(counts, steps):
    """Multiples of sqrt(2)/n put leads of whole votes exactly on the boundary."""
    data = Votes(range(len(counts)), counts=counts, items=range(len(counts)))
    agrees(data, [1, 2], steps * float(np.sqrt(2)) / data.n_units)


def test_k_in_every_shape():
    data = ScoreMatrix(np.random.default_rng(0).random((4, 5)))
    for k, expected in (
        (2, [2]),
        (np.int32(2), [2]),
        (np.array([3, 1]), [3, 1]),
        (range(1, 4), [1, 2, 3]),
        ((n for n in (2, 2, 1)), [2, 1]),
        ({3}, [3]),
    ):
        result = Study(data).audit(k=k, eps=0.1, methods="topk")
        assert [row.k for row in result.table] == expected


def test_flips_of_a_k_or_a_method_that_was_not_audited():
    data = ScoreMatrix(np.random.default_rng(0).random((9, 5)))
    everything = Study(data).audit(k=[1, 2, 3], eps=0.05)
    for result in (
        Study(data).audit(k=1, eps=0.05, methods=["topk"]),
        Study(data).audit(k=2, eps=0.05, methods=["inflated_topk"]),
        Study(data).audit(k=1, eps=0.05, methods=[]),
    ):
        for k in (1, 2, 3):
            assert result.flips(k) == everything.flips(k)
    with pytest.raises(InvalidValueError, match="k must be"):
        everything.flips(6)


def test_flips_say_exactly_what_leaves_and_enters():
    data = ScoreMatrix(
        [[5.0, 0, 4], [0, 3, 0], [0, 3, 1]],
        items=list("xyz"),
        rows=["one", "two", "three"],
    )
    full = topk(Mean().score(data), 1)
    assert data.items[full[0]] == "y"
    changes = {
        flip.unit: (flip.leaves, flip.enters)
        for flip in Study(data).audit(k=1, eps=1e-9).flips(1).plain
    }
    assert changes == {"two": (("y",), ("x",)), "three": (("y",), ("x",))}


def test_a_wide_inflation_over_many_items():
    """More members than the operators look at first, and a curve that must look deep."""
    rng = np.random.default_rng(11)
    data = ScoreMatrix(rng.normal(size=(30, 120)))
    for eps in (0.05, 0.5, 2.0):
        result = Study(data).audit(
            k=[3, 50], eps=eps, methods=["topk", "inflated_topk"]
        )
        expected = brute_audit(data, Mean(), [3, 50], eps, rankings=False)
        assert not differences(result, expected)
        for k in (3, 50):
            assert result.curve(k).delta(eps) == result.row("inflated_topk", k).delta
            assert (
                result.curve(k).size(eps) == inflated_topk(result.scores, k, eps).size
            )
