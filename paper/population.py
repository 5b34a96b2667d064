"""From how many users on a plain top-k is stable by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from paper.lookalike import lookalike_population
from paper.movie_lists import EPS, KS, TOP_K, audited, summaries
from paper.sources import StoredSource
from paper.summaries import MethodSummary, at_least_one, for_json
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paper.movie_lists import Cell
    from paper.sources import RatingsSource

STUDY_USERS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000)
STUDY_TRIALS = 100
USERS_IN_ALL = 2_000_000
"""Larger samples are drawn less often, such that a size costs this many users at most."""


@dataclass(frozen=True)
class PopulationRow:
    """The experiment with one number of users; for each k and method the columns of the tables."""

    users: int
    trials: int
    methods: dict[int, dict[str, MethodSummary]]


@dataclass(frozen=True)
class PopulationStudy:
    """Delta against the number of users, the last row being everybody; see `population_study`."""

    rows: tuple[PopulationRow, ...]
    source: str
    seed: int
    eps: float

    @property
    def ks(self) -> tuple[int, ...]:
        """The lengths of the lists."""
        return tuple(self.rows[0].methods)

    def users_needed(self, k: int, *, delta: float, method: str = TOP_K) -> int | None:
        """Return the smallest number of users from which on the mean delta is at most ``delta``.

        Only the numbers of users that were tried are answers; None where even everybody is not
        enough.
        """
        needed = None
        for row in reversed(self.rows):
            if row.methods[k][method].mean_delta > delta:
                break
            needed = row.users
        return needed

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and lists, ready for JSON."""
        return {"experiment": "population", **for_json(self)}


def population_study(
    source: RatingsSource | None = None,
    *,
    users: Sequence[int] = STUDY_USERS,
    trials: int = STUDY_TRIALS,
    ks: Sequence[int] = KS,
    eps: float = EPS,
    progress: Callable[[int], object] | None = None,
) -> PopulationStudy:
    """Audit samples of more and more users, and in the end everybody at once.

    Parameters
    ----------
    source : RatingsSource, optional
        Where ratings come from; by default the seeded look-alike of the Prize data.
    users : sequence of int
        The sizes of the samples; everybody comes last in any case. Empty: only everybody.
    trials : int
        How many samples of each size; fewer of the largest, see `trials_of`.
    ks, eps
        As for `netflix_experiment`.
    progress : callable, optional
        Called with numbers of users as they have been made ready or audited.

    Examples
    --------
    >>> source = lookalike_population(users=400, seed=3)
    >>> study = population_study(source, users=[100], trials=2, ks=[5])
    >>> [row.users for row in study.rows]
    [100, 400]
    """
    trials = at_least_one("trials", trials)
    origin = lookalike_population() if source is None else source
    too_many = [n for n in users if n > origin.n_users]
    if too_many:
        raise InvalidValueError(
            f"a sample of {too_many[0]:,} users was asked for, but there are only {origin.n_users:,}."
        )
    report = progress or (lambda _: None)
    # Everybody is needed at the end, so samples are taken from what is in memory already.
    everybody = origin.everybody(progress=progress)
    stored = StoredSource(everybody, origin.seed, name=origin.name)
    rows = []
    for n in sorted(users):
        found: list[dict[tuple[int, str], Cell]] = []
        for number in range(trials_of(n, trials)):
            found.append(audited(stored.trial(number, n=n), ks, eps))
            report(n)
        rows.append(PopulationRow(n, len(found), summaries(found, ks)))
    rows.append(
        PopulationRow(origin.n_users, 1, summaries([audited(everybody, ks, eps)], ks))
    )
    report(origin.n_users)
    return PopulationStudy(tuple(rows), origin.name, origin.seed, eps)


def trials_of(users: int, trials: int) -> int:
    """Return how many samples of this size are drawn.

    Examples
    --------
    >>> [trials_of(n, 100) for n in (1_000, 100_000, 480_189)]
    [100, 20, 4]
    """
    return max(1, min(trials, USERS_IN_ALL // users))


def study_work(population: int, users: Sequence[int], trials: int) -> int:
    """Return the sum of all numbers that `population_study` will report as progress."""
    return 2 * population + sum(n * trials_of(n, trials) for n in users)
