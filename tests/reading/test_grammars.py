"""Files of ballots and games that are known by their grammar, read against a count by hand."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import Ballots, Battles, read_any
from steadyrank.errors import ColumnError, EmptyDataError, UnreadableFileError
from steadyrank.reading.formats import read_table

if TYPE_CHECKING:
    from pathlib import Path

STV = """3,1,
12,1,
4,1,2,
7,3,2,1,
1,2,
"Candidate 1","Ann A.","Red",
"Candidate 2","Bob B.","Blue",
"Candidate 3","Cat C.","Green",
"North Ward",
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
PGN = """[Event "Open"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]

1. e4 {[%clk 0:01]} e5 2. Qh5
[%clk 0:02] 1-0

[Event "Open"]
[White "Bob \\"B\\""]
[Black "Cat"]
[Result "1/2-1/2"]

1. d4 1/2-1/2

[Event "Open"]
[White "Cat"]
[Black "Ann"]
[Result "*"]

*
"""


def read(text: str, **given: Any) -> Any:
    return read_any(io.BytesIO(text.encode()), **given)


def counts(data: Ballots) -> dict[object, int]:
    return dict(zip(data.units.labels, data.units.counts.tolist(), strict=True))


class TestBallots:
    def test_stv_with_commas(self) -> None:
        data = read(STV)
        assert data.items == ("Ann A.", "Bob B.", "Cat C.")
        assert counts(data) == {
            "Ann A.": 12,
            "Ann A. > Bob B.": 4,
            "Cat C. > Bob B. > Ann A.": 7,
            "Bob B.": 1,
        }
        assert "North Ward" in data.notes[1]

    def test_blt(self) -> None:
        data = read(BLT)
        assert counts(data) == {
            "Ann A.": 12,
            "Ann A. > Bob B.": 4,
            "Cat C. > Ann A. = Bob B.": 7,
        }
        assert "2 ballots without a name left out" in data.notes

    def test_blt_with_remarks_and_a_name_again(self) -> None:
        text = BLT.replace("3 1\n", "3 1  # for one seat\n")
        text = text.replace("4 1 2 0\n", '4 1 - 2 1 0  # "one"\n')
        data = read(text)
        assert counts(data) == counts(read(BLT))
        assert (
            "4 ballots with an item twice: its first place counts (repeats)"
            in data.notes
        )

    def test_blt_without_zeros_at_the_end(self, tmp_path: Path) -> None:
        text = BLT.replace(" 0\n", "\n").replace('"North Ward"', "North Ward")
        (tmp_path / "ward.blt").write_text(text)
        data = read_any(tmp_path / "ward.blt")
        assert counts(data) == counts(read(BLT))
        assert "North Ward" in data.notes[1]

    @pytest.mark.parametrize(
        "text",
        [
            "a > b\nb > a * 3\n",
            "a>b=c\nb>a\n",
            "# by hand\n#/Candidates: ann; bob\n\nnorth || ann > bob * 12\nsouth || bob\n",
            "3: a > b\n4: b > a\n",
            "Åse>Zoë",
            "x, y || Åse > Zoë \r\nx || Zoë > Åse\r\n",
        ],
    )
    def test_orders_without_a_header_would_lose_the_first(self, text: str) -> None:
        with pytest.raises(
            UnreadableFileError, match=r"begins with an order.*order,count"
        ):
            read(text)
        assert read("order,count\na > b = c,3\nb > a,1\n").n_units == 4

    @pytest.mark.parametrize(
        ("text", "match"),
        [
            (
                STV.replace('"Candidate 2","Bob B.","Blue",\n', ""),
                "names 2 of 3 candidates",
            ),
            (STV.replace("4,1,2,", "4,1,5,"), "line 3 .* ranks candidate 5"),
            (BLT.replace('\n0\n"', '\n"'), "ranks candidate 0"),
            (
                BLT.replace("4 1 2 0", "4 1 x 0"),
                "line 4 .* 'x' where a number should be",
            ),
            (BLT.replace('"Cat C."\n"North Ward"\n', ""), "names 2 of 3 candidates"),
        ],
    )
    def test_damage(self, text: str, match: str) -> None:
        with pytest.raises(UnreadableFileError, match=match):
            read(text)

    @pytest.mark.parametrize(
        "text",
        [
            "1,2,\n3,4,\n5,6,\n",  # no ballots: a table
            "1 2\n3 4\n5 6\n",
            "key = value\nother = 3\n",
            "a -> b\nb -> c\n",
            "order\na > b\nb > a\n",
            "<a>\n<b>\n",
            "model,acc > 0.5\nx,1\ny,0\n",
            "a > b,model\n1,x\n0,y\n",
            "a > b|c > d\n1|2\n3|4\n",
            "a => b\nc => d\n",
        ],
    )
    def test_what_only_looks_alike(self, text: str) -> None:
        assert read_table(io.BytesIO(text.encode())).format == "csv"


class TestGames:
    def test_results(self) -> None:
        data = read(PGN)
        assert isinstance(data, Battles)
        assert sorted(data.units.labels) == ["Ann beats Bob", 'Bob "B" ties Cat']
        assert "1 game without a result left out" in data.notes
        assert ("event", 1) not in data.unit_candidates

    def test_faults_have_their_line(self) -> None:
        with pytest.raises(
            UnreadableFileError, match=r"line 9 of .*without White or Black"
        ):
            read(PGN.replace('[White "Bob \\"B\\""]\n', ""))
        with pytest.raises(EmptyDataError, match="no game with a result"):
            read('[Event "x"]\n[White "a"]\n[Black "b"]\n\n*\n')


def session(
    number: int, *contests: dict[str, Any], modified: Any = None
) -> dict[str, Any]:
    card = {"Id": 1, "Contests": list(contests)}
    return {
        "RecordId": number,
        "Original": {"IsCurrent": not modified, "Cards": [card]},
        "Modified": modified,
    }


def contest(number: int, *marks: tuple[int, int], **more: Any) -> dict[str, Any]:
    said = [
        {"CandidateId": who, "Rank": rank, "IsVote": True, "IsAmbiguous": False, **more}
        for who, rank in marks
    ]
    return {"Id": number, "Marks": said}


RECORDS = {
    "Version": "5.10",
    "ElectionId": "Test",
    "Sessions": [
        session(1, contest(7, (1, 1), (2, 2)), contest(8, (9, 1))),
        session(2, contest(7, (2, 1), (2, 2), (3, 3))),
        session(3, contest(7, (1, 1), (3, 1), (2, 2))),
        session(4, contest(7)),
        session(5, contest(7, (1, 1), IsVote=False)),
        session(
            6,
            contest(7, (1, 1)),
            modified={"IsCurrent": True, "Contests": [contest(7, (3, 1))]},
        ),
    ],
}
NAMES = {1: "Ann", 2: "Bob", 3: "Cat", 9: "Yes"}
CANDIDATES = {"List": [{"Id": who, "Description": name} for who, name in NAMES.items()]}
CONTESTS = {
    "List": [{"Id": 7, "Description": "Mayor"}, {"Id": 8, "Description": "Measure A"}]
}
FILES = {
    "CvrExport.json": RECORDS,
    "CandidateManifest.json": CANDIDATES,
    "ContestManifest.json": CONTESTS,
}


class TestDominion:
    def test_a_folder(self, tmp_path: Path) -> None:
        for name, content in FILES.items():
            (tmp_path / name).write_text(json.dumps(content))
        for source in (tmp_path, tmp_path / "CvrExport.json"):
            data = read_any(source, sheet="Mayor")
            assert counts(data) == {"Ann > Bob": 1, "Bob > Cat": 1, "Bob": 1, "Cat": 1}
            assert {
                "1 ballot with several marks at one rank, which is left out",
                "1 ballot with an item twice: its first place counts (repeats)",
                "2 ballots without a name left out",
            } <= set(data.notes)
        with pytest.raises(
            ColumnError, match=r"several contests: 'Mayor', 'Measure A'.*sheet="
        ):
            read_any(tmp_path)

    def test_without_manifests_and_with_several_votes(self) -> None:
        sessions = [
            session(1, contest(7, (1, 1), (2, 1))),
            session(2, contest(7, (2, 1))),
        ]
        data = read(json.dumps({**RECORDS, "Sessions": sessions}))
        assert data.approval
        assert counts(data) == {"{1, 2}": 1, "{2}": 1}


def test_who_withdrew_is_said() -> None:
    text = b'3 1\n-2\n2 1 2 0\n1 2 3 0\n1 3 0\n0\n"ann"\n"bob"\n"cyd"\n"board"\n'
    data = read_any(io.BytesIO(text), format="stv")
    assert data.items == ("ann", "bob", "cyd")
    assert "withdrawn according to the file, but ranked: 'bob'" in data.notes
