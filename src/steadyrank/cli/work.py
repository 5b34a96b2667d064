"""From options to a study, which answers whatever a command asks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.cli.inputs import STANDARD_INPUT, load, scorer_named
from steadyrank.cli.output import working
from steadyrank.errors import InvalidValueError, shorten

if TYPE_CHECKING:
    from steadyrank.cli.options import InputOptions
    from steadyrank.stability.study import Study


@dataclass(frozen=True)
class Opened:
    """A study of a file, and what findings say about the file."""

    study: Study
    source: str
    policies: dict[str, str]

    @property
    def about(self) -> dict[str, Any]:
        """What findings take about the file."""
        return {"source": self.source, "policies": self.policies}


def open_study(source: InputOptions, scorer: str | None = None) -> Opened:
    """Read the data and return a study of them."""
    from steadyrank.stability.study import Study

    given = scorer_named(scorer)
    with working("Reading"):
        data = load(source)
    name = STANDARD_INPUT if source.file == STANDARD_INPUT else Path(source.file).name
    return Opened(Study(data, given), name, _policies(source))


WORDS = {
    ("missing", "error"): "Missing values are refused.",
    ("missing", "drop"): "Rows with missing values were left out.",
    ("missing", "available"): "Means are over the values that are there.",
    ("duplicates", "error"): "Two ratings of one item by one user are refused.",
    ("duplicates", "last"): "Of several ratings of one item by one user, the last one counts.",
    ("duplicates", "mean"): "Several ratings of one item by one user count as their mean.",
    ("duplicates", "trust"): "Nobody looked for several ratings of one item by one user.",
}
"""The policies that options choose, in plain words."""


def _policies(source: InputOptions) -> dict[str, str]:
    chosen = {"missing": source.missing, "duplicates": source.duplicates}
    return {name: WORDS.get((name, value), value) for name, value in chosen.items() if value is not None}


def parse_ks(text: str) -> list[int]:
    """Return the whole numbers in a list such as ``5,10,20``.

    Examples
    --------
    >>> parse_ks("5,10, 20")
    [5, 10, 20]
    """
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidValueError(
            f"-k takes whole numbers separated by commas, such as 5,10,20, but is {shorten(text)}."
        ) from None
