"""What every result says about how it was made: the unit, ties, and what the data say themselves."""

from __future__ import annotations

from typing import Any

from steadyrank.errors import WrongDataError

TIES = (
    "equal scores: the smaller item index wins in plain answers; "
    "equal scores enter inflated ones together"
)


def policies(data: Any) -> tuple[str, ...]:
    """Return the notes of the data (guesses, missing values), then the unit and the rule for ties.

    Examples
    --------
    >>> from steadyrank.data import Votes
    >>> policies(Votes(["ann", "bob", "ann"]))[0]
    'the unit that may leave: one vote, of 3'
    """
    unit = f"the unit that may leave: one {data.units.kind}, of {data.units.total:,}"
    return (*getattr(data, "notes", ()), unit, TIES)


def checked_items(data: Any, scorer: str) -> tuple[object, ...]:
    """Return the labels of the items, or complain about data that have none."""
    if not hasattr(data, "units") or not hasattr(data, "items"):
        wanted = "observations (Votes, Ballots, Ratings, Battles, ScoreMatrix or Regression)"
        raise WrongDataError(scorer, wanted, type(data).__name__, way_out="Make them such first.")
    return tuple(data.items)
