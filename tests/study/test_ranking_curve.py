"""The curve of full rankings: what it says, where it is asked for, and its figures on real files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from steadyrank import ScoreMatrix, Study, Votes, errors, inflated_ranking, read_any

if TYPE_CHECKING:
    from pathlib import Path

CELLS = [[3, 1, 2], [3, 2, 2], [2, 3, 0], [3, 2, 2]]


def test_a_study_makes_it_once_and_an_audit_hands_it_out() -> None:
    study = Study(ScoreMatrix(CELLS))
    curve = study.ranking_curve()
    assert study.ranking_curve() is curve
    assert study.audit(2, eps=0.5, methods=[]).ranking_curve() is curve
    assert study.ranking(eps=curve.smallest_eps(0)).certificate.delta == 0


def test_values_at_several_eps_are_those_at_each() -> None:
    curve = Study(ScoreMatrix(CELLS)).ranking_curve()
    eps = np.array([0.1, 0.5, 0.8, 3.0])
    assert curve.delta(eps).tolist() == [curve.delta(float(e)) for e in eps]
    assert curve.tiers(eps).tolist() == [curve.tiers(float(e)) for e in eps]
    for ask in (curve.delta, curve.tiers):
        with pytest.raises(errors.InvalidSettingError):
            ask(0.0)


def test_a_single_item_has_a_single_tier() -> None:
    curve = Study(Votes(["x", "x"])).ranking_curve()
    assert (curve.tiers(1.0), curve.delta(1.0)) == (1, 0.0)
    assert str(curve) == "delta of the full ranking: 0 from eps = 1 on, with 1 tier"


def test_a_plot_names_what_it_shows() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot as plt

    curve = Study(ScoreMatrix(CELLS)).ranking_curve()
    ax = curve.plot(eps=0.5)
    assert [axis.get_ylabel().partition(":")[0] for axis in ax.figure.axes] == [
        "delta",
        "tiers",
    ]
    plt.close("all")


@pytest.mark.parametrize(
    ("name", "options", "exact", "by_shifts", "tiers"),
    [
        (
            "scores/cls_bin_mean.csv",
            {"missing": "available"},
            0.0013745,
            0.013343,
            (18, 4),
        ),
        ("battles/arena_pairs.csv", {}, 0.0014439, 0.0029502, (124, 113)),
    ],
)
def test_real_files(shared_data: Path, name, options, exact, by_shifts, tiers) -> None:  # type: ignore[no-untyped-def]
    study = Study(read_any(shared_data / name, **options))
    curve, furthest = study.ranking_curve(), float(study.facts.shifts.max())
    answer = study.ranking(eps=curve.smallest_eps(0))
    assert answer.eps == pytest.approx(exact, rel=1e-4)
    assert furthest == pytest.approx(by_shifts, rel=1e-4)
    assert (len(answer.tiers), curve.tiers(furthest)) == tiers
    # The very unit that needs it, asked directly: no common ranking at its eps, one just above.
    last = int(curve.breaking_eps.argmax())
    eps = float(curve.breaking_eps[last])
    block = next(
        b
        for b in study.facts.leave_one_out.blocks()
        if b.start <= last < b.start + len(b)
    )
    row = block.row(last - block.start, study.scores)
    for value in (eps, float(np.nextafter(eps, 1))):
        met = inflated_ranking(study.scores, value).intersects(
            inflated_ranking(row, value)
        )
        assert met == (value > eps)
