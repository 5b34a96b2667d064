"""``check(k).assert_stable()``: a gate in a test that fails where it should, in words that tell why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import Study, Votes
from steadyrank.errors import FileNotThereError, InvalidValueError, WrongDataError

if TYPE_CHECKING:
    from pathlib import Path

VOTES = Votes(["cyd"] * 40 + ["bob"] * 31 + ["abe"] * 30)
"""Any vote for bob decides who is second; nine for cyd must leave before bob is first."""


@pytest.mark.parametrize(
    ("k", "arguments", "words"),
    [
        (1, {}, None),
        (
            2,
            {},
            "31 of the 101 votes change the top 2 when removed: a share of 0.307 (0 allowed).",
        ),
        (2, {"max_delta": 31 / 101}, None),
        (2, {"max_delta": 30.9 / 101}, "bob         31  bob        abe"),
        (1, {"min_margin": 9}, None),
        (
            1,
            {"min_margin": np.int64(10)},
            "The margin is at least 9; 10 asked for: too few.",
        ),
        (
            2,
            {"max_delta": 0.5, "min_margin": 2},
            "The margin is at least 1; 2 asked for: too few.",
        ),
        (1, {"min_margin": 0}, None),
        (3, {"min_margin": 101}, None),
        (3, {"min_margin": 1000}, None),  # it never changes
    ],
)
def test_it_fails_where_the_check_does_and_says_why(
    k: int, arguments: dict[str, Any], words: str | None
) -> None:
    found = Study(VOTES).check(k, **arguments)
    assert found.stable is (words is None)
    if words is None:
        found.assert_stable()
    else:
        with pytest.raises(AssertionError) as caught:
            found.assert_stable()
        assert words in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [{"min_margin": given} for given in (-1, 1.5, "3", True)]
    + [{"max_delta": given} for given in (1, -0.1, "x", None, np.nan)],
    ids=str,
)
def test_no_gate_is_left_open_by_an_argument(wrong: dict[str, Any]) -> None:
    [name] = wrong
    with pytest.raises(InvalidValueError, match=f"^{name} must be"):
        Study(VOTES).check(1, **wrong)


def test_what_cannot_be_checked_is_no_failed_assertion(tmp_path: Path) -> None:
    with pytest.raises(FileNotThereError):
        Study(tmp_path / "nowhere.csv").check(1).assert_stable()
    with pytest.raises(WrongDataError):
        Study(VOTES, "borda").check(1).assert_stable()


def test_names_in_the_message_are_safe() -> None:
    with pytest.raises(AssertionError) as caught:
        Study(Votes(["a\x1b[1m"] * 3 + ["b\n::error::"] * 3)).check(1).assert_stable()
    assert str(caught.value).replace("\n", "").isprintable()
    assert r"a\x1b[1m" in str(caught.value)
