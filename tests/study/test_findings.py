"""The document that every view is drawn from agrees with the library, number for number."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from steadyrank import ScoreMatrix, Study, Votes
from steadyrank.report.export import to_csv, to_json
from steadyrank.study.curve import StabilityCurve
from steadyrank.study.results import MAX_FLIPS, SCHEMA_VERSION, label

DOCUMENTATION = (
    Path(__file__).resolve().parents[2] / "docs" / "reference" / "json-schema.md"
)


def some_scores(seed: int = 3, rows: int = 40, items: int = 8) -> ScoreMatrix:
    values = np.random.default_rng(seed).integers(0, 12, (rows, items)) / 4
    return ScoreMatrix(values, items=[f"item {number}" for number in range(items)])


def documents() -> dict[str, dict[str, Any]]:
    study = Study(some_scores())
    return {
        "top-k": study.topk(3, delta=0.02).findings(source="x.csv"),
        "ranking": study.ranking().findings(),
        "audit": study.audit(3).findings(),
        "check": study.check(3, max_delta=0.02).findings(),
        "explanation": study.explain(3).findings(),
        "comparison": study.compare(Study(some_scores(4, items=9)), 3).findings(
            source="x.csv"
        ),
    }


@pytest.mark.parametrize(
    "name",
    [
        "top-k",
        "ranking",
        "audit",
        "check",
        "explanation",
        "comparison",
    ],
)
def test_documents_are_json_and_documented(name: str) -> None:
    made = documents()[name]
    assert json.loads(to_json(made)) == made
    assert made["schema_version"] == SCHEMA_VERSION
    assert made["document"] == name
    text = DOCUMENTATION.read_text(encoding="utf-8")
    assert f"version **{SCHEMA_VERSION}**" in text
    documented = set(re.findall(r"`\"?(\w[\w-]*)\"?`", text))
    for key, part in made.items():
        assert key in documented
        keys = part if isinstance(part, dict) and key != "policies" else {}
        keys = (
            part[0]
            if isinstance(part, list) and part and isinstance(part[0], dict)
            else keys
        )
        assert set(keys) <= documented, key


def test_a_topk_document_holds_what_the_library_computed() -> None:
    data = some_scores()
    answer = Study(data).topk(3, delta=0.02)
    found = Study(data).audit(k=3, eps=answer.eps)
    made = answer.findings()
    for standing, items in (("sure", answer.sure), ("contender", answer.contenders)):
        assert [
            row["item"] for row in made["rows"] if row["standing"] == standing
        ] == list(items)
    assert [row["item"] for row in made["rows"][: made["size"]]] == list(answer.members)
    assert made["summary"]["changing_share"] == found.row("topk", 3).delta
    assert made["summary"]["changing_units"] == made["flips"]["plain"]["units"]
    assert made["certificate"]["sentence"] == answer.certificate.sentence
    eps, delta, size = found.curve(3).steps()
    assert (made["curve"]["eps"], made["curve"]["delta"]) == (
        eps.tolist(),
        delta.tolist(),
    )
    assert made["curve"]["size"] == size.tolist()


def test_what_was_not_looked_at_is_not_told() -> None:
    proved = Study(Votes(["ann"] * 5 + ["bob"] * 3)).topk(1, proved=True).findings()
    assert proved["summary"]["changing_units"] is None
    assert "curve" not in proved


coarse = st.integers(0, 20).map(lambda number: number / 8)
fine = st.floats(-5, 5).map(lambda value: value if abs(value) > 1e-110 else 0.0)


def test_a_long_curve_is_thinned_to_exact_points() -> None:
    rng = np.random.default_rng(1)
    whole = StabilityCurve(
        3, rng.random(9000), np.ones(9000, np.int64), 1e-9, rng.random(500)
    )
    made = whole.findings(0.5)
    assert made["thinned"]
    assert made["n_steps"] == 9500
    assert 1000 < len(made["eps"]) <= 2000
    above = np.nextafter(made["eps"], np.inf)
    assert made["delta"] == whole.delta(above).tolist()
    assert made["size"] == whole.size(above).tolist()
    steps = whole.steps()[0]
    assert {steps[0], steps[-1]} <= set(made["eps"])
    here = int(np.searchsorted(steps, 0.5))
    assert set(steps[here - 5 : here + 5].tolist()) <= set(made["eps"])


def test_many_flips_are_counted_and_the_first_listed() -> None:
    data = some_scores(rows=900, items=2, seed=5)
    values = np.array([[1.0, 0.0]] * 450 + [[0.0, 1.0]] * 450)
    data = ScoreMatrix(values)
    made = Study(data).audit(1, eps=0.1).findings()
    (flips,) = made["flips"]
    assert flips["plain"]["units"] == 450
    assert len(flips["plain"]["listed"]) == min(450, MAX_FLIPS)


def test_a_size_beyond_any_float_is_a_logarithm() -> None:
    data = ScoreMatrix(np.zeros((3, 200)))
    made = Study(data).audit(1, eps=1.0).findings()
    (row,) = [row for row in made["audit"] if row["method"] == "inflated_ranking"]
    assert row["size"] is None
    assert row["log10_size"] == pytest.approx(374.9, abs=0.1)
    assert json.loads(to_json(made))["audit"][-1] == row


def test_labels_of_any_type() -> None:
    class Odd:
        def __str__(self) -> str:
            return "odd"

    assert [
        label(name) for name in (True, 2**60, float("nan"), np.float64(0.5), Odd())
    ] == [
        True,
        str(2**60),
        "nan",
        0.5,
        "odd",
    ]


def test_csv_has_the_rows_with_all_digits() -> None:
    votes = Votes(["=a"] * 3 + ["b"] * 2)
    text = to_csv(Study(votes).topk(1).findings())
    names = "rank,item,score,best_rank,worst_rank,share,listed,standing,away,count,critical_eps"
    assert text.splitlines()[0] == names
    assert text.splitlines()[1].startswith("1,'=a,0.6,1,")
    assert text.splitlines()[2].startswith("2,b,0.4,")
