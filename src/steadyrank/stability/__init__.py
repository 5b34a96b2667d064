"""Leave one unit out: audits, the delta(eps) curve, calibration, certificates, and answers."""

from steadyrank.stability.answers import (
    AnswerRow,
    StableRanking,
    StableTopK,
    stable_ranking,
    stable_topk,
)
from steadyrank.stability.audit import Audit, audit
from steadyrank.stability.certificate import Certificate
from steadyrank.stability.curve import StabilityCurve
from steadyrank.stability.flips import Flip, Flips
from steadyrank.stability.outcomes import Outcome

__all__ = [
    "AnswerRow",
    "Audit",
    "Certificate",
    "Flip",
    "Flips",
    "Outcome",
    "StabilityCurve",
    "StableRanking",
    "StableTopK",
    "audit",
    "stable_ranking",
    "stable_topk",
]
