"""Entries (unit, item, value) in a dataframe engine, and the group-bys that leave-one-out needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress, pairwise
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from steadyrank._typing import AnyArray, BoolArray, FloatArray, IntArray
from steadyrank.arrays import MOST_DECIMALS
from steadyrank.engines.frame import Source
from steadyrank.engines.lazy_columns import places_for_all, ranges_of_items
from steadyrank.errors import InvalidDataError
from steadyrank.labels import encode
from steadyrank.sums.blocks import SparseBlock, Wanted, roots
from steadyrank.sums.exact import form_of
from steadyrank.sums.model import Entries, Given, ItemSums, Parts, reach

MAX_UNITS = 100_000_000
"""Of each unit its label, its number of entries and its shift are brought back: 24 bytes."""
MAX_ITEMS = 10_000_000
BATCH_ROWS = 4_000_000
"""How many entries are brought back at a time: about 100 MB."""
FEW_UNITS = 5_000
"""Up to this many units are named to the engine; more of them are picked out here."""

RAISE_UNITS = "Say a unit with fewer values."
FEWER_ITEMS = "Check that the column of items holds labels and not values, or leave rare items out."
ROUND = "Round them, as round(..., 4) does in SQL, or read them into memory, without an engine."

SUMS = (nw.len().cast(nw.Float64).alias("count"), nw.col("part").sum().alias("total"))
"""The number and the sum of entries, for a group-by."""

Batch: TypeAlias = "tuple[int, int, IntArray, IntArray, FloatArray]"
"""Of units from one number to below another: units, items and values, by unit and item."""


@dataclass(eq=False)
class LazyEntries(Entries):
    """Entries in an engine.

    Parameters
    ----------
    source : Source
        Where they live.
    frame : lazy frame with columns unit, item, value
        No pair of unit and item occurs twice.
    keys : array
        The labels of the units, in order.
    sizes : int array
        The number of entries of each unit.
    known : iterable, optional
        The labels of the items, in order; by default those that occur.
    what : str
        What the entries are called in a report.
    """

    source: Source
    frame: nw.LazyFrame[Any]
    keys: AnyArray
    sizes: IntArray
    what: str
    known: Iterable[object] | None = None
    batch_rows: int = BATCH_ROWS

    def __post_init__(self) -> None:
        self.rows = len(self.keys)
        dtype = self.source.schema(self.frame)["value"]
        ranges = ranges_of_items(self.frame, dtype)
        self._ranges = self.source.collect_up_to(
            ranges, "items", MAX_ITEMS, FEWER_ITEMS
        )
        self.labels = encode(self._ranges["item"], known=self.known)[1]
        lowest = float(self._ranges["lowest"].min(initial=np.inf))
        highest = float(self._ranges["highest"].max(initial=-np.inf))
        places = places_for_all(
            self._ranges, max(-lowest, highest), single=dtype == nw.Float32
        )
        self.form = form_of(places, lowest, highest, addends=self.rows)
        if not self.form.whole:
            raise InvalidDataError(
                f"an engine adds up {self.what} of at most {MOST_DECIMALS} decimal places, of so few "
                "digits that sums are exact, and some here have more",
                way_out=ROUND,
            )
        scaled = nw.col("value").cast(nw.Float64) * self.form.scale
        self._given = self.frame.select("unit", "item", part=scaled.round(0))

    @cached_property
    def _grouped(self) -> dict[str, AnyArray]:
        """What the group-by over all entries gave, in any order."""
        grouped = self._given.group_by("item").agg(*SUMS)
        return self.source.collect_up_to(grouped, "items", MAX_ITEMS, FEWER_ITEMS)

    def _by_item(self, found: dict[str, AnyArray], name: str) -> AnyArray:
        """Return a column of a group-by in the order of the labels; 0 for items without entries."""
        placed = np.zeros(len(self.labels), dtype=found[name].dtype)
        placed[encode(found["item"], known=self.labels)[0]] = found[name]
        return placed

    @cached_property
    def counts(self) -> IntArray:
        """How many values each item has."""
        return self._by_item(self._grouped, "count").astype(np.int64)

    @cached_property
    def totals(self) -> Parts:
        """The sums of each item's values."""
        return (self._by_item(self._grouped, "total"),)

    @cached_property
    def extremes(self) -> tuple[Parts, Parts]:
        """The least and the largest value of each item."""
        least, largest = (
            self._by_item(self._ranges, end) for end in ("lowest", "highest")
        )
        return self.form.parts(least), self.form.parts(largest)

    def shifts(self, sums: ItemSums) -> FloatArray:
        r"""Return ``||w - w\i||`` of each unit: squares grouped by unit in the engine.

        As in :meth:`ItemSums.moves` the difference of two scores is computed without cancellation.
        """
        columns = ItemSums(self.form, sums.prior, nw.col("count"), (nw.col("total"),))
        moves = self._joined().with_columns(move=columns.moves(None, (nw.col("part"),)))
        both = moves.with_columns(square=nw.col("move") * nw.col("move"))
        by_unit = both.group_by("unit").agg(nw.col("square").sum())
        found = self.source.collect(by_unit, f"the shifts of {len(self.keys):,} units")
        squares = np.zeros(len(self.keys))
        squares[self._numbers_of(found["unit"])] = found["square"]
        return roots(squares)

    def largest_squared_reach(
        self, shrinkage: float, lowest: float, highest: float
    ) -> float:
        """Return the most that a unit's values can move the scores, squared."""
        ends = lowest, highest
        move = reach(1, nw.col("count"), shrinkage, ends, nw.max_horizontal)
        squares = self._joined().with_columns(square=move * move).group_by("unit")
        largest = squares.agg(nw.col("square").sum()).select(nw.col("square").max())
        return float(self.source.numbers(largest, "a bound over the units")["square"])

    def _joined(self) -> nw.LazyFrame[Any]:
        """Every entry beside the total and the count of its item."""
        return self._given.join(
            self._given.group_by("item").agg(*SUMS), on="item", how="inner"
        )

    def blocks(self, sums: ItemSums) -> Iterator[SparseBlock]:
        """Yield all leave-one-out scores; this brings everything back, a batch at a time."""
        for batch in self._batches(self._given, self.sizes, f"all {self.what}"):
            yield self._block(batch, sums)

    def touching(self, sums: ItemSums, wanted: Wanted) -> Iterator[SparseBlock]:
        """Yield the scores of the wanted items alone; only their entries are brought back."""
        among = None if wanted.among is None else np.flatnonzero(wanted.among)
        for batch in self._of_items(wanted.items, among):
            yield self._block(batch, sums).among(wanted)

    def values_of(self, items: IntArray, among: IntArray | None = None) -> Given:
        """Return what units give to some items; only their entries are brought back."""
        batches = [batch[2:] for batch in self._of_items(items, among)]
        unit, item, part = map(np.concatenate, zip(*batches, strict=True))
        place = np.zeros(len(self.labels), dtype=np.int64)
        place[items] = np.arange(len(items))
        return unit, place[item], (part,), np.ones(len(unit), dtype=np.int64)

    def given_by(self, units: IntArray) -> tuple[Parts, IntArray] | None:
        """Add up what units give to each item, in the engine; it takes few names of units at once."""
        if not 0 < len(units) <= FEW_UNITS:
            return None
        some = self._given.filter(nw.col("unit").is_in(self.keys[units].tolist()))
        found = self.source.collect(some.group_by("item").agg(*SUMS), "what units gave")
        return (self._by_item(found, "total"),), self._by_item(found, "count").astype(
            np.int64
        )

    def of_units(self, stay: BoolArray) -> LazyEntries:
        """Return the entries of the units that stay, in the form that they have without the others."""
        frame = self.frame.filter(~nw.col("unit").is_in(self.keys[~stay].tolist()))
        keys, sizes = self.keys[stay], self.sizes[stay]
        return replace(self, frame=frame, keys=keys, sizes=sizes, known=self.labels)

    def of_items(self, stay: BoolArray) -> LazyEntries:
        """Return the entries of the items that stay; units that have no others are none any more."""
        left, gone = (tuple(compress(self.labels, marks)) for marks in (stay, ~stay))
        item = nw.col("item")
        frame = self.frame.filter(
            item.is_in(left) if len(left) < len(gone) else ~item.is_in(gone)
        )
        keys, sizes = unit_keys(self.source, frame, "units", len(self.keys))
        return replace(self, frame=frame, keys=keys, sizes=sizes, known=left)

    def _block(self, batch: Batch, sums: ItemSums) -> SparseBlock:
        low, high, units, items, part = batch
        pointers = np.searchsorted(units, np.arange(low, high + 1))
        return SparseBlock(low, pointers, items, sums.without(items, (part,)))

    def _of_items(
        self, items: IntArray, among: IntArray | None = None
    ) -> Iterator[Batch]:
        """Yield the entries of some items, of all units or of at least those given, in batches."""
        frame, rows = self._given, self.counts[items]
        if len(items) < len(self.labels):
            names = [self.labels[item] for item in items.tolist()]
            frame = frame.filter(nw.col("item").is_in(names))
        if among is not None and len(among) <= FEW_UNITS:
            frame = frame.filter(nw.col("unit").is_in(self.keys[among].tolist()))
            rows = self.sizes[among]
        yield from self._batches(
            frame, rows, f"{self.what} of {len(items):,} deciding items"
        )

    def _batches(
        self, frame: nw.LazyFrame[Any], rows: IntArray, what: str
    ) -> Iterator[Batch]:
        """Cut the units into ranges with about ``batch_rows`` of the wanted rows each."""
        pieces = max(1, -(-int(rows.sum()) // self.batch_rows))
        upto = np.cumsum(self.sizes)
        marks = np.searchsorted(upto, upto[-1] * np.arange(1, pieces) / pieces)
        cuts = np.unique(np.concatenate([[0], marks, [len(self.keys)]]))
        for low, high in pairwise(cuts.tolist()):
            yield self._batch(frame, low, high, what)

    def _batch(self, frame: nw.LazyFrame[Any], low: int, high: int, what: str) -> Batch:
        unit = nw.col("unit")
        if low > 0:
            frame = frame.filter(unit >= self.keys.item(low))
        if high < len(self.keys):
            frame = frame.filter(unit < self.keys.item(high))
        found = self.source.collect(frame, what)
        units = self._numbers_of(found["unit"])
        items, _ = (
            encode(found["item"], known=self.labels) if len(units) else (units, ())
        )
        order = np.lexsort((items, units))
        return (
            low,
            high,
            units[order],
            items[order].astype(np.int64),
            found["part"][order],
        )

    def _numbers_of(self, keys: AnyArray) -> IntArray:
        """Return the numbers of units given by label."""
        return np.asarray(np.searchsorted(self.keys, keys), dtype=np.int64)


def unit_keys(
    source: Source, frame: nw.LazyFrame[Any], what: str, bound: int
) -> tuple[AnyArray, IntArray]:
    """Return the labels of the units in order, and how many entries each has."""
    grouped = frame.group_by("unit").agg(nw.len().alias("entries"))
    found = source.collect_up_to(grouped, what, bound, RAISE_UNITS)
    if found["unit"].dtype == object:
        encode(found["unit"], what=what)  # complains about blank labels
    order = np.argsort(found["unit"], kind="stable")
    return found["unit"][order], found["entries"][order].astype(np.int64)


def item_labels(source: Source, frame: nw.LazyFrame[Any]) -> tuple[object, ...]:
    """Return the labels of the items, in the order that they have in memory."""
    grouped = frame.group_by("item").agg(nw.len().alias("entries"))
    return encode(
        source.collect_up_to(grouped, "items", MAX_ITEMS, FEWER_ITEMS)["item"]
    )[1]
