"""How many must leave, on the command line: every number said is found by trying all removals."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

import pytest

from steadyrank import Study, read_any
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

VOTES = {"ann": 7, "bob": 5, "cyd": 3, "dee": 1}


def removals() -> Iterator[tuple[int, list[str]]]:
    """Yield how many votes leave and the ranking of those that stay, every way there is."""
    for left in product(*(range(count + 1) for count in VOTES.values())):
        ranked = sorted(VOTES, key=lambda name: (-left[list(VOTES).index(name)], name))
        if any(left):
            yield sum(VOTES.values()) - sum(left), ranked


def fewest(changed: Callable[[list[str]], bool]) -> int:
    return min(number for number, ranked in removals() if changed(ranked))


def votes(folder: Path) -> Path:
    file = folder / "votes.csv"
    file.write_text(
        "choice,count\n" + "".join(f"{name},{n}\n" for name, n in VOTES.items())
    )
    return file


def said(truth: int, what: str) -> str:
    if truth == 1:
        return f"Removing 1 of the 16 votes can change {what}."
    return f"Changing {what} takes the removal of {truth} of the 16 votes; fewer are never enough."


def test_margin_says_what_trying_everything_says(
    run: Callable[..., object], tmp_path: Path
) -> None:
    file = votes(tmp_path)
    for k in (1, 2, 3):
        before = set(list(VOTES)[:k])
        truth = fewest(lambda ranked, k=k, before=before: set(ranked[:k]) != before)
        told = run("margin", file, "-k", k).out
        assert said(truth, f"the top {k}") in " ".join(told.split())
        found = run("margin", file, "-k", k, "--json").json
        assert (found["lower"], found["upper"], found["exact"]) == (truth, truth, True)
        assert found["units_removed"]["units"] == truth
        for row in run("topk", file, "-k", k, "--json").json["rows"]:
            inside = row["rank"] <= k
            away = fewest(
                lambda ranked, row=row, k=k, inside=inside: (
                    (row["item"] in ranked[:k]) != inside
                )
            )
            assert row["away"] <= away
    truth = fewest(lambda ranked: ranked != list(VOTES))
    ranking = run("margin", file, "--json").json
    assert (ranking["lower"], ranking["upper"]) == (truth, truth)
    for one, other in pairwise(VOTES):
        assert Study(file).margin(pair=(one, other)).lower == fewest(
            lambda ranked, one=one, other=other: ranked.index(other) < ranked.index(one)
        )


def test_one_item(run: Callable[..., object], tmp_path: Path) -> None:
    file = votes(tmp_path)
    found = run("margin", file, "-k", 1, "--of", "cyd", "--json").json
    truth = fewest(lambda ranked: ranked[0] == "cyd")
    assert found["lower"] <= truth <= found["upper"]
    assert found["item"] == "cyd"
    unknown = run("margin", file, "-k", 1, "--of", "cid")
    assert (unknown.code, "there is no item 'cid'" in unknown.err) == (2, True)


def test_check_is_a_gate_for_margins(
    run: Callable[..., object], tmp_path: Path
) -> None:
    file = votes(tmp_path)
    truth = fewest(lambda ranked: ranked[0] != "ann")
    enough = run("check", file, "-k", 1, "--min-margin", truth)
    assert enough.code == 0
    assert f"The margin is at least {truth}; {truth} asked for: enough." in enough.out
    short = run("check", file, "-k", 1, "--min-margin", truth + 1)
    assert short.code == 1
    assert (
        f"The margin is at least {truth}; {truth + 1} asked for: too few." in short.out
    )


def test_answers_say_their_margin(run: Callable[..., object], tmp_path: Path) -> None:
    file = votes(tmp_path)
    truth = fewest(lambda ranked: set(ranked[:2]) != {"ann", "bob"})
    assert said(truth, "the top 2") in " ".join(run("topk", file, "-k", 2).out.split())
    whole = fewest(lambda ranked: ranked != list(VOTES))
    assert said(whole, "the order") in " ".join(run("rank", file).out.split())
    assert run("topk", file, "-k", 2, "--proved", "--json").json["margin"] is None
    assert run("topk", file, "-k", 2, "--json").json["margin"]["lower"] == truth


def test_questions_that_contradict_themselves_are_refused(
    run: Callable[..., object], tmp_path: Path
) -> None:
    study = Study(read_any(votes(tmp_path)))
    for asked, why in (
        ({"k": 1, "pair": ("ann", "bob")}, "cannot go with"),
        ({"pair": ("ann", "ann")}, "must be two items, but both are 'ann'"),
        ({"item": "ann"}, r"'ann' takes to flip depends on k"),
    ):
        with pytest.raises(InvalidValueError, match=why):
            study.margin(**asked)
    refused = run("margin", votes(tmp_path), "--of", "ann")
    assert (refused.code, "Give -k ..." in refused.err) == (2, True)


def test_a_pair_is_said_by_its_names(tmp_path: Path) -> None:
    study = Study(read_any(votes(tmp_path)))
    truth = fewest(lambda ranked: ranked.index("cyd") < ranked.index("ann"))
    for pair in (("ann", "cyd"), ("cyd", "ann")):
        told = study.margin(pair=pair).sentence
        assert told == (
            f"Putting 'cyd' ahead of 'ann' takes the removal of {truth} of the 16 votes; fewer are "
            "never enough."
        )
