from steadyrank.data import (
    Ballots as Ballots,
    Battles as Battles,
    Ratings as Ratings,
    Regression as Regression,
    ScoreMatrix as ScoreMatrix,
    Votes as Votes,
    read_any as read_any,
)
from steadyrank.errors import SteadyrankError as SteadyrankError
from steadyrank.operators import (
    CertainOrder as CertainOrder,
    InflatedTopK as InflatedTopK,
    KendallDistance as KendallDistance,
    RankingSet as RankingSet,
    certainly_above as certainly_above,
    covering_eps as covering_eps,
    critical_eps as critical_eps,
    inflated_argmax as inflated_argmax,
    inflated_ranking as inflated_ranking,
    inflated_topk as inflated_topk,
    inflated_topk_mask as inflated_topk_mask,
    meeting_eps as meeting_eps,
    rank_intervals as rank_intervals,
    tiers as tiers,
    topk as topk,
)
from steadyrank.scorers import (
    Approval as Approval,
    Bagged as Bagged,
    Borda as Borda,
    BradleyTerry as BradleyTerry,
    ColumnMeans as ColumnMeans,
    ConstrainedLeastSquares as ConstrainedLeastSquares,
    MeanRating as MeanRating,
    OrdinaryLeastSquares as OrdinaryLeastSquares,
    Plurality as Plurality,
    Refit as Refit,
    Ridge as Ridge,
)
from steadyrank.stability import (
    Audit as Audit,
    Certificate as Certificate,
    Margin as Margin,
    StableRanking as StableRanking,
    StableTopK as StableTopK,
    Study as Study,
    audit as audit,
    margin as margin,
    stable_ranking as stable_ranking,
    stable_topk as stable_topk,
    write_report as write_report,
)

__version__: str
