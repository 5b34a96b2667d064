"""Lists that hold against any m removals: every subset of small data, taken away and scored anew."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import combinations, pairwise
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from steadyrank import (
    Battles,
    BradleyTerry,
    Ratings,
    SteadyrankError,
    Study,
    Votes,
    covering_eps,
    inflated_ranking,
    inflated_topk,
    read_any,
    topk,
)
from steadyrank.errors import InvalidValueError, NoProofError
from steadyrank.margins import lists as withstanding
from steadyrank.margins.lists import Withstanding
from steadyrank.margins.pairs import PairMargins, Removal
from steadyrank.operators.inflation import just_above
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import plain_text
from tests.adversary.test_margins import (
    ballots,
    battles,
    gaps,
    made,
    matrix,
    ratings,
    refitted,
    thirds,
    votes,
)
from tests.engine_makers import need, relation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from steadyrank import StableRanking, StableTopK

    Cases = Callable[[int], Iterator[np.random.Generator]]
    Make = Callable[[np.random.Generator], Study]


def many_battles(rng: np.random.Generator) -> Study:
    """So many battles between few items that the bounds say something; equal ones are one unit."""
    first, second = np.triu_indices(4, 1)
    wins = rng.integers(10, 40, (2, len(first)))
    return Study(Battles.from_pairs(first, second, *wins), BradleyTerry(float(rng.choice([0.0, 0.5]))))


MAKERS = [votes, ballots, matrix, ratings, thirds, gaps, battles, many_battles]


def most_of(study: Study) -> int:
    """Return how many units leave here, at most: refits take long."""
    return min(3 if study.units.total < 50 else 2, study.units.total - 1)


class Without(NamedTuple):
    """Scores without so many units."""

    leaving: int
    scores: np.ndarray


def without(study: Study) -> list[Without]:
    """Return the scores without every set of units, as far as there are some."""
    units = np.repeat(np.arange(len(study.units)), study.units.counts).tolist()
    found = []
    for number in range(1, most_of(study) + 1):
        for leaving in sorted(set(combinations(units, number))):
            with suppress(SteadyrankError):  # an item without data has no score
                found.append(Without(number, study.scorer.score(study.data.without(leaving))))
    return found


def asked(study: Study) -> Iterator[tuple[int | None, str, int]]:
    for m in range(1, most_of(study) + 1):
        for guarantee in ("overlap", "cover"):
            for k in (None, *range(1, len(study.items) + 1)):
                yield k, guarantee, m


def some_of(study: Study, rng: np.random.Generator, number: int) -> list[tuple[int | None, str, int]]:
    """Return some of these questions."""
    every = list(asked(study))
    return [every[place] for place in rng.permutation(len(every))[:number]]


def answer_of(study: Study, k: int | None, guarantee: str, m: int) -> StableTopK | StableRanking:
    how = {"removals": m, "guarantee": guarantee}
    return study.ranking(**how) if k is None else study.topk(k, **how)


def holds(
    study: Study | SimpleNamespace, other: Without, answer: StableTopK | StableRanking, guarantee: str
) -> bool:
    """Tell whether an answer keeps its promise when the scores become others."""
    scores, eps = other.scores, answer.eps
    ranking = np.argsort(-scores, kind="stable")
    if answer.k is not None and guarantee == "cover":
        return set(ranking[: answer.k].tolist()) <= set(answer.indices.tolist())
    if answer.k is not None:
        return len(set(answer.indices) & set(inflated_topk(scores, answer.k, eps))) >= answer.k
    if eps is None:  # one that leaves: the ranks themselves
        new = np.argsort(ranking)[answer.order] + 1
        return bool(((answer.ranks.best <= new) & (new <= answer.ranks.worst)).all())
    shown = inflated_ranking(study.scores, eps)
    return ranking in shown if guarantee == "cover" else shown.intersects(inflated_ranking(scores, eps))


@pytest.mark.parametrize("make", MAKERS)
def test_answers_hold_whoever_leaves(make: Make, cases: Cases) -> None:
    for rng in cases(1 if make is many_battles else 4):
        study = made(make, rng)
        if study is None:
            continue
        others = without(study)
        for k, guarantee, m in some_of(study, rng, 8):
            found = answer_of(study, k, guarantee, m)
            assert all(holds(study, other, found, guarantee) for other in others if other.leaving <= m)


@pytest.mark.parametrize("make", MAKERS)
def test_quick_bounds_alone_hold_as_well(
    make: Make, cases: Cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rng in cases(1):
        study = made(make, rng)
        if study is None:
            continue
        closely = {what: answer_of(study, *what) for what in some_of(study, rng, 8)}
        monkeypatch.setattr(withstanding, "CLOSELY", int(rng.integers(0, 4)))
        others = without(study)
        for what, at_best in closely.items():
            _, guarantee, m = what
            found = answer_of(study, *what)
            assert len(found) >= len(at_best)
            assert (found.eps or 0.0) >= (at_best.eps or 0.0)
            assert all(holds(study, other, found, guarantee) for other in others if other.leaving <= m)
        monkeypatch.undo()


@pytest.mark.parametrize("make", MAKERS)
def test_no_lead_is_larger_than_its_bound(make: Make, cases: Cases) -> None:
    """That of sums over one and the same number is reached."""
    for rng in cases(1 if make is many_battles else 4):
        study = made(make, rng)
        if study is None:
            continue
        others, order = without(study), np.argsort(-study.scores, kind="stable").tolist()
        known = study.facts.margin_search().pairs
        for m in range(1, most_of(study) + 1):
            ahead, behind = np.array(list(combinations(order, 2))).T
            left = np.array([s.scores for s in others if s.leaving <= m] or [study.scores])
            over = left[:, behind] - left[:, ahead]
            turned = ((over > 0) | ((over == 0) & (behind < ahead))).any(axis=0)
            for closely in (False, True):
                assert (known.at_least(ahead, behind, most=m, closely=closely)[turned] <= m).all()
        for ahead, behind in combinations(order, 2):
            for m in range(1, most_of(study) + 1):
                leads = [float(s.scores[behind] - s.scores[ahead]) for s in others if s.leaving <= m]
                largest = max([0.0, *leads])
                (found,) = known.leads(m, [(ahead, behind)], [np.inf])
                assert found >= largest * (1 - 1e-9)
                if make in (votes, ballots, matrix):
                    assert found == pytest.approx(largest, rel=1e-9, abs=1e-12)
                upto = float(rng.random())
                (found,) = known.leads(m, [(ahead, behind)], [upto])
                assert min(found, upto) >= min(largest, upto) * (1 - 1e-9)


@pytest.mark.parametrize("make", [*MAKERS, refitted])
def test_one_removal_is_exact(make: Make, cases: Cases) -> None:
    for rng in cases(2):
        study = made(make, rng)
        if study is None:
            continue
        one = [scores for scores in without(study) if scores.leaving == 1]
        assert study.ranking(removals=1).certificate == study.ranking(delta=0).certificate
        for k in range(1, len(study.items) + 1):
            assert study.topk(k, removals=1).certificate == study.topk(k, delta=0).certificate
            shown = study.topk(k, guarantee="cover")
            plain = topk(study.scores, k).tolist()
            entering = {item for scores in one for item in topk(scores.scores, k).tolist()}
            assert shown.certificate.status == "proved"
            assert set(shown.indices.tolist()) == entering | set(plain)
        shown = study.ranking(delta=1e-9)
        largest = max(
            covering_eps(study.scores, np.argsort(-scores.scores, kind="stable")) for scores in one
        )
        assert largest < shown.eps <= max(largest * (1 + 1e-5), study.curve(1).tie_eps)


@pytest.mark.parametrize("make", MAKERS)
def test_more_removals_need_no_less_and_sums_no_more_than_the_triangle_inequality(
    make: Make, cases: Cases
) -> None:
    """Lists of sums are no longer than those at an eps that no removal moves the scores by."""
    for rng in cases(2):
        study = made(make, rng)
        if study is None:
            continue
        others, most, tie = without(study), most_of(study), study.curve(1).tie_eps
        for k in (None, *range(1, len(study.items) + 1)):
            for guarantee in ("overlap", "cover"):
                found = [answer_of(study, k, guarantee, m) for m in range(1, most + 1)]
                needed = [answer.eps or 0.0 for answer in found]
                assert all(more >= less * (1 - 1e-9) for less, more in pairwise(needed))
                assert all(len(more) >= len(less) for less, more in pairwise(found))
                if k is not None:
                    curve = study.removal_curve(k, most, guarantee=guarantee)
                    assert curve.size.tolist() == [len(answer) for answer in found]
                    assert (curve.eps is None) == (guarantee == "cover")
                if make in (votes, ballots, matrix, ratings):
                    wide = 1.0 if guarantee == "overlap" else 2 + np.sqrt(2)
                    for m, answer in enumerate(found, start=1):
                        moved = [
                            np.linalg.norm(s.scores - study.scores) for s in others if s.leaving <= m
                        ]
                        largest = max(tie, wide * max(moved) * (1 + 1e-5))
                        assert (answer.eps or 0.0) <= largest
                        if k is not None:
                            assert set(answer.indices) <= set(inflated_topk(study.scores, k, largest))


class Known(PairMargins):
    """Margins whose every outcome is listed."""

    rule = "listed"

    def __init__(self, outcomes: np.ndarray) -> None:
        self.outcomes = outcomes

    def _quick(self, ahead: np.ndarray, behind: np.ndarray) -> np.ndarray:
        leads = self.outcomes[:, behind] - self.outcomes[:, ahead]
        return np.where(((leads > 0) | ((leads == 0) & (behind < ahead))).any(axis=0), 1, 2)

    def leads(self, removals: int, pairs: list, upto: list) -> list[float]:
        ahead, behind = np.array(pairs).T
        return np.maximum((self.outcomes[:, behind] - self.outcomes[:, ahead]).max(axis=0), 0).tolist()

    def remove(self, ahead: int, behind: int) -> Removal:
        raise NotImplementedError


def listed(scores: np.ndarray, outcomes: np.ndarray) -> SimpleNamespace:
    """Return as much of a search as is needed, with these outcomes of one removal."""
    known = Known(outcomes)
    order = np.argsort(-scores, kind="stable")
    return SimpleNamespace(scores=scores, pairs=known, order=order, fewest=known.fewest)


def test_the_theorems_hold_for_any_scores(cases: Cases) -> None:
    """Whatever the scores may become: few lists of outcomes, ties and far moves among them."""
    for rng in cases(60):
        items = int(rng.integers(2, 7))
        whole = rng.random() < 0.5
        scores = rng.integers(0, 5, items).astype(float) if whole else rng.normal(size=items)
        moves = rng.normal(size=(int(rng.integers(1, 4)), items)) * rng.choice([0.3, 1.0, 3.0])
        outcomes = scores + (np.rint(moves) if whole else moves)
        search = listed(scores, outcomes)
        for k in (None, *range(1, items + 1)):
            for guarantee in ("overlap", "cover"):
                known, cover = Withstanding(search, 1), guarantee == "cover"
                eps = just_above(known.eps_needed(k, cover=cover))
                found = SimpleNamespace(k=k, eps=eps, indices=np.zeros(0, dtype=int))
                if k is not None:
                    found.indices = inflated_topk(scores, k, eps).indices
                    shorter = set(topk(scores, items)[known.listed(k)].tolist())
                    assert not cover or shorter <= set(found.indices.tolist())
                    assert all(set(topk(v, k).tolist()) <= shorter for v in outcomes)
                assert all(holds(search, Without(1, v), found, guarantee) for v in outcomes)


def test_words_say_what_holds() -> None:
    study = Study(Votes(["ann"] * 9 + ["bob"] * 6 + ["cyd"] * 3))
    many = {"removals": 3, "guarantee": "overlap"}
    for answer, kept in (
        (study.topk(2, **many), "the new list at the same eps shares at least 2 items with this one"),
        (study.ranking(removals=3), "the new plain ranking is one of this set"),
        (study.ranking(**many), "the new set shares a ranking with this one"),
        (study.topk(2, removals=3), "the new plain top 2 is inside this list"),
    ):
        found = answer.certificate
        status = "certified" if found.guarantee == "overlap" else "proved"
        assert (found.status, found.delta, found.removals) == (status, 0.0, 3)
        assert found.numbers == {"n": 18, "removals": 3}
        told = "remove any 3 of the 18 votes, or fewer, and if the rest can be scored"
        assert f"{told}, {kept} (delta = 0)." in found.sentence
        text = plain_text(answer.findings(), Terminal(verbose=True)).replace("\n", " ")
        assert "delta = 0 for any 3 removals" in text
        assert answer.findings()["certificate"]["removals"] == 3
    assert "says nothing" in study.topk(2, removals=17).certificate.sentence
    assert study.topk(2, removals=17).certificate.vacuous
    assert "each of the 18 votes was left out" in str(study.topk(2, guarantee="cover").certificate)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"removals": 0}, "from 1 to 17"),
        ({"removals": 18}, "from 1 to 17"),
        ({"removals": 2.0}, "but is 2.0"),
        ({"removals": "2"}, "but is '2'"),
        ({"removals": 2, "delta": 0.1}, "with delta = 0"),
        ({"removals": 2, "claim": "proved"}, "claim"),
        ({"guarantee": "cover", "eps": 1e-9, "removals": 2}, "eps = 1e-09"),
        ({"removals": 3, "eps": 1e-9}, "or give"),
        ({"guarantee": "covers"}, "'overlap', 'cover'"),
    ],
)
def test_promises_that_cannot_be_kept(settings: dict[str, object], said: str) -> None:
    study = Study(Votes(["ann"] * 8 + ["bob"] * 7 + ["cyd"] * 3))
    for ask in (lambda: study.topk(1, **settings), lambda: study.ranking(**settings)):
        with pytest.raises(InvalidValueError, match=said):
            ask()


def test_what_is_said_to_be_enough_is() -> None:
    study = Study(Votes(["ann"] * 8 + ["bob"] * 7 + ["cyd"] * 3))
    with pytest.raises(NoProofError) as caught:
        study.topk(1, removals=3, eps=1e-6)
    enough = float(re.findall(r"give (\S+) or more", str(caught.value))[0])
    assert study.topk(1, removals=3, eps=enough).members == study.topk(1, removals=3).members


def test_scorers_that_nothing_bounds_are_refused(cases: Cases) -> None:
    for rng in cases(2):
        study = made(refitted, rng)
        assert study is not None
        with pytest.raises(NoProofError, match="nothing bounds what 2 rows removed together"):
            study.topk(1, removals=2)
        assert study.topk(1, guarantee="cover").certificate.removals == 1


def test_engines_say_the_same(cases: Cases, in_ci: bool) -> None:
    need("duckdb", in_ci)
    for rng in cases(1):
        users, items = np.nonzero(rng.random((12, 5)) < 0.6)
        columns = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users))}
        memory, scanned = Study(Ratings.from_frame(columns)), Study(Ratings.scan(relation(columns)))
        for what in some_of(memory, rng, 8):
            one, other = answer_of(scanned, *what), answer_of(memory, *what)
            assert (one.eps, list(one)) == (other.eps, list(other))


def test_a_benchmark_of_classifiers(shared_data: Path) -> None:
    study = Study(read_any(shared_data / "scores" / "cls_bin_mean.csv", missing="drop"))
    answer = study.topk(5, removals=5)
    assert (answer.eps, len(answer)) == (None, 7)
    assert len(study.topk(5, eps=5 * float(study.facts.shifts.max()), claim="none")) > 3 * len(answer)
