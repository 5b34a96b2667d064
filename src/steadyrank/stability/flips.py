"""Flips: which units, once removed, change the answer, and which items leave and enter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from steadyrank.stability.topk_audit import TopKAudit
from steadyrank.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from steadyrank._typing import IntArray
    from steadyrank.stability.study import Study
    from steadyrank.stability.topk_audit import Members


@dataclass(frozen=True)
class Flip:
    """One kind of unit that breaks an answer.

    Attributes
    ----------
    method : str
        The method whose answer breaks.
    unit : object
        The label of the unit.
    count : int
        How many such units there are.
    leaves, enters : tuple of labels
        The items that leave and that enter the answer when one such unit is removed.
    """

    method: str
    unit: object
    count: int
    leaves: tuple[object, ...]
    enters: tuple[object, ...]


@dataclass(frozen=True)
class Flips:
    """All units that break the plain or the inflated top-k.

    Iterate over it, or look at ``plain`` and ``inflated`` alone.

    Examples
    --------
    >>> from steadyrank import ScoreMatrix, audit
    >>> matrix = ScoreMatrix([[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]], items=["x", "y", "z"])
    >>> flips = audit(matrix, 2, eps=0.5).flips(2)
    >>> print(flips)
    1 of 4 rows changes the plain top 2 when removed; 0 break the inflated one
    >>> [(flip.unit, flip.leaves, flip.enters) for flip in flips]
    [(2, ('y',), ('z',))]
    """

    k: int
    unit_kind: str
    units: int
    plain: tuple[Flip, ...]
    inflated: tuple[Flip, ...]

    def __iter__(self) -> Iterator[Flip]:
        """Yield the flips of the plain answer, then those of the inflated one."""
        return iter((*self.plain, *self.inflated))

    def __len__(self) -> int:
        """Return the number of distinct units that break either answer, each method by itself."""
        return len(self.plain) + len(self.inflated)

    def __str__(self) -> str:
        """Say how many units break which answer."""
        plain, inflated = (sum(flip.count for flip in part) for part in (self.plain, self.inflated))
        change = "changes" if plain == 1 else "change"
        destroy = "breaks" if inflated == 1 else "break"
        return (
            f"{plain:,} of {counted(self.units, self.unit_kind)} {change} the plain top {self.k} "
            f"when removed; {inflated:,} {destroy} the inflated one"
        )


def find_flips(
    study: Study, k: int, eps: float, members: Mapping[str, Members], known: Mapping[str, IntArray]
) -> Flips:
    """Return the units that break the plain or the inflated top-k; those already ``known`` are taken."""
    topk = TopKAudit(study, [k], eps)
    missing = {name: function for name, function in members.items() if name not in known}
    broken = dict(known) | ({row.method: row.broken for row in topk.rows(missing)} if missing else {})
    plain, inflated = (
        tuple(_named(study, name, topk.changes(k, members[name], broken[name])))
        for name in ("topk", "inflated_topk")
    )
    return Flips(k, study.unit, study.units.total, plain, inflated)


def _named(
    study: Study, method: str, changes: Iterable[tuple[int, IntArray, IntArray]]
) -> Iterator[Flip]:
    units, items = study.units, study.items
    for unit, leaves, enters in sorted(changes, key=lambda change: change[0]):
        yield Flip(
            method=method,
            unit=units.labels[unit],
            count=int(units.counts[unit]),
            leaves=tuple(items[item] for item in leaves),
            enters=tuple(items[item] for item in enters),
        )
