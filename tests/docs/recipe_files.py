"""Small files as known tools write them, for the recipes of docs/guides/recipes.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TEXTS = {
    "u.data": (
        "196\t242\t5\t881250949\n196\t302\t1\t881250950\n186\t242\t4\t891717742\n"
        "186\t302\t2\t891717743\n22\t377\t1\t878887116\n"
    ),
    "ratings.dat": (
        "1::1193::5::978300760\n1::661::2::978302109\n"
        "2::1193::4::978298413\n2::661::3::978299000\n"
    ),
    "board.md": (
        "| task | alder | birch |\n|------|------:|------:|\n"
        "| arc  |  0.50 |  0.75 |\n| piqa |  0.60 |  0.70 |\n"
    ),
    "titled.csv": (
        "Results\nof 2024\ntask,model,acc\narc,alder,0.5\narc,birch,0.25\n"
        "piqa,alder,0.75\npiqa,birch,0.5\n"
    ),
    "pairs.csv": (
        "model_a,model_b,wins_a,wins_b,ties\n"
        "alder,birch,3,5,2\nbirch,cedar,4,1,0\ncedar,alder,2,2,1\n"
    ),
    "drinks.csv": "name,likes\nann,tea;coffee\nbob,tea\ncyd,tea;milk\n",
    "answers.csv": (
        "lang,model,score,task\nde,alder,1,t1\nde,birch,0,t1\nen,alder,0,t2\n"
        "en,birch,1,t2\nde,alder,1,t3\nde,birch,1,t3\n"
    ),
    "films.csv": (
        "user,film,stars,time\nann,Up,1,100\nann,Up,5,99\nbob,Up,2,50\n"
        "bob,Big,3,60\nann,Big,4,70\n"
    ),
    "ratings.csv": (
        "userId,movieId,rating,timestamp\n1,10,5,1\n1,11,3,2\n2,10,4,3\n2,11,2,4\n"
    ),
    "movies.csv": (
        'movieId,title,genres\n10,"Big, the film",Comedy\n11,Up,Animation\n'
    ),
    "months.csv": 'month,north,south\njan,"1,5","2,0"\nfeb,"2,5",-99\n',
}


def lm_eval(model: str, arc: float, piqa: float, answers: tuple[float, ...]) -> Any:
    """Yield what lm-eval writes for a model: its results, and the samples of a task."""
    folder = f"output/{model.replace('/', '__')}"
    scores = {
        "arc_easy": {"alias": "arc_easy", "acc,none": arc, "acc_norm,none": 0.1},
        "piqa": {"alias": "piqa", "acc,none": piqa, "acc_stderr,none": 0.02},
    }
    results = {
        "results": scores,
        "configs": {task: {} for task in scores},
        "n-shot": dict.fromkeys(scores, 0),
        "model_name": model,
    }
    yield f"{folder}/results_2024-06-01T10-00-00.json", json.dumps(results)
    samples = (
        {"doc_id": number, "doc": {"q": "?"}, "resps": [[["-1.5"]]], "acc": answer}
        for number, answer in enumerate(answers)
    )
    yield (
        f"{folder}/samples_arc_easy_2024-06-01T10-00-00.jsonl",
        "".join(f"{json.dumps(sample)}\n" for sample in samples),
    )


def helm(run: str, mean: float) -> tuple[str, str]:
    """Return the aggregated results of a run of HELM, one of them of perturbed instances."""

    def statistic(name: str, value: float, **more: object) -> dict[str, object]:
        named = {"name": name, "split": "test", **more}
        return {"name": named, "count": 1, "mean": value, "variance": 0.0}

    found = [
        statistic("num_references", 4.0),
        statistic("exact_match", mean),
        statistic("exact_match", 0.1, perturbation={"name": "robustness"}),
    ]
    return f"runs/suite/{run}/stats.json", json.dumps(found)


def alpaca_eval(preferences: tuple[float | None, ...]) -> tuple[str, str]:
    """Return annotations: 1 prefers the first generator, 2 the second one."""
    annotations = [
        {
            "instruction": f"Name tree {number}.",
            "generator_1": "base",
            "generator_2": "birch",
            "preference": preference,
        }
        for number, preference in enumerate(preferences)
    ]
    return "alpaca/annotations.json", json.dumps(annotations)


def swe_bench(model: str, resolved: list[str], others: list[str]) -> tuple[str, str]:
    """Return the report of a run."""
    report = {
        "submitted_ids": resolved + others,
        "resolved_ids": resolved,
        "unresolved_ids": others,
        "error_ids": [],
        "schema_version": 2,
    }
    return f"reports/{model}.run1.json", json.dumps(report)


def dominion(record: int, *versions: list[int]) -> dict[str, object]:
    """Return a session: the candidates by rank as cast and, where there is one, as corrected."""
    session: dict[str, object] = {"TabulatorId": 4, "BatchId": 2, "RecordId": record}
    for name, ranked in zip(("Original", "Modified"), versions, strict=False):
        marks = [
            {"CandidateId": candidate, "Rank": rank, "IsVote": True}
            for rank, candidate in enumerate(ranked, start=1)
        ]
        marks.append({"CandidateId": 9, "Rank": 1, "IsVote": False})
        other = {"Id": 8, "Marks": [{"CandidateId": 30, "Rank": 1, "IsVote": True}]}
        contests = [{"Id": 7, "Marks": marks}, other]
        session[name] = {"Cards": [{"Id": 1, "Contests": contests}]}
    return session


def write_all(folder: Path) -> None:
    """Write all files into a folder."""
    # Ann is on the ballot of record 1 twice: at ranks 1 and 3.
    sessions = [dominion(1, [1, 2, 1]), dominion(2, [1]), dominion(3, [2, 1], [1, 2])]
    cast = {"Version": "5.10", "ElectionId": "City", "Sessions": sessions}
    names = {1: "Ann", 2: "Bob", 9: "Cyd", 30: "Yes"}
    listed = [{"Id": number, "Description": name} for number, name in names.items()]
    files = {
        **TEXTS,
        **dict(lm_eval("org/alder", 0.5, 0.6, (1.0, 0.0))),
        **dict(lm_eval("org/birch", 0.75, 0.7, (1.0, 1.0))),
        **dict(
            (
                helm("mmlu:subject=anatomy,model=org_alder", 0.5),
                helm("mmlu:subject=anatomy,model=org_birch", 0.75),
                helm("boolq:model=org_alder", 0.6),
                helm("boolq:model=org_birch", 0.8),
                alpaca_eval((1.98, 1.6, 1.0, None, 1.5)),
                swe_bench("alder", ["a__a-1"], ["a__a-2", "b__b-3"]),
                swe_bench("birch", ["a__a-1", "b__b-3"], ["a__a-2"]),
            )
        ),
        "CvrExport_1.json": json.dumps(cast),
        "CandidateManifest.json": json.dumps({"List": listed}),
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
