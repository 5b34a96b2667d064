"""The rule by which text becomes numbers, and the two ways to read delimited text."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank.errors import NotANumberError, SteadyrankError
from steadyrank.reading.delimited import joined, stretches
from steadyrank.reading.text_columns import TextColumn, is_plain_whole

if TYPE_CHECKING:
    from steadyrank.reading.table import Table

FIELDS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.integers(-9, 99).map(str),
    st.sampled_from(
        ["", "007", "-0", "+1", "1.0", "1e3", " 7", "NA", "é日", "-", "x" * 9, "٣"]
    ),
    st.text(
        alphabet=st.characters(exclude_characters='\n\r,"\0', exclude_categories=["Cs"])
    ),
)
QUOTED_FIELDS = st.one_of(FIELDS, st.text(alphabet='a,"\n;', max_size=5))


@given(FIELDS)
def test_plain_whole_numbers_print_as_they_are(word: str) -> None:
    try:
        expected = str(int(word)) == word and -(2**63) <= int(word) < 2**63
    except ValueError:
        expected = False
    assert is_plain_whole(word) == expected


@given(st.lists(FIELDS, min_size=1))
def test_labels_lose_nothing(words: list[str]) -> None:
    labels = TextColumn.of(words).labels().tolist()
    assert [("" if label is None else str(label)) for label in labels] == words


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (["7", "12"], [7, 12]),
        (["007", "12"], ["007", "12"]),
        (["1.0", "2"], ["1.0", "2"]),
        (["1.10", "1.9"], ["1.10", "1.9"]),
        (["NA", "None"], ["NA", "None"]),
        (["1", ""], ["1", None]),
        (["9223372036854775808"], ["9223372036854775808"]),
        (["-9223372036854775808"], [-(2**63)]),
    ],
)
def test_rule_for_labels(words: list[str], labels: list[object]) -> None:
    assert TextColumn.of(words).labels().tolist() == labels


@pytest.mark.parametrize(
    ("word", "number"),
    [
        ("3", 3.0), (" 3.5 ", 3.5), ("+1e3", 1000.0), (".5", 0.5), ("5.", 5.0), ("-1E-2", -0.01),
        ("007", 7.0), ("1000000000000000", 1e15), ("1e29", 1e29),
        ("inf", math.inf), ("-Infinity", -math.inf),
    ],
)  # fmt: skip
def test_numbers_that_are_read(word: str, number: float) -> None:
    assert TextColumn.of([word, "0.5"]).numbers("r")[0] == number


@pytest.mark.parametrize("word", ["", "NA", "n/a", "NaN", "null", "None", "#N/A", "  "])
def test_words_for_missing_numbers(word: str) -> None:
    assert np.isnan(TextColumn.of(["1", word]).numbers("r")[1])


@pytest.mark.parametrize(
    "word", ["x", "1,5,5", "1_000", "0x10", "٣", "1 2", "--1", "1e", "e5", "."]
)
def test_what_is_no_number(word: str) -> None:
    with pytest.raises(
        NotANumberError, match="is not a number in column 'r', at index 1"
    ):
        TextColumn.of(["1", word]).numbers("r")


def contents(table: Table) -> Any:
    labels = {name: table.labels(name).tolist() for name in table.names}
    lines = table.lines
    assert lines is not None
    return labels, [lines[row] for row in range(len(table))], table.notes


def read_or_fail(blocks: list[bytes], *, referee: bool) -> Any:
    try:
        return contents(joined(stretches(blocks, ",", source="f.csv", referee=referee)))
    except SteadyrankError as error:
        return type(error), str(error)


@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.lists(QUOTED_FIELDS, min_size=width, max_size=width), max_size=8
        )
    ),
    st.integers(1, 4),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_both_ways_read_the_same(
    rows: list[list[str]], per_block: int, end: str, quoted: bool
) -> None:
    width = len(rows[0]) if rows else 2
    out = io.StringIO(newline="")
    style = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(out, lineterminator=end, quoting=style)
    writer.writerow([f"c{place}" for place in range(width)])
    writer.writerows(rows)
    lines = out.getvalue().encode().splitlines(keepends=True)
    blocks = [
        b"".join(lines[at : at + per_block]) for at in range(0, len(lines), per_block)
    ]
    fast, slow = read_or_fail(blocks, referee=False), read_or_fail(blocks, referee=True)
    assert fast == slow
    if isinstance(fast[0], dict):
        read = [
            ["" if label is None else str(label) for label in column]
            for column in fast[0].values()
        ]
        assert read == [list(column) for column in zip(*rows, strict=True)] or not rows


@given(st.text(alphabet='a1,"\n\r é', max_size=40), st.integers(1, 5))
def test_both_ways_agree_on_any_text(text: str, size: int) -> None:
    lines = text.encode().splitlines(keepends=True)
    blocks: list[bytes] = []
    for line in lines:  # a block may only end where a line ends with \n
        if blocks and (not blocks[-1].endswith(b"\n") or len(blocks[-1]) < size):
            blocks[-1] += line
        else:
            blocks.append(line)
    assert read_or_fail(blocks, referee=False) == read_or_fail(blocks, referee=True)


def test_parts_of_numbers_and_text_become_text() -> None:
    column = joined(stretches([b"a,b\n7,x\n12,x\n", b"007,x\n"], ",")).columns["a"]
    assert column.cells() == ["7", "12", "007"]


NUMBERS = [
    "1",
    "-2.5",
    "1e3",
    "+4",
    ".5",
    "5.",
    "007",
    "0.1",
    "1e-5",
    "inf",
    "nan",
    "-nan",
    "1_0",
    "9" * 20,
]
FIELDS_OF_NUMBERS = st.sampled_from(
    [*NUMBERS, "", "NA", "-", " 3 ", "1,5", "45%", "x", "2 ± 1", "3 (1)", "٣"]
)


@given(st.lists(FIELDS_OF_NUMBERS, min_size=1, max_size=6))
def test_polars_parses_numbers_as_we_do(words: list[str]) -> None:
    answers = []
    for ours in (True, False):
        column = TextColumn.of(words)
        vars(column).update({"_whole": None, "_parsed": None} if ours else {})
        notes: list[str] = []
        try:
            found = column.numbers("r", notes=notes)
            answers.append(
                (found.dtype.kind, repr(found.tolist()), notes, column.is_numeric())
            )
        except SteadyrankError as error:
            answers.append((type(error), str(error), column.is_numeric()))
        answers[-1] += (
            column.labels().tolist(),
            column.cells(),
            column.share_of_numbers(),
        )
    assert answers[0] == answers[1]


def test_text_asks_for_polars_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is not installed; arrays and frames need none."""
    from steadyrank import Votes
    from steadyrank.errors import MissingPackageError
    from steadyrank.reading import files

    monkeypatch.setattr(files, "find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=r'pip install "steadyrank\[cli\]"'):
        Votes.read(io.BytesIO(b"choice\nx\ny\n"))
    assert (
        Votes.from_frame({"choice": ["x", "y"]}).n_units
        == Votes(["x", "y"]).n_units
        == 2
    )
