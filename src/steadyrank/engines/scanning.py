"""From a lazy table to entries (unit, item, value) in its engine: checked, numbered, ready to add up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw

from steadyrank.engines.exact_sums import form_of
from steadyrank.engines.lazy_columns import (
    ValueSummary,
    picked,
    repeated_pairs,
    with_labels,
    with_numbers,
)
from steadyrank.engines.lazy_entries import (
    BATCH_ROWS,
    MAX_ITEMS,
    MAX_UNITS,
    LazyEntries,
    item_labels,
    unit_keys,
)
from steadyrank.errors import (
    DuplicateRatingsError,
    InvalidDataError,
    InvalidPolicyError,
    MissingValuesError,
    Option,
    listing,
    shorten,
)

if TYPE_CHECKING:
    from steadyrank.engines.source import Source
    from steadyrank.reading.roles import Resolved

POLICIES = ("error", "mean", "trust")


def scan_ratings(
    source: Source, found: Resolved, *, max_units: int = MAX_UNITS, batch_rows: int = BATCH_ROWS
) -> tuple[LazyEntries, list[str]]:
    """Return ratings as entries, and what to say of them; ``Ratings.scan`` explains the settings."""
    duplicates = found.settings.get("duplicates", "error")
    _check_duplicates(duplicates)
    columns, notes = found.columns, list(found.table.notes)
    parts = {"unit": columns["user"], "item": columns["item"], "value": columns["score"]}
    frame = with_labels(source, picked(source, parts), {"unit": "users", "item": "items"})
    frame = with_numbers(source, frame, "value", "ratings")
    summary = ValueSummary(source, frame, "value", "ratings")
    if duplicates == "trust":
        notes.append("not checked whether a user rated an item more than once")
    elif source.in_strict_order(columns["user"], columns["item"]):
        notes.append("the files are in order of user and item, so no rating is repeated")
    elif again := _repeated_ratings(source, frame, duplicates):
        notes.append(f"{again:,} repeated ratings of an item by a user: their mean taken")
        frame = _merged(frame)
        summary = ValueSummary(source, frame, "value", "ratings")
    keys, sizes = unit_keys(source, frame, "users", max_units)
    form = form_of(summary.decimals, summary.lowest, summary.highest, addends=len(keys))
    known = found.settings.get("items")
    entries = LazyEntries(
        source, frame, form, keys, sizes, what="ratings", known=known, batch_rows=batch_rows
    )
    return entries, notes


def _check_duplicates(duplicates: str) -> None:
    if duplicates == "last":
        raise InvalidDataError(
            "the last of several ratings needs an order of the rows, which an engine does not keep",
            way_out=["Use ", Option("duplicates", "mean"), ", or read the ratings into memory."],
        )
    if duplicates not in POLICIES:
        raise InvalidPolicyError("duplicates", duplicates, POLICIES)


def _repeated_ratings(source: Source, frame: nw.LazyFrame[Any], duplicates: str) -> int:
    again, pair = repeated_pairs(source, frame, "unit", "item")
    if again and duplicates == "error" and pair is not None:
        raise DuplicateRatingsError(
            f"{again:,} ratings are repeated: user {shorten(pair[0])} rated {shorten(pair[1])} "
            "more than once",
            way_out=["Average them with ", Option("duplicates", "mean")],
        )
    return again


def _merged(frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return one rating for each user and item: the mean."""
    wide = frame.with_columns(nw.col("value").cast(nw.Float64))
    sums = wide.group_by("unit", "item").agg(nw.col("value").sum(), nw.len().alias("times"))
    return sums.select("unit", "item", (nw.col("value") / nw.col("times")).alias("value"))


def scan_scores(
    source: Source, found: Resolved, *, max_units: int = MAX_UNITS, batch_rows: int = BATCH_ROWS
) -> tuple[LazyEntries, list[str]]:
    """Return a long score table as entries, and what to say of it; ``ScoreMatrix.scan`` explains."""
    if "item" not in found.columns:
        raise InvalidDataError(
            "engines scan long tables of scores, one row a score, and this one is wide",
            way_out=["Name the columns ", Option("item"), " and ", Option("score"), ", or read it."],
        )
    columns, unit = found.columns, found.columns.get("unit")
    parts = {"row": columns["row"], "item": columns["item"], "value": columns["score"]}
    texts = {"row": "rows", "item": "items"}
    if unit is not None:
        parts["unit"], texts["unit"] = unit, "units"
    frame = with_labels(source, picked(source, parts), texts)
    frame = with_numbers(source, frame, "value", "values")
    _check_cells(source, frame, unit)
    labels = item_labels(source, frame, None, MAX_ITEMS)
    missing = found.settings.get("missing", "error")
    frame, rows, notes = _without_gaps(source, frame, labels, missing)
    if unit is None:
        frame = frame.with_columns(nw.col("row").alias("unit"))
    summary = ValueSummary(source, frame, "value", "values")
    keys, sizes = unit_keys(source, frame, "units", max_units)
    form = form_of(summary.decimals, summary.lowest, summary.highest, addends=rows)
    entries = LazyEntries(
        source,
        frame.select("unit", "item", "value"),
        form,
        keys,
        sizes,
        what="values",
        known=labels,
        grouped=unit is not None,
        rows=rows,
        batch_rows=batch_rows,
    )
    return entries, [*found.table.notes, *notes]


def _check_cells(source: Source, frame: nw.LazyFrame[Any], units: str | None) -> None:
    again, pair = repeated_pairs(source, frame, "row", "item")
    if again and pair is not None:
        raise InvalidDataError(
            f"{shorten(pair[1])} has more than one value in row {shorten(pair[0])}",
            way_out=["Keep one of them, or name another column as ", Option("row")],
        )
    if units is None:
        return
    ends = frame.with_columns(nw.col("unit").alias("other")).group_by("row")
    mixed = ends.agg(nw.col("unit").min(), nw.col("other").max()).filter(
        nw.col("unit") != nw.col("other")
    )
    found = source.collect(mixed.select("row").head(1), "checks of the groups")["row"]
    if len(found):
        raise InvalidDataError(
            f"entries of one row name different {shorten(units)}: row {shorten(found[0])}"
        )


def _without_gaps(
    source: Source, frame: nw.LazyFrame[Any], labels: tuple[object, ...], missing: str
) -> tuple[nw.LazyFrame[Any], int, list[str]]:
    """Return the entries that have a value, the number of rows, and what to say."""
    there = ~nw.col("value").is_null()
    if source.guarded(frame.collect_schema)["value"].is_float():
        there = there & ~nw.col("value").is_nan()
    filled = frame.filter(there)
    per_row = filled.group_by("row").agg(nw.len().alias("values"))
    every = source.numbers(
        frame.group_by("row").agg(nw.len().alias("values")).select(nw.len().alias("rows")), "sizes"
    )
    found = source.numbers(
        per_row.select(nw.len().alias("rows"), nw.col("values").sum().alias("values")), "sizes"
    )
    all_rows, rows, values = int(every["rows"]), int(found["rows"]), int(found["values"] or 0)
    gaps = all_rows * len(labels) - values
    if not gaps:
        return filled, rows, []
    if missing == "error":
        raise MissingValuesError(
            f"{gaps:,} of {all_rows * len(labels):,} values are missing",
            way_out=[
                "Drop the rows that have gaps with ",
                Option("missing", "drop"),
                ", or take means over the values that are there with ",
                Option("missing", "available"),
            ],
        )
    _check_filled(source, filled, labels)
    if missing == "available":
        return filled, rows, [f"{gaps:,} missing values left out of the means"]
    complete = per_row.filter(nw.col("values") == len(labels)).select("row")
    kept = int(source.numbers(complete.select(nw.len().alias("rows")), "sizes")["rows"])
    if not kept:
        raise MissingValuesError(
            "every row has a missing value, so that dropping them leaves nothing",
            way_out=[
                "Use ",
                Option("missing", "available"),
                ", or leave out the items with the most gaps.",
            ],
        )
    note = f"{all_rows - kept:,} rows with {gaps:,} missing values dropped"
    return filled.join(complete, on="row", how="semi"), kept, [note]


def _check_filled(source: Source, filled: nw.LazyFrame[Any], labels: tuple[object, ...]) -> None:
    left = item_labels(source, filled, None, MAX_ITEMS)
    empty = [label for label in labels if label not in set(left)]
    if empty:
        raise MissingValuesError(
            f"no values at all for {listing(map(shorten, empty))}", way_out="Leave these items out."
        )
