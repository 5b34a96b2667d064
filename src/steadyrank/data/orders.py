"""From orders as people write them to the arrays of ballots, each distinct ballot once."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from steadyrank._typing import AnyArray, IntArray
from steadyrank.data.rows import repeated_cells
from steadyrank.errors import NO_BLANKS, InvalidDataError, shorten
from steadyrank.reading.arrays import numbered, objects, written
from steadyrank.reading.labels import BETWEEN, marks_between, parted
from steadyrank.reading.table import Dropping
from steadyrank.reading.text_columns import labels_of

TIED = (list, tuple, set, frozenset, np.ndarray)
TIER = r"(?:\{[^{}]*+\}\s*+|[^{},]++)"
BRACED = re.compile(rf"\s*+{TIER}(?:,\s*+{TIER})*+\Z")


class BallotArrays(NamedTuple):
    """Entries of all ballots, one after the other, as item codes."""

    indptr: IntArray
    ranked: IntArray
    levels: IntArray

    def canonical(self, items: Sequence[object], *, approval: bool) -> dict[str, IntArray]:
        """Sort each ballot by level and item, with levels 0, 1, 2...; refuse an item named twice."""
        indptr, ranked, levels = self
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        again = repeated_cells(rows, ranked)
        if len(again):
            raise InvalidDataError(
                f"a ballot names {shorten(items[ranked[again[0]]])} twice",
                rows=np.unique(rows[again]),
                way_out="Correct these ballots.",
            )
        order = np.lexsort((ranked, levels, rows))
        ranked, levels = ranked[order], levels[order]
        if approval or not len(ranked):
            return {"indptr": indptr, "ranked": ranked, "levels": np.zeros_like(levels)}
        new_tier = np.zeros(len(levels), dtype=np.int64)
        new_tier[1:] = (levels[1:] != levels[:-1]) | (rows[1:] != rows[:-1])
        tiers = np.cumsum(new_tier)
        return {"indptr": indptr, "ranked": ranked, "levels": tiers - tiers[indptr[rows]]}

    def distinct(self, counts: IntArray, apart: IntArray) -> tuple[IntArray, IntArray]:
        """Return the first row of each distinct ballot, in order, and the sum of its counts.

        Rows with different numbers in ``apart`` are kept apart, whatever they say.
        """
        rows, both = np.flatnonzero(counts), np.stack([self.ranked, self.levels], axis=1)
        spans = zip(self.indptr[rows], self.indptr[rows + 1], apart[rows], strict=True)
        codes, distinct = numbered(
            [both[one:end].tobytes() + more.tobytes() for one, end, more in spans]
        )
        totals = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(totals, codes, counts[rows])
        return rows[np.unique(codes, return_index=True)[1]], totals


def flatten(ballots: Iterable[Any], *, approval: bool) -> tuple[IntArray, AnyArray, IntArray]:
    """Lay the ballots out: where each begins, and the labels and levels of all entries.

    Examples
    --------
    >>> indptr, labels, levels = flatten([["x", ["y", "z"]], ["z"]], approval=False)
    >>> indptr, labels.tolist(), levels
    (array([0, 3, 4]), ['x', 'y', 'z', 'z'], array([0, 1, 1, 0]))
    """
    if not _is_list(ballots):
        raise InvalidDataError(f"ballots must be a list of orders, but is {shorten(ballots)}")
    labels: list[object] = []
    levels: list[int] = []
    ends = [0]
    for row, ballot in enumerate(ballots):
        _check_ballot(ballot, row, approval=approval)
        for level, entry in enumerate(ballot):
            tied = list(entry) if isinstance(entry, TIED) and not approval else [entry]
            labels += tied
            levels += [0 if approval else level] * len(tied)
        if not approval and len(labels) == ends[-1]:
            raise InvalidDataError("an empty order", rows=[row], way_out=NO_BLANKS)
        ends.append(len(labels))
    plain = objects(label.item() if isinstance(label, np.generic) else label for label in labels)
    return np.array(ends), plain, np.array(levels, dtype=np.int64)


def _is_list(value: object) -> bool:
    is_frame = hasattr(value, "columns")  # which is a list of its columns, not of its rows
    return isinstance(value, Iterable) and not (is_frame or isinstance(value, str | bytes | Mapping))


def _check_ballot(ballot: object, row: int, *, approval: bool) -> None:
    if not _is_list(ballot):
        raise InvalidDataError(
            f"a ballot must be a list of labels, but one is {shorten(ballot)}",
            rows=[row],
            way_out='Split text first, for example text.split(">").',
        )
    if isinstance(ballot, AbstractSet) and not approval:
        raise InvalidDataError(
            f"{shorten(ballot)} has no order",
            rows=[row],
            way_out="Use a list, best first; or approval=True for sets of approved items.",
        )


def cleaned(
    orders: Sequence[Any], dropping: Dropping, *, approval: bool, once: bool
) -> tuple[list[Any], list[int] | slice, list[int]]:
    """Return orders without the entries that are no answers, and those named before if each is once.

    With the places of the orders that are left, and which of these named an item again.
    """
    if not dropping.texts and not once:
        return list(orders), slice(None), []
    kept, rows, again = list[Any](), list[int](), list[int]()
    for row, order in enumerate(orders):
        if not _is_list(order) or (not dropping.texts and _are_apart(order)):
            kept.append(order)  # what is no list is said later
            rows.append(row)
            continue
        tiers = [list(tier) if isinstance(tier, TIED) and not approval else [tier] for tier in order]
        left = [those for tier in tiers if (those := [one for one in tier if dropping.keeps(one)])]
        empty = not left and (bool(order) or (not approval and "" in dropping.texts))
        dropping.met[""] += empty and not order
        if empty:
            continue
        names = [written(one) for those in left for one in those] if once else []
        if len({*names}) < len(names):
            again.append(len(kept))
            left = _named_once(left)
        kept.append([those if len(those) > 1 else those[0] for those in left])
        rows.append(row)
    dropping.rows += len(orders) - len(kept)
    return kept, rows, again


def _are_apart(names: Any) -> bool:
    """Tell whether no label comes again, and none is a list."""
    return all(isinstance(one, str | int) for one in names) and len({*names}) == len(names)


def _named_once(tiers: list[list[Any]]) -> list[list[Any]]:
    """Return tiers in which each item stands where it is named first."""
    met: set[str] = set()
    left = []
    for tier in tiers:
        new = {name: one for one in tier if (name := written(one)) not in met}
        met |= {*new}
        left += [[*new.values()]] if new else []
    return left


def parse_orders(texts: Sequence[str], *, approval: bool) -> tuple[list[list[Any]], str]:
    """Read orders written as text; return them with a note of how they were read.

    Examples
    --------
    >>> parse_orders(["a > b = c", "b"], approval=False)[0]
    [['a', ['b', 'c']], ['b']]
    >>> parse_orders(["1,{2,3}"], approval=False)[0]
    [[1, [2, 3]]]
    >>> parse_orders(["a; b", ""], approval=True)[0]
    [['a', 'b'], []]
    """
    if all(text.lstrip().startswith("[") for text in texts):
        with suppress(ValueError, SyntaxError):
            return [literal_eval(text.strip()) for text in texts], "orders read as lists"
    if approval:
        marks = marks_between(texts)
        tiers = [[parted(text, marks)] if text.strip() else [] for text in texts]
        how = f"approved items separated by {' or '.join(BETWEEN[mark] for mark in marks)}"
    elif any(">" in text or "=" in text for text in texts):
        tiers = [[tier.split("=") for tier in text.split(">")] for text in texts]
        how = "orders read as a > b = c"
    else:
        marks = marks_between(texts)
        mark = marks if len(marks) == 1 else ","
        tiers = [_tiers_apart(text, row, mark) for row, text in enumerate(texts)]
        how = "orders read as a, {b, c}" if mark == "," else f"orders separated by {BETWEEN[mark]}"
    flat = [label.strip() for ballot in tiers for tier in ballot for label in tier]
    labels = iter(labels_of(flat).tolist())
    named = [[[next(labels) for _ in tier] for tier in ballot] for ballot in tiers]
    if approval:
        return [[label for tier in ballot for label in tier] for ballot in named], how
    return [[tier if len(tier) > 1 else tier[0] for tier in ballot] for ballot in named], how


def _tiers_apart(text: str, row: int, mark: str) -> list[list[str]]:
    if mark != "," or ("{" not in text and "}" not in text):
        return [[label] for label in parted(text, mark)]
    if not BRACED.match(text):
        raise InvalidDataError(
            f"{shorten(text)} is not of the form a, {{b, c}}", rows=[row], way_out="Correct its braces."
        )
    tiers = (tier.strip() for tier in re.findall(TIER, text))
    return [tier.strip("{}").split(",") for tier in tiers if tier.strip("{}").strip()]
