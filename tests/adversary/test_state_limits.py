"""The bounds of a state graph that is not built, against the states of the graph that is."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

from steadyrank import ScoreMatrix, Study
from steadyrank.errors import TooLargeError
from steadyrank.operators import rankings as states


def some_scores(rng):
    """Return descending scores, half of them on a grid so that they tie."""
    size = int(rng.integers(1, 12))
    scores = rng.integers(0, 6, size) / 4 if rng.random() < 0.5 else rng.random(size)
    return np.sort(scores)[::-1].copy(), float(rng.choice([0.01, 0.2, 0.5, 1.0, 3.0]))


def test_the_states_of_a_graph_lie_between_its_bounds(cases):
    for rng in cases(80):
        ranked, eps = some_scores(rng)
        graph = states.StateGraph(ranked, eps)
        number = 1 + sum(len(layer.first) for layer in graph.layers())
        assert graph.least_log10() <= math.log10(number) + 1e-9
        assert math.log10(number) <= math.log10(10 ** graph.bound_log10() + 1) + 1e-9


def test_a_limit_refuses_a_graph_exactly_if_it_has_more_states(cases):
    for rng in cases(40):
        ranked, eps = some_scores(rng)
        graph = states.StateGraph(ranked, eps)
        number = 1 + sum(len(layer.first) for layer in graph.layers())
        rankings = graph.count(number)
        assert rankings == graph.count(10 * number)
        if number > 2:
            with pytest.raises(TooLargeError, match="max_states"):
                graph.count(number // 2 - 1 or 1)


def test_a_refused_count_takes_no_memory_to_speak_of():
    """A matrix of 200 rows and 1,000 columns whose graph has 10^8 states or more."""
    rng = np.random.default_rng(1)
    data = ScoreMatrix(rng.normal(size=(200, 1000)) + 3 * rng.normal(size=1000))
    tracemalloc.start()
    study = Study(data)
    row = study.audit(10, eps=float(np.quantile(study.facts.shifts, 0.95))).row(
        "inflated_ranking"
    )
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert row.size is None
    assert "size not counted" in row.note
    assert "at least 10^" in row.note
    assert most < 30 * data.values.nbytes


def test_memory_grows_with_the_states_of_a_layer_not_with_the_steps_to_them(
    monkeypatch,
):
    """Any of the items left may come next: 9 steps for each of the 48,620 states halfway."""
    monkeypatch.setattr(states, "CELLS", 1 << 12)
    graph = states.StateGraph(1e-9 * np.arange(18)[::-1], 1.0)
    tracemalloc.start()
    assert graph.count(states.MAX_STATES) == math.factorial(18)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 500 * math.comb(18, 9)
