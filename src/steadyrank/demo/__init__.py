"""Three small data sets of invented names, made by ``scripts/make_demo_data.py``.

``restaurants.csv`` (ratings), ``chat_battles.csv`` (battles) and ``benchmark.csv`` (scores of methods on
tasks); each has a near-tie worth seeing.
"""

from __future__ import annotations

from contextlib import contextmanager
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = ("restaurants.csv", "chat_battles.csv", "benchmark.csv")


@contextmanager
def demo_file(name: str) -> Iterator[Path]:
    """Give the path of a bundled file, also from an installation that is packed.

    Examples
    --------
    >>> from steadyrank import Ratings
    >>> with demo_file("restaurants.csv") as path:
    ...     Ratings.read(path)
    <Ratings: 180 user units, 20 items>
    """
    with as_file(files(__name__).joinpath(name)) as path:
        yield path
