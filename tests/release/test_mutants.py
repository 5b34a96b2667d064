"""The table of mutants fits the source: a change of the source brings its mutants along."""

from __future__ import annotations

import ast

import pytest

from scripts.mutants import (
    PACKAGE,
    Mutant,
    MutantError,
    Outcome,
    chosen,
    mutants,
    verdict,
)

MUTANTS = mutants()

SCALED = Mutant("halved", "sums/model.py", old="total", new="total / 2")


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_every_mutant_is_found_once_in_the_source(mutant: Mutant) -> None:
    source = (PACKAGE / mutant.file).read_text()
    changed = mutant.changed(source)
    assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_every_mutant_is_killed_or_says_why_not(mutant: Mutant) -> None:
    assert bool(mutant.killed_by) != bool(mutant.reason)


def test_there_are_at_least_twenty_mutants_of_different_names() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS) >= 20


@pytest.mark.parametrize("source", ["mean = 0", "total = total + 1"])
def test_a_text_that_is_not_found_once_is_refused_by_name(source: str) -> None:
    with pytest.raises(MutantError, match=r"'halved': its old text stands [02] times"):
        SCALED.changed(source)


def test_the_few_are_the_same_for_the_same_sources() -> None:
    few = chosen([], 3)
    assert few == chosen([], 3)
    assert len({mutant.name for mutant in few}) == 3


def test_an_unknown_mutant_is_refused_by_name() -> None:
    with pytest.raises(MutantError, match="unknown mutant 'no such'"):
        chosen(["no such"], None)


@pytest.mark.parametrize(
    ("killer", "reason", "is_right"),
    [
        ("test_scores", "", True),
        (None, "no score shows it", True),
        (None, "", False),
        ("test_scores", "no score shows it", False),
    ],
)
def test_a_row_is_right_if_it_is_killed_or_alive_for_a_reason(
    killer: str | None, reason: str, is_right: bool
) -> None:
    mutant = Mutant("halved", "sums/model.py", "total", "total / 2", reason=reason)
    assert verdict(mutant, Outcome(killer, 1.0))[1] is is_right
