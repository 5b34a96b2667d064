"""Bradley-Terry to fifty digits: equal strengths are then told from nearly equal ones."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np


def win_counts(data):
    """Count battle by battle, a tie as half a win each way."""
    wins = np.zeros((data.n_items, data.n_items))
    rows = zip(data.left, data.right, data.outcome, data.counts, strict=True)
    for left, right, outcome, count in rows:
        wins[left, right] += count * (outcome + 1) / 2
        wins[right, left] += count * (1 - outcome) / 2
    return wins


def plain_newton(wins, ridge):
    """Fit in floats by short steps; also return the inverse of the last Hessian."""
    items = len(wins)
    scores = np.zeros(items)
    for _ in range(300):
        upset = 1 / (1 + np.exp(scores[:, None] - scores[None, :]))
        missed = wins * upset
        flow = (wins + wins.T) * upset * upset.T
        hessian = np.diag(flow.sum(axis=0)) - flow + ridge * np.eye(items) + (ridge == 0)
        inverse = np.linalg.inv(hessian)
        step = inverse @ (missed.sum(axis=1) - missed.sum(axis=0) - ridge * scores)
        scores = scores + step / max(1.0, np.ptp(step))
        if np.ptp(step) < 1e-9:
            break
    return scores, inverse


def decimal_strengths(wins, ridge=0.0):
    """Return the strengths as decimals, mean 0, to 30 places."""
    start, inverse = plain_newton(wins, ridge)
    items = range(len(wins))
    with localcontext() as context:
        context.prec = 60
        scores = [Decimal(float(score)) for score in start]
        counts = [[Decimal(float(count)) for count in row] for row in wins]
        for _ in range(12):
            odds = [score.exp() for score in scores]
            chance = [[mine / (mine + other) for other in odds] for mine in odds]
            gradient = [
                sum(counts[i][j] * chance[j][i] - counts[j][i] * chance[i][j] for j in items)
                - Decimal(ridge) * scores[i]
                for i in items
            ]
            step = inverse @ np.array([float(part) for part in gradient])
            scores = [score + Decimal(float(part)) for score, part in zip(scores, step, strict=True)]
            if np.abs(step).max() < 1e-42:
                break
        else:
            raise AssertionError("the decimals did not settle")
        mean = sum(scores) / len(scores)
        return [(score - mean).quantize(Decimal("1e-30")) for score in scores]


class DecimalBradleyTerry:
    """A scorer for the slow audit: strengths that differ only beyond 30 digits are equal floats."""

    def __init__(self, ridge=0.0):
        self.ridge = ridge

    def score(self, data):
        found = decimal_strengths(win_counts(data), self.ridge)
        return np.array([float(score) for score in found])
