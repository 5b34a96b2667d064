"""A model to refit, a small table, and a counter of how often the model runs."""

from __future__ import annotations

import numpy as np

from steadyrank.data import ScoreMatrix


def column_medians(data):
    return np.median(data.values, axis=0)


def fails_on_seven(data):
    if not (data.values == 7).any():
        raise ZeroDivisionError("no seven here")
    return column_medians(data)


MATRIX = ScoreMatrix(np.arange(24.0).reshape(8, 3) ** 1.5 % 7, rows=list("abcdefgh"))
