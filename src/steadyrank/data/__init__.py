"""What was observed: one frozen class for each kind, and the readers."""

from __future__ import annotations

from steadyrank.data.ballots import Ballots
from steadyrank.data.battles import Battles
from steadyrank.data.estimates import Estimates
from steadyrank.data.kinds import read_any, scan_any
from steadyrank.data.observations import Observations
from steadyrank.data.ratings import Ratings
from steadyrank.data.regression import Regression
from steadyrank.data.scanned import ScannedEntries
from steadyrank.data.score_matrix import ScoreMatrix
from steadyrank.data.units import Units
from steadyrank.data.votes import Votes

__all__ = [
    "Ballots",
    "Battles",
    "Estimates",
    "Observations",
    "Ratings",
    "Regression",
    "ScannedEntries",
    "ScoreMatrix",
    "Units",
    "Votes",
    "read_any",
    "scan_any",
]
