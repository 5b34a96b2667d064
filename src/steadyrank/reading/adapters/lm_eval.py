"""lm-evaluation-harness: ``results_*.json`` by task, and ``samples_*.jsonl`` by document."""

from __future__ import annotations

import re

from steadyrank.reading.adapters.documents import Node, load, load_lines
from steadyrank.reading.adapters.entries import Entry, Found, folder_of
from steadyrank.reading.files import OpenFile
from steadyrank.reading.words import known

SAMPLES = re.compile(r"samples_(.+?)(_\d{4}-\d\d-\d\dT[\d.+-]+)?\.jsonl(\.gz)?")
MODEL = re.compile(r"(?:^|,)(?:peft|delta|pretrained|model|path|engine)=([^,]+)")


def _has_samples(file: OpenFile) -> bool:
    return file.begins_with(b"{", "doc_id", "doc", "target")


def lm_eval_entries(file: OpenFile) -> Found:
    """Yield results by task, or by document where there are samples: these say more."""
    results, samples = list[Entry | str](), list[Entry | str]()
    for part in file.parts():
        if _has_samples(part):
            samples += _samples(part)
        else:
            results += _results(load(part), part)
    if samples:
        yield "models named by their folders"
    if samples and results:
        yield "samples taken, and not the results by task beside them"
    yield from samples or results


def _results(top: Node, file: OpenFile) -> Found:
    tasks, model = top["results"].inside(), _model(top, file)
    groups = set(top["groups"].inside())
    for group, inner in top["group_subtasks"].inside().items():
        groups |= {group} if tasks.keys() & inner.labels() else set()
    better = top["higher_is_better"].inside()
    nothing = Node(None, "", file.name)
    for task, node in tasks.items():
        if task in groups:
            yield f"the group {task} left out, whose tasks are there"
            continue
        scores = {name: value.value for name, value in node.inside().items() if _is_metric(name)}
        told = better.get(task, nothing).inside()
        lower = {name for name, more in told.items() if more.value is False}
        yield Entry(model, task, task, scores, node, lower)


def _is_metric(name: str) -> bool:
    beside = known("beside_metrics_of_lm_eval")
    return name not in beside and not name.partition(",")[0].endswith("_stderr")


def _model(top: Node, file: OpenFile) -> str:
    """Return the model: by its name, as older files say it among the arguments, or by the folder."""
    config = top["config"] if isinstance(top["config"].value, dict) else Node({}, "config", file.name)
    given = config["model_args"].value
    by_name = given if isinstance(given, dict) else {}
    listed = MODEL.findall(given) if isinstance(given, str) else []
    told = [top["model_name"].value, by_name.get("pretrained"), by_name.get("model"), *listed]
    return next((str(name) for name in [*told, config["model"].value] if name), folder_of(file))


def _samples(file: OpenFile) -> Found:
    named = SAMPLES.fullmatch(file.name)
    task = named[1] if named else file.name.partition(".")[0]
    for _, node in load_lines(file):
        kept = f",{node['filter'].value}" if node["filter"].value else ""
        names = node["metrics"].labels() or filter(_is_metric, node.value)
        scores = {f"{name}{kept}": node[name].value for name in names}
        yield Entry(folder_of(file), f"{task}/{node['doc_id'].label()}", task, scores, node)
