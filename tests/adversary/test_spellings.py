"""A table of numbers written in every spelling: read back as the same numbers, or refused."""

from __future__ import annotations

import io
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.errors import NotANumberError
from steadyrank.reading.formats import read_table
from steadyrank.reading.roles import told
from steadyrank.reading.text_columns import TextColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Cases = Callable[[int], Iterator[np.random.Generator]]

MARKS = {".": ["", ",", " ", "'", "\u00a0"], ",": ["", ".", " ", "'", "\u202f"]}
ENDS = ["", "", "%", " %"]
GAPS = ["", "NA", "null"]


def drawn(rng: np.random.Generator, size: int) -> list[Decimal]:
    """Return decimals of any size, whole numbers and those of three places among them."""
    places = rng.choice([0, 0, 1, 2, 3, 3, 5], size)
    digits = [int(rng.integers(0, 10 ** int(n))) for n in rng.integers(1, 9, size)]
    signs = rng.choice([1, 1, -1], size)
    return [
        Decimal(int(sign) * digit).scaleb(-int(place))
        for sign, digit, place in zip(signs, digits, places, strict=True)
    ]


def spelt(number: Decimal, decimal: str, thousands: str, end: str) -> str:
    """Write a number out: by Python's own format, whose marks are then exchanged."""
    text = (
        f"{number:,f}".replace(",", "\0").replace(".", decimal).replace("\0", thousands)
    )
    return text + end


def test_numbers_come_back_or_are_refused(cases: Cases) -> None:
    read = told_only = 0
    for rng in cases(400):
        decimal = str(rng.choice([".", ","]))
        thousands, end = str(rng.choice(MARKS[decimal])), str(rng.choice(ENDS))
        numbers = drawn(rng, int(rng.integers(1, 8)))
        words = [spelt(number, decimal, thousands, end) for number in numbers]
        expected: list[float | None] = [float(number) for number in numbers]
        for place in np.flatnonzero(rng.random(len(words)) < 0.1):
            words[place], expected[place] = str(rng.choice(GAPS)), None
        table = read_table(
            io.BytesIO("\n".join(["a|b", *(f"x|{w}" for w in words), ""]).encode())
        )
        if any(word not in GAPS for word in words):
            assert table.is_numeric("b")
        assert found(table, decimal) == expected
        told_only += 1
        with suppress(NotANumberError):
            guessed = found(table, None)
            read += 1
            # A point is taken for the decimal mark that it usually is, if all fields can be read so.
            plain = thousands == "." and all(
                w.count(".") <= 1 and "," not in w for w in words
            )
            assert guessed == expected or plain
    assert read > told_only / 2


def found(table: Any, decimal: str | None) -> list[float | None]:
    values = told(table, {"decimal": decimal}).numbers("b", missing=True).tolist()
    return [None if value != value else float(value) for value in values]


def test_no_column_mixes_spellings(cases: Cases) -> None:
    """A column of two spellings, one of which each of its fields rules out for the other, is refused."""
    for rng in cases(200):
        words = [
            ["1.5", "0.25"],
            ["1,5", "0,25"],
            ["5%", "1.5%"],
            ["true", "false"],
            ["1 234", "-9 000"],
        ]
        one, two = rng.choice(len(words), 2, replace=False)
        fields = [*words[one], *words[two]]
        rng.shuffle(fields)
        compatible = {int(one), int(two)} in (
            {0, 4},
            {1, 4},
        )  # blanks go with either decimal mark
        assert TextColumn.of(fields).is_numeric() == compatible
        assert TextColumn.of([*fields, "x"]).is_numeric() is False
