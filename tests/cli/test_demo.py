"""The demo: a minute's read on bundled data, and a report at the end."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import Study, read
from steadyrank.demo import NAMES, demo_file
from steadyrank.scorers.registry import resolve_scorer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    Command = Callable[..., Any]

RATINGS = {"item": "restaurant", "rating": "stars", "unit": "reviewer"}
SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "make_demo_data.py"


@pytest.fixture
def found(run: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return run("demo")


def test_it_shows_three_data_sets_and_ends_with_a_report(
    found: Any, tmp_path: Path
) -> None:
    assert (found.code, found.err) == (0, "")
    for title in ("1. Ratings", "2. Battles", "3. A benchmark"):
        assert title in found.out
    assert "demo-report.html" in found.out.splitlines()[-3]
    assert "\n\n2. Battles" in found.out
    assert [path.name for path in tmp_path.iterdir()] == ["demo-report.html"]


def test_it_is_a_minutes_read(found: Any) -> None:
    prose = re.findall(r"[A-Za-z]{2,}", found.out)
    assert 150 < len(prose) < 450


def test_its_sentences_say_what_leaving_one_out_does(found: Any) -> None:
    said = " ".join(found.out.split())
    for name, k, roles in (
        ("restaurants.csv", 5, RATINGS),
        ("chat_battles.csv", 3, {"unit": "judge"}),
    ):
        with demo_file(name) as path:
            data = read(path, **roles)
        assert set(data.units.counts.tolist()) == {1}
        best = set(plain_topk(data, k))
        others = [
            set(plain_topk(data.without(number), k))
            for number in range(len(data.units))
        ]
        changed = sum(other != best for other in others)
        assert (
            f"single {data.units.kind}s: remove any one of {changed} of the {len(others)}, and"
            in said
        )
        contend = set.union(best, *others) - set.intersection(best, *others)
        came, gone = contend - best, contend & best
        assert any(f"{new} replaces {old}." in said for new in came for old in gone)
        assert set.union(best, *others) <= set(Study(data).topk(k).members)
        assert (
            f"The top {k} always stayed within these {len(Study(data).topk(k))} names."
            in said
        )
    assert "not statistical confidence" in said


def plain_topk(data: Any, k: int) -> list[object]:
    scores = resolve_scorer(None, data).score(data)
    return [
        data.items[place]
        for place in sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:k]
    ]


def test_its_commands_can_be_tried(run: Command, found: Any, tmp_path: Path) -> None:
    copied = run("demo", "--data", tmp_path / "data")
    assert (copied.code, copied.err) == (0, "")
    written = [f"Wrote {tmp_path / 'data' / name}" for name in NAMES]
    assert " ".join(copied.out.split()) == " ".join(written)
    assert {path.name for path in tmp_path.iterdir()} == {"demo-report.html", "data"}
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == sorted(NAMES)
    told = found.out.replace("\\\n", " ").splitlines()
    lines = [line for line in told if line.startswith("   $ ")]
    assert len(lines) == 3
    for line in lines:
        program, command, file, *words = line.removeprefix("   $ ").split()
        assert program == "steadyrank"
        tried = run(command, tmp_path / "data" / file, *words)
        assert (tried.code, tried.err) == (0, "")


def test_it_replaces_no_file_that_is_not_its_own(run: Command, tmp_path: Path) -> None:
    mine = tmp_path / "benchmark.csv"
    mine.write_text("mine", encoding="utf-8")
    found = run("demo", "--data", tmp_path)
    assert found.code == 2
    assert "is not a file of the demo" in found.err
    assert [path.name for path in tmp_path.iterdir()] == ["benchmark.csv"]
    assert mine.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", NAMES)
def test_each_data_set_has_a_near_tie(name: str) -> None:
    k, roles = {
        "restaurants.csv": (5, RATINGS),
        "chat_battles.csv": (3, {"unit": "judge"}),
    }.get(name, (4, {}))
    with demo_file(name) as path:
        summary = Study(path, **roles).topk(k).findings()["summary"]
    assert summary["changing_share"] >= 0.1
    assert summary["uncovered_units"] == 0
    assert summary["sure"] == k - 1
    assert summary["contenders"] >= 2


def test_an_unwritable_report_is_one_message(run: Command, tmp_path: Path) -> None:
    missing = tmp_path / "none" / "report.html"
    found = run("demo", "-o", missing)
    assert found.code == 2
    assert repr(str(missing)) in found.err
    assert found.err.count("\n") == 1


@pytest.fixture
def script() -> ModuleType:
    if not SCRIPT.is_file():
        pytest.skip(
            "the script that makes the data is in the repository, not in an installation"
        )
    spec = importlib.util.spec_from_file_location("make_demo_data", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_seeded_script_makes_the_bundled_files(
    script: ModuleType, tmp_path: Path
) -> None:
    script.main(tmp_path)
    for name in NAMES:
        with demo_file(name) as path:
            assert (tmp_path / name).read_bytes() == path.read_bytes()
