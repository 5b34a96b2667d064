"""One door for files of any kind."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from steadyrank import Study
from steadyrank.data import (
    Ballots,
    Battles,
    Ratings,
    Regression,
    ScoreMatrix,
    Votes,
    read_any,
    scan_any,
)
from steadyrank.errors import InvalidDataError, InvalidSettingError, NotRecognisedError
from suggested import suggested


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("left,right,winner\nx,y,left\n", Battles),
        ("model_a,model_b,wins_a,wins_b\nx,y,1,2\n", Battles),
        ("winner,loser\nx,y\n", Battles),
        ("id,model_x,model_y,left,right,winner\n1,5,6,x,y,tie\n", Battles),
        ("user,joke,rating\n1,2,3\n", Ratings),
        ("movie_id,customer_id,rating,date\n1,2,3,2005-01-01\n", Ratings),
        ("1::2::3::978300760\n", Ratings),
        ("ballot\nx > y\n", Ballots),
        ('{"ballot": ["x", "y"]}\n', Ballots),
        ("voter,candidate,rank\n1,x,1\n", Ballots),
        ("# DATA TYPE: soc\n# ALTERNATIVE NAME 1: x\n1: 1\n", Ballots),
        ("choice\nx\n", Votes),
        ("candidate,votes\nx,3\n", Votes),
        ("voter,choice,age\nv,x,30\n", Votes),
        ("task,x,y,z\nt,1,2,1.5\n", ScoreMatrix),
        ("question,model,score\nq,x,1\nq,z,2\n", ScoreMatrix),
        ("x1,x2,y\n1,2,3\n", Regression),
        ("a,b,response\n1,2,3\n", Regression),
    ],
)
def test_kinds(text: str, kind: type) -> None:
    options = {"item": "model"} if "model,score" in text else {}
    data = read_any(io.BytesIO(text.encode()), **options)
    assert type(data) is kind
    assert data.notes[0].startswith(("recognised as", "read as PrefLib"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("anything\nx\ny\n", Votes),
        ("task,x,z\nt,1,2\n", ScoreMatrix),
        ("x,z\n1,2\n3,1\n", ScoreMatrix),
        ("a,b,y\n1,2,3\n", Regression),
    ],
)
def test_what_is_only_suggested(text: str, kind: type) -> None:
    assert type(suggested(io.BytesIO(text.encode()))) is kind


def test_long_scores_without_a_hint() -> None:
    data = read_any(io.BytesIO(b"question,model,score\nq,x,1\nq,z,2\n"))
    assert isinstance(data, ScoreMatrix)
    assert (data.items, data.values.tolist()) == (("x", "z"), [[1.0, 2.0]])


def test_a_given_kind_and_given_columns() -> None:
    text = b"who,what,how\n1,2,3\n"
    data = read_any(
        io.BytesIO(text), kind="ratings", user="who", item="what", score="how"
    )
    assert isinstance(data, Ratings)
    named = read_any(io.BytesIO(text), user="who", item="what", score="how")
    assert named.notes[0] == "recognised as ratings by the columns 'who', 'what', 'how'"
    with pytest.raises(InvalidSettingError, match="kind must be one of 'battles'"):
        read_any(io.BytesIO(text), kind="polls")


def test_what_cannot_be_told() -> None:
    with pytest.raises(
        NotRecognisedError, match=r"'p', 'q'.*names that repeat.*give kind"
    ) as caught:
        read_any(io.BytesIO(b"p,q\nx,y\n"))
    assert caught.value.readings == []


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("user,item,rating", "ratings"),
        ("reviewer,restaurant,stars", "ratings"),
        ("question,model,score", "scores"),
    ],
)
def test_the_unit_may_be_named_by_its_own_column(
    header: str, kind: str, tmp_path: Path
) -> None:
    """Who calls the users the unit has said who they are; it is the study without that word."""
    path = tmp_path / "table.csv"
    path.write_text(f"{header}\nu,a,1\nu,b,2\nv,a,4\nv,b,2\nw,a,3\nw,b,5\n")
    unit = header.split(",", maxsplit=1)[0]
    plain = read_any(path)
    for data in (read_any(path, unit=unit), read_any(path, kind=kind, unit=unit)):
        assert (data.kind.name, data.n_units, data.units.grouped) == (kind, 3, False)
        assert data.items == plain.items
        assert Study(data).scores.tolist() == Study(plain).scores.tolist()
    with scan_any(
        pytest.importorskip("duckdb").read_csv(str(path)), unit=unit
    ) as scanned:
        assert (scanned.kind.name, scanned.n_units) == (kind, 3)
        assert Study(scanned).scores.tolist() == Study(plain).scores.tolist()


def test_another_column_may_still_be_the_unit() -> None:
    rows = (
        b"user,city,item,rating\nu,p,a,1\nu,p,b,2\nv,p,a,4\nv,p,b,2\nw,q,a,3\nw,q,b,5\n"
    )
    data = read_any(io.BytesIO(rows), unit="city")
    assert (data.kind.name, data.n_units, data.units.grouped) == ("ratings", 2, True)


def test_unknown_options_are_refused() -> None:
    with pytest.raises(
        InvalidDataError,
        match=r"'colour' is not an argument of votes.*choice=\.\.\., count",
    ):
        read_any(io.BytesIO(b"choice\nx\n"), kind="votes", colour="red")
    with pytest.raises(NotRecognisedError):
        read_any(io.BytesIO(b"choice\nx\n"), colour="red")
    with pytest.raises(InvalidDataError, match="holds ballots, not votes"):
        read_any(
            io.BytesIO(b"# DATA TYPE: soc\n# ALTERNATIVE NAME 1: x\n1: 1\n"),
            kind="votes",
        )


def test_standard_input() -> None:
    program = "import sys; from steadyrank.data import read_any; print(read_any(sys.stdin.buffer))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=b"choice\nx\ny\n",
        capture_output=True,
        check=True,
    )
    assert done.stdout.strip() == b"<Votes: 2 votes, 2 items: 'x', 'y'>"


def test_nothing_heavy_is_imported() -> None:
    program = (
        "import sys; import steadyrank.data; "
        "print([m for m in ('scipy', 'pandas', 'polars', 'pyarrow', 'duckdb') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True
    )
    assert done.stdout.strip() == b"[]"


def test_truth_and_gaps_in_parquet_are_read_without_pandas(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path, columns = (
        tmp_path / "gaps.parquet",
        {"x": [True, False, False], "y": ["a", "b", None]},
    )
    pq.write_table(pa.table(columns), path, row_group_size=2)
    program = (
        "import sys; from steadyrank.reading.formats import read_table; "
        f"table = read_table({str(path)!r}); "
        "print({n: table.labels(n).tolist() for n in table.names}, 'pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    )
    assert done.stdout.strip() == f"{columns} False"
