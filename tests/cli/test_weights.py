"""Weighted polls and groups on the command line, with numbers worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

POLL = (
    "party,w,region\n"
    + "red,0.1,n\n" * 3
    + "blue,0.3,s\n"
    + "blue,0.2,n\n"
    + "green,0.1,s\n"
)


def poll(folder: Path) -> Path:
    file = folder / "poll.csv"
    file.write_text(POLL)
    return file


def test_weights_and_units_of_votes(run: Callable[..., object], tmp_path: Path) -> None:
    file = poll(tmp_path)
    found = run("topk", file, "-k", 1, "--weight", "w", "--json").json
    scores = {row["item"]: row["score"] for row in found["rows"]}
    assert scores["blue"] == 5 / 9
    assert found["n_units"] == 6
    margin = run("margin", file, "-k", 1, "--weight", "w", "--json").json
    # Without 0.3 red leads by 0.1 of what is left.
    assert (margin["lower"], margin["upper"], margin["exact"]) == (1, 1, True)
    assert "blue, weight 0.3" in run("margin", file, "-k", 1, "--weight", "w").out
    regions = run(
        "topk", file, "-k", 1, "--weight", "w", "--unit", "region", "--json"
    ).json
    assert (regions["unit"], regions["n_units"]) == ("region", 2)
    # Without s red has 0.3 and blue 0.2; without n blue has 0.3 and red none.
    moving = {row["item"] for row in regions["rows"] if row["standing"] == "contender"}
    assert moving == {"red", "blue"}


def test_a_weight_that_is_guessed_is_said_first(
    run: Callable[..., object], tmp_path: Path
) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("vote,weight\nx,2\ny,1\ny,3\n")
    out = " ".join(run("topk", file, "-k", 1).out.split())
    assert (
        "'weight' as the weights (how much each one counts, not how often it occurs) (--weight)"
        in out
    )
    assert "one vote with its weight, of 3" in out
    assert (
        run("topk", file, "-k", 1, "--count", "weight", "--json").json["n_units"] == 6
    )


def test_bad_weights_end_with_their_line(
    run: Callable[..., object], tmp_path: Path
) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("vote,wt\nx,2\ny,-1\n")
    found = run("topk", file, "-k", 1)
    assert found.code != 0
    assert "from 0 on, but there is -1" in found.err
    assert "line 3" in found.err


def test_first_choices_of_ballots(run: Callable[..., object], tmp_path: Path) -> None:
    file = tmp_path / "ballots.csv"
    file.write_text("ballot,weight\nx > y,0.5\ny > x,0.2\nx = y > z,1\n")
    found = run("topk", file, "-k", 1, "--scorer", "plurality", "--json").json
    assert {row["item"]: row["score"] for row in found["rows"]}["x"] == 10 / 17
    refused = run("topk", file, "-k", 1, "--scorer", "plurality", "--approval")
    assert refused.code != 0
    assert "have none" in " ".join(refused.err.split())
