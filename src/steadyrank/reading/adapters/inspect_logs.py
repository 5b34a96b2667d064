"""Logs of inspect: one model on one task, as ``.json`` or, through its own package, as ``.eval``."""

from __future__ import annotations

import io
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from steadyrank.errors import MissingPackageError
from steadyrank.reading.adapters.documents import Node, load
from steadyrank.reading.adapters.entries import Entry, Found
from steadyrank.reading.files import OpenFile

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partially, incorrect, no answer: as inspect itself counts them."""


def inspect_entries(file: OpenFile) -> Found:
    """Yield the samples of logs; of several epochs the mean is taken, as inspect does."""
    for part in file.parts():
        top = _unpacked(part) if part.zipped else load(part)
        model, task = top["eval"]["model"].label(), top["eval"]["task"].label()
        if top["samples"].value is None:
            raise top["samples"].wrong("the samples, not only what they add up to,")
        samples: dict[str, dict[str, Node]] = {}
        for node in top["samples"]:
            epochs = samples.setdefault(node["id"].label(), {})
            if epochs.setdefault(node["epoch"].label(), node) is not node:
                raise node["epoch"].wrong("another epoch: this sample had it before,")
        for sample, epochs in samples.items():
            scores: dict[str, list[Any]] = {}
            for name, value in (pair for node in epochs.values() for pair in _scores(node)):
                scores.setdefault(name, []).append(value)
            if len(epochs) > 1:
                yield "mean over several epochs taken for a sample"
            means = {name: _mean(values) for name, values in scores.items()}
            yield Entry(model, f"{task}/{sample}", task, means, next(iter(epochs.values())))


def _scores(sample: Node) -> Iterator[tuple[str, Any]]:
    older = {} if sample["score"].value is None else {"score": sample["score"]}
    for scorer, score in (sample["scores"].inside() or older).items():
        value = score["value"]
        parts = value.inside() if isinstance(value.value, dict) else {}
        yield from ((f"{scorer}/{name}", _graded(part.value)) for name, part in parts.items())
        yield from () if parts else [(scorer, _graded(value.value))]


def _graded(value: Any) -> Any:
    return GRADES.get(value, value) if isinstance(value, str) else value


def _mean(values: list[Any]) -> Any:
    """Return the mean; what is no number stays as it is, for the error about it."""
    odd = [value for value in values if not isinstance(value, int | float) or abs(value) > 1e300]
    return odd[0] if odd else sum(values) / len(values)


def _unpacked(file: OpenFile) -> Node:
    if find_spec("inspect_ai") is None:
        raise MissingPackageError(f"to read the log {file.name}, inspect_ai is needed", "inspect")
    content = file.read_all()
    with file.sound("log of inspect"):
        from inspect_ai.log import read_eval_log

        log = read_eval_log(io.BytesIO(content), format="eval").model_dump()
        return Node(log, "", file.name)
