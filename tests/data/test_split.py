"""A table read once and parted by a column: each part is the file of its rows, read as the whole is."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

from steadyrank import Study, read_any
from steadyrank.data.split import MOST, read_split
from steadyrank.errors import ColumnError, InvalidDataError, SteadyrankError

RNG = np.random.default_rng(29)
PLACES = ["Bonn", "Ulm", "Kiel"]
NAMES = ["ann", "bob", "cyd", "dan", "eve"]


def any_of(values):
    return values[int(RNG.integers(len(values)))]


def battle():
    one, two = RNG.permutation(NAMES)[:2]
    return one, two


def orders():
    return list(RNG.permutation(NAMES))


FILES = {
    "votes": (["choice"], lambda _: [any_of(NAMES)], {}),
    "votes, counted": (["choice", "count"], lambda _: [any_of(NAMES), any_of([1, 2, 3])], {}),
    "battles": (["left", "right", "winner"], lambda _: [*battle(), any_of(["left", "tie"])], {}),
    "battles, shares": (
        ["left", "right", "winner"], lambda _: [*battle(), any_of([0, 0.25, 0.5, 1])], {},
    ),
    "battles, points": (
        ["home", "away", "home_goals", "away_goals"],
        lambda _: [*battle(), any_of([0, 1, 2]), any_of([0, 1, 3])],
        {"kind": "battles", "tie_margin": "1"},
    ),
    "battles, units": (
        ["left", "right", "winner", "judge"],
        lambda row: [*battle(), any_of(["left", "right"]), f"j{row % 7}"],
        {"unit": "judge"},
    ),
    "ratings": (
        ["user", "item", "rating"],
        lambda row: [row // 4, NAMES[(row + row // 5) % 5], any_of([1, 2, 3, 4, 5])],
        {"duplicates": "mean"},
    ),
    "ratings, weighed": (
        ["user", "item", "rating", "weight"],
        lambda row: [row // 4, NAMES[(row + row // 5) % 5], any_of([1, 2, 3]), 1 + (row // 4) % 3],
        {"duplicates": "mean", "weights": "weight"},
    ),
    "battles, pairs": (
        ["model_a", "model_b", "wins_a", "wins_b"],
        lambda _: [*battle(), any_of([1, 2]), any_of([0, 3])],
        {"kind": "battles"},
    ),
    "ballots, long": (
        ["voter", "item", "rank"],
        lambda row: [row // 5, NAMES[row % 5], 1 + (row * 3 + row // 5) % 5],
        {"kind": "ballots"},
    ),
    "approvals": (["approved"], lambda _: [", ".join(orders()[:2])], {}),
    "regression": (
        ["y", *NAMES], lambda _: RNG.integers(0, 9, 6).tolist(), {"kind": "regression", "response": "y"},
    ),
    "ballots": (["ballot"], lambda _: [" > ".join(orders())], {}),
    "ballots, ranks": (
        ["first", "second", "third"], lambda _: orders()[:3],
        {"kind": "ballots", "ranks": ["first", "second", "third"]},
    ),
    "scores": (["task", *NAMES], lambda row: [f"t{row}", *RNG.integers(0, 9, 5)], {"kind": "scores"}),
    "scores, long": (
        ["task", "model", "score"],
        lambda row: [f"t{row // 5}", NAMES[row % 5], any_of([1, 2, 3])],
        {"kind": "scores"},
    ),
}  # fmt: skip
"""Columns of a file, its rows, and what is said about it."""


def written(names, rows):
    text = io.StringIO()
    csv.writer(text).writerows([names, *rows])
    return io.BytesIO(text.getvalue().encode())


def file_of(case):
    names, make, given = FILES[case]
    rows = [[str(cell) for cell in make(row)] for row in range(300)]
    # A task of a long table is in one place with all its rows.
    where = [
        PLACES[(row // 5) % 3] if case == "scores, long" else any_of(PLACES)
        for row in range(300)
    ]
    return names, rows, where, given


def told(data):
    """Return what a study of data says, but how the file was read."""
    found = (
        Study(data, "win-rate" if data.kind.name == "battles" else None)
        .topk(2)
        .findings()
    )
    return {
        name: value for name, value in found.items() if name not in {"notes", "guesses"}
    }


def parts_by_hand(names, rows, where, given):
    """Filter the rows in plain Python, and read what is left of each place as a file of its own."""
    for place in dict.fromkeys(where):
        kept = [row for row, there in zip(rows, where, strict=True) if there == place]
        yield place, read_any(written(names, kept), **given)


@pytest.mark.parametrize("case", FILES)
def test_each_part_is_the_file_of_its_rows(case):
    names, rows, where, given = file_of(case)
    both = [[*row, place] for row, place in zip(rows, where, strict=True)]
    whole, parts, notes = read_split(written([*names, "place"], both), "place", **given)
    assert told(whole) == told(read_any(written(names, rows), **given))
    assert (list(parts), notes) == (sorted(PLACES), ())
    for place, alone in parts_by_hand(names, rows, where, given):
        assert told(parts[place]) == told(alone)


def test_a_row_in_the_wrong_part_is_noticed(monkeypatch):
    from steadyrank.data import split

    names, rows, where, given = file_of("votes")
    right = split._categories

    def wrong(*given):
        found, notes = right(*given)
        return found | {"Bonn": found["Bonn"][1:]}, notes

    monkeypatch.setattr(split, "_categories", wrong)
    both = [[*row, place] for row, place in zip(rows, where, strict=True)]
    _, parts, _ = read_split(written([*names, "place"], both), "place", **given)
    alone = dict(parts_by_hand(names, rows, where, given))
    assert [told(parts[place]) == told(alone[place]) for place in PLACES] == [
        False,
        True,
        True,
    ]


def part(text, name, **given):
    found = read_split(io.BytesIO(text.encode()), "place", **given)[1][name]
    assert not isinstance(found, SteadyrankError), found
    return found


def test_numbers_are_spelt_in_each_part_as_in_the_whole():
    text = (
        'user;item;rating;place\n1;x;"0,5";a\n2;x;"1,234";b\n1;y;"2,5";a\n2;y;"2";b\n'
    )
    assert sorted(part(text, "b").values) == [1.234, 2.0]


def test_labels_are_text_or_numbers_in_each_part_as_in_the_whole():
    text = "choice,place\n7,a\nx,b\n8,a\n7,b\n"
    assert part(text, "a").items == ("7", "8")
    ranked = "first,second,place\n7,x,a\n8,7,b\n7,8,b\n"
    assert part(ranked, "b", kind="ballots", ranks=["first", "second"]).items == (
        "7",
        "8",
    )


@pytest.mark.parametrize(
    ("rest", "alone", "expected"),
    [("HD", "A", -1), ("WD", "L", -1), ("bb", "a", 1), ("1X", "2", -1), ("ab", "a", 1)],
)
def test_outcomes_mean_in_each_part_what_they_mean_in_the_whole(rest, alone, expected):
    rows = [f"x,y,{rest[0]},rest", f"y,x,{rest[1]},rest", f"x,y,{alone},alone"]
    text = "\n".join(["home,away,result,place", *rows]) + "\n"
    if rest in {"bb", "ab"}:
        text = text.replace("home,away", "model_a,model_b")
    assert part(text, "alone", kind="battles").outcome.tolist() == [expected]


def test_orders_are_read_in_each_part_as_in_the_whole():
    text = 'ballot,place\n"Poe, Edgar > Ida",a\nIda > Max,a\n"Poe, Edgar",b\nIda,b\n'
    assert part(text, "b").items == ("Ida", "Poe, Edgar")


def test_approvals_are_sets_in_each_part_as_in_the_whole():
    text = 'approved,place\nx > y,a\n"x, y",b\ny,b\n'
    assert part(text, "b", kind="ballots").approval is False


def test_a_margin_of_points_counts_in_each_part():
    text = "home,away,home_goals,away_goals,place\nx,y,3,2,a\ny,x,1,1,a\nx,y,5,4,b\nx,y,1,4,b\n"
    assert part(text, "b", kind="battles", tie_margin="1").outcome.tolist() == [0, -1]


def test_what_is_dropped_need_not_be_in_each_part():
    text = "choice,place\nx,a\nunknown,a\ny,b\nx,b\ny,a\n"
    assert part(text, "b", drop=["unknown"]).n_units == 2
    assert part(text, "a", drop=["unknown"]).n_units == 2
    with pytest.raises(InvalidDataError, match="no answer is 'nobody'"):
        part(text, "a", drop=["nobody"])
    ballots = "ballot,place\nx > none > y,a\ny > x,b\nx > y,b\n"
    assert part(ballots, "a", drop=["none"]).items == ("x", "y")


def test_names_are_those_of_the_whole_and_read_once(tmp_path):
    path = tmp_path / "films.csv"
    path.write_text("id,title\n1,Heat\n2,Heat\n3,Up\n")
    text = "item,user,rating,place\n1,7,5,a\n2,7,4,b\n3,7,3,b\n1,8,2,a\n3,8,2,a\n"
    assert part(text, "b", labels=str(path)).items == ("Heat (2)", "Up")


def test_blank_values_are_a_category_of_their_own_which_is_said():
    rows = {"choice": ["x", "y", "x", "y"], "place": ["a", None, "", " a "]}
    whole, parts, notes = read_split(rows, "place")
    assert {name: data.n_units for name, data in parts.items()} == {
        "a": 2,
        "no place": 2,
    }
    assert (whole.n_units, notes) == (
        4,
        ("2 rows without a place: the category 'no place'",),
    )
    rows["place"] = ["no place", None, "", "b"]
    assert list(read_split(rows, "place")[1]) == ["b", "no place", "(no place)"]


def test_numbers_are_in_order():
    rows = {"choice": [*"xyxyx"], "year": [2021, 10, 9, 2020, 10.0]}
    assert list(read_split(rows, "year")[1]) == ["9", "10", "2020", "2021"]


def test_a_column_of_numbers_beside_scores_is_no_item():
    rows = {
        "x": [1.0, 2.0, 3.0],
        "y": [2.0, 2.0, 1.0],
        "z": [0.0, 3.0, 2.0],
        "year": [1, 1, 2],
    }
    whole, parts, _ = read_split(rows, "year", kind="scores")
    assert whole.items == parts["1"].items == ("x", "y", "z")
    assert parts["2"].values.tolist() == [[3.0, 1.0, 2.0]]


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_are_parted_alike(library):
    frames = pytest.importorskip(library)
    rows = {"choice": [*"xyxyx"], "place": [*"aabba"]}
    frame = frames.table(rows) if library == "pyarrow" else frames.DataFrame(rows)
    assert {name: data.tally.tolist() for name, data in read_split(frame, "place")[1].items()} == {
        "a": [2, 1], "b": [1, 1],
    }  # fmt: skip


def test_a_part_that_makes_no_data_is_an_error_beside_the_others():
    rows = {
        "x": [1.0, None, 3.0],
        "y": [2.0, 2.0, None],
        "z": [2.0, 2.0, 1.0],
        "place": [*"abc"],
    }
    parts = read_split(rows, "place", kind="scores", missing="drop")[1]
    assert parts["a"].n_units == 1
    assert "no values at all for 'x'" in str(parts["b"])


@pytest.mark.parametrize(
    ("column", "given", "message"),
    [
        (
            "plase",
            {},
            "no column 'plase' for the split; the columns are 'choice', 'place', 'judge'",
        ),
        ("place", {"unit": "place"}, "'place' cannot be both the split and the unit"),
        (
            "judge",
            {"kind": "votes"},
            f"'judge' has 51 values, more than the {MOST} categories",
        ),
    ],
)
def test_columns_that_are_no_categories_are_refused(column, given, message):
    rows = {"choice": [*"xyx"] * 17, "place": [*"aab"] * 17, "judge": [*range(51)]}
    with pytest.raises(InvalidDataError, match=message):
        read_split(rows, column, **given)


def test_formats_without_such_columns_are_refused():
    orders = b"# FILE NAME: a.soc\n# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: x\n"
    orders += b"# ALTERNATIVE NAME 2: y\n3: 1,2\n1: 2,1\n"
    with pytest.raises(ColumnError, match="preflib files have no column to split by"):
        read_split(io.BytesIO(orders), "count")


def test_a_format_may_have_columns_beside_its_data():
    tags = '[Event "{}"]\n[White "{}"]\n[Black "{}"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
    games = "".join(tags.format(*game) for game in ("Axy", "Ayx", "Bxy"))
    parts = read_split(io.BytesIO(games.encode()), "event")[1]
    assert {name: data.n_units for name, data in parts.items()} == {"A": 2, "B": 1}
