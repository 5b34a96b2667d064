from steadyrank.scorers.bagged import Bagged as Bagged
from steadyrank.scorers.base import LeaveOneOut as LeaveOneOut, Scorer as Scorer
from steadyrank.scorers.bradley_terry.scorer import BradleyTerry as BradleyTerry
from steadyrank.scorers.elo import Elo as Elo
from steadyrank.scorers.least_squares import (
    ConstrainedLeastSquares as ConstrainedLeastSquares,
    OrdinaryLeastSquares as OrdinaryLeastSquares,
    Ridge as Ridge,
)
from steadyrank.scorers.means import (
    Mean as Mean,
    MeanRank as MeanRank,
    MeanWinRate as MeanWinRate,
    Median as Median,
    TrimmedMean as TrimmedMean,
    WinRate as WinRate,
)
from steadyrank.scorers.pairwise import Condorcet as Condorcet, Copeland as Copeland
from steadyrank.scorers.refit import Refit as Refit
from steadyrank.scorers.registry import (
    as_scorer as as_scorer,
    default_scorer as default_scorer,
    named_scorer as named_scorer,
    resolve_scorer as resolve_scorer,
    scorer_names as scorer_names,
)
from steadyrank.scorers.sensitivity import Sensitivity as Sensitivity
from steadyrank.scorers.voting import (
    Approval as Approval,
    Borda as Borda,
    InstantRunoff as InstantRunoff,
    Plurality as Plurality,
    TotalPoints as TotalPoints,
)
from steadyrank.sums.blocks import (
    Block as Block,
    DenseBlock as DenseBlock,
    SparseBlock as SparseBlock,
)
