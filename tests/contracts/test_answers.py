"""What every answer promises: compared with removing each unit and looking."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contracts import door
from contracts.cases import (
    Way,
    close,
    every_way,
    largest,
    small_cases,
)
from contracts.truth import (
    Truth,
    inflated_rankings,
    inflated_topk,
    places_among,
    some_eps,
)

if TYPE_CHECKING:
    from contracts.oracle import Contract


@every_way
def test_a_top_k_says_where_items_stand(contract: Contract, kind: str, way: Way):
    for truth, found in small_cases(contract, kind, way):
        for k in range(1, len(truth.items) + 1):
            answer = found.topk(k)
            about = (truth.case, k)
            assert answer["order"] == truth.plain, about
            assert answer["list"] == truth.listed(k), about
            sure = [i for i in truth.plain if truth.standing(i, k) == "sure"]
            assert answer["sure"] == sure, about
            assert answer["contenders"] == [
                item for item in truth.listed(k) if item not in sure
            ]
            assert answer["n_changing"] == truth.n_changing(k), about
            for size, n_uncovered in answer["n_uncovered"].items():
                assert n_uncovered == truth.n_uncovered(k, size), (*about, size)
            for item, row in found.rows(k).items():
                assert_row_is_true(truth, k, item, row)


def assert_row_is_true(truth: Truth, k: int, item: str, row: dict[str, Any]) -> None:
    about = (truth.case, k, item)
    assert row["standing"] == truth.standing(item, k), about
    assert row["listed"] == (item in truth.listed(k)), about
    assert row["rank"] == truth.plain.index(item) + 1, about
    inside = truth.n_units_without_which(lambda order: item in order[:k])
    assert row["share"] == inside / truth.n_units, about
    if None not in row["ranks"]:
        assert row["ranks"] == truth.ranks(item), about
    assert truth.scores is not None
    size = largest(truth.scores)
    low, high = row["scores"]
    true_low, true_high = truth.score_range(item)
    assert low <= true_low or close(low, true_low, 1e-8, size), about
    assert high >= true_high or close(high, true_high, 1e-8, size), about
    assert close(row["score"], float(truth.scores[item]), 1e-8, size), about


@every_way
def test_a_headline_says_what_was_counted(contract: Contract, kind: str, way: Way):
    for truth, found in small_cases(contract, kind, way):
        for k in range(1, len(truth.items) + 1):
            headline = found.topk(k)["headline"]
            about = (truth.case, k, headline)
            n_changing = truth.n_changing(k)
            if k == len(truth.items):
                assert "holds every" in headline, about
            elif not n_changing:
                assert "no matter which" in headline, about
                assert all(item in headline for item in truth.plain[:k]), about
            else:
                assert "no matter which" not in headline, about
                if 1 < n_changing < truth.n_units:
                    assert f"any one of {n_changing} of the" in headline, about
                assert any(
                    item in headline
                    for item in truth.plain
                    if truth.standing(item, k) == "contender"
                ), about


@every_way
def test_flips_name_the_units_and_what_they_do(contract: Contract, kind: str, way: Way):
    for truth, found in small_cases(contract, kind, way):
        for k in range(1, len(truth.items)):
            flips = found.flips(k)
            true = truth.flips(k)
            assert flips.keys() == true.keys(), (truth.case, k)
            for unit, (copies, drops_out, comes_in) in flips.items():
                assert copies == truth.units[unit], (truth.case, k, unit)
                assert (drops_out, comes_in) == true[unit], (truth.case, k, unit)


@every_way
def test_a_ranking_says_which_items_keep_their_rank(
    contract: Contract, kind: str, way: Way
):
    for truth, found in small_cases(contract, kind, way):
        answer = found.ranking()
        assert answer["order"] == truth.plain
        n_changing = truth.n_changing_order
        assert answer["n_changing"] == n_changing, truth.case
        ranks = {item: truth.ranks(item) for item in truth.plain}
        assert answer["ranks"] == ranks, truth.case
        sizes = [len(tier) for tier in answer["tiers"]]
        assert sizes == truth.tier_sizes(), truth.case
        n_fixed = sum(best == worst for best, worst in ranks.values())
        headline = answer["headline"]
        if n_fixed == len(ranks):
            assert "no matter which" in headline
        else:
            assert headline.startswith(f"{n_fixed} of {len(ranks)} "), headline
            assert f"{n_changing} of the {truth.n_units}" in headline, headline


@every_way
def test_audits_and_curves_count_what_the_definitions_say(
    contract: Contract, kind: str, way: Way
):
    for truth, found in small_cases(contract, kind, way):
        if truth.case.shape == "near" or len(truth.items) < 2:
            continue
        ks = range(1, len(truth.items) + 1)
        for eps in some_eps(truth):
            table = found.audit(ks, eps)
            clear = True
            for k in ks:
                clear &= inflated_row_is_true(truth, found, k, eps, table)
                assert_plain_row_is_true(truth, k, table["topk", k])
            delta = truth.n_changing_order / truth.n_units
            assert table["ranking", None]["delta"] == delta
            if clear and len(truth.items) <= 4:
                assert_rankings_are_true(truth, found, eps, table)


def inflated_row_is_true(
    truth: Truth, found: door.Asked, k: int, eps: float, table: Any
) -> bool:
    """Compare an inflated top k with its definition; False where a boundary is near."""
    assert truth.scores is not None
    old, is_clear = inflated_topk(truth.scores, k, eps)
    n_broken = 0
    alike = 0.0
    for removal in truth.removals:
        new, new_is_clear = inflated_topk(removal.scores, k, eps)
        is_clear &= new_is_clear
        n_broken += removal.copies * (len(old & new) < k)
        alike += removal.copies * len(old & new) / len(old | new)
    if not is_clear:
        return False
    about = (truth.case, k, eps)
    row = table["inflated_topk", k]
    delta = pytest.approx(n_broken / truth.n_units)
    assert row["delta"] == delta, about
    assert row["size"] == len(old), about
    assert row["jaccard"] == pytest.approx(alike / truth.n_units), about
    point = found.curve(k, eps)
    assert point["delta"] == delta, about
    assert point["size"] == len(old), about
    answer = found.topk(k, eps=eps)
    assert set(answer["list"]) == old, about
    if n_broken < truth.n_units:
        smallest_eps = found.smallest_eps(k, n_broken / truth.n_units)
        smallest = found.curve(k, smallest_eps)
        assert smallest["delta"] <= n_broken / truth.n_units, about
        assert smallest["size"] <= len(old), about
    return True


def assert_plain_row_is_true(truth: Truth, k: int, row: dict[str, Any]) -> None:
    old = set(truth.plain[:k])
    alike = 0.0
    for removal in truth.removals:
        common = len(old & set(removal.order[:k]))
        alike += removal.copies * common / (2 * k - common)
    assert row["delta"] == pytest.approx(truth.n_changing(k) / truth.n_units)
    assert row["jaccard"] == pytest.approx(alike / truth.n_units)
    assert row["size"] == k


def assert_rankings_are_true(
    truth: Truth, found: door.Asked, eps: float, table: Any
) -> None:
    assert truth.scores is not None
    old = inflated_rankings(truth.scores, eps)
    n_broken = sum(
        removal.copies
        for removal in truth.removals
        if not old & inflated_rankings(removal.scores, eps)
    )
    delta = pytest.approx(n_broken / truth.n_units)
    row = table["inflated_ranking", None]
    assert row["delta"] == delta, (truth.case, eps)
    assert row["size"] == len(old), (truth.case, eps)


@every_way
def test_a_list_for_a_share_keeps_to_it(contract: Contract, kind: str, way: Way):
    for truth, found in small_cases(contract, kind, way):
        for k in range(1, len(truth.items)):
            for share in (0.2, 0.5):
                answer = found.topk(k, delta=share)
                listed = set(answer["list"])
                about = (truth.case, k, share, listed)
                n_missed = truth.n_missed_by(listed, k)
                assert set(truth.plain[:k]) <= listed, about
                assert n_missed <= share * truth.n_units, about
                assert answer["delta"] <= share, about
                assert answer["delta"] >= n_missed / truth.n_units, about


@every_way
def test_an_inflated_list_for_a_share_is_the_shortest_one(
    contract: Contract, kind: str, way: Way
):
    """Of the lists that go down the order and keep equal scores together."""
    for truth, found in small_cases(contract, kind, way):
        if truth.case.shape in ("near", "extreme"):  # an eps is known to six digits
            continue
        for k in range(1, len(truth.items)):
            for share in (0.2, 0.5):
                answer = found.topk(k, delta=share)
                size = next(
                    size
                    for size in truth.sizes_that_keep_ties_together(k)
                    if truth.n_uncovered(k, size) <= share * truth.n_units
                )
                about = (truth.case, k, share)
                assert set(answer["list"]) == set(truth.plain[:size]), about
                n_uncovered = truth.n_uncovered(k, size)
                assert answer["delta"] == pytest.approx(n_uncovered / truth.n_units)


@every_way
def test_comparisons_judge_moves_by_what_one_unit_can_do(
    contract: Contract, kind: str, way: Way
):
    every = list(small_cases(contract, kind, way))
    for (old, was), (new, now) in pairwise(every):
        common = [item for item in old.plain if item in new.items]
        if not common or has_weights(old) != has_weights(new):
            continue
        assert old.scores is not None
        assert new.scores is not None
        rows = was.compare(now)
        after = sorted(common, key=lambda item: (-new.scores[item], common.index(item)))
        ranges = [places_among(old.scores, common)]
        ranges += [places_among(removal.scores, common) for removal in old.removals]
        for number, item in enumerate(common):
            place = number + 1
            new_place = after.index(item) + 1
            best = min(places[item][0] for places in ranges)
            worst = max(places[item][1] for places in ranges)
            verdict = "same" if new_place == place else "beyond"
            if verdict == "beyond" and best <= new_place <= worst:
                verdict = "inside"
            true = {"old_place": place, "new_place": new_place, "verdict": verdict}
            assert rows[item] == true, (old.case, new.case, item)


def has_weights(truth: Truth) -> bool:
    return any(row.weight_as_fraction != 1 for row in truth.case.rows)


@every_way
def test_explanations_add_up_to_the_gap(contract: Contract, kind: str, way: Way):
    for truth, found in small_cases(contract, kind, way):
        assert truth.scores is not None
        size = largest(truth.scores)
        for k in range(1, len(truth.items)):
            item = truth.plain[k - 1]
            answer = found.explain(k, item)
            rival = answer["rivals"][0]
            about = (truth.case, k, item, rival)
            assert rival == truth.plain[k], about
            gap = float(truth.scores[item] - truth.scores[rival])
            assert close(answer["gap"], gap, 1e-8, size), about
            contributions = answer["contributions"]
            largest_one = max(map(abs, contributions.values()))
            for removal in truth.removals:
                without = float(removal.scores[item] - removal.scores[rival])
                found_without = answer["gaps_without"][removal.unit]
                assert close(found_without, without, 1e-8, size), about
                if not answer["adds_up"]:
                    # Contributions that are negligible beside the largest are 0.
                    near = max(size, largest_one)
                    contribution = contributions[removal.unit]
                    assert close(contribution, gap - without, 1e-8, near), about
            if answer["adds_up"]:
                total = sum(
                    contribution * truth.units[unit]
                    for unit, contribution in contributions.items()
                )
                assert close(total, gap, 1e-8, size), about


# Documents: the JSON of an answer and of a command says what is true.


@every_way
def test_documents_say_what_is_true(
    contract: Contract, kind: str, way: Way, tmp_path: Path
):
    for number, (truth, found) in enumerate(small_cases(contract, kind, way)):
        path = tmp_path / f"{number}.csv"
        k = 1 + number % len(truth.items)
        of_answer = found.topk_document(k)
        assert_topk_document_is_true(truth, k, of_answer)
        of_ranking = found.ranking_document()
        assert_ranking_document_is_true(truth, of_ranking)
        if not door.sayable(truth.case):
            continue
        if number % 3 == 0:
            words = ("topk", "-k", str(k))
            printed = door.command(truth.case, contract.scorer, path, *words)
            assert_topk_document_is_true(truth, k, printed)
        if number % 3 == 1:
            printed = door.command(truth.case, contract.scorer, path, "rank")
            assert_ranking_document_is_true(truth, printed)


def assert_topk_document_is_true(
    truth: Truth, k: int, document: dict[str, Any]
) -> None:
    about = (truth.case, k)
    facts = door.facts_of_document(document)
    rows = facts["rows"]
    assert [item for item, row in rows.items() if row["listed"]] == truth.listed(k)
    for item, row in rows.items():
        assert_row_is_true(truth, k, item, row)
    n_sure = sum(truth.standing(item, k) == "sure" for item in truth.items)
    assert facts["n_sure"] == n_sure, about
    assert facts["n_contenders"] == len(truth.listed(k)) - n_sure, about
    assert facts["n_changing"] == truth.n_changing(k), about
    assert facts["n_units"] == truth.n_units, about
    flips = Counter[Any]()
    for unit, move in truth.flips(k).items():
        flips[move] += truth.units[unit]
    assert facts["flips"] == flips, about


def assert_ranking_document_is_true(truth: Truth, document: dict[str, Any]) -> None:
    rows = door.facts_of_document(document)["rows"]
    assert list(rows) == truth.plain, truth.case
    for item, row in rows.items():
        ranks = truth.ranks(item)
        assert row["ranks"] == ranks, (truth.case, item)
        standing = "sure" if ranks[0] == ranks[1] else "contender"
        assert row["standing"] == standing, (truth.case, item)
    assert [len(tier) for tier in document["tiers"]] == truth.tier_sizes(), truth.case
