"""Rankings that do not flip when one data point leaves.

Data become scores, scores become a *set* of answers, and the set is what stays put when a voter, a
user or a question is left out. The public names are those of the stub file beside this one; each is
loaded when it is first used, so that importing steadyrank costs little more than importing NumPy.
"""

from __future__ import annotations

from steadyrank._lazy import attach

__version__ = "0.1.0"
__getattr__, __dir__ = attach(__name__, __file__)
