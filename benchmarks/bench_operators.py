"""The operators against the plain ways of NumPy, of a dictionary, of enumeration, and of the authors."""

from __future__ import annotations

from itertools import permutations
from time import perf_counter

import numpy as np

import authors_way
from dictionary_of_states import count_rankings
from measure import Row, at_most, best_times, faster, shown
from steadyrank import (
    inflated_ranking,
    inflated_topk,
    inflated_topk_mask,
    rank_intervals,
)


def run(quick: bool) -> list[Row]:
    rng = np.random.default_rng(20250101)
    return [
        *topk_rows(rng, quick),
        mask_row(rng, quick),
        count_row(rng, quick),
        *enumeration_rows(quick),
        *intersection_rows(rng),
        authors_row(rng, quick),
        *size_rows(rng, quick),
    ]


def near_ties(rng: np.random.Generator, items: int, eps: float) -> np.ndarray:
    """Return scores of which 500 lie within eps of the 20th best."""
    scores = rng.random(items)
    scores[rng.choice(items, 500, replace=False)] = 1 + eps * rng.random(500)
    return scores


def topk_rows(rng: np.random.Generator, quick: bool) -> list[Row]:
    rows = []
    sizes = [(10_000, 2.5), (100_000, 1.5), (1_000_000, 1.5), (10_000_000, 1.5)]
    for items, limit in sizes[: 2 if quick else None]:
        for name, scores in (
            ("uniform", rng.random(items)),
            ("near-ties", near_ties(rng, items, 0.01)),
        ):
            row = at_most(
                f"inflated_topk, k=20, L={items:,}, {name}, against argpartition",
                lambda w=scores: np.argpartition(w, len(w) - 20),
                lambda w=scores: inflated_topk(w, 20, 0.01),
                limit,
                repeats=max(3, 2_000_000 // items),
                note=f"{inflated_topk(scores, 20, 0.01).size:,} members",
            )
            rows.append(row)
    return rows


def mask_row(rng: np.random.Generator, quick: bool) -> Row:
    rows = rng.random((100 if quick else 1000, 10_000))
    rows[:, :300] = 1 + 0.01 * rng.random((len(rows), 300))
    return at_most(
        f"inflated_topk_mask, k=20, {len(rows):,} x 10,000, near-ties, against partition",
        lambda: np.partition(rows, 9_980, axis=1),
        lambda: inflated_topk_mask(rows, 20, 0.01),
        2.0,
        repeats=3,
    )


WHY = "ours walks layer by layer, all states with equally many items placed at once"


def count_row(rng: np.random.Generator, quick: bool) -> Row:
    """Count the rankings of a set, against a dictionary of states; the goal is 20 times as fast.

    It is missed. A sweep over the scores with digits in machine words was 13 to 16 times as fast, but
    three times the code of this plain walk.
    """
    scores = rng.random(200 if quick else 1000)
    eps = 0.05 if quick else 0.015
    ranked = sorted(scores.tolist(), reverse=True)
    found = inflated_ranking(scores, eps).count()
    if found != count_rankings(ranked, eps):
        raise AssertionError("the two counts differ")
    return faster(
        f"count, L={len(scores):,} uniform, eps={eps}, against a dictionary of states",
        lambda: count_rankings(ranked, eps),
        lambda: inflated_ranking(scores, eps).count(),
        20,
        our_repeats=3,
        note=f"a number of {len(str(found))} digits; {WHY}",
    )


def enumerated_intersects(w: np.ndarray, v: np.ndarray, eps: float) -> bool:
    """List all permutations that one set holds, and look each up in the other."""
    one, other = inflated_ranking(w, eps), inflated_ranking(v, eps)
    return any(list(p) in one and list(p) in other for p in permutations(range(len(w))))


def enumeration_rows(quick: bool) -> list[Row]:
    rows = []
    for items in (4, 6) if quick else (4, 6, 8, 9, 10):
        w = np.linspace(1, 0, items)
        # Far enough apart that no ranking is shared: enumeration must look at all of them.
        v = w[::-1].copy()
        start = perf_counter()
        enumerated_intersects(w, v, 0.1)
        base = perf_counter() - start
        (mine,) = best_times(
            [
                lambda w=w, v=v: inflated_ranking(w, 0.1).intersects(
                    inflated_ranking(v, 0.1)
                )
            ],
            20,
        )
        name = f"intersects, L={items}, against enumeration of {items}! permutations"
        rows.append(Row(name, base, mine, base / mine, "shown", None))
    return rows


def intersection_rows(rng: np.random.Generator) -> list[Row]:
    rows = []
    for items in (100, 1_000, 10_000):
        w = rng.random(items)
        # About ten scores within c of each other, and every score moved by about as much.
        eps = 15 / items
        v = w + rng.normal(0, eps / 4, items)
        one, other = inflated_ranking(w, eps), inflated_ranking(v, eps)
        found = one.intersects(other)
        rows.append(
            shown(
                f"intersects, L={items:,}, all scores moved",
                lambda one=one, other=other: one.intersects(other),
                repeats=3,
                note=f"shares a ranking: {'yes' if found else 'no'}",
            )
        )
    return rows


def authors_row(rng: np.random.Generator, quick: bool) -> Row:
    items = 1_777 if quick else 17_770
    scores = np.round(5 * rng.beta(4, 2, items), 3)
    return faster(
        f"inflated_topk, k=20, L={items:,}, against a projection for each candidate",
        lambda: authors_way.inflated_top_k(scores, 20, 0.01),
        lambda: inflated_topk(scores, 20, 0.01),
        1,
        our_repeats=20,
        note="the authors' way",
    )


def size_rows(rng: np.random.Generator, quick: bool) -> list[Row]:
    items = 100_000 if quick else 10_000_000
    scores = rng.random(items)
    batch = rng.random(
        (100 if quick else 1000, 10_000 if quick else 100_000), dtype=np.float32
    )
    shape = f"{batch.shape[0]:,} x {batch.shape[1]:,}"
    return [
        at_most(
            f"rank_intervals, L={items:,}, eps=1e-5, against argsort",
            lambda: np.argsort(scores),
            lambda: rank_intervals(scores, 1e-5),
            3.0,
            repeats=3,
        ),
        shown(
            f"inflated_topk_mask, k=20, {shape}",
            lambda: inflated_topk_mask(batch, 20, 0.01),
        ),
    ]
