"""How numbers are held and averaged: alike in memory and in engines, in any order of rows."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine_makers import need, relation, scan_ratings
from steadyrank import Ratings
from steadyrank.errors import InvalidDataError
from steadyrank.sums.sparse import SparseEntries

if TYPE_CHECKING:
    from tests.adversary.conftest import Cases


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
        rows = relation({"user": users, "item": items, "rating": values})
        if loaded.entries.form.whole:
            with scan_ratings(rows) as scanned:
                forms.append(vars(scanned.entries.form))
        else:
            with pytest.raises(InvalidDataError, match="at most 6 decimal places"):
                scan_ratings(rows)
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
