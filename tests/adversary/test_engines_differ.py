"""Odd files and odd paths: every engine gives the study that memory gives, or its refusal."""

from __future__ import annotations

import glob
import re
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from engine_makers import maker, need
from steadyrank import Battles, BradleyTerry, Ratings, Study
from steadyrank.errors import InvalidDataError, SteadyrankError
from steadyrank.sums.sparse import SparseEntries
from tests.adversary.odd_files import PATHS, odd_parts, odd_path, odd_typed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.adversary.conftest import Cases

VALUES = (
    r"there is (.*?)(?: in column.*| \(.*)?\Z",
    r"(user .* rated .*) more than once",
    r"(.* has more than one value in row .*)",
)
"""Where a refusal names the offending value; the others are compared word by word."""
IN_OTHER_WORDS = ("missing", "there are no")


def outcome(make: Callable[[], Any]) -> tuple[Any, ...]:
    """Return all that a study says, or the class of the refusal and the offending value."""
    try:
        with make() as data:
            return studied(data)
    except SteadyrankError as error:
        return "refused", type(error).__name__, offending(error)


def studied(data: Any) -> tuple[Any, ...]:
    scorer = BradleyTerry(ridge=1.0) if isinstance(data, Battles) else None
    units = data.units
    found = Study(data, scorer).audit(k=1, eps=0.1, methods=("topk", "inflated_topk"))
    rows = [(row.method, row.k, row.delta, row.size) for row in found.table]
    top = list(Study(data, scorer).topk(1, eps=0.1))
    scores = [score.hex() for score in found.scores.tolist()]
    listed = list(zip(map(repr, units.labels), units.counts.tolist(), strict=True))
    if units.kind in {"vote", "battle"}:
        listed.sort()
    return (
        "studied",
        list(map(repr, data.items)),
        units.kind,
        listed,
        scores,
        rows,
        list(map(repr, top)),
    )


def offending(error: SteadyrankError) -> str:
    for pattern in VALUES:
        if found := re.search(pattern, error.problem, re.DOTALL):
            return found[1]
    return (
        "" if any(word in error.problem for word in IN_OTHER_WORDS) else error.problem
    )


def same(
    kind: Any,
    path: Path,
    engine: str,
    arguments: dict[str, Any],
    pattern: str | None = None,
) -> bool:
    """Compare one file read into memory and scanned; return whether it was refused."""
    loaded = outcome(lambda: kind.read(path, **arguments))
    scanned = outcome(lambda: kind.scan(pattern or path, engine=engine, **arguments))
    if "decimal places" in str(scanned[-1]):  # what is not added up in whole numbers
        assert (
            loaded[0] == "refused"
            or not kind.read(path, **arguments).entries.form.whole
        )
        return True
    assert scanned == loaded, (kind, arguments, str(path), path.read_bytes()[:2000])
    return bool(loaded[0] == "refused")


def write(table: Any, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        pq.write_table(table, file)
    return path


def odd_parquet_is_read_alike(cases: Any, folder: Path, engine: str) -> list[bool]:
    refused = []
    for number, rng in enumerate(cases):
        # Spark refuses whole numbers beyond 64 bits by name.
        kind, table, arguments = odd_typed(rng, beyond_int64=engine != "spark")
        path = write(table, folder / str(number) / f"{odd_path(rng)}.parquet")
        refused.append(same(kind, path, engine, arguments))
    return refused


def odd_parts_are_read_alike(cases: Any, folder: Path, engine: str) -> list[bool]:
    """Several files by a pattern with an odd name, against one file in memory."""
    refused = []
    for number, rng in enumerate(cases):
        kind, table, arguments = odd_typed(rng, beyond_int64=engine != "spark")
        place = (
            folder / str(number) / str(rng.choice(["a[1]", "user=7", "_x", "plain"]))
        )
        cuts = [
            0,
            *sorted(rng.integers(0, table.num_rows + 1, 2).tolist()),
            table.num_rows,
        ]
        for part, (low, high) in enumerate(pairwise(cuts)):
            write(
                table.slice(low, high - low),
                place / f"{part}-{rng.choice(ONE_NAME)}.parquet",
            )
        path = write(table, folder / f"{number}-whole.parquet")
        pattern = f"{glob.escape(str(place))}/*.parquet"
        refused.append(same(kind, path, engine, arguments, pattern))
    return refused


ONE_NAME = [name for name in PATHS if "/" not in name]
WAYS = {
    "parquet": (odd_parquet_is_read_alike, 30),
    "parts": (odd_parts_are_read_alike, 10),
}


@pytest.mark.parametrize("way", WAYS)
def test_odd_files(tmp_path: Path, cases: Cases, in_ci: bool, way: str) -> None:
    need("duckdb", in_ci)
    compare, short = WAYS[way]
    refused = compare(cases(short), tmp_path, "duckdb")
    assert (
        0 < sum(refused) < 0.9 * len(refused)
    )  # the cases must not all be of one sort


@pytest.mark.spark
@pytest.mark.parametrize("way", WAYS)
def test_odd_files_in_spark(
    tmp_path: Path, cases: Cases, spark_session: Any, way: str
) -> None:
    WAYS[way][0](cases(2), tmp_path, "spark")  # every case takes seconds


def test_single_precision_is_written_in_one_form(cases: Cases, in_ci: bool) -> None:
    """Whatever the order of the rows, and however many are looked at together."""
    need("duckdb", in_ci)
    for rng in cases(15):
        whole, parts = (
            rng.choice([2.0, 99999.0, 123456.0, 1e6], 9),
            rng.choice([0.5, 0.1, 2.0, 0.33], 9),
        )
        values = np.concatenate(
            [whole, parts] if rng.random() < 0.7 else [parts, whole]
        ).astype("f4")
        size = len(values)
        users, items = np.arange(size), rng.integers(0, 3, size)
        loaded = Ratings(users, items, values)
        looked_at = SparseEntries(
            loaded.indptr, loaded.rated, loaded.values, loaded.n_items, scan=3
        )
        forms = [vars(entries.form) for entries in (looked_at, loaded.entries)]
        relation = maker("duckdb")({"user": users, "item": items, "rating": values})
        if loaded.entries.form.whole:
            with Ratings.scan(relation) as scanned:
                forms.append(vars(scanned.entries.form))
        else:
            with pytest.raises(InvalidDataError, match="at most 6 decimal places"):
                Ratings.scan(relation)
        for name, written in forms[0].items():
            for form in forms[1:]:
                np.testing.assert_array_equal(form[name], written)


def test_means_of_repeated_ratings(cases: Cases) -> None:
    """The same bits in any order of rows, right by fractions, whatever the other items hold."""
    for rng in cases(15):
        size = int(rng.integers(3, 40))
        users, items = rng.integers(0, 4, size), rng.integers(0, 3, size)
        values = np.where(
            items == 0, rng.choice([1.0, 3e7, 1e30], size), rng.normal(size=size)
        )
        if rng.random() < 0.4:
            values = rng.integers(0, 50, size) / 10
        order = rng.permutation(size)
        loaded = Ratings(users, items, values, duplicates="mean")
        again = Ratings(users[order], items[order], values[order], duplicates="mean")
        assert loaded.values.tolist() == again.values.tolist()
        twins: dict[tuple[int, int], list[Fraction]] = {}
        for user, item, value in zip(
            users.tolist(), items.tolist(), values.tolist(), strict=True
        ):
            twins.setdefault((user, item), []).append(Fraction(value))
        means = [float(sum(twin) / len(twin)) for _, twin in sorted(twins.items())]
        sizes = np.zeros(3)
        np.maximum.at(sizes, items, np.abs(values))
        largest = [float(max(map(abs, twin))) for _, twin in sorted(twins.items())]
        # Sums are exact to so much of the largest value of their item.
        close = (
            1e-15 * np.array(largest)
            + 2.0**-60 * sizes[[item for _, item in sorted(twins)]]
        )
        assert (np.abs(loaded.values - means) <= close).all()


def test_text_in_several_files_is_one_table_in_memory(
    tmp_path: Path, cases: Cases
) -> None:
    """A list of CSV files, odd labels and numbers among them, against one file with all rows."""
    refused = []
    for number, rng in enumerate(cases(30)):
        whole, parts = odd_parts(rng, int(rng.integers(2, 4)))
        paths = [
            file.write(tmp_path / str(number), f"{part}-{rng.choice(ONE_NAME)}", ".csv")
            for part, file in enumerate(parts)
        ]
        path = whole.write(tmp_path, f"{number}-whole", ".csv")
        one, several = (
            outcome(lambda source=source: whole.kind.read(source, **whole.arguments))  # type: ignore[misc]  # noqa: B023
            for source in (path, paths)
        )
        if one[0] == "refused":
            one, several = one[:2], several[:2]  # lines of another file
        assert several == one, (whole.content, [file.content for file in parts])
        refused.append(one[0] == "refused")
    assert 0 < sum(refused) < 0.9 * len(refused)
