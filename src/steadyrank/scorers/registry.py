"""Which scorer to use: the usual one for a kind of data, or one by name, object or function."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from typing import Any, cast

from steadyrank.data.observations import Observations, usual_scorer
from steadyrank.errors import InvalidSettingError, shorten
from steadyrank.scorers.base import Scorer, check_kind

NAMED = {
    "approval": "voting.Approval",
    "borda": "voting.Borda",
    "bradley-terry": "bradley_terry.scorer.BradleyTerry",
    "condorcet": "pairwise.Condorcet",
    "constrained-least-squares": "least_squares.ConstrainedLeastSquares",
    "copeland": "pairwise.Copeland",
    "elo": "elo.Elo",
    "instant-runoff": "voting.InstantRunoff",
    "mean": "means.Mean",
    "mean-rank": "means.MeanRank",
    "mean-win-rate": "means.MeanWinRate",
    "median": "means.Median",
    "ordinary-least-squares": "least_squares.OrdinaryLeastSquares",
    "plurality": "voting.Plurality",
    "points": "voting.TotalPoints",
    "ridge": "least_squares.Ridge",
    "trimmed-mean": "means.TrimmedMean",
    "win-rate": "means.WinRate",
}
"""Registration, one line for each scorer: what users call it, its module and its class.

Modules are loaded when they are first needed.
"""
RECIPES = ("eigenvector", "pagerank")
"""Functions of the guide to scorers of one's own, which have no name here."""


def resolve_scorer(given: object, data: Observations) -> Scorer:
    """Return the scorer that was asked for, or the usual one, for these data.

    Parameters
    ----------
    given : None, str, scorer, callable or estimator
        As for :func:`as_scorer`; None for the usual one of this kind of data.
    data : Observations
        What is to be scored; a scorer that does not take this kind is refused.

    Examples
    --------
    >>> from steadyrank.data import Votes
    >>> resolve_scorer(None, Votes(["ann", "bob"])), resolve_scorer("plurality", Votes(["ann"]))
    (Plurality(), Plurality())
    """
    scorer = default_scorer(data) if given is None else as_scorer(given)
    scorer.prepared(data)
    return scorer


def as_scorer(given: object) -> Scorer:
    """Return the scorer that an object stands for.

    Parameters
    ----------
    given : str, scorer, callable or estimator
        A name, with settings or without (``"mean:shrinkage=5"``); a scorer; a scikit-learn
        estimator or a function from data to scores, which is then refitted without each unit.

    Examples
    --------
    >>> as_scorer("mean:shrinkage=5")
    Mean(shrinkage=5.0, value_range=None, empty=None)
    >>> as_scorer(lambda votes: votes.tally).name
    'refit of <lambda>'
    """
    if isinstance(given, str):
        return named_scorer(given)
    if isinstance(given, Scorer):
        return given
    from steadyrank.scorers.refit import Refit, is_estimator

    if not isinstance(given, type) and (is_estimator(given) or callable(given)):
        return Refit(given)
    raise InvalidSettingError(
        "a scorer is a name, an object such as Plurality(), a function from data to scores, or a "
        f"scikit-learn estimator, but there is {shorten(given)}",
        way_out=f"The names are: {', '.join(NAMED)}.",
    )


def default_scorer(data: Observations) -> Scorer:
    """Return the usual scorer for some data: as their kind says, or the role that they were read by.

    It is the paper's where it has one: plurality for votes, the sum of ratings over 1 + their number,
    constrained least squares for regressions. Orders get Borda points, approvals their share, battles
    Bradley-Terry, and scores the mean. It never depends on the unit.

    Examples
    --------
    >>> from steadyrank.data import Ratings, Votes
    >>> default_scorer(Votes(["ann", "bob"]))
    Plurality()
    >>> default_scorer(Ratings(["u"], ["film"], [5])).name
    'mean (shrinkage 1)'
    """
    check_kind(data, (), scorer="a scorer")
    return named_scorer(usual_scorer(data))


def scorer_names() -> tuple[str, ...]:
    """Return the names that :func:`named_scorer` knows.

    Examples
    --------
    >>> "mean" in scorer_names()
    True
    """
    return tuple(NAMED)


def named_scorer(text: str, **settings: Any) -> Scorer:
    """Return a scorer by its name, as on a command line.

    Parameters
    ----------
    text : str
        One of :func:`scorer_names`; case, spaces, ``-`` and ``_`` do not matter. Settings may follow
        a colon: ``"ridge:penalty=2"``, ``"mean:value_range=0..1"``. Points of
        places need no name: ``"points:5,4,3,2,1"``.
    **settings
        The settings of that scorer; one that it does not have is an error.

    Examples
    --------
    >>> named_scorer("mean", shrinkage=5)
    Mean(shrinkage=5.0, value_range=None, empty=None)
    >>> named_scorer("mean:value_range=0..1")
    Mean(shrinkage=0.0, value_range=(0.0, 1.0), empty=None)
    >>> named_scorer("bord")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    steadyrank.errors.InvalidSettingError: there is no scorer called 'bord'. Did you mean 'borda'? ...
    """
    name, _, written = text.partition(":")
    known = {_plain(known): known for known in NAMED}
    key = _plain(name)
    if key not in known:
        close = [
            f"Did you mean {known[match]!r}? "
            for match in get_close_matches(key, known, n=1)
        ]
        if key in RECIPES:
            close = [
                "Give it as a function, in Python: docs/guides/your-scorer.md has it. "
            ]
        names = f"{''.join(close)}The names are: {', '.join(scorer_names())}."
        raise InvalidSettingError(
            f"there is no scorer called {shorten(name)}", way_out=names
        )
    parts = [part for part in written.split(",") if part.strip()]
    made = _class_of(known[key])
    listed = [part for part in parts if "=" not in part]
    if listed and hasattr(
        made, "listed"
    ):  # the setting that numbers without a name are
        settings[made.listed] = [_value(part.strip()) for part in listed]
        parts = [part for part in parts if "=" in part]
    settings |= dict(map(_setting, parts))
    allowed = signature(made)
    try:
        allowed.bind(**settings)
    except TypeError as error:
        other = [repr(given) for given in settings if given not in allowed.parameters]
        problem = f"has no setting {other[0]}" if other else f"is not complete: {error}"
        told = f"Its settings are: {', '.join(allowed.parameters) or 'none'}."
        raise InvalidSettingError(
            f"the scorer {known[key]!r} {problem}", way_out=told
        ) from None
    return cast("Scorer", made(**settings))


def _plain(name: object) -> str:
    return "".join(letter for letter in str(name).casefold() if letter.isalnum())


def _class_of(name: str) -> Any:
    module, _, class_name = NAMED[name].rpartition(".")
    return getattr(import_module(f"steadyrank.scorers.{module}"), class_name)


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise InvalidSettingError(
            f"a setting is written name=value, but there is {shorten(text)}",
            way_out="An example: mean:shrinkage=5.",
        )
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    """Return a number, a range such as 0..1, or the text itself."""
    low, dots, high = text.partition("..")
    if dots and low and high:
        return (_value(low), _value(high))
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text
