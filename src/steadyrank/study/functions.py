"""What one asks of data, as functions: each makes a study of them, or takes one, and asks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from steadyrank.errors import InvalidValueError, Option
from steadyrank.study.study import Study

if TYPE_CHECKING:
    from collections.abc import Iterable

    from steadyrank.study import Audit, Margin, StableRanking, StableTopK
    from steadyrank.study.audit.audit import Audited
    from steadyrank.study.calibration import How, Target
    from steadyrank.study.margin import MarginOf


def as_study(data: Any, scorer: object = None) -> Study:
    """Return a study of data, of a file or of a frame; or the study itself, which has its scorer."""
    if not isinstance(data, Study):
        return Study(data, scorer)
    if scorer is not None:
        raise InvalidValueError(
            f"this study scores by {data.scorer.name} and cannot take another scorer",
            way_out=["Omit ", Option("scorer"), ", or make another study with it."],
        )
    return data


def stable_topk(data: Any, k: int, *, scorer: object = None, **how: Unpack[How]) -> StableTopK:
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
        The list holds whichever units leave, up to so many of them together. More than 1 go with no
        other setting, and a scorer without bounds of what several units can do is refused.

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
    return as_study(data, scorer).topk(k, **how)


def stable_ranking(data: Any, *, scorer: object = None, **how: Unpack[Target]) -> StableRanking:
    """Return the rankings that one unit more or less could make the plain one.

    Parameters are those of :func:`stable_topk` but for ``removals``. eps is the smallest at which at
    most a share ``delta`` of the units has a plain ranking that is not in the set, or shares no ranking
    with it: exactly, or for very many fitted items a bound, which the certificate says.

    Examples
    --------
    >>> from steadyrank import Votes, stable_ranking
    >>> answer = stable_ranking(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30))
    >>> answer.tiers
    (('ann',), ('bob', 'cyd'))
    """
    return as_study(data, scorer).ranking(**how)


def audit(data: Any, k: int | Iterable[int], *, scorer: object = None, **how: Unpack[Audited]) -> Audit:
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
    methods : iterable of str, optional
        Which of ``topk``, ``inflated_topk``, ``ranking``, ``inflated_ranking`` to audit; all of them
        unless given.
    max_states : int, optional
        The limit for counting rankings, ten million unless given; beyond it the size says "not counted".
    removals : int
        How many units leave together. One: every unit, exactly. Several: random sets of so many, every
        set as likely as any other, and a :class:`RandomAudit` of what was observed. They are scored
        through joblib where the scorer refits.
    samples, seed : int, optional
        How many such sets are drawn (1,000 unless given; refused for one removal) and the seed. What is
        drawn does not depend on the number of workers.

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
    return as_study(data, scorer).audit(k, **how)


def margin(
    data: Any, k: int | None = None, *, scorer: object = None, **asked: Unpack[MarginOf]
) -> Margin:
    """Return the fewest units whose removal changes the plain answer.

    Parameters
    ----------
    data : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression, Study, path or dataframe
        The observations, or a study of them; a file or a frame is read by :func:`read_any`.
    k : int, optional
        The top k in question; without it (and without a pair) the full ranking.
    item : label, optional
        How many units this item is away from leaving the top k, or from entering it.
    pair : two labels, optional
        How many units must be removed for the one behind to pass the one ahead.
    eps : float, optional
        Instead of the plain top k, the inflated one: the fewest units whose removal leaves the old and
        the new one fewer than k items in common.
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
    Changing the top 2 takes the removal of 2 of the 10 votes; fewer are never enough.
    >>> margin(votes, 1, item="cyd").lower, margin(votes, pair=("bob", "cyd")).units
    (4, (1, 1))
    >>> margin(votes, 2, by="change").sentence
    'Changing 1 of the 10 votes can change the top 2.'
    """
    return as_study(data, scorer).margin(k, **asked)
