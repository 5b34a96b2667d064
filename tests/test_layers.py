"""The way of the data is the layout: no stage loads a later one, not even inside a function."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import steadyrank

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).resolve().parents[1] / "src" / "steadyrank"
TOP = {
    "selection": (
        "operators",
        "reading",
        "sums",
        "engines",
        "data",
        "scorers",
        "margins",
        "study",
    ),
    "__main__": ("cli",),
}
"""Modules above the stages, beside the command line, and what they may load; no stage may load them."""

BASE = {path.stem for path in SOURCE.glob("*.py")} - {"__init__", *TOP}
"""Modules beside the stages: errors, types and words, which every stage may load."""

STAGES = (
    "operators", "reading", "sums", "engines", "data", "scorers", "margins", "report", "study", "cli",
)  # fmt: skip
"""The way of the data; a stage may load those before it. Views take plain documents alone."""

LOADS_NOTHING = {"operators": set[str](), "reading": set[str]()}
"""Stages that stand at the beginning: arrays in, sets out; files in, tables out."""

EXCEPTIONS = {("cli/tour.py", "demo"): "the demo runs on the bundled data"}
"""Imports that go against the way, each with its reason."""


CIRCLES = {
    (
        "data/observations.py",
        "data/scanned.py",
    ): "scan() of every kind gives what stays in an engine",
    (
        "scorers/base.py",
        "scorers/registry.py",
    ): "a scorer that does not fit names those that do",
    (
        "scorers/base.py",
        "scorers/refit.py",
    ): "a scorer without a leave-one-out of its own is refitted",
}
"""Modules of one stage that need each other, each with its reason."""


def may_load(stage: str) -> set[str]:
    earlier = set(STAGES[: STAGES.index(stage)]) if stage in STAGES else set()
    return BASE | {stage} | LOADS_NOTHING.get(stage, earlier)


def imports(path: str, source: str, *, by_text: bool = True) -> Iterator[str]:
    """Yield the full names of what a module of the package imports anywhere, also inside functions."""
    package = ["steadyrank", *Path(path).parent.parts]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)
        elif (
            by_text
            and isinstance(node, ast.Call)
            and "import" in ast.unparse(node.func)
        ):
            texts = [
                part.value for part in ast.walk(node) if isinstance(part, ast.Constant)
            ]
            yield from (
                text
                for text in texts
                if isinstance(text, str) and text.startswith("steadyrank")
            )


def stage_of(name: str) -> str | None:
    """Return the stage of a full name, following public names of the package to their homes."""
    parts = name.split(".")
    if parts[0] != "steadyrank" or len(parts) == 1:
        return None
    if parts[1] in {*STAGES, *TOP, "demo"} or parts[1] in BASE:
        return parts[1]
    if parts[1] in steadyrank.__all__:
        home: str = getattr(steadyrank, parts[1]).__module__
        return home.split(".")[1]
    return None


def violations(path: str, source: str) -> list[str]:
    """Return the stages that a module loads and must not."""
    stage = Path(path).parts[0] if len(Path(path).parts) > 1 else ""
    allowed = may_load(stage) if stage else {*BASE, *TOP.get(Path(path).stem, ())}
    found = {
        loaded
        for name in imports(path, source)
        if (loaded := stage_of(name)) is not None
    }
    return sorted(name for name in found - allowed if (path, name) not in EXCEPTIONS)


def modules() -> list[str]:
    return sorted(str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py"))


def test_a_stage_loads_only_itself_and_earlier_ones() -> None:
    paths = [path for path in modules() if path != "__init__.py"]
    found = {
        path: violations(path, (SOURCE / path).read_text(encoding="utf-8"))
        for path in paths
    }
    assert {path: later for path, later in found.items() if later} == {}


PLANTED = [
    ("data/units.py", "import steadyrank.report.html"),
    ("data/units.py", "from .. import report"),
    ("data/units.py", "from ..report import html"),
    ("data/units.py", "from steadyrank import Study"),
    ("data/units.py", "from steadyrank import report"),
    ("data/units.py", "def late():\n    from steadyrank.scorers import base"),
    ("data/units.py", "import_module('steadyrank.study.study')"),
    ("operators/checks.py", "from steadyrank.data import Votes"),
    ("operators/checks.py", "from steadyrank.reading.arrays import as_column"),
    (
        "reading/table.py",
        "class A:\n    def f(self):\n        import steadyrank.data.votes",
    ),
    ("report/text.py", "def show():\n    from steadyrank.study import study"),
    ("margins/search.py", "from steadyrank.study import Study"),
    ("report/text.py", "from steadyrank.cli import main"),
    ("errors.py", "from steadyrank.operators import topk"),
    ("selection.py", "from steadyrank.report import text"),
    ("selection.py", "from steadyrank.cli import main"),
    ("cli/commands.py", "from steadyrank.selection import StableSelectKBest"),
    ("study/study.py", "import steadyrank.selection"),
]


def test_planted_violations_are_found() -> None:
    assert [found for found in PLANTED if not violations(*found)] == []
    assert [path for path, _ in PLANTED if not (SOURCE / path).exists()] == []


def test_no_module_needs_itself() -> None:
    """Inside a stage, too: what modules load, functions included, goes round in no circle."""
    names = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path
        for path in modules()
    }
    graph: dict[str, set[str]] = {}
    for path in modules():
        source = without_type_checking((SOURCE / path).read_text(encoding="utf-8"))
        loaded = {
            module_of(name, names) for name in imports(path, source, by_text=False)
        }
        loaded -= {None, path}
        graph[path] = {
            other for other in loaded if other and (path, other) not in CIRCLES
        }
    assert tuple(TopologicalSorter(graph).static_order())


def without_type_checking(source: str) -> str:
    tree = ast.parse(source)
    tree.body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    ]
    return ast.unparse(tree)


def module_of(name: str, names: dict[str, str]) -> str | None:
    """Return the file of the module that a full name is in; packages load what they declare lazily."""
    parts = name.split(".")[1:]
    while parts and ".".join(parts) not in names:
        parts.pop()
    return names.get(".".join(parts)) if parts else None


def test_every_exception_is_needed() -> None:
    for path, stage in EXCEPTIONS:
        loaded = {
            stage_of(name)
            for name in imports(path, (SOURCE / path).read_text(encoding="utf-8"))
        }
        assert stage in loaded, f"{path} does not load {stage}: remove the exception"


def test_every_stage_has_a_place() -> None:
    found = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert found == {*STAGES, "demo"}  # demo holds data alone
