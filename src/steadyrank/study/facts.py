"""What is known of data, whole and without each unit: found when first asked for, and kept.

All questions of a study share these: facts about the data and the scorer. Nothing is claimed here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from steadyrank._typing import frozen
from steadyrank.data.observations import item_noun
from steadyrank.margins.search import MarginSearch
from steadyrank.operators.inflation import MOST_OF_EPS, critical_eps, effective_eps
from steadyrank.scorers.base import LeaveOneOut, Scorer, declared
from steadyrank.study.results import RULES
from steadyrank.study.standings import (
    SMALLEST,
    Ranks,
    TopKDeletions,
    rank_ranges,
    topk_deletions,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank._typing import BoolArray, FloatArray, IntArray
    from steadyrank.data import Observations, Units
    from steadyrank.study.curve import StabilityCurve

    Found = TypeVar("Found")

SUMS = 1e-12
"""More than what rounding of the operators' sums amounts to, relative to eps."""


class Facts:
    """Scores of all the data and without each unit, and what follows from them.

    Parameters
    ----------
    data : Observations
        The observations.
    scorer : Scorer
        How they become scores.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> facts = Study(Votes(["ann"] * 3 + ["bob"] * 2)).facts
    >>> facts.order, facts.shifts.round(3)
    (array([0, 1]), array([0.141, 0.212]))
    """

    def __init__(self, data: Observations, scorer: Scorer) -> None:
        self.data: Observations = scorer.prepared(data)
        self.scorer = scorer
        self.item_name = item_noun(data)
        self._known: dict[tuple[object, object], Any] = {}
        self._ranks: Ranks | None = None

    def __getstate__(self) -> dict[str, Any]:
        # What is soon made anew stays behind: there are functions in it that cannot travel.
        folds = {"leave_one_out", "units"} if refits(self.scorer) else set()
        kept = vars(self).keys() & {"data", "scorer", "item_name", *folds}
        return {name: vars(self)[name] for name in kept} | {
            "_known": {},
            "_ranks": None,
        }

    @property
    def left_out(self) -> bool:
        """Whether each unit was left out already: where a scorer is refitted, that may take hours."""
        return "leave_one_out" in vars(self)

    @property
    def items(self) -> tuple[object, ...]:
        """The labels of the items."""
        return self.data.items

    @cached_property
    def units(self) -> Units:
        """The distinct units that can be left out, with their counts."""
        return self.data.units

    @property
    def unit(self) -> str:
        """What one unit is called."""
        return str(self.units.kind)

    def called(self, item: str, unit: str) -> Facts:
        """Return the same facts of items and units by other names."""
        made = object.__new__(Facts)
        named = {
            "item_name": item,
            "units": replace(self.units, kind=unit),
            "_known": {},
        }
        vars(made).update(vars(self) | named)
        return made

    @property
    def notes(self) -> tuple[str, ...]:
        """What was skipped, which policies were applied, what may leave, how ties are treated."""
        weighted = "" if self.data.weights is None else " with its weight"
        unit = f"unit: one {self.unit}{weighted}, of {self.units.total:,}"
        ties, of_values = RULES["ties"], getattr(self.data, "resolution", 0.0)
        resolution = max(self.scorer.resolution, of_values)
        if resolution:
            whose = "scorer" if resolution > of_values else "scale"
            ties += f"; scores closer than the {whose}'s resolution, {resolution:g}, are equal"
        return (
            *self.data.notes,
            unit,
            ties,
            *(declared(self.scorer, "remarks", self.scores) or ()),
            *(declared(self.scorer, "remarks_on", self.data) or ()),
        )

    @property
    def scores(self) -> FloatArray:
        """The scores on all the data; nothing is left out for them."""
        return (
            frozen(self.leave_one_out.scores) if self.left_out else self._scores_alone
        )

    @cached_property
    def _scores_alone(self) -> FloatArray:
        return frozen(self.scorer.score(self.data))

    @cached_property
    def order(self) -> IntArray:
        """The items by plain rank; the smaller index first among equal scores."""
        return frozen(np.argsort(-self.scores, kind="stable"))

    @cached_property
    def tie_eps(self) -> float:
        """An eps so small that it inflates nothing but exact ties."""
        halves = np.diff(
            np.unique(self.scores) / 2
        )  # halved before: a gap may overflow
        return max(float(halves.min()), SMALLEST) if len(halves) else 1.0

    @cached_property
    def leave_one_out(self) -> LeaveOneOut:
        """The scores without each unit."""
        return self.scorer.leave_one_out(self.data)

    @cached_property
    def shifts(self) -> FloatArray:
        """How far the scores move when each distinct unit is left out."""
        return frozen(self.leave_one_out.shifts())

    @cached_property
    def outer_bounds(self) -> tuple[FloatArray, FloatArray]:
        """Bounds of each item's score, whoever leaves, that may be a little wider, and so cheaper."""
        return self.leave_one_out.bounds(outer=True)

    def once(self, find: Callable[..., Found], *key: object) -> Found:
        """Return what was found before, or find it."""
        if (find, key) not in self._known:
            self._known[find, key] = find(self, *key)
        found: Found = self._known[find, key]
        return found

    def critical_eps(self, k: int) -> FloatArray:
        """Return the eps above which each item is in the inflated top k."""
        return self.once(_critical_eps, k)

    def deletions(self, k: int) -> TopKDeletions:
        """Return who is among the k best without each unit."""
        return self.once(topk_deletions, k)

    def ranks(self, upto: int) -> Ranks:
        """Return the best and the worst rank of the first items, over all single deletions."""
        if self._ranks is None or len(self._ranks) < upto:
            self._ranks = rank_ranges(self, upto)
        return self._ranks

    def curve(self, k: int) -> StabilityCurve:
        """Return delta(eps) and size(eps) of the top k."""
        from steadyrank.study.curve import (
            stability_curve,
        )  # few answers rest on whole curves

        return self.once(stability_curve, k)

    def margin_search(self) -> MarginSearch:
        """Return the search for how many units must leave."""
        return self.once(_margin_search)

    def share(self, units: BoolArray | IntArray) -> float:
        """Return the share of all units that these distinct ones stand for."""
        return int(self.units.counts[units].sum()) / self.units.total

    def reaching(self, eps: float) -> BoolArray:
        """Return which distinct units move the scores by eps or more, up to rounding.

        The operators lower eps by a slack for rounding. A shift within that slack of eps is on the
        boundary for them, so it must be for the bound, or a delta could exceed its own bound.

        Examples
        --------
        >>> from steadyrank import Study, Votes
        >>> facts = Study(Votes(["ann"] * 3 + ["bob"] * 2)).facts
        >>> facts.reaching(0.15), facts.reaching(facts.shifts[0] * (1 + 1e-16))
        (array([False,  True]), array([ True,  True]))
        """

        def settled(
            shifts: FloatArray, errors: FloatArray
        ) -> BoolArray:  # far from eps, not largest
            far = np.abs(shifts - eps) > errors + 2 * MOST_OF_EPS * eps
            return np.asarray(
                far & (shifts + errors < (shifts - errors).max(initial=0.0))
            )

        shifts = (
            self.shifts
            if "shifts" in vars(self)
            else self.leave_one_out.shifts(settled)
        )
        largest = float(np.abs(self.scores).max()) + float(shifts.max(initial=0.0))
        with np.errstate(over="ignore"):
            return np.asarray(shifts >= effective_eps(eps, largest) * (1 - SUMS))


def refits(scorer: Scorer) -> bool:
    """Tell whether a scorer is fitted again for each unit that is left out, perhaps by many workers."""
    return (
        hasattr(scorer, "n_jobs") or type(scorer).leave_one_out is Scorer.leave_one_out
    )


def _margin_search(facts: Facts) -> MarginSearch:
    return MarginSearch(facts.data, facts.scorer, facts.leave_one_out)


def _critical_eps(facts: Facts, k: int) -> FloatArray:
    return frozen(critical_eps(facts.scores, k))
