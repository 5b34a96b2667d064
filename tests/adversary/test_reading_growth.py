"""No file, however odd its shape, takes more than a fixed time for each of its bytes.

Times are compared with each other, never with a limit: sixteen times the file may take sixteen times as
long. A reader that goes over a part of it again and again takes 256 times as long.
"""

from __future__ import annotations

import io
import json
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank.data import read_any
from steadyrank.errors import SteadyrankError, UnreadableFileError
from steadyrank.reading.formats import read_table
from steadyrank.reading.labels import encode

if TYPE_CHECKING:
    from collections.abc import Callable

MOST = 64.0
"""How much longer a file may take that is sixteen times as large: size to the power of 1.5."""


def header(*lines: str, names: int = 2) -> str:
    known = "".join(f"# ALTERNATIVE NAME {place}: n{place}\n" for place in range(1, names + 1))
    return "# FILE NAME: a.soc\n" + known + "\n".join(lines) + "\n1: 1,2\n"


def alike(number: int) -> str:
    return "c" + np.base_repr(number, 2).replace("0", ".").replace("1", "-")


def ballots(text: str) -> str:
    return f'ballot,count\n"{text}",1\nz,1\n'


def numbers(text: str) -> str:
    return f"user,item,rating\n1,2,{text}\n1,3,4\n"


SHAPES: dict[str, tuple[int, Callable[[int], str]]] = {
    "long csv": (2_000, lambda n: "choice,count\n" + "".join(f"x{row % 9},{row}\n" for row in range(n))),
    "wide csv": (150, lambda n: ",".join(f"c{c}" for c in range(n)) + "\n" + ",".join("1" * n) + "\n"),
    "wide csv of text": (150, lambda n: ",".join(f"c{c}" for c in range(n)) + "\n" + ",".join("x" * n)),
    "unnamed columns": (150, lambda n: "," * n + "\n" + "," * n + "\n"),
    "names alike": (150, lambda n: ",".join(map(alike, range(n))) + "\n" + ",".join("1" * n) + "\n"),
    "ragged csv": (5_000, lambda n: "a,b\n" + "1,2\n" * n + "1,2,3\n"),
    "blank lines": (12_500, lambda n: "choice,count\n" + "\n" * n + "x,1\n"),
    "distinct labels": (2_500, lambda n: "choice\n" + "".join(f"label {row}\n" for row in range(n))),
    "distinct ids": (5_000, lambda n: "choice\n" + "".join(f"{row * 10**12}\n" for row in range(n))),
    "quoted fields": (2_500, lambda n: "choice,count\n" + '"a ""b""\nc",1\n' * n),
    "quotes": (12_500, lambda n: "choice\n" + '"' * n + "\n"),
    "an open quote": (5_000, lambda n: 'choice\n"x\n' + "y\n" * n),
    "odd quotes": (1_250, lambda n: "choice\n" + 'a"b\n' * n),
    "returns": (2_500, lambda n: "choice\r" + "x\r" * n),
    "delimiters": (5_000, lambda n: "a\n" + "," * n + "\n"),
    "a long field": (100_000, lambda n: "choice,count\n" + "x" * n + ",1\ny,2\n"),
    "digits": (5_000, lambda n: numbers("1" * n)),
    "digits and a letter": (1_000, lambda n: numbers("1" * n + "x")),
    "decimals and a letter": (1_000, lambda n: numbers("1." + "1" * n + "x")),
    "an exponent and a letter": (1_000, lambda n: numbers("1e" + "1" * n + "x")),
    "blanks and a letter": (12_500, lambda n: numbers(" " * n + "x")),
    "signs": (12_500, lambda n: numbers("+" * n)),
    "json rows": (
        750,
        lambda n: "".join(f'{{"choice": "x{row % 9}", "count": 1}}\n' for row in range(n)),
    ),
    "json of new names": (1_200, lambda n: "".join(f'{{"k{row}": 1}}\n' for row in range(n))),
    "json of one row": (150, lambda n: json.dumps({f"k{place}": place for place in range(n)})),
    "json names twice": (1_000, lambda n: "{" + ",".join(f'"k{p}":1,"k{p}":2' for p in range(n)) + "}"),
    "deep json": (12_500, lambda n: '{"a":' * n),
    "json digits": (12_500, lambda n: '{"a": ' + "1" * n + "}"),
    "a remark of blanks": (1_000, lambda n: header("# A" + " " * n)),
    "a remark of words": (2_000, lambda n: header("# " + "A " * n)),
    "a remark of digits": (2_000, lambda n: header("# ALTERNATIVE NAME " + "1" * n)),
    "a remark of colons": (5_000, lambda n: header("# A" + ":" * n)),
    "an order of blanks": (2_000, lambda n: header("1: 1" + " " * n + "x")),
    "an order of braces": (2_000, lambda n: header("1: " + "{" * n)),
    "an order of pairs": (1_000, lambda n: header("1: " + "{1,2}," * n)),
    "an order and a letter": (2_000, lambda n: header("1: " + "1," * n + "x")),
    "a long number": (5_000, lambda n: header("1: " + "1" * n)),
    "a long count": (5_000, lambda n: header("1" * n + ": 1")),
    "alternatives": (2_000, lambda n: header("1: " + ",".join(map(str, range(1, n + 1))), names=n)),
    "alternatives of one name": (
        2_000,
        lambda n: header() + "".join(f"# ALTERNATIVE NAME {p}: n{p // 2}\n" for p in range(3, n)),
    ),
    "orders": (1_000, lambda n: header(*["1: 2,1"] * n)),
    "ballots of text": (2_000, lambda n: ballots(" > ".join(f"x{place}" for place in range(n)))),
    "ballots of commas": (2_000, lambda n: ballots(",".join(f"x{place}" for place in range(n)))),
    "ballots of braces": (5_000, lambda n: ballots("{" * n + ",b")),
    "ballots of pairs": (1_000, lambda n: ballots(",".join(f"{{a{p},b{p}}}" for p in range(n)))),
    "ballots of blanks": (5_000, lambda n: ballots("{a}," + " " * n + "{")),
    "movies": (2_000, lambda n: "".join(f"{movie}:\n1,2,2005\n" for movie in range(1, n))),
    "movies without ratings": (
        5_000,
        lambda n: "".join(f"{movie}:\n" for movie in range(1, n)) + "1,2,3\n",
    ),
    "a movie of blanks": (12_500, lambda n: "1:" + " " * n + "\n1,2,3\n1:x\n"),
    "movielens": (2_000, lambda n: "".join(f"{row}\t{row % 9}\t3\t881250949\n" for row in range(n))),
    "colons": (2_000, lambda n: "1::" * n + "\n"),
}


def growth(work: Callable[[Any], object], small: Any, large: Any) -> float:
    """Return how many times longer the large piece of work takes, each at its best of a few runs."""
    best = [float("inf"), float("inf")]
    for _ in range(6):
        for place, content in enumerate((small, large)):
            start = time.process_time()
            work(content)
            best[place] = min(best[place], time.process_time() - start)
        if best[1] < MOST * best[0]:
            break
    return best[1] / max(best[0], 2e-4)  # less than that is too short to be measured well


def read_or_refuse(content: bytes) -> None:
    try:
        read_any(io.BytesIO(content))
    except SteadyrankError:
        return


@pytest.mark.parametrize("shape", SHAPES)
def test_time_goes_with_the_size_of_the_file(shape: str) -> None:
    size, make = SHAPES[shape]
    read_or_refuse(make(10).encode())  # what is imported is not measured
    assert growth(read_or_refuse, make(size).encode(), make(16 * size).encode()) < MOST


def test_the_measure_sees_time_that_goes_with_the_square() -> None:
    assert growth(lambda size: [0 for _ in range(size) for _ in range(size)], 60, 960) > MOST


@pytest.mark.parametrize("kind", ["text", "mixed", "whole", "far apart", "unsigned", "floats"])
def test_labels_are_encoded_in_time_that_goes_with_their_number(kind: str) -> None:
    def labels(size: int) -> Any:
        return {
            "text": [f"label {place}" for place in range(size)],
            "mixed": [place if place % 2 else str(place) for place in range(size)],
            "whole": np.arange(size)[::-1],
            "far apart": np.arange(size) * 10**12,
            "unsigned": np.arange(size, dtype=np.uint64) + np.uint64(2**63),
            "floats": np.arange(size) + 0.5,
        }[kind]

    assert growth(encode, labels(5_000), labels(80_000)) < MOST


def test_a_table_of_holes_is_refused_before_it_is_laid_out() -> None:
    lines = "".join(f'{{"k{row}": 1}}\n' for row in range(8000)).encode()
    with pytest.raises(
        UnreadableFileError, match=r"8,000 names.*8,000 of 64,000,000.*one value on each"
    ):
        read_table(io.BytesIO(lines))
    few = "".join(json.dumps({"row": row, f"k{row % 50}": 1}) + "\n" for row in range(2000)).encode()
    assert len(read_table(io.BytesIO(few)).names) == 51
