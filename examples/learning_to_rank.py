"""Learning to rank: the ten best documents for a query, when one *training query* leaves.

Two rankers of scikit-learn learn from the same judged queries. The pointwise one predicts the grade of
a document from its features. The pairwise one learns from differences of two documents of one query
which of them has the better grade. What leaves is a training query with all its documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LogisticRegression

from steadyrank import Refit, Study
from steadyrank.data import Observations, Units
from steadyrank.data.kinds import Kind

QUERIES, DOCUMENTS, FEATURES, CANDIDATES, K = 40, 15, 6, 200, 10


@dataclass(frozen=True, init=False, eq=False, repr=False)
class JudgedQueries(Observations):
    """Training queries, which may leave, and the documents of a new query, which are to be ranked."""

    kind: ClassVar[Kind] = Kind("judged queries", "query", "query", scorer="")
    features: Any  # (queries, documents, features)
    grades: Any  # (queries, documents)
    candidates: Any  # (items, features)

    def __init__(self, features: Any, grades: Any, candidates: Any) -> None:
        names = tuple(f"document {number}" for number in range(1, len(candidates) + 1))
        for name, value in (
            ("features", features),
            ("grades", grades),
            ("candidates", candidates),
        ):
            object.__setattr__(self, name, value)
        for name, value in (("items", names), ("notes", ())):
            object.__setattr__(self, name, value)

    @property
    def units(self) -> Units:
        """The training queries."""
        return Units(
            "query", np.ones(len(self.grades), dtype=int), range(len(self.grades))
        )

    @property
    def item_counts(self) -> Any:
        """Every query stands behind every score."""
        return np.full(len(self.items), len(self.grades))

    def _copied(self, copies: Any) -> dict[str, Any]:
        return {
            name: np.repeat(getattr(self, name), copies, axis=0)
            for name in ("features", "grades")
        }


def pointwise(data: JudgedQueries) -> Any:
    """Predict grades."""
    model = GradientBoostingRegressor(n_estimators=10, random_state=0)
    model.fit(data.features.reshape(-1, FEATURES), data.grades.ravel())
    return model.predict(data.candidates)


def pairwise(data: JudgedQueries) -> Any:
    """Learn which of two documents is better; the weights then score a document alone."""
    one, other = np.array(list(combinations(range(data.grades.shape[1]), 2))).T
    apart = (data.features[:, one] - data.features[:, other]).reshape(-1, FEATURES)
    better = np.sign(data.grades[:, one] - data.grades[:, other]).ravel()
    model = LogisticRegression(fit_intercept=False).fit(
        apart[better != 0], better[better != 0]
    )
    return data.candidates @ model.coef_[0]


def generated(seed: int) -> JudgedQueries:
    """Grades from 0 to 4: a taste that is common to all queries, another of each query, and noise."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(QUERIES, DOCUMENTS, FEATURES))
    taste = np.linspace(1.0, 0.0, FEATURES) + 0.5 * rng.normal(
        size=(QUERIES, 1, FEATURES)
    )
    liking = (features * taste).sum(axis=2) + rng.normal(size=(QUERIES, DOCUMENTS))
    return JudgedQueries(
        features,
        np.digitize(liking, [-2, 0, 1, 2]),
        rng.normal(size=(CANDIDATES, FEATURES)),
    )


data = generated(seed=3)
for ranker in (pointwise, pairwise):
    study = Study(data, Refit(ranker))
    answer = study.topk(K)
    print(
        f"{ranker.__name__}: {len(answer.sure)} of {K} sure, {len(answer.contenders)} contenders"
    )
    print(f"  the list has {answer.size} documents; {answer.certificate.promise}")
    plain = study.check(K).row.delta
    print(f"  plain top {K}: delta {plain:.3f}; list: {answer.certificate.delta:.3f}")
