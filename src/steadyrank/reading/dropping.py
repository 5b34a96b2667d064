"""Answers that are none, such as "unknown" or a blank cell: rows that leave before all else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from steadyrank.errors import InvalidLabelError, shorten
from steadyrank.reading.arrays import written
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import is_missing_word
from steadyrank.text import counted

MOST_SEEN = 10_000
"""Among how many other answers the one that was meant is looked for."""


class Dropping:
    """Which answers are none, and how often each was met so far.

    Parameters
    ----------
    values : iterable, text or None
        What they are called; an empty text, or None in a list, stands for blank cells.
    columns : mapping
        The columns of answers, each with whether it holds numbers.

    Attributes
    ----------
    texts : tuple of str
    met : Counter
        For each text, how many rows, or entries of ballots, have it.
    rows : int
        How many rows left.
    seen : set of str
        Other answers, or some of them.
    """

    def __init__(self, values: Any, columns: Mapping[str, bool] | None = None) -> None:
        several = isinstance(values, Iterable) and not isinstance(values, str)
        listed = list(values) if several else [] if values is None else [values]
        self.texts = tuple(dict.fromkeys(map(written, listed)))
        self.columns = columns or {}
        self.met: Counter[str] = Counter()
        self.rows = 0
        self.seen: set[str] = set()

    def begin(self) -> None:
        """Begin to count, once more where rows are looked at again."""
        self.met.clear()
        self.rows = 0

    def kept(self, table: Table) -> Table:
        """Return a table without the rows that have one of these answers."""
        gone = np.zeros(len(table), dtype=bool)
        hits = {text: gone.copy() for text in self.texts}
        for name in self.columns if self.texts else ():
            codes, answers = table.columns[name].written()
            for text in self.texts:
                gap = not text and self.columns[name]
                same = [one == text or (gap and is_missing_word(one)) for one in answers]
                hits[text] |= np.array(same, dtype=bool)[codes]
            self.look_at(answers)
        for text, hit in hits.items():
            self.met[text] += int(hit.sum())
            gone |= hit
        self.rows += int(gone.sum())
        return table.taken(np.flatnonzero(~gone)) if gone.any() else table

    def keeps(self, answer: object) -> bool:
        """Tell whether an entry of a ballot stays."""
        text = written(answer) if self.texts else ""
        found = text != "" and text in self.texts
        self.met[text] += found
        self.look_at([text])
        return not found

    def look_at(self, answers: Iterable[str]) -> None:
        """Remember some of the answers that there are."""
        if len(self.seen) < MOST_SEEN:
            self.seen.update(answers)

    def said(self) -> list[str]:
        """Return what to say; complain about an answer that nobody gave, with the nearest one."""
        for text in self.texts:
            if text and not self.met[text]:
                near = get_close_matches(text, self.seen - {""}, 1, 0.0)
                told = f"no answer is {shorten(text)}, which was to be dropped"
                way_out = f"The nearest that there is: {shorten(near[0])}." if near else ()
                raise InvalidLabelError(told, way_out=way_out)
        named = {text: shorten(text) if text else "blank" for text in self.texts}
        each = ", ".join(f"{name} {self.met[text]:,}" for text, name in named.items())
        return [f"{counted(self.rows, 'row')} left out by drop: {each}"] if self.texts else []
