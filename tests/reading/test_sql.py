"""The fenced query over ``data``, other tables, and ``lines``."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

import steadyrank
from steadyrank.errors import InvalidDataError, InvalidSettingError
from steadyrank.reading.table import open_table
from tests.reading.opened import cells, read

if TYPE_CHECKING:
    from pathlib import Path

TEXT = b"item,score,lang\nb,07,de\na,,\nc,1.5,en\n"


def query(sql: str, **said: Any) -> tuple[list[str], list[list[Any]]]:
    return read(io.BytesIO(TEXT), sql=sql, **said)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT item, score FROM data", cells("item score/b 07/a ~/c 1.5")),
        ("FROM data", cells("item score lang/b 07 de/a ~ ~/c 1.5 en")),
        ("from DATA WHERE lang <> 'de';", cells("item score lang/a ~ ~/c 1.5 en")),
        ("SELECT item FROM data -- all", cells("item/b/a/c")),
        ("/* all */ (SELECT item FROM data)", cells("item/b/a/c")),
        ("WITH d AS (FROM data) SELECT lang FROM d", cells("lang/de/~/en")),
        ("TABLE data", cells("item score lang/b 07 de/a ~ ~/c 1.5 en")),
        ("SELECT item AS x FROM data ORDER BY 1", cells("x/a/b/c")),
        (
            "SELECT item, try_cast(score AS DOUBLE) s FROM data",
            (["item", "s"], [["b", 7.0], ["a", None], ["c", 1.5]]),
        ),
        (
            "SELECT item, k FROM (UNPIVOT data ON score, lang INTO NAME k VALUE v)",
            cells("item k/b score/b lang/a score/a lang/c score/c lang"),
        ),
        (
            "SELECT * FROM (PIVOT data ON lang USING count(*) GROUP BY item) ORDER BY item",
            (["item", "''", "de", "en"], [["a", 1, 0, 0], ["b", 0, 1, 0], ["c", 0, 0, 1]]),
        ),
        ("SELECT nullif(COLUMNS('item|lang'), 'a') FROM data",
         (["item", "lang"], [["b", "de"], [None, ""], ["c", "en"]])),
    ],
)  # fmt: skip
def test_queries(sql: str, expected: object) -> None:
    assert query(sql) == expected


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT itm FROM data", 'column "itm" not found .*line 1, at .itm FROM data'),
        ("SELECT item,\n  itm\nFROM data", 'column "itm" not found .*line 2, at .itm'),
        ("SELEC item FROM data", "syntax error .*line 1, at .SELEC item"),
        ("SELECT item FROM dat", "Table with name dat does not exist"),
        ("SELECT nosuch(item) FROM data", "Function with name nosuch does not exist"),
        ("SELECT CAST(item AS INT) FROM data", "Could not convert string 'b' to INT32"),
        ("", "must be one SELECT, and is no statement"),
        ("FROM data; FROM data", "must be one SELECT, and is SELECT and SELECT"),
        ("DROP VIEW data", "must be one SELECT, and is DROP"),
        ("CREATE TABLE x AS FROM data", "must be one SELECT, and is CREATE"),
        ("SET threads = 8", "must be one SELECT, and is SET"),
        ("PRAGMA database_size", "must be one SELECT, and is PRAGMA"),
        ("COPY data TO 'x.csv'", "must be one SELECT, and is COPY"),
        ("ATTACH 'x.db'", "must be one SELECT, and is ATTACH"),
        ("INSTALL httpfs", "must be one SELECT, and is LOAD"),
        ("EXPLAIN FROM data", "must be one SELECT, and is EXPLAIN"),
        ("FROM data) x; DROP VIEW data; SELECT (1", "syntax error"),
        (
            "WITH x AS (INSERT INTO y VALUES (1) RETURNING *) FROM x",
            "the SQL does not work",
        ),
        ("FROM 'other.csv'", "Cannot access file"),
        ("FROM read_csv('other.csv')", "Cannot access file"),
        ("FROM read_text('/etc/hostname')", "Cannot access file"),
        ("FROM glob('*')", "Cannot access file"),
        ("FROM read_csv('https://localhost/x.csv')", "the SQL does not work"),
        ("SELECT getenv('HOME')", "Function with name getenv does not exist"),
        (
            "FROM TEXT",
            "Table with name TEXT does not exist",
        ),  # a variable of this module
    ],
)
def test_refused_in_one_line(sql: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a\n1\n")
    with pytest.raises(InvalidSettingError, match=message) as caught:
        query(sql.replace("other.csv", str(tmp_path / "other.csv")))
    text = str(caught.value)
    assert "\n" not in text
    assert not any(
        advice in text for advice in ("Possible", "strict_mode", "Candidate")
    )


def test_a_wrong_line_is_said_before_the_query(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(InvalidDataError, match=r"x.csv, line 3: 1 cell"):
        read(tmp_path / "x.csv", sql="SELECT a FROM data")


def test_places_and_roles_are_those_of_the_query() -> None:
    with open_table(io.BytesIO(TEXT), sql="FROM data ORDER BY item") as table:
        table.keep(["item"])
        assert table.place(1_233) == "row 1,234 of the query"
        assert table.columns == ("item", "score", "lang")


def test_order_of_many_rows_and_sums_of_floats(tmp_path: Path) -> None:
    rows = "\n".join(f"{row},{row / 7}" for row in range(300_000))
    (tmp_path / "x.csv").write_text("a,b\n" + rows)
    with open_table(tmp_path / "x.csv", sql="FROM data WHERE a::INT % 2 = 1") as table:
        table.keep(["a"])
        held = table.con.execute("SELECT a::INT a FROM held").fetchnumpy()["a"]
    assert (held[1:] - held[:-1] == 2).all()
    sums = {
        read(tmp_path / "x.csv", sql="SELECT sum(b::DOUBLE) FROM data")[1][0][0]
        for _ in range(3)
    }
    assert len(sums) == 1


def test_other_tables(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text('item,"name"\na,Ann\nb,Bob\n')
    sql = "SELECT name, o.n, d.item FROM data d JOIN names USING (item) JOIN o USING (item)"
    tables = {"names": tmp_path / "names.csv", "o": {"item": ["a", "b"], "n": [1, 2]}}
    found = query(sql + " ORDER BY name", tables=tables)
    assert found == (["name", "n", "item"], [["Ann", 1, "a"], ["Bob", 2, "b"]])
    with pytest.raises(InvalidSettingError, match="further tables names, o"):
        read(io.BytesIO(TEXT), tables=tables)
    for name in ("data", "shaped"):
        with pytest.raises(InvalidSettingError, match=f"table is called {name}"):
            query("FROM data", tables={name: tables["o"]})
    with pytest.raises(InvalidSettingError, match="the same name: o, o"):
        query("FROM data", tables={"o": tables["o"], "O": tables["o"]})


@pytest.mark.parametrize("name", ["held", "entries", "codes_0", "frame0", "lines"])
def test_other_tables_may_be_called_as_ours(name: str) -> None:
    table = {name: {"i": ["a", "b"], "s": [1, 2]}}
    said = {"sql": f"FROM {name}", "tables": table, "item": "i", "score": "s"}
    assert steadyrank.read({"x": [1]}, **said).items == ("a", "b")


@pytest.mark.parametrize("twice", ["item, score AS item", "*, score AS Item"])
def test_columns_of_one_name(twice: str) -> None:
    with pytest.raises(InvalidDataError, match="the query has columns 'item' and"):
        query(f"SELECT {twice} FROM data")


class TestLines:
    @pytest.mark.parametrize(
        ("text", "sql", "expected"),
        [
            (
                "1::a::5\n2::b::4\n",
                "SELECT split_part(line, '::', 2) i, split_part(line, '::', 3) s FROM lines",
                cells("i s/a 5/b 4"),
            ),
            ("1\t2\n1\t2\n", "SELECT line[1] a FROM lines", cells("a/1/1")),
            ("title\n\na,b\n", "FROM lines WHERE line <> ''", cells("line/title/a,b")),
            ("x\n", "FROM LINES", cells("line/x")),
            ('"x\r\ny"', "FROM lines", (["line"], [['"x'], ['y"']])),
        ],
    )
    def test_split_by_sql(self, text: str, sql: str, expected: object) -> None:
        assert read(io.BytesIO(text.encode()), sql=sql) == expected

    def test_a_table_of_the_user(self) -> None:
        other = {"line": {"line": ["x"]}, "lines": {"a": [1]}}
        found = query(
            "SELECT a, item FROM lines, data", tables={"lines": other["lines"]}
        )
        assert found[1] == [[1, "b"], [1, "a"], [1, "c"]]
