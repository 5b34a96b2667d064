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
    Condorcet as Condorcet,
    ConstrainedLeastSquares as ConstrainedLeastSquares,
    Copeland as Copeland,
    Eigenvector as Eigenvector,
    Elo as Elo,
    InstantRunoff as InstantRunoff,
    MeanRank as MeanRank,
    MeanRating as MeanRating,
    MeanWinRate as MeanWinRate,
    Median as Median,
    OrdinaryLeastSquares as OrdinaryLeastSquares,
    PageRank as PageRank,
    Plurality as Plurality,
    Refit as Refit,
    Ridge as Ridge,
    TrimmedMean as TrimmedMean,
    WinRate as WinRate,
)
from steadyrank.study import (
    Audit as Audit,
    Certificate as Certificate,
    Comparison as Comparison,
    Confidence as Confidence,
    Explanation as Explanation,
    Margin as Margin,
    Needed as Needed,
    RandomAudit as RandomAudit,
    StableRanking as StableRanking,
    StableTopK as StableTopK,
    Study as Study,
)
from steadyrank.study.functions import (
    assert_stable as assert_stable,
    audit as audit,
    compare as compare,
    confidence as confidence,
    explain as explain,
    margin as margin,
    needed as needed,
    rank_confidence as rank_confidence,
    stable_ranking as stable_ranking,
    stable_topk as stable_topk,
    write_report as write_report,
)
from steadyrank.study.randomised import random_ties as random_ties, randomised_audit as randomised_audit

__version__: str
