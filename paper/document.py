"""Write the page about the paper's experiments: ``python -m paper.document [FOLDER]``.

All numbers of the page, in tables and in sentences, are filled into a template from results that
are computed here, by the functions behind the commands that the page names.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from paper import figures, netflix_figures, published_tables, tables
from paper.dimensions import COUNTED, DimensionStudy, dimension_study
from paper.full_ranking import (
    INFLATED_RANKING,
    RANKING,
    RegressionExperiment,
    regression_experiment,
)
from paper.lookalike import lookalike_population
from paper.movie_lists import (
    INFLATED_TOP_K,
    TOP_K,
    NetflixExperiment,
    netflix_experiment,
)
from paper.population import PopulationStudy, population_study
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paper.published_tables import PublishedRow
    from paper.summaries import MethodSummary

TEMPLATE = Path(__file__).with_name("document_template.md")
OTHER_SEED = 1


@dataclass(frozen=True)
class Results:
    """Everything the page tells about."""

    script: RegressionExperiment
    text: RegressionExperiment
    other: RegressionExperiment
    dimensions: DimensionStudy
    by_rule: NetflixExperiment
    by_sort: NetflixExperiment
    population: PopulationStudy


def all_results(say: Callable[[str], object]) -> Results:
    """Run every experiment: a few minutes."""

    def done(what: str, since: float) -> None:
        say(f"{what}: {perf_counter() - since:.1f} s")

    start = perf_counter()
    full = [
        regression_experiment(),
        regression_experiment(beta="text"),
        regression_experiment(seed=OTHER_SEED),
    ]
    done("Table 2, three times", start)
    start = perf_counter()
    dimensions = dimension_study()
    done("up to 500 features", start)
    start = perf_counter()
    source = lookalike_population()
    by_rule = netflix_experiment(source)
    done("Tables 1 and 3", start)
    start = perf_counter()
    by_sort = netflix_experiment(source, ties="script")
    done("the same with an unstable sort", start)
    start = perf_counter()
    population = population_study(source)
    done("up to everybody", start)
    return Results(full[0], full[1], full[2], dimensions, by_rule, by_sort, population)


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw the figures of the page."""
    return [
        *figures.regression_figure([results.script, results.text], folder),
        *figures.dimension_figure(results.dimensions, folder),
        *figures.netflix_figure([results.by_rule, results.by_sort], folder),
        *figures.population_figure(results.population, folder),
    ]


def page(results: Results) -> str:
    """Return the page: the template with all its names replaced."""
    values = {
        "table2_script": tables.regression_table(results.script).to_markdown(),
        "table2_text": tables.regression_table(results.text).to_markdown(),
        "dimensions": tables.dimension_table(results.dimensions).to_markdown(),
        "netflix": tables.netflix_table(results.by_rule).to_markdown(),
        "ties": tables.ties_table(results.by_rule, results.by_sort).to_markdown(),
        **_ranking_facts(results),
        **_list_facts(results),
        **_population_facts(results.population),
    }
    return filled(TEMPLATE.read_text(encoding="utf-8"), values)


def filled(template: str, values: dict[str, str]) -> str:
    """Replace each ``{{name}}``; every name must be known, and every value used.

    Examples
    --------
    >>> filled("{{many}} users", {"many": "1,000"})
    '1,000 users'
    """
    asked = set(re.findall(r"\{\{(\w+)\}\}", template))
    wrong = sorted(asked ^ set(values))
    if wrong:
        raise InvalidValueError(
            f"the template and the values do not agree about: {', '.join(wrong)}."
        )
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], template)


def _ranking_facts(results: Results) -> dict[str, str]:
    printed = published_tables.FULL_RANKING["paper"]
    inflated = results.script.methods[INFLATED_RANKING]
    by_size = {row.features: row for row in results.dimensions.rows}
    folds = results.script.rows * results.script.methods[RANKING].trials
    return {
        "table2_work": f"about a second for its {folds:,} left-out fits",
        "seed_z_plain": f"{tables.z_of(results.other.methods[RANKING], printed[RANKING]):+.1f}",
        "seed_z_inflated": (
            f"{tables.z_of(results.other.methods[INFLATED_RANKING], printed[INFLATED_RANKING]):+.1f}"
        ),
        "moved_ranking": f"{inflated.reaching or 0:.0%}",
        "near_ranking": f"{inflated.local or 0:.0%}",
        "delta_ranking": f"{inflated.mean_delta:.1%}",
        "study_trials": str(results.dimensions.rows[0].trials),
        "counted": str(COUNTED),
        "plain_20": f"{by_size[20].plain_delta:.0%}",
        "plain_100": f"{by_size[100].plain_delta:.1%}",
        "inflated_5": f"{by_size[5].inflated_delta:.3f}",
        "inflated_100": f"{by_size[100].inflated_delta:.3f}",
        "inflated_500": f"{by_size[500].inflated_delta:.3f}",
        "reaching_100": f"{by_size[100].reaching_eps:.0%}",
        "size_20": f"{by_size[20].log10_estimate:.0f}",
        "size_100": f"{by_size[100].log10_estimate:.0f}",
        "ranks_500": f"{by_size[500].interval_width:.0f}",
        "sure_500": f"{by_size[500].certain_pairs:.0%}",
    }


def _list_facts(results: Results) -> dict[str, str]:
    rule, by_sort, paper = (
        [results.by_rule.methods[k][TOP_K] for k in results.by_rule.methods],
        [results.by_sort.methods[k][TOP_K] for k in results.by_rule.methods],
        [published_tables.TOP_K[k][TOP_K] for k in results.by_rule.methods],
    )
    inflated = [row[INFLATED_TOP_K] for row in results.by_rule.methods.values()]
    printed = [row[INFLATED_TOP_K] for row in published_tables.TOP_K.values()]
    pairs = list(zip(inflated, printed, strict=True))
    plain = list(zip(rule, paper, strict=True))
    tied = results.by_rule.tied_borders
    moved, near = (
        [getattr(row, name) or 0 for row in inflated] for name in ("reaching", "local")
    )
    raw = results.by_rule.tied_without_shrinkage.values()
    ratios = [a.mean_delta / b.mean_delta for a, b in zip(rule, inflated, strict=True)]
    return {
        "z_sizes": _z_range(pairs, "size"),
        "z_deltas": _z_range(pairs, "delta"),
        "z_jaccards": _z_range(pairs, "jaccard"),
        "z_plain_deltas": _z_range(plain, "delta"),
        "z_plain_jaccards": _z_range(plain, "jaccard"),
        "moved": f"{moved[0]:.1%}",
        "inflated_range": _percents([row.mean_delta for row in inflated], 1),
        "near_range": _percents(near, 0),
        "tied_raw": _percents(list(raw), 0),
        "tied_50": f"{tied[50]:.0%}",
        "tied_100": f"{tied[100]:.0%}",
        "sort_z": _z_range(list(zip(by_sort, paper, strict=True)), "delta"),
        "rule_100": f"{rule[-1].mean_delta:.3f}",
        "sort_100": f"{by_sort[-1].mean_delta:.3f}",
        "paper_100": f"{paper[-1].mean_delta:.3f}",
        "rule_max": _range([row.max_delta for row in rule], 3),
        "sort_max": _range([row.max_delta for row in by_sort], 3),
        "paper_max": _range([row.max_delta for row in paper], 3),
        "least_ratio": f"{min(ratios):.0f}",
        "largest_ratio": f"{max(ratios):.0f}",
    }


def _population_facts(study: PopulationStudy) -> dict[str, str]:
    last = study.rows[-1]
    broken = {
        k: round(last.methods[k][TOP_K].mean_delta * last.users) for k in study.ks
    }
    unstable = [
        f"{users:,} users break the top {k}" for k, users in broken.items() if users
    ]
    zero = max(
        study.users_needed(k, delta=0.0, method=INFLATED_TOP_K) or last.users
        for k in study.ks
    )
    needed = {k: study.users_needed(k, delta=0.01) for k in (study.ks[0], study.ks[-1])}
    return {
        "population_users": f"{last.users:,}",
        "population_ratings": f"{netflix_figures.RATINGS:,}",
        "needed_5": _users(needed[study.ks[0]]),
        "needed_100": _users(needed[study.ks[-1]]),
        "broken_all": ", ".join(unstable) or "nobody breaks any of the lists",
        "zero_users": f"{zero:,}",
    }


def _users(needed: int | None) -> str:
    return "more than all" if needed is None else f"{needed:,}"


def _z_range(pairs: Sequence[tuple[MethodSummary, PublishedRow]], name: str) -> str:
    found = [tables.z_of(ours, printed, name) or 0.0 for ours, printed in pairs]
    return f"{min(found):+.1f} to {max(found):+.1f}"


def _range(values: Sequence[float], digits: int) -> str:
    return f"{min(values):.{digits}f} to {max(values):.{digits}f}"


def _percents(values: Sequence[float], digits: int) -> str:
    ends = [f"{end:.{digits}%}" for end in (min(values), max(values))]
    return " to ".join(dict.fromkeys(ends))


def main(arguments: Sequence[str]) -> int:
    """Write ``research/paper.md`` and its figures into the folder of the documentation."""
    folder = Path(arguments[0] if arguments else "docs")
    results = all_results(_say)
    for path in draw(results, folder / "figures"):
        _say(f"wrote {path}")
    target = folder / "research" / "paper.md"
    target.write_text(page(results), encoding="utf-8")
    _say(f"wrote {target}")
    return 0


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
