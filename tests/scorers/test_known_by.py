"""What a checkpoint knows data and models by, and what it asks a name of."""

from __future__ import annotations

import functools

import joblib
import numpy as np
import pytest

from oracles.medians import MATRIX, Counting, column_medians
from steadyrank.data import Battles, Votes
from steadyrank.data.observations import with_notes
from steadyrank.errors import CheckpointError
from steadyrank.scorers import Bagged, BradleyTerry, Plurality, Ridge
from steadyrank.scorers.refit import Refit, known_by, told


def of_data(data):
    return joblib.hash(known_by(data))


def of_model(model):
    return joblib.hash(told(model))


def test_every_part_of_the_data_counts():
    base = of_data(Votes(["a", "b"]))
    assert of_data(Votes(["a", "b"])) == base
    assert of_data(Votes(["a", "c"])) != base
    assert of_data(Votes(["a", "b"], counts=[1, 2])) != base
    assert of_data(Votes(["b", "a"])) != base
    assert of_data(Votes(["a", "b"], items=["a", "b", "c"])) != base
    assert of_data(Votes([1, 2])) != of_data(Votes(["1", "2"]))


def test_what_was_computed_or_noted_does_not():
    battles = Battles(["x", "x", "y"], ["y", "y", "x"], ["left", "tie", "left"])
    base = of_data(battles)
    BradleyTerry(ridge=1).leave_one_out(battles).shifts()
    assert of_data(battles) == base == of_data(with_notes(battles, "read on a Monday"))


def test_estimators_count_with_their_settings():
    from sklearn.linear_model import Lasso
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    assert of_model(Lasso(0.1)) == of_model(Lasso(0.1))
    assert of_model(Lasso(0.1)) != of_model(Lasso(0.2))
    assert of_model(Lasso(0.1)) == of_model(Lasso(0.1).fit([[1.0], [2.0]], [1.0, 2.0]))
    of_pipe = [of_model(make_pipeline(StandardScaler(), Lasso(alpha))) for alpha in (1, 1, 2)]
    assert of_pipe[0] == of_pipe[1] != of_pipe[2]
    states = [np.random.RandomState(seed) for seed in (1, 1, 2)]
    first, same, other = (of_model(Lasso(random_state=state)) for state in states)
    assert first == same != other
    assert of_model(Refit(Lasso(0.1), seed=1)) != of_model(Refit(Lasso(0.1), seed=2))


def test_our_scorers_count_with_their_settings():
    assert of_model(Ridge(1.0)) == of_model(Ridge(1.0)) != of_model(Ridge(2.0))
    assert of_model(Bagged(Ridge(1.0))) != of_model(Bagged(Ridge(2.0)))
    assert of_model(Plurality()) != of_model(BradleyTerry())
    with pytest.raises(CheckpointError, match="cannot tell"):
        told(Bagged(Refit(column_medians)))


class Mine:
    """Looks like an estimator, and is of no package that has a version."""

    def fit(self, X, y):
        return self

    def get_params(self, deep=True):
        return {}


def holds_a_function():
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(np.abs.__call__)


MODELS = {
    "a function": lambda: column_medians,
    "a lambda": lambda: lambda data: -column_medians(data),
    "a partial": lambda: functools.partial(column_medians),
    "an object": Counting,
    "an estimator of nobody": Mine,
    "an estimator that holds a function": holds_a_function,
}


@pytest.mark.parametrize("model", MODELS)
def test_code_needs_a_name(model):
    with pytest.raises(CheckpointError, match=r"cannot tell .* again .* model_name="):
        told(MODELS[model]())


def test_a_named_function(tmp_path):
    path = tmp_path / "refits"
    with pytest.raises(CheckpointError, match=r"cannot tell .*column_medians.* model_name="):
        Refit(column_medians, checkpoint=path).leave_one_out(MATRIX)
    assert not path.exists()
    for _ in range(2):
        Refit(column_medians, checkpoint=path, model_name="first").leave_one_out(MATRIX)
    with pytest.raises(CheckpointError, match="belongs to other scorer"):
        Refit(column_medians, checkpoint=path, model_name="second").leave_one_out(MATRIX)
