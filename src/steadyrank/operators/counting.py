"""Exact counts, uniform samples and position shares, read off the state graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.operators.states import Layer, StateGraph, Words


WORD = 63
"""Bits of a digit that sums may fill."""


def count_paths(graph: StateGraph, max_states: int) -> int:
    """Return the number of rankings, exactly.

    A layer takes the counts of its states to those of the next by a sparse matrix of whole
    numbers. Counts are kept as rows of digits in a base so small that a few layers cannot overflow
    64 bits, and carried after these; Python's own integers would cost several times as much. Where
    all rankings pass through one state, its count is a factor and the digits begin anew.
    """
    growth = graph.most_ways().bit_length()  # bits that a digit may gain in one layer
    every = 3 if 3 * growth < WORD // 2 else 1
    bits = WORD - every * growth
    digits = np.ones((1, 1), dtype=np.uint64)
    product = 1
    for number, layer in enumerate(graph.layers(max_states)):
        digits = _matrix(layer, len(digits)) @ digits
        if number % every == 0:
            digits = _carried(digits, bits)
        if len(digits) == 1:
            product *= _integer(digits[0], bits)
            digits = np.ones((1, 1), dtype=np.uint64)
    return product * _integer(digits[0], bits)


def _matrix(layer: Layer, states: int) -> Any:
    """Return the numbers of ways from each state of a layer (columns) to each of the next (rows)."""
    from scipy.sparse import csr_array

    edges = len(layer.source)
    ways = np.ones(edges, dtype=np.uint64) if layer.ways is None else layer.ways
    rows = np.append(layer.starts, edges).astype(np.int32)
    entries = (ways, layer.source.astype(np.int32), rows)
    return csr_array(entries, shape=(len(layer.starts), states), copy=False)


def _carried(digits: Words, bits: int) -> Words:
    """Carry what exceeds the base from each column of digits to the next."""
    shift, mask = np.uint64(bits), np.uint64((1 << bits) - 1)
    columns = np.ascontiguousarray(digits.T)
    carry = np.zeros(len(digits), dtype=np.uint64)
    for column in columns:
        total = column + carry
        np.right_shift(total, shift, out=carry)
        np.bitwise_and(total, mask, out=column)
    kept = np.vstack([columns, carry]) if carry.any() else columns
    return np.ascontiguousarray(kept.T)


def _integer(digits: Words, bits: int) -> int:
    return sum(int(digit) << (bits * place) for place, digit in enumerate(digits))


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
