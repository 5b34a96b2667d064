"""What docs/reference/promise.md promises: nothing that was recorded has gone.

Before a release, ``python tests/release/test_promise.py`` writes the records anew: what is new is then
promised, too. A name that is to go is first deprecated, and leaves the record with a major version.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import ScoreMatrix, Split, Study
from steadyrank.cli.endings import MEANINGS
from steadyrank.cli.options import COMMANDS, rows_of
from steadyrank.study.results import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

RECORDS = Path(__file__).parent / "recorded"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "promise.md"
MODULES = ("", ".data", ".engines", ".operators", ".scorers", ".selection", ".study")


def public_names() -> Iterator[str]:
    """Yield all that the stub files declare, and the selectors."""
    for part in MODULES:
        module = importlib.import_module(f"steadyrank{part}")
        yield from (f"{module.__name__}.{name}" for name in module.__all__)


def command_line() -> Iterator[str]:
    """Yield every command with each of its options, and the exit codes."""
    for command in COMMANDS:
        for row in rows_of(command):
            yield from (f"{command} {flag}" for flag in row.flags)
    yield from (f"exit code {code:d}: {meaning}" for code, meaning in MEANINGS.items())


def documents() -> Iterator[dict[str, Any]]:
    rows = [[3, 1, 2, 2], [3, 2, 2, 1], [2, 3, 0, 4], [3, 2, 2, 0], [1, 2, 2, 2]]
    study = Study(ScoreMatrix(rows))
    yield from (
        found.findings()
        for found in (
            study.topk(2),
            study.ranking(),
            study.audit(2),
            study.explain(2),
            study.margin(2),
            study.check(2),
            Split({"choice": [*"aab", *"abbc"], "city": [*"uuu", *"vvvv"]}, "city").ask(
                lambda study: study.topk(1)
            ),
        )
    )


def json_fields() -> Iterator[str]:
    """Yield every field of every document, and those of the objects in it."""
    yield f"version {SCHEMA_VERSION.partition('.')[0]}"
    for document in documents():
        yield from (f"{document['document']} {field}" for field in fields(document))


def fields(part: dict[str, Any], before: str = "") -> Iterator[str]:
    for name, value in part.items():
        yield f"{before}{name}"
        inner = next(iter(value), None) if isinstance(value, list) else value
        if isinstance(inner, dict) and name not in {
            "policies",
            "numbers",
        }:  # free names
            yield from fields(inner, f"{before}{name}.")


KEPT: dict[str, Callable[[], Iterator[str]]] = {
    "names.txt": public_names,
    "command_line.txt": command_line,
    "json_fields.txt": json_fields,
}


def gone(recorded: str, there: Iterable[str]) -> list[str]:
    return sorted(set(recorded.splitlines()) - set(there))


@pytest.mark.parametrize("record", KEPT)
def test_nothing_that_was_promised_has_gone(record: str) -> None:
    recorded = (RECORDS / record).read_text(encoding="utf-8")
    assert len(recorded.splitlines()) > 50
    assert gone(recorded, KEPT[record]()) == []


def test_a_removal_is_noticed() -> None:
    there = list(json_fields())
    assert gone("\n".join(there), there[1:]) == there[:1]


def test_every_recorded_name_can_be_imported() -> None:
    for line in (RECORDS / "names.txt").read_text(encoding="utf-8").splitlines():
        module, _, name = line.rpartition(".")
        assert hasattr(importlib.import_module(module), name)


def test_the_page_of_the_promise_names_what_is_recorded() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert sorted(re.findall(r"`tests/release/recorded/(\w+\.txt)`", text)) == sorted(
        KEPT
    )


if __name__ == "__main__":
    RECORDS.mkdir(exist_ok=True)
    for name, found in KEPT.items():
        (RECORDS / name).write_text(
            "\n".join(sorted(set(found()))) + "\n", encoding="utf-8"
        )
