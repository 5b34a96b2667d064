"""A function as a scorer: medians over tasks instead of means, fitted again without each task."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from steadyrank import Refit, ScoreMatrix, Study, read
from steadyrank.demo import demo_file

if TYPE_CHECKING:
    from numpy.typing import NDArray


def medians(matrix: ScoreMatrix) -> NDArray[np.float64]:
    """Return the median of each column."""
    return np.median(matrix.values, axis=0)


with demo_file("benchmark.csv") as path:
    matrix = read(path)

for scorer in (None, Refit(medians, label="medians")):
    answer = Study(matrix, scorer).topk(k=4)
    print(
        f"{answer.scorer}: {', '.join(answer.sure)}; contenders: {', '.join(answer.contenders)}"
    )
