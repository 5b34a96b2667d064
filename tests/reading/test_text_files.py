"""Odd text files: read to the letter, or refused with the line."""

from __future__ import annotations

import csv
import gzip
import io
import random
from typing import TYPE_CHECKING

import pytest

from steadyrank.errors import InvalidDataError, SteadyrankError
from steadyrank.reading.table import open_table
from tests.reading.opened import cells, read

if TYPE_CHECKING:
    from pathlib import Path

HUNDREDS = [str(number) for number in range(300)]
LONG = "x" * 3_000_000
MANY = [[str(row), str(row % 7)] for row in range(30_000)]
LINES = "\n".join(map(",".join, MANY)).encode()


READ = {
    # cells are text, to the letter
    "leading zeros": (b"a,b\n007,08\n", cells("a b/007 08")),
    "NA is a name": (b"a,b\nNA,null\nNaN,None\n", cells("a b/NA null/NaN None")),
    "numbers as spelt": (b"a,b\n1.50,1e5\n+1,-0\n", cells("a b/1.50 1e5/+1 -0")),
    "long numbers": (b"a,b\n12345678901234567890,0.1\n", cells("a b/12345678901234567890 0.1")),
    "dates as spelt": (b"a,b\n2024-1-1,01/02/03\n".replace(b"/", b"."), cells("a b/2024-1-1 01.02.03")),
    "truth as spelt": (b"a,b\nTrue,t\nfalse,F\n", cells("a b/True t/false F")),
    "blanks around": (b"a,b\n x , y\n", (["a", "b"], [[" x ", " y"]])),
    "tab within": (b"a,b\n\tx,y\t\n", (["a", "b"], [["\tx", "y\t"]])),
    "blank cells": (b"a,b\n,\nx,\n,y\n", cells("a b/~ ~/x ~/~ y")),
    "cells of blanks": (b"a,b\n ,  \n", (["a", "b"], [[" ", "  "]])),
    "apostrophes": (b"a,b\n'x,y'\nit's,'\n", cells("a b/'x y'/it's '")),
    "backslashes": (b"a,b\n\\,\\n\nx\\,\\\\\n", cells("a b/\\ \\n/x\\ \\\\")),
    "comments are rows": (b"a,b\n#x,y\n-- z,1\n", (["a", "b"], [["#x", "y"], ["-- z", "1"]])),
    "unit separator": (b"a,b\nx\x1fy,z\n", (["a", "b"], [["x\x1fy", "z"]])),
    "separator, quoted": (b'a,b\n"x\x1fy",z\n', (["a", "b"], [["x\x1fy", "z"]])),
    "control characters": (b"a,b\n\x01,\x0b\n\x0c,z\n", (["a", "b"], [["\x01", "\x0b"], ["\x0c", "z"]])),
    "other line ends": ("a,b\n\u2028x,\x85y\n".encode(), (["a", "b"], [["\u2028x", "\x85y"]])),
    "emoji and accents": ("a,b\né,\U0001f600\ne\u0301,ß\n".encode(),
                          cells("a b/é \U0001f600/e\u0301 ß")),
    "percent and dollar": (b"a,b\n5%,$3\n", cells("a b/5% $3")),
    "thousands": (b"a;b\n1.000,50;1 000\n", (["a", "b"], [["1.000,50", "1 000"]])),
    # quotes
    "quoted cells": (b'"a","b"\n"x","y"\n', cells("a b/x y")),
    "delimiter in quotes": (b'a,b\n"x,1",y\n', (["a", "b"], [["x,1", "y"]])),
    "line end in quotes": (b'a,b\n"x\ny",z\n', (["a", "b"], [["x\ny", "z"]])),
    "returns in quotes": (b'a,b\r\n"x\r\ny","\r"\r\n', (["a", "b"], [["x\r\ny", "\r"]])),
    "doubled quotes": (b'a,b\n"x""y",""""\n', cells('a b/x"y "')),
    "quote within": (b'a,b\nx"y,5" disk\n', (["a", "b"], [['x"y', '5" disk']])),
    "quote at the end": (b'a,b\nx",y"\n', cells('a b/x" y"')),
    "quoted blanks": (b'a,b\n"",""\n" "," x"\n', (["a", "b"], [["", ""], [" ", " x"]])),
    "quoted NA": (b'a,b\n"NA",NA\n', cells("a b/NA NA")),
    "quoted header": (b'"a, b","c\nd"\n1,2\n', (["a, b", "c\nd"], [["1", "2"]])),
    "quote, plain after": (b'a,b\n"0",0\n' + LINES, (["a", "b"], [["0", "0"], *MANY])),
    "blank before a quote": (b'a,b\nx, "y"\n', (["a", "b"], [["x", ' "y"']])),
    # line ends
    "returns and feeds": (b"a,b\r\n1,2\r\n,\r\n", cells("a b/1 2/~ ~")),
    "returns alone": (b"a,b\r1,2\r3,4\r", cells("a b/1 2/3 4")),
    "mixed line ends": (b"a,b\n1,2\r\n3,4\r5,6\n", cells("a b/1 2/3 4/5 6")),
    "no line end": (b"a,b\n1,2", cells("a b/1 2")),
    "no line end, returns": (b"a,b\r\n1,2", cells("a b/1 2")),
    "doubled returns": (b"a,b\r\r\n1,2\r\r\n", cells("a b/1 2")),
    "blank lines": (b"a,b\n\n1,2\n\n\n3,4\n\n", cells("a b/1 2/3 4")),
    "blank lines, returns": (b"a,b\r\n\r\n1,2\r\n\r\n", cells("a b/1 2")),
    "blank lines above": (b"\n\na,b\n1,2\n", cells("a b/1 2")),
    # one column
    "one column": (b"a\nx\ny\n", cells("a/x/y")),
    "one column, a blank": (b'a\nx\n""\ny\n', (["a"], [["x"], [""], ["y"]])),
    "one column, blanks": (b"a\nx\n \n", (["a"], [["x"], [" "]])),
    "one column, blank line": (b"a\nx\n\ny\n", cells("a/x/y")),
    # headers
    "blank header cells": (b"a,,b, \n1,2,3,4\n", cells("a column2 b column4/1 2 3 4")),
    "header of numbers": (b"1,2\n3,4\n", cells("1 2/3 4")),
    "header alone": (b"a,b\n", (["a", "b"], [])),
    "header without line end": (b"a,b", (["a", "b"], [])),
    "blanks in the header": (b" a,b c\n1,2\n", ([" a", "b c"], [["1", "2"]])),
    "words of SQL": (b"select,from\n1,2\n", cells("select from/1 2")),
    "quotes in a name": (b'"a""b",c\'d\n1,2\n', cells("a\"b c'd/1 2")),
    "rowid": (b"rowid,c0,data\n5,6,7\n", cells("rowid c0 data/5 6 7")),
    "sum over a row": (b"Total,\n1,2\n", cells("Total column2/1 2")),
    # delimiters, proved by the header
    "semicolons": (b"a;b\n1;2,5\n", cells("a b/1 2,5")),
    "tabs": (b"a\tb\n1\t2\n", cells("a b/1 2")),
    "bars": (b"a|b\n1|2\n", cells("a b/1 2")),
    "semicolons in quotes": (b'"a,1";"b"\n1;2\n', cells("a,1 b/1 2")),
    # marks and encodings
    "byte order mark": (b"\xef\xbb\xbfa,b\n1,2\n", cells("a b/1 2")),
    "mark and quotes": (b'\xef\xbb\xbf"a",b\n1,"2"\n', cells("a b/1 2")),
    "two marks": (b'\xef\xbb\xbf\xef\xbb\xbf"a",b\n1,2\n', cells("a b/1 2")),
    "mark in the first cell": ("a,b\n\ufeffx,\"y\"\n".encode(), (["a", "b"], [["\ufeffx", "y"]])),
    "UTF-16": ("a,b\né,2\n".encode("utf-16"), cells("a b/é 2")),
    "UTF-16 big end": (b"\xfe\xff" + "a,b\né,2\n".encode("utf-16-be"), cells("a b/é 2")),
    "gzip": (gzip.compress(b"a,b\n1,2\n"), cells("a b/1 2")),
    "gzip in parts": (gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n"), cells("a b/1 2/3 4")),
    "gzip of quotes": (gzip.compress(b'a,b\n"1",2\n'), cells("a b/1 2")),
    "gzip of UTF-16": (gzip.compress("a,b\n1,2\n".encode("utf-16")), cells("a b/1 2")),
    # sizes
    "3 MB in a cell": (f"a,b\n{LONG},1\n2,3\n".encode(), (["a", "b"], [[LONG, "1"], ["2", "3"]])),
    "3 MB in quotes": (f'a,b\n"{LONG}\n",1\n'.encode(), (["a", "b"], [[LONG + "\n", "1"]])),
    "300 columns": (",".join(HUNDREDS).encode(), (HUNDREDS, [])),
    "30,000 rows": (b"a,b\n" + LINES, (["a", "b"], MANY)),
}  # fmt: skip

REFUSED = {
    "empty": (b"", "is empty"),
    "blank lines alone": (b"\n\n\n", "is empty"),
    "a mark alone": (b"\xef\xbb\xbf", "is empty"),
    "short row": (b"a,b\n1,2\n3\n", "line 3: 1 cell, but the header has 2 columns"),
    "long row": (b"a,b\n1,2,3\n", "line 2: 3 cells, but the header has 2 columns"),
    "short row, quotes": (b'a,b\n"1\n",2\n3\n', "line 4: 1 cell"),
    "long row, late": (b"a,b\n" + LINES + b"\n1,2,3\n", "line 30,002: 3 cells"),
    "short row, late": (b'a,b\n"",\n' + LINES + b"\n1\n", "line 30,003: 1 cell"),
    "comma at the end": (b"a,b\n1,2,\n", "line 2: 3 cells"),
    "row of blanks": (b"a,b\n1,2\n  \n", "line 3: 1 cell"),
    "header one short": (b"a,b\nr1,1,2\n", "line 2: 3 cells"),
    "title above": (b"Results 2024\n\na,b\n1,2\n", "line 3: 2 cells, but the header has 1 column"),
    "title with a comma": (b"Results, 2024\na,b,c\n1,2,3\n", "line 2: 3 cells"),
    "note below": (b"a,b\n1,2\nSource: us\n", "line 3: 1 cell"),
    "no end of a quote": (b'a,b\n1,2\n"3,4\n5,6\n', "line 3: the quote is never closed"),
    "no end, header": (b'a,"b\n1,2\n', "line 1: the quote is never closed"),
    "text behind a quote": (b'a,b\n"x"y,1\n', "line 2: ',' expected"),
    "blank behind a quote": (b'a,b\n1,2\n"x" ,1\n', "line 3: ',' expected"),
    "escaped quotes": (b'a,b\n"x\\"y",1\n', "line 2"),
    "same names": (b"a,b,a\n1,2,3\n", "line 1 .* 'a' and 'a'"),
    "names in capitals": (b"item,Item\n1,2\n", "'item' and 'Item'"),
    "column1 again": (b",column1\n1,2\n", "'column1' and 'column1'"),
    "NUL": (b"a,b\n1,2\n3,\x004\n", "line 3: holds a NUL"),
    "UTF-16 without a mark": ("a,b\n1,2\n".encode("utf-16-le"), "line 1: holds a NUL"),
    "Latin-1": ("a,b\n1,2\nM\xfcller,3\n".encode("latin-1"), "line 3: is not text in UTF-8"),
    "half a letter": ("a,b\n1,é".encode()[:-1], "line 2: is not text in UTF-8"),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "line 1: is not text"),
    "cut archive": (gzip.compress(b"a,b\n1,2\n" * 99)[:-9], "cut short or damaged"),
    "damaged archive": (gzip.compress(b"a,b\n1,2\n")[:-8] + b"12345678", "cut short or damaged"),
    "two delimiters": (b"a,b;c\n1,2;3\n", "can be split by ',' and ';'"),
    "Markdown": (b"| a | b |\n|---|---|\n| 1 | 2 |\n", "line 2: .*Markdown"),
    "Markdown, open": (b"a | b\n--- | ---\n1 | 2\n", "line 2: .*Markdown"),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_read_to_the_letter(name: str) -> None:
    raw, expected = READ[name]
    assert read(io.BytesIO(raw)) == expected


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_line(name: str) -> None:
    raw, message = REFUSED[name]
    with pytest.raises(InvalidDataError, match=message) as caught:
        read(io.BytesIO(raw))
    assert "\n" not in str(caught.value)


class TestOptions:
    def test_encoding(self) -> None:
        raw = "a,b\nMüller,Łódź\n".encode("cp1250")
        assert read(io.BytesIO(raw), encoding="cp1250") == cells("a b/Müller Łódź")

    @pytest.mark.parametrize("encoding", ["utf-99", "hex", "idna", "\0", ""])
    def test_no_encoding(self, encoding: str) -> None:
        with pytest.raises(InvalidDataError, match="there is no encoding"):
            read(io.BytesIO(b"a,b\n"), encoding=encoding)

    @pytest.mark.parametrize("delimiter", [":", " ", "\t", "~", "é", ";"])
    def test_delimiter(self, delimiter: str) -> None:
        raw = f"a{delimiter}b\n1,5{delimiter}'2|3\n".encode()
        assert read(io.BytesIO(raw), delimiter=delimiter) == cells("a b/1,5 '2|3")

    @pytest.mark.parametrize("delimiter", ["", "::", '"', "\n"])
    def test_no_delimiter(self, delimiter: str) -> None:
        with pytest.raises(InvalidDataError, match="delimiter must be one letter"):
            read(io.BytesIO(b"a,b\n"), delimiter=delimiter)

    @pytest.mark.parametrize(
        ("name", "text", "expected"),
        [
            ("x.csv", "a,b;c\n1,2;3\n", cells("a b;c/1 2;3")),
            ("x.tsv", "a,b\tc\n1,2\t3\n", cells("a,b c/1,2 3")),
            ("x.psv", "a,b|c\n1,2|3\n", cells("a,b c/1,2 3")),
            ("x.csv", "a;b\n1;2\n", cells("a b/1 2")),
            ("x.txt", "a\tb\n1\t2\n", cells("a b/1 2")),
            ("x", "a\tb\n1\t2\n", cells("a b/1 2")),
            ("X.CSV.GZ", "a,b\n1,2\n", cells("a b/1 2")),
            ("[2024] what? it's *.csv", "a,b\n1,2\n", cells("a b/1 2")),
            ("[2024].csv", 'a,b\n1,"2"\n', cells("a b/1 2")),
        ],
    )
    def test_endings(
        self, name: str, text: str, expected: object, tmp_path: Path
    ) -> None:
        (tmp_path / name).write_text(text)
        assert read(tmp_path / name) == expected
        assert read(str(tmp_path / name)) == expected


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"a,b\n1,2\n3,4\n", [2, 3]),
        (b"a,b\r\n1,2\r\n3,4", [2, 3]),
        (b"\n\na,b\n\n1,2\n\n3,4\n", [5, 7]),
        (b'a,b\n"1\n\n",2\n3,4\n', [2, 5]),
        (b'"a\n",b\n1,2\n"\n",4\n', [3, 4]),
    ],
)
def test_places(raw: bytes, lines: list[int]) -> None:
    with open_table(io.BytesIO(raw)) as table:
        table.keep(["b"])
        places = [table.place(row) for row in range(len(lines))]
    assert places == [f"the stream, line {line}" for line in lines]


def test_examples() -> None:
    with open_table(io.BytesIO(b"a,b\n1,x\n,y\n3,\n4,z\n")) as table:
        assert table.examples() == {"a": ["1", "", "3"], "b": ["x", "y", ""]}
        assert table.examples(1) == {"a": ["1"], "b": ["x"]}


PIECES = [
    *"ab12,,,,,,\n\n\n",
    "2.5",
    " ",
    '"',
    '"',
    '""',
    "\r\n",
    "\r",
    "\x1f",
    "\\",
    "é",
]
PIECES += [
    "\ufeff",
    "NA",
    "'",
    "#",
    "\t",
    "\x01",
    "007",
    'x"y',
    "\0",
    "\x85",
    "\u2028",
    "|",
]


def drawn(random: random.Random) -> bytes:
    """Return a table as a program writes it, perhaps with a fault; or a heap of pieces."""
    if random.random() < 0.4:
        return "".join(random.choices(PIECES, k=random.randint(1, 30))).encode()
    n_columns = random.randint(1, 4)
    rows = [[f"h{place}" for place in range(n_columns)]]
    for _ in range(random.randint(0, 8)):
        texts = (
            "".join(random.choices(PIECES, k=random.randint(0, 3))) for _ in rows[0]
        )
        rows.append(list(texts))
    file = io.StringIO(newline="")
    end = random.choice(["\n", "\n", "\r\n", "\r"])
    if random.random() < 0.5:
        rows = [
            ["".join(c for c in cell if c not in ',"\r\n') for cell in row]
            for row in rows
        ]
        file.write(end.join(map(",".join, rows)))
    else:
        how = random.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
        csv.writer(file, lineterminator=end, quoting=how).writerows(rows)
    raw = bytearray(file.getvalue().encode())
    for _ in range(random.choice([0, 0, 1, 2])):
        place = random.randrange(len(raw))
        raw[place : place + random.randint(0, 1)] = random.choice(PIECES).encode()
    return bytes(raw)


def as_written(raw: bytes) -> tuple[list[str], list[list[str]]] | None:
    """Return what Python's strict reader gives; None where the file is to be refused."""
    try:
        text = raw.decode().lstrip("\ufeff")
        lines = io.StringIO(text, newline="")
        rows = [row for row in csv.reader(lines, strict=True) if row]
    except (UnicodeDecodeError, csv.Error):
        return None
    if "\0" in text or not rows or {*map(len, rows)} != {len(rows[0])}:
        return None
    header = [
        name if name.strip() else f"column{at}" for at, name in enumerate(rows[0], 1)
    ]
    distinct = len({name.lower() for name in header}) == len(header)
    return (header, rows[1:]) if distinct else None


@pytest.mark.parametrize("seed", range(4))
def test_as_the_strict_reader(seed: int) -> None:
    draws = random.Random(seed)
    n_read = 0
    for _ in range(60):
        raw = drawn(draws)
        expected = as_written(raw)
        try:
            found = read(io.BytesIO(raw), delimiter=",")
        except SteadyrankError:
            found = None
        assert found == expected, raw
        n_read += found is not None
    assert 10 < n_read < 55
