"""Leave one unit out: studies, answers, audits, the delta(eps) curve and certificates."""

from steadyrank.stability.answers import AnswerRow, StableRanking, StableTopK
from steadyrank.stability.audit_rows import AuditRow
from steadyrank.stability.auditing import Audit, Check
from steadyrank.stability.certificate import Certificate
from steadyrank.stability.curve import StabilityCurve
from steadyrank.stability.study import Study, audit, stable_ranking, stable_topk, write_report
from steadyrank.stability.topk_audit import Flip, Flips

__all__ = [
    "AnswerRow",
    "Audit",
    "AuditRow",
    "Certificate",
    "Check",
    "Flip",
    "Flips",
    "StabilityCurve",
    "StableRanking",
    "StableTopK",
    "Study",
    "audit",
    "stable_ranking",
    "stable_topk",
    "write_report",
]
