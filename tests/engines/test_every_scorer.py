"""Every scorer on every kind that takes it: engines answer as memory does, or refuse by name."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from engine_makers import need, relation
from scorers_of_kinds import scorers_for
from steadyrank import Study, read
from steadyrank.cli import main
from steadyrank.errors import InvalidDataError, SteadyrankError, WrongDataError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RNG = np.random.default_rng(15)
LEFT = RNG.integers(0, 4, 24)
SAID = {
    "battles": {"left": "left", "right": "right", "winner": "winner"},
    "ratings": {"item": "item", "rating": "rating", "unit": "user"},
    "scores": {"item": "model", "score": "score", "unit": "task"},
    "votes": {"choice": "choice"},
}
COLUMNS: dict[str, dict[str, Any]] = {
    "battles": {
        "left": [f"m{item}" for item in LEFT],
        "right": [f"m{item}" for item in (LEFT + RNG.integers(1, 4, 24)) % 4],
        "winner": RNG.choice(["left", "right", "tie"], 24).tolist(),
        "judge": (np.arange(24) % 7).tolist(),
        "heavy": (RNG.integers(1, 4, 24) / 2).tolist(),
    },
    "ratings": {
        "user": np.repeat(np.arange(12), 4).tolist(),
        "item": ["a", "b", "c", "d"] * 12,
        "rating": RNG.integers(1, 4, 48).tolist(),
    },
    "scores": {
        "task": np.repeat(np.arange(12), 4).tolist(),
        "model": ["a", "b", "c", "d"] * 12,
        "score": (RNG.integers(0, 5, 48) / 4).tolist(),
    },
    "votes": {
        "choice": RNG.choice(["a", "b", "c"], 24).tolist(),
        "heavy": (RNG.integers(1, 4, 24) / 2).tolist(),
    },
}
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "battles": ("battles", {}, {}),
    "battles of judges": ("battles", {}, {"unit": "judge"}),
    "battles with weights": ("battles", {}, {"weight": "heavy"}),
    "battles with shares": (
        "battles",
        {"winner": RNG.choice([0.0, 0.5, 1.0], 24).tolist()},
        {},
    ),
    "ratings": ("ratings", {}, {}),
    "scores": ("scores", {}, {}),
    "votes": ("votes", {}, {}),
    "votes with weights": ("votes", {}, {"weight": "heavy"}),
}
PLACED = ("notes", "source", "reading")
"""What a document says of how it was read."""
NEEDS_VALUES = {"mean-rank", "mean-win-rate", "median", "trimmed-mean"}
"""Scorers that need every value, which data that stay in an engine do not hand out."""


def questions() -> dict[str, Any]:
    """Return what a study is asked, by name."""
    return {
        "topk": lambda study: study.topk(2, delta=0.1),
        "proved": lambda study: study.topk(2, proved=True),
        "ranking": lambda study: study.ranking(eps=0.1),
        "audit": lambda study: study.audit([1, 2]),
        "margin": lambda study: study.margin(2),
        "explain": lambda study: study.explain(2),
        "compare": lambda study: study.compare(study, k=2),
        "confidence": lambda study: study.confidence(draws=40),
    }


def told(found: Any) -> Any:
    """Return a document without how it was read, numbers as far as sums in any order agree."""
    if isinstance(found, dict):
        return {
            name: told(value) for name, value in found.items() if name not in PLACED
        }
    if isinstance(found, list | tuple):
        return [told(value) for value in found]
    return float(f"{found:.9g}") if isinstance(found, float) else found


def words(error: SteadyrankError) -> tuple[Any, ...]:
    """Return the class of a refusal and its words up to the place."""
    return type(error), re.sub(r" \([^()]*\)$", "", error.problem)


def outcome(ask: Callable[[Study], Any], study: Study) -> Any:
    try:
        return told(json.loads(json.dumps(ask(study).findings(), default=str)))
    except SteadyrankError as error:
        return words(error)


def study_of(read: Callable[[], Any], scorer: str) -> Any:
    try:
        return Study(read(), scorer)
    except SteadyrankError as error:
        return words(error)


def may_refuse(scorer: str, question: str, data: Any) -> bool:
    """Tell whether docs/reference/engines.md says that an engine refuses this."""
    stays = hasattr(data, "traffic")
    return stays and (scorer in NEEDS_VALUES or question == "confidence")


@pytest.mark.parametrize("name", CASES)
def test_engines_answer_as_memory_does(name: str, in_ci: bool) -> None:
    need("duckdb", in_ci)
    kind, changed, more = CASES[name]
    columns, said = {**COLUMNS[kind], **changed}, {**SAID[kind], **more}
    for scorer in (*scorers_for(kind), *["win-rate:shrinkage=1"] * (kind == "battles")):
        mine = study_of(lambda: read(relation(columns), **said), scorer)
        other = study_of(lambda: read(columns, **said), scorer)
        if scorer == "elo" and isinstance(other, Study):
            assert mine[0] is WrongDataError
            continue
        if not isinstance(other, Study):
            assert mine == other
            continue
        asked = questions()
        if scorer in NEEDS_VALUES:  # it refuses all of them
            asked = {"topk": asked["topk"]}
        for question, ask in asked.items():
            found = outcome(ask, mine)
            if found != outcome(ask, other):
                assert may_refuse(scorer, question, mine.data), (
                    scorer,
                    question,
                    found,
                )
                assert found[0] is InvalidDataError
                assert "engine" in found[1]


def test_commands_answer_as_memory_does(
    tmp_path: Path, capsys: Any, in_ci: bool
) -> None:
    need("duckdb", in_ci)
    pl = pytest.importorskip("polars")
    path = str(tmp_path / "battles.parquet")
    pl.DataFrame(COLUMNS["battles"]).write_parquet(path)
    said = ["--left", "left", "--right", "right", "--winner", "winner", "--json"]
    for words in (
        ["topk", path, "-k", "2"],
        ["rank", path, "--scorer", "win-rate"],
        ["rank", path, "--scorer", "elo"],
    ):
        found = []
        for engine in (["--engine", "duckdb"], []):
            code = main([*words, *said, *engine])
            out, err = capsys.readouterr()
            found.append((code, told(json.loads(out)) if out else err))
        if "elo" in words:
            assert found[0] == (2, found[0][1])
            assert "the order in which they took place is lost" in found[0][1]
        else:
            assert found[0] == found[1]


def test_the_way_out_of_an_engine_can_be_typed(tmp_path: Path, capsys: Any) -> None:
    pl = pytest.importorskip("polars")
    path = str(tmp_path / "long.parquet")
    pl.DataFrame(COLUMNS["scores"]).write_parquet(path)
    said = ["--item", "model", "--score", "score", "--unit", "task"]
    asked = ["topk", path, "-k", "2", "--scorer", "median", *said]
    assert main([*asked, "--engine", "duckdb"]) == 2
    assert "without an engine" in capsys.readouterr().err
    assert main(asked) == 0
