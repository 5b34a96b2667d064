"""Rankings that do not flip when one data point leaves.

Data become scores, scores become a *set* of answers, and the set is what stays put when a voter, a
user or a question is left out. The names below are the public ones; each is loaded when it is
first used, so that importing steadyrank costs little more than importing NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
        RankingSet as RankingSet,
        certainly_above as certainly_above,
        critical_eps as critical_eps,
        inflated_argmax as inflated_argmax,
        inflated_ranking as inflated_ranking,
        inflated_topk as inflated_topk,
        inflated_topk_mask as inflated_topk_mask,
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
        StableRanking as StableRanking,
        StableTopK as StableTopK,
        Study as Study,
        audit as audit,
        stable_ranking as stable_ranking,
        stable_topk as stable_topk,
        write_report as write_report,
    )

__version__ = "0.1.0"

_HOMES = {
    "data": ("Ballots", "Battles", "Ratings", "Regression", "ScoreMatrix", "Votes", "read_any"),
    "errors": ("SteadyrankError",),
    "report": (),
    "operators": (
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
    ),
    "scorers": (
        "Approval",
        "Bagged",
        "Borda",
        "BradleyTerry",
        "ColumnMeans",
        "ConstrainedLeastSquares",
        "MeanRating",
        "OrdinaryLeastSquares",
        "Plurality",
        "Refit",
        "Ridge",
    ),
    "stability": (
        "Audit",
        "Certificate",
        "StableRanking",
        "StableTopK",
        "Study",
        "audit",
        "stable_ranking",
        "stable_topk",
        "write_report",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 (a list all the same)


def __getattr__(name: str) -> object:
    """Load a public name from its home when it is first asked for."""
    if name in _HOMES:
        return import_module(f"{__name__}.{name}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
