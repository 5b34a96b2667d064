"""Text as people have it: other encodings, titles, remarks, no header or two, ragged lines."""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import Ballots, ScoreMatrix, Votes, read_any
from steadyrank.cli import main
from steadyrank.errors import ColumnError, MissingValuesError, UnreadableFileError
from steadyrank.reading.delimited import joined, stretches
from steadyrank.reading.formats import read_table
from steadyrank.reading.headers import find_header

if TYPE_CHECKING:
    from pathlib import Path

    from steadyrank.reading.table import Table

LONG = {"row": "column_2", "item": "column_1", "score": "column_3"}
VOTES = "choice,count\nÅngström,2\nZoë,1\n"


def table(text: str | bytes, **given: Any) -> Table:
    return read_table(
        io.BytesIO(text.encode() if isinstance(text, str) else text), given=given
    )


class TestEncodings:
    @pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
    def test_a_byte_order_mark_tells(self, encoding: str) -> None:
        data = Votes.read(io.BytesIO(VOTES.encode(encoding)))
        assert data.items == ("Zoë", "Ångström")
        assert not any("UTF" in note for note in data.notes)

    @pytest.mark.parametrize(
        ("text", "encoding"),
        [
            (VOTES, "cp1252"),
            ("choice\nŁódź\nŚląsk\n", "cp1250"),
            ("choice\nМосква\n", "cp1251"),
            ("choice\n广州\n", "gb18030"),
            ("choice\n札幌\n", "shift_jis"),
            ("choice\n대구\n", "cp949"),
        ],
    )
    def test_other_text_is_refused_with_the_usual_choices(
        self, text: str, encoding: str
    ) -> None:
        content = text.encode(encoding)
        with pytest.raises(
            UnreadableFileError, match=f"not text in UTF-8: byte 0x.*line 2.*{encoding}"
        ):
            Votes.read(io.BytesIO(content))
        names = {line.split(",")[0] for line in text.splitlines()[1:]}
        assert {*Votes.read(io.BytesIO(content), encoding=encoding).items} == names

    def test_a_file_is_also_refused_with_a_command_that_reads_it(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "votes.csv"
        path.write_bytes("vote;year\nLMŠ;1\nSDS;2\nLMŠ;3\n".encode("cp1252"))
        with pytest.raises(UnreadableFileError, match="not text in UTF-8") as caught:
            read_any(path)
        for one in caught.value.readings:
            assert one.options["encoding"] == "cp1252"
        assert caught.value.readings[0].read().items == ("LMŠ", "SDS")

    @pytest.mark.parametrize(
        "content",
        [
            "choice\nZoë\n".encode() + b"Zo\xeb\n",  # both
            b"choice\nZo\xeb\n" + "Zoë\n".encode(),
            b"choice\nb\x81d\n",
            b"choice\nb\xe9\x07d\n",  # binary
        ],
    )
    def test_one_byte_suffices(
        self, content: bytes, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for size in (1 << 24, 8):
            monkeypatch.setattr("steadyrank.reading.files.BLOCK", size)
            with pytest.raises(
                UnreadableFileError, match=r"not text in UTF-8: byte 0x.*encoding="
            ):
                Votes.read(io.BytesIO(content))

    def test_the_encoding_that_is_said_is_the_one(self) -> None:
        with pytest.raises(UnreadableFileError, match="byte 0xc5 on line 2"):
            Votes.read(io.BytesIO(VOTES.encode("latin-1")), encoding="utf-8")
        greek = "choice\nΑθήνα\n".encode("iso8859-7")
        assert Votes.read(io.BytesIO(greek), encoding="iso8859-7").items == ("Αθήνα",)


SCORES = "model,mmlu,arc\nx,1.5,2\ny,3,1\nz,2,2.5\n"


class TestBeforeAndBelow:
    @pytest.mark.parametrize(
        "before", ["Our results,,\n\n", "Our results,,\n", ",,\n", "# made by me,,\n"]
    )
    @pytest.mark.parametrize(
        "text",
        [
            SCORES,
            "voter,choice,age\nann,x,7\nbob,y,8\n",
            "ballot,count,who\nx > y,3,a\ny > x,1,b\nx > y > z,2,c\n",
            "left,right,winner\nx,y,left\ny,z,right\nx,z,left\n",
        ],
    )
    def test_a_title_is_never_the_header(self, before: str, text: str) -> None:
        """Nor is a header below it data; whoever says that it is one gets it."""
        with pytest.raises(
            UnreadableFileError,
            match=r"names \d of 3 columns.*Delete this line.*header=",
        ):
            table(before + text)
        assert table(before + text, header=1).names[1:] == ["column_2", "column_3"]

    @pytest.mark.parametrize(
        "before", ["Our results\n", "# a\n# b\n\n", "# made by me\n"]
    )
    def test_a_title_without_commas_is_refused_by_the_line_below(
        self, before: str
    ) -> None:
        with pytest.raises(
            UnreadableFileError, match=r"line \d of the stream has \d fields instead of"
        ):
            table(before + SCORES)

    def test_a_sheet_with_a_title_is_refused(self) -> None:
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in (
            ["Results of 2024"],
            [],
            ["model", "acc", "f1"],
            ["x", 1, 2.5],
            ["y", 2, 1],
        ):
            book.active.append(row)
        book.save(out := io.BytesIO())
        with pytest.raises(
            UnreadableFileError, match="'Results of 2024', names 1 of 3 columns"
        ):
            table(out.getvalue())

    @pytest.mark.parametrize("text", ["picks\na,b,c\nb,c,a\n", "model\nx,1\ny,2\n"])
    def test_nothing_is_left_out_that_may_be_the_header(self, text: str) -> None:
        with pytest.raises(UnreadableFileError, match="line 2 of"):
            table(text)

    @pytest.mark.parametrize(
        "below", ["\nSource: the authors\n", "Source: the authors\nw,1,2\n", "w"]
    )
    def test_a_remark_below_the_table_is_refused(self, below: str) -> None:
        with pytest.raises(
            UnreadableFileError, match=r"line [56] of the stream has 1 fields"
        ):
            table(SCORES + below)


WIDE = "model,a,b,c\nx,1,2,3\ny,2,3,1\n"


class TestLengths:
    def test_a_short_line_lacks_its_last_fields(self) -> None:
        found = table(WIDE + "v,4,5\nw,1,2,3\nz,2,\n")
        assert found.cells("c") == ["3", "1", "", "3", ""]
        assert found.notes == [
            "fewer fields than columns, the last ones read as blank, on line 4, 6"
        ]
        with pytest.raises(MissingValuesError, match="1 value is missing"):
            ScoreMatrix.read(
                io.BytesIO((WIDE + "v,4,5\nw,1,2,3\n").encode()), items_in="rows"
            )

    @pytest.mark.parametrize(
        ("more", "match"),
        [
            ("v,4,5,6,7\n", "line 4 of the stream has 5 fields instead of 4"),
            ("v,4\n", "line 4 of the stream has 2 fields instead of 4"),
            (
                "v,4,5",
                "the last line of the stream has 3 fields instead of 4.*cut short",
            ),
        ],
    )
    def test_what_may_be_a_fault_is_refused(self, more: str, match: str) -> None:
        with pytest.raises(UnreadableFileError, match=match):
            table(WIDE + more)

    @pytest.mark.parametrize("width", range(2, 9))
    def test_every_line_that_was_broken_in_two_is_refused(self, width: int) -> None:
        header, line = (
            ",".join(f"{part}{n}" for n in range(width))
            for part in ("name", "some text")
        )
        for place in range(1, len(line)):
            broken = "\n".join([header, line, line[:place], line[place:], line, ""])
            with pytest.raises(
                UnreadableFileError, match=r"line \d of the stream has \d fields"
            ):
                table(broken)

    def test_blank_fields_beyond_the_last_column_are_none(self) -> None:
        assert table("a,b\n1,2,\n3,4,\n").cells("b") == ["2", "4"]

    def test_names_of_rows_without_a_name_of_their_own(self) -> None:
        found = table('"acc","f1"\n"x",1,2\n"y",3,4\n')
        assert (found.names, found.cells("column_1")) == (
            ["column_1", "acc", "f1"],
            ["x", "y"],
        )


DATA = "red,x,3\nblue,y,1\nblue,x,2\nred,y,2\nred,z,1\nblue,z,8\n"


class TestHeaders:
    def test_numbers_above_numbers_are_data(self) -> None:
        found = table("7.4,0.7,3\n7.8,0.9,5\n6.1,0.3,4\n9.9,0.1,3\n")
        assert found.names == ["column_1", "column_2", "column_3"]
        assert (len(found), list(found.lines)) == (4, [1, 2, 3, 4])
        assert found.notes[0].option.typed() == "--header 1"
        assert (
            table("7.4,0.7,3\n7.8,0.9,5\n6.1,0.3,4\n9.9,0.1,3\n", header="1").names[0]
            == "7.4"
        )

    @pytest.mark.parametrize(
        "first", ["1,31,2.5", "1,2,5", "3,7,3", "196,242,881250949"]
    )
    def test_a_first_rating_is_no_header(self, first: str) -> None:
        assert len(table(f"{first}\n1,29,3.5\n2,31,4\n2,29,1\n")) == 4

    @pytest.mark.parametrize(
        "text",
        [
            "1990,2000,2005\n5,4,3\n1,2,3\n3,2,1\n",
            "5,10,15\n5,4,3\n1,2,3\n3,2,1\n",
            "2019,2020,2021\n5,4,3\n1,2,3\n3,2,1\n",  # years
            "0,1,2\n5,4,3\n1,2,3\n3,2,1\n",  # as pandas numbers columns
            "model,0.05,0.5,0.95\nx,1,2,3\ny,1,2,3\nz,2,3,4\n",  # quantiles
            "model,2019,score\nx,1,2\ny,1,2\nz,2,3\n",
            "country,2020\na,1\nb,2\nc,3\n",
        ],
    )
    def test_numbers_that_name_columns(self, text: str) -> None:
        assert table(text).names == text.split("\n", maxsplit=1)[0].split(",")

    def test_how_many_lines_is_said(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert table("red,3\nblue,1\ngreen,2\n").names == [
            "red",
            "3",
        ]  # perhaps: nothing comes again
        assert table(DATA).names == ["column_1", "column_2", "column_3"]  # x does
        assert table(DATA, header=0).names == ["column_1", "column_2", "column_3"]
        assert table("a,b\nc,d\n1,2\n", header="2").names == ["a c", "b d"]
        path = tmp_path / "points.csv"
        path.write_text(DATA)
        named = [
            "--row",
            "column_2",
            "--item",
            "column_1",
            "--score",
            "column_3",
            "--missing",
            "available",
        ]
        assert main(["topk", str(path), "-k", "1", "--header", "0", *named]) == 0
        assert "blue" in capsys.readouterr().out
        assert main(["topk", str(path), "-k", "1", "--header", "x", *named]) == 2
        assert "--header must be one of '0', '1', '2'" in " ".join(
            capsys.readouterr().err.split()
        )
        assert read_any(path, header=0, **LONG).items == ("blue", "red")

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            (
                ",acc,acc,time\n,mean,sd,mean\nmodel,,,\nx,1,2,3\ny,4,5,6\n",
                ["model", "acc mean", "acc sd", "time mean"],
            ),
            ("model,acc,,t,\n,m,sd,m,sd\nx,1,2,3,4\n", ["model", "acc m", "acc sd", "t m", "t sd"]),
            ("model,acc,acc\nname,mean,sd\nx,1,2\n", ["model name", "acc mean", "acc sd"]),
        ],
    )  # fmt: skip
    def test_rows_are_joined(self, text: str, names: list[str]) -> None:
        found = table(text)
        assert (found.names, found.cells(names[0])[0]) == (names, "x")

    def test_a_row_of_text_below_a_header_is_no_header(self) -> None:
        assert table("a,,b\nx,y,z\nw,v,u\n").names == ["a", "column_2", "b"]
        assert table("a,b,b\nx,1,2\ny,2,3\n").names == ["a", "b_2", "b_3"]

    def test_made_names_are_new(self) -> None:
        header = find_header([["x", "x", "x_1", ""], ["1", "2", "3", "4"]])
        assert len(set(header.names)) == 4

    def test_pandas_writes_what_is_read(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(
            {
                "model": list("xxyy"),
                "task": list("abab"),
                "acc": [1.0, 2, 3, 4],
                "f1": 1.5,
            }
        )
        pivot = frame.pivot_table(index="model", columns="task", values=["acc", "f1"])
        found = table(pivot.to_csv())
        assert found.names == ["model", "acc a", "acc b", "f1 a", "f1 b"]
        assert found.numbers("acc b").tolist() == [2.0, 4.0]


class TestFields:
    def test_blanks_between_numbers(self) -> None:
        found = table(
            "  1.5   2.25  1\n 0.5   1.25  9 \n 2.5   0.25  6\n 1.0   4.5   2\n"
        )
        assert found.names == ["column_1", "column_2", "column_3"]
        assert found.numbers("column_2").tolist() == [2.25, 1.25, 0.25, 4.5]

    def test_what_parts_the_fields_is_the_same_on_all_lines(self) -> None:
        assert table("id;answers\n1;a,b,c\n2;b,a,c\n").names == ["id", "answers"]
        assert table("name\tx, y\nann\t1\nbob\t2\n").names == ["name", "x, y"]

    def test_blanks_after_the_commas(self) -> None:
        found = table("rank, title, year\n1, Juicy, 1994\n2, The Message, 1982\n")
        assert found.cells("title") == ["Juicy", "The Message"]
        assert found.labels("year").tolist() == [1994, 1982]
        assert found.notes == ["blanks before the fields left out"]
        assert table("a,b\nx, y\nz,w\n").cells("b") == [" y", "w"]

    def test_numbers_with_their_errors(self) -> None:
        found = table(
            'model,acc,f1,n\nx,95.1 ± 0.2,80% (1),"1,234"\ny,94.0 +/- 0.1,79%,"2,345"\n'
        )
        assert found.is_numeric("acc")
        assert found.numbers("acc").tolist() == [95.1, 94.0]
        assert found.numbers("f1").tolist() == [80, 79]
        assert sum("of a number with its error" in note for note in found.notes) == 2
        assert table("model\nGPT (4)\nGPT (3)\n").labels("model").tolist() == [
            "GPT (4)",
            "GPT (3)",
        ]


def test_records_are_found_wherever_they_lie() -> None:
    def read(document: object, **given: object) -> Table:
        return read_table(
            io.BytesIO(json.dumps(document, indent=1).encode()), given=given
        )

    found = read(
        {
            "updated": "May",
            "teams": [{"school": "x", "r": 1.5}, {"school": "y", "r": 2}],
        }
    )
    assert found.labels("school").tolist() == ["x", "y"]
    assert found.guessed == {}
    found = read(
        {"bm25": {"p": {"1": 0.5, "5": 0.4}}, "rm3": {"p": {"1": 0.6, "5": 0.3}}}
    )
    assert found.names == ["name", "p.1", "p.5"]
    several = {"a": [{"x": 1}], "b": [{"x": 1}, {"x": 2}]}
    assert len(read(several)) == 2
    assert read(several).guessed == {"sheet": "b"}
    assert len(read(several, sheet="a")) == 1
    with pytest.raises(ColumnError, match=r"no table 'c', but 'a'.* 'b'"):
        read(several, sheet="c")


@pytest.mark.parametrize(
    "text", ["- {a: 1}\n", "x:\n  - a: 1\n", "---\n- model: x\n  score: 1\n"]
)
def test_a_file_called_yaml_is_refused_unless_it_is_json(
    text: str, tmp_path: Path
) -> None:
    (tmp_path / "results.yml").write_text(text)
    with pytest.raises(
        UnreadableFileError, match=r"is YAML, which is not read.*yq -o=json"
    ):
        read_table(tmp_path / "results.yml")
    (tmp_path / "json.yml").write_text('[{"choice": "x"}, {"choice": "y"}]')
    assert read_any(tmp_path / "json.yml", kind="votes").n_units == 2


@pytest.mark.parametrize(
    "lines",
    [
        ["a,b,c", "1,x,3", "1,y", "2,z,4", "2,z,4", "7,z"],
        ["a,b,c", '1,5" x,3', '2,6" "y",4'],
        ["a,b,c", "1,x", "2,y,3", "y,2", "1,2,3"],
        ["a,b,c", "1,x,3", "1,y", "2,z", "3,4,5"],
        ["a,b,c", "1,x,3", "1,y,", "2,z,4,"],
        [
            "a,b,c",
            "1,2,3",
            "4,5,6,",
            "7,8",
            "9,1,2",
        ],  # as long as if all had three fields
        ["a,b,c", '"1\r\n2",x,3\r', '"4,5",y\r', "6,7,8,\r"],
        ["a,b,c", '"1""2",x,3', '"","",""', "4,5", '"a\nb",2,3'],
        ["a,b,c", "1,2,3", "\ufeff4,5,6", "7,8,9"],
    ],
)
def test_short_lines_and_quotes_within_text_are_read_as_the_referee_reads_them(
    lines: list[str],
) -> None:
    text = "\n".join(lines).encode()
    for blocks in ([text + b"\n"], [text], text.splitlines(keepends=True)):
        answers = []
        for referee in (False, True):
            try:
                found = joined(stretches(blocks, ",", referee=referee))
                answers.append(
                    [found.cells(name) for name in found.names] + [found.notes]
                )
            except UnreadableFileError as error:
                answers.append([str(error)])
        assert answers[0] == answers[1]


@pytest.mark.parametrize("as_codes", [False, True])
def test_a_column_that_is_not_utf8_is_refused_by_name(as_codes: bool) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    buffers = [
        None,
        *map(pa.py_buffer, (np.array([0, 1, 2], dtype=np.int32), b"\xff\xfe")),
    ]
    table = pa.table(
        {"choice": ["x", "y"], "note": pa.Array.from_buffers(pa.string(), 2, buffers)}
    )
    parquet.write_table(table, out := io.BytesIO(), use_dictionary=as_codes)
    with pytest.raises(UnreadableFileError, match="column 'note' cannot be read"):
        read_any(io.BytesIO(out.getvalue()), kind="votes", choice="choice")


@pytest.mark.parametrize(
    "names", [["votes.csv"], ["a.csv", "b.csv"], ["content.xml", "meta.xml"]]
)
def test_a_zip_archive_is_refused_unless_it_is_a_known_format(names: list[str]) -> None:
    with zipfile.ZipFile(out := io.BytesIO(), "w") as archive:
        for name in names:
            archive.writestr(name, b"choice\nx\ny\n")
    out.seek(0)
    with pytest.raises(
        UnreadableFileError, match=r"zip archive or spreadsheet of no.*Unpack it"
    ):
        read_any(out)


def test_sheets_have_headers_of_two_rows() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (
        ["model", "acc", None],
        [None, "a", "b"],
        [],
        ["x", 1, 2.5],
        ["y", 2, 1],
    ):
        book.active.append(row)
    book.save(out := io.BytesIO())
    found = table(out.getvalue())
    assert found.names == ["model", "acc a", "acc b"]
    assert list(found.lines) == [4, 5]


def test_choices_on_a_spreadsheet_are_ballots() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    rows = [
        ["Precinct", "1st choice", "2nd choice"],
        ["P1", "ann", "bob"],
        ["P1", "bob", "cat"],
        ["P2", "cat", "ann"],
    ]
    for row in rows:
        book.active.append(row)
    book.save(out := io.BytesIO())
    data = read_any(io.BytesIO(out.getvalue()), kind="ballots")
    assert isinstance(data, Ballots)
    assert data.n_units == 3
