"""The way of the data is the layout: no stage loads a later one."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src" / "steadyrank"
BASE = {"errors", "_typing"}
MAY_LOAD = {
    "data": BASE,
    "scorers": BASE | {"data"},
    "operators": BASE,
    "engines": BASE | {"data", "scorers"},
    "stability": BASE | {"data", "scorers", "operators"},
    "report": BASE | {"data", "scorers", "operators", "stability"},
    "cli": BASE | {"data", "scorers", "operators", "stability", "engines", "report", "demo"},
}


def loaded_stages(path: Path) -> set[str]:
    """Return the stages that a module loads when it is imported; functions load theirs when called."""
    found = set()
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("steadyrank"):
            parts = (statement.module or "").split(".")
            found |= {parts[1]} if len(parts) > 1 else {alias.name for alias in statement.names}
    return found


@pytest.mark.parametrize("stage", MAY_LOAD)
def test_a_stage_loads_only_itself_and_earlier_ones(stage: str) -> None:
    modules = sorted((SOURCE / stage).rglob("*.py"))
    assert modules
    for module in modules:
        later = loaded_stages(module) - MAY_LOAD[stage] - {stage}
        # Names of the package itself come from stages; views may use those.
        later = {name for name in later if (SOURCE / name).exists() or (SOURCE / f"{name}.py").exists()}
        assert not later, f"{module.relative_to(SOURCE)} loads {sorted(later)}"


def test_every_stage_has_a_place() -> None:
    stages = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert stages - {"demo"} == set(MAY_LOAD)  # demo holds data alone
