"""Votes and ballots beside pref_voting and VoteKit: the same winners, and the points that differ."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from pref_voting import (
    c1_methods,
    iterative_methods,
    margin_based_methods,
    scoring_methods,
)
from pref_voting.profiles import Profile
from pref_voting.profiles_with_ties import ProfileWithTies
from profiles import SEEDS, ballots, strict_profile, truncated_profile, winners
from votekit import RankBallot, RankProfile
from votekit.utils import borda_scores, first_place_votes

from steadyrank import Study

WINNERS = {
    "condorcet": margin_based_methods.minimax,
    "copeland": c1_methods.copeland,
    "instant-runoff": iterative_methods.instant_runoff,
    "borda": scoring_methods.borda,
    "plurality": scoring_methods.plurality,
}


def extended(orders: list[list[int]], counts: list[int], items: int) -> ProfileWithTies:
    """Return pref_voting's profile in which a ballot puts what it lists ahead of what it does not."""
    places = [{item: place for place, item in enumerate(order, 1)} for order in orders]
    profile = ProfileWithTies(places, counts, candidates=range(items))
    profile.use_extended_strict_preference()
    return profile


def votekit_profile(
    orders: list[list[int]], counts: list[int], items: int
) -> RankProfile:
    """Return VoteKit's profile; its candidates are letters."""
    cast = [
        RankBallot(ranking=[{"ABCDEF"[item]} for item in order], weight=count)
        for order, count in zip(orders, counts, strict=True)
    ]
    return RankProfile(ballots=cast, candidates=list("ABCDEF"[:items]))


def by_letter(found: dict[str, float], items: int) -> np.ndarray:
    return np.array([float(found.get(letter, 0)) for letter in "ABCDEF"[:items]])


@pytest.mark.parametrize("name", WINNERS)
def test_winners_on_complete_ballots(name: str) -> None:
    """All of 1,500 profiles, those with ties for the last place and cycles of majorities included."""
    for seed in SEEDS:
        orders, counts = strict_profile(seed)
        ours = winners(Study(ballots(orders, counts, len(orders[0])), name).scores)
        assert ours == sorted(WINNERS[name](Profile(orders, counts))), (
            seed,
            orders,
            counts,
        )


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("condorcet", margin_based_methods.minimax),
        ("copeland", c1_methods.copeland),
        (
            "instant-runoff",
            iterative_methods.instant_runoff_for_truncated_linear_orders,
        ),
    ],
)
def test_winners_on_truncated_ballots(name: str, method: object) -> None:
    for seed in islice(SEEDS, 500):
        orders, counts, items = truncated_profile(seed)
        ours = winners(Study(ballots(orders, counts, items), name).scores)
        theirs = sorted(method(extended(orders, counts, items)))  # type: ignore[operator]
        assert ours == theirs, (seed, orders, counts)


def test_runoffs_differ_from_parallel_universes_on_ties_alone() -> None:
    """Parallel universes follow each order of elimination; we eliminate together all who tie for last.

    Their winners are all ours unless a tie for the last place was broken both ways.
    """
    differ = 0
    for seed in islice(SEEDS, 500):
        orders, counts = strict_profile(seed)
        profile = Profile(orders, counts)
        ours = winners(
            Study(ballots(orders, counts, len(orders[0])), "instant-runoff").scores
        )
        if ours != sorted(iterative_methods.instant_runoff_put(profile)):
            differ += 1
            assert had_tie_for_last(orders, counts), (seed, orders, counts)
    assert differ > 0


def had_tie_for_last(orders: list[list[int]], counts: list[int]) -> bool:
    """Tell whether two items tie for the fewest first places in some round."""
    still = set(orders[0])
    while len(still) > 1:
        firsts = dict.fromkeys(still, 0)
        for order, count in zip(orders, counts, strict=True):
            firsts[next(item for item in order if item in still)] += count
        last = [item for item, votes in firsts.items() if votes == min(firsts.values())]
        if len(last) > 1:
            return True
        still -= set(last)
    return False


def test_borda_gives_unlisted_items_the_mean_of_the_places_left() -> None:
    """pref_voting's symmetric Borda is ours on another scale; VoteKit's ours once it is told to."""
    differ = 0
    for seed in islice(SEEDS, 300):
        orders, counts, items = truncated_profile(seed)
        ours = Study(ballots(orders, counts, items), "borda").scores * sum(counts)
        symmetric = scoring_methods.symmetric_borda_scores(
            extended(orders, counts, items)
        )
        theirs = np.array([symmetric[item] for item in range(items)], dtype=float)
        assert ours == pytest.approx((theirs + (items - 1) * sum(counts)) / 2)
        plain = borda_scores(votekit_profile(orders, counts, items), borda_max=items)
        listed = by_letter(
            plain, items
        )  # items down to 1, nothing for what is not listed
        missing = np.zeros(items)
        for order, count in zip(orders, counts, strict=True):
            out = [item for item in range(items) if item not in order]
            missing[out] += count * (len(out) + 1) / 2
        assert ours == pytest.approx(listed + missing - sum(counts))
        differ += bool(missing.any())
    assert differ > 0


def test_first_votes_are_votekits() -> None:
    for seed in islice(SEEDS, 300):
        orders, counts, items = truncated_profile(seed)
        ours = Study(ballots(orders, counts, items), "plurality").scores * sum(counts)
        theirs = first_place_votes(votekit_profile(orders, counts, items))
        assert ours == pytest.approx(by_letter(theirs, items))
