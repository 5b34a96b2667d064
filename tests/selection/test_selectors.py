"""The selectors of features: scikit-learn's own checks, and what they promise against plain loops."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.feature_selection import (
    SelectFromModel,
    SelectKBest,
    chi2,
    f_classif,
    f_regression,
    mutual_info_classif,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from steadyrank.errors import InvalidScoresError, InvalidSettingError, RefitError
from steadyrank.selection import StableSelectFromModel, StableSelectKBest

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank._typing import AnyArray

DIABETES = load_diabetes(return_X_y=True, as_frame=True)
pytestmark = pytest.mark.filterwarnings("ignore:k=10 of")


SELECTORS = (StableSelectKBest(k=1), StableSelectFromModel(Ridge(), k=1))
CHECKS = [one for each in SELECTORS for one in estimator_checks_generator(each)]


def called(check: Any) -> str:
    return str(getattr(check, "func", check).__name__) if callable(check) else ""


@pytest.mark.parametrize(
    ("estimator", "check"),
    [one for one in CHECKS if "array_api" not in called(one[1])],
    ids=called,
)
def test_scikit_learn_checks_the_selectors(
    estimator: Any, check: Callable[[Any], None]
) -> None:
    check(estimator)


def test_scikit_learn_checks_them_with_its_array_api() -> None:
    """Those checks want a variable that SciPy reads when it is loaded."""
    program = """
from selection.test_selectors import CHECKS, called
ran = [check(one) for one, check in CHECKS if "array_api" in called(check)]
assert len(ran) >= 2
"""
    tests = str(Path(__file__).parents[1])
    paths = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    env = os.environ | {"SCIPY_ARRAY_API": "1", "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def best(scores: AnyArray, k: int) -> set[int]:
    """Return the k best, the first of equal ones first and nan last: the plain way, one by one."""
    order = sorted(
        range(len(scores)),
        key=lambda item: (np.isnan(scores[item]), -scores[item], item),
    )
    return set(order[:k])


def without_each(
    score: Callable[..., Any], X: AnyArray, y: AnyArray, k: int
) -> list[set[int]]:
    rows = np.arange(len(X))
    return [best(score(X[rows != row], y[rows != row]), k) for row in rows]


def importance(model: Any) -> Callable[..., Any]:
    def score(X: AnyArray, y: AnyArray) -> Any:
        fitted = clone(model).fit(X, y)
        found = (
            fitted.coef_ if hasattr(fitted, "coef_") else fitted.feature_importances_
        )
        return np.abs(np.atleast_2d(found)).sum(axis=0)

    return score


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore")  # of constant features
def test_what_is_sure_and_what_contends_is_what_a_loop_over_rows_finds(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    X, k = rng.integers(0, 4, (18, 6)).astype(float), int(rng.integers(1, 5))
    X[:, 5] = 0.0
    X[0, 5] = 1.0  # constant without the first row
    y = np.arange(18) % 3
    tree = DecisionTreeClassifier(random_state=0, max_depth=3)
    ways = [
        (StableSelectKBest(f_classif, k), lambda X, y: f_classif(X, y)[0]),
        (StableSelectKBest(chi2, k), lambda X, y: chi2(X, y)[0]),
        (StableSelectKBest(f_regression, k), lambda X, y: f_regression(X, y)[0]),
        (StableSelectFromModel(tree, k), importance(tree)),
    ]
    for selector, score in ways:
        selector.fit(X, y)
        found, plain = without_each(score, X, y, k), best(score(X, y), k)
        always, ever = set.intersection(plain, *found), set.union(plain, *found)
        assert set(np.flatnonzero(selector.sure_)) == always
        assert set(np.flatnonzero(selector.contenders_)) == ever - always
        assert ever <= set(selector.get_support(indices=True))
        assert selector.certificate_.delta == 0
        np.testing.assert_array_equal(selector.scores_, score(X, y))


def test_names_frames_pipelines_and_copies() -> None:
    X, y = DIABETES
    selector = StableSelectKBest(f_regression, k=3).set_output(transform="pandas")
    frame = selector.fit_transform(X.iloc[:30], y[:30])
    assert list(frame.columns) == selector.get_feature_names_out().tolist()
    assert set(selector.answer_.sure) <= set(frame.columns)
    assert selector.n_features_in_ == 10
    assert selector.pvalues_.shape == (10,)
    assert not hasattr(clone(selector), "support_")
    again = pickle.loads(pickle.dumps(selector))
    assert (again.support_ == selector.support_).all()
    assert again.certificate_ == selector.certificate_
    searched = GridSearchCV(
        make_pipeline(StableSelectKBest(f_regression), Ridge()),
        {"stableselectkbest__k": [1, 3, "all"]},
        cv=3,
    ).fit(X[:24], y[:24])
    assert searched.best_params_["stableselectkbest__k"] in {1, 3, "all"}


def test_what_is_asked_for_reaches_the_answer() -> None:
    X, y = (part[:40] for part in DIABETES)
    for asked in ({"delta": 0.3}, {"eps": 2.5}):
        found = StableSelectKBest(f_regression, k=4, n_jobs=1, **asked).fit(X, y)
        study = found.answer_.study
        assert study.scorer.n_jobs == 1
        expected = study.topk(4, **asked)
        assert found.certificate_ == expected.certificate
        assert found.certificate_ != study.topk(4).certificate
        assert set(X.columns[found.support_]) == set(expected)


def test_importances_are_added_up_over_classes_and_outputs() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(15, 4)), np.arange(15) % 3
    for model, given in (
        (Ridge(), np.column_stack([X[:, 0], y])),
        (LinearSVC(tol=0.1), y),
    ):
        found = StableSelectFromModel(model, k=2).fit(X, given)
        coefficients = clone(model).set_params(random_state=0).fit(X, given).coef_
        assert coefficients.shape[0] > 1
        np.testing.assert_array_equal(found.scores_, np.abs(coefficients).sum(axis=0))


def test_where_no_row_decides_it_selects_what_the_plain_selectors_select() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:24], y[:24]
    for k in (1, 5):
        stable = StableSelectKBest(k=k).fit(X, y)
        plain = SelectKBest(k=k).fit(X, y).get_support()
        assert plain[stable.sure_].all()
        assert (plain <= stable.get_support()).all()
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    model = LogisticRegression(max_iter=20, tol=0.1)
    stable = StableSelectFromModel(model, k=4).fit(Z, y)
    chosen = (
        SelectFromModel(model, max_features=4, threshold=-np.inf)
        .fit(Z, y)
        .get_support()
    )
    assert (chosen <= stable.support_).all()


def test_as_many_features_as_there_are() -> None:
    X, y = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12) % 2
    for k in ("all", 3):
        found = StableSelectKBest(k=k).fit(X, y)
        assert found.support_.all()
        assert found.sure_.all()
        assert not found.contenders_.any()
        assert found.answer_ is None
        assert found.certificate_ is None
    with pytest.warns(UserWarning, match="k=4 of 3 features"):
        assert StableSelectKBest(k=4).fit(X, y).support_.all()
    for wrong in (0, -1, 1.5, "some", True, None):
        with pytest.raises(
            InvalidSettingError, match=r"from 1 to 3 \(the number of items\)"
        ):
            StableSelectKBest(k=wrong).fit(X, y)


def test_what_cannot_be_scored_is_refused_by_name() -> None:
    from scipy.sparse import csr_array

    X, y = np.random.default_rng(0).normal(size=(8, 3)), np.arange(8) % 2
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        StableSelectKBest(k=1).fit(csr_array(X), y)
    with pytest.raises(ValueError, match="minimum of 2"):
        StableSelectKBest(k=1).fit(X[:1], y[:1])
    one_left = np.array([0] * 7 + [1])
    with pytest.raises(RefitError, match="without row 7"):
        StableSelectFromModel(LogisticRegression(), k=1).fit(X, one_left)


def test_scores_without_responses_and_infinite_ones() -> None:
    def variance(X: AnyArray, y: object = None) -> AnyArray:
        assert y is None
        return X.var(axis=0)

    X = np.random.default_rng(0).normal(size=(12, 4)) * [1, 2, 3, 0]
    found = StableSelectKBest(variance, k=2).fit(X)
    assert found.sure_[2]
    assert found.pvalues_ is None
    y = np.arange(12) % 2
    exact = np.column_stack([y, X])  # the classes themselves: F is infinite
    with np.errstate(all="ignore"), pytest.warns(UserWarning, match="constant"):
        chosen = StableSelectKBest(k=1).fit(exact, y)
    assert chosen.scores_[0] == np.inf
    assert chosen.support_.tolist() == [True, False, False, False, False]


def test_an_infinite_score_is_above_and_nan_below_whatever_the_size_of_the_others() -> (
    None
):
    for large in (1.0, 1e20, 1e99):
        scores = [large, -large, np.inf, np.nan]
        found = StableSelectKBest(lambda X, y, scores=scores: np.array(scores), k=1)
        assert found.fit(np.eye(4), np.arange(4)).sure_.tolist() == [
            False,
            False,
            True,
            False,
        ]
        assert StableSelectKBest(found.score_func, k=3).fit(np.eye(4), range(4)).sure_.tolist() == [
            True, True, True, False
        ]  # fmt: skip


def test_chance_is_not_taken_for_a_row() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 4)), np.arange(12) % 2

    def by_chance(X: AnyArray, y: AnyArray) -> AnyArray:
        return rng.random(X.shape[1])

    with pytest.raises(
        InvalidScoresError, match=r"by_chance gives other scores .* random_state=0"
    ):
        StableSelectKBest(by_chance, k=2).fit(X, y)
    seeded = partial(mutual_info_classif, random_state=0)
    assert StableSelectKBest(seeded, k=2).fit(X, y).support_.sum() >= 2
    StableSelectFromModel(
        DecisionTreeClassifier(splitter="random", max_depth=3), k=2
    ).fit(X, y)


@pytest.mark.parametrize("k", [1, "all"])
@pytest.mark.parametrize("shape", [(3,), (2, 4), ()])
def test_as_many_scores_as_features(k: Any, shape: tuple[int, ...]) -> None:
    X, y = np.random.default_rng(0).normal(size=(12, 4)), np.arange(12) % 2
    with pytest.raises(
        InvalidScoresError, match=r"one score for each of the 4 features, .*shape \("
    ):
        StableSelectKBest(lambda X, y: np.ones(shape), k=k).fit(X, y)


def test_the_check_would_see_a_fault() -> None:
    """A selector that breaks a rule of scikit-learn fails: the checks above can fail."""

    class Careless(StableSelectKBest):  # type: ignore[misc]
        def fit(self, X: Any, y: Any = None) -> Any:
            super().fit(X, y)
            self.k = 3
            return self

    failed = []
    for estimator, check in estimator_checks_generator(Careless(k=1)):
        name = getattr(check, "func", check).__name__
        if "overwrite" in name:
            try:
                check(estimator)
            except AssertionError:
                failed.append(name)
    assert failed
