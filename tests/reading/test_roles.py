"""Columns whose roles are said: what each form of a table becomes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from steadyrank.errors import Option, SteadyrankError
from steadyrank.reading.resolve import resolve
from steadyrank.reading.roles import FORMS, ROLES
from steadyrank.reading.table import open_table
from written_tables import reading, refusal, values

RATINGS = "kunde,titel,note\nk1,b,4\nk1,a,2.5\nk2,b,1e0\n"
GAMES = "h,g,res,x,y\nA,B,left,2,1\nB,C,tie,0,0\nC,A,right,1,3\n"
ORDERS = "1st,2nd,3rd\nx,y,\nz,,x\n"
WIDE = "task,m1,m2\nt1,1,2\nt2,,4\n"

FORMS_READ = [
    (
        RATINGS,
        {"item": "titel", "rating": "note", "unit": "kunde"},
        ("scores", "long", ("a", "b")),
        {
            "item": ["b", "a", "b"],
            "rating": [4.0, 2.5, 1.0],
            "unit": ["k1", "k1", "k2"],
        },
    ),
    (
        RATINGS,
        {"item": "titel", "score": "note", "row": "kunde", "lower_is_better": True},
        ("scores", "long", ("a", "b")),
        {"item": ["b", "a", "b"], "score": [4.0, 2.5, 1.0], "row": ["k1", "k1", "k2"]},
    ),
    (
        WIDE,
        {"wide": True, "unit": "task"},
        ("scores", "wide", ("m1", "m2")),
        {"items": [[1.0, None], [2.0, 4.0]], "unit": ["t1", "t2"]},
    ),
    (
        WIDE,
        {"items": "m2,m1"},
        ("scores", "wide", ("m2", "m1")),
        {"items": [[2.0, 4.0], [1.0, None]]},
    ),
    (
        WIDE,
        {"items": ["m2"], "catalogue": ["m0", "m2"]},
        ("scores", "wide", ("m0", "m2")),
        {"items": [[None, None], [2.0, 4.0]]},
    ),
    (
        WIDE,  # items in rows
        {"item": "task", "wide": True},
        ("scores", "long", ("t1", "t2")),
        {
            "item": ["t1", "t1", "t2"],
            "unit": ["m1", "m2", "m2"],
            "score": [1.0, 2.0, 4.0],
        },
    ),
    (
        GAMES,
        {"left": "h", "right": "g", "winner": "res"},
        ("battles", "winner", ("A", "B", "C")),
        {"left": ["A", "B", "C"], "right": ["B", "C", "A"], "outcome": [1, 0, -1]},
    ),
    (
        GAMES,
        {"left": "h", "right": "g", "left_score": "x", "right_score": "y"},
        ("battles", "points", ("A", "B", "C")),
        {"left": ["A", "B", "C"], "right": ["B", "C", "A"], "outcome": [1, 0, -1]},
    ),
    (
        GAMES,
        {
            "left": "h",
            "right": "g",
            "left_score": "x",
            "right_score": "y",
            "lower_is_better": True,
        },
        ("battles", "points", ("A", "B", "C")),
        {"left": ["A", "B", "C"], "right": ["B", "C", "A"], "outcome": [-1, 0, 1]},
    ),
    (
        GAMES,
        {"winner": "h", "loser": "g"},
        ("battles", "winner_loser", ("A", "B", "C")),
        {"left": ["A", "B", "C"], "right": ["B", "C", "A"], "outcome": [1, 1, 1]},
    ),
    (
        "w,l,t\na,b,TRUE\nb,a,no\na,b,1\nb,a,false\na,b,Yes\na,b,0\n",
        {"winner": "w", "loser": "l", "tie": "t"},
        ("battles", "winner_loser", ("a", "b")),
        {
            "left": ["a", "b", "a", "b", "a", "a"],
            "right": ["b", "a", "b", "a", "b", "b"],
            "outcome": [0, 1, 0, 1, 0, 1],
        },
    ),
    (
        "wahl,gew,n\nx,0.5,2\ny,2,1\nx,0,3\n",
        {"choice": "wahl", "weight": "gew", "count": "n"},
        ("ballots", "choice", ("x", "y")),
        {"choice": ["x", "y", "x"], "weight": [0.5, 2.0, 0.0], "count": [2, 1, 3]},
    ),
    (
        ORDERS,
        {"ranks": "1st,2nd,3rd"},
        ("ballots", "ranks", ("x", "y", "z")),
        {"item": ["x", "y", "z", "x"], "rank": [0, 1, 0, 2], "ballot": [0, 0, 1, 1]},
    ),
    (
        "b,n\nx > y=z,2\nz>x,1\n",
        {"ballot": "b", "count": "n", "catalogue": "z,y,x,w"},
        ("ballots", "ballot", ("z", "y", "x", "w")),
        {
            "item": ["x", "z", "y", "z", "x"],
            "rank": [0, 1, 1, 0, 1],
            "ballot": [0, 0, 0, 1, 1],
            "count": [2, 2, 2, 1, 1],
        },
    ),
    (
        "v,c,r\nv1,x,1\nv2,y,1\nv1,y,2\n",
        {"item": "c", "rank": "r", "unit": "v"},
        ("ballots", "rank", ("x", "y")),
        {
            "item": ["x", "y", "y"],
            "rank": [1.0, 1.0, 2.0],
            "unit": ["v1", "v2", "v1"],
            "ballot": [0, 1, 0],
        },
    ),
    (
        "y,f1,f2\n1,2,3\n4,5,6\n",
        {"response": "y"},
        ("regression", "regression", ("f1", "f2")),
        {"response": [1.0, 4.0], "features": [[2.0, 5.0], [3.0, 6.0]]},
    ),
    (
        "y,f1,f2\n1,2,3\n4,5,6\n",
        {"response": "y", "features": ["f2"], "unit": "f1"},
        ("regression", "regression", ("f2",)),
        {"response": [1.0, 4.0], "features": [[3.0, 6.0]], "unit": ["2", "5"]},
    ),
]


@pytest.mark.parametrize(("text", "said", "what", "columns"), FORMS_READ)
def test_each_form_is_read_as_said(
    text: str, said: dict[str, Any], what: tuple[Any, ...], columns: dict[str, Any]
) -> None:
    read = reading(text, **said)
    assert (read.kind, read.form, read.items) == what
    assert {name: values(column) for name, column in read.columns.items()} == columns
    assert read.header is None
    assert {*read.roles} == {*said}


def test_every_form_of_the_table_is_read() -> None:
    own_name = {"wide_rows": "long"}  # items in rows come as a long table
    read = {what[1] for _, _, what, _ in FORMS_READ}
    assert read == {own_name.get(form.name, form.name) for form in FORMS}


def test_every_role_is_part_of_a_form() -> None:
    assert {role for form in FORMS for role in form.own} == {*ROLES}


SKIPPED = [
    (
        "k,i,r\nk1,a,1\n,a,2\nk2,b, \nk2,c,3\n",
        {"item": "i", "rating": "r", "unit": "k"},
        (2, 4, "rows", "column 'k', the stream, line 3"),
        ("a", "c"),
    ),
    (
        WIDE + ",7,8\n",
        {"wide": True, "unit": "task"},
        (3, 6, "cells", "column 'm1', the stream, line 3"),
        ("m1", "m2"),
    ),
    (
        "model,t1,t2\na,1,\nb,3,4\n",
        {"item": "model", "wide": True},
        (1, 4, "cells", "column 't2', the stream, line 2"),
        ("a", "b"),
    ),
    (
        "h,g,res\nx,y,x\nx,z,\n,y,?\n",
        {"left": "h", "right": "g", "winner": "res"},
        (2, 3, "rows", "column 'res', the stream, line 3"),
        ("x", "y"),
    ),
    (
        "a,b\nx,\n , \n,y\n",
        {"ranks": "a,b"},
        (1, 3, "rows", "column 'a', the stream, line 3"),
        ("x", "y"),
    ),
    (
        "y,f\n1,2\n,3\n4,\n",
        {"response": "y"},
        (2, 3, "rows", "column 'y', the stream, line 3"),
        ("f",),
    ),
]


@pytest.mark.parametrize(("text", "said", "skipped", "items"), SKIPPED)
def test_blanks_are_skipped_and_counted(
    text: str, said: dict[str, Any], skipped: tuple[Any, ...], items: tuple[str, ...]
) -> None:
    read = reading(text, **said)
    assert tuple(read.document()["skipped"].values()) == skipped
    assert read.items == items  # nothing is known of what only skipped rows name


def test_rows_are_numbered_as_in_the_file() -> None:
    read = reading("i,s\na,1\n,2\nb,3\n", item="i", score="s")
    assert read.rows.tolist() == [0, 2]
    assert read.document() == {
        "header": None,
        "roles": {"item": "i", "score": "s"},
        "skipped": {
            "number": 1,
            "of": 3,
            "what": "rows",
            "first": "column 'i', the stream, line 3",
        },
    }


def test_labels_are_text_to_the_letter_and_whole_numbers_come_by_value() -> None:
    labels = ["b", "10", "9", "007", "7", "NA", "null", " b", "-3", "1e1", "B"]
    text = "i,s\n" + "".join(f'"{label}",1\n' for label in labels)
    read = reading(text, item="i", score="s")
    assert values(read.columns["item"]) == labels
    assert set(read.items) == {*labels}
    numbers = [label for label in read.items if label.lstrip("-").isdecimal()]
    assert numbers == ["-3", "007", "7", "9", "10"]


NUMBERS = ["0", "-0.5", "+3", ".5", "5.", " 5", "1e3", "1E-3", "007", str(2**53)]
NO_NUMBERS = [
    *("nan", "NaN", "inf", "-Infinity", "1e400", "1_000", "1,5", "5%", "0x1F", "true"),
    *(str(2**53 + 1), f"-{2**53 + 1}", f"{2**53 + 1}.0", "9" * 40, "NA", "-", "1 000"),
    "+-1",
]


@pytest.mark.parametrize("cell", NUMBERS)
def test_numbers(cell: str) -> None:
    read = reading(f'i,s\na,"{cell}"\n', item="i", score="s")
    assert read.columns["score"].tolist() == [float(cell)]


@pytest.mark.parametrize("cell", NO_NUMBERS)
def test_what_is_no_number_is_refused_with_its_line(cell: str) -> None:
    told = refusal(f'i,s\na,1\nb,"{cell}"\nc,x\n', item="i", score="s")
    shown = f"column 's': {cell!r} is not a number (2 of 3 rows)"
    assert told.startswith(f"the stream, line 3, {shown}")
    assert "--sql" in told


AMOUNTS = [
    ("weight", "-1", "'-1' is negative, and a weight (1 of 2 rows)"),
    ("weight", "x", "'x' is not a number (1 of 2 rows)"),
    ("count", "1.5", "'1.5' is no whole number, and a count (1 of 2 rows)"),
    ("count", "-2", "'-2' is negative, and a count (1 of 2 rows)"),
]


@pytest.mark.parametrize(("role", "cell", "told"), AMOUNTS)
def test_weights_and_counts(role: str, cell: str, told: str) -> None:
    text = f"i,n\na,1\nb,{cell}\n"
    assert f"line 3, column 'n': {told}" in refusal(text, choice="i", **{role: "n"})


def test_whole_numbers_of_frames_stay_whole_and_floats_name_nothing() -> None:
    columns = {"i": np.array([10, 9, 10]), "s": np.array([1.5, 2, 3], dtype=np.float32)}
    with open_table(columns) as table:
        read = resolve(table, {"item": "i", "score": "s"})
    assert read.items == (9, 10)
    columns = {"i": np.array([1.0, 2.0]), "s": np.array([1, 2])}
    with (
        open_table(columns) as table,
        pytest.raises(SteadyrankError, match="name nothing") as caught,
    ):
        resolve(table, {"item": "i", "score": "s"})
    (sql,) = (part for part in caught.value.way_out if isinstance(part, Option))
    assert sql.value is not None
    with open_table(columns, sql=sql.value) as table:  # the way out works
        assert resolve(table, {"item": "i", "score": "s"}).items == (1, 2)


def test_single_precision_means_the_decimals_that_it_shows() -> None:
    with open_table({"i": ["a"], "s": np.array([0.1], dtype=np.float32)}) as table:
        read = resolve(table, {"item": "i", "score": "s"})
    assert read.columns["score"].tolist() == [0.1]


def test_catalogue(tmp_path: Any) -> None:
    path = tmp_path / "items.txt"
    path.write_text("c, d\na\n\n", encoding="utf-8")
    read = reading("i,s\na,1\n", item="i", score="s", catalogue=f"@{path}")
    assert read.items == ("c, d", "a")
    assert values(read.columns["item"]) == ["a"]
    read = reading("i,s\na,1\n", item="i", score="s", catalogue='"c, d",a')
    assert read.items == ("c, d", "a")
    with open_table({"i": [7], "s": [1]}) as table:
        read = resolve(table, {"item": "i", "score": "s", "catalogue": [8, 7]})
    assert read.items == (8, 7)
    assert read.columns["item"].codes.tolist() == [1]
    with open_table({"i": [7], "s": [1]}) as table:
        read = resolve(table, {"item": "i", "score": "s", "catalogue": f"{9**30},7"})
    assert read.items == (str(9**30), "7")  # beyond 64 bits, labels are text


CATALOGUES = [
    ("b,c", "line 2: 'a' is not in the catalogue"),
    ("ab,A", "line 2: 'a' is not in the catalogue; did you mean 'ab'?"),
    ("a,a", "the catalogue names 'a' twice"),
    ("@nowhere.txt", "there is no file nowhere.txt"),
]


@pytest.mark.parametrize(("catalogue", "told"), CATALOGUES)
def test_wrong_catalogues(catalogue: str, told: str) -> None:
    assert told in refusal("i,s\na,1\n", item="i", score="s", catalogue=catalogue)


def test_a_catalogue_that_is_no_text(tmp_path: Any) -> None:
    path = tmp_path / "items.txt"
    path.write_text("a\n", encoding="utf-16")
    told = refusal("i,s\na,1\n", item="i", score="s", catalogue=f"@{path}")
    assert f"the catalogue {path} cannot be read" in told
    assert "Save it as UTF-8" in told


WRONG_ROLES = [
    ({"item": "titl"}, "no column 'titl' (item). Did you mean --item titel?"),
    ({"item": "TITEL"}, "no column 'TITEL' (item). Did you mean --item titel?"),
    ({"item": "titel"}, "item is said, but not what else the data need"),
    ({"item": "titel"}, "--item titel --rank ... --unit ..."),
    ({"item": "titel", "left": "kunde"}, "item and left do not go together"),
    (
        {"item": "titel", "score": "note", "rating": "note"},
        "item and score and rating do not go together",
    ),
    (
        {"left": "kunde", "right": "titel", "winner": "note", "left_score": "note"},
        "left and right and winner and left_score do not go together",
    ),
    (
        {"choice": "titel", "row": "kunde"},
        "row does not go with choice. Leave out --row kunde",
    ),
    ({"response": "note", "lower_is_better": True}, "Leave out --lower-is-better."),
    ({"ranks": "titel,titel"}, "ranks names a column twice"),
    ({"items": ""}, "items names no column"),
    ({"ranks": 'titel,"note'}, "ranks is no list of names"),
    ({"wide": True}, "'k1' is not a number (3 of 3 rows). Name the columns of numbers"),
    (
        {"wide": True, "item": "titel"},
        "'k1' is not a number (3 of 3 rows). Leave out columns that hold no scores",
    ),
    ({"unit": "kunde"}, "has the header of no known tool"),
]


@pytest.mark.parametrize(("said", "told"), WRONG_ROLES)
def test_wrong_roles_are_refused(said: dict[str, Any], told: str) -> None:
    assert told in refusal(RATINGS, **said)


def test_a_table_of_which_nothing_is_said_is_shown() -> None:
    told = refusal(RATINGS).splitlines()
    assert told[:4] == [
        "the stream has the header of no known tool. Its columns and their first values:",
        "  'kunde'  'k1', 'k1', 'k2'",
        "  'titel'  'b', 'a', 'b'",
        "  'note'   '4', '2.5', '1e0'",
    ]
    for form in FORMS:
        (line,) = (line for line in told if line.startswith(f"  {form.says}  "))
        assert all(f"--{role.replace('_', '-')}" in line for role in form.needs)


def test_a_table_without_rows_is_refused() -> None:
    assert "there are no rows in" in refusal("i,s\n", item="i", score="s")
    told = refusal("i,s\n,1\na,\n", item="i", score="s")
    assert "no row of the stream has all of item, score" in told
    said = {"left": "h", "right": "g", "winner": "w"}
    assert "all of left, right, winner" in refusal("h,g,w\nx,y,\n", **said)


def test_a_table_without_other_columns_is_refused() -> None:
    told = refusal("m\n7\n", wide=True, unit="m")
    assert "has no columns but those that were said. Name the columns" in told
    assert "--features" in refusal("y\n7\n", response="y")
