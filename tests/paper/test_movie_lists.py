"""Tables 1 and 3 on small populations, against the straightforward way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import authors_way
from paper.movie_lists import INFLATED_TOP_K, TOP_K, audited, netflix_experiment
from paper.population import population_study, study_work
from paper.sources import StoredSource, ratings_of_users
from paper.unstable_sort import unstable_top_k
from steadyrank import Ratings, Study
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from paper.lookalike import Lookalike

KS = (3, 5, 20)
EPS = 0.02


def small_ratings(seed: int, *, users: int = 12, movies: int = 400) -> Ratings:
    """Few users, many movies: most scores tie, and many movies have one rating only."""
    rng = np.random.default_rng(seed)
    degrees = rng.integers(1, movies // 2, users)
    rated = [np.sort(rng.choice(movies, degree, replace=False)) for degree in degrees]
    indptr = np.append(0, np.cumsum(degrees))
    return Ratings.from_csr(
        indptr, np.concatenate(rated), rng.integers(1, 6, indptr[-1]), items=movies
    )


def test_each_trial_is_what_the_straightforward_way_says(small: Lookalike) -> None:
    result = netflix_experiment(small, trials=2, users=40, ks=KS, eps=EPS)
    for number in range(2):
        data = small.trial(number, n=40)
        frame = authors_way.ratings_frame(data.indptr, data.rated, data.values)
        expected = authors_way.audit_ratings(frame, data.n_items, KS, eps=EPS)
        cells = audited(data, KS, EPS)
        for (k, method), cell in cells.items():
            assert cell.delta == pytest.approx(expected[k][method].delta)
            assert cell.jaccard == pytest.approx(expected[k][method].jaccard)
            assert cell.size == expected[k][method].size
            assert result.methods[k][method].deltas[number] == cell.delta


def test_tied_borders_are_seen() -> None:
    ratings = Ratings(["u", "v", "u"], ["a", "b", "c"], [4, 4, 2])
    cells = audited(ratings, [1, 2, 3], EPS)
    assert [cells[k, TOP_K].tied for k in (1, 2, 3)] == [True, False, False]


@pytest.mark.parametrize("seed", range(6))
def test_the_unstable_sort_against_scoring_again(seed: int) -> None:
    ratings = small_ratings(seed)
    owner = np.repeat(np.arange(ratings.n_units), np.diff(ratings.indptr))

    def best(kept: np.ndarray) -> list[int]:
        counts = np.bincount(ratings.rated[kept], minlength=ratings.n_items)
        sums = np.bincount(ratings.rated[kept], ratings.values[kept], ratings.n_items)
        # The script's array has a fixed length: a movie that loses its only rater stays, at 0.
        items = np.unique(ratings.rated)
        scores = sums[items] / (1 + counts[items])
        # Long doubles go through the portable routine, too, but as scores and not as codes.
        return items[
            np.argsort(-scores.astype(np.longdouble), kind="quicksort")
        ].tolist()

    full = best(owner >= 0)
    assert (np.bincount(ratings.rated) == 1).any()
    left_out = [best(owner != user) for user in range(ratings.n_units)]
    found = unstable_top_k(ratings, KS)
    for k in KS:
        common = np.array([len(set(full[:k]) & set(order[:k])) for order in left_out])
        assert found[k].delta == pytest.approx(np.mean(common < k))
        assert found[k].jaccard == pytest.approx(np.mean(common / (2 * k - common)))


def test_without_ties_the_sort_does_not_matter() -> None:
    # Each movie has its own large number of raters, so no two scores meet, nor do they without a user.
    users, movies = 60, 12
    rng = np.random.default_rng(1)
    rated = [np.flatnonzero(rng.random(movies) < 0.9) for _ in range(users)]
    values = [rng.integers(1, 1000, len(items)) for items in rated]
    indptr = np.append(0, np.cumsum([len(items) for items in rated]))
    ratings = Ratings.from_csr(
        indptr, np.concatenate(rated), np.concatenate(values), items=movies
    )
    by_rule = audited(ratings, [3, 6], EPS)
    for k, plain in unstable_top_k(ratings, [3, 6]).items():
        assert plain.delta == by_rule[k, TOP_K].delta
        assert plain.jaccard == pytest.approx(by_rule[k, TOP_K].jaccard)


def test_ties_only_concern_the_plain_list(small: Lookalike) -> None:
    text = netflix_experiment(small, trials=8, users=200, ks=KS, eps=EPS)
    script = netflix_experiment(
        small, trials=8, users=200, ks=KS, eps=EPS, ties="script"
    )
    for k in KS:
        assert script.methods[k][INFLATED_TOP_K] == text.methods[k][INFLATED_TOP_K]
    assert any(script.methods[k][TOP_K] != text.methods[k][TOP_K] for k in KS)
    assert script.tied_borders == text.tied_borders


def test_threads_change_nothing(small: Lookalike) -> None:
    one, three = (
        netflix_experiment(small, trials=5, users=50, ks=[5], threads=threads)
        for threads in (1, 3)
    )
    assert (
        one.methods[5][TOP_K].deltas.tolist() == three.methods[5][TOP_K].deltas.tolist()
    )


def test_a_trial_picks_the_same_users_from_memory(small: Lookalike) -> None:
    stored = StoredSource(small.everybody(), small.seed)
    made, picked = small.trial(4, n=90), stored.trial(4, n=90)
    assert made.indptr.tolist() == picked.indptr.tolist()
    assert made.rated.tolist() == picked.rated.tolist()
    assert made.values.tolist() == picked.values.tolist()
    assert made.items == picked.items


def test_picked_users_keep_their_labels() -> None:
    ratings = Ratings(["x", "y", "z", "x"], ["a", "a", "b", "b"], [1, 2, 3, 4])
    part = ratings_of_users(ratings, np.array([0, 2]))
    assert list(part.user_labels) == ["x", "z"]
    assert part.values.tolist() == [1, 4, 3]
    assert part.items == ratings.items


def test_the_study_ends_with_everybody(small: Lookalike) -> None:
    done: list[int] = []
    study = population_study(
        small, users=[100, 400], trials=3, ks=[5, 20], eps=EPS, progress=done.append
    )
    assert [(row.users, row.trials) for row in study.rows] == [
        (100, 3),
        (400, 3),
        (3000, 1),
    ]
    assert sum(done) == study_work(3000, [100, 400], 3)
    whole = Study(small.everybody()).audit(
        k=[5, 20], eps=EPS, methods=["topk", "inflated_topk"]
    )
    for k in (5, 20):
        assert study.rows[-1].methods[k][TOP_K].mean_delta == whole.row("topk", k).delta
        assert (
            study.rows[-1].methods[k][INFLATED_TOP_K].size
            == whole.row("inflated_topk", k).size
        )
    small = netflix_experiment(small, trials=3, users=400, ks=[5, 20], eps=EPS)
    assert study.rows[1].methods[20][TOP_K] == small.methods[20][TOP_K]
    assert json.loads(json.dumps(study.to_dict()))["rows"][2]["users"] == 3000


def test_how_many_users_are_needed(small: Lookalike) -> None:
    study = population_study(small, users=[100, 400], trials=3, ks=[20], eps=EPS)
    deltas = [row.methods[20][TOP_K].mean_delta for row in study.rows]
    assert deltas[0] > deltas[1] > deltas[2]
    assert study.users_needed(20, delta=1.0) == 100
    assert study.users_needed(20, delta=deltas[1]) == 400
    assert study.users_needed(20, delta=deltas[2]) == 3000
    assert study.users_needed(20, delta=deltas[2] - 1e-9) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda small: netflix_experiment(small, ties="any"), "but is 'any'"),
        (lambda small: netflix_experiment(small, trials=0), "trials must be"),
        (lambda small: netflix_experiment(small, users=4000), "from 1 to 3,000"),
        (
            lambda small: population_study(small, users=[5000]),
            "5,000 users .* only 3,000",
        ),
    ],
)
def test_wrong_requests_are_named(small: Lookalike, call, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        call(small)
