"""Tables of scores beside autorank."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from autorank import autorank

from steadyrank import ScoreMatrix, Study


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
