"""The documentation names exactly what the package exports."""

from __future__ import annotations

import importlib
import inspect
import re

import steadyrank
from docs.page_examples import DOCS, examples_of
from steadyrank import errors

EXPORTING = tuple(
    f"steadyrank.{part}"
    for part in ("data", "engines", "operators", "scorers", "selection", "study")
)
REPORT = {
    "steadyrank.report.html": {"render_html"},
    "steadyrank.report.sharing": {"table_fragment"},
    "steadyrank.report.plots": None,  # every public function
    "steadyrank.report.export": {"to_json", "to_csv"},
    "steadyrank.report.markdown": {"to_markdown"},
}
DIRECTIVE = re.compile(r"^::: ([\w.]+)$", re.MULTILINE)


def documented() -> dict[str, str]:
    """Return the page of each name that the reference documents."""
    return {
        name: path.name
        for path in sorted((DOCS / "reference").glob("*.md"))
        for name in DIRECTIVE.findall(path.read_text(encoding="utf-8"))
    }


def exported() -> set[str]:
    """Return every name that should be documented, by the module that exports it."""
    names = {
        f"{module}.{name}"
        for module in EXPORTING
        for name in importlib.import_module(module).__all__
    }
    names.add("steadyrank.read")  # of no room: it makes data of files
    for module, chosen in REPORT.items():
        home = importlib.import_module(module)
        public = {
            name
            for name, value in vars(home).items()
            if inspect.isfunction(value)
            and value.__module__ == module
            and not name.startswith("_")
        }
        names |= {
            f"{module}.{name}"
            for name in (public if chosen is None else chosen & public)
        }
    return names


def test_the_reference_documents_every_export_and_nothing_else() -> None:
    assert sorted(documented()) == sorted(exported())


def test_every_public_name_of_the_package_is_on_a_page() -> None:
    homes = {name.rsplit(".", 1)[1] for name in exported()} | {"SteadyrankError"}
    assert sorted(set(steadyrank.__all__) - homes) == []


def has_an_example(name: str, page: str) -> bool:
    module, _, last = name.rpartition(".")
    thing = getattr(importlib.import_module(module), last)
    blocks = examples_of((DOCS / "reference" / page).read_text(encoding="utf-8"))
    on_page = any(re.search(rf"\b{last}\b", block.code) for block in blocks)
    return on_page or ">>>" in (inspect.getdoc(thing) or "")


def test_every_documented_name_has_an_executed_example() -> None:
    assert [
        name for name, page in documented().items() if not has_an_example(name, page)
    ] == []


def test_the_errors_page_lists_every_named_error_once_and_nothing_else() -> None:
    classes = [
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.SteadyrankError)
    ]
    text = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^### (\w+)$", text, re.MULTILINE)) == sorted(classes)
    assert len(classes) <= 24  # a class is what a program would catch differently
