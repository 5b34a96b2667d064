"""What takes a second or more to make, made once for all tests of the experiments."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from paper.full_ranking import RegressionExperiment, regression_experiment
from paper.lookalike import Lookalike, lookalike_population

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="session")
def table_2() -> Callable[..., RegressionExperiment]:
    """Table 2 in full, for the settings that are asked for."""

    def experiment(**settings: Any) -> RegressionExperiment:
        return regression_experiment(**settings)

    return cache(experiment)


@pytest.fixture(scope="session")
def population() -> Lookalike:
    """Everybody: only prepared, users are made when they are asked for."""
    return lookalike_population()


@pytest.fixture(scope="session")
def small() -> Lookalike:
    return lookalike_population(users=3000, seed=11)
