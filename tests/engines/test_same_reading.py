"""Files get the same roles, and give the same data or the same refusal, in memory and in engines."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import Battles, BradleyTerry, Ratings, ScoreMatrix, Votes, read_any
from steadyrank.data import scan_any
from steadyrank.data.kinds import KINDS
from steadyrank.data.observations import class_of
from steadyrank.errors import (
    NO_BLANKS,
    NO_GAPS,
    ColumnError,
    InvalidDataError,
    NotRecognisedError,
    SteadyrankError,
)

if TYPE_CHECKING:
    from pathlib import Path


PAIRS = (
    "model_a,model_b,wins_a,wins_b,ties,ties (bothbad)\n"
    "x,y,3,1,1,2\ny,z,2,1,0,1\nz,x,0,0,0,0\nx,z,1,2,0,0\nz,x,2,1,0,0\n"
)
"""Pairs whose ties stand in two columns."""

GAMES = "HomeTeam,AwayTeam,FTHG,FTAG,FTR\nx,y,2,1,H\ny,x,2,2,D\ny,x,0,1,A\nx,y,1,0,H\n"

FILES: dict[str, tuple[type, str, dict[str, Any]]] = {
    "ties in two columns": (Battles, PAIRS, {}),
    "ties named": (Battles, PAIRS, {"ties": ["ties (bothbad)"]}),
    "one column of ties": (Battles, PAIRS, {"ties": "ties"}),
    "both wins named": (
        Battles,
        PAIRS,
        {"wins_left": "wins_b", "wins_right": "wins_a"},
    ),
    "winners and losers": (Battles, "winner,loser\nx,y\ny,x\nx,z\nz,x\n", {}),
    "winners and losers, named": (
        Battles,
        "season,won_by,lost_by,times\n1,x,y,2\n1,y,x,1\n",
        {"winner": "won_by", "loser": "lost_by", "count": "times", "unit": "season"},
    ),
    "labels that are numbers": (
        Battles,
        "model_a,model_b,winner\n1,2,1\n2,1,1\n1,2,1\n",
        {},
    ),
    "results with gaps": (Battles, "left,right,winner\nx,y,left\nx,y,\n", {}),
    "results as numbers": (Battles, "left,right,result\nx,y,1\ny,x,0\nx,y,0.5\n", {}),
    "units": (
        Battles,
        "left,right,winner,who\nx,y,left,1\ny,x,tie,2\n",
        {"unit": "who"},
    ),
    "long numbers": (Votes, "choice\n9223372036854775807\n12\n", {}),
    "counts that are no counts": (Votes, "choice,count\nx,1.5\n", {}),
    "no such column": (Votes, "choice\nx\n", {"choice": "vote"}),
    "nothing like it": (Battles, "p,q\nx,y\n", {}),
    "half of a pair": (Battles, PAIRS, {"wins_left": "wins_a"}),
    "what does not go together": (
        Battles,
        PAIRS,
        {"winner": "ties", "wins_left": "wins_a"},
    ),
    "no argument": (Votes, "choice\nx\n", {"colour": "red"}),
    "no policy": (Ratings, "user,item,rating\n1,2,3\n", {"duplicates": "sum"}),
    "a rating twice": (Ratings, "user,item,rating\n1,2,3\n1,2,4\n", {}),
    "ratings": (Ratings, "user;item;rating\n1;a;3\n2;b;4.5\n2;a;1\n", {}),
    "long scores": (ScoreMatrix, "task,model,score\nt,x,1\nt,y,2\nu,x,0\nu,y,1\n", {}),
    "numbers of 19 digits, tied": (
        Votes,
        "choice\n9000000000000000000\n1000000000000000000\n-5\n",
        {},
    ),
    "NaN with a policy": (
        ScoreMatrix,
        "task,model,score\nt,x,1\nt,y,NaN\nu,x,0\nu,y,1\nv,x,2\nv,y,1\n",
        {"missing": "available"},
    ),
    "a row without any value": (
        ScoreMatrix,
        "task,model,score\nt,x,\nu,x,0\nu,y,1\nv,x,2\nv,y,1\n",
        {"missing": "available"},
    ),
    "goals": (Battles, GAMES, {}),
    "goals that disagree with the result": (
        Battles,
        GAMES.replace("2,2,D", "2,2,H"),
        {},
    ),
    "goals without the result": (
        Battles,
        GAMES.replace("2,2,D", "2,2,H"),
        {"ignore": ["FTR"]},
    ),
    "games to come": (Battles, GAMES + "y,x,,,\n", {}),
    "one-hot winners": (
        Battles,
        "model_a,model_b,prompt,winner_model_a,winner_model_b,winner_tie\nx,y,p,1,0,0\ny,x,q,0,0,1\n",
        {"unit": "prompt"},
    ),
    "winners and losers among others": (
        Battles,
        "winner_id,winner_name,winner_rank,loser_id,loser_name\n1,x,5,2,y\n2,y,5,1,x\n",
        {},
    ),
    "a letter with two meanings": (Battles, "left,right,result\nx,y,a\nx,y,draw\n", {}),
    "numbers and a name on one side": (
        Battles,
        "left,right,winner\n1,2,1\n2,1,draw\n1,bye,1\n2,1,1\n",
        {},
    ),
    "numbers and a name among losers": (Battles, "winner,loser\n1,2\n2,1\n1,bye\n", {}),
    "a loss": (
        ScoreMatrix,
        "task,model,test_loss\nt,a,1.5\nt,b,2.5\nu,a,3\nu,b,1\n",
        {"score": "test_loss"},
    ),
    "a loss, turned back": (
        ScoreMatrix,
        "task,model,test_loss\nt,a,1.5\nt,b,2.5\nu,a,3\nu,b,1\n",
        {"score": "test_loss", "lower_is_better": False},
    ),
    "true and false": (
        ScoreMatrix,
        "task,model,score\nt,x,true\nt,y,false\nu,x,True\nu,y,False\n",
        {},
    ),
    "names of ids": (Votes, "choice\n7\n8\n7\n", {"labels": {7: "ann", 8: "bob"}}),
    "names of ids of ratings": (
        Ratings,
        "user,item,rating\n1,7,5\n2,8,3\n",
        {"labels": {7: "ann"}},
    ),
    "long scores with gaps": (
        ScoreMatrix,
        "task,model,score\nt,x,1\nt,y,2\nu,x,0\n",
        {},
    ),
    "a missing rating": (Ratings, "user,item,rating\n1,a,\n2,b,3\n", {}),
    "an infinite rating": (Ratings, "user,item,rating\n1,a,inf\n2,b,3\n", {}),
    "a missing user": (Ratings, "user,item,rating\n,a,2\n2,b,3\n", {}),
    "a missing item": (Ratings, "user,item,rating\n1,,2\n2,b,3\n", {}),
    "an item not in the list": (
        Ratings,
        "user,item,rating\n1,a,2\n2,b,3\n",
        {"items": ["a"]},
    ),
    "a missing count": (Votes, "choice,count\nx,\ny,1\n", {}),
    "a missing weight": (Votes, "choice,w\nx,\ny,2\n", {"weights": "w"}),
    "a negative weight": (Votes, "choice,w\nx,-1\ny,2\n", {"weights": "w"}),
    "a missing unit": (Votes, "choice,w\nx,\ny,2\n", {"unit": "w"}),
    "a battle with itself": (Battles, "left,right,winner\nx,x,left\ny,x,left\n", {}),
    "no values of an item": (
        ScoreMatrix,
        "task,model,score\nt,x,1\nt,y,\n",
        {"missing": "available"},
    ),
    "gaps everywhere": (
        ScoreMatrix,
        "task,model,score\nt,x,1\nt,y,\nu,x,\nu,y,2\n",
        {"missing": "drop"},
    ),
}
NO_LAST = "a rating twice"
"""Where memory has one more way out: engines do not know which rating was the last."""


def outcome(make: Any) -> tuple[Any, ...]:
    """Return the scores without each unit, or the refusal: its class, its words and the way out."""
    try:
        data = make()
    except SteadyrankError as error:
        # Which row it is, or of how many, is a place: engines meet rows in another order.
        words = re.sub(r"^'.*?'(?= is written)| \([^()]*\)$", "", error.problem)
        return "refused", type(error), words, error.way_out
    left_out = data.units
    units = sorted(
        (str(label), int(count))
        for label, count in zip(left_out.labels, left_out.counts, strict=True)
    )
    return "read", data.items, left_out.kind, units, _scores(data)


def _scores(data: Any) -> list[float]:
    from steadyrank.scorers.registry import default_scorer

    scorer = (
        BradleyTerry(ridge=1.0) if isinstance(data, Battles) else default_scorer(data)
    )
    return [round(float(score), 9) for score in scorer.score(data)]


def write(path: Path, text: str) -> None:
    """Write what a CSV file would hold as Parquet, which says the types of its columns."""
    polars = pytest.importorskip("polars")
    polars.read_csv(text.encode()).write_parquet(path)


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_read_alike(tmp_path: Path, name: str) -> None:
    kind, text, arguments = FILES[name]
    path = tmp_path / "file.parquet"
    write(path, text)
    loaded = outcome(lambda: kind.read(path, **arguments))
    scanned = outcome(lambda: kind.scan(path, **arguments))
    if loaded[-1] is NO_BLANKS:  # what engines cannot do is no way out of theirs
        loaded = (*loaded[:-1], NO_GAPS)
    same = 3 if name == NO_LAST else None
    assert scanned[:same] == loaded[:same]


def test_the_files_give_what_they_hold(tmp_path: Path) -> None:
    """The same answer twice is not yet the right one."""
    path = tmp_path / "file.parquet"
    write(path, PAIRS)
    assert Battles.scan(path).n_units == 17
    write(path, "model_a,model_b,winner\n1,2,1\n2,1,1\n1,2,1\n")
    battles = Battles.scan(path)
    assert list(battles.units.labels) == ["1 beats 2"]
    assert battles.n_units == 3
    assert "outcomes read as the label of the item that won" in battles.notes
    write(path, "choice,count\nx,3\ny,2\n")
    assert Votes.scan(path).tally.tolist() == [3, 2]
    write(path, "winner,loser\nx,y\nx,z\n")
    assert sorted(Battles.scan(path).units.labels) == ["x beats y", "x beats z"]


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
def test_text_is_refused_by_name_with_ways_out_that_work(
    tmp_path: Path, name: str
) -> None:
    duckdb, path = pytest.importorskip("duckdb"), tmp_path / name
    text = b"choice,count\nx,3\ny,2\n".replace(b",", b"\t" if name == "a.tsv" else b",")
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    with pytest.raises(
        InvalidDataError, match=rf"scan Parquet.*{name}.*read\(.*duckdb.read_csv"
    ):
        Votes.scan(path)
    by_duckdb = Votes.scan(duckdb.read_csv(str(path)))
    assert Votes.read(path).tally.tolist() == by_duckdb.tally.tolist() == [3, 2]
    for told in ({"encoding": "latin-1"}, {"format": "csv"}):
        with pytest.raises(
            InvalidDataError, match=rf"Parquet files alone, and the {next(iter(told))}"
        ):
            Votes.scan(path, **told)
    with pytest.raises(InvalidDataError, match="header says nothing about"):
        Votes.scan(duckdb.read_csv(str(path)), header="1")


def test_rows_are_dropped_before_an_engine_scans_them(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    write(tmp_path / "a.parquet", "choice\nx\nunknown\ny\nx\n")
    for take in (Votes.scan, scan_any):
        with pytest.raises(InvalidDataError, match="engines cannot drop rows"):
            take(tmp_path / "a.parquet", drop=["unknown"])
    rows = f"from '{tmp_path / 'a.parquet'}' where choice != 'unknown'"
    assert Votes.scan(duckdb.sql(rows)).tally.tolist() == [2, 1]


def test_nothing_is_suggested_that_engines_cannot_do(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", "voter,what,points\na,x,1\na,y,\nb,x,3\nb,y,2\n")
    suggested = []
    for take in (read_any, scan_any):
        with pytest.raises(NotRecognisedError) as refused:
            take(tmp_path / "a.parquet")
        suggested.append([one.typed for one in refused.value.readings])
    assert any("--drop" in " ".join(words) for words in suggested[0])
    assert not any("--drop" in " ".join(words) for words in suggested[1])


def test_what_cannot_be_scanned_says_so(tmp_path: Path) -> None:
    path = tmp_path / "wide.parquet"
    write(path, "task,x,y\nt,1,2\n")
    with pytest.raises(InvalidDataError, match="this one is wide"):
        ScoreMatrix.scan(path)
    write(path, "ballot\nx > y\n")
    with pytest.raises(InvalidDataError, match="ballots cannot be scanned"):
        scan_any(path)
    for known in KINDS.values():
        if known.on_engine is None:
            with pytest.raises(InvalidDataError, match="cannot be scanned"):
                class_of(known).scan(path)


def test_an_error_shows_what_the_columns_are(tmp_path: Path) -> None:
    path = tmp_path / "file.parquet"
    write(path, "p,q\nx,y\n")
    with pytest.raises(
        ColumnError, match=r"no column looks like the left.*'p', 'q'.*left=\.\.\."
    ):
        Battles.scan(path)
