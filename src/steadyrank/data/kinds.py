"""The kinds of data: what each is called, what one unit of it is, and how it is scored."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of data.

    Parameters
    ----------
    name : str
        What users call it: ``"votes"``.
    unit : str
        What one unit is, in the singular, where no column says otherwise.
    observation : str
        What stands behind an item and is counted for it, in the singular.
    scorer : str
        The usual scorer, as on the command line.
    """

    name: str
    unit: str
    observation: str
    scorer: str


VOTES = Kind("votes", "vote", "vote", "plurality")
BALLOTS = Kind("ballots", "ballot", "ballot", "borda")
RATINGS = Kind("ratings", "user", "rating", "mean:shrinkage=1")
SCORES = Kind("scores", "row", "score", "mean")
BATTLES = Kind("battles", "battle", "battle", "bradley-terry")
REGRESSION = Kind("regression", "row", "row", "constrained-least-squares")
