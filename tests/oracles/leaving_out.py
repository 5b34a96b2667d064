"""The slow, obvious audit: take each unit away, score again, answer again, compare."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from steadyrank import inflated_ranking, inflated_topk, topk
from steadyrank.scorers.without import without


@dataclass(frozen=True)
class Found:
    delta: float
    jaccard: float | None
    size: int


def left_out_scores(data, scorer):
    """Return the scores without one copy of each distinct unit, by scoring what is left."""
    return [scorer.score(without(data, unit)) for unit in range(len(data.units))]


def brute_audit(data, scorer, ks, eps, *, rankings=True):
    """Return {(method, k): Found} by brute force; every unit as often as it occurs."""
    full, others = scorer.score(data), left_out_scores(data, scorer)
    weights = data.units.counts / data.units.counts.sum()
    found = {}
    for k in ks:
        for method, answer in (
            ("topk", lambda w, k=k: set(topk(w, k).tolist())),
            ("inflated_topk", lambda w, k=k: set(inflated_topk(w, k, eps).indices.tolist())),
        ):
            base = answer(full)
            sets = [answer(w) for w in others]
            broken = np.array([len(base & other) < k for other in sets])
            alike = np.array([len(base & other) / len(base | other) for other in sets])
            found[method, k] = Found(float(weights @ broken), float(weights @ alike), len(base))
    if rankings:
        found |= _rankings(full, others, weights, eps)
    return found


def _rankings(full, others, weights, eps):
    plain = [tuple(np.argsort(-w, kind="stable")) for w in (full, *others)]
    changed = np.array([order != plain[0] for order in plain[1:]])
    sets = [{tuple(order.tolist()) for order in inflated_ranking(w, eps)} for w in (full, *others)]
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
        if abs(row.delta - true.delta) > tolerance or not same_jaccard or row.size != true.size:
            wrong.append((row, true))
    return wrong
