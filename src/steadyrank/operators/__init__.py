"""Step 2, from scores to sets: arrays in, sets out; no labels, files or kinds of data here."""

from steadyrank.operators.critical import critical_eps
from steadyrank.operators.intervals import CertainOrder, certainly_above, rank_intervals, tiers
from steadyrank.operators.rankings import RankingSet, inflated_ranking
from steadyrank.operators.topk_sets import (
    InflatedTopK,
    inflated_argmax,
    inflated_topk,
    inflated_topk_mask,
    topk,
)

__all__ = [
    "CertainOrder",
    "InflatedTopK",
    "RankingSet",
    "certainly_above",
    "critical_eps",
    "inflated_argmax",
    "inflated_ranking",
    "inflated_topk",
    "inflated_topk_mask",
    "rank_intervals",
    "tiers",
    "topk",
]
