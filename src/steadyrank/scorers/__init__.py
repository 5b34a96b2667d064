"""Step 1, from data to scores, each scorer with its exact leave-one-out scores.

A scorer's module is loaded when its name is first used, so that importing this package loads
neither SciPy nor anything else that one scorer needs and the others do not. Which names users may type
for them stands in :mod:`steadyrank.scorers.registry`.
"""

from __future__ import annotations

from steadyrank._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
