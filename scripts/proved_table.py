"""Print how long proved lists are, by the theorem and by the paper's route, on bundled and real data.

Run from anywhere: ``python scripts/proved_table.py [FOLDER]``. The folder is that of the real data; by
default ``shared/data`` beside the checkout. The table of docs/research/proved.md is written anew.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pages import DOCS, REAL_DATA, put
from real_data_table import JOKES, PAIRS

from steadyrank import Study, inflated_topk
from steadyrank.demo import demo_file
from steadyrank.errors import NoProofError
from steadyrank.scorers import Mean

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = DOCS / "research" / "proved.md"
HEAD = """| data | unit, n | L | k | the list | covering | overlap | ball |
|---|---|---:|---:|---:|---:|---:|---:|"""
WORST_FACTOR = 2 + 2**0.5

STARS = Mean(1.0, value_range=(1, 5))
SHARES = Mean(value_range=(0, 1))
RESTAURANTS = {"item": "restaurant", "rating": "stars", "unit": "reviewer"}
BUNDLED = (
    ("restaurants.csv", "Restaurants (bundled)", RESTAURANTS, STARS, 5),
    ("chat_battles.csv", "Chat models, by judge (bundled)", {"unit": "judge"}, None, 3),
    ("benchmark.csv", "Benchmark (bundled)", {}, SHARES, 4),
)
REAL = (
    ("battles/arena_pairs.csv", "Chatbot Arena", PAIRS, None, 65),
    ("battles/llmfao.csv", "LLMFAO, by worker", {"unit": "worker"}, None, 10),
    ("battles/llmfao.csv", "LLMFAO, by prompt", {"unit": "prompt"}, None, 30),
    ("scores/cls_bin_mean.csv", "TALENT, binary", {}, SHARES, 10),
    ("scores/cls_multi_mean.csv", "TALENT, multiclass", {}, SHARES, 17),
    ("ratings/jester5k.csv.gz", "Jester", JOKES, Mean(1.0, value_range=(-10, 10)), 53),
    ("ballots/00001-00000002.soi", "Dublin West 2002", {}, None, 5),
    ("ballots/00002-00000003.toc", "Debian 2005", {}, None, 2),
)


def studies(folder: Path) -> Iterator[tuple[str, Study, int]]:
    """Yield every data set with what it is called and a k at which lists differ."""
    for name, title, options, scorer, k in BUNDLED:
        with demo_file(name) as path:
            yield title, Study(path, scorer, **options), k
    for name, title, given, scorer, k in REAL:
        settings: dict[str, Any] = dict(given)
        yield title, Study(folder / name, scorer, **settings), k


def ball(study: Study, k: int) -> str:
    """Return how long the ball's list is, and in brackets the inflated one that covers for certain."""
    try:
        proved = study.topk(k, proved=True)
    except NoProofError:
        return "no rule"
    inflated = inflated_topk(proved.scores, k, WORST_FACTOR * (proved.eps or 0.0))
    return f"{len(proved)} ({len(inflated)})"


def lines(folder: Path) -> Iterator[str]:
    """Yield the lines of the table."""
    for title, study, k in studies(folder):
        told = f"{title} | {study.units.kind}, {study.units.total:,} | {len(study.items)} | {k}"
        overlap = study.topk(k, eps=study.curve(k).smallest_eps(0))
        covering = study.topk(k, delta=1e-9)  # less than the share of one unit
        sizes = f"{len(study.topk(k))} | {covering.size} | {len(overlap)} | {ball(study, k)}"
        yield f"| {told} | {sizes} |"


def main() -> None:
    """Write the table into the page."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else REAL_DATA
    put("\n".join([HEAD, *lines(folder)]), PAGE, "proved_table")


if __name__ == "__main__":
    main()
