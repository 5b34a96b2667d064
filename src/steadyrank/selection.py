"""Feature selection for scikit-learn: lists of features that hold when one row leaves.

Both selectors score the features, score them again without each row, and keep the inflated list of the k
best. They are transformers like any other: in pipelines, in a grid search over ``k``, with names and
dataframes. Importing this module imports scikit-learn.
"""

from __future__ import annotations

import warnings
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.data import ScoreMatrix
from steadyrank.engines.settings import needed
from steadyrank.operators.checks import check_k
from steadyrank.scorers.refit import Refit, seeded
from steadyrank.stability import Study

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Self

    from steadyrank._typing import BoolArray, FloatArray
    from steadyrank.data import Observations
    from steadyrank.stability import StableTopK
    from steadyrank.stability.certificate import Guarantee

base, plain, utils, validation = (
    needed(f"sklearn.{part}", "stable feature selection is for scikit-learn", "refit")
    for part in ("base", "feature_selection", "utils", "utils.validation")
)

BEYOND = 1e100
"""Scores of this size count as infinite: scikit-learn writes the largest float for infinity."""

__all__ = ["StableSelectFromModel", "StableSelectKBest"]


class _StableSelector(plain.SelectorMixin, base.BaseEstimator):  # type: ignore[misc]
    """What both selectors do with their scores."""

    k: Any
    delta: float
    eps: float | None
    guarantee: Guarantee
    n_jobs: int | None

    def _fit_all(self, X: Any, y: Any) -> Any:
        """Fit to all rows, keep what the selector shows of that, and return the scores."""
        raise NotImplementedError

    def _scores(self, X: Any, y: Any) -> Any:
        """Return the scores of the features, and change nothing."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None) -> Self:
        """Score the features, on all rows and without each of them, and choose.

        Parameters
        ----------
        X : matrix, dataframe or sparse matrix (rows, features)
        y : array (rows,) or (rows, outputs), optional
            None where scores need none.
        """
        checks = {"accept_sparse": ["csr", "csc"], "ensure_min_samples": 2}
        if y is None:
            X = validation.validate_data(self, X, **checks)
        else:
            X, y = validation.validate_data(self, X, y, multi_output=True, **checks)
        size = X.shape[1]
        k = size if isinstance(self.k, str) and self.k == "all" else check_k(self.k, 2**63)
        if k > size:
            warnings.warn(f"k={k} of {size} features: all of them are selected", stacklevel=2)
        self.scores_ = np.asarray(self._fit_all(X, y), dtype=np.float64)
        self.answer_ = self._answer(X, y, k) if k < size else None
        if self.answer_ is None:  # all features are among the k best, whichever row leaves
            self.certificate_, names = None, range(size)
            listed: tuple[Any, ...] = names, names, ()
        else:
            self.certificate_, names = self.answer_.certificate, self.answer_.items
            listed = self.answer_.members, self.answer_.sure, self.answer_.contenders
        self.support_, self.sure_, self.contenders_ = (_mask(names, some) for some in listed)
        return self

    def _answer(self, X: Any, y: Any, k: int) -> StableTopK:
        values = X.toarray() if hasattr(X, "toarray") else X
        data = ScoreMatrix(values, items=getattr(self, "feature_names_in_", None))
        model = partial(_of_rows, self._scores, X, y)
        scorer = Refit(model, n_jobs=self.n_jobs, label=repr(self), progress=False)
        return Study(data, scorer).topk(k, delta=self.delta, eps=self.eps, guarantee=self.guarantee)

    def _get_support_mask(self) -> BoolArray:
        validation.check_is_fitted(self)
        return self.support_


def _mask(names: Sequence[object], some: Collection[object]) -> BoolArray:
    inside = set(some)
    return np.array([name in inside for name in names])


def _of_rows(scores: Any, X: Any, y: Any, data: Observations) -> FloatArray:
    """Return the scores from the rows that the data still hold, as finite numbers."""
    rows = np.asarray(data.row_labels)  # type: ignore[attr-defined]  # a matrix, rows by number
    found = np.array(scores(X[rows], None if y is None else y[rows]), dtype=np.float64)
    known = np.abs(found) < BEYOND  # false of nan, too
    low, high = (found[known].min(), found[known].max()) if known.any() else (0.0, 0.0)
    return np.where(known, found, np.where(found > 0, high + 1, low - 1))


class StableSelectKBest(_StableSelector):
    """Select the features that are among the k best by a score, whichever row leaves.

    What :class:`sklearn.feature_selection.SelectKBest` selects may depend on a single row. This selector
    computes the scores again without each row and selects the inflated list: at the smallest eps at
    which it holds the k best features of the data without any one row (``delta=0``).

    A score that is nan, as that of a feature without variance, counts as one less than the lowest of its
    fit, and an infinite one (from 1e100 on) as one more than the highest. Of equal scores the first
    feature comes first; SelectKBest prefers the last.

    Parameters
    ----------
    score_func : callable
        From ``X`` and ``y`` to scores, or to scores and p-values, as for SelectKBest. It is called once
        for each row, with the others.
    k : int or "all"
        How many are asked for. Where there are no more, all are selected, and nothing is left out.
    delta, eps, guarantee
        As for :func:`steadyrank.stable_topk`.
    n_jobs : int, optional
        Number of joblib workers.

    Attributes
    ----------
    support_ : bool array (features,)
        The inflated list: what is selected.
    sure_ : bool array (features,)
        The features that are among the plain k best of the data, and of the data without any one row.
    contenders_ : bool array (features,)
        Those that leaving out some row brings among the k best or puts out; with ``delta=0`` and without
        an ``eps`` all are selected.
    scores_, pvalues_ : float arrays (features,)
        On all rows, as the function gives them; ``pvalues_`` is None where it gives none.
    answer_ : StableTopK or None
        The answer: print it, or ask its ``study``, which stays behind where the selector is pickled. None
        where all features are selected because no more than k are there.
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
    >>> selector.get_feature_names_out().tolist()
    []
    """

    def __init__(  # noqa: PLR0913 (most by name)
        self,
        score_func: Any = plain.f_classif,
        k: Any = 10,
        *,
        delta: float = 0.0,
        eps: float | None = None,
        guarantee: Guarantee = "cover",
        n_jobs: int | None = None,
    ) -> None:
        self.score_func = score_func
        self.k = k
        self.delta = delta
        self.eps = eps
        self.guarantee = guarantee
        self.n_jobs = n_jobs

    def _fit_all(self, X: Any, y: Any) -> Any:
        found = self.score_func(X, y)
        scores, self.pvalues_ = found if isinstance(found, tuple | list) else (found, None)
        return scores

    def _scores(self, X: Any, y: Any) -> Any:
        found = self.score_func(X, y)
        return found[0] if isinstance(found, tuple | list) else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


class StableSelectFromModel(_StableSelector):
    """Select the features that are among the k most important of a model, whichever row leaves.

    The model is fitted again without each row, each time with the same seed. Importances are absolute
    values; where a model has a row of them for each class or output, their sums.

    Parameters
    ----------
    estimator : estimator
        What has ``coef_`` or ``feature_importances_`` once fitted. A ``random_state`` that is None is
        set to 0.
    k, delta, eps, guarantee, n_jobs
        As for :class:`StableSelectKBest`.
    importance_getter : str or callable
        The attribute of the importances (``"named_steps.model.coef_"``), or a function of the fitted
        model; by default ``coef_`` or ``feature_importances_``.

    Attributes
    ----------
    estimator_ : estimator
        Fitted to all rows.
    support_, sure_, contenders_, scores_, answer_, certificate_, n_features_in_, feature_names_in_
        As of :class:`StableSelectKBest`; the scores are the importances.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = StableSelectFromModel(Ridge(), k=3).fit(X, y)
    >>> selector.get_feature_names_out().tolist(), int(selector.sure_.sum())
    ()
    """

    def __init__(  # noqa: PLR0913 (most by name)
        self,
        estimator: Any,
        k: Any = 10,
        *,
        delta: float = 0.0,
        eps: float | None = None,
        guarantee: Guarantee = "cover",
        importance_getter: Any = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.k = k
        self.delta = delta
        self.eps = eps
        self.guarantee = guarantee
        self.importance_getter = importance_getter
        self.n_jobs = n_jobs

    def _fit_all(self, X: Any, y: Any) -> Any:
        self.estimator_ = seeded(self.estimator, 0).fit(X, y)
        return self._importances(self.estimator_)

    def _scores(self, X: Any, y: Any) -> Any:
        return self._importances(seeded(self.estimator, 0).fit(X, y))

    def _importances(self, fitted: Any) -> FloatArray:
        getter = self.importance_getter
        if isinstance(getter, str) and getter == "auto":
            getter = "coef_" if hasattr(fitted, "coef_") else "feature_importances_"
        found = np.abs(getter(fitted) if callable(getter) else attrgetter(getter)(fitted))
        return np.asarray(found.reshape(-1, found.shape[-1]).sum(axis=0))

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), utils.get_tags(self.estimator)
        tags.target_tags.required = inner.target_tags.required
        tags.input_tags.sparse = inner.input_tags.sparse
        return tags
