from steadyrank.stability.answers import (
    AnswerRow as AnswerRow,
    StableRanking as StableRanking,
    StableTopK as StableTopK,
)
from steadyrank.stability.audit_rows import AuditRow as AuditRow
from steadyrank.stability.auditing import Audit as Audit, Check as Check
from steadyrank.stability.certificate import Certificate as Certificate
from steadyrank.stability.comparison import Comparison as Comparison
from steadyrank.stability.confidence_results import Confidence as Confidence
from steadyrank.stability.curve import (
    RankingCurve as RankingCurve,
    RemovalCurve as RemovalCurve,
    StabilityCurve as StabilityCurve,
)
from steadyrank.stability.explanation import Explanation as Explanation, Needed as Needed, Rival as Rival
from steadyrank.stability.margin_results import Margin as Margin
from steadyrank.stability.questions import (
    assert_stable as assert_stable,
    audit as audit,
    compare as compare,
    confidence as confidence,
    explain as explain,
    margin as margin,
    needed as needed,
    rank_confidence as rank_confidence,
    stable_ranking as stable_ranking,
    stable_topk as stable_topk,
    write_report as write_report,
)
from steadyrank.stability.random_audit import RandomAudit as RandomAudit
from steadyrank.stability.randomised import (
    RandomisedRow as RandomisedRow,
    random_ties as random_ties,
    randomised_audit as randomised_audit,
)
from steadyrank.stability.study import Study as Study
from steadyrank.stability.topk_audit import Flip as Flip, Flips as Flips
