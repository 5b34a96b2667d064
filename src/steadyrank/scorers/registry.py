"""Which scorer to use: the usual one for a kind of data, or one by name."""

from __future__ import annotations

from dataclasses import MISSING, fields
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

from steadyrank.errors import InvalidSettingError, UnknownScorerError, WrongDataError

if TYPE_CHECKING:
    from steadyrank.scorers.base import Scorer

NAMED = {
    "approval": ("approval", "Approval"),
    "borda": ("borda", "Borda"),
    "bradley-terry": ("bradley_terry", "BradleyTerry"),
    "column-means": ("column_means", "ColumnMeans"),
    "constrained-least-squares": ("least_squares", "ConstrainedLeastSquares"),
    "mean-rating": ("mean_rating", "MeanRating"),
    "ordinary-least-squares": ("least_squares", "OrdinaryLeastSquares"),
    "plurality": ("plurality", "Plurality"),
    "ridge": ("least_squares", "Ridge"),
}
"""Where the scorers with a name live: module and class."""


def default_scorer(data: object) -> Scorer:
    """Return the usual scorer for a kind of data.

    It is the paper's where it has one: plurality for votes, the mean rating with shrinkage 1
    for ratings, constrained least squares for regressions. Ballots get Borda points, approval
    ballots the share of approvals, battles Bradley-Terry, and score matrices column means.

    Examples
    --------
    >>> from steadyrank.data import Ratings, Votes
    >>> default_scorer(Votes(["ann", "bob"]))
    Plurality()
    >>> default_scorer(Ratings(["u"], ["film"], [5])).name
    'mean rating (shrinkage 1)'
    """
    kind = getattr(data, "kind", None)
    if kind is None:
        raise WrongDataError("a scorer", "observations", data)
    approvals = kind.name == "ballots" and getattr(data, "approval", False)
    return named_scorer("approval" if approvals else kind.scorer)


def resolve_scorer(given: Any, data: Any) -> Scorer:
    """Return the scorer that was given, or the usual one for the data."""
    return default_scorer(data) if given is None else given


def scorer_names() -> tuple[str, ...]:
    """Return the names that :func:`named_scorer` knows.

    Examples
    --------
    >>> "mean-rating" in scorer_names()
    True
    """
    return tuple(NAMED)


def named_scorer(name: str, **settings: Any) -> Scorer:
    """Return a scorer by its name, as on a command line.

    Parameters
    ----------
    name : str
        One of :func:`scorer_names`; case, spaces, ``-`` and ``_`` do not matter.
    **settings
        The settings of that scorer; one that it does not have is an error.

    Examples
    --------
    >>> named_scorer("mean rating", shrinkage=5)
    MeanRating(shrinkage=5.0, value_range=None)
    >>> named_scorer("bord")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    steadyrank.errors.UnknownScorerError: there is no scorer called 'bord'. Did you mean 'borda'? ...
    """
    known = {_plain(known): known for known in NAMED}
    key = _plain(name)
    if key not in known:
        close = [known[match] for match in get_close_matches(key, known, n=1)]
        raise UnknownScorerError(name, scorer_names(), close)
    module, class_name = NAMED[known[key]]
    scorer = getattr(import_module(f"steadyrank.scorers.{module}"), class_name)
    _check_settings(known[key], scorer, settings)
    made: Scorer = scorer(**settings)
    return made


def _plain(name: object) -> str:
    return "".join(letter for letter in str(name).casefold() if letter.isalnum())


def _check_settings(name: str, scorer: Any, settings: dict[str, Any]) -> None:
    known = [field for field in fields(scorer) if field.init]
    allowed = ", ".join(field.name for field in known) or "none"
    for setting in settings:
        if setting not in {field.name for field in known}:
            raise InvalidSettingError(
                f"the scorer {name!r} has no setting {setting!r}. Its settings are: {allowed}."
            )
    for field in known:
        needed = field.default is MISSING and field.default_factory is MISSING
        if needed and field.name not in settings:
            raise InvalidSettingError(
                f"the scorer {name!r} needs a value for {field.name!r}. Its settings are: {allowed}."
            )
