"""Tables of scores beside autorank, and Holm's correction beside statsmodels."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from autorank import autorank
from scipy.stats import wilcoxon
from statsmodels.stats.multitest import multipletests

from steadyrank import CriticalDifference, ScoreMatrix, Study


def table(seed: int) -> pd.DataFrame:
    """Return 20 tasks of six methods, with ties."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.integers(0, 12, size=(20, 6)) / 10, columns=list("abcdef"))
    return frame + np.linspace(0, 0.4, 6).round(1)


@pytest.mark.parametrize("seed", range(5))
def test_mean_ranks_are_autoranks(seed: int) -> None:
    """The best of a row has rank 1, ties share the middle; our score is minus the mean rank."""
    frame = table(seed)
    theirs = autorank(
        frame, alpha=0.05, approach="frequentist", force_mode="nonparametric"
    )
    ranks = theirs.rankdf["meanrank"].reindex(list("abcdef")).to_numpy()
    ours = Study(
        ScoreMatrix(frame.to_numpy(), items=list("abcdef")), "mean-rank"
    ).scores
    assert ours == pytest.approx(-ranks)


def joined(groups: tuple[tuple[object, ...], ...]) -> set[frozenset[object]]:
    return {frozenset(pair) for group in groups for pair in combinations(group, 2)}


@pytest.mark.parametrize("seed", range(20))
def test_critical_differences_are_autoranks(seed: int) -> None:
    """Friedman's p, the critical difference, and so who is joined; they have it where p is small."""
    frame = table(seed)
    ours = CriticalDifference.of(ScoreMatrix(frame.to_numpy(), items=list("abcdef")))
    theirs = autorank(
        frame, alpha=0.05, approach="frequentist", force_mode="nonparametric"
    )
    assert ours.friedman == pytest.approx(theirs.pvalue)
    if theirs.pvalue > 0.05:
        assert ours.critical_difference is None
        assert joined(ours.joined_by_test) == {
            frozenset(pair) for pair in combinations("abcdef", 2)
        }
        return
    assert ours.critical_difference == pytest.approx(
        theirs.cd, rel=1e-3
    )  # they have a table
    ranks = theirs.rankdf["meanrank"]
    near = {
        pair
        for pair in combinations("abcdef", 2)
        if abs(ranks[pair[0]] - ranks[pair[1]]) < theirs.cd
    }
    assert joined(ours.joined_by_test) == {frozenset(pair) for pair in near}


@pytest.mark.parametrize("seed", range(20))
def test_holms_correction_is_statsmodels(seed: int) -> None:
    frame = (table(seed) * 10).round()  # whole numbers: differences tie exactly
    ours = CriticalDifference.of(
        ScoreMatrix(frame.to_numpy(), items=list("abcdef")), test="holm"
    )
    if (ours.friedman or 0) > ours.alpha:
        return
    pairs = list(combinations("abcdef", 2))
    found = [wilcoxon(frame[one], frame[other]).pvalue for one, other in pairs]
    apart = multipletests(found, alpha=0.05, method="holm")[0]
    near = {
        frozenset(pair) for pair, told in zip(pairs, apart, strict=True) if not told
    }
    assert joined(ours.joined_by_test) == near
