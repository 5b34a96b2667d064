"""Stable feature selection against SelectKBest, when single rows leave and over bootstrap samples."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import SelectKBest, f_regression

from steadyrank.selection import StableSelectKBest

X, y = load_diabetes(return_X_y=True, as_frame=True)
X, y = X.iloc[:120], y[:120]
rows, K = np.arange(len(X)), 4


def chosen(selector: object, some: np.ndarray) -> set[str]:
    return set(selector.fit(X.iloc[some], y.iloc[some]).get_feature_names_out())


def jaccard(one: set[str], two: set[str]) -> float:
    return len(one & two) / len(one | two)


stable = StableSelectKBest(f_regression, k=K)
lists = {
    "SelectKBest": chosen(SelectKBest(f_regression, k=K), rows),
    "stable": chosen(stable, rows),
}
print(
    "sure:", *X.columns[stable.sure_], "| contenders:", *X.columns[stable.contenders_]
)

without = [chosen(SelectKBest(f_regression, k=K), rows[rows != row]) for row in rows]
for name, kept in lists.items():
    holds = np.mean([new <= kept for new in without])
    print(
        f"{name:11} {len(kept)} features; holds the plain top {K} without a row "
        f"in {holds:.1%} of {len(rows)} rows"
    )

rng = np.random.default_rng(0)
samples = [rng.choice(rows, len(rows)) for _ in range(10)]
for name, selector in {
    "SelectKBest": SelectKBest(f_regression, k=K),
    "stable": stable,
}.items():
    found = [chosen(selector, some) for some in samples]
    overlap = np.mean(
        [jaccard(one, two) for i, one in enumerate(found) for two in found[:i]]
    )
    covered = np.mean([lists["SelectKBest"] <= new for new in found])
    print(
        f"{name:11} over 10 bootstrap samples: overlap {overlap:.2f}, mean size "
        f"{np.mean([len(new) for new in found]):.1f}, holds the top {K} of the data in {covered:.0%}"
    )
