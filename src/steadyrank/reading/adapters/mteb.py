"""MTEB: a file for each task, in ``results/MODEL/REVISION/``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing

from steadyrank.reading.adapters.documents import Node, load
from steadyrank.reading.adapters.entries import Entry, Found, folder_of
from steadyrank.reading.files import OpenFile, open_source
from steadyrank.reading.words import known

REVISION = re.compile(r"[0-9a-f]{7,40}|\d+|no_revision_available|external")


def mteb_entries(file: OpenFile) -> Found:
    """Yield the splits and subsets of tasks."""
    beside = known("beside_metrics_of_mteb")
    for part in file.parts():
        top, model = load(part), _model(part)
        splits = top["scores"].inside()
        task = top["task_name" if splits else "mteb_dataset_name"].label()
        for split, subset, node in _newer(splits) if splits else _older(top):
            scores = {name: one.value for name, one in node.inside().items() if name not in beside}
            row = "/".join([task, split, *([subset] if subset != "default" else [])])
            yield Entry(model, row, task, scores, node)


def _newer(splits: dict[str, Node]) -> Iterator[tuple[str, str, Node]]:
    for split, subsets in splits.items():
        yield from ((split, node["hf_subset"].label(), node) for node in subsets)


def _older(top: Node) -> Iterator[tuple[str, str, Node]]:
    """Yield the same of files before version 1.11: an object for a split, or one for each language."""
    for split, node in top.inside().items():
        inner = {} if split in known("beside_splits_of_mteb") else node.inside()
        languages = {name: one for name, one in inner.items() if isinstance(one.value, dict)}
        if languages and not inner.keys() & {"main_score", "cos_sim"}:
            yield from ((split, name, one) for name, one in languages.items())
        elif inner:
            yield split, "default", node


def _model(file: OpenFile) -> str:
    """Return the model as ``model_meta.json`` beside the file names it, or as its folder does."""
    meta = file.path.absolute().with_name("model_meta.json") if file.path else None
    if meta is None:
        return file.name
    if meta.exists():
        with closing(open_source(meta)) as beside:
            return load(beside)["name"].label()
    above = meta.parent.name
    return folder_of(file, above) if REVISION.fullmatch(above) else above
