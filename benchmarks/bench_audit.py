"""The audit against the authors' way, against the cost of scoring, and against one fit."""

from __future__ import annotations

import resource
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

import authors_way
from measure import Row, at_most, best_times, shown
from paper.lookalike import lookalike_population
from steadyrank import Ballots, Battles, Ratings, ScoreMatrix, audit
from steadyrank.scorers import BradleyTerry, ColumnMeans, MeanRating

if TYPE_CHECKING:
    from paper.lookalike import Lookalike

KS = (5, 10, 20, 50, 100)
TOPK = ("topk", "inflated_topk")
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def run(quick: bool) -> list[Row]:
    population = lookalike_population()
    return [
        authors_row(population, quick),
        *population_rows(population, quick),
        *battle_rows(),
        *matrix_rows(quick),
        *ballot_rows(),
    ]


def topk_audit(data: Any, k: Any = KS, eps: float = 0.01) -> Any:
    return audit(data, k=k, eps=eps, methods=TOPK)


def authors_row(population: Lookalike, quick: bool) -> Row:
    """Compare on the paper's shape; the results must be equal before any time is taken."""
    data = population.trial(0, n=1000)
    frame = authors_way.ratings_frame(data.indptr, data.rated, data.values)
    users = list(range(100 if quick else data.n_units))
    start = perf_counter()
    theirs = authors_way.audit_ratings(frame, data.n_items, KS, eps=0.01, users=users)
    base = perf_counter() - start
    if not quick:
        agree(theirs, topk_audit(data))
    (mine,) = best_times([lambda: topk_audit(data)], 10)
    factor = 50 if quick else 500
    return Row(
        f"audit of {len(users):,} users, {len(data.rated):,} ratings, five k, against the authors' way",
        base,
        mine,
        base / mine,
        f"at least {factor}x faster",
        base / mine >= factor,
        "" if quick else "equal deltas, Jaccards and sizes, checked first",
    )


def agree(theirs: Any, ours: Any) -> None:
    """Complain unless every delta, Jaccard and size is the same."""
    for row in ours.table:
        expected = theirs[row.k]["inflated top-k" if row.method == "inflated_topk" else "top-k"]
        if abs(expected.delta - row.delta) > 1e-12 or abs(expected.jaccard - row.jaccard) > 1e-12:
            raise AssertionError(f"{row} differs from the authors' way: {expected}")
        if expected.size != row.size:
            raise AssertionError(f"{row} differs in size: {expected}")


def population_rows(population: Lookalike, quick: bool) -> list[Row]:
    rows = []
    everybody = population.ratings_of(np.arange(10_000)) if quick else population.everybody()
    sizes = [1_000] if quick else [10_000, 100_000]
    for users in [*sizes, everybody.n_units]:
        data = everybody if users == everybody.n_units else first_users(everybody, users)
        row = at_most(
            f"audit of {users:,} users, {len(data.rated):,} ratings, five k, against scoring alone",
            lambda data=data: MeanRating().score(data),
            lambda data=data: topk_audit(data),
            8,
            repeats=3,
            note=f"peak memory so far {peak_gigabytes():.1f} GB",
        )
        # The target is for the whole population; the smaller ones show how time grows.
        whole = users == everybody.n_units
        rows.append(row if whole else replace(row, target="shown", met=None))
    result = topk_audit(everybody)
    rows.append(
        shown(
            f"... and the whole delta(eps) curve for k=20, {everybody.n_units:,} users",
            lambda: result.curve(20),
        )
    )
    return rows


def first_users(data: Ratings, users: int) -> Ratings:
    stop = int(data.indptr[users])
    return Ratings.from_csr(
        data.indptr[: users + 1], data.rated[:stop], data.values[:stop], items=data.n_items
    )


def peak_gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def battle_rows() -> list[Row]:
    path = SHARED / "battles" / "arena_pairs.csv"
    if not path.exists():
        return []
    data = Battles.read(path)
    return [
        at_most(
            f"Bradley-Terry audit, top 10, {data.n_units:,} votes over {data.n_items} models, "
            "against one fit",
            lambda: BradleyTerry().score(data),
            lambda: topk_audit(data, k=10, eps=0.001),
            30,
            repeats=10,
            note=f"{len(data.units):,} distinct votes, each refitted to convergence",
        )
    ]


def matrix_rows(quick: bool) -> list[Row]:
    rng = np.random.default_rng(1)
    rows = 1_000 if quick else 10_000
    data = ScoreMatrix((rng.random((rows, 200)) < np.linspace(0.6, 0.4, 200)).astype(float))
    score, full = best_times([lambda: ColumnMeans().score(data), lambda: topk_audit(data)], 3)
    name = f"audit of a {rows:,} x 200 score matrix, five k, against scoring alone"
    return [Row(name, score, full, full / score, "shown", None)]


def ballot_rows() -> list[Row]:
    path = SHARED / "ballots" / "00001-00000003.soi"
    if not path.exists():
        return []
    data = Ballots.read(path)
    name = f"Borda audit of {data.n_units:,} ballots x {data.n_items} candidates, k=1,3,5"
    return [shown(name, lambda: topk_audit(data, k=(1, 3, 5), eps=0.001), repeats=3)]
