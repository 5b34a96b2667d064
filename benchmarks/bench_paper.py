"""The paper's experiments against the straightforward way of `authors_way.py`.

Both ways take turns, so that a noisy machine slows down both, and their answers are compared.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

import authors_way
from measure import Row, anew, shown
from paper.full_ranking import regression_experiment
from paper.lookalike import Lookalike, lookalike_population
from paper.movie_lists import EPS, KS, audited, netflix_experiment
from paper.regression import EPS as REGRESSION_EPS, regression_trials

if TYPE_CHECKING:
    from collections.abc import Callable

TURNS = 6

OURS = 5
"""How often ours runs in each turn: one run of milliseconds says little on a noisy machine."""


def run(quick: bool = False) -> list[Row]:
    source = lookalike_population()
    rows = [
        full_ranking(quick),
        audit_of_a_trial(source, quick),
        all_trials(source, quick),
    ]
    return rows if quick else [*rows, everybody(source)]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = perf_counter()
    result = work()
    return perf_counter() - start, result


def in_turns(
    theirs: list[Callable[[], Any]], ours: Callable[[], Any]
) -> tuple[float, float, list[Any]]:
    """Return the time of all of theirs, the median time of ours, run after each, and their results.

    What ours loads at its first call is loaded before.
    """
    ours()
    baseline, mine, results = 0.0, [], []
    for part in theirs:
        seconds, result = timed(part)
        baseline += seconds
        results.append(result)
        mine += [timed(ours)[0] for _ in range(OURS)]
    return baseline, float(np.median(mine)), results


def full_ranking(quick: bool) -> Row:
    compared = TURNS if quick else 10 * TURNS
    data = regression_trials(trials=compared)

    def part(trials: np.ndarray) -> Callable[[], Any]:
        return lambda: [
            authors_way.audit_regression(
                data.X[trial], data.y[trial], eps=REGRESSION_EPS
            )
            for trial in trials
        ]

    parts = [part(trials) for trials in np.array_split(np.arange(compared), TURNS)]
    baseline, ours, found = in_turns(parts, regression_experiment)
    result = regression_experiment()
    for method, summary in result.methods.items():
        deltas = [answer[method].delta for answers in found for answer in answers]
        assert np.array_equal(deltas, summary.deltas[:compared]), (
            "the two ways disagree"
        )
    trials = result.methods["ranking"].trials
    note = (
        f"bisection refits and enumerated permutations, {compared} trials; ours {trials:,} trials in "
        f"{ours:.2f} s, making the data included; deltas equal"
    )
    return compare(
        "Table 2: a trial of 50 rows, 5 features",
        baseline / compared,
        ours / trials,
        30,
        note,
    )


def audit_of_a_trial(source: Lookalike, quick: bool) -> Row:
    data = source.trial(0, n=1000)
    frame = authors_way.ratings_frame(data.indptr, data.rated, data.values)
    left_out = np.arange(TURNS * 5 if quick else data.n_units)

    def part(users: np.ndarray) -> Callable[[], Any]:
        return lambda: authors_way.audit_ratings(
            frame, data.n_items, KS, eps=EPS, users=users
        )

    parts = np.array_split(left_out, TURNS)
    theirs = [part(users) for users in parts]
    baseline, ours, found = in_turns(theirs, lambda: audited(anew(data), KS, EPS))
    if not quick:
        for (k, method), cell in audited(data, KS, EPS).items():
            deltas = [answer[k][method].delta for answer in found]
            assert np.isclose(
                np.average(deltas, weights=[len(p) for p in parts]), cell.delta
            )
    note = f"{len(left_out):,} users left out one after the other" + (
        "" if quick else "; deltas equal"
    )
    name = "Tables 1 and 3: audit of a trial, 1,000 users, five k, both methods"
    return compare(name, baseline * data.n_units / len(left_out), ours, 1000, note)


def all_trials(source: Lookalike, quick: bool) -> Row:
    trials = 10 if quick else 100
    seconds, _ = timed(lambda: netflix_experiment(source, trials=trials))
    whole, nothing = seconds * 100 / trials, float("nan")
    name = "Tables 1 and 3: 100 trials, ratings made and audited"
    note = f"{trials} trials in {seconds:.1f} s, two threads"
    return Row(name, nothing, whole, nothing, "at most 60 s", whole <= 60, note)


def everybody(source: Lookalike) -> Row:
    making, ratings = timed(source.everybody)
    return shown(
        f"Audit of all {ratings.n_units:,} users, five k, both methods",
        lambda: audited(ratings, KS, EPS),
        note=f"{len(ratings.values):,} ratings, made in {making:.1f} s",
    )


def compare(name: str, baseline: float, ours: float, factor: float, note: str) -> Row:
    ratio = baseline / ours
    return Row(
        name,
        baseline,
        ours,
        ratio,
        f"at least {factor:g}x faster",
        ratio >= factor,
        note,
    )
