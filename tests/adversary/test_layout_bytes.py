"""Damaged files in the layouts of evaluation tools: each gives data or an error of ours."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from data.layouts.made import MAKERS, alpaca, arena, as_json
from oracles.damaged_files import damaged
from steadyrank.data import read_any
from steadyrank.errors import NotRecognisedError, SteadyrankError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Cases = Callable[[int], Iterator[np.random.Generator]]

ODD: list[Any] = [
    None, True, -1, 0.5, 10**400, float("nan"), float("inf"), "", "text", "\ud800", [], [[]], {},
    {"": {}}, [None, 1], {"value": 1},
]  # fmt: skip
"""What may stand where a tool writes something else."""


def tried(source: Any, **arguments: Any) -> bool:
    """Read a source, as it says or as is suggested, and tell whether it gives data."""
    try:
        return bool(read_any(source, **arguments).n_items >= 0)
    except NotRecognisedError as error:
        return any(one.read().n_items > 0 for one in error.readings)
    except SteadyrankError:
        return False


def replaced(rng: np.random.Generator, value: Any) -> Any:
    """Return JSON with one of its values, however deep, replaced, renamed, doubled or taken away."""
    if not isinstance(value, dict | list) or not value or rng.random() < 0.15:
        return ODD[rng.integers(len(ODD))]
    places = list(value) if isinstance(value, dict) else list(range(len(value)))
    place = places[rng.integers(len(places))]
    copy: Any = value.copy()
    way = rng.random()
    if way < 0.1:
        del copy[place]
    elif way < 0.15 and isinstance(copy, list):
        copy.append(copy[place])
    elif way < 0.15:
        copy[""] = copy.pop(place)
    else:
        copy[place] = replaced(rng, copy[place])
    return copy


@pytest.mark.parametrize("name", [*MAKERS, "arena", "alpaca"])
def test_damaged_bytes(name: str, tmp_path: Path, cases: Cases) -> None:
    """Whole folders with one damaged file, and the file alone, also where its format is given."""
    rng = np.random.default_rng(3)
    if name in MAKERS:
        made = MAKERS[name](rng)
        path = made.write(tmp_path)
        files, given, format_ = made.files, dict(made.arguments), made.format
    else:
        content = {"arena": arena, "alpaca": alpaca}[name](rng, 6)[0]
        files, given, format_, path = {"file.json": content}, {}, "json", tmp_path
    if "qrels" in given:
        given["qrels"] = str(tmp_path / given["qrels"])
    packed = format_ == "excel" or name == "inspect_eval"
    for rng in cases(6 if packed else 15):
        which = list(files)[rng.integers(len(files))]
        content = damaged(rng, files[which])
        content = (
            content[: rng.integers(len(content) + 1)] if rng.random() < 0.2 else content
        )
        (tmp_path / which).write_bytes(content)
        tried(path, **given)
        tried(io.BytesIO(content), format=format_, **given)
        (tmp_path / which).write_bytes(files[which])


@pytest.mark.parametrize("name", [*MAKERS, "arena", "alpaca"])
def test_sound_json_that_says_something_else(
    name: str, tmp_path: Path, cases: Cases
) -> None:
    rng = np.random.default_rng(4)
    if name in MAKERS:
        made = MAKERS[name](rng)
        path, format_ = made.write(tmp_path), made.format
        files = {
            one: content for one, content in made.files.items() if one.endswith("json")
        }
    else:
        content = {"arena": arena, "alpaca": alpaca}[name](rng, 6)[0]
        files, path = {"file.json": content}, tmp_path
        format_ = "json" if name == "arena" else "alpaca-eval"
    read = 0
    for rng in cases(30 if files else 0):
        which = list(files)[rng.integers(len(files))]
        content = as_json(replaced(rng, json.loads(files[which])))
        (tmp_path / which).write_bytes(content)
        read += tried(path)
        read += tried(io.BytesIO(content), format=format_)
        (tmp_path / which).write_bytes(files[which])
    assert read or not files  # or nothing but errors was seen


def test_words_of_errors_are_safe_to_show(tmp_path: Path) -> None:
    """A way through names from the file is one line, whatever these names hold."""
    (tmp_path / "results_x.json").write_bytes(
        as_json({"results": {"a\x1b[31m\n" * 99: 3}, "model_name": "x"})
    )
    with pytest.raises(SteadyrankError) as caught:
        read_any(tmp_path)
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)
