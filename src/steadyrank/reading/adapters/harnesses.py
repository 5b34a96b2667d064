"""Tools that evaluate language models and retrieval.

lm-evaluation-harness writes ``results_*.json`` by task and ``samples_*.jsonl`` by document; HELM
``per_instance_stats.json`` of a run, with ``run_spec.json`` beside it; inspect a log of one model on one
task, as ``.json`` or, through its own package, as ``.eval``; MTEB a file for each task, in
``results/MODEL/REVISION/``; AlpacaEval ``annotations.json``, where one of two answers is preferred;
SWE-bench reports of an instance, of a run, of a submission, and ``leaderboards.json``; TREC runs,
evaluated with the judgements of ``qrels``, and what ``trec_eval -q`` writes of a run.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from steadyrank import errors
from steadyrank.arrays import is_missing
from steadyrank.errors import Option, listing, shorten
from steadyrank.reading.adapters.documents import (
    Entry,
    Found,
    Node,
    beside,
    folder_of,
    load,
    load_lines,
)
from steadyrank.reading.files import OpenFile, open_source
from steadyrank.reading.table import Table, as_table
from steadyrank.reading.words import known
from steadyrank.text import counted

SAMPLES = re.compile(r"samples_(.+?)(_\d{4}-\d\d-\d\dT[\d.+-]+)?\.jsonl(\.gz)?")
MODEL_ARGUMENT = re.compile(
    r"(?:^|,)(?:peft|delta|pretrained|model|path|engine)=([^,]+)"
)
BESIDE = ("run_spec.json", "scenario_state.json")
"""What names the model of a HELM run, in the same folder; the first is small."""
MODEL_OF_RUN = re.compile(r"(?:^|[:,])model(?:_deployment)?=([^,]*)")
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Correct, partially, incorrect, no answer: as inspect itself counts them."""
REVISION = re.compile(r"[0-9a-f]{7,40}|\d+|no_revision_available|external")
EVEN = 1.5
LISTS = (
    "completed",
    "incomplete",
    "empty_patch",
    "submitted",
    "unresolved",
    "error",
    "resolved",
)
"""Of SWE-bench's report of a run, where ``_ids`` follows."""
OLD = "It is no longer read: write a table of it, with the columns row, item and score."
RANKED = ("query", "Q0", "document", "rank", "score", "tag")
JUDGED = ("query", "iteration", "document", "relevance")
USUAL, CORRECT = "nDCG@10", "Correct this line."
MEASURES = (
    "Common measures are ",
    Option("metric", USUAL),
    ", AP, RR, P@10 and R@1000.",
)


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
        scores = {
            name: value.value
            for name, value in node.inside().items()
            if _is_metric(name)
        }
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
    told = [
        top["model_name"].value,
        by_name.get("pretrained"),
        by_name.get("model"),
        *listed,
    ]
    return next(
        (str(name) for name in [*told, config.get("model")] if name), folder_of(file)
    )


def _samples(file: OpenFile) -> Found:
    named = SAMPLES.fullmatch(file.name)
    task = named[1] if named else file.name.partition(".")[0]
    for _, node in load_lines(file):
        kept = f",{node['filter'].value}" if node["filter"].value else ""
        names = node["metrics"].labels() or filter(_is_metric, node.value)
        scores = {f"{name}{kept}": node[name].value for name in names}
        yield Entry(
            folder_of(file), f"{task}/{node['doc_id'].label()}", task, scores, node
        )


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
                values += (
                    [stat["mean"].value] if stat["mean"].value not in values else []
                )
            # A name that stands for several numbers here is none that could be chosen.
            scores = {
                name: values[0] for name, values in means.items() if len(values) == 1
            }
            trial = (
                f"/{node['train_trial_index'].value}"
                if node["train_trial_index"].value
                else ""
            )
            yield Entry(
                model,
                f"{task}/{node['instance_id'].label()}{trial}",
                task,
                scores,
                node,
            )


def _run(file: OpenFile) -> tuple[str, str]:
    """Return the model and the name of a run, which the file itself does not tell."""
    name = folder_of(file)
    for top in filter(None, (beside(file, other) for other in BESIDE)):
        return top["adapter_spec"]["model"].label(), str(top["name"].value or name)
    if found := MODEL_OF_RUN.search(name):
        return found[1], name
    way_out = (
        f"Keep {' or '.join(BESIDE)} of the run in the same folder, and give the path."
    )
    raise errors.InvalidDataError(
        f"{file.name} does not say of which model it is", way_out=way_out
    )


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
            for name, value in (
                pair for node in epochs.values() for pair in _graded(node)
            ):
                scores.setdefault(name, []).append(value)
            if len(epochs) > 1:
                yield "mean over several epochs taken for a sample"
            means = {name: _mean(values) for name, values in scores.items()}
            yield Entry(
                model, f"{task}/{sample}", task, means, next(iter(epochs.values()))
            )


def _graded(sample: Node) -> Iterator[tuple[str, Any]]:
    """Yield the scores of a sample, each part of one by itself; letters are what they count."""
    older = {} if sample["score"].value is None else {"score": sample["score"]}
    for scorer, score in (sample["scores"].inside() or older).items():
        value = score["value"].value
        several = value if isinstance(value, dict) else {}
        parts = {f"{scorer}/{name}": part for name, part in several.items()} or {
            scorer: value
        }
        for name, one in parts.items():
            yield name, GRADES.get(one, one) if isinstance(one, str) else one


def _mean(values: list[Any]) -> Any:
    """Return the mean; what is no number stays as it is, for the error about it."""
    odd = [
        value
        for value in values
        if not isinstance(value, int | float) or abs(value) > 1e300
    ]
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
                scores = {
                    name: one.value
                    for name, one in node.inside().items()
                    if name not in others
                }
                subset = node["hf_subset"].label()
                row = "/".join(
                    [task, split, *([subset] if subset != "default" else [])]
                )
                yield Entry(model, row, task, scores, node)


def _model_of_folder(file: OpenFile) -> str:
    """Return the model as ``model_meta.json`` beside the file names it, or as its folder does."""
    if (meta := beside(file, "model_meta.json")) is not None:
        return meta["name"].label()
    above = folder_of(file)
    return folder_of(file, above) if REVISION.fullmatch(above) else above


def read_alpaca_eval(file: OpenFile) -> Table:
    """Read the preferences as battles, with the instruction as what could be the unit."""
    nodes = [node for part in file.parts() for node in load(part)]
    kept = [node for node in nodes if not is_missing(node["preference"].value)]
    if not kept:
        raise errors.EmptyDataError(f"{file.name} holds no preferences")
    columns = {
        "left": [node["generator_1"].label() for node in kept],
        "right": [node["generator_2"].label() for node in kept],
        "winner": [_winner(node["preference"]) for node in kept],
        "instruction": [
            node["instruction"].value and node["instruction"].label() for node in kept
        ],
    }
    notes = [
        "preferences of 1 to 2 read as battles: below 1.5 the first wins, above it the second"
    ]
    if shares := sum(node["preference"].value not in {0, 1, EVEN, 2} for node in kept):
        notes.append(
            f"{counted(shares, 'preference')} between 1 and 2 counted as a whole win"
        )
    if missing := len(nodes) - len(kept):
        notes.append(f"{counted(missing, 'annotation')} without a preference left out")
    places = [file.place(node.where, node.file) for node in kept]
    return Table(
        as_table(columns).columns, file.name, places, notes, kind="battles", lead="at"
    )


def _winner(node: Node) -> str:
    value = node.value
    if isinstance(value, bool | str | list | dict) or not (
        value == 0 or 1 <= value <= 2
    ):
        raise node.wrong("a preference from 1 to 2, or 0 for a tie,")
    return "tie" if value in {0, EVEN} else "left" if value < EVEN else "right"


def swe_bench_entries(file: OpenFile) -> Found:
    """Yield instances, with 1 where one was resolved."""
    submissions: list[tuple[str, Node]] = []
    for part in file.parts():
        top = load(part)
        if top["leaderboards"].value is not None:
            yield from _leaderboards(top["leaderboards"], file.given.get("sheet"))
        elif (listed := top["resolved_ids"]).value is not None:
            yield "instances that were not tried, had no patch or failed count as not resolved"
            resolved = set(listed.labels())
            for instance in dict.fromkeys(
                one for kind in LISTS for one in top[f"{kind}_ids"].labels()
            ):
                yield _entry(
                    part.name.removesuffix(".json"),
                    instance,
                    instance in resolved,
                    listed,
                )
        elif isinstance(top["resolved"].value, list):
            submissions.append((folder_of(part, "results"), top))
        else:
            for instance, node in top.inside().items():
                yield _entry(
                    folder_of(part, instance, "logs"),
                    instance,
                    node["resolved"].value,
                    node,
                )
    yield from _submissions(submissions)


def _submissions(every: list[tuple[str, Node]]) -> Found:
    """Yield what submissions say that name only some instances that they did not resolve."""
    lists = [
        ids
        for _, top in every
        for ids in top.inside().values()
        if isinstance(ids.value, list)
    ]
    every_one = dict.fromkeys(instance for ids in lists for instance in ids.labels())
    for item, top in every:
        yield "only resolved ones are listed: all others that any file names count as not resolved"
        resolved = set(top["resolved"].labels())
        yield from (
            _entry(item, one, one in resolved, top["resolved"]) for one in every_one
        )


def _leaderboards(boards: Node, asked: str | None) -> Found:
    """Yield the instances of one leaderboard, or what each leaderboard says where none has instances."""
    named = {board["name"].label(): list(board["results"]) for board in boards}
    details = {
        name: [one for one in results if _has_details(one)]
        for name, results in named.items()
    }
    wanted = [name for name in named if (name == asked if asked else details[name])]
    if len(wanted) != 1 and (asked or wanted):
        told = (
            f"no leaderboard {shorten(asked)}"
            if asked
            else "several leaderboards with instances"
        )
        problem = (
            f"there are {told}; the leaderboards are {listing(map(shorten, named))}"
        )
        raise errors.ColumnError(problem, way_out=["Choose one as ", Option("sheet")])
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


def trec_eval_entries(file: OpenFile) -> Found:
    """Yield the queries of each file, which is a run; lines about all queries are left out."""
    for part in file.parts():
        for line, (metric, query, text) in _lines(part, "metric", "query", "value"):
            if query == "all":
                yield "line about all queries together left out"
            elif metric != "relstring":
                node, scores = (
                    Node(text, f"line {line}", part.name),
                    {metric: _number(part, line, text)},
                )
                yield Entry(Path(part.name).stem, query, "queries", scores, node)


def run_entries(file: OpenFile) -> Found:
    """Yield the queries of runs, evaluated by the judgements that the user names."""
    qrels, metric = file.given.get("qrels"), file.given.get("metric") or USUAL
    if qrels is None:
        told = f"{file.name} is a TREC run, which does not say what is relevant"
        raise errors.InvalidDataError(
            told, way_out=["Give the file of judgements as ", Option("qrels")]
        )
    with closing(open_source(str(qrels), encoding=file.encoding)) as judged:
        if judged.is_folder:
            raise errors.InvalidDataError(
                f"{judged.name} is a folder, not a file of judgements"
            )
        relevant = _ranking(judged, JUDGED).get("", {})
    rankings = ((part.name, _ranking(part, RANKED)) for part in file.parts())
    runs = {(tag, name): run for name, found in rankings for tag, run in found.items()}
    tags = Counter(tag for tag, _ in runs)
    yield f"evaluated by {judged.name}"
    for (tag, name), run in runs.items():
        item = tag if tags[tag] == 1 else f"{tag} ({name})"
        yield from ["query without judgements left out"] * len(
            run.keys() - relevant.keys()
        )
        for query, value in _evaluated(metric, relevant, run):
            if query not in run:
                yield "query for which a run returns nothing, counted as the measure does"
            yield Entry(
                item,
                query,
                "queries",
                {metric: value},
                Node(None, f"query {query}", name),
            )


def _lines(file: OpenFile, *names: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line, with its number; there must be as many as names."""
    for line, text in file.lines():
        fields = text.split()
        if len(fields) != len(names):
            told = f"has {len(fields)} fields instead of {' '.join(names)}"
            raise file.wrong(told, CORRECT, line)
        yield line, fields


def _number(file: OpenFile, line: int, text: str, kind: type[float] = float) -> float:
    with suppress(ValueError):
        if math.isfinite(value := kind(text)):
            return value
    whole = "whole " * (kind is int)
    raise file.wrong(
        f"has {shorten(text)} where a {whole}number should be", CORRECT, line
    )


def _ranking(
    file: OpenFile, names: tuple[str, ...]
) -> dict[str, dict[str, dict[str, Any]]]:
    """Return scores or relevances, by the tag of a run, the query and the document."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for line, (query, _, document, *rest) in _lines(file, *names):
        *_, value, tag = rest if names == RANKED else [*rest, ""]
        documents = found.setdefault(tag, {}).setdefault(query, {})
        if document in documents:
            raise file.wrong(f"names document {shorten(document)} again", CORRECT, line)
        documents[document] = _number(
            file, line, value, int if names == JUDGED else float
        )
    return found


def _evaluated(
    metric: str, relevant: dict[str, Any], run: dict[str, Any]
) -> list[tuple[str, float]]:
    try:
        import ir_measures

        with warnings.catch_warnings():  # its parser uses what Python is about to drop
            warnings.simplefilter("ignore", DeprecationWarning)
            measure = ir_measures.parse_measure(metric)
        return [
            (one.query_id, one.value)
            for one in ir_measures.iter_calc([measure], relevant, run)
        ]
    except ImportError:
        raise errors.MissingPackageError(
            "to evaluate TREC runs, ir_measures is needed", "trec"
        ) from None
    except (
        Exception
    ) as error:  # whatever its parser, or the program behind the measure, stumbles over
        told = f"ir-measures has no {shorten(metric)}: {shorten(str(error), 120)}"
        raise errors.InvalidDataError(told, way_out=MEASURES) from None
