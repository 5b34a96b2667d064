"""Exact counts, uniform samples and position shares, read off the state graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.operators.states import Layer, StateGraph


def count_paths(graph: StateGraph, max_states: int) -> int:
    """Return the number of rankings, exactly.

    Counts are Python integers, of any size. Adding them up takes about a third of the time where
    layers hold thousands of states with counts of hundreds of digits, and next to none where layers
    are small: the rest goes into the layers. Where all rankings pass through one state, its count
    is a factor and the next ones begin anew, so that they stay short.
    """
    product = 1
    counts = np.ones(1, dtype=object)
    for layer in graph.layers(max_states):
        counts = np.add.reduceat(layer.times_ways(counts[layer.source]), layer.starts)
        if len(counts) == 1:  # as it is after the last layer, with every item placed
            product *= counts[0]
            counts = np.ones(1, dtype=object)
    return product


def _weights_onward(layers: Sequence[Layer]) -> list[FloatArray]:
    """Return for each layer the number of ways to go on from each state, up to a factor."""
    weights = [np.ones(1)]
    for layer in reversed(layers):
        along = layer.times_ways(weights[-1][layer.targets()])
        onward = np.bincount(layer.source, weights=along)
        weights.append(onward / onward.max())
    return weights[::-1]


def sample_scores(graph: StateGraph, size: int, rng: np.random.Generator, max_states: int) -> IntArray:
    """Return ``size`` uniform rankings as (size, items) numbers of distinct scores."""
    layers = list(graph.layers(max_states))
    weights = _weights_onward(layers)
    state = np.zeros(size, dtype=np.int64)
    drawn = np.empty((size, len(layers)), dtype=np.int64)
    for place, (layer, onward) in enumerate(zip(layers, weights[1:], strict=True)):
        target = layer.targets()
        order = np.argsort(layer.source, kind="stable")
        weight = layer.times_ways(onward[target])[order]
        upto = np.cumsum(weight)
        first = np.searchsorted(layer.source[order], np.arange(layer.source.max() + 2))
        before = np.append(0.0, upto)[first]
        spot = before[state] + rng.random(size) * (before[state + 1] - before[state])
        edge = np.searchsorted(upto, spot, side="right")
        # Rounding may put a spot on the far end of its interval.
        edge = order[np.clip(edge, first[state], first[state + 1] - 1)]
        drawn[:, place] = layer.score()[edge]
        state = target[edge]
    return drawn


def score_shares(graph: StateGraph, max_states: int) -> FloatArray:
    """Return (distinct scores, ranks): the share of rankings with an item of that score there."""
    layers = list(graph.layers(max_states))
    shares = np.zeros((len(graph.values), len(layers)))
    for place, (score, flow) in enumerate(_flows(layers)):
        shares[:, place] = np.bincount(score, weights=flow, minlength=len(shares))
    return shares


def _flows(layers: Sequence[Layer]) -> Iterator[tuple[IntArray, FloatArray]]:
    """Yield for each layer the score that each edge places, and the share of rankings along it."""
    weights = _weights_onward(layers)
    arrived = np.ones(1)
    for layer, onward in zip(layers, weights[1:], strict=True):
        along = layer.times_ways(arrived[layer.source])
        flow = along * onward[layer.targets()]
        yield layer.score(), flow / flow.sum()
        arrived = np.add.reduceat(along, layer.starts)
        arrived /= arrived.max()
