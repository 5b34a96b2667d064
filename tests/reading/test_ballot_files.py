"""Files of ballots with a grammar of their own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from steadyrank import Study
from steadyrank.data.read import read as data_of
from steadyrank.errors import InvalidDataError
from steadyrank.reading.table import open_table
from tests.reading.opened import read

SOI = """# FILE NAME: x.soi
# TITLE: Test
# DATA TYPE: soi
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 12
# NUMBER UNIQUE ORDERS: 3
# ALTERNATIVE NAME 1: Ann
# ALTERNATIVE NAME 2: Bob, B.
# ALTERNATIVE NAME 3: Cat
7: 1,2,3
4: 3
1: 2,{1,3}
"""
CAT = """# DATA TYPE: cat
# NUMBER CATEGORIES: 2
# CATEGORY NAME 1: Yes
# CATEGORY NAME 2: No
# ALTERNATIVE NAME 1: Ann
# ALTERNATIVE NAME 2: Bob
# ALTERNATIVE NAME 3: Cat
2: {1,2},{3}
1: 3,{1,2}
1: {},{1,2,3}
"""
BLT = """3 1
-2
12 1 0
4 1 2 0
7 3 1=2 0
2 0
0
"Ann A."
"Bob B."
"Cat C."
"North Ward"
"""
STV = """3,2,
12,1,
4,1,2,
7,3,2,1,
"Candidate 1","Ann A.","Red",
"Candidate 2","Bob B.","Blue",
"Candidate 3","Cat C.","Red",
"North Ward",
"""
STV_BALLOTS = {"Ann A.": 12, "Ann A. > Bob B.": 4, "Cat C. > Bob B. > Ann A.": 7}
BLT_BALLOTS = {"Ann A.": 12, "Ann A. > Bob B.": 4, "Cat C. > Ann A. = Bob B.": 7, "": 2}


def written(tmp_path: Path, name: str, text: str) -> Path:
    (tmp_path / name).write_text(text)
    return tmp_path / name


def ballots(path: Path) -> dict[str, int]:
    names, rows = read(path)
    assert names == ["ballot", "count"]
    return {ballot: int(count) for ballot, count in rows}


@pytest.mark.parametrize("ending", ["soc", "soi", "toc", "toi"])
def test_preflib_orders(ending: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"x.{ending}", SOI)
    expected = {"Ann > Bob, B. > Cat": 7, "Cat": 4, "Bob, B. > Ann = Cat": 1}
    assert ballots(path) == expected
    with open_table(path) as table:
        assert table.said == {"ballot": "ballot", "count": "count"}
        assert table.catalogue == ("Ann", "Bob, B.", "Cat")
        table.keep(["ballot"])
        assert table.place(1) == f"x.{ending}, line 11"


def test_answers(tmp_path: Path) -> None:
    orders = data_of(written(tmp_path, "x.blt", BLT))
    assert (orders.items, orders.n_units) == (("Ann A.", "Bob B.", "Cat C."), 23)
    assert "withdrawn according to the file, but ranked: 'Bob B.'" in orders.notes
    approvals = data_of(written(tmp_path, "x.cat", CAT))
    assert approvals.n_units == 3
    study = Study(approvals)
    assert study.topk(1).members == ("Ann",)


def test_preflib_categories(tmp_path: Path) -> None:
    path = written(tmp_path, "x.cat", CAT)
    names, rows = read(path)
    assert names == ["choice", "voter"]
    approved = [
        ["Ann", "1"],
        ["Bob", "1"],
        ["Ann", "2"],
        ["Bob", "2"],
        ["Cat", "3"],
        ["", "4"],
    ]
    assert rows == approved
    with open_table(path) as table:
        assert table.said == {"choice": "choice", "unit": "voter"}
        assert table.notes == ["category 'Yes' is read as approved"]


def test_names_twice(tmp_path: Path) -> None:
    text = SOI.replace("Cat", "Ann").replace("Bob, B.", "")
    found = ballots(written(tmp_path, "x.soi", text))
    assert found == {
        "Ann (1) > 2 > Ann (3)": 7,
        "Ann (3)": 4,
        "2 > Ann (1) = Ann (3)": 1,
    }


BLTS = [
    BLT,
    BLT.replace("3 1\n", "# by hand\n3 1  # one seat\n"),
    BLT.replace("4 1 2 0\n", '4 1 - 2 1 0  # "one"\n'),
    BLT.replace(" 0\n", "\n")
    .replace('"North Ward"', "North Ward")
    .replace("\n0\n", "\n"),
    BLT.replace("\n", "\r\n"),
]


@pytest.mark.parametrize("text", BLTS)
def test_blt(text: str, tmp_path: Path) -> None:
    path = written(tmp_path, "x.blt", text)
    assert ballots(path) == BLT_BALLOTS
    with open_table(path) as table:
        assert table.catalogue == ("Ann A.", "Bob B.", "Cat C.")
        assert "withdrawn according to the file, but ranked: 'Bob B.'" in table.notes


@pytest.mark.parametrize("text", [STV, STV.replace(",\n", "\n", 1)])
def test_scottish(text: str, tmp_path: Path) -> None:
    assert ballots(written(tmp_path, "ward.csv", text)) == STV_BALLOTS


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.soi", SOI.replace("VOTERS: 12", "VOTERS: 13"), "promises NUMBER VOTERS '13', but has 12"),
        ("x.soi", SOI.replace("4: 3\n", ""), "promises NUMBER VOTERS '12', but has 8"),
        ("x.soi", SOI.replace("NAME 3", "NAME 4"), "line 10: ranks candidate 3, who has no name"),
        ("x.soi", SOI.replace("NAME 3", "NAME 2"), "line 9: names alternative name 2 again"),
        ("x.soi", SOI.replace("4: 3", "4, 3"), "line 11: is not of the form count: 1,2"),
        ("x.soi", SOI.replace("{1,3}", "{1,3"), "line 12: is not of the form"),
        ("x.soi", SOI.replace("Cat", "A > B"), "candidate 'A > B', whose name looks like an order"),
        ("x.cat", CAT.split("2: {", maxsplit=1)[0], "holds no ballots"),
        ("x.soi", "3\n1,Ann\n2,Bob\n3,Cat\n12,12,3\n", "line 1: is not of the form"),
        ("x.blt", BLT.replace('"Cat C."\n"North Ward"\n', ""), "names 2 of 3 candidates"),
        ("x.blt", BLT.replace("4 1 2 0", "4 1 x 0"), "line 4: has 'x' where a number should be"),
        ("x.blt", BLT.replace("4 1 2 0", "4 1 5 0"), "line 4: ranks candidate 5"),
        ("x.blt", BLT.replace("12 1 0", "12=3 1 0"), "line 3: begins with no count"),
        ("x.blt", BLT[:20], "names 0 of 3 candidates"),
        ("x.csv", STV.replace("4,1,2,", "4,1,5,"), "line 3: ranks candidate 5"),
        ("x.csv", STV.replace('"Candidate 2","Bob B.","Blue",\n', ""), "names 2 of 3 candidates"),
        ("x.csv", STV.replace('"Candidate 3"', '"Candidate 2"'), "line 7: names candidate 2 again"),
    ],
)  # fmt: skip
def test_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match=message):
        read(written(tmp_path, name, text))


def test_shared_files(shared_data: Path) -> None:
    """Names by their numbers, by plain text functions."""
    paths = sorted((shared_data / "ballots").glob("*.*"))
    assert paths
    for path in paths:
        assert Counter(ballots_of(path)) == ballots_by_hand(path), path.name


def ballots_of(path: Path) -> dict[str, int]:
    found: Counter[str] = Counter()
    for ballot, count in read(path)[1]:
        found[ballot] += int(count)
    return found


def ballots_by_hand(path: Path) -> Counter[str]:
    names: dict[str, str] = {}
    expected: Counter[str] = Counter()
    for line in path.read_text().splitlines():
        if line.startswith("# ALTERNATIVE NAME"):
            number, name = line.removeprefix("# ALTERNATIVE NAME ").split(": ", 1)
            names[number] = name.strip()
        elif not line.startswith("#"):
            count, order = line.split(": ")
            tiers = order.replace("{", " {").replace("}", "} ").split()
            parts = [
                part
                for tier in tiers
                for part in ([tier] if "{" in tier else tier.split(","))
            ]
            text = " > ".join(
                " = ".join(names[number] for number in part.strip("{}").split(","))
                for part in parts
                if part
            )
            expected[text] += int(count)
    return expected
