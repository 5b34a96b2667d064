"""Which cases the contracts are asked of: every scorer, kind, weighting and grouping."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product

import pytest

from contracts.door import Asked, RefusedError, Scores, asked
from contracts.draws import COUNTED, WEIGHTED, Case, draw
from contracts.oracle import CONTRACTS, Contract, Last, Scores as TrueScores
from contracts.truth import Truth

TIMES = int(os.environ.get("STEADYRANK_FUZZ", "1"))
N_SEEDS = int(os.environ.get("CONTRACT_SEEDS", "7")) * TIMES  # 7: each shape once
SEEDS = range(N_SEEDS)

Way = tuple[tuple[str, bool], ...]


def ways(contract: Contract, kind: str) -> Iterator[Way]:
    """The ways in which people stand behind rows: weighted, grouped, counted."""
    for weighted, grouped, counted in product((False, True), repeat=3):
        if weighted and not (contract.weights and kind in WEIGHTED):
            continue
        if counted and not (contract.counts and kind in COUNTED):
            continue
        yield (("weighted", weighted), ("grouped", grouped), ("counted", counted))


def name_of(contract: Contract, kind: str, way: Way) -> str:
    used = "+".join(word for word, is_used in way if is_used)
    return f"{contract.scorer}-{kind}-{used or 'plain'}"


EVERY_WAY = [
    (contract, kind, way)
    for contract in CONTRACTS
    for kind in contract.kinds
    for way in ways(contract, kind)
]
every_way = pytest.mark.parametrize(
    ("contract", "kind", "way"),
    [pytest.param(*each, id=name_of(*each)) for each in EVERY_WAY],
)


@cache
def drawn(kind: str, way: Way, ordered: bool, seed: int) -> Case:
    return draw(seed, kind, ordered=ordered, **dict(way))


@cache
def small(kind: str, way: Way, ordered: bool, seed: int) -> Case:
    return draw(seed, kind, ordered=ordered, most_rows=6, most_items=4, **dict(way))


def cases(contract: Contract, kind: str, way: Way) -> Iterator[Case]:
    """Yield the drawn cases of a way."""
    for seed in SEEDS:
        yield drawn(kind, way, contract.ordered, seed)


def asked_cases(
    contract: Contract, kind: str, way: Way
) -> Iterator[tuple[Truth, Asked]]:
    """Yield cases that can be scored without any one unit."""
    for seed in SEEDS:
        found = _asked(contract, kind, way, seed, is_small=False)
        if found:
            yield found


def small_case(
    contract: Contract, kind: str, way: Way, seed: int
) -> tuple[Truth, Asked] | None:
    """A case of few rows and items, without near-ties that are up to a solver."""
    return _asked(contract, kind, way, seed, is_small=True)


def small_cases(
    contract: Contract, kind: str, way: Way
) -> Iterator[tuple[Truth, Asked]]:
    """Yield small cases that can be scored without any one unit."""
    for seed in SEEDS:
        found = small_case(contract, kind, way, seed)
        if found:
            yield found


@cache
def _asked(
    contract: Contract, kind: str, way: Way, seed: int, *, is_small: bool
) -> tuple[Truth, Asked] | None:
    make = small if is_small else drawn
    truth = Truth(make(kind, way, contract.ordered, seed), contract.score)
    if not truth.defined:
        return None
    if is_small and contract.fitted and truth.nearly_tied:
        return None
    return truth, asked(truth.case, contract.scorer)


def close(found: float, true: float, digits: float, scale: float) -> bool:
    return abs(found - true) <= digits * max(1.0, scale)


def largest(scores: TrueScores) -> float:
    return max((abs(float(score)) for score in scores.values()), default=0.0)


def assert_agree(
    found: Scores, true: TrueScores, contract: Contract, about: object
) -> None:
    """Scores are nearly the true ones, and equal exactly where those are."""
    scale = max(1.0, largest(true))
    assert found.keys() == true.keys(), about
    for item, score in found.items():
        assert math.isfinite(score), (about, found)
        if isinstance(true[item], Last):  # only its order counts
            continue
        assert close(score, float(true[item]), contract.digits, scale), (
            about,
            item,
            found,
            {item: float(score) for item, score in true.items()},
        )
    for one, other in product(found, repeat=2):
        gap = true[one] - true[other]
        # A nearer pair may be a tie to a solver.
        if not gap or abs(gap) > max(contract.digits, 1e-9) * scale:
            true_sign = (gap > 0) - (gap < 0)
            found_sign = (found[one] > found[other]) - (found[one] < found[other])
            assert found_sign == true_sign, (about, one, other, found)


def refused(question: Callable[[], object]) -> bool:
    try:
        question()
    except RefusedError:
        return True
    return False
