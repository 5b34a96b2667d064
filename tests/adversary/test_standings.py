"""What an answer says of items: taking each unit away, scoring anew and counting places agrees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles.standing import Stands, check_headline, covering_list
from steadyrank import (
    Ballots,
    Ratings,
    ScoreMatrix,
    Study,
    Votes,
    inflated_topk_mask,
    topk,
)
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import plain_text
from steadyrank.study import standings
from steadyrank.study.answers import named
from steadyrank.text import rounded_up
from tests.adversary.test_margins import (
    Subsets,
    ballots,
    battles,
    full_ratings,
    gaps,
    made,
    matrix,
    ratings,
    refitted,
    votes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

KINDS = [votes, ballots, matrix, ratings, full_ratings, gaps, battles, refitted]


def drawn(
    make: Callable[[np.random.Generator], Study], rng: np.random.Generator
) -> tuple[Study, int]:
    study = made(make, rng)
    while study is None:  # without some unit an item would have no data
        study = made(make, rng)
    return study, int(rng.integers(1, len(study.items) + 1))


@pytest.mark.parametrize("make", KINDS)
def test_standings_ranks_and_shares_are_those_of_every_single_deletion(
    make, cases: Cases
):
    forms = set()
    for rng in cases(12):
        study, k = drawn(make, rng)
        answer, stands = study.topk(k), Stands.of(study.data, study.scorer)
        listed = [study.items.index(label) for label in answer.members]
        for row in answer.rows():
            item = study.items.index(row.item)
            assert (row.best_rank, row.worst_rank) == stands.ranks(item)
            assert row.share == stands.share(item, k)
            assert row.standing == stands.standing(item, k)
            assert row.listed == (item in listed) == (row.standing != "out")
            assert row.rank == stands.ranking.index(item) + 1
        assert listed == stands.listed(k)
        for name, standing in (("sure", "sure"), ("contenders", "contender")):
            expected = [
                study.items[i]
                for i in stands.ranking
                if stands.standing(i, k) == standing
            ]
            assert list(getattr(answer, name)) == expected
        found = answer.findings()
        assert found["summary"]["changing_units"] == stands.changing(k)
        forms.add(
            check_headline(found["headline"], stands, k, study.items, study.facts.unit)
        )
    assert len(forms) >= 3  # every form that these data have is told


@pytest.mark.parametrize("make", KINDS)
def test_with_a_share_the_list_is_the_shortest_down_the_order_that_covers_so_many(
    make, cases: Cases
):
    for rng in cases(12):
        study, k = drawn(make, rng)
        stands = Stands.of(study.data, study.scorer)
        delta = float(rng.choice([0.05, 0.2, 0.5]))
        answer = study.topk(k, delta=delta)
        allowed = max(n for n in range(stands.total + 1) if n / stands.total <= delta)
        expected = covering_list(stands, study.scores, k, allowed)
        assert [study.items.index(label) for label in answer.members] == expected
        number = stands.uncovered(expected, k)
        assert answer.certificate.delta == number / stands.total
        assert (f"except without {number:,} of them" in answer.certificate.promise) == (
            number > 0
        )
        assert answer.certificate.status == "proved"
        assert (
            f"any but a share {rounded_up(delta)} of them" in answer.certificate.promise
        )
        assert (
            not set(stands.listed(k)[k:]) - set(expected) or number
        )  # never shorter than the union


@pytest.mark.parametrize("make", KINDS)
def test_audits_and_answers_at_an_eps_count_who_changes_them(make, cases: Cases):
    for rng in cases(8):
        study, k = drawn(make, rng)
        stands, found = Stands.of(study.data, study.scorer), study.audit(k)
        plain, inflated = found.row("topk", k), found.row("inflated_topk", k)
        assert plain.delta == stands.changing(k) / stands.total
        assert (inflated.delta, inflated.eps) == (0.0, study.curve(k).smallest_eps(0))
        eps = float(rng.choice([0.0513, 0.3137, 1.0137]))  # no distance on the grid
        full = inflated_topk_mask(study.scores, k, eps)
        parted = sum(
            int(copies)
            for unit, copies in enumerate(study.units.counts.tolist())
            if (full & inflated_topk_mask(scores_without(study, unit), k, eps)).sum()
            < k
        )
        assert study.topk(k, eps=eps).certificate.delta == parted / stands.total


def scores_without(study: Study, unit: int) -> np.ndarray:
    return np.asarray(study.scorer.score(study.data.without(unit)))


@pytest.mark.parametrize("make", KINDS)
def test_rankings_cover_every_ranking_without_a_unit(make, cases: Cases):
    for rng in cases(8):
        study, _ = drawn(make, rng)
        stands, answer = Stands.of(study.data, study.scorer), study.ranking()
        assert (answer.eps, answer.rankings, answer.certificate.status) == (
            None,
            None,
            "proved",
        )
        assert [len(tier) for tier in answer.tiers] == stands.tiers()
        assert sum(answer.tiers, ()) == answer.ranking
        one, other = (
            int(item) for item in rng.choice(len(study.items), 2, replace=False)
        )
        ahead = all(
            ranking.index(one) < ranking.index(other) for ranking in stands.rankings
        )
        first = answer.ranking.index(study.items[one]) < answer.ranking.index(
            study.items[other]
        )
        pair = study.margin(pair=(study.items[one], study.items[other]))
        assert (first and pair.lower > 1) == ahead
        moving = sum(n for n, ranking in stands.others if ranking != stands.ranking)
        assert answer.changing == moving
        for row in answer.rows():
            assert (row.best_rank, row.worst_rank) == stands.ranks(
                study.items.index(row.item)
            )
            assert (row.standing == "sure") == (row.best_rank == row.worst_rank)


@pytest.mark.parametrize("make", [votes, ballots, ratings, battles])
def test_of_large_data_the_list_and_its_neighbours_have_exact_ranks(
    make, cases: Cases, monkeypatch
):
    monkeypatch.setattr(standings, "ALL_ITEMS", 0)
    monkeypatch.setattr(standings, "NEIGHBOURS", 1)
    blank = 0
    for rng in cases(8):
        study, k = drawn(make, rng)
        monkeypatch.setattr(standings, "RIVALS", int(rng.choice([0, 100])))
        answer, stands = study.topk(k), Stands.of(study.data, study.scorer)
        for row in answer.rows():
            known = stands.ranks(study.items.index(row.item))
            assert (row.best_rank, row.worst_rank) in {known, (None, None)}
            assert row.rank > answer.last_place or row.best_rank is not None
            blank += row.best_rank is None
    assert blank


def thin_ratings(rng, items: int, people: int):
    user, item = np.nonzero(rng.random((people, items)) < rng.choice([0.3, 0.6, 0.9]))
    both = (
        np.append(user, [people, people + 1]),
        np.append(item, [0, 1]),
    )  # two more, surely
    return Ratings(*both, rng.integers(1, 4, len(both[0])), items=range(items)), (
        f"mean:shrinkage={rng.choice([0.5, 1.0, 5.0])}"
    )


def thin_votes(rng, items: int, people: int):
    """Votes, alone or in groups, with weights or without: ties abound."""
    chosen = np.append(rng.integers(0, items, people), [0, 1])
    weights = rng.choice([0.5, 1.0, 2.0], len(chosen)) if rng.integers(2) else None
    groups = rng.integers(0, 4, len(chosen)).tolist() if rng.integers(2) else None
    groups = None if groups is None or len(set(groups)) == 1 else groups
    return Votes(chosen, items=range(items), weights=weights, units=groups), None


def thin_ballots(rng, items: int, people: int):
    """Ballots that list some items, of which the others get the rest of the points."""
    listed = [
        rng.permutation(items)[: int(rng.integers(1, items + 1))].tolist()
        for _ in range(people)
    ]
    return Ballots([*listed, [0], [1, 0]], items=range(items)), "borda"


@pytest.mark.parametrize("make", [thin_ratings, thin_votes, thin_ballots])
def test_ranks_from_touched_items_alone_are_those_of_whole_rows(
    make, cases: Cases, monkeypatch
):
    monkeypatch.setattr(standings, "THIN", 0)
    for rng in cases(40):
        items, people = (int(number) for number in rng.integers(2, 12, 2))
        facts = Study(*make(rng, items, people)).facts
        for upto in range(1, items + 1):
            rivals = np.arange(items)
            found = standings.rank_ranges(facts, upto)
            rows = standings._ranges(facts.leave_one_out, rivals, facts.order[:upto])
            assert found.best.tolist() == rows.best.tolist()
            assert found.worst.tolist() == rows.worst.tolist()


@pytest.mark.parametrize(
    "make", [votes, ballots, matrix, ratings, gaps, battles, refitted]
)
def test_no_item_is_nearer_to_the_border_than_it_says(make, cases: Cases):
    for rng in cases(4):
        study, k = drawn(make, rng)
        subsets = Subsets(study).scores
        for row in study.topk(k).rows():
            item, inside = study.items.index(row.item), row.rank <= k
            sizes = [
                size for size, scores in subsets if (item in topk(scores, k)) != inside
            ]
            assert row.away <= min(sizes, default=study.units.total)
            assert (row.away == 1) == (row.standing == "contender")
            if make is votes and inside:  # exact for one item that must be passed
                assert row.away == min(sizes, default=study.units.total)


@pytest.mark.parametrize("make", [votes, matrix, ratings, battles])
def test_the_sentence_of_a_ranking_is_true(make, cases: Cases):
    for rng in cases(8):
        study, _ = drawn(make, rng)
        stands, items = Stands.of(study.data, study.scorer), len(study.items)
        said = study.ranking().findings()["headline"]
        fixed = sum(len(set(stands.ranks(item))) == 1 for item in range(items))
        moving = sum(n for n, ranking in stands.others if ranking != stands.ranking)
        unit, every = study.facts.unit, f"{stands.total:,} {study.facts.unit}s"
        if fixed == items:
            kept = f"All {items:,} items keep their rank"
            assert said == f"{kept}, no matter which one of the {every} is removed."
        else:
            holds = "keeps its" if fixed == 1 else "keep their"
            change = "changes" if moving == 1 else "change"
            told = f"{fixed:,} of {items:,} items {holds} rank, no matter which {unit} is removed"
            assert (
                said
                == f"{told}; {moving:,} of the {every} {change} the order when removed."
            )


@pytest.mark.parametrize("make", [votes, matrix, ratings])
def test_what_a_check_says_is_true_and_its_remedy_passes_as_printed(make, cases: Cases):
    for rng in cases(8):
        study, k = drawn(make, rng)
        stands, found = Stands.of(study.data, study.scorer), study.check(k)
        text = " ".join(
            plain_text(found.findings(), Terminal(width=500, verbose=True)).split()
        )
        number, unit = stands.changing(k), study.facts.unit + "s" * (stands.total > 1)
        change = "changes" if number == 1 else "change"
        assert (
            f"{number:,} of the {stands.total:,} {unit} {change} the top {k} when removed"
            in text
        )
        assert text.startswith("STABLE" if number == 0 else "UNSTABLE")
        if number:
            told = re.search(r"A list of (\d+) items? would pass: add (.+?)\. ", text)
            listed = [study.items[item] for item in stands.listed(k)]
            assert (int(told[1]), told[2]) == (
                len(listed),
                ", ".join(map(str, listed[k:])),
            )
            assert stands.uncovered(stands.listed(k), k) == 0


@pytest.mark.parametrize("make", [votes, matrix, ratings])
def test_equal_scores_at_the_border_are_said_first(make, cases: Cases):
    ties = 0
    for rng in cases(20):
        study, k = drawn(make, rng)
        said = study.topk(k).findings()["warnings"]
        order = np.argsort(-study.scores, kind="stable")
        tied = k < len(order) and study.scores[order[k - 1]] == study.scores[order[k]]
        assert any("have equal scores" in warning for warning in said) == tied
        if tied:
            equal = np.flatnonzero(study.scores == study.scores[order[k]]).tolist()
            assert [
                item for item in order.tolist() if item in equal
            ] == equal  # as they are listed
            assert (
                f"({named([study.items[item] for item in equal], 'and')}): the one listed first"
                in said[0]
            )
        ties += tied
    assert ties


def test_lists_made_anew_part_only_where_they_need_not_cover(cases: Cases):
    """Both lists hold the plain top k without the unit, whatever the new eps is."""
    parted = 0
    for rng in cases(10):
        study = Study(ScoreMatrix(rng.normal(size=(6, 6)).round(1)))
        k = int(rng.integers(1, 4))
        assert parted_units(study, k, tightest=False) == 0
        parted += parted_units(study, k, tightest=True)
    assert parted  # overlap alone does not withstand another eps


def parted_units(study: Study, k: int, *, tightest: bool) -> int:
    """Count the units without which the list shares fewer than k items with this one.

    It is the covering list, or the inflated one at the tightest eps of its own data that overlaps.
    """

    def listed(asked: Study) -> set[object]:
        eps = asked.curve(k).smallest_eps(0) if tightest else None
        return set(asked.topk(k, eps=eps).members)

    full, number = listed(study), 0
    for unit, copies in enumerate(study.units.counts.tolist()):
        again = listed(Study(study.data.without(unit), study.scorer))
        number += copies * (len(full & again) < k)
    return number
