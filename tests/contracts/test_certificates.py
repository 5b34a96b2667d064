"""What certificates say in words and numbers, recomputed from raw rows."""

from __future__ import annotations

from dataclasses import replace
from math import isclose
from typing import TYPE_CHECKING

from contracts.cases import Way, every_way, small_cases
from contracts.door import Asked, RefusedError, claims_of
from contracts.truth import Truth, inflated_topk, some_eps

if TYPE_CHECKING:
    from contracts.oracle import Contract


@every_way
def test_the_promise_of_a_list_is_true(contract: Contract, kind: str, way: Way):
    for truth, found in small_cases(contract, kind, way):
        for k in range(1, len(truth.items) + 1):
            answer = found.topk(k)
            claims = claims_of(answer["promise"])
            about = (truth.case, k, answer["promise"])
            assert answer["status"] == "proved", about
            assert answer["delta"] == 0, about
            assert claims["n_units"] == truth.n_units, about
            assert claims["shares"] == k, about
            if claims["never_changed"]:
                assert truth.listed(k) == truth.plain[:k], about
            else:
                assert claims["within"] == len(truth.listed(k)), about
            says_nothing = len(truth.listed(k)) == len(truth.items)
            assert claims["says_nothing"] == says_nothing, about
            if claims["condition"]:
                assert has_single_carrier(truth), about


def has_single_carrier(truth: Truth) -> bool:
    """Whether some item is carried by one unit alone."""
    case = truth.case
    heavy = replace(
        case, rows=tuple(row for row in case.rows if row.weight_as_fraction)
    )
    return any(
        not heavy.carried <= heavy.without([unit], keep_items=True).carried
        for unit in truth.units
    )


@every_way
def test_the_promise_of_a_ranking_is_true(contract: Contract, kind: str, way: Way):
    for truth, found in small_cases(contract, kind, way):
        answer = found.ranking()
        claims = claims_of(answer["promise"])
        assert claims["n_units"] == truth.n_units, truth.case
        assert claims["within_ranges"], answer["promise"]
        assert claims["condition"] <= has_single_carrier(truth), truth.case


@every_way
def test_a_certificate_at_an_eps_counts_what_breaks(
    contract: Contract, kind: str, way: Way
):
    for truth, found in small_cases(contract, kind, way):
        if truth.case.shape == "near":
            continue
        for eps in some_eps(truth):
            for k in range(1, len(truth.items)):
                n_broken = broken_at(truth, k, eps)
                if n_broken is not None:
                    answer = found.topk(k, eps=eps)
                    assert_counts(answer, n_broken, truth, (truth.case, k, eps))


def broken_at(truth: Truth, k: int, eps: float) -> int | None:
    """Units that break an inflated list; None where some boundary is near."""
    assert truth.scores is not None
    old, is_clear = inflated_topk(truth.scores, k, eps)
    n_broken = 0
    for removal in truth.removals:
        new, new_is_clear = inflated_topk(removal.scores, k, eps)
        is_clear &= new_is_clear
        n_broken += removal.copies * (len(old & new) < k)
    return n_broken if is_clear else None


def assert_counts(answer: dict, n_broken: int, truth: Truth, about: tuple) -> None:
    about = (*about, answer["promise"])
    assert answer["status"] == "observed", about
    assert isclose(answer["delta"], n_broken / truth.n_units), about
    claims = claims_of(answer["promise"])
    assert claims["n_units"] == truth.n_units, about
    assert claims["except"] == n_broken, about
    assert claims["condition"] <= has_single_carrier(truth), about


@every_way
def test_what_is_proved_without_removing_units_holds(
    contract: Contract, kind: str, way: Way
):
    for truth, found in small_cases(contract, kind, way):
        for k in range(1, len(truth.items)):
            listed = proved_list(found, k)
            if listed is not None:
                assert truth.n_missed_by(listed, k) == 0, (truth.case, k, listed)
                assert set(truth.plain[:k]) <= listed, (truth.case, k, listed)


def proved_list(found: Asked, k: int) -> set[str] | None:
    try:
        answer = found.topk(k, proved=True)
    except RefusedError:
        assert found.proved_move() is None
        return None
    assert (answer["status"], answer["delta"]) == ("proved", 0)
    return set(answer["list"])
