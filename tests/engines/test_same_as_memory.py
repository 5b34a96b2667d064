"""Every engine against memory on the same data: the same deltas, sets, ties, curves and flips."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine_makers import in_batches, maker, relation, scan_ratings
from steadyrank import Ratings, Study, Votes, read
from steadyrank.errors import InvalidDataError
from steadyrank.scorers import BradleyTerry, Mean


def some_ratings(seed, *, users=60, items=12, scale="stars", text=False, dense=0.4):
    """Return columns of ratings with many equal scores and with near-ties."""
    rng = np.random.default_rng(seed)
    user, item = np.nonzero(rng.random((users, items)) < dense)
    stars = {
        "stars": rng.integers(1, 4, len(user)),
        "half stars": rng.integers(2, 11, len(user)) / 2,
        "single": (rng.integers(10, 50, len(user)) / 10).astype(np.float32),
        "cents": rng.integers(100, 1000, len(user)) / 100,
        "millionths": np.round(
            rng.normal(size=len(user)) + rng.integers(0, 2, len(user)), 6
        ),
    }[scale]
    order = rng.permutation(len(user))
    user, item, stars = user[order] * 7 - 50, item[order] + 3, stars[order]
    if text:
        user = np.array([f"user {number}" for number in user], dtype=object)
        item = np.array([f"item {number}" for number in item], dtype=object)
    return {"user": user, "item": item, "rating": stars}


def assert_same(scanned, loaded, *, ks, eps, scorer=None, rankings=True):
    """Compare everything that an audit and an answer say."""
    methods = ("topk", "inflated_topk") + (
        ("ranking", "inflated_ranking") if rankings else ()
    )
    one, two = (
        Study(data, scorer).audit(k=ks, eps=eps, methods=methods)
        for data in (scanned, loaded)
    )
    assert one.items == two.items
    assert one.units.total == two.units.total
    assert list(one.units.labels) == list(two.units.labels)
    np.testing.assert_array_equal(one.scores, two.scores)
    np.testing.assert_allclose(one.shifts, two.shifts, rtol=1e-9, atol=1e-14)
    for mine, other in zip(one.table, two.table, strict=True):
        assert (mine.method, mine.k, mine.delta, mine.size) == (
            other.method, other.k, other.delta, other.size
        )  # fmt: skip
        np.testing.assert_array_equal(mine.broken, other.broken)
        assert (mine.jaccard is None) == (other.jaccard is None)
        if mine.jaccard is not None:
            assert mine.jaccard == pytest.approx(other.jaccard, rel=1e-12)
    assert one.share_reaching_eps == two.share_reaching_eps
    for k in ks:
        curve, expected = one.curve(k), two.curve(k)
        np.testing.assert_array_equal(curve.breaking_eps, expected.breaking_eps)
        np.testing.assert_array_equal(curve.critical_eps, expected.critical_eps)
        assert one.flips(k) == two.flips(k)
        for delta in (0.0, 0.1):
            mine = Study(scanned, scorer).topk(k, delta=delta)
            other = Study(loaded, scorer).topk(k, delta=delta)
            for name in ("members", "sure", "contenders", "eps"):
                assert getattr(mine, name) == getattr(other, name)
            assert list(mine.rows()) == list(other.rows())
            assert mine.certificate.sentence == other.certificate.sentence
    mine = Study(scanned, scorer).ranking(eps=0.1)
    other = Study(loaded, scorer).ranking(eps=0.1)
    assert mine.ranking == other.ranking
    assert (mine.eps, mine.certificate) == (other.eps, other.certificate)


def check_ratings(make, scale, text, ks, *, rankings=True):
    columns = some_ratings(1, scale=scale, text=text)
    loaded = Ratings(columns["user"], columns["item"], columns["rating"])
    scanned = scan_ratings(make(columns), batch_rows=90)  # several batches
    assert_same(scanned, loaded, ks=ks, eps=0.2, rankings=rankings)
    assert any("brought back" in note for note in scanned.notes)


@pytest.mark.parametrize(
    ("scale", "text"),
    [("stars", True), ("half stars", False), ("single", True), ("cents", False)],
)
def test_ratings(lazily_here, scale, text):
    check_ratings(lazily_here, scale, text, [1, 12])


def test_ratings_of_six_decimal_places(lazily):
    check_ratings(lazily, "millionths", False, [4], rankings=False)


@pytest.mark.parametrize("odd", [1 / 3, 1e-7, 1e15 + 0.5, 2.0**60])
def test_values_whose_sums_would_be_rounded_are_refused_with_a_way_out(odd):
    columns = some_ratings(1, scale="cents")
    columns["rating"][7] = odd
    with pytest.raises(InvalidDataError, match=r"at most 6 decimal places.*round\("):
        scan_ratings(relation(columns))
    columns["rating"] = np.round(columns["rating"] % 10, 4)
    loaded = Ratings(columns["user"], columns["item"], columns["rating"])
    assert_same(
        scan_ratings(relation(columns)), loaded, ks=[3], eps=0.1, rankings=False
    )


def test_ratings_in_cents_by_text_labels(lazily):
    check_ratings(lazily, "cents", True, [4])


@pytest.mark.parametrize(
    ("seed", "eps"), [(0, 0.01), (1, float(np.sqrt(2)) / 5), (2, 1.0), (3, 0.01)]
)
def test_ratings_of_few_users_with_many_ties(seed, eps):
    columns = some_ratings(seed, users=7, items=5, dense=0.6)
    loaded = Ratings(columns["user"], columns["item"], columns["rating"])
    scanned = scan_ratings(relation(columns), batch_rows=4)
    assert_same(scanned, loaded, ks=list(range(1, loaded.n_items + 1)), eps=eps)
    assert_same(scanned, loaded, ks=[2], eps=eps, scorer=Mean(shrinkage=0.1))


def test_repeated_ratings_are_averaged_in_sql():
    columns = some_ratings(3, scale="half stars")
    again = {
        name: np.concatenate([column, column[:40]]) for name, column in columns.items()
    }
    again["rating"][-40:] = 5.0
    means = (
        'select "user", item, round(avg(rating), 6) as rating from given group by all'
    )
    scanned = scan_ratings(relation(again).query("given", means))
    loaded = Ratings(again["user"], again["item"], again["rating"], duplicates="mean")
    assert_same(scanned, loaded, ks=[3], eps=0.1, rankings=False)


def long_table(seed, *, rows=40, items=6, gaps=False, text=False):
    rng = np.random.default_rng(seed)
    row, item = (column.ravel() for column in np.indices((rows, items)))
    columns = {
        "question": row + 5,
        "model": np.array([f"m{number}" for number in item], dtype=object)
        if text
        else item,
        "score": rng.integers(0, 3, len(row)) / 2,
    }
    kept = rng.permutation(len(row))
    if gaps:
        kept = kept[: len(kept) * 3 // 4]
    return {name: column[kept] for name, column in columns.items()}


def check_scores(make, *, gaps):
    columns = long_table(5, gaps=gaps, text=True, rows=80)
    said = {"unit": "question", "item": "model", "score": "score"}
    loaded = read(columns, **said)
    scanned = in_batches(read(make(columns), **said), 150)
    assert_same(scanned, loaded, ks=[3], eps=0.05)
    scorer = Mean(value_range=(0, 1))
    mine, other = scorer.sensitivity(scanned), scorer.sensitivity(loaded)
    assert mine.eps == pytest.approx(other.eps, rel=1e-12)
    assert mine.sentence == other.sentence
    assert mine.numbers == other.numbers


@pytest.mark.parametrize("gaps", [False, True])
def test_scores(lazily_here, gaps):
    check_scores(lazily_here, gaps=gaps)


def test_rows_within_units_need_memory(lazily_here):
    columns = long_table(5)
    columns["topic"] = columns["question"] % 7
    said = {"row": "question", "item": "model", "score": "score", "unit": "topic"}
    with pytest.raises(InvalidDataError, match="an engine takes scores without row"):
        read(lazily_here(columns), **said)


@pytest.mark.spark
def test_scores_on_spark(spark_session):
    check_scores(maker("spark", spark_session), gaps=True)


def test_proved_bound_of_ratings(lazily):
    columns = some_ratings(2)
    loaded = Ratings(columns["user"], columns["item"], columns["rating"])
    scanned = scan_ratings(lazily(columns))
    scorer = Mean(1.0, value_range=(1, 5))
    mine, other = scorer.sensitivity(scanned), scorer.sensitivity(loaded)
    assert mine.eps == pytest.approx(other.eps, rel=1e-12)


def test_votes(lazily):
    choices = np.random.default_rng(0).choice(
        ["ann", "bob", "cyd", "dan"], 200, p=[0.4, 0.3, 0.2, 0.1]
    )
    columns = {"vote": choices.astype(object)}
    scanned = read(lazily(columns), choice="vote")
    assert_same(scanned, Votes(choices), ks=[1, 3], eps=0.01)
    counted = {"candidate": ["x", "y", "x", "z"], "votes": [5, 9, 4, 0]}
    said = {"choice": "candidate", "count": "votes"}
    assert_same(read(lazily(counted), **said), read(counted, **said), ks=[1], eps=0.01)


def test_approvals(lazily):
    said = {"choice": "vote", "unit": "voter"}
    columns = {"vote": ["x", "y", "x", "z", "x"], "voter": ["a", "a", "b", "b", "c"]}
    assert_same(
        read(lazily(columns), **said), read(columns, **said), ks=[1, 2], eps=0.01
    )
    twice = {"vote": ["x", "x", "y"], "voter": ["a", "a", "b"]}
    for data in (lazily(twice), twice):
        with pytest.raises(InvalidDataError, match="twice"):
            read(data, **said)


@pytest.mark.parametrize("groups", [False, True], ids=["battles", "groups"])
def test_battles(lazily, groups):
    rng = np.random.default_rng(4)
    left = rng.integers(0, 5, 400)
    right = (left + rng.integers(1, 5, 400)) % 5
    outcome = rng.choice(["tie", "model_a", "model_b"], 400, p=[0.2, 0.5, 0.3])
    names = np.array(["v", "w", "x", "y", "z"], dtype=object)
    columns = {
        "model_a": names[left],
        "model_b": names[right],
        "winner": outcome.astype(object),
    }
    said = {"left": "model_a", "right": "model_b", "winner": "winner"}
    if groups:
        columns["judge"] = rng.integers(0, 30, 400)
        said["unit"] = "judge"
    loaded = read(columns, **said)
    scanned = read(lazily(columns), **said)
    assert_same(scanned, loaded, ks=[2], eps=0.05, scorer=BradleyTerry(ridge=0.1))


@st.composite
def rating_columns(draw):
    """Ratings by 2 to 6 users of 1 to 5 items, half of them whole stars, so that scores tie."""
    users, items = draw(st.integers(2, 6)), draw(st.integers(1, 5))
    pairs = [(user, item) for user in range(users) for item in range(items)]
    chosen = sorted(
        set(draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=20)))
    )
    chosen += [(user, 0) for user in range(users) if (user, 0) not in chosen]
    stars = st.integers(1, 3)
    value = draw(
        st.sampled_from([stars, st.integers(1, 9999).map(lambda cents: cents / 100)])
    )
    return {
        "user": [user for user, _ in chosen],
        "item": [item for _, item in chosen],
        "rating": [draw(value) for _ in chosen],
    }


@given(rating_columns(), st.sampled_from([0.01, 0.25, float(np.sqrt(2)) / 4, 2.0]))
@settings(max_examples=8)
def test_any_ratings(columns, eps):
    loaded = Ratings(columns["user"], columns["item"], columns["rating"])
    scanned = scan_ratings(relation(columns), batch_rows=5)
    assert_same(scanned, loaded, ks=list(range(1, loaded.n_items + 1)), eps=eps)
