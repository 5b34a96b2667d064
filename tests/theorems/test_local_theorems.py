"""The local versions of Theorems 4 and 8 (docs/research/theory.md): only compared scores matter."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, strategies as st

from oracles import exact
from oracles.cases import Case, cases, close_pairs
from steadyrank.operators import inflated_ranking, inflated_topk


@st.composite
def far_pairs(draw: st.DrawFn) -> tuple[Case, Case]:
    """Two score vectors of one eps, most of them further apart than eps."""
    first = draw(cases(least=2, most=7))
    reach = max(first.counts) + 2
    moves = draw(
        st.lists(st.integers(-reach, reach), min_size=first.items, max_size=first.items)
    )
    keep = draw(st.lists(st.booleans(), min_size=first.items, max_size=first.items))
    counts = tuple(
        c + move * kept for c, move, kept in zip(first.counts, moves, keep, strict=True)
    )
    return first, Case(counts, first.unit, first.steps, first.times_root)


def near_rank(first: Case, second: Case, k: int) -> list[int]:
    """Items that, under one of the two, are less than c below its k-th best, less those always above."""
    kth = [sorted(case.scores, reverse=True)[k - 1] for case in (first, second)]
    near = []
    for item in range(first.items):
        pair = first.scores[item], second.scores[item]
        reaches = exact.gap_sign(min(kth) - max(pair), first.exact_eps) < 0
        if reaches and min(pair) <= max(kth):
            near.append(item)
    return near


def close_on(first: Case, second: Case, items: list[int]) -> bool:
    parts = ([case.scores[item] for item in items] for case in (first, second))
    return exact.closer_than(*parts, first.exact_eps)


@given(far_pairs())
def test_local_theorem_4_a_move_below_eps_near_rank_k_leaves_k_items_in_common(
    pair: tuple[Case, Case],
) -> None:
    first, second = pair
    ks = range(1, first.items + 1)
    promised = [k for k in ks if close_on(first, second, near_rank(first, second, k))]
    assume(promised)
    for k in promised:
        sets = [
            set(inflated_topk(case.w, k, case.eps).indices.tolist()) for case in pair
        ]
        assert len(sets[0] & sets[1]) >= k


@given(far_pairs())
def test_local_theorem_4_items_far_from_rank_k_change_nothing(
    pair: tuple[Case, Case],
) -> None:
    """The step of the proof: the answer is the items always above, and the answer among those near."""
    first, second = pair
    for k in range(1, first.items + 1):
        near = near_rank(first, second, k)
        for case in pair:
            kth = sorted(case.scores, reverse=True)[k - 1]
            above = {
                item for item in range(case.items) if case.scores[item] > kth
            } - set(near)
            part = exact.inflated_topk(
                tuple(case.scores[item] for item in near),
                k - len(above),
                case.exact_eps,
            )
            assert exact.inflated_topk(case.scores, k, case.exact_eps) == above | {
                near[place] for place in part
            }


def pieces(first: Case, second: Case) -> list[list[int]]:
    """Cut both plain orders wherever the same items come before the cut."""
    orders = [exact.plain_ranking(case.scores) for case in (first, second)]
    found, start = [], 0
    for stop in range(1, first.items + 1):
        if set(orders[0][:stop]) == set(orders[1][:stop]):
            found.append(list(orders[0][start:stop]))
            start = stop
    return found


@st.composite
def outliers(draw: st.DrawFn) -> tuple[Case, Case]:
    """Close scores, and between the two vectors one item above them and one below move far."""
    pair = draw(close_pairs(least=2, most=5))
    high, low = (
        max(max(case.counts) for case in pair),
        min(min(case.counts) for case in pair),
    )
    far = draw(st.integers(20, 40))
    first, second = (
        Case(
            (high + up, *case.counts, low - down),
            case.unit,
            case.steps,
            case.times_root,
        )
        for case, up, down in zip(pair, (1, far), (far, 1), strict=True)
    )
    return first, second


@given(outliers())
def test_local_theorem_8_a_move_below_eps_of_each_piece_leaves_a_common_ranking(
    pair: tuple[Case, Case],
) -> None:
    first, second = pair
    reordered = [piece for piece in pieces(first, second) if len(piece) > 1]
    assume(reordered and all(close_on(first, second, piece) for piece in reordered))
    assert inflated_ranking(first.w, first.eps).intersects(
        inflated_ranking(second.w, second.eps)
    )


def test_local_theorems_say_more_than_theorems_4_and_8() -> None:
    """Far moves away from the border: no promise by the distance, a promise by what is near."""
    w, v = np.array([9.0, 5.0, 4.0, 1.0]), np.array([12.0, 5.0, 4.1, -3.0])
    assert np.linalg.norm(w - v) > 5 * 0.5
    assert (
        len(
            set(inflated_topk(w, 2, 0.5).indices)
            & set(inflated_topk(v, 2, 0.5).indices)
        )
        >= 2
    )
    assert inflated_ranking(w, 0.5).intersects(inflated_ranking(v, 0.5))
