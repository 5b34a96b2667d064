"""Feature selection for scikit-learn: lists of features that hold when one row leaves.

Both selectors score the features, score them again without each row, and keep the inflated list of the k
best. They are transformers like any other: in pipelines, in a grid search over ``k``, with names and
dataframes. Importing this module imports scikit-learn.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from steadyrank.data import ScoreMatrix
from steadyrank.engines.backends import needed
from steadyrank.errors import InvalidScoresError
from steadyrank.operators.checks import check_k
from steadyrank.scorers.refit import Refit, importances, seeded
from steadyrank.study import Study

if TYPE_CHECKING:
    from steadyrank._typing import BoolArray, FloatArray
    from steadyrank.study import StableTopK

WHY = "stable feature selection is for scikit-learn"
sklearn, base, plain = (
    needed(f"sklearn{part}", WHY, "refit")
    for part in ("", ".base", ".feature_selection")
)

BEYOND = 1e100
"""Scores of this size count as infinite: scikit-learn writes the largest float for infinity."""

NOISE = 1e-3
"""Scores of the same rows that differ by more, as a part of the largest one, differ by chance."""

__all__ = ["StableSelectFromModel", "StableSelectKBest"]


class _StableSelector(plain.SelectorMixin, base.BaseEstimator):  # type: ignore[misc,name-defined]
    """What both selectors do with the scores that ``_score(X, y)`` gives."""

    _score: Any

    def __init__(
        self,
        k: Any,
        delta: float,
        eps: float | None,
        n_jobs: int | None,
    ) -> None:
        self.k, self.delta, self.eps, self.n_jobs = k, delta, eps, n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Score the features, on all rows and without each of them, and choose.

        Parameters
        ----------
        X : matrix or dataframe (rows, features)
        y : array (rows,) or (rows, outputs), optional
            None where scores need none.
        """
        responses = {} if y is None else {"y": y, "multi_output": True}
        checked = sklearn.utils.validation.validate_data(
            self, X, ensure_min_samples=2, **responses
        )
        X, y = (checked, None) if y is None else checked
        size = X.shape[1]
        if more := isinstance(self.k, int | np.integer) and self.k > size:
            warnings.warn(
                f"k={self.k} of {size} features: all of them are selected", stacklevel=2
            )
        k = (
            size
            if more or (isinstance(self.k, str) and self.k == "all")
            else check_k(self.k, size)
        )
        found = self._score(X, y)
        self.scores_, self.pvalues_ = (
            found if isinstance(found, tuple | list) else (found, None)
        )
        if np.shape(self.scores_) != (size,):
            raise InvalidScoresError(
                f"there must be one score for each of the {size:,} features, but scores have the "
                f"shape {np.shape(self.scores_)}"
            )
        answer = self.answer_ = self._answer(X, y, k) if k < size else None
        self.certificate_ = None if answer is None else answer.certificate
        names: Any = range(size) if answer is None else answer.items
        listed = (
            (names, names, ())
            if answer is None
            else (answer, answer.sure, answer.contenders)
        )
        self.support_, self.sure_, self.contenders_ = (
            np.array([name in some for name in names]) for some in map(set, listed)
        )
        return self

    def _answer(self, X: Any, y: Any, k: int) -> StableTopK:
        scored = vars(self).get("score_func") or self.estimator
        label = getattr(scored, "__name__", type(scored).__name__)
        how: Any = {"n_jobs": self.n_jobs, "label": label}
        data = ScoreMatrix(X, items=getattr(self, "feature_names_in_", None))
        study = Study(data, Refit(partial(_of_rows, self._score, X, y), **how))
        answer = study.topk(k, delta=self.delta, eps=self.eps)
        first = _finite(self.scores_)  # for the answer, all rows were scored again
        if np.abs(study.scores - first).max() > NOISE * np.abs(first).max():
            raise InvalidScoresError(
                f"{label} gives other scores when it is called with the same rows again, so that what "
                "chance does cannot be told from what a row does",
                way_out="Give it a seed: functools.partial(function, random_state=0), for example.",
            )
        return answer

    def _get_support_mask(self) -> BoolArray:
        sklearn.utils.validation.check_is_fitted(self)
        return self.support_


def _of_rows(score: Any, X: Any, y: Any, data: Any) -> FloatArray:
    """Return the scores from the rows that the data still hold, as finite numbers."""
    rows = np.asarray(data.row_labels)
    with sklearn.config_context(
        assume_finite=True, skip_parameter_validation=True
    ):  # it was checked
        found = score(X[rows], None if y is None else y[rows])
    return _finite(found[0] if isinstance(found, tuple | list) else found)


def _finite(found: Any) -> FloatArray:
    """Return scores as finite numbers; the way from the others to those put in is never rounded away."""
    scores = np.asarray(found, dtype=np.float64)
    known = np.abs(scores) < BEYOND  # nan is not
    low, high = (end(scores, where=known, initial=0.0) for end in (np.min, np.max))
    return np.where(known, scores, np.where(scores > 0, 2 * high + 1, 2 * low - 1))


class StableSelectKBest(_StableSelector):
    """Select the features that are among the k best by a score, whichever row leaves.

    What :class:`sklearn.feature_selection.SelectKBest` selects may depend on a single row. This selector
    computes the scores again without each row and selects the inflated list: at the smallest eps at
    which it holds the k best features of the data without any one row (``delta=0``).

    A score that is nan, as that of a feature without variance, counts as below 0 and all others of its
    fit, and an infinite one (from 1e100 on) as above. Of equal scores the first feature comes first;
    SelectKBest prefers the last.

    Parameters
    ----------
    score_func : callable
        From ``X`` and ``y`` to scores, or to scores and p-values, as for SelectKBest. It is called once
        for each row, with the others, and twice with all rows: scores that chance changes are refused.
    k : int or "all"
        How many are asked for. Where there are no more, all are selected, and nothing is left out.
    delta, eps
        As for :meth:`steadyrank.Study.topk`.
    n_jobs : int, optional
        Number of joblib workers.

    Attributes
    ----------
    support_ : bool array (features,)
        The inflated list: what is selected.
    sure_ : bool array (features,)
        The features that are among the plain k best of the data, and of the data without any one row.
    contenders_ : bool array (features,)
        Those that leaving out some row brings among the k best or puts out. By default all of them are
        selected; with another ``delta`` or an ``eps`` perhaps not.
    scores_, pvalues_ : float arrays (features,)
        On all rows, as the function gives them; ``pvalues_`` is None where it gives none.
    answer_ : StableTopK or None
        The answer: print it, or ask its ``study``, which stays behind when the selector is pickled.
        None where there are no more than k features, so that all are selected.
    certificate_ : Certificate or None
        What is claimed of ``support_``, with its eps and delta.
    n_features_in_, feature_names_in_
        As of any estimator.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.feature_selection import f_regression
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = StableSelectKBest(f_regression, k=5).fit(X.iloc[:60], y[:60])
    >>> selector.get_feature_names_out().tolist(), int(selector.sure_.sum())
    (['age', 'bmi', 'bp', 's1', 's3', 's4', 's5', 's6'], 4)
    """

    def __init__(
        self, score_func: Any = plain.f_classif, k: Any = 10, *, delta: float = 0.0,
        eps: float | None = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(k, delta, eps, n_jobs)
        self.score_func = score_func

    def _score(self, X: Any, y: Any) -> Any:
        return self.score_func(X, y)


class StableSelectFromModel(_StableSelector):
    """Select the features that are among the k most important of a model, whichever row leaves.

    The model is fitted again without each row, each time with the same seed. Importances are absolute
    values; where a model has a row of them for each class or output, their sums.

    Parameters
    ----------
    estimator : estimator
        What has ``coef_`` or ``feature_importances_`` once fitted. A ``random_state`` that is None is
        set to 0.
    k, delta, eps, n_jobs
        As for :class:`StableSelectKBest`.

    Attributes
    ----------
    support_, sure_, contenders_, scores_, answer_, certificate_, n_features_in_, feature_names_in_
        As of :class:`StableSelectKBest`; the scores are the importances.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = StableSelectFromModel(Ridge(), k=3).fit(X.iloc[:60], y[:60])
    >>> selector.get_feature_names_out().tolist(), int(selector.sure_.sum())
    (['bmi', 'bp', 's4', 's5'], 2)
    """

    def __init__(
        self, estimator: Any, k: Any = 10, *, delta: float = 0.0,
        eps: float | None = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(k, delta, eps, n_jobs)
        self.estimator = estimator

    def _score(self, X: Any, y: Any) -> FloatArray:
        return importances(seeded(self.estimator, 0).fit(X, y))
