"""Confidence: which ranks the true scores may have, if chance made the data. Not stability.

Stability tells what one unit's leaving changes in this dataset, wherever it comes from. Confidence is a
statement about scores behind the data, and holds if the units are a random sample.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank._typing import frozen
from steadyrank.data.observations import shares_of
from steadyrank.errors import FEW_DATA, InvalidValueError, TooFewUnitsError
from steadyrank.operators.checks import check_k, check_level, check_size, check_whole
from steadyrank.scorers.base import declared
from steadyrank.study.answers import named
from steadyrank.study.rank_sets import NEVER, Noise, student
from steadyrank.study.resampling import draw, scored_draws
from steadyrank.study.results import Result, finite, label, labels, origin, told
from steadyrank.text import confidence_title, counted, percent, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.data.observations import Observations
    from steadyrank.scorers.base import Scorer
    from steadyrank.study.study import Study
    from steadyrank.sums.model import Entries

DRAWN = "the {} were drawn independently from one population"
TIES = "equal scores: the one listed first stands first; which is truly better is not decided"

FEW = 50
"""Fewer units are called few: where rare ones decide, simulations find far less than the confidence."""


@dataclass(frozen=True, eq=False, repr=False)
class Confidence(Result):
    """Which ranks the true scores may have, and where these may lie.

    All of it is a model, and a promise for large samples: the units are drawn independently from one
    population.

    Attributes
    ----------
    level : float
        The confidence, such as 0.95.
    draws, seed : int
        How many draws of the noise were made, and from which seed.
    basis : str
        What it rests on, in words. The noise is that of scores of as many units drawn again.
    errors : float array (items,)
        The standard error of each score: the spread of its draws.
    score_intervals : float array (2, items)
        The lowest and the highest score of each item, each item by itself: percentiles of the draws,
        further out the fewer units there are; or, where the draws do not reach so far, the score less
        and plus so many standard errors. NaN for scores that are the same in all draws of units, which
        tells nothing of chance.
    k : int or None
        The top k in question.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> found = Study(Votes(["ann"] * 60 + ["bob"] * 21 + ["cyd"] * 19)).confidence()
    >>> found.top(1), found.top(2)
    (('ann',), ('ann', 'bob', 'cyd'))
    """

    document = "confidence"

    level: float
    draws: int
    seed: int
    errors: FloatArray
    score_intervals: FloatArray
    basis: str
    _noise: Noise
    k: int | None = None

    @cached_property
    def simultaneous(self) -> tuple[IntArray, IntArray]:
        """The best and worst rank of each item; with the confidence, all hold together."""
        return self._noise.simultaneous(self.level)

    @cached_property
    def marginal(self) -> tuple[IntArray, IntArray]:
        """The best and worst rank of each item, which hold with the confidence for each by itself."""
        return self._noise.marginal(self.level)

    @cached_property
    def _best(self) -> IntArray:
        """The best rank of each item, one-sided: with the confidence, no true rank is better."""
        return self._noise.simultaneous(self.level, one_sided=True)[0]

    def top(self, tau: int) -> tuple[object, ...]:
        """Return who may be among the tau best: with the confidence, all that truly are.

        Those are the items that fewer than tau others are decided to be above, one-sided.
        """
        check_k(tau, len(self.items))
        order = np.argsort(-self.scores, kind="stable")
        return self.labels(order[self._best[order] <= tau])

    def asking(self, k: int) -> Confidence:
        """Return the same, which also says in words who may truly be among the k best."""
        return replace(self, k=check_k(k, len(self.items)))

    @property
    def sentence(self) -> str:
        """What is answered, and on what it rests."""
        how = f"({self.draws:,} draws, seed {self.seed}; a promise for large samples).{self._caution}"
        title = confidence_title(self.level)
        sure = f'With {percent(self.level)} confidence, all in the column "{title}" hold at once {how}'
        return f"Confidence: the ranks that the true scores may have, if {self.basis}. {sure}"

    @property
    def _caution(self) -> str:
        """What units cannot tell because they are few or agree."""
        rest = f"Some scores rest on few {plural(self.unit)}, which count as fewer than {FEW} equal ones"
        few = f" {rest}: if rare, very different ones are missing, it holds less often."
        same = " Where no draw changes the difference of two scores, it is undecided which is better."
        return few * bool(self._noise.units.min() < FEW) + same * self._noise.unvaried()

    @property
    def top_sentence(self) -> str | None:
        """Who may be among the k best, in words; None where nobody asked."""
        if self.k is None:
            return None
        those = self.top(self.k)
        where = "the best" if self.k == 1 else f"among the {self.k:,} best"
        only = f"only {'this' if len(those) == 1 else 'these'} {counted(len(those), self.item_name)}"
        may = f"may truly be {where}: {named(those, 'and', 20)}"
        told = f"With {percent(self.level)} confidence, {only} {may}."
        further = int(((self._best <= self.k) & (self.simultaneous[0] > self.k)).sum())
        where = (
            f"In the table, the ranks of {further:,} of these begin below {self.k:,}"
        )
        return (
            f"{told} {where}: this list is one-sided, and rules out less."
            if further
            else told
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the items by plain rank, with what is said of each."""
        ends = {"confidence": self.simultaneous, "marginal": self.marginal}
        for place, index in enumerate(np.argsort(-self.scores, kind="stable").tolist()):
            low, high = map(finite, self.score_intervals[:, index].tolist())
            found = {
                "rank": place + 1,
                "item": self.items[index],
                "score": float(self.scores[index]),
            }
            found |= {
                "error": float(self.errors[index]),
                "score_low": low,
                "score_high": high,
            }
            for name, (best, worst) in ends.items():
                found |= {
                    f"{name}_best": int(best[index]),
                    f"{name}_worst": int(worst[index]),
                }
            yield found

    def _found(self) -> dict[str, Any]:
        other = f"Stability is another question: what removing one {self.unit} changes in this dataset"
        other += "."
        names = ("level", "draws", "seed", "basis", "sentence", "k", "top_sentence")
        rows = [row | {"item": label(row["item"])} for row in self.rows()]
        top = None if self.k is None else labels(self.top(self.k))
        return told(self, *names) | {"stability": other, "top": top, "rows": rows}


def confidence_of(study: Study, level: float, draws: int, seed: int) -> Confidence:
    """Return which ranks the true scores may have."""
    from scipy.special import ndtr  # loads longer than a small file takes

    level, seed = check_level(level), check_whole("seed", seed, 0)
    draws = check_whole(
        "draws", draws, int(np.ceil(round(2 / (1 - level), 6)))
    )  # for both ends
    # A pair has two numbers, a difference and an error, each of them more than once.
    check_size(
        64 * len(study.items) ** 2, "comparing all pairs of items", "Keep fewer items."
    )
    what = f"{draws:,} draws of {counted(len(study.items), 'score')}"
    # A score of a draw is kept several times over, with its ranks, in a row that takes as much as ten.
    check_size(draws * (len(study.items) + 10) * 64, what, "Ask for fewer draws.")
    data, scores, tail = study.data, study.scores, (1 - level) / 2
    drawn, reasons = bootstrap_scores(data, study.scorer, draws, seed)
    notes = (*data.notes, *about_silent(reasons, draws, level))
    units = units_behind(data)
    noise, silent = np.ascontiguousarray((drawn - scores).T), draws - len(drawn)
    # Squares of very large or small differences are beyond floats; a common size changes nothing.
    size = max(float(np.abs(noise).max()), 1e-150 * float(np.abs(scores).max())) or 1.0
    covariance = np.atleast_2d(np.cov(noise / size))
    errors = np.sqrt(np.diag(covariance)) * size
    limit = student(tail, units)
    with np.errstate(invalid="ignore"):
        ends = scores + np.outer((-1, 1), limit * errors)
    # Percentiles, further out for fewer units (Hesterberg), where draws reach so far.
    ranked, beyond = np.sort(drawn, axis=0), ndtr(-limit) * draws
    reached, place = (
        beyond >= 1 + silent,
        np.maximum(np.ceil(beyond).astype(np.int64) - silent, 1),
    )
    both = (
        ranked[place - 1, np.arange(len(scores))],
        ranked[-place, np.arange(len(scores))],
    )
    ends = np.where(reached, both, ends)
    ends[:, (errors <= NEVER * np.abs(scores)) | ~np.isfinite(limit)] = np.nan
    about = origin(study) | {
        "_study": None,
        "level": level,
        "draws": draws,
        "seed": seed,
    }
    return Confidence(
        **about
        | {"notes": (*notes, TIES, *(declared(study.scorer, "remarks", scores) or ()))},
        errors=frozen(errors),
        score_intervals=frozen(ends),
        basis=DRAWN.format(plural(study.facts.unit)),
        _noise=Noise(scores / size, covariance, noise / size, units, silent),
    )


def units_behind(data: Observations) -> FloatArray:
    """Return how many units of equal weight tell the score of each item: those that say something of it.

    Votes and ballots say something of all items.
    """
    alike = shares_of(data).n_alike
    entries: Entries | None = getattr(data, "entries", None)
    if entries is None or not entries.gaps:
        return np.full(data.n_items, alike)
    unit, place, *_ = entries.values_of(np.arange(data.n_items))
    unit, place = np.divmod(np.unique(unit * data.n_items + place), data.n_items)
    return np.minimum(
        alike, np.bincount(place, data.units.counts[unit], minlength=data.n_items)
    )


def bootstrap_scores(
    data: Observations, scorer: Scorer, draws: int, seed: int
) -> tuple[FloatArray, dict[int, str]]:
    """Return the scores (draws, items) of data with units drawn anew, and why some draws have none."""
    if data.n_units < 2:
        single = f"there is only one unit (a {data.units.kind})"
        problem = f"{single}, so every draw is the same and says nothing about chance"
        raise TooFewUnitsError(problem, way_out="Bring more units.")
    if (
        getattr(scorer, "empty", None) is not None
    ):  # what is last by decree says nothing about chance
        scorer = replace(scorer, empty=None)  # type: ignore[type-var]
    copies = partial(draw, data.units.counts, data.n_units, seed)
    found, reasons = scored_draws(data, scorer, copies, draws)
    return np.array(list(found.values()), dtype=np.float64), reasons


def about_silent(reasons: dict[int, str], draws: int, level: float) -> tuple[str, ...]:
    """Say what becomes of draws that have no scores; refuse so many that nothing could be decided."""
    if not reasons:
        return ()
    silent, first = (
        f"{len(reasons):,} of {draws:,} resamples cannot be scored",
        reasons[min(reasons)],
    )
    if len(reasons) >= (1 - level) * draws:
        problem = f"{silent}, too many to decide anything; the first: {first}"
        raise InvalidValueError(problem, way_out=FEW_DATA)
    return (
        f"{silent}; each counts as one that may rank the items in any way. The first: {first}",
    )
