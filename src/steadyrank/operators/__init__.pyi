from steadyrank.operators.inflation import critical_eps as critical_eps
from steadyrank.operators.intervals import (
    certainly_above as certainly_above,
    rank_intervals as rank_intervals,
    tiers as tiers,
)
from steadyrank.operators.rankings import (
    RankingSet as RankingSet,
    inflated_ranking as inflated_ranking,
)
from steadyrank.operators.topk_sets import (
    InflatedTopK as InflatedTopK,
    ball_topk as ball_topk,
    inflated_argmax as inflated_argmax,
    inflated_topk as inflated_topk,
    inflated_topk_mask as inflated_topk_mask,
    topk as topk,
)
