"""What is read as numbers or codes at once, and sorted by pairs, against the slow way."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import Ratings, Votes
from steadyrank.labels import encode
from steadyrank.reading.delimited import joined, stretches
from steadyrank.reading.files import open_source
from steadyrank.reading.table import as_table
from steadyrank.reading.text_columns import letters
from steadyrank.reading.typed_files import read_parquet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

ODD = [
    "007", "+7", " 7", "7 ", "-0", "1.0", "1e3", "", "x", "NA", "٣", "9223372036854775808", "--1", "1_0",
    "-9223372036854775809", "0x1", "00", "-", "\u00a07", "7\t", "99999999999999999999999999",
]  # fmt: skip
EVEN = [
    "0",
    "7",
    "-7",
    "10",
    "99",
    "100",
    "-100",
    "9223372036854775807",
    "-9223372036854775808",
]


def some_field(rng: np.random.Generator, odd: float) -> str:
    text = str(rng.choice(ODD if rng.random() < odd else EVEN))
    return f'"{text}"' if rng.random() < odd / 2 else text


def blocks_of(rng: np.random.Generator, columns: int, odd: float) -> list[bytes]:
    end = str(rng.choice(["\n", "\r\n"]))
    blocks = [",".join(f"c{place}" for place in range(columns)) + end]
    for number in range(rng.integers(1, 5)):
        share = (
            odd if number == rng.integers(0, 5) else 0.0
        )  # mostly fine, odd in a block or two
        lines = [
            ",".join(some_field(rng, share) for _ in range(columns))
            for _ in range(rng.integers(1, 6))
        ]
        if odd and rng.random() < 0.1:
            lines[-1] += ",8"  # a ragged line
        blocks.append(end.join(lines) + end)
    return [block.encode() for block in blocks]


def outcome(blocks: list[bytes], **how: Any) -> Any:
    """Return all that a table says of its columns, or how it is refused."""
    try:
        table = joined(stretches(blocks, ",", **how))
        found = []
        for name in table.names:
            labels = table.labels(name)
            found.append(
                (
                    name,
                    labels.dtype.kind,
                    labels.tolist(),
                    table.cells(name),
                    table.is_numeric(name),
                )
            )
        return found, table.notes, [table.lines[row] for row in range(len(table))]
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("odd", [0.0, 0.1, 0.6])
def test_numbers_are_read_at_once_only_where_they_print_alike(
    cases: Cases, odd: float
) -> None:
    kinds = set()
    for rng in cases(60):
        blocks = blocks_of(rng, int(rng.integers(1, 4)), odd)
        found = outcome(blocks)
        assert found == outcome(blocks, referee=True)
        if isinstance(found[0], list):
            kinds |= {column[1] for column in found[0]}
            for place, column in enumerate(found[0]):
                parts = [
                    part.cells(part.names[place]) for part in stretches(blocks, ",")
                ]
                assert [cell for part in parts for cell in part] == column[3]
    assert kinds == ({"i"} if not odd else {"i", "O"})


def test_a_number_takes_as_many_letters_as_it_prints(cases: Cases) -> None:
    ends = [10**power + more for power in range(19) for more in (-1, 0, 1)] + [
        -(2**63),
        2**63 - 1,
        0,
        -1,
    ]
    for rng in cases(100):
        numbers = [
            int(rng.choice(ends)) * int(rng.choice([1, 1, -1]))
            for _ in range(rng.integers(1, 9))
        ]
        numbers = [max(-(2**63), min(2**63 - 1, number)) for number in numbers]
        assert letters(np.array([numbers])) == sum(
            len(str(number)) for number in numbers
        )


def test_words_of_all_blocks_are_joined(cases: Cases) -> None:
    for rng in cases(25):
        rows = [
            f"w{rng.integers(12)},{rng.integers(9) / 4}"
            for _ in range(rng.integers(1, 60))
        ]
        cuts = np.sort(rng.integers(0, len(rows) + 1, 4)).tolist()
        parts = [
            rows[low:high]
            for low, high in zip([0, *cuts], [*cuts, len(rows)], strict=True)
        ]
        blocks = [
            b"a,b\n",
            *("".join(f"{row}\n" for row in part).encode() for part in parts if part),
        ]
        table = joined(stretches(blocks, ","))
        assert outcome(blocks) == outcome(blocks, referee=True)
        for place, name in enumerate("ab"):
            column = table.columns[name]
            texts = [row.split(",")[place] for row in rows]
            assert [column.words[code] for code in column.codes] == texts
            assert list(column.words) == list(
                dict.fromkeys(texts)
            )  # in order of first appearance


def test_pairs_are_sorted_like_any_stable_sort(cases: Cases) -> None:
    for rng in cases(60):
        size, n_users = int(rng.integers(1, 60)), int(rng.integers(1, 9))
        n_items = int(rng.choice([1, 3, 20, 1000]))
        users = rng.integers(0, n_users, size).astype(np.int32)
        users = np.sort(users) if rng.random() < 0.5 else users
        items = rng.integers(0, min(n_items, 20), size).astype(np.int32)
        known = {"items": range(n_items), "users": range(n_users)}
        ratings = Ratings(users, items, np.arange(size), duplicates="last", **known)
        order = np.lexsort((items, users))
        pairs = dict(
            zip(
                zip(users[order], items[order], strict=True),
                order.tolist(),
                strict=True,
            )
        )
        assert ratings.values.tolist() == list(pairs.values())
        assert ratings.rated.tolist() == [item for _, item in pairs]


def test_whole_labels_get_their_codes_whatever_their_type(cases: Cases) -> None:
    for rng in cases(60):
        kind = rng.choice(
            [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64]
        )
        ends = np.iinfo(kind)
        low = int(rng.choice([0, 1, 5, ends.min, ends.max - 8, max(ends.min, -3)]))
        column = np.array(
            [min(low + int(more), ends.max) for more in rng.integers(0, 6, 12)],
            dtype=kind,
        )
        codes, labels = encode(column)
        assert list(labels) == sorted(set(column.tolist()))
        assert [labels[code] for code in codes] == column.tolist()
        assert codes.dtype == np.int32


def arrow_column(rng: np.random.Generator) -> Any:
    """Return a column of codes in several chunks: values listed twice, or never used, and gaps."""
    chunks = []
    for _ in range(rng.integers(1, 4)):
        words = [
            str(word) for word in rng.choice(["a", "b", "c", "d e"], rng.integers(1, 6))
        ]
        codes = rng.integers(0, len(words), rng.integers(0, 6))
        gaps = rng.random(len(codes)) < 0.2 * (rng.random() < 0.5)
        indices = pa.array(codes, pa.int32(), mask=gaps)
        chunks.append(pa.DictionaryArray.from_arrays(indices, pa.array(words)))
    return pa.chunked_array(chunks)


def test_codes_of_arrow_mean_what_their_values_mean(cases: Cases) -> None:
    for rng in cases(60):
        column = arrow_column(rng)
        coded = as_table(pa.table({"x": column})).columns["x"]
        plain = as_table({"x": np.fromiter(column.to_pylist(), dtype=object)}).columns[
            "x"
        ]
        assert coded.cells() == plain.cells() == column.to_pylist()
        assert coded.labels().tolist() == plain.labels().tolist()
        assert coded.is_numeric() == plain.is_numeric()
        found = coded.coded()
        assert sorted(map(str, set(column.to_pylist()))) == sorted(
            map(str, getattr(found, "distinct", []))
        )
        if len(column) and not column.null_count:
            (one, labels), (two, same) = encode(coded.coded()), encode(plain.coded())
            assert (one.tolist(), labels) == (two.tolist(), same)


STORED = {
    "codes": {},
    "plain": {"use_dictionary": False},
    "delta": {
        "use_dictionary": False,
        "column_encoding": {"choice": "DELTA_BYTE_ARRAY"},
    },
}
"""Ways in which Parquet holds text; not all of them can be read as codes."""


@pytest.mark.parametrize("way", STORED)
@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_parquet_holds_the_same_text_however_it_is_stored(
    cases: Cases, way: str, kind: str
) -> None:
    from pyarrow import parquet

    for rng in cases(15):
        words = rng.choice(["a", "b", "ccc", None], rng.integers(1, 30)).tolist()
        table = pa.table(
            {"choice": pa.array(words, getattr(pa, kind)()), "row": range(len(words))}
        )
        stream = io.BytesIO()
        parquet.write_table(
            table, stream, row_group_size=int(rng.integers(1, 12)), **STORED[way]
        )
        read = read_parquet(open_source(io.BytesIO(stream.getvalue())))
        assert read.cells("choice") == words
        if None not in words:
            votes = Votes.read(io.BytesIO(stream.getvalue()), choice="choice")
            assert votes.items == tuple(sorted(set(words)))
            assert votes.tally.tolist() == [words.count(word) for word in votes.items]


def test_ratings_from_text_and_parquet_are_those_from_lists(cases: Cases) -> None:
    for rng in cases(12):
        pairs = sorted(
            {(int(rng.integers(6)), f"film {rng.integers(12)}") for _ in range(30)}
        )
        rng.shuffle(pairs)
        stars = (rng.integers(1, 11, len(pairs)) / 2).tolist()
        users, items = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        frame = pl.DataFrame({"user": users, "item": items, "rating": stars})
        stored = io.BytesIO()
        frame.write_parquet(stored)
        expected = Ratings(users, items, stars)
        for content in (frame.write_csv().encode(), stored.getvalue()):
            found = Ratings.read(io.BytesIO(content))
            assert (found.items, tuple(found.user_labels)) == (
                expected.items,
                tuple(expected.user_labels),
            )
            for name in ("indptr", "rated", "values"):
                np.testing.assert_array_equal(
                    getattr(found, name), getattr(expected, name)
                )
