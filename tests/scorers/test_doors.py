"""The seams of scorers fit on a screen, and their settings are declared."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np
import pytest

from steadyrank.errors import InvalidSettingError
from steadyrank.margins.pairs import PairMargins
from steadyrank.operators.checks import Range, setting
from steadyrank.scorers import LeaveOneOut, Scorer
from steadyrank.scorers.registry import NAMED, _class_of


def members(door: type) -> set[str]:
    """Return the public names of a class, also those that are only announced."""
    return {
        name
        for name in (*vars(door), *door.__annotations__)
        if not name.startswith("_")
    }


def test_a_scorer_has_eight_members() -> None:
    assert members(Scorer) == {
        *(
            "name",
            "takes",
            "resolution",
            "prepared",
            "score",
            "leave_one_out",
            "sums",
            "sensitivity",
        )
    }


def test_leave_one_out_scores_have_eight_members() -> None:
    assert members(LeaveOneOut) == {
        *(
            "scores",
            "units",
            "blocks",
            "bounds",
            "shifts",
            "columns",
            "reordered",
            "touching",
        )
    }


def test_margins_of_pairs_have_five_members() -> None:
    assert members(PairMargins) == {"rule", "certified", "at_least", "fewest", "remove"}


@pytest.mark.parametrize(
    ("allowed", "fine", "wrong", "words"),
    [
        (
            Range(),
            [-1e300, 0, np.float32(2)],
            [math.inf, math.nan, "1", None],
            "a finite number",
        ),
        (Range(0.0), [0, 7.5], [-1e-300], "a finite number from 0 on"),
        (Range(1.0, above=True), [1.5], [1, 0], "a finite number above 1"),
        (
            Range(0.0, 0.5, below=True),
            [0.0, 0.49],
            [0.5],
            "a finite number from 0 to below 0.5",
        ),
        (
            Range(0.0, 2.0, optional=True),
            [None, 2],
            [2.1, "x"],
            "a finite number from 0 to 2",
        ),
    ],
)
def test_ranges(
    allowed: Range, fine: list[object], wrong: list[object], words: str
) -> None:
    assert [value in allowed for value in fine] == [True] * len(fine)
    assert [value in allowed for value in wrong] == [False] * len(wrong)
    assert str(allowed) == words


def test_a_setting_outside_its_declaration_is_refused_by_name() -> None:
    @dataclass(frozen=True)
    class Mine(Scorer):
        name = "mine"
        share: float = setting(0.5, Range(0.0, 1.0, way_out="A half is usual."))
        way: str = setting("up", ("up", "down"))

        def score(self, data):  # type: ignore[no-untyped-def]
            return data.values.mean(axis=0)

    assert Mine(1, "down").share == 1
    with pytest.raises(
        InvalidSettingError, match=r"share must be .* 0 to 1, but is 2\. A half"
    ):
        Mine(2)
    with pytest.raises(
        InvalidSettingError, match="way must be up or down, but is 'left'"
    ):
        Mine(way="left")


@pytest.mark.parametrize("name", NAMED)
def test_every_number_of_every_scorer_is_declared(name: str) -> None:
    numbers = [
        part for part in fields(_class_of(name)) if str(part.type).startswith("float")
    ]
    assert all("allowed" in part.metadata for part in numbers)
