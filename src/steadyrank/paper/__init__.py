"""The paper's experiments, and those that it could not afford.

Each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from steadyrank.paper.dimensions import DimensionStudy, dimension_study
    from steadyrank.paper.full_ranking import RegressionExperiment, regression_experiment
    from steadyrank.paper.lookalike import Lookalike, lookalike_population
    from steadyrank.paper.movie_lists import NetflixExperiment, netflix_experiment
    from steadyrank.paper.population import PopulationStudy, population_study
    from steadyrank.paper.regression import RegressionTrials, regression_trials
    from steadyrank.paper.sources import LookalikeSource, StoredSource

_HOME = {
    "DimensionStudy": "dimensions",
    "Lookalike": "lookalike",
    "LookalikeSource": "sources",
    "NetflixExperiment": "movie_lists",
    "PopulationStudy": "population",
    "RegressionExperiment": "full_ranking",
    "RegressionTrials": "regression",
    "StoredSource": "sources",
    "dimension_study": "dimensions",
    "lookalike_population": "lookalike",
    "netflix_experiment": "movie_lists",
    "population_study": "population",
    "regression_experiment": "full_ranking",
    "regression_trials": "regression",
}

__all__ = [
    "DimensionStudy",
    "Lookalike",
    "LookalikeSource",
    "NetflixExperiment",
    "PopulationStudy",
    "RegressionExperiment",
    "RegressionTrials",
    "StoredSource",
    "dimension_study",
    "lookalike_population",
    "netflix_experiment",
    "population_study",
    "regression_experiment",
    "regression_trials",
]


def __getattr__(name: str) -> object:
    """Load a name from its module when it is first asked for."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
