"""Three small data sets of invented names, made by ``scripts/make_demo_data.py``.

``restaurants.csv`` (ratings), ``chat_battles.csv`` (battles) and ``benchmark.csv`` (scores of methods on
tasks); each has a near-tie worth seeing. ``benchmark_next.csv`` is the next version of the last one.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

NAMES = ("restaurants.csv", "chat_battles.csv", "benchmark.csv", "benchmark_next.csv")


def demo_file(name: str) -> AbstractContextManager[Path]:
    """Give the path of a bundled file, also from an installation that is packed.

    Examples
    --------
    >>> from steadyrank import Study
    >>> with demo_file("restaurants.csv") as path:
    ...     Study(path, item="restaurant", rating="stars", unit="reviewer").units.total
    180
    """
    return as_file(files(__name__).joinpath(name))
