"""Audit every real data set beside the checkout, and write what came out into docs/real-data.md.

Run from anywhere: ``python scripts/real_data_table.py [FOLDER]``. The folder is that of the real data;
by default ``shared/data`` beside the checkout. The page is rewritten between its two markers.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steadyrank import audit, read_any, stable_ranking
from steadyrank.scorers import default_scorer

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT.parent / "shared" / "data"
PAGE = ROOT / "docs" / "real-data.md"
START, END = "<!-- made by scripts/real_data_table.py: start -->", "<!-- end -->"
DELTA = 0.01
WANTED_K = (1, 3, 5, 10)

ARENA = "Chatbot Arena votes by pair of models (suquark/leaderbot, BSD-3)"
LLMFAO = "crowd comparisons of language models, LLMFAO (dustalov/evalica, Apache-2.0)"
TALENT = "mean accuracy of methods on tables (LAMDA-Tabular/TALENT, MIT)"
JESTER = "ratings of jokes, Jester5k (recommenderlab, GPL-2)"
IRELAND = "Irish general election 2002 (PrefLib, public record)"
DEBIAN = "Debian project leader elections (PrefLib, published by Debian)"


@dataclass(frozen=True)
class Case:
    """One way to look at one file."""

    file: str
    title: str
    source: str
    options: dict[str, Any] = field(default_factory=dict)


CASES = (
    Case("battles/arena_pairs.csv", "Chatbot Arena", ARENA),
    Case("battles/llmfao.csv", "LLMFAO, by battle", LLMFAO),
    Case("battles/llmfao.csv", "LLMFAO, by worker", LLMFAO, {"unit": "worker"}),
    Case("battles/llmfao.csv", "LLMFAO, by prompt", LLMFAO, {"unit": "prompt"}),
    Case("scores/cls_bin_mean.csv", "TALENT, binary", TALENT, {"missing": "available"}),
    Case("scores/cls_multi_mean.csv", "TALENT, multiclass", TALENT, {"missing": "available"}),
    Case("ratings/jester5k.csv.gz", "Jester (jokes by number)", JESTER),
    Case("ballots/00001-00000001.soi", "Dublin North 2002", IRELAND),
    Case("ballots/00001-00000002.soi", "Dublin West 2002", IRELAND),
    Case("ballots/00001-00000003.soi", "Meath 2002", IRELAND),
    Case("ballots/00002-00000001.toc", "Debian 2002", DEBIAN),
    Case("ballots/00002-00000002.toc", "Debian 2003", DEBIAN),
    Case("ballots/00002-00000003.toc", "Debian 2005", DEBIAN),
    Case("ballots/00002-00000004.toc", "Debian 2006", DEBIAN),
    Case("ballots/00002-00000005.toc", "Debian 2007", DEBIAN),
)


@dataclass(frozen=True)
class Row:
    """What came out for one k."""

    k: int
    plain: float
    inflated: float
    size: int
    eps: float | None
    """None where the plain answer already keeps to the target: any eps does."""
    strict_eps: float | None
    """The smallest eps at which no unit at all breaks the answer; None as above."""
    strict_size: int


@dataclass(frozen=True)
class Finding:
    """What came out for one case."""

    case: Case
    n: int
    items: int
    unit: str
    scorer: str
    rows: tuple[Row, ...]
    worst: int
    lesson: str


def look_at(case: Case, folder: Path) -> Finding:
    """Audit one case."""
    data: Any = read_any(folder / case.file, **case.options)
    scorer = default_scorer(data)
    every_k = range(1, data.n_items)
    overview = audit(data, k=every_k, eps=1e-9, scorer=scorer, methods=("topk", "ranking"))
    plain = {k: overview.row("topk", k).delta for k in every_k}
    worst = max(every_k, key=lambda k: (plain[k], -k))
    chosen = sorted({k for k in WANTED_K if k < data.n_items} | {worst})
    rows = tuple(row_for(data, scorer, k, plain[k]) for k in chosen)
    return Finding(
        case=case,
        n=data.n_units,
        items=data.n_items,
        unit=data.units.kind,
        scorer=scorer.name,
        rows=rows,
        worst=worst,
        lesson=lesson(data, scorer, worst, plain[worst], overview.row("ranking").delta),
    )


def row_for(data: Any, scorer: Any, k: int, plain: float) -> Row:
    """Find the smallest eps that keeps to the target, and audit there."""
    overview = audit(data, k=k, eps=1e-9, scorer=scorer, methods=("topk", "inflated_topk"))
    curve = overview.curve(k)
    eps = curve.smallest_eps(DELTA)
    strict = curve.smallest_eps(0)
    return Row(
        k=k,
        plain=plain,
        inflated=float(curve.delta(eps)),
        size=int(curve.size(eps)),
        eps=eps if plain > DELTA else None,
        strict_eps=strict if plain > 0 else None,
        strict_size=int(curve.size(strict)),
    )


def lesson(data: Any, scorer: Any, worst: int, plain: float, ranking: float) -> str:
    """Say in a few sentences what one learns."""
    unit = data.units.kind
    text = f"No single {unit} changes the top k, for any k."
    if plain > 0:
        leaves, enters, times = commonest_flip(data, scorer, worst)
        text = (
            f"The least stable cut is at k = {worst}: {share(plain)} of the {unit}s change it, each on "
            f"its own. For {times:,} of them {named(enters)} then replaces {named(leaves)}."
        )
    whole = f"No {unit} changes the full plain ranking either."
    if ranking > 0:
        whole = f"{share(ranking)} of the {unit}s change the full plain ranking, each on its own."
    if ranking <= DELTA:
        return f"{text} {whole} That keeps to delta = {DELTA} without any eps."
    answer = stable_ranking(data, delta=DELTA, scorer=scorer)
    blocks = f"{len(answer.tiers)} tier" + "s" * (len(answer.tiers) > 1)
    return (
        f"{text} {whole} At the eps that keeps to delta = {DELTA} for rankings, {answer.eps:.2g}, the "
        f"{data.n_items} items form {blocks}."
    )


def commonest_flip(data: Any, scorer: Any, k: int) -> tuple[tuple[object, ...], tuple[object, ...], int]:
    """Return which items leave and enter most often, and without how many units."""
    result = audit(data, k=k, eps=1e-9, scorer=scorer, methods=("topk", "inflated_topk"))
    times: Counter[tuple[tuple[object, ...], tuple[object, ...]]] = Counter()
    for flip in result.flips(k).plain:
        times[flip.leaves, flip.enters] += flip.count
    ((leaves, enters), most) = times.most_common(1)[0]
    return leaves, enters, most


def named(items: tuple[object, ...]) -> str:
    """Return labels in words, safe in a table."""
    return " and ".join(f"*{str(item).replace('|', '/')}*" for item in items)


def share(value: float) -> str:
    """Return a share with the digits that matter.

    Examples
    --------
    >>> share(0.28226), share(0.0000312), share(0.0)
    ('28 %', '0.0031 %', '0 %')
    """
    return "100 %" if value > 0.995 else f"{100 * value:.2g} %"


def number(value: float) -> str:
    """Return a delta for the table.

    Examples
    --------
    >>> number(0.0), number(0.28226), number(0.0000312)
    ('0', '0.28', '3.1e-05')
    """
    return f"{value:.2g}" if value else "0"


def table(findings: list[Finding]) -> str:
    """Return the table of all findings."""
    lines = [
        "| data | unit, n | L | scores | k | plain delta | tightest eps | inflated | size | strict |",
        "|---|---|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for found in findings:
        for place, row in enumerate(found.rows):
            head = ["", "", "", ""]
            if place == 0:
                head = [found.case.title, f"{found.unit}, {found.n:,}", str(found.items), found.scorer]
            k = f"**{row.k}**" if row.k == found.worst and row.plain > 0 else str(row.k)
            eps = "any" if row.eps is None else f"{row.eps:.3g}"
            strict = "any" if row.strict_eps is None else f"{row.strict_eps:.3g} ({row.strict_size})"
            cells = [*head, k, number(row.plain), eps, number(row.inflated), str(row.size), strict]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def lessons(findings: list[Finding]) -> str:
    """Return what one learns, and where each file comes from."""
    parts = "\n\n".join(f"**{found.case.title}.** {found.lesson}" for found in findings)
    sources = dict.fromkeys((found.case.file, found.case.source) for found in findings)
    listed = "\n".join(f"| `{file}` | {source} |" for file, source in sources)
    head = "| file | what it is (source, licence) |\n|---|---|"
    return f"## What one learns\n\n{parts}\n\n## Sources\n\n{head}\n{listed}"


def write(findings: list[Finding], page: Path) -> None:
    """Put the findings between the markers of the page."""
    text = page.read_text(encoding="utf-8")
    before, rest = text.split(START)
    after = rest.split(END)[1]
    made = f"{START}\n\n{table(findings)}\n\n{lessons(findings)}\n\n{END}"
    page.write_text(before + made + after, encoding="utf-8")


def main() -> None:
    """Look at every case and write the page."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    if not folder.is_dir():
        sys.exit(f"there is no folder {folder.name!r} of real data; give its path as the argument.")
    write([look_at(case, folder) for case in CASES], PAGE)


if __name__ == "__main__":
    main()
