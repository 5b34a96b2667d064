"""The experiments use what every user can use: names that steadyrank exports, and nothing else."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from doctest import DocTestParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from steadyrank.errors import SteadyrankError

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPERIMENTS = Path(__file__).resolve().parents[2] / "paper"
PUBLIC_MODULES = (
    "steadyrank",
    *(
        f"steadyrank.{part}"
        for part in (
            "data",
            "demo",
            "engines",
            "errors",
            "operators",
            "report",
            "scorers",
            "study",
        )
    ),
)
MODULE_PATH = re.compile(r"steadyrank(\.\w+)*")


def exported(module: str) -> set[str]:
    """Return the public names of a module; where it has no list of them, its errors."""
    home = importlib.import_module(module)
    if hasattr(home, "__all__"):
        return set(home.__all__)
    if module == "steadyrank.demo":
        return {"demo_file"}  # which every page of the documentation imports
    return {
        name
        for name, value in vars(home).items()
        if inspect.isclass(value) and issubclass(value, SteadyrankError)
    }


def private_uses(source: str) -> Iterator[str]:
    """Yield what the source takes from steadyrank in any way but ``from PUBLIC import EXPORTED``.

    ``import steadyrank`` is refused, too: what is then taken by attributes could not be seen here.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (
                alias.name for alias in node.names if MODULE_PATH.fullmatch(alias.name)
            )
        elif isinstance(node, ast.ImportFrom):
            yield from _not_exported(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if "." in node.value and MODULE_PATH.fullmatch(
                node.value
            ):  # for import_module and the like
                yield node.value
            for example in DocTestParser().get_examples(node.value):
                yield from private_uses(example.source)


def _not_exported(node: ast.ImportFrom) -> Iterator[str]:
    module = node.module or ""
    if node.level or not MODULE_PATH.fullmatch(module):
        return
    public = exported(module) if module in PUBLIC_MODULES else set()
    yield from (
        f"{module}.{alias.name}" for alias in node.names if alias.name not in public
    )


@pytest.mark.parametrize(
    "path", sorted(EXPERIMENTS.glob("**/*.py")), ids=lambda path: path.name
)
def test_an_experiment_uses_public_names_alone(path: Path) -> None:
    assert list(private_uses(path.read_text(encoding="utf-8"))) == []


def test_there_are_experiments_and_they_use_the_library() -> None:
    sources = [path.read_text(encoding="utf-8") for path in EXPERIMENTS.glob("**/*.py")]
    assert sum("from steadyrank" in source for source in sources) > 5


@pytest.mark.parametrize(
    "planted",
    [
        "import steadyrank",
        "import numpy, steadyrank.scorers.secular",
        "import steadyrank.scorers as ways",
        "from steadyrank import *",
        "from steadyrank import scorers",
        "from steadyrank import Ratings, _typing",
        "from steadyrank.scorers import secular",
        "from steadyrank.scorers.means import Mean",
        "from steadyrank._typing import FloatArray",
        "from steadyrank.cli import main",
        "if TYPE_CHECKING:\n    from steadyrank.data.ratings import Ratings",
        "def late():\n    from steadyrank.operators.checks import check_eps",
        "class Holder:\n    def late(self):\n        import steadyrank.report.html",
        "module = import_module('steadyrank.study.outcomes')",
        "def shown():\n    '''Show.\n\n    >>> from steadyrank.data.units import Units\n    '''",
    ],
)
def test_a_planted_violation_is_seen(planted: str) -> None:
    assert list(private_uses(planted))


@pytest.mark.parametrize(
    "fine",
    [
        "from steadyrank import Ratings, Study",
        "from steadyrank.errors import InvalidValueError",
        "from steadyrank.scorers import ConstrainedLeastSquares",
        "from paper.streams import mixed",
        "import numpy as np",
        "'''What steadyrank.audit gives.'''",
    ],
)
def test_public_names_are_welcome(fine: str) -> None:
    assert list(private_uses(fine)) == []
