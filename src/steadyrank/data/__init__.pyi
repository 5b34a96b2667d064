from steadyrank.data.ballots import Ballots as Ballots
from steadyrank.data.battles import Battles as Battles
from steadyrank.data.observations import Observations as Observations
from steadyrank.data.ratings import Ratings as Ratings
from steadyrank.data.read import read_any as read_any, scan_any as scan_any
from steadyrank.data.regression import Regression as Regression
from steadyrank.data.scanned import ScannedEntries as ScannedEntries
from steadyrank.data.score_matrix import ScoreMatrix as ScoreMatrix
from steadyrank.data.units import Units as Units
from steadyrank.data.votes import Votes as Votes
