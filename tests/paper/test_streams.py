from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles.split_mix import MASK, STEP, split_mix
from paper import streams


@given(st.integers(0, MASK), st.integers(0, 10**6))
def test_streams_are_split_mix(key: int, place: int) -> None:
    bits = streams.stream_bits(np.array([key], dtype=np.uint64), np.array([place]))
    assert int(bits[0]) == split_mix((key + (place + 1) * STEP) & MASK)


def test_split_mix_gives_the_reference_sequence() -> None:
    # The first outputs of the reference implementation for state 1234567.
    bits = streams.stream_bits(np.array([1234567], dtype=np.uint64), np.arange(3))
    assert bits.tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_keys_differ_between_owners_purposes_and_seeds() -> None:
    owners = np.arange(10_000)
    keys = [
        streams.stream_keys(seed, purpose, owners)
        for seed in (1, 2)
        for purpose in (1, 2)
    ]
    assert len(np.unique(np.concatenate(keys))) == 4 * len(owners)


def test_uniforms_stay_inside_the_open_interval() -> None:
    extremes = streams.uniforms(np.array([0, MASK], dtype=np.uint64))
    assert 0.0 < extremes[0] < 1e-15
    assert 1 - 1e-15 < extremes[1] < 1.0


def test_normals_are_standard_and_uncorrelated_between_places() -> None:
    bits = streams.stream_bits(np.array([7], dtype=np.uint64), np.arange(400_000))
    numbers = streams.normals(bits).astype(np.float64)
    assert numbers.mean() == pytest.approx(0.0, abs=5 / np.sqrt(len(numbers)))
    assert numbers.std() == pytest.approx(1.0, abs=0.006)
    assert np.corrcoef(numbers[:-1], numbers[1:])[0, 1] == pytest.approx(0.0, abs=0.008)


def table_shares(table: np.ndarray, size: int) -> np.ndarray:
    """The exact probability of each index, read from the table."""
    cuts = (table >> streams.SLOT_BITS).astype(np.float64) / 2**streams.SHARE_BITS
    alias = table & (2**streams.SLOT_BITS - 1)
    total = np.zeros(2**streams.SLOT_BITS)
    total += cuts
    np.add.at(total, alias, 1 - cuts)
    assert total[size:].sum() == 0.0
    return total[:size] / 2**streams.SLOT_BITS


@given(
    st.lists(
        st.floats(0.0, 1.0) | st.sampled_from([0.0, 1.0, 1e-6]), min_size=1, max_size=50
    )
)
def test_alias_table_holds_the_shares(weights: list[float]) -> None:
    shares = np.array(weights) + 1e-9
    table = streams.alias_table(shares)
    resolution = 2.0**-32
    # Every slot may round once; an index can own no more slots than it fills, and one besides.
    error = np.abs(table_shares(table, len(shares)) - shares / shares.sum())
    assert error.max() <= resolution * 2**streams.SLOT_BITS / 2
    assert error.mean() <= 1e-6


def test_draws_follow_the_table() -> None:
    shares = np.array([0.5, 0.3, 0.15, 0.05])
    bits = np.random.default_rng(3).integers(0, 2**32, 200_000, dtype=np.uint32)
    drawn = streams.draw_from_table(streams.alias_table(shares), bits)
    seen = np.bincount(drawn, minlength=4) / len(bits)
    assert np.abs(seen - shares).max() < 5 * np.sqrt(0.25 / len(bits))
