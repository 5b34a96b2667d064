"""Run the benchmarks and write their table: ``python benchmarks/run.py [names...] [--quick]``.

``--json`` prints the rows of one section instead, in a process that ends with it: what ``against.py``
compares. ``--scripts`` takes them from another folder of benchmarks.

Each ``bench_NAME.py`` has ``run(quick) -> rows``. All but ``scale`` run by default; ``scale`` takes
minutes and runs by name.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import platform
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

# One thread for linear algebra: two noisy cores make ratios of threaded runs meaningless.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

HERE = Path(__file__).resolve().parent
BY_NAME_ONLY = {"scale"}


def known() -> list[str]:
    return sorted(path.stem.removeprefix("bench_") for path in HERE.glob("bench_*.py"))


def checked(names: list[str]) -> list[str]:
    """Return the sections to run, all that are not by name only where none is named."""
    for name in names:
        if name not in known():
            raise SystemExit(
                f"unknown benchmark {name!r}; known are {', '.join(known())}"
            )
    return names or [name for name in known() if name not in BY_NAME_ONLY]


def measured(name: str, quick: bool, scripts: Path = HERE) -> list[dict[str, Any]]:
    """Run one section, in a process of its own: memory that others took and left slows many things."""
    # Neither the benchmarks nor `paper`, which stands beside them, are installed.
    sys.path[:0] = [str(scripts), str(scripts.parent)]
    rows = importlib.import_module(f"bench_{name}").run(quick=quick)
    return [row if isinstance(row, dict) else row.to_dict() for row in rows]


def duration(seconds: float) -> str:
    if math.isnan(seconds):
        return ""
    for limit, factor, unit in ((1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.3g} s"


def line(row: dict[str, Any]) -> str:
    verdict = {True: "met", False: "**missed**", None: ""}[row["met"]]
    ratio = "" if math.isnan(row["ratio"]) else f"{row['ratio']:.3g}"
    cells = [
        row["name"],
        duration(row["baseline"]),
        duration(row["ours"]),
        ratio,
        row["target"],
        verdict,
    ]
    peak = "" if math.isnan(row["peak"]) else f"peak memory {row['peak'] / 1e9:.2f} GB"
    notes = filter(None, (row["note"], peak))
    return "| " + " | ".join([*cells, "; ".join(notes)]) + " |"


def table(sections: dict[str, list[dict[str, Any]]], quick: bool) -> str:
    import numpy as np

    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`"
        + (" (quick mode)" if quick else "")
        + ". Every ratio compares two",
        "things measured in the same run; times by themselves say more about the machine than about us.",
        f"Python {platform.python_version()}, NumPy {np.__version__}, {os.cpu_count()} cores,",
        "linear algebra on one thread.",
    ]
    for name, rows in sections.items():
        lines += ["", f"## {name.capitalize()}", ""]
        lines += [
            "| what | baseline | ours | ratio | target | | note |",
            "|---|---|---|---|---|---|---|",
        ]
        lines += [line(row) for row in rows]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which of: {', '.join(known())}")
    parser.add_argument(
        "--quick", action="store_true", help="small inputs; writes no file"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the rows of one section as JSON"
    )
    parser.add_argument(
        "--scripts", type=Path, default=HERE, help="with --json: folder of benchmarks"
    )
    options = parser.parse_args()
    if options.json:
        (name,) = options.names
        print(json.dumps(measured(name, options.quick, options.scripts)))
        return 0
    names = checked(options.names)
    sections: dict[str, list[dict[str, Any]]] = {}
    for name in names:
        with ProcessPoolExecutor(1, get_context("spawn")) as alone:
            sections[name] = alone.submit(measured, name, options.quick).result()
        print(
            table({name: sections[name]}, options.quick).split("\n\n", 2)[2], flush=True
        )
    if not options.quick:
        target = HERE / ("results-scale.md" if names == ["scale"] else "results.md")
        if options.names and names != ["scale"]:
            target = HERE / f"results-{'-'.join(names)}.md"
        partial = target.with_suffix(".part")
        partial.write_text(table(sections, options.quick))
        partial.replace(target)
        print(f"written: {target.relative_to(HERE.parent)}")
    missed = [
        row["name"] for rows in sections.values() for row in rows if row["met"] is False
    ]
    if missed:
        print("missed: " + "; ".join(missed))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
