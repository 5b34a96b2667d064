"""The slow, obvious audit: take each unit away, score again, answer again, compare.

Units are found and taken away here, row by row, from what the data openly hold; nothing is asked of
the units, the leave-one-out or the copies of the package, which are what is judged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steadyrank import (
    Ballots,
    Battles,
    Ratings,
    Regression,
    ScoreMatrix,
    Votes,
    inflated_ranking,
    inflated_topk,
    topk,
)


@dataclass(frozen=True)
class Found:
    delta: float
    jaccard: float | None
    size: int


def left_out(data):
    """Yield (copies, rest): how many units are like one of them, and the data without that one."""
    return LEFT_OUT[type(data)](data)


def one_less(counts):
    """Yield (copies, kept, fewer): which rows stay, and their counts, with one copy of a row gone."""
    for row, copies in enumerate(counts.tolist()):
        fewer = counts.copy()
        fewer[row] -= 1
        kept = fewer > 0
        yield copies, kept, fewer[kept]


def votes_left(data):
    labels = np.array(data.items, dtype=object)
    for copies, kept, counts in one_less(data.counts):
        yield copies, Votes(labels[data.choices[kept]], counts=counts, items=data.items)


def ballots_left(data):
    ballots = [ballot_entries(data, ballot) for ballot in range(len(data.counts))]
    for copies, kept, counts in one_less(data.counts):
        rest = [ballots[ballot] for ballot in np.flatnonzero(kept)]
        yield (
            copies,
            Ballots(rest, counts=counts, items=data.items, approval=data.approval),
        )


def ballot_entries(data, ballot):
    """Return a ballot as it was given: the approved items, or tiers of tied ones, best first."""
    span = slice(data.indptr[ballot], data.indptr[ballot + 1])
    ranked = [data.items[place] for place in data.ranked[span]]
    if data.approval:
        return ranked
    levels = data.levels[span].tolist()
    return [
        [item for item, own in zip(ranked, levels, strict=True) if own == level]
        for level in sorted(set(levels))
    ]


def ratings_left(data):
    users = np.array(
        [
            user
            for user in range(len(data.indptr) - 1)
            for _ in range(*data.indptr[[user, user + 1]])
        ]
    )
    for user in range(len(data.indptr) - 1):
        kept = users != user
        yield (
            1,
            Ratings(
                users[kept],
                np.array(data.items, dtype=object)[data.rated[kept]],
                data.values[kept],
                items=data.items,
            ),
        )


def battles_left(data):
    labels = np.array(data.items, dtype=object)
    whole = (
        one_less(data.counts)
        if data.unit is None
        else groups_less(data.unit, data.counts)
    )
    for copies, kept, counts in whole:
        yield (
            copies,
            Battles(
                labels[data.left[kept]],
                labels[data.right[kept]],
                np.array(["tie", "left", "right"], dtype=object)[data.outcome[kept]],
                counts=counts,
                items=data.items,
                units=None if data.unit is None else data.unit[kept],
            ),
        )


def groups_less(unit, counts):
    """Yield (1, kept, counts) without each group of rows."""
    for group in sorted(set(unit.tolist())):
        kept = unit != group
        yield 1, kept, counts[kept]


def matrix_left(data):
    unit = np.arange(len(data.values)) if data.unit is None else data.unit
    for _, kept, values in groups_less(unit, data.values):
        units = None if data.unit is None else unit[kept]
        yield (
            1,
            ScoreMatrix(values, items=data.items, units=units, missing=data.missing),
        )


def regression_left(data):
    for row in range(len(data.y)):
        rest = np.arange(len(data.y)) != row
        yield 1, Regression(data.X[rest], data.y[rest], items=data.items)


LEFT_OUT = {
    Votes: votes_left,
    Ballots: ballots_left,
    Ratings: ratings_left,
    Battles: battles_left,
    ScoreMatrix: matrix_left,
    Regression: regression_left,
}


def brute_audit(data, scorer, ks, eps, *, rankings=True):
    """Return {(method, k): Found} by brute force; every unit as often as it occurs."""
    copies, rests = zip(*left_out(data), strict=True)
    full, others = scorer.score(data), [scorer.score(rest) for rest in rests]
    weights = np.array(copies) / sum(copies)
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
            sets = [answer(w) for w in others]
            broken = np.array([len(base & other) < k for other in sets])
            alike = np.array([len(base & other) / len(base | other) for other in sets])
            found[method, k] = Found(
                float(weights @ broken), float(weights @ alike), len(base)
            )
    if rankings:
        found |= _rankings(full, others, weights, eps)
    return found


def _rankings(full, others, weights, eps):
    plain = [tuple(np.argsort(-w, kind="stable")) for w in (full, *others)]
    changed = np.array([order != plain[0] for order in plain[1:]])
    sets = [
        {tuple(order.tolist()) for order in inflated_ranking(w, eps)}
        for w in (full, *others)
    ]
    empty = np.array([not (sets[0] & other) for other in sets[1:]])
    return {
        ("ranking", None): Found(float(weights @ changed), None, 1),
        ("inflated_ranking", None): Found(float(weights @ empty), None, len(sets[0])),
    }


def differences(result, expected, tolerance=1e-12):
    """Return what an audit and the brute force do not agree on; nothing if all is well."""
    wrong = []
    if {(row.method, row.k) for row in result.table} != set(expected):
        wrong.append("other rows")
    for row in result.table:
        true = expected[row.method, row.k]
        same_jaccard = (row.jaccard is None) == (true.jaccard is None) and (
            row.jaccard is None or abs(row.jaccard - true.jaccard) <= tolerance
        )
        if (
            abs(row.delta - true.delta) > tolerance
            or not same_jaccard
            or row.size != true.size
        ):
            wrong.append((row, true))
    return wrong
