"""Bars, names and cells of the text views."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, strategies as st

from steadyrank.report.export import csv_text, guarded
from steadyrank.report.terminal import Terminal, rank_axis, rank_bar
from steadyrank.text import columns_of, shown

PLAIN = Terminal(encoding="ascii")


@given(
    first=st.integers(1, 50),
    span=st.integers(1, 80),
    cells=st.integers(7, 48),
    cut=st.none() | st.integers(1, 130),
    ranks=st.tuples(st.integers(1, 130), st.integers(0, 20), st.integers(0, 20)),
)
def test_bars_are_as_wide_as_their_scale(
    first: int, span: int, cells: int, cut: int | None, ranks: tuple[int, int, int]
) -> None:
    axis = rank_axis(first, first + span - 1, cells, cut)
    lowest, more, less = ranks
    rank = lowest + more
    bar = rank_bar(axis, (lowest, rank + less, rank), cut, PLAIN)
    whole = rank_bar(axis, (axis[0], axis[-1], axis[-1]), cut, PLAIN)
    assert len(bar) == len(whole) <= cells + 1
    assert bar.count("o") == (axis[0] <= rank <= axis[-1])
    assert bar.count("|") + bar.count("+") == (
        cut is not None and axis[0] <= cut < axis[-1]
    )


@given(cut=st.integers(1, 40), span=st.integers(2, 300), cells=st.integers(7, 48))
def test_a_line_has_the_members_before_it(cut: int, span: int, cells: int) -> None:
    axis = rank_axis(1, max(span, cut + 1), cells, cut)
    assert axis[0] <= cut < axis[-1]
    inside = rank_bar(axis, (cut, cut, cut), cut, PLAIN)
    outside = rank_bar(axis, (cut + 1, cut + 1, cut + 1), cut, PLAIN)
    assert inside.index("o") < inside.index("|")
    assert outside.index("o") > outside.index("|")


def test_a_bar_that_crosses_the_line() -> None:
    assert rank_bar(range(1, 7), (3, 4, 3), 3, PLAIN) == "  o+=  "
    assert rank_bar(range(1, 7), (3, 4, 3), 3, Terminal()) == "  ●┿━  "


def test_ranks_beyond_the_scale_point_outwards() -> None:
    axis = rank_axis(1, 100, 10, 50)
    assert axis == range(46, 56)
    assert rank_bar(axis, (1, 2, 1), 50, PLAIN) == "<    |     "
    assert rank_bar(axis, (99, 100, 100), 50, PLAIN) == "     |    >"


@given(st.text())
def test_guarded_cells_come_back(text: str) -> None:
    assert guarded(text).removeprefix("'") == text
    assert (
        not guarded(text)
        .lstrip()
        .startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    )
    assert not guarded(text).startswith(("\t", "\r", "\n", "\u2028"))


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5)
)
def test_csv_comes_back(names: list[str]) -> None:
    text = csv_text(["item"], [[name] for name in names])
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert [row[0].removeprefix("'") if row else "" for row in rows[1:]] == names


def test_numbers_are_no_text() -> None:
    assert csv_text(["a", "b", "c"], [[-1, -0.5, True]]) == "a,b,c\n-1,-0.5,true\n"


@given(st.text(max_size=30), st.sampled_from(["ascii", "latin-1", "utf-8"]))
def test_shown_names_are_printable_in_their_encoding(name: str, encoding: str) -> None:
    text = shown(name, encoding)
    text.encode(encoding)
    assert all(
        character.isprintable() or character in " \u200c\u200d" or _is_space(character)
        for character in text
    )


def _is_space(character: str) -> bool:
    return (
        character.isspace()
        and character not in "\n\r\t\v\f\u2028\u2029\x1c\x1d\x1e\x1f\x85"
    )


@pytest.mark.parametrize("width", [1, 4, 9])
@given(name=st.text(max_size=30))
def test_names_fill_their_column(width: int, name: str) -> None:
    assert columns_of(Terminal().fit(name, width)) == width
