"""What a bare ``import steadyrank`` may load: NumPy, narwhals, and a few modules of our own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

ALLOWED_PACKAGES = {"numpy", "narwhals", "steadyrank"}
HEAVY = (
    "scipy",
    "pandas",
    "polars",
    "pyarrow",
    "duckdb",
    "matplotlib",
    "altair",
    "sklearn",
    "joblib",
    "pyspark",
    "fastexcel",
    "ir_measures",
    "inspect_ai",
)
ALLOWED_MODULES = {"steadyrank", "steadyrank._lazy"}
"""Our own modules that a bare import loads; the public names are loaded when first used."""

REPORT = """
import json, sys
before = set(sys.modules)
{statement}
loaded = set(sys.modules) - before
tops = {{name.partition(".")[0] for name in loaded}} - set(sys.stdlib_module_names)
tops = {{name for name in tops if "cython" not in name}}  # what compiled modules share at run time
ours = sorted(name for name in loaded if name.partition(".")[0] == "steadyrank")
print(json.dumps({{"packages": sorted(tops), "ours": ours}}))
"""


def loaded_by(statement: str) -> dict[str, list[str]]:
    """Run the statement in a fresh interpreter and return what it has loaded."""
    program = REPORT.format(statement=statement)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded: dict[str, list[str]] = json.loads(done.stdout)
    return loaded


def test_a_bare_import_loads_only_what_the_list_allows() -> None:
    loaded = loaded_by("import steadyrank")
    assert set(loaded["packages"]) <= ALLOWED_PACKAGES
    assert set(loaded["ours"]) <= ALLOWED_MODULES
    assert "steadyrank" in loaded["ours"]


OPERATORS = {
    "steadyrank",
    "steadyrank._lazy",
    "steadyrank._typing",
    "steadyrank.errors",
    "steadyrank.operators",
    "steadyrank.operators.inflation",
    "steadyrank.operators.checks",
    "steadyrank.operators.intervals",
    "steadyrank.operators.rankings",
    "steadyrank.operators.unplaced",
    "steadyrank.operators.topk_sets",
}

USES = {
    "operators": "from steadyrank import inflated_topk; inflated_topk([1.0, 0.5, 0.0], 1, 0.1)",
    "intervals": "import steadyrank; steadyrank.rank_intervals([1.0, 0.5], 0.1)",
    "rankings": "from steadyrank import inflated_ranking as r; [0, 1] in r([1.0, 0.5], 1)",
    "counts": "from steadyrank import inflated_ranking as r; r([1.0, 0.5], 1).count()",
}


@pytest.mark.parametrize("statement", USES.values(), ids=USES)
def test_using_the_operators_loads_numpy_alone(statement: str) -> None:
    """The operators know nothing of dataframes, files or kinds of data."""
    loaded = loaded_by(statement)
    assert set(loaded["packages"]) <= {"numpy", "steadyrank"}
    assert set(loaded["ours"]) <= OPERATORS


def test_the_report_would_see_a_heavy_import() -> None:
    """The check above can fail: it notices a package that is loaded."""
    assert "scipy" in loaded_by("import scipy.optimize")["packages"]
    assert not set(HEAVY) & ALLOWED_PACKAGES


def test_every_operator_is_a_public_name() -> None:
    import steadyrank

    for name in (
        "inflated_argmax",
        "topk",
        "inflated_topk",
        "inflated_topk_mask",
        "ball_topk",
        "critical_eps",
        "rank_intervals",
        "certainly_above",
        "tiers",
        "inflated_ranking",
        "RankingSet",
    ):
        assert name in steadyrank.__all__
        assert name in dir(steadyrank)
        assert getattr(steadyrank, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'inflated_top_k'"):
        steadyrank.inflated_top_k  # noqa: B018
