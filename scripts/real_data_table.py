"""Audit every real data set beside the checkout, for docs/research/real-data.md and its picture.

Run from anywhere: ``python scripts/real_data_table.py [FOLDER]``. The folder is that of the real data;
by default ``shared/data`` beside the checkout. The page is rewritten between its two markers.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pages import DOCS, REAL_DATA, put

from steadyrank import Study, read
from steadyrank.report.picture import share_image

PAGE = DOCS / "research" / "real-data.md"
PICTURE = DOCS / "figures" / "llmfao-prompts.svg"
WANTED_K = (1, 3, 5, 10)

ARENA = "Chatbot Arena votes by pair of models (suquark/leaderbot, BSD-3)"
LLMFAO = "crowd comparisons of language models, LLMFAO (dustalov/evalica, Apache-2.0)"
TALENT = "mean accuracy of methods on tables (LAMDA-Tabular/TALENT, MIT)"
JESTER = "ratings of jokes, Jester5k (recommenderlab, GPL-2)"
IRELAND = "Irish general election 2002 (PrefLib, public record)"
DEBIAN = "Debian project leader elections (PrefLib, published by Debian)"

RESULTS = {"wins_a": "left", "wins_b": "right", "ties": "tie", "ties_bothbad": "tie"}
PAIRS = {
    "left": "model_a",
    "right": "model_b",
    "winner": "result",
    "count": "number",
    "sql": " UNION ALL ".join(
        f"FROM data SELECT model_a, model_b, '{result}' AS result, {column} AS number"
        for column, result in RESULTS.items()
    ),
}
"""The Arena's table has a row for each pair, with a column for each result."""
JOKES = {"item": "joke", "rating": "rating", "unit": "user"}


@dataclass(frozen=True)
class Case:
    """One way to look at one file."""

    file: str
    title: str
    source: str
    options: dict[str, Any] = field(default_factory=dict)


CASES = (
    Case("battles/arena_pairs.csv", "Chatbot Arena", ARENA, PAIRS),
    Case("battles/llmfao.csv", "LLMFAO, by battle", LLMFAO),
    Case("battles/llmfao.csv", "LLMFAO, by worker", LLMFAO, {"unit": "worker"}),
    Case("battles/llmfao.csv", "LLMFAO, by prompt", LLMFAO, {"unit": "prompt"}),
    Case("scores/cls_bin_mean.csv", "TALENT, binary", TALENT),
    Case("scores/cls_multi_mean.csv", "TALENT, multiclass", TALENT),
    Case("ratings/jester5k.csv.gz", "Jester (jokes by number)", JESTER, JOKES),
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
    changing: int
    """Units each of which changes the plain top k when it alone is left out."""
    sure: int
    contenders: int
    size: int
    """Items in the tightest list that covers."""
    overlapping: int
    """Items in the tightest list that keeps the promise of the paper."""


@dataclass(frozen=True)
class Finding:
    """What came out for one case."""

    case: Case
    n: int
    items: int
    unit: str
    rows: tuple[Row, ...]
    worst: int


def look_at(case: Case, folder: Path) -> Finding:
    """Audit one case."""
    data: Any = read(folder / case.file, **case.options)
    study = Study(data)
    every_k = range(1, data.n_items)
    overview = study.audit(every_k, eps=1e-9, methods=("topk",))
    changing = {k: round(overview.row("topk", k).delta * data.n_units) for k in every_k}
    worst = max(every_k, key=lambda k: (changing[k], -k))
    chosen = sorted({k for k in WANTED_K if k < data.n_items} | {worst})
    return Finding(
        case=case,
        n=data.n_units,
        items=data.n_items,
        unit=data.units.kind,
        rows=tuple(row_for(study, k, changing[k]) for k in chosen),
        worst=worst,
    )


def row_for(study: Study, k: int, changing: int) -> Row:
    """Ask for both lists, so tight that no unit at all breaks them."""
    answer = study.topk(k)
    overlapping = study.topk(k, eps=study.curve(k).smallest_eps(0)).size
    return Row(
        k, changing, len(answer.sure), len(answer.contenders), answer.size, overlapping
    )


def table(findings: list[Finding]) -> str:
    """Return the table of all findings."""
    lines = [
        "| data | unit, n | L | k | changed by | sure | contenders | list | overlap |",
        "|---|---|---:|---|---:|---:|---:|---:|---:|",
    ]
    for found in findings:
        if not moving(found):  # its lesson says all
            continue
        head = [
            found.case.title,
            unbroken(f"{found.unit}, {found.n:,}"),
            str(found.items),
        ]
        for cells in [*still(found), *moving(found)]:
            lines.append("| " + " | ".join([*head, *cells]) + " |")
            head = [""] * len(head)
    return "\n".join(lines)


def unbroken(text: str) -> str:
    """Return a text that stays on one line of its cell."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def still(found: Finding) -> list[list[str]]:
    """Return one row for all k that no unit changes: everybody is sure, and the list is the top k."""
    unmoved = [str(row.k) for row in found.rows if not row.changing]
    return [[unbroken(", ".join(unmoved)), "0", "k", "0", "k", "k"]] if unmoved else []


def moving(found: Finding) -> list[list[str]]:
    """Return a row for each k that some unit changes."""
    return [
        [
            f"**{row.k}**" if row.k == found.worst else str(row.k),
            *(
                f"{n:,}"
                for n in (
                    row.changing,
                    row.sure,
                    row.contenders,
                    row.size,
                    row.overlapping,
                )
            ),
        ]
        for row in found.rows
        if row.changing
    ]


def sources(findings: list[Finding]) -> str:
    """Return where each file comes from."""
    found: dict[str, list[str]] = {}
    for file, source in dict.fromkeys(
        (case.file, case.source) for case in (f.case for f in findings)
    ):
        found.setdefault(source, []).append(f"`{file}`")
    listed = "\n".join(
        f"- {source}: {', '.join(files)}" for source, files in found.items()
    )
    return f"## Sources\n\n{listed}"


def draw(folder: Path) -> None:
    """Draw the ten best of LLMFAO without any one prompt."""
    (case,) = (case for case in CASES if case.options.get("unit") == "prompt")
    answer = Study(read(folder / case.file, **case.options)).topk(10)
    PICTURE.write_text(share_image(answer.findings()) + "\n", encoding="utf-8")


def main() -> None:
    """Look at every case, write the page and draw its picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else REAL_DATA
    if not folder.is_dir():
        sys.exit(
            f"there is no folder {folder.name!r} of real data; give its path as the argument."
        )
    findings = [look_at(case, folder) for case in CASES]
    put(f"{table(findings)}\n\n{sources(findings)}", PAGE, "real_data_table")
    draw(folder)


if __name__ == "__main__":
    main()
