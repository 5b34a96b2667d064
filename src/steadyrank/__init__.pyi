from steadyrank.data import (
    Ballots as Ballots,
    Battles as Battles,
    Ratings as Ratings,
    Regression as Regression,
    ScoreMatrix as ScoreMatrix,
    Votes as Votes,
)
from steadyrank.data.read import read as read
from steadyrank.errors import SteadyrankError as SteadyrankError
from steadyrank.operators import *  # noqa: F403 (all of them)
from steadyrank.scorers import (
    Approval as Approval,
    Bagged as Bagged,
    Borda as Borda,
    BradleyTerry as BradleyTerry,
    Condorcet as Condorcet,
    ConstrainedLeastSquares as ConstrainedLeastSquares,
    Copeland as Copeland,
    Elo as Elo,
    InstantRunoff as InstantRunoff,
    Mean as Mean,
    MeanRank as MeanRank,
    MeanWinRate as MeanWinRate,
    Median as Median,
    OrdinaryLeastSquares as OrdinaryLeastSquares,
    Plurality as Plurality,
    Refit as Refit,
    Ridge as Ridge,
    TotalPoints as TotalPoints,
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
    Split as Split,
    StableRanking as StableRanking,
    StableTopK as StableTopK,
    Study as Study,
)

__version__: str
