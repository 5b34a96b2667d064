"""No file, however odd its shape, takes more than a fixed number of steps for each of its bytes.

Steps are counted (``oracles/steps.py``), no clock is read. Three times the bytes may take three times
the steps; a reader that goes over a part of a file again and again takes nine times as many.
"""

from __future__ import annotations

import io
import json
import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from oracles.steps import Matcher, pattern_steps, steps
from steadyrank.data import read_any
from steadyrank.errors import SteadyrankError
from steadyrank.labels import encode
from steadyrank.reading.adapters.ballot_files import HEADER, ORDER
from steadyrank.reading.profile import LONGEST_NAME, NUMBERED, UNNAMED, Profile
from steadyrank.reading.table import as_table
from steadyrank.reading.text_columns import NUMBER
from steadyrank.reading.words import WORD

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Cases

MOST = 5
"""How many times the steps may grow that three times the bytes add: their number to the power of 1.5."""

OF_SHORT_NAMES = {NUMBERED}
"""Patterns that go over a text again and again, and are never asked about a long one."""


def header(*lines: str, names: int = 2) -> str:
    known = "".join(
        f"# ALTERNATIVE NAME {place}: n{place}\n" for place in range(1, names + 1)
    )
    return "# FILE NAME: a.soc\n" + known + "\n".join(lines) + "\n1: 1,2\n"


def alike(number: int) -> str:
    return "c" + np.base_repr(number, 2).replace("0", ".").replace("1", "-")


def ballots(text: str) -> str:
    return f'ballot,count\n"{text}",1\nz,1\n'


def numbers(text: str) -> str:
    return f"user,item,rating\n1,2,{text}\n1,3,4\n"


SHAPES: dict[str, tuple[int, Callable[[int], str]]] = {
    "long csv": (
        100,
        lambda n: "choice,count\n" + "".join(f"x{row % 9},{row}\n" for row in range(n)),
    ),
    "wide csv": (
        65,
        lambda n: ",".join(f"c{c}" for c in range(n)) + "\n" + ",".join("1" * n) + "\n",
    ),
    "wide csv of text": (
        65,
        lambda n: ",".join(f"c{c}" for c in range(n)) + "\n" + ",".join("x" * n),
    ),
    "unnamed columns": (65, lambda n: "," * n + "\n" + "," * n + "\n"),
    "names alike": (
        65,
        lambda n: ",".join(map(alike, range(n))) + "\n" + ",".join("1" * n) + "\n",
    ),
    "ragged csv": (200, lambda n: "a,b\n" + "1,2\n" * n + "1,2,3\n"),
    "blank lines": (500, lambda n: "choice,count\n" + "\n" * n + "x,1\n"),
    "distinct labels": (
        120,
        lambda n: "choice\n" + "".join(f"label {row}\n" for row in range(n)),
    ),
    "distinct ids": (
        200,
        lambda n: "choice\n" + "".join(f"{row * 10**12}\n" for row in range(n)),
    ),
    "quoted fields": (120, lambda n: "choice,count\n" + '"a ""b""\nc",1\n' * n),
    "quotes": (500, lambda n: "choice\n" + '"' * n + "\n"),
    "an open quote": (200, lambda n: 'choice\n"x\n' + "y\n" * n),
    "odd quotes": (100, lambda n: "choice\n" + 'a"b\n' * n),
    "returns": (120, lambda n: "choice\r" + "x\r" * n),
    "delimiters": (200, lambda n: "a\n" + "," * n + "\n"),
    "a long field": (2_000, lambda n: "choice,count\n" + "x" * n + ",1\ny,2\n"),
    "digits": (200, lambda n: numbers("1" * n)),
    "digits and a letter": (100, lambda n: numbers("1" * n + "x")),
    "decimals and a letter": (100, lambda n: numbers("1." + "1" * n + "x")),
    "an exponent and a letter": (100, lambda n: numbers("1e" + "1" * n + "x")),
    "blanks and a letter": (500, lambda n: numbers(" " * n + "x")),
    "signs": (500, lambda n: numbers("+" * n)),
    "json rows": (
        60,
        lambda n: "".join(
            f'{{"choice": "x{row % 9}", "count": 1}}\n' for row in range(n)
        ),
    ),
    "json of one row": (
        65,
        lambda n: json.dumps({f"k{place}": place for place in range(n)}),
    ),
    "json names twice": (
        100,
        lambda n: "{" + ",".join(f'"k{p}":1,"k{p}":2' for p in range(n)) + "}",
    ),
    "deep json": (500, lambda n: '{"a":' * n),
    "json digits": (500, lambda n: '{"a": ' + "1" * n + "}"),
    "a remark of blanks": (100, lambda n: header("# A" + " " * n)),
    "a remark of words": (100, lambda n: header("# " + "A " * n)),
    "a remark of digits": (100, lambda n: header("# ALTERNATIVE NAME " + "1" * n)),
    "a remark of colons": (200, lambda n: header("# A" + ":" * n)),
    "an order of blanks": (100, lambda n: header("1: 1" + " " * n + "x")),
    "an order of braces": (100, lambda n: header("1: " + "{" * n)),
    "an order of pairs": (100, lambda n: header("1: " + "{1,2}," * n)),
    "an order and a letter": (100, lambda n: header("1: " + "1," * n + "x")),
    "a long number": (200, lambda n: header("1: " + "1" * n)),
    "a long count": (200, lambda n: header("1" * n + ": 1")),
    "alternatives": (
        100,
        lambda n: header("1: " + ",".join(map(str, range(1, n + 1))), names=n),
    ),
    "alternatives of one name": (
        100,
        lambda n: (
            header()
            + "".join(f"# ALTERNATIVE NAME {p}: n{p // 2}\n" for p in range(3, n))
        ),
    ),
    "orders": (100, lambda n: header(*["1: 2,1"] * n)),
    "ballots of text": (
        100,
        lambda n: ballots(" > ".join(f"x{place}" for place in range(n))),
    ),
    "ballots of commas": (
        100,
        lambda n: ballots(",".join(f"x{place}" for place in range(n))),
    ),
    "ballots of braces": (200, lambda n: ballots("{" * n + ",b")),
    "ballots of pairs": (
        100,
        lambda n: ballots(",".join(f"{{a{p},b{p}}}" for p in range(n))),
    ),
    "ballots of blanks": (200, lambda n: ballots("{a}," + " " * n + "{")),
    "movies": (
        100,
        lambda n: "".join(f"{movie}:\n1,2,2005\n" for movie in range(1, n)),
    ),
    "movies without ratings": (
        200,
        lambda n: "".join(f"{movie}:\n" for movie in range(1, n)) + "1,2,3\n",
    ),
    "a movie of blanks": (500, lambda n: "1:" + " " * n + "\n1,2,3\n1:x\n"),
    "movielens": (
        100,
        lambda n: "".join(f"{row}\t{row % 9}\t3\t881250949\n" for row in range(n)),
    ),
    "colons": (100, lambda n: "1::" * n + "\n"),
}


def series(*names: str) -> list[list[str]]:
    return Profile.of(as_table({name: ["x"] for name in names})).series


def growth(size: int, steps_of: Callable[[int], int]) -> float:
    """Return how many times more steps the bytes from 3 to 9 times a size take than those up to 3 times.

    What has to be done for any file at all is in neither. Less than a step for each unit of the size is
    not told from none.
    """
    first, then = (
        more - less
        for less, more in pairwise(steps_of(many * size) for many in (1, 3, 9))
    )
    return then / max(first, size)


def read_or_refuse(content: bytes) -> None:
    try:
        read_any(io.BytesIO(content))
    except SteadyrankError:
        return


def matching(
    pattern: re.Pattern[Any], method: str, make: Callable[[int], str], size: int
) -> int:
    """Return the steps of a pattern on the longest line of a file."""
    line = max(make(size).splitlines(), key=len)
    return pattern_steps(
        pattern, method, line if isinstance(pattern.pattern, str) else line.encode()
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_steps_go_with_the_size_of_the_file(shape: str) -> None:
    size, make = SHAPES[shape]
    read_or_refuse(make(size).encode())  # what is imported is not counted
    used: set[tuple[re.Pattern[Any], str]] = set()

    def reading(size: int) -> int:
        count, patterns = steps(lambda: read_or_refuse(make(size).encode()))
        used.update(patterns)
        return count

    assert growth(size, reading) < MOST
    for pattern, method in used:
        if pattern not in OF_SHORT_NAMES:
            assert growth(25, partial(matching, pattern, method, make)) < MOST, pattern


def test_patterns_that_look_again_are_for_short_names() -> None:
    name = "1" * (LONGEST_NAME + 1)
    _, used = steps(lambda: series(f"{name}st choice", f"{name}nd choice"))
    assert OF_SHORT_NAMES.isdisjoint(pattern for pattern, _ in used)
    _, used = steps(lambda: series("1st choice", "2nd choice"))
    assert used
    assert {*OF_SHORT_NAMES, UNNAMED}.issuperset(pattern for pattern, _ in used)


def in_python(size: int) -> object:
    return [0 for _ in range(size) for _ in range(size)]


def in_methods_of_text(size: int) -> object:
    text = "x" * size
    return [text.count("y") for _ in text]


def in_methods_of_arrays(size: int) -> object:
    values = np.arange(size)
    return [values.max() for _ in range(size)]


@pytest.mark.parametrize("work", [in_python, in_methods_of_text, in_methods_of_arrays])
def test_the_measure_sees_steps_that_go_with_the_square(
    work: Callable[[int], object],
) -> None:
    assert growth(60, lambda size: steps(partial(work, size))[0]) > 8


def test_the_measure_sees_a_pattern_that_looks_again() -> None:
    again, once = re.compile(" +x"), re.compile(" ++x")
    assert growth(25, lambda size: pattern_steps(again, "search", " " * size)) > 8
    assert growth(25, lambda size: pattern_steps(once, "match", " " * size)) < 4


def test_the_twin_of_a_pattern_finds_what_the_pattern_finds(cases: Cases) -> None:
    patterns = [
        HEADER, ORDER, NUMBER, WORD, *OF_SHORT_NAMES, re.compile(r"(a|ab)*?(b|c){2,3}\Z"),
        re.compile(r"(?:^|,)(x+)(?=y)|(?!z)[^x]*+$|(?<!,)y", re.MULTILINE | re.IGNORECASE),
    ]  # fmt: skip
    for rng in cases(60):
        text = "".join(
            rng.choice(["#", "A", ":", " ", "{1}", *"1,.abcxyXe+-\n", "1stpick"], 8)
        )
        for pattern in patterns:
            found, twin = pattern.match(text), Matcher(pattern, text)
            assert (found and found.end()) == twin.first(0)
            assert (pattern.fullmatch(text) is None) == (
                twin.first(0, fully=True) is None
            )


@pytest.mark.parametrize(
    "kind", ["text", "mixed", "whole", "far apart", "unsigned", "floats"]
)
def test_labels_are_encoded_in_steps_that_go_with_their_number(kind: str) -> None:
    def labels(size: int) -> Any:
        return {
            "text": [f"label {place}" for place in range(size)],
            "mixed": [place if place % 2 else str(place) for place in range(size)],
            "whole": np.arange(size)[::-1],
            "far apart": np.arange(size) * 10**12,
            "unsigned": np.arange(size, dtype=np.uint64) + np.uint64(2**63),
            "floats": np.arange(size) + 0.5,
        }[kind]

    def encoding(size: int) -> int:
        given = labels(size)
        return steps(lambda: encode(given))[0]

    assert growth(200, encoding) < MOST
