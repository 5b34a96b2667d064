"""What one asks of data, as functions: each makes a study of them, or takes one, and asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyrank.data.estimates import Estimates
from steadyrank.data.kinds import as_observations
from steadyrank.errors import InvalidValueError, Option
from steadyrank.operators.states import MAX_STATES
from steadyrank.study.audit.audit import METHODS
from steadyrank.study.confidence import DRAWS
from steadyrank.study.study import Study

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from steadyrank.study import (
        Audit,
        Confidence,
        Explanation,
        Margin,
        Needed,
        StableRanking,
        StableTopK,
    )
    from steadyrank.study.audit.rows import Operator
    from steadyrank.study.calibration import Claim
    from steadyrank.study.certificate import Guarantee
    from steadyrank.study.comparison import Comparison


def as_study(data: Any, scorer: object = None) -> Study:
    """Return a study of data, of a file or of a frame; or the study itself, which has its scorer."""
    if not isinstance(data, Study):
        return Study(as_observations(data), scorer)
    if scorer is not None:
        raise InvalidValueError(
            f"this study scores by {data.scorer.name} and cannot take another scorer",
            way_out=["Omit ", Option("scorer"), ", or make another study with it."],
        )
    return data


def stable_topk(
    data: Any,
    k: int,
    *,
    delta: float = 0.0,
    eps: float | None = None,
    guarantee: Guarantee = "cover",
    claim: Claim = "observed",
    scorer: object = None,
    removals: int = 1,
) -> StableTopK:
    """Return the k best items, where each of them stands, and a list that holds whoever leaves.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression, Study, path or dataframe
        The observations, or a study of them; a file or a frame is read by :func:`read_any`.
    k : int
        How many items are wanted.
    delta : float
        The share of units whose removal may break the list; none unless you ask for it. The tightest
        eps that keeps to it is chosen.
    eps : float, optional
        An inflation of your own instead.
    guarantee : {"cover", "overlap"}
        What the list promises: ``cover``, that the new plain top k (the new plain ranking) is inside it,
        or ``overlap``, the promise of the paper, that the new list shares k items with it (rankings: a
        ranking). A covering list overlaps, too.
    claim : {"observed", "proved", "none"}
        What to claim. ``observed`` leaves out every unit of this dataset, unless the eps that you give
        is proved to be large enough for any dataset of this size; ``proved`` takes only rules that
        hold for every such dataset; ``none`` (with eps) checks nothing and claims nothing.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.
    removals : int
        The list holds whichever units leave, up to so many of them together. For more than 1, eps is the
        smallest that the scorer's bounds certify, and a scorer without such bounds is refused.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> votes = Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30)
    >>> answer = stable_topk(votes, k=2)
    >>> answer.sure, answer.contenders, answer.margin.lower
    (('cyd',), ('abe', 'bob'), 1)
    >>> [len(stable_topk(votes, k=1, removals=m)) for m in (9, 10)]
    [1, 3]
    """
    return as_study(data, scorer).topk(
        k, delta=delta, eps=eps, guarantee=guarantee, claim=claim, removals=removals
    )


def stable_ranking(
    data: Any,
    *,
    delta: float = 0.0,
    eps: float | None = None,
    guarantee: Guarantee = "cover",
    claim: Claim = "observed",
    scorer: object = None,
    removals: int = 1,
) -> StableRanking:
    """Return the rankings that one unit more or less could make the plain one.

    Parameters are those of :func:`stable_topk`. eps is the smallest at which at most a share ``delta``
    of the units has a plain ranking that is not in the set, or shares no ranking with it: exactly, or
    for very many fitted items a bound, which the certificate says.

    Examples
    --------
    >>> from steadyrank import Votes, stable_ranking
    >>> answer = stable_ranking(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30))
    >>> answer.tiers
    (('ann',), ('bob', 'cyd'))
    """
    return as_study(data, scorer).ranking(
        delta=delta, eps=eps, guarantee=guarantee, claim=claim, removals=removals
    )


def audit(  # noqa: PLR0913 (all but two by name)
    data: Any,
    k: int | Iterable[int],
    *,
    eps: float | None = None,
    delta: float = 0.0,
    guarantee: Guarantee = "cover",
    scorer: object = None,
    methods: Iterable[str] = METHODS,
    operators: Mapping[str, Operator] | None = None,
    max_states: int = MAX_STATES,
    removals: int = 1,
    samples: int | None = None,
    seed: int = 0,
    recalibrate: bool = False,
) -> Audit:
    r"""Leave every unit out in turn and measure how stable each method's answer is.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression, Study, path or dataframe
        The observations, or a study of them; a file or a frame is read by :func:`read_any`.
    k : int or several
        How many items are wanted.
    eps : float, optional
        One inflation for all inflated answers. It stays fixed across the data sets D\i.
    delta, guarantee
        Where no eps is given, each inflated answer has the one that :func:`stable_topk` or
        :func:`stable_ranking` would choose for these.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.
    methods : iterable of str
        Which of ``topk``, ``inflated_topk``, ``ranking``, ``inflated_ranking`` to audit.
    operators : mapping, optional
        Operators of your own by name: functions of (scores, k) that give item indices or a mask, or
        functions of the scores alone that give rankings: a collection of them (item indices, best
        first), or an object with a method ``intersects(other)``, as a :class:`RankingSet` has;
        ``count()`` and ``in`` are asked where it has them, for its size and for what it covers.
    max_states : int
        The limit for counting rankings; beyond it the size says "not counted".
    removals : int
        How many units leave together. One: every unit, exactly. Several: random sets of so many, every
        set as likely as any other, and a :class:`RandomAudit` of what was observed. They are scored
        through joblib where the scorer refits, and not kept in its checkpoint.
    samples, seed : int, optional
        How many such sets are drawn (1,000 unless given; refused for one removal) and the seed. What is
        drawn does not depend on the number of workers.
    recalibrate : bool
        Choose eps anew without each unit, as somebody would who runs it all again, and tell how often
        the two answers then part. This takes as many audits as there are distinct units.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, audit
    >>> for row in audit(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]), 2, eps=0.5):
    ...     print(row.method, row.k, row.delta, row.uncovered, row.size)
    topk 2 0.25 0.25 2
    inflated_topk 2 0.0 0.25 2
    ranking None 0.25 0.25 1
    inflated_ranking None 0.0 0.25 1
    """
    return as_study(data, scorer).audit(
        k,
        eps=eps,
        delta=delta,
        guarantee=guarantee,
        methods=methods,
        operators=operators,
        max_states=max_states,
        removals=removals,
        samples=samples,
        seed=seed,
        recalibrate=recalibrate,
    )


def write_report(  # noqa: PLR0913 (all but three by name)
    data: Any,
    k: int,
    path: str | os.PathLike[str],
    *,
    delta: float = 0.0,
    eps: float | None = None,
    scorer: object = None,
    guarantee: Guarantee = "cover",
    claim: Claim = "observed",
    title: str | None = None,
    source: str | None = None,
    confidence: float | None = None,
) -> Path:
    """Write the report of a stable top-k as one HTML file, and return its path.

    Parameters
    ----------
    data, k, delta, eps, scorer, guarantee, claim
        As for :func:`steadyrank.stable_topk`. With ``claim="none"`` no unit is left out, so the report
        has no curve and no flips.
    path : path
        The file to write. It appears complete or not at all.
    title : str, optional
        A heading of your own.
    source : str, optional
        What to call the data, for example the name of a file.
    confidence : float, optional
        Also show which ranks the true scores may have, with this confidence: another question.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from steadyrank import Votes, write_report
    >>> votes = Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(votes, 2, Path(folder) / "report.html").name
    'report.html'
    """
    how: dict[str, Any] = {"delta": delta, "eps": eps, "guarantee": guarantee, "claim": claim}
    how |= {"title": title, "source": source, "confidence": confidence}
    return as_study(data, scorer).report(path, k, **how)


def assert_stable(
    data: Any,
    k: int,
    *,
    max_delta: float = 0.0,
    eps: float | None = None,
    min_margin: int | None = None,
    scorer: object = None,
) -> None:
    """Fail a test unless the top k is stable: :meth:`Study.check`, as an assertion.

    Parameters are those of :meth:`Study.check`; ``data`` and ``scorer`` are as in :func:`stable_topk`.

    Raises
    ------
    AssertionError
        In the words of the check: who changes the top k, how many must leave, what would pass.

    Examples
    --------
    >>> from steadyrank import Votes, assert_stable
    >>> votes = Votes(["cyd"] * 40 + ["bob"] * 31 + ["abe"] * 30)
    >>> assert_stable(votes, k=1, min_margin=9)
    >>> try:
    ...     assert_stable(votes, k=2)
    ... except AssertionError as error:
    ...     print(str(error).splitlines()[0])
    UNSTABLE: plain top 2
    """
    __tracebackhide__ = True  # pytest shows the test that called
    study = as_study(data, scorer)
    found = study.check(k, max_delta=max_delta, eps=eps, min_margin=min_margin)
    if not found.stable:
        raise AssertionError(str(found))


def margin(
    data: Any,
    k: int | None = None,
    *,
    item: object = None,
    pair: tuple[object, object] | None = None,
    eps: float | None = None,
    by: str = "remove",
    scorer: object = None,
) -> Margin:
    """Return how many units must leave together before the plain answer changes.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression, Study, path or dataframe
        The observations, or a study of them; a file or a frame is read by :func:`read_any`.
    k : int, optional
        The top k in question; without it (and without a pair) the full ranking.
    item : label, optional
        How many units this item is away from leaving the top k, or from entering it.
    pair : two labels, optional
        How many units must leave for the one behind to pass the one ahead.
    eps : float, optional
        Instead of the plain top k, the inflated one: how many units must leave before the old and the
        new one share fewer than k items.
    by : {"remove", "add", "change"}
        What happens to units: they leave; others are added, as in ballot stuffing; or they change. The
        last two where it is known what a unit could say: for votes, ballots and single battles, and for
        values in a stated range.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.

    Examples
    --------
    >>> from steadyrank import Votes, margin
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 2)
    >>> print(margin(votes, 2).sentence)
    2 of 10 votes must leave before the top 2 changes.
    >>> margin(votes, 1, item="cyd").lower, margin(votes, pair=("bob", "cyd")).units
    (4, (1, 1))
    >>> margin(votes, 2, by="change").sentence
    '1 of 10 votes must change before the top 2 changes.'
    """
    return as_study(data, scorer).margin(k, item=item, pair=pair, eps=eps, by=by)


def explain(
    data: Any, k: int | None = None, item: object = None, *, scorer: object = None
) -> Explanation:
    """Return what holds an item on its side of the border between ranks k and k + 1.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression, Study, path or dataframe
        The observations, or a study of them; a file or a frame is read by :func:`read_any`.
    k : int, optional
        The border after this rank; without it the item's own rank, so that the next one is its rival
        (of the last item, the one before it).
    item : label, optional
        The item to explain, from either side of the border; without it the one with rank k.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.

    Examples
    --------
    >>> from steadyrank import Votes, explain
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 2)
    >>> found = explain(votes, 1, "cyd")
    >>> [(rival.item, round(rival.gap, 3), rival.margin.lower) for rival in found.rivals]
    [('ann', -0.3, 4)]
    >>> [(row["unit"], row["count"], row["contribution"]) for row in found.rows()]
    [('cyd', 2, 0.1), ('ann', 5, -0.1)]
    """
    return as_study(data, scorer).explain(k, item)


def needed(data: Any, k: int, confidence: float = 0.95, *, scorer: object = None) -> Needed:
    """Return how many units like those seen would settle ranks k and k + 1: a model, not a proof.

    The model draws units independently from where those seen came from, and takes their mean for
    normal. Where the scorer is no mean over one number of units, what a unit adds is its jackknife
    pseudo-value.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression, Study, path or dataframe
        The observations, or a study of them; a file or a frame is read by :func:`read_any`.
    k : int
        The border is the one after this rank.
    confidence : float
        The probability, between 0.5 and 1, that the right one of the two comes out ahead.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.

    Examples
    --------
    >>> from steadyrank import Votes, needed
    >>> found = needed(Votes(["ann"] * 55 + ["bob"] * 45), 1)
    >>> found.needed, found.tie, needed(Votes(["ann", "bob"]), 1).tie
    (271, False, True)
    """
    return as_study(data, scorer).needed(k, confidence)


def compare(
    old: Any,
    new: Any,
    k: int | None = None,
    *,
    delta: float = 0.0,
    eps: float | None = None,
    guarantee: Guarantee = "cover",
    claim: Claim = "observed",
    scorer: object = None,
) -> Comparison:
    """Return who moved between two versions of a ranking, and who further than one unit could move it.

    Places are counted among the items in both. A move is *inside* if the new place lies between the best
    and the worst that the item has in the old data, whole or without any one unit; else it is *beyond*.
    That is no test of significance.

    Parameters
    ----------
    old, new : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression, Study, path or dataframe
        Last month's data and this month's, or studies of them, of one kind and scored in one way. Items
        are matched by their labels as they are.
    k : int, optional
        Also tell who entered the top k and who left it.
    delta, eps, guarantee, claim
        How the stability set of each side is made, as for :func:`stable_ranking`. It decides what is
        said of pairs, of the order and of the top k, and no verdict, but that where nothing is claimed
        nobody is left out and no move is judged.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.

    Examples
    --------
    >>> from steadyrank import Votes, compare
    >>> old = Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 29)
    >>> new = Votes(["ann"] * 55 + ["bob"] * 31 + ["cyd"] * 33)
    >>> print(compare(old, new).sentence)  # doctest: +NORMALIZE_WHITESPACE
    2 of 3 items in both moved, none out of the range of its places in the old data, whole or without
    any one vote.
    """
    return as_study(old, scorer).compare(
        as_study(new, scorer), k, delta=delta, eps=eps, guarantee=guarantee, claim=claim
    )


def confidence(
    data: Any, level: float = 0.95, *, draws: int = DRAWS, seed: int = 0, scorer: object = None
) -> Confidence:
    """Return which ranks the true scores may have, if the units are a random sample: not stability.

    Units are drawn anew with replacement, as many as there are, and scored again. Where the scorer is
    fitted again for each unit, that runs through joblib; what is drawn does not depend on the number of
    workers. If any draw cannot be scored (an item without data), all of it is refused.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression, Estimates, Study, path or dataframe
        The observations, or scores with standard errors, or a study; a file or a frame is read by
        :func:`read_any`.
    level : float
        The confidence, between 0.5 and 1.
    draws, seed : int
        How many draws, and from which seed.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.

    Examples
    --------
    >>> from steadyrank import Votes, confidence
    >>> found = confidence(Votes(["ann"] * 60 + ["bob"] * 21 + ["cyd"] * 19))
    >>> [(row["item"], row["confidence_best"], row["confidence_worst"]) for row in found.rows()]
    [('ann', 1, 1), ('bob', 2, 3), ('cyd', 2, 3)]
    """
    return as_study(data, scorer).confidence(level, draws=draws, seed=seed)


def rank_confidence(
    scores: Any,
    errors: Any = None,
    *,
    covariance: Any = None,
    items: Iterable[object] | None = None,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Confidence:
    """Return which ranks the true scores may have, from estimates of them and their standard errors.

    Parameters
    ----------
    scores, errors, covariance, items
        As for :class:`Estimates`: either errors, of independent estimates, or their covariance.
    level, draws, seed
        As for :func:`confidence`; the draws are normal ones.

    Examples
    --------
    >>> from steadyrank import rank_confidence
    >>> found = rank_confidence([9, 5, 4.5], [0.5, 0.5, 0.5], items=["x", "y", "z"])
    >>> found.top(1), found.top(2)
    (('x',), ('x', 'y', 'z'))
    """
    data = Estimates(scores, errors=errors, covariance=covariance, items=items)
    return Study(data).confidence(level, draws=draws, seed=seed)
