"""Leave one unit out: studies, answers, audits, the delta(eps) curve and certificates.

The public names are those of the stub file beside this one.
"""

from __future__ import annotations

from steadyrank._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
