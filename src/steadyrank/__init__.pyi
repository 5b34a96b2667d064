from steadyrank.data import (
    Ballots as Ballots,
    Battles as Battles,
    Estimates as Estimates,
    Ratings as Ratings,
    Regression as Regression,
    ScoreMatrix as ScoreMatrix,
    Votes as Votes,
    read_any as read_any,
)
from steadyrank.errors import SteadyrankError as SteadyrankError
from steadyrank.operators import *  # noqa: F403 (all of them)
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
    Confidence as Confidence,
    Explanation as Explanation,
    Margin as Margin,
    Needed as Needed,
    RandomAudit as RandomAudit,
    StableRanking as StableRanking,
    StableTopK as StableTopK,
    Study as Study,
    audit as audit,
    confidence as confidence,
    explain as explain,
    margin as margin,
    needed as needed,
    random_ties as random_ties,
    randomised_audit as randomised_audit,
    rank_confidence as rank_confidence,
    stable_ranking as stable_ranking,
    stable_topk as stable_topk,
    write_report as write_report,
)

__version__: str
