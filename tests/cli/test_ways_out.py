"""A way out names options that exist, on the command line and in Python, and scorers with a name."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import steadyrank
from steadyrank import Study, read
from steadyrank.cli.options import ROWS
from steadyrank.reading.roles import ROLES
from steadyrank.scorers import named_scorer
from steadyrank.study.certificate import How
from steadyrank.study.margin import MarginOf

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(steadyrank.__file__).parent
TYPED = {row.name for row in ROWS} | {*ROLES}


def options_in(source: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("Option"):
            yield node


def texts(call: ast.Call) -> list[str]:
    return [
        part.value
        for part in call.args
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


def arguments() -> set[str]:
    """The keyword arguments of what Python users ask."""
    methods = [read, *(one for _, one in inspect.getmembers(Study, inspect.isfunction))]
    names = {name for one in methods for name in inspect.signature(one).parameters}
    return names | {*How.__annotations__} | {*MarginOf.__annotations__}


def wrong_options(source: str) -> list[str]:
    wrong = []
    python = arguments()
    for call in options_in(source):
        name, *value = texts(call) or ("",)
        in_python = {keyword.arg for keyword in call.keywords} & {"python"}
        if name and (name not in TYPED or not (in_python or name in python)):
            wrong.append(name)
        if name == "scorer" and value:
            named_scorer(value[0])
    return wrong


def test_every_option_of_a_way_out_exists() -> None:
    found = {
        str(path.relative_to(SOURCE)): wrong
        for path in sorted(SOURCE.rglob("*.py"))
        if (wrong := wrong_options(path.read_text(encoding="utf-8")))
    }
    assert found == {}


def test_planted_options_are_found() -> None:
    assert wrong_options('Option("drop", "x"); errors.Option("kind")') == [
        "drop",
        "kind",
    ]
    assert wrong_options('Option("sql"); Option("scorer", "mean")') == []
