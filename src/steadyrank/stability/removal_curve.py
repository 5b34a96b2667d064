"""How long a list must be to hold against any 1, 2, ... removals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from steadyrank.reading.arrays import frozen
from steadyrank.stability.calibration import Calibration
from steadyrank.wording import counted

if TYPE_CHECKING:
    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.stability.certificate import Guarantee
    from steadyrank.stability.study import Study


@dataclass(frozen=True, eq=False)
class RemovalCurve:
    """Removals withstood, bought with items added.

    Attributes
    ----------
    k : int
        The k of the top-k.
    guarantee : {"overlap", "cover"}
        What holds; see :func:`steadyrank.stable_topk`.
    removals : int array
        1, 2, ...: how many units, at most, may leave together.
    eps : float array
        The smallest eps that is certified for each; for 1, the smallest there is.
    size : int array
        How many items the list then has.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> study = Study(Votes(["ann"] * 9 + ["bob"] * 6 + ["cyd"] * 3))
    >>> study.removal_curve(1, 4, guarantee="cover").size
    array([1, 1, 1, 2])
    """

    k: int
    guarantee: Guarantee
    removals: IntArray
    eps: FloatArray
    size: IntArray

    def __str__(self) -> str:
        """Say how long the shortest and the longest list are."""
        first, last = (counted(int(self.size[end]), "item") for end in (0, -1))
        most = counted(int(self.removals[-1]), "removal")
        return f"{self.guarantee} of the top {self.k:,}: {first} for 1 removal, {last} for {most}"


def removal_curve(study: Study, k: int, most: int, guarantee: Guarantee) -> RemovalCurve:
    """Find the list for each number of removals up to ``most``."""
    search = Calibration(study, k, guarantee)
    removals = np.arange(1, search.check_removals(most) + 1)
    wanted = (search.certificate(removals=int(m)) for m in removals)
    eps = np.array([certificate.eps for certificate in wanted])
    size = np.searchsorted(np.sort(study.critical_eps(k)), eps, side="left")
    return RemovalCurve(k, guarantee, frozen(removals), frozen(eps), frozen(size))
