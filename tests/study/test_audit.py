"""The audit against its slow, obvious twin: every unit left out, every answer recomputed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank import (
    Ratings,
    ScoreMatrix,
    Study,
    Votes,
    inflated_ranking,
    inflated_topk,
    topk,
)
from steadyrank.errors import InvalidSettingError, InvalidValueError, TooFewUnitsError
from steadyrank.scorers import ColumnMeans, MeanRating, Plurality


@st.composite
def matrices(draw):
    """Score matrices with 2..7 rows and 1..6 items, half of them on a coarse grid."""
    rows, items = draw(st.integers(2, 7)), draw(st.integers(1, 6))
    coarse = st.integers(0, 3).map(float)
    fine = st.floats(0, 1).map(lambda value: round(value, 6))
    cell = draw(st.sampled_from([coarse, fine]))
    size = rows * items
    return np.array(draw(st.lists(cell, min_size=size, max_size=size))).reshape(
        rows, items
    )


@st.composite
def rating_tables(draw):
    """Ratings by 2..6 users of up to 6 items; every user rates something."""
    users, items = draw(st.integers(2, 6)), draw(st.integers(1, 6))
    pairs = [(user, item) for user in range(users) for item in range(items)]
    chosen = set(draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=25)))
    chosen |= {(user, draw(st.integers(0, items - 1))) for user in range(users)}
    return [
        (user, item, draw(st.integers(1, 5))) for user, item in sorted(chosen)
    ], items


ROOT = float(np.sqrt(2))
eps_values = st.sampled_from([0.01, 0.1, 0.25, 0.5, 1.0, 2.0, ROOT / 4, ROOT / 5])


def without_row(matrix, row):
    return np.delete(matrix, row, axis=0).mean(axis=0)


def twin(full, left_out, ks, eps):
    """Return {(method, k): (delta, jaccard, size)} by brute force."""
    found = {}
    for k in ks:
        answers = {
            "topk": lambda w, k=k: set(topk(w, k).tolist()),
            "inflated_topk": lambda w, k=k: set(
                inflated_topk(w, k, eps).indices.tolist()
            ),
        }
        for method, answer in answers.items():
            base = answer(full)
            others = [answer(w) for w in left_out]
            delta = np.mean([len(base & other) < k for other in others])
            jaccard = np.mean(
                [len(base & other) / len(base | other) for other in others]
            )
            found[method, k] = (delta, jaccard, len(base))
    plain = [tuple(np.argsort(-w, kind="stable")) for w in (full, *left_out)]
    found["ranking", None] = (np.mean([p != plain[0] for p in plain[1:]]), None, 1)
    sets = [
        {tuple(r.tolist()) for r in inflated_ranking(w, eps)} for w in (full, *left_out)
    ]
    empty = np.mean([not (sets[0] & other) for other in sets[1:]])
    found["inflated_ranking", None] = (empty, None, len(sets[0]))
    return found


def agree(result, expected):
    assert {(row.method, row.k) for row in result.table} == set(expected)
    for row in result.table:
        delta, jaccard, size = expected[row.method, row.k]
        assert row.delta == pytest.approx(delta, abs=1e-12)
        assert row.size == size
        assert row.jaccard == (
            None if jaccard is None else pytest.approx(jaccard, abs=1e-12)
        )


@given(matrices(), eps_values)
def test_audit_of_a_matrix_equals_its_slow_twin(values, eps):
    data = ScoreMatrix(values)
    scorer = ColumnMeans()
    full = scorer.score(data)
    # The twin scores the remaining rows with the library's own exact sums, so that ties are ties.
    left_out = [
        scorer.score(ScoreMatrix(np.delete(values, row, axis=0)))
        for row in range(len(values))
    ]
    ks = sorted({1, (values.shape[1] + 1) // 2, values.shape[1]})
    agree(Study(data).audit(k=ks, eps=eps), twin(full, left_out, ks, eps))


@given(rating_tables(), eps_values, st.sampled_from([1.0, 0.5, 3.0]))
def test_audit_of_ratings_equals_its_slow_twin(table, eps, shrinkage):
    entries, items = table
    users, rated, values = (np.array(part) for part in zip(*entries, strict=True))
    data = Ratings(users, rated, values, items=range(items))
    scorer = MeanRating(shrinkage=shrinkage)
    left_out = []
    for user in np.unique(users):
        keep = users != user
        sums = np.bincount(rated[keep], weights=values[keep], minlength=items)
        left_out.append(sums / (shrinkage + np.bincount(rated[keep], minlength=items)))
    ks = sorted({1, (items + 1) // 2, items})
    expected = twin(scorer.score(data), left_out, ks, eps)
    agree(Study(data, scorer).audit(k=ks, eps=eps), expected)


@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=5).filter(lambda c: sum(c) > 1),
    eps_values,
)
def test_audit_of_votes_counts_equal_votes_as_often_as_they_occur(counts, eps):
    votes = np.repeat(np.arange(len(counts)), counts)
    data = Votes(votes, items=range(len(counts)))
    n = len(votes)
    left_out = []
    for vote in votes:
        remaining = np.array(counts, dtype=float)
        remaining[vote] -= 1
        left_out.append(remaining / (n - 1))
    expected = twin(np.array(counts) / n, left_out, [1, 2], eps)
    agree(Study(data, Plurality()).audit(k=[1, 2], eps=eps), expected)


@given(matrices(), eps_values)
def test_theorems_4_and_8_bound_every_observed_delta(values, eps):
    result = Study(ScoreMatrix(values)).audit(k=range(1, values.shape[1] + 1), eps=eps)
    inflated = [row for row in result.table if row.method.startswith("inflated")]
    assert len(inflated) == values.shape[1] + 1  # each k, and the ranking
    for row in inflated:
        assert row.delta <= result.share_reaching_eps + 1e-12


@given(matrices(), st.integers(1, 6))
def test_the_curve_equals_an_audit_at_every_eps(values, k):
    k = min(k, values.shape[1])
    result = Study(ScoreMatrix(values)).audit(k=k, eps=0.5, methods=["inflated_topk"])
    curve = result.curve(k)
    steps = np.unique(np.append(curve.breaking_eps, curve.critical_eps))
    between = (steps[1:] + steps[:-1]) / 2
    for eps in [0.3, 1.0, *steps[steps > 0], *between]:
        row = (
            Study(ScoreMatrix(values))
            .audit(k=k, eps=eps, methods=["inflated_topk"])
            .table[0]
        )
        assert curve.delta(eps) == pytest.approx(row.delta, abs=1e-12)
        assert curve.size(eps) == row.size


@given(matrices(), st.integers(1, 6))
def test_the_breaking_eps_never_exceeds_the_shift(values, k):
    k = min(k, values.shape[1])
    result = Study(ScoreMatrix(values)).audit(k=k, eps=0.5, methods=["topk"])
    assert (result.curve(k).breaking_eps <= result.shifts * (1 + 1e-9) + 1e-12).all()


@given(matrices(), st.integers(1, 6), st.sampled_from([0.0, 0.1, 0.3, 0.5]))
def test_the_smallest_eps_reaches_its_target_and_less_does_not(values, k, delta):
    k = min(k, values.shape[1])
    result = Study(ScoreMatrix(values)).audit(k=k, eps=0.5, methods=["topk"])
    curve = result.curve(k)
    eps = curve.smallest_eps(delta)
    audited = (
        Study(ScoreMatrix(values))
        .audit(k=k, eps=eps, methods=["inflated_topk"])
        .table[0]
    )
    assert audited.delta <= delta
    least = (
        eps == curve.tie_eps or curve.breaking_eps.max() == 0
    )  # no smaller one inflates anything
    assert least or curve.delta(eps * (1 - 1e-5)) > delta


@given(matrices())
def test_flips_name_exactly_the_units_that_change_an_answer(values):
    k = (values.shape[1] + 1) // 2
    data = ScoreMatrix(values, items=[f"item {j}" for j in range(values.shape[1])])
    result = Study(data).audit(k=k, methods="topk")
    flips = result.flips(k)
    assert sum(flip.count for flip in flips) / flips.units == pytest.approx(
        result.row("topk", k).delta
    )
    assert [flip.number for flip in flips] == result.row("topk", k).broken.tolist()
    for flip in flips:
        assert flip.leaves
        assert not set(flip.leaves) & set(flip.enters)
        assert len(flip.leaves) == len(flip.enters)


def test_the_frame_has_one_row_for_each_method_and_k():
    result = Study(ScoreMatrix(np.eye(4))).audit(k=[1, 2], eps=0.1)
    for backend in ("polars", "pandas", "pyarrow"):
        frame = result.to_frame(backend)
        names = list(frame.column_names if backend == "pyarrow" else frame.columns)
        assert names == ["method", "k", "delta", "jaccard", "size"]
        assert len(frame) == 6
    methods = result.to_frame("pandas")["method"].tolist()
    assert methods == [
        "topk",
        "topk",
        "inflated_topk",
        "inflated_topk",
        "ranking",
        "inflated_ranking",
    ]


def test_a_set_too_large_to_count_says_so_and_keeps_its_delta():
    scores = np.linspace(1, 0, 80)
    values = np.stack([scores, scores[::-1], scores])
    row = (
        Study(ScoreMatrix(values))
        .audit(k=1, eps=5.0, methods=["inflated_ranking"])
        .table[0]
    )
    assert row.size is None
    assert row.log10_size is None
    assert "not counted" in row.note
    assert row.delta == 0


def test_huge_sizes_are_shown_by_their_logarithm():
    values = np.ones((3, 3000))
    row = (
        Study(ScoreMatrix(values))
        .audit(k=1, eps=0.1, methods=["inflated_ranking"])
        .table[0]
    )
    assert row.log10_size == pytest.approx(9130.6, abs=0.1)
    assert len(repr(row)) < 250
    assert (
        Study(ScoreMatrix(values))
        .audit(k=1, eps=0.1)
        .to_frame("pandas")["size"]
        .iloc[-1]
        == np.inf
    )


def test_a_ranking_audit_of_a_thousand_units_over_a_thousand_items():
    rng = np.random.default_rng(7)
    values = rng.normal(size=(1000, 1000)) + np.linspace(3, 0, 1000)
    result = Study(ScoreMatrix(values)).audit(
        k=10, eps=0.02, methods=["ranking", "inflated_ranking"]
    )
    plain, inflated = result.table
    assert plain.delta > 0.9
    assert inflated.delta <= result.share_reaching_eps


def test_all_equal_scores_are_stable_and_one_item_too():
    for values in (np.ones((4, 5)), np.arange(4.0)[:, np.newaxis]):
        for row in Study(ScoreMatrix(values)).audit(k=1, eps=0.1).table:
            assert row.delta == 0


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"k": 0, "eps": 0.1}, InvalidSettingError, "from 1 to 3"),
        ({"k": [2, 4], "eps": 0.1}, InvalidSettingError, "is 4"),
        ({"k": [], "eps": 0.1}, InvalidValueError, "k is empty"),
        ({"k": "2", "eps": 0.1}, InvalidSettingError, "'2'"),
        ({"k": 2.0, "eps": 0.1}, InvalidSettingError, "2.0"),
        ({"k": 1, "eps": -1}, InvalidSettingError, "-1"),
        ({"k": 1, "eps": 0.1, "methods": ["top"]}, InvalidValueError, "'top'"),
    ],
)
def test_bad_arguments_are_refused_by_name(arguments, error, text):
    with pytest.raises(
        error, match="k is empty" if text == "k is empty" else None
    ) as caught:
        Study(ScoreMatrix(np.arange(9.0).reshape(3, 3))).audit(**arguments)
    assert text in str(caught.value)


def test_one_unit_only_cannot_be_left_out():
    with pytest.raises(TooFewUnitsError):
        Study(ScoreMatrix([[1.0, 2.0]])).audit(k=1, eps=0.1)


def test_what_was_not_audited_is_said():
    result = Study(ScoreMatrix(np.eye(3))).audit(k=1, eps=0.1, methods=["topk"])
    with pytest.raises(
        InvalidValueError, match="inflated_topk with k=2 was not audited"
    ):
        result.row("inflated_topk", 2)


def test_pruning_changes_nothing_on_a_larger_table():
    rng = np.random.default_rng(3)
    users = np.repeat(np.arange(60), 25)
    items = np.concatenate([rng.choice(400, 25, replace=False) for _ in range(60)])
    data = Ratings(users, items, rng.integers(1, 6, len(users)), items=range(400))
    result = Study(data).audit(k=[5, 20], eps=0.05, methods=["topk", "inflated_topk"])
    loo = MeanRating().leave_one_out(data)
    rows = [row for block in loo.blocks() for row in block.dense(loo.scores)]
    expected = twin_topk(loo.scores, rows, [5, 20], 0.05)
    found = {(row.k, row.method): (row.delta, row.jaccard) for row in result.table}
    assert found.keys() == expected.keys()
    assert len(found) == 4
    for asked, numbers in expected.items():
        assert found[asked] == pytest.approx(numbers, abs=1e-12)


def twin_topk(full, rows, ks, eps):
    found = {}
    for k in ks:
        for method, answer in (
            ("topk", lambda w, k=k: set(topk(w, k).tolist())),
            (
                "inflated_topk",
                lambda w, k=k: set(inflated_topk(w, k, eps).indices.tolist()),
            ),
        ):
            base = answer(full)
            others = [answer(row) for row in rows]
            found[k, method] = (
                np.mean([len(base & other) < k for other in others]),
                np.mean([len(base & other) / len(base | other) for other in others]),
            )
    return found


@pytest.mark.parametrize("eps", [0.0, -1.0, float("nan"), np.array([0.1, 0.0])])
def test_the_curve_begins_above_0(eps):
    curve = Study(ScoreMatrix(np.eye(3))).audit(k=1, eps=0.1).curve(1)
    for ask in (curve.delta, curve.size):
        with pytest.raises(InvalidSettingError):
            ask(eps)


def test_the_curve_answers_one_eps_with_a_number_and_several_with_an_array():
    curve = (
        Study(ScoreMatrix([[3.0, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]))
        .audit(k=2, eps=0.1)
        .curve(2)
    )
    assert isinstance(curve.delta(0.1), float)
    assert isinstance(curve.size(0.1), int)
    several = np.array([0.1, 0.2, 0.5, np.inf])
    assert curve.delta(several).tolist() == [
        curve.delta(eps) for eps in several.tolist()
    ]
    assert curve.size(several).tolist() == [curve.size(eps) for eps in several.tolist()]
    steps, delta, size = curve.steps()
    assert (np.diff(delta) <= 0).all()
    assert (np.diff(size) >= 0).all()
    assert (delta[-1], size[-1]) == (0.0, 3)
    assert set(curve.breaking_eps) | set(curve.critical_eps) == set(steps)
