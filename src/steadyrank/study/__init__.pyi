from steadyrank.study.answers import (
    AnswerRow as AnswerRow,
    StableRanking as StableRanking,
    StableTopK as StableTopK,
)
from steadyrank.study.audit.audit import (
    Audit as Audit,
    Check as Check,
)
from steadyrank.study.audit.rows import (
    AuditRow as AuditRow,
    Flip as Flip,
    Flips as Flips,
)
from steadyrank.study.certificate import Certificate as Certificate
from steadyrank.study.comparison import Comparison as Comparison
from steadyrank.study.confidence import Confidence as Confidence
from steadyrank.study.curve import (
    StabilityCurve as StabilityCurve,
)
from steadyrank.study.explanation import (
    Explanation as Explanation,
    Rival as Rival,
)
from steadyrank.study.facts import Facts as Facts
from steadyrank.study.margin import Margin as Margin
from steadyrank.study.split import Split as Split, SplitAnswer as SplitAnswer
from steadyrank.study.study import Study as Study
