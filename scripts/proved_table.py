"""Print how long proved lists are, by the theorem and by the paper's route, on bundled and real data.

Run from anywhere: ``python scripts/proved_table.py [FOLDER]``. The folder is that of the real data; by
default ``shared/data`` beside the checkout. docs/proved.md is rewritten between its two markers.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank import Study, inflated_topk, read_any
from steadyrank.demo import demo_file
from steadyrank.errors import NoProofError
from steadyrank.scorers import ColumnMeans, MeanRating

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "proved.md"
START, END = "<!-- made by scripts/proved_table.py: start -->", "<!-- end -->"
HEAD = """| data | unit, n | L | k | the list | covering, inflated | overlap, inflated | ball |
|---|---|---:|---:|---:|---:|---:|---:|"""
WORST_FACTOR = 2 + 2**0.5

STARS, SHARES, JOKES = MeanRating(value_range=(1, 5)), ColumnMeans(value_range=(0, 1)), (-10, 10)
BUNDLED = (
    ("restaurants.csv", "Restaurants (bundled)", {}, STARS, (5, 10)),
    ("chat_battles.csv", "Chat models, by judge (bundled)", {"unit": "judge"}, None, (3, 5)),
    ("benchmark.csv", "Benchmark (bundled)", {}, SHARES, (4, 6)),
)
REAL = (
    ("battles/arena_pairs.csv", "Chatbot Arena", {}, None, (10, 65)),
    ("battles/llmfao.csv", "LLMFAO, by worker", {"unit": "worker"}, None, (5, 10, 29)),
    ("battles/llmfao.csv", "LLMFAO, by prompt", {"unit": "prompt"}, None, (3, 10, 30)),
    ("scores/cls_bin_mean.csv", "TALENT, binary", {"missing": "available"}, SHARES, (5, 10)),
    ("scores/cls_multi_mean.csv", "TALENT, multiclass", {"missing": "available"}, SHARES, (10, 17)),
    ("ratings/jester5k.csv.gz", "Jester", {}, MeanRating(value_range=JOKES), (10, 53)),
    ("ballots/00001-00000002.soi", "Dublin West 2002", {}, None, (1, 5)),
    ("ballots/00002-00000003.toc", "Debian 2005", {}, None, (1, 2)),
)


def studies(folder: Path) -> Iterator[tuple[str, Study, tuple[int, ...]]]:
    """Yield every data set with what it is called and the k to look at."""
    for name, title, options, scorer, ks in BUNDLED:
        with demo_file(name) as path:
            yield title, Study(read_any(path, **options), scorer), ks
    for name, title, given, scorer, ks in REAL:
        settings: dict[str, Any] = dict(given)
        yield title, Study(read_any(folder / name, **settings), scorer), ks


def ball(study: Study, k: int) -> str:
    """Return how long the ball's list is, and in brackets the inflated one that covers for certain."""
    try:
        proved = study.topk(k, claim="proved")
    except NoProofError:
        return "no rule"
    inflated = inflated_topk(proved.scores, k, WORST_FACTOR * (proved.eps or 0.0))
    return f"{len(proved)} ({len(inflated)})"


def lines(folder: Path) -> Iterator[str]:
    """Yield the lines of the table."""
    for title, study, ks in studies(folder):
        told = f"{title} | {study.unit}, {study.units.total:,} | {len(study.items)}"
        for k in ks:
            overlap = study.topk(k, guarantee="overlap")
            covering = study.audit(k, methods=["inflated_topk"]).table[0]
            sizes = f"{len(study.topk(k))} | {covering.size} | {len(overlap)} | {ball(study, k)}"
            yield f"| {told} | {k} | {sizes} |"
            told = " | | "


def main() -> None:
    """Write the table into the page, and print it."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    table = "\n".join([HEAD, *lines(folder)])
    sys.stdout.write(f"{table}\n")
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(START)
    _, after = rest.split(END, 1)
    PAGE.write_text(f"{before}{START}\n\n{table}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
