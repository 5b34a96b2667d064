"""The Netflix Prize files, read in blocks, against a twin that goes line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

from paper.prize_files import read_prize
from steadyrank.errors import (
    EmptyDataError,
    InvalidDataError,
    SteadyrankError,
    UnreadableFileError,
)

if TYPE_CHECKING:
    from pathlib import Path

PRIZE = "1:\n10,3,2005-09-06\n20,5,2005-05-13\n12:\n10,4,2005-10-19\n"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("prize") / "ratings.txt"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_blocks(file: Path, end: str, block: int) -> None:
    file.write_bytes(PRIZE.replace("\n", end).encode())
    ratings = read_prize(file, block=block)
    assert (ratings.items, list(ratings.user_labels)) == ((1, 12), [10, 20])
    assert ratings.values.tolist() == [3, 4, 5]


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError, match="is a folder without combined_data"):
        read_prize(tmp_path)
    (tmp_path / "mv_0000001.txt").write_text("1:\n10,3,2005-09-06\n")
    (tmp_path / "mv_0000002.txt").write_text("2:\n10,4,2005-09-06\n11,1,2005-09-06")
    ratings = read_prize(tmp_path)
    assert (ratings.items, ratings.values.tolist()) == ((1, 2), [3, 4, 1])
    (tmp_path / "combined_data_1.txt").write_text(PRIZE)
    assert read_prize(tmp_path).items == (1, 12)
    (tmp_path / "combined_data_2.txt").write_text(
        "1:\n30,1,2005-09-06\n20,2,2005-09-06\n"
    )
    with pytest.raises(InvalidDataError):
        read_prize(tmp_path)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("1:\n10,3,2005-09-06\n10;4\n", "line 3 of ratings.txt is neither"),
        (
            "1:\n10,x,2005-09-06\n",
            "line 2 of ratings.txt is neither.*'10,x,2005-09-06'",
        ),
        ("1:\n10\n", "line 2"),
        ("1:\n10,1,2005-09-06,7\n11,2\n", "line 2"),
        ("1:\n\n10,1,2005-09-06\n", "line 2"),
        ("10,3,2005-09-06\n1:\n", "line 1 .* before the first movie"),
    ],
)
def test_wrong_lines(file: Path, text: str, match: str) -> None:
    file.write_bytes(text.encode())
    with pytest.raises(UnreadableFileError, match=match):
        read_prize(file)


def test_no_ratings(file: Path) -> None:
    file.write_bytes(b"1:\n2:\n")
    with pytest.raises(EmptyDataError, match="no ratings"):
        read_prize(file)


def slowly(lines: list[str]) -> list[tuple[int, int, int]] | None:
    """Return customer, movie and rating of each line, None where some line is neither."""
    rows, movie = [], None
    while lines and not lines[-1]:
        lines = lines[:-1]
    for line in lines:
        parts = line.split(",")
        if (
            line.endswith(":")
            and line[:-1].isdecimal()
            and str(int(line[:-1])) == line[:-1]
        ):
            movie = int(line[:-1])
        elif (
            movie is not None
            and len(parts) == 3
            and all(part.isdecimal() for part in parts[:2])
        ):
            if parts[0].startswith("0"):
                return None
            rows.append((int(parts[0]), movie, int(parts[1])))
        else:
            return None
    return rows


PRIZE_LINES = st.one_of(
    st.integers(0, 30).map(lambda movie: f"{movie}:"),
    st.tuples(st.integers(1, 40), st.integers(0, 6)).map(
        lambda pair: f"{pair[0]},{pair[1]},2005-01-01"
    ),
    st.sampled_from(
        [
            "7:",
            "3,4,",
            "03,4,x",
            "0,4,x",
            "5,+1,x",
            "5,1",
            "5,1,x,y",
            '5,1,"x"',
            "",
            " 7:",
            "x:",
        ]
    ),
)


@given(
    st.lists(PRIZE_LINES, min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 40),
)
def test_lines_are_read_as_they_stand(
    file: Path, lines: list[str], end: str, size: int
) -> None:
    file.write_bytes(end.join(lines).encode() + b"\n")

    def read(block: int) -> Any:
        try:
            found = read_prize(file, block=block)
        except SteadyrankError as error:
            return type(error), str(error)
        begins = found.indptr.tolist()
        return [
            (user, found.items[found.rated[place]], int(found.values[place]))
            for number, user in enumerate(found.user_labels)
            for place in range(begins[number], begins[number + 1])
        ]

    expected, found = slowly(lines), read(size)
    assert found == read(1 << 20)
    if expected is None:
        assert found[0] is UnreadableFileError
    elif not expected:
        assert found[0] is EmptyDataError
    elif len({row[:2] for row in expected}) < len(expected):
        assert found[0] is InvalidDataError
    else:
        assert found == sorted(expected)
