"""Step 1, from data to scores, each scorer with its exact leave-one-out scores.

A scorer's module is loaded when its name is first used, so that importing this package loads
neither SciPy nor anything else that one scorer needs and the others do not. Which scorers there
are stands in :mod:`steadyrank.scorers.registry`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from steadyrank.scorers.registry import exported

if TYPE_CHECKING:
    from steadyrank.engines.blocks import (
        Block as Block,
        DenseBlock as DenseBlock,
        SparseBlock as SparseBlock,
    )
    from steadyrank.scorers.approval import Approval as Approval
    from steadyrank.scorers.bagged import Bagged as Bagged
    from steadyrank.scorers.base import LeaveOneOut as LeaveOneOut, Scorer as Scorer
    from steadyrank.scorers.borda import Borda as Borda
    from steadyrank.scorers.bradley_terry import BradleyTerry as BradleyTerry
    from steadyrank.scorers.column_means import ColumnMeans as ColumnMeans
    from steadyrank.scorers.least_squares import (
        ConstrainedLeastSquares as ConstrainedLeastSquares,
        OrdinaryLeastSquares as OrdinaryLeastSquares,
        Ridge as Ridge,
    )
    from steadyrank.scorers.mean_rating import MeanRating as MeanRating
    from steadyrank.scorers.plurality import Plurality as Plurality
    from steadyrank.scorers.refit import Refit as Refit
    from steadyrank.scorers.registry import (
        as_scorer as as_scorer,
        default_scorer as default_scorer,
        named_scorer as named_scorer,
        resolve_scorer as resolve_scorer,
        scorer_names as scorer_names,
    )
    from steadyrank.scorers.sensitivity import Sensitivity as Sensitivity

_TOOLS = {
    "base": ("LeaveOneOut", "Scorer"),
    "registry": ("as_scorer", "default_scorer", "named_scorer", "resolve_scorer", "scorer_names"),
    "sensitivity": ("Sensitivity",),
    "steadyrank.engines.blocks": ("Block", "DenseBlock", "SparseBlock"),
}
_HOME = exported() | {name: home for home, names in _TOOLS.items() for name in names}

__all__ = sorted(_HOME)  # noqa: PLE0605 (a list all the same)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = _HOME[name]
    value: object = getattr(import_module(home if "." in home else f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
