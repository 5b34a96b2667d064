"""Data for reports, with ties and near-ties, and what a report hands out."""

from __future__ import annotations

import csv
import io
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from steadyrank import ScoreMatrix, Study, Votes, read
from steadyrank.data.observations import Observations
from steadyrank.demo import demo_file

HOSTILE = (
    "<script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 1'>",
    "</script><script>window.pwned = 1</script><!--",
    '" onmouseover="window.pwned = 1" x="',
    "' OR 1=1; --",
    '=HYPERLINK("http://example.invalid")',
    "+1+1",
    "@SUM(A1)",
    " =1+1",
    "\u2028=1+1",
    "\u200d\xa0\ufe66cmd",
    "\u22121; 2",
    "tab\tor blank ",
    "שלום עולם",
    "مرحبا",
    "👩‍👩‍👧‍👦 family 🏳️‍🌈",
    "line\u2028separator\u2029here",
    "\u202eesrever",
    'a,b "quoted"\nnew line',
    "&lt;b&gt; &amp; ${window.pwned = 1} {{7*7}} @@data@@",
    "x" * 10_000,
    "javascript:window.pwned=1",
    "%3Cscript%3E",
    "\\u003cscript\\u003e",
    "ordinary",
)


@cache
def tied_matrix() -> ScoreMatrix:
    """Scores on a coarse grid: many ties, some of them at the edge."""
    rng = np.random.default_rng(3)
    quality = rng.integers(0, 6, size=14)
    values = np.clip(quality + rng.integers(-1, 2, size=(24, 14)), 0, 6)
    return ScoreMatrix(
        values, items=[f"method {letter}" for letter in "abcdefghijklmn"]
    )


@cache
def close_votes() -> Votes:
    """Votes with one-vote leads, where eps = sqrt(2)/n is exactly a boundary."""
    counts = {
        "ann": 9,
        "bob": 8,
        "cyd": 8,
        "dan": 7,
        "eve": 6,
        "fay": 6,
        "gus": 2,
        "hal": 1,
    }
    return Votes([name for name, count in counts.items() for _ in range(count)])


@cache
def restaurants() -> Observations:
    with demo_file("restaurants.csv") as path:
        return read(path, item="restaurant", rating="stars", unit="reviewer")


@cache
def many_items(count: int, rows: int = 200) -> ScoreMatrix:
    rng = np.random.default_rng(1)
    quality = np.sort(rng.normal(3.2, 0.4, size=count))[::-1]
    values = np.clip((quality + rng.normal(0, 0.8, size=(rows, count))).round(1), 1, 5)
    return ScoreMatrix(
        values,
        items=[f"A product with a usual name, {place:04d}" for place in range(count)],
    )


@cache
def hostile_matrix() -> ScoreMatrix:
    rng = np.random.default_rng(2)
    values = rng.normal(0, 1, size=(30, len(HOSTILE))).round(1)
    return ScoreMatrix(
        values, items=list(HOSTILE), rows=[f"<b>row</b> {place}" for place in range(30)]
    )


DOCUMENTS: dict[Any, tuple[Any, dict[str, Any]]] = {}
"""Findings by what was asked; the data stay beside them, so that no other data get their identity."""


def report_document(
    data: Any, k: int, *, scorer: Any = None, **settings: Any
) -> dict[str, Any]:
    """The findings that a report is drawn from; a copy, for tests change it."""
    asked = (id(data), k, scorer, *sorted(settings.items()))
    if asked not in DOCUMENTS:
        DOCUMENTS[asked] = data, Study(data, scorer).topk(k, **settings).findings()
    return deepcopy(DOCUMENTS[asked][1])


def download(report: Any, button: str) -> bytes:
    with report.page.expect_download() as waiting:
        report.page.click(button)
    return Path(waiting.value.path()).read_bytes()


def cells_of(text: bytes | str) -> list[list[str]]:
    decoded = text if isinstance(text, str) else text.decode("utf-8")
    return list(csv.reader(io.StringIO(decoded, newline="")))
