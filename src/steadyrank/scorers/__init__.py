"""Step 1, from data to scores, each scorer with its exact leave-one-out scores.

A scorer's module is loaded when its name is first used, so that importing this package loads
neither SciPy nor anything else that one scorer needs and the others do not.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steadyrank.scorers.approval import Approval
    from steadyrank.scorers.bagged import Bagged
    from steadyrank.scorers.base import Block, DenseBlock, LeaveOneOut, Scorer, SparseBlock
    from steadyrank.scorers.borda import Borda
    from steadyrank.scorers.bradley_terry import BradleyTerry
    from steadyrank.scorers.column_means import ColumnMeans
    from steadyrank.scorers.least_squares import (
        ConstrainedLeastSquares,
        OrdinaryLeastSquares,
        Ridge,
    )
    from steadyrank.scorers.mean_rating import MeanRating
    from steadyrank.scorers.plurality import Plurality
    from steadyrank.scorers.refit import Refit
    from steadyrank.scorers.registry import default_scorer, named_scorer, scorer_names
    from steadyrank.scorers.secular import constrained_coefficients
    from steadyrank.scorers.sensitivity import Sensitivity

_HOME = {
    "Approval": "approval",
    "Bagged": "bagged",
    "Block": "base",
    "Borda": "borda",
    "BradleyTerry": "bradley_terry",
    "ColumnMeans": "column_means",
    "ConstrainedLeastSquares": "least_squares",
    "DenseBlock": "base",
    "LeaveOneOut": "base",
    "MeanRating": "mean_rating",
    "OrdinaryLeastSquares": "least_squares",
    "Plurality": "plurality",
    "Refit": "refit",
    "Ridge": "least_squares",
    "Scorer": "base",
    "Sensitivity": "sensitivity",
    "SparseBlock": "base",
    "constrained_coefficients": "secular",
    "default_scorer": "registry",
    "named_scorer": "registry",
    "scorer_names": "registry",
}

__all__ = [
    "Approval",
    "Bagged",
    "Block",
    "Borda",
    "BradleyTerry",
    "ColumnMeans",
    "ConstrainedLeastSquares",
    "DenseBlock",
    "LeaveOneOut",
    "MeanRating",
    "OrdinaryLeastSquares",
    "Plurality",
    "Refit",
    "Ridge",
    "Scorer",
    "Sensitivity",
    "SparseBlock",
    "constrained_coefficients",
    "default_scorer",
    "named_scorer",
    "scorer_names",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
