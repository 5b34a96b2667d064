"""Faults that were found, as one table: a file, what is typed, and what must be given.

A row that is not mended yet names the issue that mends it and is a strict xfail.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from contracts.door import RefusedError, facts_of_document, run

if TYPE_CHECKING:
    from pathlib import Path

ONLY_WHAT_IS_TRUE = "Only what is true"


class Regression(NamedTuple):
    """A file, the command on it, and fields of the JSON that it must give.

    ``without``: beginnings of lines; the list of the file without these lines must
    share k items with the list of the file.
    """

    text: str
    command: str
    gives: dict[str, Any]
    without: str = ""
    mended_by: str = ""


RATINGS_BELOW_0 = """user,item,rating
u1,a,-1\nu1,b,-3\nu1,c,-4
u2,a,-1\nu2,b,-3\nu2,c,-4
u3,a,-2\nu3,b,-2\nu3,c,-3
u4,d,5\nu4,a,-1
"""
SEVEN_BATTLES = """left,right,winner
e,b,right\na,e,left\ne,d,tie\nb,d,tie\nb,c,left\nb,c,left\nd,b,tie
"""
FEW_RATINGS = """user,item,rating
u1,a,1\nu1,b,3\nu2,a,2\nu2,b,3\nu3,a,1\nu3,d,5\nu4,b,3\nu4,d,5
"""
RESULTS_OF_SIDES = """model_a,model_b,winner
x,y,A>B\ny,z,A>B\nz,x,B>A\nx,z,A=B\nx,y,A>B
"""
WIN_OF_LEFT = "left,right,winner\na,b,left\nb,a,left\na,b,left\nb,a,tie\n"

REGRESSIONS = {
    "a list shares k items when an item leaves with its only user": Regression(
        RATINGS_BELOW_0, "topk FILE -k 2", {}, "u4,", ONLY_WHAT_IS_TRUE
    ),
    "the same of pairs won": Regression(
        SEVEN_BATTLES,
        "topk FILE -k 2 --scorer copeland",
        {},
        "a,e,",
        ONLY_WHAT_IS_TRUE,
    ),
    "an item that falls below the minimum count is not sure": Regression(
        FEW_RATINGS, "topk FILE -k 1 --min-count 2", {}, "u4,", ONLY_WHAT_IS_TRUE
    ),
    "a list shares k items when every item stays": Regression(
        RATINGS_BELOW_0,
        "topk FILE -k 2 --item item --rating rating --unit user",
        {"n_units": 4, "n_items": 4},
        "u3,",
    ),
    "A>B between two sides is a result": Regression(
        RESULTS_OF_SIDES,
        "topk FILE -k 1 --scorer win-rate",
        {"kind": "battles", "n_items": 3},
    ),
    "sides have names": Regression(
        WIN_OF_LEFT, "topk FILE -k 1", {"kind": "battles", "n_units": 4}
    ),
}


def rows() -> list[Any]:
    return [
        pytest.param(
            row,
            id=name,
            marks=pytest.mark.xfail(
                strict=True, reason=row.mended_by, raises=AssertionError
            )
            if row.mended_by
            else (),
        )
        for name, row in REGRESSIONS.items()
    ]


@pytest.mark.parametrize("row", rows())
def test_faults_stay_mended(row: Regression, tmp_path: Path):
    document = answer(row, row.text, tmp_path)
    assert {name: document[name] for name in row.gives} == row.gives
    if row.without:
        lines = row.text.splitlines(keepends=True)
        rest = "".join(line for line in lines if not line.startswith(row.without))
        assert rest != row.text
        again = answer(row, rest, tmp_path)
        assert len(listed(document) & listed(again)) >= document["k"]


def answer(row: Regression, text: str, folder: Path) -> dict[str, Any]:
    path = folder / "data.csv"
    path.write_text(text)
    words = [str(path) if w == "FILE" else w for w in row.command.split()]
    code, printed, errors = run([*words, "--json"])
    if code:
        raise RefusedError(errors)
    return json.loads(printed)


def listed(document: dict[str, Any]) -> set[str]:
    rows = facts_of_document(document)["rows"]
    return {item for item, row in rows.items() if row["listed"]}
