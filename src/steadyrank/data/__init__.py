"""What was observed: one frozen class for each kind, and the readers."""

from __future__ import annotations

from steadyrank._lazy import attach

__getattr__, __dir__ = attach(__name__, __file__)
