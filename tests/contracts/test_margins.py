"""Margins against every small set of units, removed from the raw rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from contracts.cases import Way, every_way, refused, small_cases

if TYPE_CHECKING:
    from contracts.oracle import Contract
    from contracts.truth import Order, Truth

UNBOUNDED = (
    "instant-runoff",
    "copeland",
    "condorcet",
    "median",
    "trimmed-mean",
    "elo",
    "ridge",
    "ordinary-least-squares",
    "constrained-least-squares",
)
"""Scorers for which nothing bounds what several units can do."""
EXACT = ("plurality", "approval", "borda", "points")
"""Scorers that add up: of the units that favour an item the largest go first."""


@every_way
def test_margins_hold_against_every_small_set_of_units(
    contract: Contract, kind: str, way: Way
):
    for number, (truth, found) in enumerate(small_cases(contract, kind, way)):
        if truth.n_units > 9 or len(truth.items) < 2 or number % 2:
            continue
        plain = truth.plain

        def order_changes(order: Order, plain: Order = plain) -> bool:
            return order != plain

        assert_margin_is_true(truth, found.margin(), order_changes)

        def last_passes_first(order: Order, plain: Order = plain) -> bool:
            return order.index(plain[-1]) < order.index(plain[0])

        pair = found.margin(pair=(plain[0], plain[-1]))
        assert_margin_is_true(truth, pair, last_passes_first)
        assert pair["exact"] or contract.name not in EXACT, truth.case

        for k in range(1, len(plain)):

            def topk_changes(order: Order, plain: Order = plain, k: int = k) -> bool:
                return set(order[:k]) != set(plain[:k])

            def last_is_inside(order: Order, plain: Order = plain, k: int = k) -> bool:
                return plain[-1] in order[:k]

            margin = found.margin(k)
            assert_margin_is_true(truth, margin, topk_changes)
            assert margin["exact"] or contract.name not in EXACT, truth.case
            if margin["upper"] is not None:
                assert_removal_changes_topk(truth, margin, k)
            last = found.margin(k, item=plain[-1])
            assert_margin_is_true(truth, last, last_is_inside)


def assert_margin_is_true(
    truth: Truth, margin: dict[str, Any], changed: Callable[[Order], bool]
) -> None:
    """The true number lies between both ends; the named units do what is claimed."""
    true = truth.margin(changed)
    lower, upper = margin["lower"], margin["upper"]
    about = (truth.case, lower, upper, true)
    if true is None:
        assert upper is None or upper > truth.most_removed, about
    else:
        assert lower <= true, about
        assert upper is None or upper >= true, about
        assert not margin["never"], about
        if true == 1 or margin["exact"]:
            assert lower == upper == true, about
    if upper is None:
        return
    removed = margin["removed"]
    assert len(removed) == upper, about
    scores = truth.scores_without(tuple(removed))
    assert scores is not None, (about, removed)
    order = truth.ordered(scores)
    assert changed(order), (about, removed)
    assert order.index(margin["passing"]) < order.index(margin["passed"]), about
    assert truth.plain.index(margin["passed"]) < truth.plain.index(margin["passing"])


def assert_removal_changes_topk(truth: Truth, margin: dict[str, Any], k: int) -> None:
    scores = truth.scores_without(tuple(margin["removed"]))
    assert scores is not None
    old, new = set(truth.plain[:k]), set(truth.ordered(scores)[:k])
    assert margin["leaves"] == old - new, (truth.case, k)
    assert margin["enters"] == new - old, (truth.case, k)


@every_way
def test_items_flip_no_sooner_than_is_said(contract: Contract, kind: str, way: Way):
    for number, (truth, found) in enumerate(small_cases(contract, kind, way)):
        if truth.n_units > 9 or len(truth.items) < 2 or number % 2 == 0:
            continue
        for k in range(1, len(truth.items)):
            topk = truth.plain[:k]
            for item, row in found.rows(k).items():
                to_flip = row["to_flip"]

                def flips(
                    order: Order, item: str = item, k: int = k, top: Order = topk
                ) -> bool:
                    return (item in order[:k]) != (item in top)

                true = truth.margin(flips)
                about = (truth.case, k, item, to_flip, true)
                assert true is None or to_flip <= true, about
                is_contender = truth.standing(item, k) == "contender"
                assert is_contender == (true == 1), about
                assert (to_flip == 1) == (true == 1) or to_flip < (true or 99), about


@every_way
def test_lists_for_several_removals_hold_every_top_k(
    contract: Contract, kind: str, way: Way
):
    for truth, found in small_cases(contract, kind, way):
        if truth.n_units > 9 or truth.n_units < 3:
            continue
        for k in range(1, len(truth.items)):
            if contract.name in UNBOUNDED:
                assert refused(lambda found=found, k=k: found.topk(k, removals=2))
                continue
            listed = set(found.topk(k, removals=2)["list"])
            for number, order in truth.orders_without_sets:
                if number <= 2:
                    assert set(order[:k]) <= listed, (truth.case, k, listed, order)
