"""Answers that are none, and columns that are passed over."""

from __future__ import annotations

import io
from typing import Any

import pytest

from steadyrank import Ballots, Battles, Ratings, Votes
from steadyrank.data import read_any
from steadyrank.errors import ColumnError, EmptyDataError, InvalidLabelError

VOTES = b"voter,choice\n1,ann\n2,unknown\n3,\n4,bob\n5,unknown\n6,ann\n"


def test_votes() -> None:
    with pytest.raises(InvalidLabelError, match=r"on line 4.*drop=\"\""):
        read_any(io.BytesIO(VOTES))
    for drop in (["unknown", ""], ["", "unknown"], ["unknown", None]):
        data = read_any(io.BytesIO(VOTES), drop=drop)
        assert isinstance(data, Votes)
        assert (data.items, data.tally.tolist()) == (("ann", "bob"), [2, 1])
        assert any(
            "3 rows left out by drop: " in note and "'unknown' 2" in note
            for note in data.notes
        )
    frame = {"choice": ["ann", "unknown", None, "bob", "unknown", "ann"]}
    assert Votes.from_frame(frame, drop=["unknown", None]).tally.tolist() == [2, 1]


def test_a_typo_is_refused() -> None:
    with pytest.raises(
        InvalidLabelError, match=r"no answer is 'unkown', which you asked to drop"
    ):
        read_any(io.BytesIO(VOTES), drop=["unkown", ""])
    with pytest.raises(EmptyDataError):
        Votes.from_frame({"choice": ["x", "x"]}, drop="x")


@pytest.mark.parametrize(
    ("kind", "text", "drop", "left"),
    [
        (
            Battles,
            "left,right,winner\nx,y,left\nx,bye,left\ny,x,?\n",
            ["bye", "?"],
            ["x beats y"],
        ),
        (Battles, "winner,loser\nx,y\nx,bye\n,x\n", ["bye", ""], ["x beats y"]),
        (
            Ratings,
            "user,item,rating\n1,a,5\n2,b,DK\n3,none,4\n4,a,NA\n",
            ["DK", "none", ""],
            [1],
        ),
        (Votes, "choice,count\n1,4\n2,3\nnone,5\n", ["none"], [1, 2]),
        (Ballots, "user,item,rank\n1,a,1\n1,none,2\n2,none,1\n", ["none"], ["a"]),
        (Ballots, "1st choice,2nd choice\na,none\nnone,\n,\n", ["none", ""], ["a"]),
        (Ballots, "ballot\na > none = b\nnone\nb\n", ["none"], ["a > b", "b"]),
    ],
)
def test_other_kinds(kind: Any, text: str, drop: list[str], left: list[object]) -> None:
    assert list(kind.read(io.BytesIO(text.encode()), drop=drop).units.labels) == left


def test_lines_are_those_of_the_file() -> None:
    text = b"choice,count\nx,1\nnone,1\ny,-1\n"
    with pytest.raises(Exception, match="on line 4"):
        Votes.read(io.BytesIO(text), drop="none")
    with pytest.raises(Exception, match="names 'a' twice, on line 4"):
        Ballots.read(io.BytesIO(b"ballot\na > b\nnone\na > a\n"), drop="none")


def test_places_are_those_of_the_frame_or_list() -> None:
    with pytest.raises(Exception, match="at index 3"):
        Votes.from_frame({"choice": ["x", "none", "y", None]}, drop="none")
    with pytest.raises(Exception, match="at index 2 of the stream"):
        Votes.read(
            io.BytesIO(b'[{"choice": "x"}, {"choice": "none"}, {"choice": null}]'),
            drop="none",
        )


def test_columns_are_passed_over() -> None:
    text = b"task,x,z,comment\nt,1,2,fine\nu,2,1,\n"
    assert read_any(io.BytesIO(text), kind="scores", ignore=["comment"]).items == (
        "x",
        "z",
    )
    judged = b"left,right,winner,judge\nx,y,left,1\ny,x,left,2\nx,y,tie,1\n"
    assert read_any(io.BytesIO(judged)).unit_candidates == (("judge", 2),)
    assert read_any(io.BytesIO(judged), ignore="judge").unit_candidates == ()
    with pytest.raises(
        ColumnError, match="no column 'coment' to ignore; the columns are 'task'"
    ):
        read_any(io.BytesIO(text), kind="scores", ignore=["coment"])
