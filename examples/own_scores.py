"""Scores of your own: one vector says at which eps each item joins the top k."""

from __future__ import annotations

import numpy as np

from steadyrank import critical_eps, inflated_topk, rank_intervals

scores = np.array([0.912, 0.907, 0.906, 0.881, 0.880, 0.852])
enters = critical_eps(scores, k=2)
for eps in (0.001, 0.005, 0.02, 0.05):
    members = np.flatnonzero(enters < eps)
    same = set(members) == set(inflated_topk(scores, k=2, eps=eps).indices)
    print(f"eps {eps}: items {members.tolist()}, as inflated_topk says: {same}")
lowest, highest = rank_intervals(scores, eps=0.005)
print(
    "ranks at eps 0.005:",
    [f"{low}-{high}" for low, high in zip(lowest, highest, strict=True)],
)
