"""Options that name columns mean what they say for every kind of data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from steadyrank.cli.commands import parse_ks
from steadyrank.cli.inputs import load
from steadyrank.cli.options import InputOptions
from steadyrank.data.kinds import KINDS
from steadyrank.errors import typed_name
from steadyrank.scorers import as_scorer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Any]

CASES = [
    (
        "ratings",
        "who,what,how\na,x,5\nb,x,3\nb,y,2\n",
        {"user": "who", "item": "what", "score": "how"},
    ),
    (
        "scores",
        "t,what,how\na,x,5\na,y,3\nb,x,2\nb,y,4\n",
        {"row": "t", "item": "what", "score": "how"},
    ),
    (
        "battles",
        "one,two,who\nx,y,left\ny,x,tie\n",
        {"left": "one", "right": "two", "winner": "who"},
    ),
    (
        "battles",
        "one,two,w1,w2,d\nx,y,3,2,1\n",
        {
            "left": "one",
            "right": "two",
            "wins_left": "w1",
            "wins_right": "w2",
            "ties": "d",
        },
    ),
    ("votes", "what,often\nx,3\ny,2\n", {"choice": "what", "count": "often"}),
    ("ballots", "line,often\nx > y,3\ny,2\n", {"ballot": "line", "count": "often"}),
    (
        "ballots",
        "who,what,place\na,x,1\na,y,2\nb,y,1\n",
        {"user": "who", "item": "what", "rank": "place"},
    ),
    ("ballots", "c1,c2\nx,y\ny,x\n", {"ranks": "c1,c2"}),
    ("regression", "a,b,out\n1,2,3\n2,1,4\n5,2,1\n", {"response": "out"}),
    (
        "regression",
        "a,b,c,out\n1,2,9,3\n2,1,9,4\n",
        {"response": "out", "items": "a,b"},
    ),
    ("scores", "t,x,y,z\na,1,2,3\nb,2,2,1\n", {"items": "x,y"}),
]


@pytest.mark.parametrize(("kind", "text", "columns"), CASES)
@pytest.mark.parametrize("given", [False, True])
def test_columns_by_name(
    tmp_path: Path, kind: str, text: str, columns: dict[str, str], given: bool
) -> None:
    file = tmp_path / "data.csv"
    file.write_text(text, encoding="utf-8")
    data = load(
        InputOptions(file=str(file), kind=kind if given else None, arguments=columns)
    )
    assert data.kind.name == kind


def test_a_score_from_standard_input_may_be_of_either_kind(run: Command) -> None:
    text = b"t,what,how\na,x,5\na,y,3\nb,x,2\nb,y,4\n"
    found = run(
        "rank",
        "-",
        "--row",
        "t",
        "--item",
        "what",
        "--score",
        "how",
        "--json",
        stdin=text,
    )
    assert found.json["kind"] == "scores"
    assert found.json["source"] == "-"


def test_units_group_rows(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text(
        "left,right,winner,worker\nx,y,left,w\ny,x,left,w\nx,y,tie,v\n",
        encoding="utf-8",
    )
    assert load(InputOptions(file=str(file))).n_units == 3
    assert load(InputOptions(file=str(file), arguments={"unit": "worker"})).n_units == 2


def test_policies_reach_the_reader_and_the_document(
    run: Command, tmp_path: Path
) -> None:
    file = tmp_path / "data.csv"
    file.write_text("user,item,rating\na,x,5\na,x,3\nb,y,2\n", encoding="utf-8")
    found = run("rank", file, "--duplicates", "last", "--json").json
    assert {row["item"]: row["score"] for row in found["rows"]} == {"x": 1.5, "y": 1.0}
    assert any("the last one kept" in note for note in found["notes"])


def test_approval_ballots(run: Command, tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text('ballot\n"x, y"\nx\n"y, z"\nx\n', encoding="utf-8")
    found = run("topk", file, "-k", 1, "--approval", "--json").json
    assert found["kind"] == "ballots"
    assert [row["score"] for row in found["rows"]] == [0.75, 0.5, 0.25]


def test_real_files_are_read_as_they_are(run: Command, shared_data: Path) -> None:
    expected = {
        "battles/llmfao.csv": "battles",
        "battles/arena_pairs.csv": "battles",
        "ballots/00001-00000001.soi": "ballots",
        "ballots/00002-00000003.toc": "ballots",
        "ratings/jester5k.csv.gz": "ratings",
    }
    for name, kind in expected.items():
        found = run("topk", shared_data / name, "-k", 3, "--json")
        assert found.code == 0
        assert found.json["kind"] == kind
        assert found.json["summary"]["uncovered_units"] == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plurality", "Plurality()"),
        (
            "mean rating:shrinkage=2.5",
            "MeanRating(shrinkage=2.5, value_range=None, empty=None)",
        ),
        (
            "mean-rating: shrinkage=2, value_range=-1..5",
            "MeanRating(shrinkage=2.0, value_range=(-1.0, 5.0), empty=None)",
        ),
    ],
)
def test_scorers_with_settings(text: str, expected: str) -> None:
    assert repr(as_scorer(text)) == expected


def test_several_k() -> None:
    assert parse_ks("20, 5,10") == [20, 5, 10]


def test_every_argument_of_every_kind_is_an_option(run: Command) -> None:
    told = run("topk", "--help").out
    for known in KINDS.values():
        for name in known.declared:
            assert typed_name(name) in told


def test_a_way_out_is_written_as_one_types_it(run: Command, tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("p,q\nx,y\n", encoding="utf-8")
    assert (
        "Give the name of the column as --left ..."
        in run("topk", file, "-k", 1, "--kind", "battles").err
    )
    file.write_text("task,x,y,z\na,1.5,,2\nb,2,3,1\n", encoding="utf-8")
    said = run("topk", file, "-k", 1).err
    assert "--missing drop" in said
    assert "missing=" not in said
