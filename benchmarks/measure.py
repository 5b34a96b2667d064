"""Side-by-side timing: every claim is a ratio of two things measured alternately in one run."""

from __future__ import annotations

import resource
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Row:
    """One line of the table: what is compared, both times, the ratio, and the target.

    `ours` is the row's own time, which a comparison with another commit takes; so is `peak`, the most
    memory that the measured process held, in bytes, where the row is about memory, too.
    """

    name: str
    baseline: float
    ours: float
    ratio: float
    target: str
    met: bool | None
    note: str = ""
    peak: float = float("nan")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def anew(data: Any) -> Any:
    """Forget the sums that the data keep, so that every measurement starts from the values."""
    vars(data).pop("entries", None)
    return data


def time_of_children() -> float:
    """Return the processor time that finished child processes took so far, in all their threads."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peak_memory() -> int:
    """Return the most bytes that this process has held; not what its parent held before it."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(
            line for line in status.read_text().splitlines() if line.startswith("VmHWM")
        )
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def best_times(
    functions: list[Callable[[], object]],
    repeats: int,
    clock: Callable[[], float] = perf_counter,
) -> list[float]:
    """Return the best time of each function; they take turns, so that noise meets all alike."""
    best = [float("inf")] * len(functions)
    for _ in range(repeats):
        for number, function in enumerate(functions):
            start = clock()
            function()
            best[number] = min(best[number], clock() - start)
    return best


def at_most(
    name: str,
    baseline: Callable[[], object],
    ours: Callable[[], object],
    limit: float,
    *,
    repeats: int = 5,
    note: str = "",
    clock: Callable[[], float] = perf_counter,
) -> Row:
    """Compare: ours may take at most ``limit`` times the baseline. The ratio is ours / baseline."""
    base, mine = best_times([baseline, ours], repeats, clock)
    ratio = mine / base
    return Row(
        name,
        base,
        mine,
        ratio,
        f"at most {limit:g}x the baseline",
        ratio <= limit,
        note,
    )


def faster(
    name: str,
    baseline: Callable[[], object],
    ours: Callable[[], object],
    factor: float,
    *,
    repeats: int = 1,
    our_repeats: int | None = None,
    note: str = "",
) -> Row:
    """Compare: ours must be at least ``factor`` times faster. The ratio is baseline / ours."""
    (base,) = best_times([baseline], repeats)
    (mine,) = best_times([ours], our_repeats or repeats)
    ratio = base / mine
    return Row(
        name, base, mine, ratio, f"at least {factor:g}x faster", ratio >= factor, note
    )


def shown(
    name: str, ours: Callable[[], object], *, repeats: int = 1, note: str = ""
) -> Row:
    """Show a time by itself: no claim."""
    (mine,) = best_times([ours], repeats)
    return Row(name, float("nan"), mine, float("nan"), "shown", None, note)
