"""Step 2, from scores to sets: arrays in, sets out; no labels, files or kinds of data here."""

from __future__ import annotations

from steadyrank._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
