"""Small files in the layouts that evaluation tools write, made of scores that are known beforehand.

The names of fields and folders are those of the tools; all numbers are drawn. ``MAKERS`` has one
function for each layout, which draws scores and returns the files of a folder that holds them.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    Scores = dict[str, dict[str, float]]

ALDER = "north__alder-7b"
RUN = "mmlu:subject=task_1,model=birch"
MODELS = ("north/alder-7b", "birch", "cedar")
DATE = "2024-06-12T10-55-41.364911"


@dataclass(frozen=True)
class Made:
    """A folder in the layout of a tool, and what is to be read from it.

    Parameters
    ----------
    format : str
        As steadyrank calls it.
    files : dict
        From paths in the folder to contents.
    scores : dict
        ``{row: {item: score}}``, as it is to be read.
    read : str
        The path to read; the folder itself if empty.
    arguments : dict
        What must be said.
    tasks : dict
        The task of each row, where a column is to tell it.
    """

    format: str
    files: dict[str, bytes]
    scores: Scores
    read: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder / self.read


def drawn(
    rng: np.random.Generator, tasks: int = 2, rows: int = 3
) -> dict[str, dict[int, dict[str, int]]]:
    """Draw whether each model is right on each document of each task."""
    return {
        f"task_{task}": {
            row: dict(
                zip(MODELS, rng.integers(0, 2, len(MODELS)).tolist(), strict=True)
            )
            for row in range(rows)
        }
        for task in range(tasks)
    }


def as_json(value: Any, indent: int | None = 2) -> bytes:
    return json.dumps(value, indent=indent).encode()


def plain(model: str) -> str:
    """Return a model as tools call its folder."""
    return model.replace("/", "__")


def swapped(by_item: dict[str, dict[str, float]]) -> Scores:
    """Turn ``{item: {row: score}}`` round."""
    rows = dict.fromkeys(row for scores in by_item.values() for row in scores)
    return {row: {item: by_item[item][row] for item in by_item} for row in rows}


def means(rng: np.random.Generator, tasks: int = 4) -> dict[str, dict[str, float]]:
    """Draw a score of each model in each task."""
    return {
        model: {f"task_{task}": float(rng.integers(0, 9)) / 8 for task in range(tasks)}
        for model in MODELS
    }


def lm_eval_results(rng: np.random.Generator, *, older: bool = False) -> Made:
    by_model = means(rng)
    files = {}
    for model, scores in by_model.items():
        results = {}
        for task, score in scores.items():
            if older:
                results[task] = {
                    "acc": score / 2,
                    "acc_stderr": 0.9,
                    "acc_norm": score,
                    "acc_norm_stderr": 9.0,
                }
            else:
                results[task] = {
                    "alias": f" - {task}",
                    "acc,none": score / 2,
                    "acc_stderr,none": 0.9,
                    "acc_norm,none": score,
                    "acc_norm_stderr,none": "N/A",
                    "sample_len": 100,
                }
        top: dict[str, Any] = {
            "results": results,
            "versions": dict.fromkeys(results, 1.0),
        }
        if older:
            top["config"] = {
                "model": "hf-causal",
                "model_args": f"pretrained={model},dtype=float16",
                "limit": None,
            }
        else:
            results["group"] = {"alias": "group", "acc,none": 9.0, "acc_norm,none": 9.0}
            top["group_subtasks"] = {
                "group": list(scores),
                **{task: [] for task in scores},
            }
            top["higher_is_better"] = {
                task: {"acc": True, "acc_norm": True} for task in scores
            }
            top["config"] = {"model": "hf", "model_args": f"pretrained={model}"}
            top |= {
                "model_source": "hf",
                "model_name": model,
                "model_name_sanitized": plain(model),
            }
        files[f"{plain(model)}/results_{DATE}.json"] = as_json(top)
    return Made("lm-eval", files, swapped(by_model))


def lm_eval_older(rng: np.random.Generator) -> Made:
    return lm_eval_results(rng, older=True)


def lm_eval_samples(rng: np.random.Generator) -> Made:
    cases = drawn(rng)
    files: dict[str, bytes] = {}
    for model in MODELS:
        files[f"{plain(model)}/results_{DATE}.json"] = as_json(
            {"results": {"task_0": {"acc,none": 0.1}}}
        )
        for task, documents in cases.items():
            lines = []
            for kept in ("strict-match", "flexible-extract"):
                for row, right in documents.items():
                    score = float(
                        right[model] if kept == "strict-match" else 1 - right[model]
                    )
                    lines.append(
                        {
                            "doc_id": row,
                            "doc": {"question": '{"}', "answer": [1, {"a": None}]},
                            "target": str(row),
                            "arguments": {
                                "gen_args_0": {
                                    "arg_0": "text",
                                    "arg_1": {"until": ["\n"]},
                                }
                            },
                            "resps": [["x"]],
                            "filtered_resps": ["x"],
                            "filter": kept,
                            "metrics": ["exact_match"],
                            "doc_hash": "ab",
                            "prompt_hash": "cd",
                            "target_hash": "ef",
                            "exact_match": score,
                        }
                    )
            text = b"".join(as_json(line, None) + b"\n" for line in lines)
            files[f"{plain(model)}/samples_{task}_{DATE}.jsonl"] = text
    scores = {
        f"{task}/{row}": {plain(model): float(right[model]) for model in MODELS}
        for task, documents in cases.items()
        for row, right in documents.items()
    }
    tasks = {row: row.partition("/")[0] for row in scores}
    return Made(
        "lm-eval",
        files,
        scores,
        arguments={"metric": "exact_match,strict-match"},
        tasks=tasks,
    )


def helm(rng: np.random.Generator) -> Made:
    cases = drawn(rng)
    files: dict[str, bytes] = {}
    for model in MODELS:
        for task, documents in cases.items():
            run = f"mmlu:subject={task},model={model.replace('/', '_')}"

            def stat(name: str, mean: float) -> dict[str, Any]:
                about = {
                    "name": {"name": name, "split": "test"},
                    "count": 1,
                    "sum": mean,
                    "mean": mean,
                }
                return about | {"min": mean, "max": mean, "variance": 0.0}

            instances = [
                {
                    "instance_id": f"id{row}",
                    "train_trial_index": 0,
                    "stats": [
                        stat("num_references", 4),
                        stat("exact_match", float(right[model])),
                    ],
                }
                for row, right in documents.items()
            ]
            typos = [stat("exact_match", 0.5)]
            instances.append(
                {**instances[0], "perturbation": {"name": "typos"}, "stats": typos}
            )
            spec = {
                "name": run,
                "adapter_spec": {"method": "joint", "model": model},
                "groups": ["mmlu"],
            }
            files[f"{run}/per_instance_stats.json"] = as_json(instances)
            files[f"{run}/run_spec.json"] = as_json(spec)
            files[f"{run}/stats.json"] = as_json([stat("exact_match", 0.5)])
    scores = {
        f"mmlu:subject={task}/id{row}": {model: float(right[model]) for model in MODELS}
        for task, documents in cases.items()
        for row, right in documents.items()
    }
    return Made(
        "helm", files, scores, tasks={row: row.partition("/")[0] for row in scores}
    )


GRADES = {0: "I", 1: "C"}


def inspect_json(rng: np.random.Generator) -> Made:
    cases = drawn(rng)
    files: dict[str, bytes] = {}
    for model in MODELS:
        for task, documents in cases.items():
            samples = [
                {
                    "id": row if task == "task_0" else f"s{row}",
                    "epoch": epoch,
                    "input": "Why?",
                    "target": "because",
                    "messages": [{"role": "user", "content": "Why?"}],
                    "scores": {"match": {"value": GRADES[right[model]], "answer": "x"}},
                }
                for row, right in documents.items()
                for epoch in (1, 2)
            ]
            samples[1]["scores"]["match"]["value"] = "P"
            top = {
                "version": 2,
                "status": "success",
                "eval": {
                    "task": task,
                    "task_id": "t",
                    "model": model,
                    "dataset": {"name": "d"},
                },
                "plan": {"name": "plan", "steps": []},
                "results": {
                    "scores": [
                        {"name": "match", "metrics": {"accuracy": {"value": 0.5}}}
                    ]
                },
                "samples": samples,
            }
            files[f"logs/{task}_{plain(model)}.json"] = as_json(top)
    scores = {
        f"{task}/{row if task == 'task_0' else f's{row}'}": {
            model: (right[model] + 0.5) / 2 if row == 0 else float(right[model])
            for model in MODELS
        }
        for task, documents in cases.items()
        for row, right in documents.items()
    }
    return Made(
        "inspect", files, scores, tasks={row: row.partition("/")[0] for row in scores}
    )


def inspect_eval(rng: np.random.Generator) -> Made:
    """Return the same as ``.eval``, which the package itself packs."""
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalSample,
        EvalSpec,
        write_eval_log,
    )
    from inspect_ai.scorer import Score

    cases = drawn(rng, tasks=1)["task_0"]
    files = {}
    for number, model in enumerate(MODELS):
        samples = [
            EvalSample(
                id=row,
                epoch=1,
                input="Why?",
                target="x",
                scores={"match": Score(value=GRADES[right[model]])},
            )
            for row, right in cases.items()
        ]
        about = EvalSpec(
            created="2024-06-12T10:55:41+00:00",
            task="task_0",
            task_id=f"t{number}",
            run_id="r",
            dataset=EvalDataset(name="d"),
            model=model,
            config=EvalConfig(),
        )
        with TemporaryDirectory() as folder:
            log = EvalLog(version=2, status="success", eval=about, samples=samples)
            write_eval_log(log, f"{folder}/log.eval")
            files[f"logs/{plain(model)}.eval"] = Path(folder, "log.eval").read_bytes()
    scores = {
        f"task_0/{row}": {model: float(right[model]) for model in MODELS}
        for row, right in cases.items()
    }
    return Made("inspect", files, scores)


def mteb(rng: np.random.Generator) -> Made:
    by_model = means(rng)
    files = {}
    for number, (model, scores) in enumerate(by_model.items()):
        folder = f"results/{plain(model)}/{number:040x}"
        files[f"{folder}/model_meta.json"] = as_json(
            {"name": model, "revision": f"{number:040x}", "n_parameters": 1}
        )
        for task, score in scores.items():
            one = {
                "accuracy": score / 2,
                "f1": 0.1,
                "main_score": score,
                "languages": ["eng-Latn"],
            }
            top = {
                "dataset_revision": "a1",
                "task_name": task,
                "mteb_version": "1.18.0",
                "scores": {
                    "test": [
                        {**one, "hf_subset": "default"},
                        {**one, "hf_subset": "de", "main_score": score / 4},
                    ]
                },
                "evaluation_time": 12.5,
                "kg_co2_emissions": None,
            }
            files[f"{folder}/{task}.json"] = as_json(top)
    scores = {}
    for task, row in swapped(by_model).items():
        scores[f"{task}/test"] = row
        scores[f"{task}/test/de"] = {model: score / 4 for model, score in row.items()}
    return Made(
        "mteb", files, scores, tasks={row: row.partition("/")[0] for row in scores}
    )


def instances(rng: np.random.Generator) -> dict[str, dict[str, float]]:
    """Draw which instances each model resolved; each is resolved by one of them at least."""
    found = {
        model: {
            f"owner__repo-{number}": float(rng.integers(0, 2)) for number in range(6)
        }
        for model in MODELS
    }
    for number in range(6):
        found[MODELS[number % len(MODELS)]][f"owner__repo-{number}"] = 1.0
    return found


def swe_reports(rng: np.random.Generator) -> Made:
    by_model = {plain(model): scores for model, scores in instances(rng).items()}
    files: dict[str, bytes] = {}
    for model, scores in by_model.items():
        for instance, resolved in scores.items():
            folder = f"logs/run_evaluation/run-1/{model}/{instance}"
            tests = {"FAIL_TO_PASS": {"success": ["a"], "failure": []}}
            about = {
                "patch_is_None": False,
                "patch_exists": True,
                "patch_successfully_applied": True,
            }
            one = {**about, "resolved": bool(resolved), "tests_status": tests}
            files[f"{folder}/report.json"] = as_json({instance: one}, 4)
            files[f"{folder}/patch.diff"] = b"--- a\n+++ b\n"
    return Made("swe-bench", files, swapped(by_model))


def swe_runs(rng: np.random.Generator) -> Made:
    by_model = {
        f"{plain(model)}.run-1": scores for model, scores in instances(rng).items()
    }
    files = {}
    for model, scores in by_model.items():
        resolved = sorted(name for name, score in scores.items() if score)
        rest = sorted(set(scores) - set(resolved))
        top = {
            "total_instances": len(scores),
            "resolved_instances": len(resolved),
            "completed_ids": resolved,
            "incomplete_ids": rest[:1],
            "empty_patch_ids": rest[1:2],
            "submitted_ids": sorted(set(scores) - set(rest[:1])),
            "resolved_ids": resolved,
            "unresolved_ids": rest[2:],
            "error_ids": [],
            "schema_version": 2,
        }
        files[f"{model}.json"] = as_json(top, 4)
    return Made("swe-bench", files, swapped(by_model))


def swe_submissions(rng: np.random.Generator) -> Made:
    by_model = {
        f"20240612_{plain(model)}": scores for model, scores in instances(rng).items()
    }
    files: dict[str, bytes] = {}
    for model, scores in by_model.items():
        resolved = [name for name, score in scores.items() if score]
        results = {"no_generation": [], "no_logs": [], "resolved": resolved}
        files[f"evaluation/verified/{model}/results/results.json"] = as_json(results)
        files[f"evaluation/verified/{model}/README.md"] = b"# About\n"
    return Made("swe-bench", files, swapped(by_model))


def leaderboards(rng: np.random.Generator) -> Made:
    by_model = instances(rng)
    detailed = [
        {
            "name": model,
            "resolved": 100 * sum(scores.values()) / len(scores),
            "date": "2024-06-12",
            "per_instance_details": {
                name: {"cost": 0.5, "api_calls": 9, "resolved": bool(score)}
                for name, score in scores.items()
            },
        }
        for model, scores in by_model.items()
    ]
    old = {"name": "elm", "resolved": 99.5, "date": "2023-01-01"}
    boards = [
        {"name": "Lite", "results": [old]},
        {"name": "Verified", "results": [old, *detailed]},
    ]
    return Made(
        "swe-bench",
        {"leaderboards.json": as_json({"leaderboards": boards})},
        swapped(by_model),
        "leaderboards.json",
    )


def trec_eval(rng: np.random.Generator) -> Made:
    by_model = {
        plain(model): {
            f"{query}": float(rng.integers(0, 9)) / 8 for query in range(301, 306)
        }
        for model in MODELS
    }
    files = {}
    for model, scores in by_model.items():
        lines = []
        for query, score in scores.items():
            lines += [
                f"num_ret               \t{query}\t1000",
                f"map                   \t{query}\t{score:.4f}",
            ]
            lines += [f"P_10                  \t{query}\t{score / 2:.4f}"]
        lines += [
            f"runid                 \tall\t{model}",
            "map                   \tall\t0.5000",
        ]
        files[f"{model}.txt"] = "\n".join([*lines, ""]).encode()
    return Made("trec-eval", files, swapped(by_model))


def trec_runs(rng: np.random.Generator) -> Made:
    """Return runs and judgements; the scores are precision at 2, counted here."""
    judged = {
        str(query): {f"d{number}": int(rng.integers(0, 2)) for number in range(8)}
        for query in range(1, 6)
    }
    by_model: dict[str, dict[str, float]] = {}
    files: dict[str, bytes] = {}
    for model in map(plain, MODELS):
        lines = []
        for query, relevant in judged.items():
            order = [f"d{number}" for number in rng.permutation(10).tolist()]
            for rank, document in enumerate(order, 1):
                lines.append(f"{query} Q0 {document} {rank} {20 - rank}.5 {model}")
            by_model.setdefault(model, {})[query] = (
                sum(relevant.get(one, 0) for one in order[:2]) / 2
            )
        files[f"runs/{model}.run"] = "\n".join([*lines, ""]).encode()
    rows = [
        f"{query} 0 {name} {value}\n"
        for query, one in judged.items()
        for name, value in one.items()
    ]
    files["judged.qrels"] = "".join(rows).encode()
    arguments = {"qrels": "judged.qrels", "metric": "P@2"}
    return Made("trec-run", files, swapped(by_model), "runs", arguments)


def excel(rng: np.random.Generator) -> Made:
    from openpyxl import Workbook

    by_model = means(rng)
    book = Workbook()
    sheet = book.active
    sheet.append([])
    sheet.append([None, "task", *MODELS, None])
    for task, row in swapped(by_model).items():
        sheet.append([None, task, *row.values(), None])
        sheet.append([])
    book.create_sheet("notes").append(["nothing to see here"])
    book.save(out := io.BytesIO())
    return Made(
        "excel", {"scores.xlsx": out.getvalue()}, swapped(by_model), "scores.xlsx"
    )


def json_rows(rng: np.random.Generator) -> Made:
    by_model = means(rng)
    rows = [{"task": task, **row} for task, row in swapped(by_model).items()]
    return Made(
        "json", {"scores.json": as_json(rows)}, swapped(by_model), "scores.json"
    )


def json_columns(rng: np.random.Generator) -> Made:
    by_model = means(rng)
    rows = swapped(by_model)
    columns = {
        "task": list(rows),
        **{model: list(scores.values()) for model, scores in by_model.items()},
    }
    return Made("json", {"scores.json": as_json(columns, None)}, rows, "scores.json")


MAKERS: dict[str, Callable[[np.random.Generator], Made]] = {
    made.__name__: made
    for made in (
        lm_eval_results, lm_eval_older, lm_eval_samples, helm, inspect_json, inspect_eval, mteb,
        swe_reports, swe_runs, swe_submissions, leaderboards, trec_eval, trec_runs, excel,
        json_rows, json_columns,
    )
}  # fmt: skip


def arena(
    rng: np.random.Generator, battles: int = 30
) -> tuple[bytes, list[tuple[str, str, str]]]:
    """Return battles as Chatbot Arena publishes them, and the same as (left, right, winner)."""
    words = {
        "left": "model_a",
        "right": "model_b",
        "tie": "tie",
        "bad": "tie (bothbad)",
    }
    found, rows = [], []
    for number in range(battles):
        left, right = rng.permutation(MODELS)[:2].tolist()
        result = ["left", "right", "tie", "bad"][rng.integers(4)]
        talk = [
            {"role": "user", "content": '[{"a": 1}]'},
            {"role": "assistant", "content": "Well, ..."},
        ]
        rows.append(
            {
                "question_id": f"q{number}",
                "model_a": left,
                "model_b": right,
                "winner": words[result],
                "judge": f"arena_user_{number % 7}",
                "conversation_a": talk,
                "conversation_b": talk[:1],
                "turn": 1,
                "anony": True,
                "language": "English",
                "tstamp": 1.68e9 + number,
                "conv_metadata": {
                    "sum_user_tokens": 12,
                    "header_count": {"h1": number},
                },
            }
        )
        found.append((left, right, "tie" if result == "bad" else result))
    return as_json(rows), found


def alpaca(
    rng: np.random.Generator, annotations: int = 20
) -> tuple[bytes, list[tuple[str, str, str]]]:
    """Return annotations of AlpacaEval, and the same as (left, right, winner); one has no preference."""
    found, rows = [], []
    for number in range(annotations):
        left, right = rng.permutation(MODELS)[:2].tolist()
        preference = [1, 2, 1.0, 2.0, 1.5, 0, 1.00002, 1.73][rng.integers(8)]
        result = (
            "tie" if preference in {0, 1.5} else "left" if preference < 1.5 else "right"
        )
        rows.append(
            {
                "instruction": f"Explain number {number // 2}.",
                "output_1": "A long answer. " * 9,
                "generator_1": left,
                "dataset": "helpful_base",
                "output_2": "Another one.",
                "generator_2": right,
                "annotator": "weighted_alpaca_eval_gpt4_turbo",
                "preference": preference,
                "raw_completion": {"text": "m"},
                "time_per_example": 0.1,
            }
        )
        found.append((left, right, result))
    rows[0]["preference"] = None
    return as_json(rows), found[1:]


def arguments_in(made: Made, folder: Path) -> dict[str, Any]:
    return {
        name: str(folder / value) if name == "qrels" else value
        for name, value in made.arguments.items()
    }


def scores_of(data: Any) -> dict[Any, dict[Any, float]]:
    return {
        row: dict(zip(data.items, values, strict=True))
        for row, values in zip(data.row_labels, data.values.tolist(), strict=True)
    }


def changed(path: Path, change: Callable[[Any], Any]) -> None:
    top = json.loads(path.read_bytes())
    path.write_bytes(as_json(change(top) or top))
