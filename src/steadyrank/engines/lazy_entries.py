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
from steadyrank.engines.frame import Source
from steadyrank.engines.lazy_columns import places_for_all, ranges_of_items, with_forms
from steadyrank.reading.labels import encode
from steadyrank.sums.blocks import SparseBlock, Wanted, roots
from steadyrank.sums.exact import ExactForm, form_of, form_of_items, parts_for, together
from steadyrank.sums.model import Entries, Given, ItemSums, Parts, reach

MAX_UNITS = 100_000_000
"""Of each unit its label, its number of entries and its shift are brought back: 24 bytes."""
MAX_ITEMS = 10_000_000
MOST_PARTS = 4
"""Into more parts values are not split here: each is an expression of those before it."""
BATCH_ROWS = 4_000_000
"""How many entries are brought back at a time: about 100 MB."""
FEW_UNITS = 5_000
"""Up to this many units are named to the engine; more of them are picked out here."""

RAISE_UNITS = "Raise max_units= if the memory of this machine allows it."
FEWER_ITEMS = "Check that the column of items holds labels and not values, or leave rare items out."


Batch: TypeAlias = "tuple[int, int, Given]"
"""Entries of the units from the one number to below the other, sorted by unit and item."""


@dataclass(eq=False)
class LazyEntries(Entries):
    """Entries in an engine.

    Parameters
    ----------
    source : Source
        Where they live.
    frame : lazy frame with columns unit, item, value
        No pair of unit and item occurs twice, unless ``grouped``; then there is a column row, too.
    keys : array
        The labels of the units, in order.
    sizes : int array
        The number of entries of each unit.
    known : iterable, optional
        The labels of the items, in order; by default those that occur.
    what : str
        What the entries are called in a report.
    grouped : bool
        Whether a unit may have several values of an item, which leave together.
    rows : int, optional
        How many values an item without gaps has; by default one of each unit.
    """

    source: Source
    frame: nw.LazyFrame[Any]
    keys: AnyArray
    sizes: IntArray
    what: str
    known: Iterable[object] | None = None
    grouped: bool = False
    rows: int = 0
    batch_rows: int = BATCH_ROWS

    def __post_init__(self) -> None:
        self.rows = self.rows or len(self.keys)
        dtype = self.source.schema(self.frame)["value"]
        ranges = ranges_of_items(self.frame, dtype)
        self._ranges = self.source.collect_up_to(ranges, "items", MAX_ITEMS, FEWER_ITEMS)
        self.labels = encode(self._ranges["item"], known=self.known)[1]
        ends = self._ranges["lowest"].min(initial=np.inf), self._ranges["highest"].max(initial=-np.inf)
        places = places_for_all(self._ranges, single=dtype == nw.Float32)
        self.form = form_of(places, float(ends[0]), float(ends[1]), addends=self.rows)
        frame = self.frame
        if not self.form.whole:  # then each item has its own
            found = (self._by_item(self._ranges, name) for name in ("least", "size", "places"))
            (least, largest, digits), ends = found, (self.form.lowest, self.form.highest)
            least = np.where(least > 0, least, np.inf)
            halves = parts_for(least, largest, self.rows, MOST_PARTS)
            self.form = form_of_items(digits, largest, ends, self.rows, halves)
            frame = frame.join(with_forms(ranges, largest, self.rows, halves), on="item", how="inner")
        self._halves = [f"part{number}" for number in range(max(1, len(self.form.steps)))]
        self._scales = [] if self.form.whole else ["scale", "tens"]  # of an entry's item
        frame = with_parts(frame, self.form, integers=dtype.is_integer())
        frame = frame.with_columns(leaving=nw.lit(1.0))
        if self.grouped:
            frame = frame.group_by("unit", "item").agg(
                *(nw.col(name).sum() for name in ("leaving", *self._halves)),
                *(nw.col(name).max() for name in ("value", *self._scales)),
            )
        self._with_parts = frame
        # What a unit gives to an item, in the scale of the item, and how many values leave with that.
        self._given = tuple(nw.col(name) for name in self._halves)
        self._leaving = nw.col("leaving")
        self._column_form = self.form
        if not self.form.whole:
            self._column_form = replace(self.form, scale=nw.col("scale"), tens=nw.col("tens"))

    def means(self) -> nw.LazyFrame[Any]:
        """Return one value for each unit and item: the mean, by the same steps as in memory."""
        mean = self._column_form.ratio(together(self._given), 1.0, self._leaving, None)
        alone = nw.when(nw.col("leaving") == 1).then(nw.col("value").cast(nw.Float64))
        return self._with_parts.select("unit", "item", value=alone.otherwise(mean))

    @cached_property
    def _grouped(self) -> dict[str, AnyArray]:
        """What the group-by over all entries gave, in any order."""
        together = self._leaving.max().alias("together")
        grouped = self._with_parts.group_by("item").agg(*self._added_up, together)
        return self.source.collect_up_to(grouped, "items", MAX_ITEMS, FEWER_ITEMS)

    @property
    def _added_up(self) -> list[nw.Expr]:
        """The number and the sums of entries, for a group-by."""
        return [self._leaving.sum().alias("count"), *(nw.col(name).sum() for name in self._halves)]

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
        return tuple(self._by_item(self._grouped, name) for name in self._halves)

    @cached_property
    def extremes(self) -> tuple[Parts, Parts]:
        """The least and the largest value of each item."""
        least, largest = (self._by_item(self._ranges, end) for end in ("lowest", "highest"))
        return self.form.parts(least), self.form.parts(largest)

    @cached_property
    def most_leaving(self) -> IntArray:
        """The most values of each item that leave with one unit."""
        return self._by_item(self._grouped, "together").astype(np.int64)

    def shifts(self, sums: ItemSums) -> FloatArray:
        r"""Return ``||w - w\i||`` of each unit: squares grouped by unit in the engine.

        As in :meth:`ItemSums.moves` the difference of two scores is computed without cancellation.
        """
        move = self._columns(sums).moves(None, self._given, self._leaving)
        moves = self._joined().with_columns(move=move)
        both = moves.with_columns(square=nw.col("move") * nw.col("move"))
        by_unit = both.group_by("unit").agg(nw.col("square").sum())
        found = self.source.collect(by_unit, f"the shifts of {len(self.keys):,} units")
        squares = np.zeros(len(self.keys))
        squares[self._numbers_of(found["unit"])] = found["square"]
        return roots(squares)

    def bounds(self, sums: ItemSums) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest scores, where units are groups by one more group-by."""
        if not self.grouped:
            return super().bounds(sums)
        without = self._columns(sums).without(None, self._given, self._leaving)
        entries = self._joined().with_columns(lowest=without, highest=without)
        grouped = entries.group_by("item").agg(nw.col("lowest").min(), nw.col("highest").max())
        found = self.source.collect(grouped, "the bounds of the items")
        where, _ = encode(found["item"], known=self.labels)
        lowest, highest = sums.scores.copy(), sums.scores.copy()
        lowest[where] = np.minimum(lowest[where], found["lowest"])
        highest[where] = np.maximum(highest[where], found["highest"])
        return lowest, highest

    def largest_squared_reach(self, shrinkage: float, lowest: float, highest: float) -> float:
        """Return the most that a unit's values can move the scores, squared."""
        ends = lowest, highest
        move = reach(self._leaving, nw.col("count"), shrinkage, ends, nw.max_horizontal)
        squares = self._joined().with_columns(square=move * move).group_by("unit")
        largest = squares.agg(nw.col("square").sum()).select(nw.col("square").max())
        return float(self.source.numbers(largest, "a bound over the units")["square"])

    def _columns(self, sums: ItemSums) -> ItemSums:
        """Return the sums of an entry's item, as columns beside it."""
        totals = tuple(nw.col(name.replace("part", "total")) for name in self._halves)
        return ItemSums(self._column_form, sums.prior, nw.col("count"), totals)

    def _joined(self) -> nw.LazyFrame[Any]:
        """Every entry beside the total and the count of its item."""
        entries = self._with_parts
        totals = {name: name.replace("part", "total") for name in self._halves}
        items = entries.group_by("item").agg(*self._added_up).rename(totals)
        wanted = entries.select("unit", "item", "leaving", *self._halves, *self._scales)
        return wanted.join(items, on="item", how="inner")

    def blocks(self, sums: ItemSums) -> Iterator[SparseBlock]:
        """Yield all leave-one-out scores; this brings everything back, a batch at a time."""
        for batch in self._batches(self._with_parts, self.sizes, f"all {self.what}"):
            yield self._block(batch, sums)

    def touching(self, sums: ItemSums, wanted: Wanted) -> Iterator[SparseBlock]:
        """Yield the scores of the wanted items alone; only their entries are brought back."""
        among = None if wanted.among is None else np.flatnonzero(wanted.among)
        for batch in self._of_items(wanted.items, among):
            yield self._block(batch, sums).among(wanted)

    def values_of(self, items: IntArray, among: IntArray | None = None) -> Given:
        """Return what units give to some items; only their entries are brought back."""
        batches = (given for _, _, given in self._of_items(items, among))
        unit, item, parts, leaving = zip(*batches, strict=True)
        place = np.zeros(len(self.labels), dtype=np.int64)
        place[items] = np.arange(len(items))
        together = tuple(map(np.concatenate, zip(*parts, strict=True)))
        return np.concatenate(unit), place[np.concatenate(item)], together, np.concatenate(leaving)

    def given_by(self, units: IntArray) -> tuple[Parts, IntArray] | None:
        """Add up what units give to each item, in the engine; it takes few names of units at once."""
        if not 0 < len(units) <= FEW_UNITS:
            return None
        some = self._with_parts.filter(nw.col("unit").is_in(self.keys[units].tolist()))
        found = self.source.collect(some.group_by("item").agg(*self._added_up), "what units gave")
        sums = tuple(self._by_item(found, name) for name in self._halves)
        return sums, self._by_item(found, "count").astype(np.int64)

    def of_units(self, stay: BoolArray) -> LazyEntries:
        """Return the entries of the units that stay, in the form that they have without the others."""
        frame = self.frame.filter(~nw.col("unit").is_in(self.keys[~stay].tolist()))
        return self._over(frame, self.keys[stay], self.sizes[stay], self.labels)

    def of_items(self, stay: BoolArray) -> LazyEntries:
        """Return the entries of the items that stay; units that have no others are none any more."""
        left, gone = (tuple(compress(self.labels, marks)) for marks in (stay, ~stay))
        item = nw.col("item")
        frame = self.frame.filter(item.is_in(left) if len(left) < len(gone) else ~item.is_in(gone))
        return self._over(frame, *unit_keys(self.source, frame, "units", len(self.keys)), left)

    def _over(
        self, frame: nw.LazyFrame[Any], keys: AnyArray, sizes: IntArray, known: tuple[object, ...]
    ) -> LazyEntries:
        """Return what these are over a part of the frame, in the form that it has without the rest."""
        addends = len(keys)
        if self.grouped:
            rows = frame.group_by("row").agg(nw.len()).select(rows=nw.len())
            addends = int(self.source.numbers(rows, "sizes")["rows"])
        return replace(self, frame=frame, keys=keys, sizes=sizes, known=known, rows=addends)

    def _block(self, batch: Batch, sums: ItemSums) -> SparseBlock:
        low, high, (units, items, parts, leaving) = batch
        pointers = np.searchsorted(units, np.arange(low, high + 1))
        return SparseBlock(low, pointers, items, sums.without(items, parts, leaving))

    def _of_items(self, items: IntArray, among: IntArray | None = None) -> Iterator[Batch]:
        """Yield the entries of some items, of all units or of at least those given, in batches."""
        frame, rows = self._with_parts, self.counts[items]
        if len(items) < len(self.labels):
            names = [self.labels[item] for item in items.tolist()]
            frame = frame.filter(nw.col("item").is_in(names))
        if among is not None and len(among) <= FEW_UNITS:
            frame = frame.filter(nw.col("unit").is_in(self.keys[among].tolist()))
            rows = self.sizes[among]
        yield from self._batches(frame, rows, f"{self.what} of {len(items):,} deciding items")

    def _batches(self, frame: nw.LazyFrame[Any], rows: IntArray, what: str) -> Iterator[Batch]:
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
            frame = frame.filter(unit >= _plain(self.keys[low]))
        if high < len(self.keys):
            frame = frame.filter(unit < _plain(self.keys[high]))
        found = self.source.collect(frame.select("unit", "item", "leaving", *self._halves), what)
        units = self._numbers_of(found["unit"])
        items, _ = encode(found["item"], known=self.labels) if len(units) else (units, ())
        order = np.lexsort((items, units))
        parts = tuple(found[name][order] for name in self._halves)
        leaving = found["leaving"][order].astype(np.int64)
        return low, high, (units[order], items[order].astype(np.int64), parts, leaving)

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
    return encode(source.collect_up_to(grouped, "items", MAX_ITEMS, FEWER_ITEMS)["item"])[1]


def with_parts(frame: nw.LazyFrame[Any], form: ExactForm, *, integers: bool) -> nw.LazyFrame[Any]:
    """Return the frame with the exact form of its values: the same steps as ``ExactForm.parts``."""
    value = nw.col("value").cast(nw.Float64)
    if form.whole:
        as_given = integers and form.scale == 1.0
        return frame.with_columns(part0=value if as_given else (value * form.scale).round(0))
    frame = frame.with_columns(left=value * nw.col("scale"))
    for number in range(len(form.steps)):
        name, step = f"part{number}", nw.col(f"step{number}")
        frame = frame.with_columns(((nw.col("left") + step) - step).alias(name))
        frame = frame.with_columns(left=nw.col("left") - nw.col(name))
    return frame


def _plain(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key
