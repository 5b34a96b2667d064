"""Running the command line inside the test, as a user would from a shell."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank.cli import main
from steadyrank.demo import demo_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@dataclass(frozen=True)
class Run:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def said(self) -> str:
        """The output without its line breaks."""
        return " ".join(self.out.split())


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Run]:
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words: object, stdin: bytes | None = None) -> Run:
        if stdin is not None:
            stream = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
            monkeypatch.setattr("sys.stdin", stream)
        capsys.readouterr()
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return call


@pytest.fixture
def restaurants() -> Iterator[tuple[object, ...]]:
    """The demo's ratings, with what their columns are."""
    with demo_file("restaurants.csv") as path:
        yield path, "--item", "restaurant", "--rating", "stars", "--unit", "reviewer"


@pytest.fixture
def battles() -> Iterator[Path]:
    with demo_file("chat_battles.csv") as path:
        yield path


@pytest.fixture
def benchmark() -> Iterator[Path]:
    with demo_file("benchmark.csv") as path:
        yield path
