"""Large sparse data against their own rows: answered without looking at all of them."""

from __future__ import annotations

import numpy as np
import pytest

from contracts.door import asked, matrices
from contracts.draws import Case, Row

N_PEOPLE = 6000
N_ITEMS = 700
KS = (1, 3, 40)


def name(item: int) -> str:
    return f"i{item:03d}"


def large_case(kind: str) -> Case:
    """Many units that touch few of many items."""
    rng = np.random.default_rng(7)
    people = range(N_PEOPLE)
    declared = tuple(name(item) for item in range(N_ITEMS))
    rows = []
    if kind == "ratings":
        for person in people:
            rated = sorted({*rng.integers(0, N_ITEMS, 3).tolist(), person % N_ITEMS})
            for item in rated:
                content = (name(item), str(rng.integers(1, 6)))
                rows.append(Row(content, f"p{person:04d}"))
    elif kind == "ballots":
        for person in people:
            best = rng.permutation(N_ITEMS)[:2].tolist()
            tiers = tuple((name(item),) for item in best)
            rows.append(Row(tiers, f"p{person:04d}"))
    elif kind == "votes":
        choices = rng.integers(0, 90, N_PEOPLE) ** 2 // 12
        rows = [Row(name(item), f"p{p:04d}") for p, item in enumerate(choices.tolist())]
    else:
        choices = rng.integers(0, N_ITEMS, N_PEOPLE).tolist()
        groups = rng.integers(0, 900, N_PEOPLE).tolist()
        rows = [
            Row(name(item), f"p{person:04d}", group=f"g{group:03d}")
            for person, (item, group) in enumerate(zip(choices, groups, strict=True))
        ]
    grouped = kind == "groups"
    kind = "votes" if grouped else kind
    return Case(kind, tuple(rows), declared=declared, grouped=grouped)


SCORERS = {
    "ratings": "mean:shrinkage=1",
    "ballots": "borda",
    "votes": "plurality",
    "groups": "plurality",
}


@pytest.mark.parametrize("kind", SCORERS)
def test_large_data_have_the_standings_of_their_rows(kind: str):
    found = asked(large_case(kind), SCORERS[kind])
    scores, rows, copies = matrices(found)  # rows: (n_units, n_items)
    orders = np.argsort(-rows, axis=1, kind="stable")
    places = np.argsort(orders, axis=1) + 1
    plain = np.argsort(-scores, kind="stable")
    own = np.argsort(plain) + 1
    best = np.minimum(places.min(axis=0), own)
    worst = np.maximum(places.max(axis=0), own)
    for k in KS:
        answer = found.topk(k)
        inside = copies @ (places <= k)
        n_changing = copies[((places <= k) != (own <= k)).any(axis=1)].sum()
        assert answer["n_changing"] == n_changing
        flips = found.flips(k)
        assert sum(n_copies for n_copies, *_ in flips.values()) == n_changing
        in_some_topk = (inside > 0) | (own <= k)
        assert set(answer["list"]) == {
            found.items[i] for i in in_some_topk.nonzero()[0]
        }
        shares = (inside / copies.sum()).tolist()
        assert answer["shares"] == dict(zip(found.items, shares, strict=True))
        for item, ranks in answer["ranks"].items():
            number = found.items.index(item)
            assert ranks == (best[number], worst[number])
        lowest_inside = np.where(places <= k, own[np.newaxis], 0).max(axis=1)
        n_uncovered = copies[lowest_inside > k + 1].sum()
        assert answer["n_uncovered"][k + 1] == n_uncovered

        eps = 1.5 * float(np.median(np.linalg.norm(rows - scores, axis=1)))
        delta = pytest.approx(found.n_broken_inflated(k, eps) / copies.sum())
        table = found.audit([k], eps, methods=["inflated_topk"])
        assert table["inflated_topk", k]["delta"] == delta
        assert found.curve(k, eps)["delta"] == delta
    n_changing = copies[(orders != plain).any(axis=1)].sum()
    assert found.ranking()["n_changing"] == n_changing
