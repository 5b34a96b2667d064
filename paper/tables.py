"""The experiments as tables of words, beside the published figures; for terminal and document."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paper import published_tables
from paper.full_ranking import INFLATED_RANKING, RANKING
from paper.movie_lists import METHODS
from paper.regression import AUTHORS_SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paper.baselines import RankingSizes, TopKSizes
    from paper.dimensions import DimensionRow, DimensionStudy
    from paper.full_ranking import RegressionExperiment
    from paper.movie_lists import NetflixExperiment
    from paper.population import PopulationStudy
    from paper.published_tables import PublishedRow
    from paper.summaries import MethodSummary

EVERYBODY_DIGITS = 6
TARGETS = (0.05, 0.01, 0.001)
"""Mean deltas for which the number of users that a plain list needs is told."""
Z_COLUMNS = ("z of δ", "z of Jaccard", "z of size")
BOUNDS = ("moved", "near")
"""Shares of units that move the scores by eps or more, anywhere or where it can matter."""
IN_ASCII = str.maketrans({"δ": "delta", "≈": "~", "≤": "<="})


@dataclass(frozen=True)
class TextTable:
    """A table whose cells are words already.

    ``left`` tells how many of the first columns are names, which stand at the left of their cell.
    """

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left: int = 1
    note: str = ""

    def to_markdown(self) -> str:
        """Return the table for a document.

        Examples
        --------
        >>> print(TextTable("", ("method", "size"), (("top-k", "5.00"),)).to_markdown())
        | method | size |
        |---|--:|
        | top-k | 5.00 |
        """
        marks = [
            "---" if column < self.left else "--:"
            for column in range(len(self.headers))
        ]
        rule = f"|{'|'.join(marks)}|"
        lines = [f"| {' | '.join(row)} |" for row in (self.headers, *self.rows)]
        return "\n".join([lines[0], rule, *lines[1:]])

    def put_into(self, page: str) -> str:
        r"""Return a page with this table in place of the one that has the same headers.

        Examples
        --------
        >>> table = TextTable("", ("rule", "size"), (("margin", "6"),))
        >>> print(table.put_into("before\n| rule | size |\n|---|--:|\n| old | 1 |\nafter"))
        before
        | rule | size |
        |---|--:|
        | margin | 6 |
        after
        """
        lines, made = page.split("\n"), self.to_markdown().split("\n")
        start = lines.index(made[0])
        rest = [
            number
            for number in range(start, len(lines))
            if not lines[number].startswith("|")
        ]
        return "\n".join([*lines[:start], *made, *lines[(rest or [len(lines)])[0] :]])

    def lines(self) -> list[str]:
        r"""Return the table for a terminal, with its title and its note.

        Examples
        --------
        >>> table = TextTable("Sizes", ("method", "size"), (("top-k", "5.00"),))
        >>> print(*table.lines(), sep="\n")
        Sizes
        method   size
        -------------
        top-k    5.00
        """
        columns = [*zip(self.headers, *self.rows, strict=True)]
        widths = [max(map(len, column)) for column in columns]
        made = []
        for row in (self.headers, *self.rows):
            cells = zip(row, widths, strict=True)
            sides = [
                cell.ljust(width) if column < self.left else cell.rjust(width)
                for column, (cell, width) in enumerate(cells)
            ]
            made.append("   ".join(sides).rstrip())
        rule = "-" * max(map(len, made))
        return [*filter(None, [self.title, made[0], rule, *made[1:], self.note])]


def regression_table(result: RegressionExperiment) -> TextTable:
    """Return Table 2 of the paper, what the authors' script gives, and ours, line by line."""
    whose = (
        {"paper": "paper", "script": "script"}
        if result.beta == "script"
        else {"text": "reference"}
    )
    rows = []
    for method in (RANKING, INFLATED_RANKING):
        for known, name in whose.items():
            rows.append(
                (
                    method,
                    name,
                    *_ranking_cells(published_tables.FULL_RANKING[known][method]),
                )
            )
        rows.append((method, "ours", *_ranking_cells(result.methods[method])))
    start = "0..4" if result.beta == "script" else "1..5"
    seed = "the authors' seed" if result.seed == AUTHORS_SEED else f"seed {result.seed}"
    trials = result.methods[RANKING].trials
    return TextTable(
        title=f"Table 2: full ranking, coefficients {start}, {trials:,} trials, {seed}",
        headers=("method", "whose", "max δ", "mean δ (se)", "size (se)", *BOUNDS),
        rows=tuple(rows),
        left=2,
    )


def _ranking_cells(row: PublishedRow | MethodSummary) -> tuple[str, ...]:
    digits = getattr(row, "size_digits", 3)
    error = "" if row.se_size is None else f" ({row.se_size:.{digits}f})"
    size = f"{row.size:.{digits}f}{error}"
    return (
        f"{row.max_delta:.2f}",
        f"{row.mean_delta:.4f} ({row.se_delta:.4f})",
        size,
        *_bounds(row),
    )


def _bounds(row: PublishedRow | MethodSummary) -> tuple[str, str]:
    """Return the shares that bound the mean delta of one of our inflated answers."""
    shares = (getattr(row, name, None) for name in ("reaching", "local"))
    first, second = ("" if share is None else f"{share:.3f}" for share in shares)
    return first, second


def netflix_table(result: NetflixExperiment) -> TextTable:
    """Return Tables 1 and 3 of the paper and ours, line by line."""
    rows = []
    for k, by_method in result.methods.items():
        for method, summary in by_method.items():
            printed = published_tables.TOP_K.get(k, {}).get(method)
            if printed is not None:
                rows.append(
                    (str(k), method, "paper", *_top_k_cells(printed), "", "", "")
                )
            rows.append(
                (
                    str(k),
                    method,
                    "ours",
                    *_top_k_cells(summary),
                    *_z_cells(summary, printed),
                )
            )
    ties = "smallest index" if result.ties == "text" else "unstable sort"
    return TextTable(
        title=(
            f"Tables 1 and 3: top-k, {result.source}, {result.trials:,} trials of "
            f"{result.users:,} users, eps {result.eps:g}, ties by {ties}"
        ),
        headers=(
            "k",
            "method",
            "whose",
            "max δ",
            "mean δ (se)",
            "Jaccard (se)",
            "size (se)",
            *BOUNDS,
            *Z_COLUMNS,
        ),
        rows=tuple(rows),
        left=3,
    )


def z_of(
    ours: MethodSummary, printed: PublishedRow, name: str = "delta"
) -> float | None:
    """Return how far two means lie apart, in standard errors of their difference.

    None where neither mean varies over the trials (the size of a plain list).
    """
    mean = "mean_delta" if name == "delta" else name
    error = math.hypot(getattr(ours, f"se_{name}"), getattr(printed, f"se_{name}"))
    return (getattr(ours, mean) - getattr(printed, mean)) / error if error else None


def _z_cells(ours: MethodSummary, printed: PublishedRow | None) -> tuple[str, ...]:
    if printed is None:
        return "", "", ""
    apart = (z_of(ours, printed, name) for name in ("delta", "jaccard", "size"))
    return tuple("" if z is None else f"{z:+.1f}" for z in apart)


def _top_k_cells(row: PublishedRow | MethodSummary) -> tuple[str, ...]:
    return (
        f"{row.max_delta:.4f}",
        f"{row.mean_delta:.4f} ({row.se_delta:.4f})",
        f"{row.jaccard:.4f} ({row.se_jaccard:.4f})",
        f"{row.size:.2f} ({row.se_size:.4f})",
        *_bounds(row),
    )


def ties_table(text: NetflixExperiment, script: NetflixExperiment) -> TextTable:
    """Return the plain top-k under both ways of breaking ties, beside the published figures."""
    rows = []
    for k in text.methods:
        printed = published_tables.TOP_K[k]["top-k"]
        cells: list[PublishedRow | MethodSummary] = [
            printed,
            script.methods[k]["top-k"],
            text.methods[k]["top-k"],
        ]
        means = [f"{cell.mean_delta:.4f} ({cell.se_delta:.4f})" for cell in cells]
        apart = [
            f"{z_of(found.methods[k]['top-k'], printed):+.1f}"
            for found in (script, text)
        ]
        each = (means[0], means[1], apart[0], means[2], apart[1])
        rows.append((str(k), *each, *(f"{cell.max_delta:.4f}" for cell in cells)))
    return TextTable(
        title="Plain top-k: how much of the instability is the sort",
        headers=(
            "k",
            "mean δ: paper",
            "unstable sort",
            "z",
            "smallest index",
            "z",
            "max δ: paper",
            "unstable sort",
            "smallest index",
        ),
        rows=tuple(rows),
    )


def dimension_table(result: DimensionStudy) -> TextTable:
    """Return the regression experiment for several numbers of features."""
    rows = tuple(
        (
            str(row.features),
            f"{row.plain_delta:.3f} ({row.plain_se:.3f})",
            f"{row.inflated_delta:.3f} ({row.inflated_se:.3f})",
            _logarithm(row),
            f"{row.log10_all:.1f}",
            f"{row.interval_width:.1f}",
            f"{row.certain_pairs:.0%}",
        )
        for row in result.rows
    )
    return TextTable(
        title=f"Full ranking of L features, {result.rows[0].trials:,} trials each, eps {result.eps:g}",
        headers=(
            "L",
            "δ plain (se)",
            "δ inflated (se)",
            "log10 size",
            "of all",
            "ranks",
            "same order",
        ),
        rows=rows,
        note=(
            "log10 size: of the number of inflated rankings; ≈ not counted, but estimated. "
            "of all: of L!. ranks: how many ranks a feature may have. "
            "same order: pairs that every inflated ranking puts in the same order."
        ),
    )


def _logarithm(row: DimensionRow) -> str:
    if row.log10_rankings is None:
        return f"≈ {row.log10_estimate:.1f}"
    return f"{row.log10_rankings:.2f}"


def population_table(result: PopulationStudy) -> TextTable:
    """Return mean delta against the number of users, for each k."""
    rows = tuple(
        (
            f"{row.users:,}",
            str(row.trials),
            method,
            *(short_delta(row.methods[k][method].mean_delta) for k in result.ks),
        )
        for row in result.rows
        for method in METHODS
    )
    return TextTable(
        title=f"Mean δ by number of users, {result.source}, eps {result.eps:g}",
        headers=("users", "trials", "method", *(f"k = {k}" for k in result.ks)),
        rows=rows,
        left=3,
    )


def size_table(result: PopulationStudy) -> TextTable:
    """Return the mean number of movies in the inflated top-k, by number of users."""
    rows = tuple(
        (
            f"{row.users:,}",
            *(f"{row.methods[k]['inflated top-k'].size:.2f}" for k in result.ks),
        )
        for row in result.rows
    )
    return TextTable(
        title="Mean size of the inflated top-k by number of users",
        headers=("users", *(f"k = {k}" for k in result.ks)),
        rows=rows,
        left=0,
    )


def everybody_table(result: PopulationStudy) -> TextTable:
    """Return the audit of the whole population."""
    last = result.rows[-1]
    rows: list[tuple[str, ...]] = []
    for k, by_method in last.methods.items():
        for method, summary in by_method.items():
            users = round(summary.mean_delta * last.users)
            cells = (f"{summary.mean_delta:.{EVERYBODY_DIGITS}f}", f"{users:,}")
            rows.append(
                (
                    str(k),
                    method,
                    *cells,
                    f"{summary.jaccard:.6f}",
                    f"{summary.size:.0f}",
                )
            )
    return TextTable(
        title=f"All {last.users:,} users at once, {result.source}, eps {result.eps:g}",
        headers=("k", "method", "δ", "users who break it", "Jaccard", "size"),
        rows=tuple(rows),
        left=2,
    )


def short_delta(delta: float) -> str:
    """Return a delta with two digits that matter.

    Examples
    --------
    >>> short_delta(0.27189), short_delta(0.00041), short_delta(0.0000121), short_delta(0.0)
    ('0.27', '0.00041', '1.2e-05', '0')
    """
    return f"{delta:.2g}"


def needed_table(result: PopulationStudy) -> TextTable:
    """Return from how many users on the plain top-k is stable by itself, for each target delta."""
    rows = []
    for k in result.ks:
        needed = [result.users_needed(k, delta=target) for target in TARGETS]
        rows.append(
            (
                str(k),
                *("more than there are" if n is None else f"{n:,}" for n in needed),
            )
        )
    return TextTable(
        title="Users from which on the mean δ of the plain top-k is at most the target",
        headers=("k", *(f"δ ≤ {target:g}" for target in TARGETS)),
        rows=tuple(rows),
    )


def top_k_rivals_table(rows: Sequence[TopKSizes]) -> TextTable:
    """Return how many items each rule with the guarantee of Theorem 4 lists."""
    return TextTable(
        title="Items in the answer: rules that share k items whenever scores move by less than eps",
        headers=("scores", "items", "k", "eps", *rows[0].sizes),
        rows=tuple(
            (
                *(row.scores, f"{row.items:,}", str(row.k), f"{row.eps:.3g}"),
                *(f"{size:.4g}" for size in row.sizes.values()),
            )
            for row in rows
        ),
    )


def ranking_rivals_table(rows: Sequence[RankingSizes]) -> TextTable:
    """Return how many rankings the inflated one and the linear extensions hold."""
    return TextTable(
        title="Rankings in the answer (log10), and how many times as many linear extensions there are",
        headers=(
            "scores",
            "items",
            "eps",
            "inflated ranking",
            "linear extensions",
            "times",
        ),
        rows=tuple(
            (
                *(row.scores, f"{row.items:,}", f"{row.eps:.3g}"),
                *(
                    f"10^{row.inflated:.2f}",
                    f"10^{row.extensions:.2f}",
                    f"{row.ratio:.2f}",
                ),
            )
            for row in rows
        ),
    )
