"""Lists that hold against any m removals: every subset of small data, taken away and scored anew."""

from __future__ import annotations

from contextlib import suppress
from itertools import combinations, pairwise, product
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from steadyrank import (
    Battles,
    BradleyTerry,
    SteadyrankError,
    Study,
    Votes,
    inflated_topk,
    read,
    topk,
)
from steadyrank.errors import InvalidValueError, NoProofError
from steadyrank.margins import search as margin_search
from steadyrank.margins.pairs import PairMargins, Removal
from steadyrank.margins.search import Withstanding
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
from tests.engine_makers import RATED, need, relation, scan_ratings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from steadyrank import StableTopK

    Cases = Callable[[int], Iterator[np.random.Generator]]
    Make = Callable[[np.random.Generator], Study]


def many_battles(rng: np.random.Generator) -> Study:
    """So many battles between few items that the bounds say something; equal ones are one unit."""
    first, second = np.triu_indices(4, 1)
    wins = rng.integers(10, 40, (2, len(first)))
    return Study(
        Battles.from_pairs(first, second, *wins),
        BradleyTerry(float(rng.choice([0.0, 0.5]))),
    )


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
                found.append(
                    Without(number, study.scorer.score(study.data.without(leaving)))
                )
    return found


def asked(study: Study) -> list[tuple[int, int]]:
    """Return every k, and every number of removals."""
    return list(product(range(1, len(study.items) + 1), range(1, most_of(study) + 1)))


def some_of(
    study: Study, rng: np.random.Generator, number: int
) -> list[tuple[int, int]]:
    """Return some of these questions."""
    every = asked(study)
    return [every[place] for place in rng.permutation(len(every))[:number]]


def holds(other: Without, answer: StableTopK) -> bool:
    """Tell whether a list keeps its promise when the scores become others."""
    return set(topk(other.scores, answer.k).tolist()) <= set(answer.indices.tolist())


@pytest.mark.parametrize("make", MAKERS)
def test_answers_hold_whoever_leaves(make: Make, cases: Cases) -> None:
    for rng in cases(1 if make is many_battles else 4):
        study = made(make, rng)
        if study is None:
            continue
        others = without(study)
        for k, m in some_of(study, rng, 8):
            found = study.topk(k, removals=m)
            assert all(holds(other, found) for other in others if other.leaving <= m)


@pytest.mark.parametrize("make", MAKERS)
def test_quick_bounds_alone_hold_as_well(
    make: Make, cases: Cases, monkeypatch: pytest.MonkeyPatch
) -> None:
    for rng in cases(1):
        study = made(make, rng)
        if study is None:
            continue
        closely = {(k, m): study.topk(k, removals=m) for k, m in some_of(study, rng, 8)}
        monkeypatch.setattr(margin_search, "LISTED", int(rng.integers(0, 4)))
        others = without(study)
        for (k, m), at_best in closely.items():
            found = study.topk(k, removals=m)
            assert set(at_best) <= set(found)
            assert all(holds(other, found) for other in others if other.leaving <= m)
        monkeypatch.undo()


@pytest.mark.parametrize("make", MAKERS)
def test_no_pair_turns_below_its_bound(make: Make, cases: Cases) -> None:
    for rng in cases(1 if make is many_battles else 4):
        study = made(make, rng)
        if study is None:
            continue
        others, order = (
            without(study),
            np.argsort(-study.scores, kind="stable").tolist(),
        )
        known = study.facts.margin_search().pairs
        for m in range(1, most_of(study) + 1):
            ahead, behind = np.array(list(combinations(order, 2))).T
            left = np.array(
                [s.scores for s in others if s.leaving <= m] or [study.scores]
            )
            over = left[:, behind] - left[:, ahead]
            turned = ((over > 0) | ((over == 0) & (behind < ahead))).any(axis=0)
            for closely in (False, True):
                assert (
                    known.at_least(ahead, behind, most=m, closely=closely)[turned] <= m
                ).all()


@pytest.mark.parametrize("make", [*MAKERS, refitted])
def test_one_removal_is_exact(make: Make, cases: Cases) -> None:
    for rng in cases(2):
        study = made(make, rng)
        if study is None:
            continue
        one = [scores for scores in without(study) if scores.leaving == 1]
        for k in range(1, len(study.items) + 1):
            assert (
                study.topk(k, removals=1).certificate
                == study.topk(k, delta=0).certificate
            )
            shown = study.topk(k)
            plain = topk(study.scores, k).tolist()
            entering = {
                item for scores in one for item in topk(scores.scores, k).tolist()
            }
            assert shown.certificate.status == "proved"
            assert set(shown.indices.tolist()) == entering | set(plain)
        ranked = study.ranking()
        for scores in one:
            place = (
                1 + np.argsort(np.argsort(-scores.scores, kind="stable"))[ranked.order]
            )
            assert ((ranked.ranks.best <= place) & (place <= ranked.ranks.worst)).all()


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
        for k in range(1, len(study.items) + 1):
            found = [study.topk(k, removals=m) for m in range(1, most + 1)]
            assert all(set(less) <= set(more) for less, more in pairwise(found))
            assert all(answer.eps is None for answer in found)
            for m, answer in enumerate(
                found if make in (votes, ballots, matrix, ratings) else [], 1
            ):
                moved = [
                    np.linalg.norm(s.scores - study.scores)
                    for s in others
                    if s.leaving <= m
                ]
                largest = max(tie, (2 + np.sqrt(2)) * max(moved) * (1 + 1e-5))
                assert set(answer.indices) <= set(
                    inflated_topk(study.scores, k, largest)
                )


class Known(PairMargins):
    """Margins whose every outcome is listed."""

    rule = "listed"

    def __init__(self, outcomes: np.ndarray) -> None:
        self.outcomes = outcomes

    def _quick(self, ahead: np.ndarray, behind: np.ndarray) -> np.ndarray:
        leads = self.outcomes[:, behind] - self.outcomes[:, ahead]
        return np.where(
            ((leads > 0) | ((leads == 0) & (behind < ahead))).any(axis=0), 1, 2
        )

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
        scores = (
            rng.integers(0, 5, items).astype(float) if whole else rng.normal(size=items)
        )
        moves = rng.normal(size=(int(rng.integers(1, 4)), items)) * rng.choice(
            [0.3, 1.0, 3.0]
        )
        outcomes = scores + (np.rint(moves) if whole else moves)
        search = listed(scores, outcomes)
        for k in range(1, items + 1):
            shorter = set(
                topk(scores, items)[Withstanding(search, 1).listed(k)].tolist()
            )
            assert all(set(topk(v, k).tolist()) <= shorter for v in outcomes)


def test_words_say_what_holds() -> None:
    study = Study(Votes(["ann"] * 9 + ["bob"] * 6 + ["cyd"] * 3))
    answer = study.topk(2, removals=3)
    found = answer.certificate
    assert (found.status, found.delta, found.removals) == ("proved", 0.0, 3)
    assert found.numbers == {"n": 18, "removals": 3}
    told = "remove any 3 of the 18 votes, or fewer, and if the rest can be scored"
    kept = "as long as every item keeps some data"  # cyd has three votes
    assert (
        f"{told}, the new plain top 2 is inside this list, {kept} (delta = 0)."
        in found.sentence
    )
    text = plain_text(answer.findings(), Terminal(verbose=True)).replace("\n", " ")
    assert "delta = 0, removals = 3; rule: " in text
    assert answer.findings()["certificate"]["removals"] == 3
    assert "says nothing" in study.topk(2, removals=17).certificate.sentence
    assert study.topk(2, removals=17).certificate.vacuous
    assert "each of the 18 votes was left out" in str(study.topk(2).certificate)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"removals": 0}, "from 1 to 17"),
        ({"removals": 18}, "from 1 to 17"),
        ({"removals": 2.0}, "but is 2.0"),
        ({"removals": "2"}, "but is '2'"),
        ({"removals": 2, "delta": 0.1}, "takes no delta, eps or proof"),
        ({"removals": 2, "proved": True}, "takes no delta"),
        ({"removals": 3, "eps": 1e-9}, "takes no delta"),
    ],
)
def test_promises_that_cannot_be_kept(settings: dict[str, object], said: str) -> None:
    study = Study(Votes(["ann"] * 8 + ["bob"] * 7 + ["cyd"] * 3))
    with pytest.raises(InvalidValueError, match=said):
        study.topk(1, **settings)


def test_scorers_that_nothing_bounds_are_refused(cases: Cases) -> None:
    for rng in cases(2):
        study = made(refitted, rng)
        assert study is not None
        with pytest.raises(
            NoProofError, match="nothing bounds what 2 rows removed together"
        ):
            study.topk(1, removals=2)
        assert study.topk(1).certificate.removals == 1


def test_engines_say_the_same(cases: Cases, in_ci: bool) -> None:
    need("duckdb", in_ci)
    for rng in cases(1):
        users, items = np.nonzero(rng.random((12, 5)) < 0.6)
        columns = {
            "user": users,
            "item": items,
            "rating": rng.integers(1, 6, len(users)),
        }
        memory, scanned = (
            Study(read(columns, **RATED)),
            Study(scan_ratings(relation(columns))),
        )
        for k, m in some_of(memory, rng, 8):
            assert list(scanned.topk(k, removals=m)) == list(memory.topk(k, removals=m))


def test_a_benchmark_of_classifiers(shared_data: Path) -> None:
    path = shared_data / "scores" / "cls_bin_mean.csv"
    complete = "SELECT * FROM data WHERE COLUMNS(*) <> ''"
    study = Study(path, wide=True, unit="Dataset", sql=complete)
    answer = study.topk(5, removals=5)
    assert (answer.eps, len(answer)) == (None, 7)
    assert len(
        inflated_topk(study.scores, 5, 5 * float(study.facts.shifts.max()))
    ) > 3 * len(answer)
