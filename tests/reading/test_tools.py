"""Files of other tools: each command of the page is run on a small file of the tool."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from steadyrank.cli import main
from steadyrank.reading.refusal import RECIPES, RECIPES_PAGE

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / RECIPES_PAGE).read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SIDES = {"generator_1": "alder", "generator_2": "birch"}
STATS = {"name": "exact_match", "split": "test"}


def marks(*ranks: tuple[int, int]) -> dict[str, Any]:
    cast = {"IsVote": True, "IsAmbiguous": False}
    votes = [{"CandidateId": who, "Rank": rank, **cast} for who, rank in ranks]
    contests = [{"Id": 1, "Marks": votes}, {"Id": 2, "Marks": votes[:1]}]
    return {"Original": {"Cards": [{"Contests": contests}]}}


def write(folder: Path) -> None:
    """Write a file of each tool, in which alder is ahead of birch."""
    texts = {
        "u.data": "1\talder\t5\t881\n1\tbirch\t3\t881\n2\talder\t4\t882\n2\tbirch\t3\t9\n",
        "ratings.dat": "1::alder::5::9\n1::birch::3::9\n2::alder::4::9\n2::birch::3::9\n",
        "table.md": "# Results\n\n| task | alder | birch |\n|---|--:|--:|\n"
        "| arc | 0.5 | 0.25 |\n| piqa | 0.75 | 0.5 |\n",
        "titled.csv": "Results\nof 2024\ntask,model,acc\narc,alder,0.5\narc,birch,0.25\n"
        "piqa,alder,0.75\npiqa,birch,0.5\n",
        "poll.csv": "voter,answers\n1,alder; birch\n2,alder\n3,alder\n",
    }
    found: dict[str, Any] = {
        "annotations.json": [
            {"instruction": f"q{place}", **SIDES, "preference": value}
            for place, value in enumerate([1.0, 1.2, 2.0, None, 1.5, 0])
        ],
        "CvrExport.json": {
            "Version": "5",
            "ElectionId": "x",
            "Sessions": [
                {"RecordId": 1, **marks((7, 1), (8, 2))},
                {"RecordId": 2, **marks((7, 1))},
                {"RecordId": 3, **marks((8, 2), (7, 1))},
            ],
        },
    }  # fmt: skip
    for model, more in (("alder", 0.25), ("birch", 0.0)):
        tasks = {
            task: {"acc,none": 0.5 + more, "alias": task} for task in ("arc", "piqa")
        }
        found[f"output/{model}.json"] = {
            "results": tasks, "n-shot": {"arc": 0}, "model_name": model
        }  # fmt: skip
        samples = [
            {"doc_id": place, "doc": {"q": 1}, "resps": [], "acc": more}
            for place in (0, 1)
        ]
        texts[f"samples/{model}.jsonl"] = "\n".join(map(json.dumps, samples))
        for scenario in ("mmlu:subject=law", "mmlu:subject=art"):
            found[f"runs/{scenario},model={model}/stats.json"] = [
                {"name": STATS, "count": 1, "mean": 0.5 + more, "variance": 0},
                {"name": STATS | {"split": "valid"}, "count": 1, "mean": 0, "variance": 0},
                {"name": STATS | {"perturbation": {}}, "count": 1, "mean": 0, "variance": 0},
            ]  # fmt: skip
        resolved = ["t1", "t2"] if more else ["t2"]
        found[f"reports/{model}.json"] = {
            "submitted_ids": ["t1", "t2", "t3"], "resolved_ids": resolved, "error_ids": []
        }  # fmt: skip
    texts |= {name: json.dumps(value) for name, value in found.items()}
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def arguments(command: str) -> list[str]:
    """Return the words of a command, as a shell understands them."""
    script = f"steadyrank() {{ printf '%s\\0' \"$@\"; }}\n{command}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    return done.stdout.decode().split("\0")[:-1]


def test_the_page_has_a_heading_for_each_recipe() -> None:
    headings = set(re.findall(r"^## (.*)$", PAGE, re.MULTILINE))
    assert {recipe.name for recipe in RECIPES} <= headings
    assert len(BLOCKS) == 11


@pytest.mark.parametrize("command", BLOCKS, ids=lambda command: command.split()[2])
def test_commands_of_the_page(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = arguments(command)
    assert main([*words, "--json"]) == 0, capsys.readouterr().err
    document = json.loads(capsys.readouterr().out)
    top = document["rows"][0]["item"]
    assert str(top).split(".")[0] in {"alder", "7"}
