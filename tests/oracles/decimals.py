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
    """Fit in floats by short steps, as far as floats go."""
    items = len(wins)
    scores = np.zeros(items)
    for _ in range(300):
        upset = 1 / (1 + np.exp(scores[:, None] - scores[None, :]))
        missed = wins * upset
        flow = (wins + wins.T) * upset * upset.T
        hessian = (
            np.diag(flow.sum(axis=0)) - flow + ridge * np.eye(items) + (ridge == 0)
        )
        step = np.linalg.solve(
            hessian, missed.sum(axis=1) - missed.sum(axis=0) - ridge * scores
        )
        scores = scores + step / max(1.0, np.ptp(step))
        if np.ptp(step) < 1e-9:
            break
    return scores


def eliminated(matrix, right):
    """Solve linear equations by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for place in range(len(rows)):
        best = max(range(place, len(rows)), key=lambda row: abs(rows[row][place]))
        rows[place], rows[best] = rows[best], rows[place]
        rows[place] = [value / rows[place][place] for value in rows[place]]
        for row in range(len(rows)):
            if row != place and rows[row][place]:
                times = rows[row][place]
                rows[row] = [
                    a - times * b for a, b in zip(rows[row], rows[place], strict=True)
                ]
    return [row[-1] for row in rows]


def decimal_strengths(wins, ridge=0.0):
    """Return the strengths as decimals, mean 0, to 30 places."""
    items = range(len(wins))
    with localcontext() as context:
        context.prec = 60
        scores = [Decimal(float(score)) for score in plain_newton(wins, ridge)]
        counts = [[Decimal(float(count)) for count in row] for row in wins]
        for _ in range(100):
            odds = [score.exp() for score in scores]
            chance = [[mine / (mine + other) for other in odds] for mine in odds]
            gradient = [
                sum(
                    counts[i][j] * chance[j][i] - counts[j][i] * chance[i][j]
                    for j in items
                )
                - Decimal(ridge) * scores[i]
                for i in items
            ]
            flow = [
                [
                    (counts[i][j] + counts[j][i]) * chance[i][j] * chance[j][i]
                    for j in items
                ]
                for i in items
            ]
            # Without a ridge a constant, which changes no difference, makes the equations solvable.
            hessian = [[(ridge == 0) - value for value in row] for row in flow]
            for i in items:
                hessian[i][i] += sum(flow[i]) + Decimal(ridge)
            step = eliminated(hessian, gradient)
            size = max(step) - min(step)
            scores = [
                score + part / max(1, size)
                for score, part in zip(scores, step, strict=True)
            ]
            if size < Decimal("1e-35"):
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
