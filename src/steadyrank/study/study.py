"""A study: data and a scorer, to be asked.

The way of the data, top to bottom: data -> scorer -> leave-one-out scores -> operators -> results. What
only some questions need is imported when they are asked: a top k, the usual one, loads none of it.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from steadyrank.data.read import as_observations
from steadyrank.operators.checks import check_k
from steadyrank.scorers.registry import resolve_scorer
from steadyrank.study.answers import StableRanking, StableTopK
from steadyrank.study.certificate import How, Target, made
from steadyrank.study.facts import Facts
from steadyrank.study.margin import MarginOf, margin_of
from steadyrank.study.results import origin
from steadyrank.study.standings import NEAR_RANKS, near_rank_ranges, upto_which
from steadyrank.text import html_of, plural, today

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from steadyrank import study as results
    from steadyrank._typing import FloatArray
    from steadyrank.data import Observations, Units
    from steadyrank.engines.backends import Engine
    from steadyrank.scorers.base import Scorer
    from steadyrank.study.audit.audit import Audited


class Study:
    """Data and a scorer, to be asked as many questions as you like.

    Nothing is computed before it is needed, and nothing twice: all questions share the scores
    without each unit, which may take hours where a scorer has to be fitted again for each of them.

    Parameters
    ----------
    data : path, dataframe, or Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression
        The observations; a file or a frame is read by :func:`steadyrank.read`.
    scorer : optional
        How data become scores; by default the usual way for the kind of data.
    item, rating, unit, ...
        What the columns of a file or a frame are, and how to open it: as for :func:`steadyrank.read`.

    Attributes
    ----------
    facts : Facts
        What all questions share: the scores without each unit, how far they move, who is ahead of whom.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> study = Study(Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30))
    >>> study.topk(2).contenders
    ('abe', 'bob')
    >>> print(study.flips(2))
    30 of the 100 votes change the top 2 when removed
    """

    def __init__(  # noqa: PLR0913 (a word for each role)
        self,
        data: Any,
        scorer: object = None,
        *,
        item: str | None = None,
        score: str | None = None,
        rating: str | None = None,
        unit: str | None = None,
        row: str | None = None,
        wide: bool = False,
        items: str | Sequence[str] | None = None,
        left: str | None = None,
        right: str | None = None,
        winner: str | None = None,
        left_score: str | None = None,
        right_score: str | None = None,
        loser: str | None = None,
        tie: str | None = None,
        choice: str | None = None,
        ranks: str | Sequence[str] | None = None,
        ballot: str | None = None,
        rank: str | None = None,
        response: str | None = None,
        features: str | Sequence[str] | None = None,
        weight: str | None = None,
        count: str | None = None,
        lower_is_better: bool = False,
        catalogue: str | Sequence[str] | None = None,
        sql: str | None = None,
        tables: Mapping[str, Any] | None = None,
        delimiter: str | None = None,
        encoding: str | None = None,
        sheet: str | None = None,
        engine: str | Engine | None = None,
        memory_limit: str | None = None,
    ) -> None:
        said = dict(locals())
        for name in ("self", "data", "scorer"):
            del said[name]
        observed = as_observations(data, said)
        self.facts = Facts(observed, resolve_scorer(scorer, observed))

    def __repr__(self) -> str:
        return f"Study({self.data!r}, {self.scorer!r})"

    def _repr_html_(self) -> str:
        """Show what is studied in a notebook."""
        units, items = plural(self.facts.unit), plural(self.facts.item_name)
        told: dict[str, list[object]] = {
            "data": [self.data.kind.name],
            items: [len(self.items)],
        }
        return html_of(
            "Study", told | {units: [self.units.total], "scores": [self.scorer.name]}
        )

    @property
    def data(self) -> Observations:
        """The observations, as the scorer takes them."""
        return self.facts.data

    @property
    def scorer(self) -> Scorer:
        """How they become scores."""
        return self.facts.scorer

    @property
    def items(self) -> tuple[object, ...]:
        """The labels of the items."""
        return self.facts.items

    @property
    def units(self) -> Units:
        """The distinct units that can be left out, with their counts."""
        return self.facts.units

    @property
    def scores(self) -> FloatArray:
        """The scores on all the data; nothing is left out for them."""
        return self.facts.scores

    def topk(self, k: int, **how: Unpack[How]) -> StableTopK:
        """Return the k best items, where each stands, and a list that holds whichever unit leaves.

        Parameters
        ----------
        k : int
            How many items are wanted.
        delta : float
            The share of units whose removal may break the list; none unless you ask for it. The tightest
            eps that keeps to it is chosen.
        eps : float, optional
            An inflation of your own instead: the inflated top k of the paper, which promises that the
            new list shares k items with it. Without an eps the list *covers*: the new plain top k is
            inside it, so that it overlaps, too.
        proved : bool
            Leave no unit out, and take only rules that hold for every dataset of this size. Without an
            eps they give their own.
        removals : int
            The list holds whichever units leave, up to so many of them together. More than 1 go with no
            other setting, and a scorer without bounds of what several units can do is refused.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> study = Study(Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30))
        >>> answer = study.topk(2)
        >>> answer.sure, answer.contenders, answer.margin.lower
        (('cyd',), ('abe', 'bob'), 1)
        >>> [len(study.topk(1, removals=m)) for m in (9, 10)]
        [1, 3]
        """
        k, facts = check_k(k, len(self.items)), self.facts
        certificate, listed, told = made(facts, k, **how)
        answer = StableTopK(
            **origin(self),
            k=k,
            eps=certificate.eps,
            certificate=certificate,
            ranks=None,
            indices=listed,
            deletions=facts.deletions(k) if told else None,
        )
        if not told:
            return answer
        shown = upto_which(facts, answer.last_place)
        ranks = facts.once(near_rank_ranges, shown)
        if ranks.exact:
            return replace(answer, ranks=ranks)
        inside = facts.deletions(k).inside[facts.order[:shown]]
        ranks = ranks.at_cut(k, inside, facts.units.total)
        return replace(answer, ranks=ranks, notes=(*answer.notes, NEAR_RANKS))

    def ranking(self, **how: Unpack[Target]) -> StableRanking:
        """Return the full ranking, with the ranks that items have without each unit.

        Parameters
        ----------
        eps : float, optional
            Inflate by it, as the paper does: the set of rankings then shares one with the new set, but
            for the units that the certificate counts.
        proved, delta
            As for :meth:`topk`; without an eps the new plain ranking is one of the set. A delta is for
            proofs by bagging alone.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> answer = Study(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30)).ranking()
        >>> answer.tiers
        (('ann',), ('bob', 'cyd'))
        """
        from steadyrank.operators.rankings import RankingSet

        facts = self.facts
        certificate, _, told = made(facts, None, **how)
        found, changing, ranks = certificate.eps, None, None
        if told:
            changing = int(
                self.units.counts[facts.leave_one_out.reordered(facts.order)].sum()
            )
            ranks = facts.ranks(
                len(self.items) if found is None else upto_which(facts, 0)
            )
        return StableRanking(
            **origin(self),
            k=None,
            eps=found,
            certificate=certificate,
            ranks=ranks,
            rankings=None if found is None else RankingSet(self.scores, found),
            changing=changing,
        )

    def audit(self, k: int | Iterable[int], **how: Unpack[Audited]) -> results.Audit:
        r"""Leave every unit out in turn and measure how stable each method's answer is.

        Parameters
        ----------
        k : int or several
            How many items are wanted.
        eps : float, optional
            One inflation for all inflated answers. It stays fixed across the data sets D\i.
        delta : float
            Where no eps is given, each inflated top k has the smallest that at most such a share of the
            units breaks, and the inflated ranking is not audited.
        methods : iterable of str, optional
            Which of ``topk``, ``inflated_topk``, ``ranking``, and with an eps ``inflated_ranking``, to
            audit; all of them unless given.
        max_states : int, optional
            The limit for counting rankings, ten million unless given; beyond it the size says "not
            counted".

        Examples
        --------
        >>> from steadyrank import ScoreMatrix, Study
        >>> study = Study(ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]))
        >>> for row in study.audit(2, eps=0.5):
        ...     print(row.method, row.k, row.delta, row.size)
        topk 2 0.25 2
        inflated_topk 2 0.0 2
        ranking None 0.25 1
        inflated_ranking None 0.0 1
        """
        from steadyrank.study.audit.audit import audit_of

        return audit_of(self, k, **how)

    def flips(self, k: int) -> results.Flips:
        """Return the units that change the plain top k, and what they change."""
        from steadyrank.study.audit.rows import flips_of

        return flips_of(self.facts, check_k(k, len(self.items)))

    def check(
        self, k: int, *, max_delta: float = 0.0, min_margin: int | None = None
    ) -> results.Check:
        """Check whether the plain top-k is stable enough.

        In a test: ``study.check(3).assert_stable()``.

        Parameters
        ----------
        k : int
            How many items are wanted.
        max_delta : float
            The largest share of units whose removal may change the top k.
        min_margin : int, optional
            The fewest units that must have to leave, for certain, before it changes.
        """
        from steadyrank.study.audit.audit import check_of

        return check_of(self, k, max_delta, min_margin)

    def curve(self, k: int) -> results.StabilityCurve:
        """Return the exact step functions delta(eps) and size(eps) of the top-k, for all eps at once."""
        return self.facts.curve(check_k(k, len(self.items)))

    def margin(self, k: int | None = None, **asked: Unpack[MarginOf]) -> results.Margin:
        """Return the fewest units whose removal changes the plain answer.

        Parameters
        ----------
        k : int, optional
            The top k in question; without it (and without a pair) the full ranking.
        item : label, optional
            How many units this item is away from leaving the top k, or from entering it.
        pair : two labels, optional
            How many units must be removed for the one behind to pass the one ahead.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> study = Study(Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 2))
        >>> print(study.margin(2).sentence)
        Changing the top 2 takes the removal of 2 of the 10 votes; fewer are never enough.
        >>> study.margin(1, item="cyd").lower, study.margin(pair=("bob", "cyd")).units
        (4, (1, 1))
        """
        return margin_of(self, k, **asked)

    def explain(self, k: int | None = None, item: object = None) -> results.Explanation:
        """Return what holds an item on its side of the border between ranks k and k + 1.

        Parameters
        ----------
        k : int, optional
            The border after this rank; without it the item's own rank, so that the next one is its rival
            (of the last item, the one before it).
        item : label, optional
            The item to explain, from either side of the border; without it the one with rank k.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> found = Study(Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 2)).explain(1, "cyd")
        >>> [(rival.item, round(rival.gap, 3), rival.margin.lower) for rival in found.rivals]
        [('ann', -0.3, 4)]
        >>> [(row["unit"], row["count"], row["contribution"]) for row in found.rows()]
        [('cyd', 2, 0.1), ('ann', 5, -0.1)]
        """
        from steadyrank.study.explanation import explanation_of

        return explanation_of(self, k, item)

    def compare(self, new: Any, k: int | None = None) -> results.Comparison:
        """Return who moved from here to newer data, and who further than one unit could move it.

        Places are counted among the items in both. A move is *inside* if the new place lies between the
        best and the worst that the item has in the old data, whole or without any one unit; else it is
        *beyond*. That is no test of significance.

        Parameters
        ----------
        new : Votes, Ballots, Ratings, Battles, ScoreMatrix, Regression, Study, path or dataframe
            The newer data, or a study of them, of the same kind and scored in the same way. Items are
            matched by their labels as they are.
        k : int, optional
            Also tell who entered the top k and who left it.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> old = Study(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 29))
        >>> new = Votes(["ann"] * 55 + ["bob"] * 31 + ["cyd"] * 33)
        >>> print(old.compare(new).sentence)  # doctest: +NORMALIZE_WHITESPACE
        2 of the 3 shared items moved, none more than removing one vote could explain.
        """
        from steadyrank.study.comparison import comparison_of

        newer = new if isinstance(new, Study) else Study(new, self.scorer)
        return comparison_of(self, newer, k)

    def confidence(
        self, level: float = 0.95, *, draws: int = 1000, seed: int = 0
    ) -> results.Confidence:
        """Return which ranks the true scores may have, if the units are a random sample: not stability.

        Units are drawn anew with replacement, as many as there are, and scored again. Where the scorer
        is fitted again for each unit, that runs through joblib; what is drawn does not depend on the
        number of workers. A draw that cannot be scored (an item without data) counts as one that may
        rank the items in any way; too many of them are refused.

        Parameters
        ----------
        level : float
            The confidence, between 0.5 and 1.
        draws, seed : int
            How many draws, and from which seed.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> found = Study(Votes(["ann"] * 60 + ["bob"] * 21 + ["cyd"] * 19)).confidence()
        >>> [(row["item"], row["confidence_best"], row["confidence_worst"]) for row in found.rows()]
        [('ann', 1, 1), ('bob', 2, 3), ('cyd', 2, 3)]
        >>> found.top(1)
        ('ann',)
        """
        from steadyrank.study.confidence import confidence_of

        return confidence_of(self, level, draws, seed)

    def report(
        self,
        path: str | os.PathLike[str],
        k: int | None = None,
        *,
        title: str | None = None,
        item_name: str | None = None,
        unit_name: str | None = None,
        source: str | None = None,
        **how: Unpack[How],
    ) -> Path:
        """Write the report of a stable top-k as one HTML file, and return its path.

        Parameters
        ----------
        path : path
            The file to write. It appears complete or not at all.
        k : int, optional
            How many items are wanted; otherwise 10, or half of fewer than 20 items.
        delta, eps, proved, removals
            As for :meth:`topk`. With ``proved=True`` no unit is left out, so the
            report has no curve and no flips.
        title : str, optional
            A heading of your own.
        item_name, unit_name : str, optional
            What one item and one unit are called, such as model and judge; else as their columns are.
        source : str, optional
            What to call the data, for example the name of a file.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from steadyrank import Study, Votes
        >>> study = Study(Votes(["ann"] * 50 + ["bob"] * 30 + ["cyd"] * 30))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     study.report(Path(folder) / "report.html", 2).name
        'report.html'
        """
        from steadyrank.report.html import render_html
        from steadyrank.writing import write_whole

        answer = with_names(self, item_name, unit_name).topk(
            usual_k(len(self.items)) if k is None else k, **how
        )
        page = render_html(answer.findings(source=source), title=title, date=today())
        return write_whole(page, path)


def with_names(study: Study, item: str | None = None, unit: str | None = None) -> Study:
    """Return the same study, which calls items and units by these names.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> with_names(Study(Votes(["ann"] * 5 + ["bob"] * 3)), "candidate", "voter").topk(1).unit
    'voter'
    """
    facts, named = study.facts, copy(study)
    named.facts = facts.called(item or facts.item_name, unit or facts.unit)
    return named


def usual_k(items: int) -> int:
    """Return the k of a report that nobody asked a k for."""
    return max(1, min(10, items // 2))
