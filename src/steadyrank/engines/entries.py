"""Entries (unit, item, value) in an engine, and the group-bys that leave-one-out needs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import narwhals as nw
import numpy as np

from steadyrank.reading.labels import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from steadyrank._typing import AnyArray, FloatArray, IntArray
    from steadyrank.engines.exact_sums import ExactForm
    from steadyrank.engines.source import Source
    from steadyrank.scorers.rating_sums import RatingSums

MAX_UNITS = 100_000_000
"""Of each unit its label, its number of entries and its shift are brought back: 24 bytes."""
MAX_ITEMS = 10_000_000
BATCH_ROWS = 4_000_000
"""How many entries are brought back at a time: about 100 MB."""
FEW_UNITS = 5_000
"""Up to this many units are named to the engine; more of them are picked out here."""


RAISE_UNITS = "Raise max_units= if the memory of this machine allows it."
FEWER_ITEMS = "Check that the column of items holds labels and not values, or leave rare items out."


@dataclass(frozen=True)
class Batch:
    """Entries that were brought back: unit and item by number, sorted by unit, then by item."""

    units: IntArray
    items: IntArray
    parts: tuple[FloatArray, ...]
    leaving: IntArray


@dataclass(frozen=True)
class ItemTable:
    """One row for each item: what the group-by over all entries gave."""

    counts: IntArray
    totals: tuple[FloatArray, ...]
    least: AnyArray
    most: AnyArray
    most_leaving: IntArray


class Entries:
    """Entries in an engine.

    Parameters
    ----------
    source : Source
        Where they live.
    frame : lazy frame with columns unit, item, value
        No pair of unit and item occurs twice, unless ``grouped``.
    form : ExactForm
        How values are written.
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
    """

    def __init__(
        self,
        source: Source,
        frame: nw.LazyFrame[Any],
        form: ExactForm,
        keys: AnyArray,
        sizes: IntArray,
        *,
        what: str,
        known: Iterable[object] | None = None,
        grouped: bool = False,
        batch_rows: int = BATCH_ROWS,
    ) -> None:
        self.source = source
        self.frame = frame
        self.form = form
        self.keys = keys
        self.sizes = sizes
        self._known = None if known is None else tuple(known)
        self.what = what
        self.grouped = grouped
        self.batch_rows = batch_rows

    @property
    def _halves(self) -> list[str]:
        return ["part0"] if self.form.whole else ["part0", "part1"]

    @cached_property
    def _with_parts(self) -> nw.LazyFrame[Any]:
        """The entries with their values in exact form, one for each unit and item."""
        integers = self.source.guarded(self.frame.collect_schema)["value"].is_integer()
        parts = parts_of(nw.col("value"), self.form, integers=integers)
        frame = self.frame.with_columns(
            *(part.alias(name) for name, part in zip(self._halves, parts, strict=True))
        )
        if not self.grouped:
            return frame
        return frame.group_by("unit", "item").agg(
            nw.len().alias("leaving"),
            *(nw.col(name).sum() for name in self._halves),
            nw.col("value").min(),
        )

    @cached_property
    def labels(self) -> tuple[object, ...]:
        """The labels of the items, in the order that they have in memory."""
        return encode(self._grouped["item"], known=self._known)[1]

    @cached_property
    def _grouped(self) -> dict[str, AnyArray]:
        """What the group-by over all entries gave, in any order."""
        sizes = [nw.len().alias("count")]
        if self.grouped:
            sizes = [nw.col("leaving").sum().alias("count"), nw.col("leaving").max().alias("together")]
        grouped = (
            self._with_parts.with_columns(nw.col("value").alias("most"))
            .group_by("item")
            .agg(
                *sizes,
                *(nw.col(name).sum() for name in self._halves),
                nw.col("value").min(),
                nw.col("most").max(),
            )
        )
        return self.source.collect_up_to(grouped, "items", MAX_ITEMS, FEWER_ITEMS)

    @cached_property
    def table(self) -> ItemTable:
        """The item table, in the order of the labels."""
        found = self._grouped
        where, _ = encode(found["item"], known=self.labels)
        size = len(self.labels)
        return ItemTable(
            counts=_placed(found["count"], where, size, np.int64),
            totals=tuple(_placed(found[name], where, size, np.float64) for name in self._halves),
            least=_placed(found["value"], where, size, found["value"].dtype),
            most=_placed(found["most"], where, size, found["most"].dtype),
            most_leaving=_placed(found.get("together", np.ones(len(where))), where, size, np.int64),
        )

    def shifts(self, sums: RatingSums, *, plainly: bool) -> FloatArray:
        r"""Return ``||w - w\i||`` of each unit: squares grouped by unit in the engine.

        ``plainly`` subtracts the two scores, as column means do in memory; otherwise the difference
        is computed as mean ratings do, without cancellation.
        """
        joined = self._joined()
        count, leaving = nw.col("count"), nw.col("leaving") if self.grouped else 1
        scale, weight, share = self.form.scale, sums.prior.weight, sums.prior.share
        score = _together("total", self._halves) * share / ((count * share + weight) * scale)
        without = self._left() * share / (((count - leaving) * share + weight) * scale)
        if plainly:
            move = without - score
        else:
            value = _together("part", self._halves) / scale
            move = (value - without) * share / (count * share + weight)
        squares = joined.with_columns((move * move).alias("square")).group_by("unit")
        found = self.source.collect(
            squares.agg(nw.col("square").sum()), f"the shifts of {len(self.keys):,} units"
        )
        squared = np.zeros(len(self.keys))
        squared[self.numbers_of(found["unit"])] = found["square"]
        return np.asarray(np.sqrt(squared))

    def extreme_scores(self, sums: RatingSums) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest score of each item without any one of its units."""
        share, weight, scale = sums.prior.share, sums.prior.weight, self.form.scale
        leaving = nw.col("leaving") if self.grouped else 1
        without = self._left() * share / (((nw.col("count") - leaving) * share + weight) * scale)
        grouped = (
            self._joined()
            .with_columns(without.alias("lowest"), without.alias("highest"))
            .group_by("item")
            .agg(nw.col("lowest").min(), nw.col("highest").max())
        )
        found = self.source.collect(grouped, "the bounds of the items")
        where, _ = encode(found["item"], known=self.labels)
        lowest, highest = sums.scores(), sums.scores()
        lowest[where] = np.minimum(lowest[where], found["lowest"])
        highest[where] = np.maximum(highest[where], found["highest"])
        return lowest, highest

    def largest_sum(self, per_entry: nw.Expr) -> float:
        """Return the largest sum over a unit's entries; the expression may use ``count``."""
        sums = self._joined().with_columns(per_entry.alias("reach")).group_by("unit")
        largest = sums.agg(nw.col("reach").sum()).select(nw.col("reach").max())
        return float(self.source.numbers(largest, "a bound over the units")["reach"])

    def _joined(self) -> nw.LazyFrame[Any]:
        """Every entry beside the total and the count of its item."""
        entries = self._with_parts
        leaving = nw.col("leaving").sum() if self.grouped else nw.len()
        items = entries.group_by("item").agg(
            leaving.alias("count"),
            *(nw.col(name).sum().alias(name.replace("part", "total")) for name in self._halves),
        )
        wanted = ["unit", "item", *self._halves, *(["leaving"] if self.grouped else [])]
        return entries.select(*wanted).join(items, on="item", how="inner")

    def _left(self) -> nw.Expr:
        left = nw.col("total0") - nw.col("part0")
        return left if self.form.whole else left + (nw.col("total1") - nw.col("part1"))

    def of_items(self, items: IntArray, among: IntArray | None) -> Iterator[Batch]:
        """Yield the entries of some items, of all units or of those given, in batches."""
        names = [self.labels[item] for item in items.tolist()]
        frame = self._with_parts.filter(nw.col("item").is_in(names))
        rows = int(self.table.counts[items].sum())
        what = f"{self.what} of {len(items):,} deciding items"
        if among is not None and len(among) <= FEW_UNITS:
            frame = frame.filter(nw.col("unit").is_in(self.keys[among].tolist()))
            rows, among = int(self.sizes[among].sum()), None
        wanted = None if among is None else np.isin(np.arange(len(self.keys)), among)
        for low, high in self._ranges(rows):
            batch = self._batch(frame, low, high, what)
            yield batch if wanted is None else _picked(batch, wanted)

    def everything(self) -> Iterator[tuple[int, int, Batch]]:
        """Yield (first unit, last unit + 1, all their entries) in batches that cover all units."""
        for low, high in self._ranges(int(self.sizes.sum())):
            yield low, high, self._batch(self._with_parts, low, high, f"all {self.what}")

    def _ranges(self, rows: int) -> Iterator[tuple[int, int]]:
        """Cut the units into ranges with about ``batch_rows`` of the wanted rows each."""
        pieces = max(1, -(-rows // self.batch_rows))
        upto = np.cumsum(self.sizes)
        marks = np.searchsorted(upto, upto[-1] * np.arange(1, pieces) / pieces)
        cuts = np.unique(np.concatenate([[0], marks, [len(self.keys)]]))
        yield from zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)

    def _batch(self, frame: nw.LazyFrame[Any], low: int, high: int, what: str) -> Batch:
        unit = nw.col("unit")
        if low > 0:
            frame = frame.filter(unit >= _plain(self.keys[low]))
        if high < len(self.keys):
            frame = frame.filter(unit < _plain(self.keys[high]))
        columns = ["leaving", *self._halves] if self.grouped else ["value"]
        found = self.source.collect(frame.select("unit", "item", *columns), what)
        units = self.numbers_of(found["unit"])
        items, _ = encode(found["item"], known=self.labels) if len(units) else (units, ())
        order = np.lexsort((items, units))
        if self.grouped:
            parts = tuple(found[name][order] for name in self._halves)
            leaving = found["leaving"][order].astype(np.int64)
        else:
            parts = self.form.parts(found["value"][order])
            leaving = np.ones(len(units), dtype=np.int64)
        return Batch(units[order], items[order].astype(np.int64), parts, leaving)

    def numbers_of(self, keys: AnyArray) -> IntArray:
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


def item_labels(
    source: Source, frame: nw.LazyFrame[Any], known: Iterable[object] | None, bound: int
) -> tuple[object, ...]:
    """Return the labels of the items, in the order that they have in memory."""
    found = source.collect_up_to(
        frame.group_by("item").agg(nw.len().alias("entries")), "items", bound, FEWER_ITEMS
    )
    return encode(found["item"], known=known)[1]


def parts_of(value: nw.Expr, form: ExactForm, *, integers: bool) -> list[nw.Expr]:
    """Return the exact form of values as expressions: the same steps as ``ExactForm.parts``."""
    if integers and form.scale == 1.0:
        return [value.cast(nw.Float64)]
    scaled = value.cast(nw.Float64) * form.scale
    if form.whole:
        return [scaled.round(0)]
    upper = (scaled + form.coarse) - form.coarse
    return [upper, ((scaled - upper) + form.fine) - form.fine]


class KeyLabels(Sequence[object]):
    """The labels of units, kept as one array.

    Examples
    --------
    >>> KeyLabels(np.array([7, 9]))[1]
    9
    """

    def __init__(self, keys: AnyArray) -> None:
        self._keys = keys

    def __len__(self) -> int:
        return len(self._keys)

    @overload
    def __getitem__(self, place: int) -> object: ...
    @overload
    def __getitem__(self, place: slice) -> list[object]: ...
    def __getitem__(self, place: int | slice) -> object:
        if isinstance(place, slice):
            return list(self._keys[place].tolist())
        return _plain(self._keys[place])


def _plain(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key


def _together(name: str, halves: list[str]) -> nw.Expr:
    columns = [nw.col(half.replace("part", name)) for half in halves]
    return columns[0] if len(columns) == 1 else columns[0] + columns[1]


def _placed(values: AnyArray, where: IntArray, size: int, dtype: Any) -> AnyArray:
    placed = np.zeros(size, dtype=dtype)
    placed[where] = values
    return placed


def _picked(batch: Batch, wanted: AnyArray) -> Batch:
    kept = wanted[batch.units]
    return Batch(
        batch.units[kept],
        batch.items[kept],
        tuple(part[kept] for part in batch.parts),
        batch.leaving[kept],
    )
