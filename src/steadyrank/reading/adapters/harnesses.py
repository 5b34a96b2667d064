"""Harnesses that evaluate language models.

lm-evaluation-harness writes ``results_*.json`` by task and ``samples_*.jsonl`` by document; HELM
``per_instance_stats.json`` of a run, with ``run_spec.json`` beside it; inspect a log of one model on one
task, as ``.json`` or, through its own package, as ``.eval``; MTEB a file for each task, in
``results/MODEL/REVISION/``; AlpacaEval ``annotations.json``, where one of two answers is preferred;
SWE-bench reports of an instance, and ``leaderboards.json``.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from steadyrank import errors
from steadyrank.errors import listing, shorten
from steadyrank.reading.adapters.documents import Entry, Found, Node, beside, folder_of, load, load_lines
from steadyrank.reading.arrays import is_missing
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Table, as_table
from steadyrank.reading.words import known
from steadyrank.text import counted

SAMPLES = re.compile(r"samples_(.+?)(_\d{4}-\d\d-\d\dT[\d.+-]+)?\.jsonl(\.gz)?")
MODEL_ARGUMENT = re.compile(r"(?:^|,)(?:peft|delta|pretrained|model|path|engine)=([^,]+)")
BESIDE = ("run_spec.json", "scenario_state.json")
"""What names the model of a HELM run, in the same folder; the first is small."""
MODEL_OF_RUN = re.compile(r"(?:^|[:,])model(?:_deployment)?=([^,]*)")
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partially, incorrect, no answer: as inspect itself counts them."""
REVISION = re.compile(r"[0-9a-f]{7,40}|\d+|no_revision_available|external")
EVEN = 1.5
OLD = "It is no longer read: write a table of it, with the columns row, item and score."


def lm_eval_entries(file: OpenFile) -> Found:
    """Yield results by task, or by document where there are samples: these say more."""
    results, samples = list[Entry | str](), list[Entry | str]()
    for part in file.parts():
        if part.begins_with(b"{", "doc_id", "doc", "target"):
            samples += _samples(part)
        else:
            results += _results(load(part), part)
    if samples:
        yield "models named by their folders"
    if samples and results:
        yield "samples read, not the results by task beside them"
    yield from samples or results


def _results(top: Node, file: OpenFile) -> Found:
    tasks, model = top["results"].inside(), _model_of_results(top, file)
    groups, better = set(top["groups"].inside()), top["higher_is_better"].inside()
    for group, inner in top["group_subtasks"].inside().items():
        groups |= {group} if tasks.keys() & inner.labels() else set()
    for task, node in tasks.items():
        if task in groups:
            yield f"the group {task} left out, whose tasks are there"
            continue
        scores = {name: value.value for name, value in node.inside().items() if _is_metric(name)}
        told = better[task].inside() if task in better else {}
        lower = {name for name, more in told.items() if more.value is False}
        yield Entry(model, task, task, scores, node, lower)


def _is_metric(name: str) -> bool:
    others = known("beside_metrics_of_lm_eval")
    return name not in others and not name.partition(",")[0].endswith("_stderr")


def _model_of_results(top: Node, file: OpenFile) -> str:
    """Return the model: by its name, as older files say it among the arguments, or by the folder."""
    config = top["config"].value if isinstance(top["config"].value, dict) else {}
    given = config.get("model_args")
    by_name = given if isinstance(given, dict) else {}
    listed = MODEL_ARGUMENT.findall(given) if isinstance(given, str) else []
    told = [top["model_name"].value, by_name.get("pretrained"), by_name.get("model"), *listed]
    return next((str(name) for name in [*told, config.get("model")] if name), folder_of(file))


def _samples(file: OpenFile) -> Found:
    named = SAMPLES.fullmatch(file.name)
    task = named[1] if named else file.name.partition(".")[0]
    for _, node in load_lines(file):
        kept = f",{node['filter'].value}" if node["filter"].value else ""
        names = node["metrics"].labels() or filter(_is_metric, node.value)
        scores = {f"{name}{kept}": node[name].value for name in names}
        yield Entry(folder_of(file), f"{task}/{node['doc_id'].label()}", task, scores, node)


def helm_entries(file: OpenFile) -> Found:
    """Yield the instances of runs; a task is a scenario."""
    for part in file.parts():
        model, run = _run(part)
        task = MODEL_OF_RUN.sub("", run).strip(":,")
        for node in load(part):
            if node["perturbation"].value is not None:
                yield "perturbed instance left out"
                continue
            means: dict[str, list[object]] = {}
            for stat in node["stats"]:
                values = means.setdefault(stat["name"]["name"].label(), [])
                values += [stat["mean"].value] if stat["mean"].value not in values else []
            # A name that stands for several numbers here is none that could be chosen.
            scores = {name: values[0] for name, values in means.items() if len(values) == 1}
            trial = f"/{node['train_trial_index'].value}" if node["train_trial_index"].value else ""
            yield Entry(model, f"{task}/{node['instance_id'].label()}{trial}", task, scores, node)


def _run(file: OpenFile) -> tuple[str, str]:
    """Return the model and the name of a run, which the file itself does not tell."""
    name = folder_of(file)
    for top in filter(None, (beside(file, other) for other in BESIDE)):
        return top["adapter_spec"]["model"].label(), str(top["name"].value or name)
    if found := MODEL_OF_RUN.search(name):
        return found[1], name
    way_out = f"Keep {' or '.join(BESIDE)} of the run in the same folder, and give the path."
    raise errors.InvalidDataError(f"{file.name} does not say of which model it is", way_out=way_out)


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
            for name, value in (pair for node in epochs.values() for pair in _graded(node)):
                scores.setdefault(name, []).append(value)
            if len(epochs) > 1:
                yield "mean over several epochs taken for a sample"
            means = {name: _mean(values) for name, values in scores.items()}
            yield Entry(model, f"{task}/{sample}", task, means, next(iter(epochs.values())))


def _graded(sample: Node) -> Iterator[tuple[str, Any]]:
    """Yield the scores of a sample, each part of one by itself; letters are what they count."""
    older = {} if sample["score"].value is None else {"score": sample["score"]}
    for scorer, score in (sample["scores"].inside() or older).items():
        value = score["value"].value
        several = value if isinstance(value, dict) else {}
        parts = {f"{scorer}/{name}": part for name, part in several.items()} or {scorer: value}
        for name, one in parts.items():
            yield name, GRADES.get(one, one) if isinstance(one, str) else one


def _mean(values: list[Any]) -> Any:
    """Return the mean; what is no number stays as it is, for the error about it."""
    odd = [value for value in values if not isinstance(value, int | float) or abs(value) > 1e300]
    return odd[0] if odd else sum(values) / len(values)


def _unpacked(file: OpenFile) -> Node:
    file.needs("inspect", "inspect_ai")
    content = file.read_all()
    with file.sound("log of inspect"):
        from inspect_ai.log import read_eval_log

        log = read_eval_log(io.BytesIO(content), format="eval").model_dump()
        return Node(log, "", file.name)


def mteb_entries(file: OpenFile) -> Found:
    """Yield the splits and subsets of tasks."""
    others = known("beside_metrics_of_mteb")
    for part in file.parts():
        top, model = load(part), _model_of_folder(part)
        if top["scores"].value is None:
            raise part.wrong("is in the layout of MTEB before version 1.11", OLD)
        task = top["task_name"].label()
        for split, subsets in top["scores"].inside().items():
            for node in subsets:
                scores = {name: one.value for name, one in node.inside().items() if name not in others}
                subset = node["hf_subset"].label()
                row = "/".join([task, split, *([subset] if subset != "default" else [])])
                yield Entry(model, row, task, scores, node)


def _model_of_folder(file: OpenFile) -> str:
    """Return the model as ``model_meta.json`` beside the file names it, or as its folder does."""
    if file.path is None:
        return file.name
    if (meta := beside(file, "model_meta.json")) is not None:
        return meta["name"].label()
    above = file.path.absolute().parent.name
    return folder_of(file, above) if REVISION.fullmatch(above) else above


def read_alpaca_eval(file: OpenFile) -> Table:
    """Read the preferences as battles, with the instruction as what could be the unit."""
    nodes = [(node, part.name) for part in file.parts() for node in load(part)]
    kept = [(node, name) for node, name in nodes if not is_missing(node["preference"].value)]
    if not kept:
        raise errors.EmptyDataError(f"{file.name} holds no preferences")
    columns: dict[str, list[Any]] = {"left": [], "right": [], "winner": [], "instruction": []}
    for node, _ in kept:
        columns["winner"].append(_winner(node["preference"]))
        columns["left"].append(node["generator_1"].label())
        columns["right"].append(node["generator_2"].label())
        columns["instruction"].append(node["instruction"].value and node["instruction"].label())
    notes = ["preferences of 1 to 2 read as battles: below 1.5 the first wins, above it the second"]
    if shares := sum(node["preference"].value not in {0, 1, EVEN, 2} for node, _ in kept):
        notes.append(f"{counted(shares, 'preference')} between 1 and 2 counted as a whole win")
    if missing := len(nodes) - len(kept):
        notes.append(f"{counted(missing, 'annotation')} without a preference left out")
    places = [file.place(node.where, name) for node, name in kept]
    return Table(as_table(columns).columns, file.name, places, notes, kind="battles", lead="at")


def _winner(node: Node) -> str:
    value = node.value
    if isinstance(value, bool | str | list | dict) or not (value == 0 or 1 <= value <= 2):
        raise node.wrong("a preference from 1 to 2, or 0 for a tie,")
    return "tie" if value in {0, EVEN} else "left" if value < EVEN else "right"


def swe_bench_entries(file: OpenFile) -> Found:
    """Yield instances, with 1 where one was resolved."""
    for part in file.parts():
        top = load(part)
        if top["leaderboards"].value is not None:
            yield from _leaderboards(top["leaderboards"], part)
            continue
        for instance, node in top.inside().items():
            if not isinstance(node.value, dict):
                raise part.wrong("is a report of a whole run or submission", OLD)
            yield _entry(folder_of(part, instance, "logs"), instance, node["resolved"].value, node)


def _leaderboards(boards: Node, file: OpenFile) -> Found:
    """Yield the instances of one leaderboard, or what each leaderboard says where none has instances."""
    named = {board["name"].label(): list(board["results"]) for board in boards}
    details = {name: [one for one in results if _has_details(one)] for name, results in named.items()}
    wanted = [name for name in named if details[name]]
    if wanted or file.given.get("sheet") is not None:
        wanted = [file.chosen("leaderboard", named, wanted[0] if len(wanted) == 1 else None)]
    for name in wanted or named:
        for result in named[name]:
            item = result["name"].label()
            if not details[name]:
                yield _entry(item, name, result["resolved"].value, result)
            elif _has_details(result):
                for instance, node in result["per_instance_details"].inside().items():
                    yield _entry(item, instance, node["resolved"].value, node)
            else:
                yield f"result of {shorten(name)} without a list of its instances left out"
    if wanted:
        yield f"the leaderboard {shorten(wanted[0])} taken of {listing(map(shorten, named))}"


def _has_details(result: Node) -> bool:
    return bool(result["per_instance_details"].value)


def _entry(item: str, row: str, value: object, node: Node) -> Entry:
    return Entry(item, row, "resolved", {"resolved": value}, node)
