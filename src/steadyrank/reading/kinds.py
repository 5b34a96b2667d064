"""What a kind of data declares about itself, once, for everything that reads or scores it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """The declaration of a kind of data.

    Parameters
    ----------
    name : str
        What users call it: ``"votes"``.
    unit : str
        What one unit is, in the singular, where no column says otherwise.
    scorer : str
        The name of the usual scorer.
    """

    name: str
    unit: str
    scorer: str
