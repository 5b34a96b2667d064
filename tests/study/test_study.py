"""A study leaves the units out once, however many questions follow, and every function takes one."""

from __future__ import annotations

import numpy as np
import pytest

from steadyrank import Refit, ScoreMatrix, Study, Votes
from steadyrank.errors import InvalidDataError, InvalidValueError, NoProofError
from steadyrank.scorers import Mean
from steadyrank.study.study import usual_k


def matrix(rows=9, items=5):
    return ScoreMatrix(
        np.random.default_rng(4).random((rows, items)), items=list("abcdefgh")[:items]
    )


class CountingScorer(Mean):
    """Column means that count how often they are asked; margins score again when rows have left."""

    asked = 0
    scored = 0

    def score(self, data):
        type(self).scored += len(data.values) == len(matrix().values)
        return super().score(data)

    def leave_one_out(self, data):
        type(self).asked += 1
        return super().leave_one_out(data)


def every_question(study, path):
    answer = study.topk(2)
    ranking = study.ranking()
    result = study.audit([1, 2, 3])
    study.curve(2)
    study.flips(2)
    study.check(2)
    for one in (answer, ranking, result):
        str(one)
        one._repr_html_()
        one.findings()
    study.topk(3)
    study.ranking(eps=0.01)
    study.audit(2, delta=0.1)
    study.report(path / "one.html")
    study.report(path / "two.html", 2, eps=0.2)


def test_all_questions_share_one_leave_one_out(tmp_path):
    CountingScorer.asked = CountingScorer.scored = 0
    every_question(Study(matrix(), CountingScorer()), tmp_path)
    assert CountingScorer.asked == 1
    assert CountingScorer.scored <= 1


def test_a_refitted_scorer_is_fitted_once_for_each_unit_and_once_for_all_the_data(
    tmp_path,
):
    calls = []

    def medians(data):
        calls.append(len(data.values))
        return np.median(data.values, axis=0)

    study = Study(matrix(), Refit(medians))
    assert not calls
    every_question(study, tmp_path)
    assert len(calls) == len(study.units) + 1
    assert sorted(calls) == [8] * 9 + [9]


def test_nothing_is_left_out_for_the_scores():
    CountingScorer.asked = CountingScorer.scored = 0
    study = Study(matrix(), CountingScorer())
    np.testing.assert_array_equal(study.scores, study.scores)
    with pytest.raises(NoProofError):
        study.topk(2, proved=True)
    assert (CountingScorer.asked, CountingScorer.scored) == (0, 1)
    np.testing.assert_array_equal(study.scores, study.facts.leave_one_out.scores)


@pytest.mark.parametrize("delta", [0.0, 0.3])
def test_an_audit_takes_the_eps_of_the_curve(delta):
    study = Study(matrix())
    found = study.audit([2, 3], delta=delta)
    assert found.eps is None
    for k in (2, 3):
        row = found.row("inflated_topk", k)
        assert row.eps == study.curve(k).smallest_eps(delta)
        assert row.delta <= delta
    assert found.row("topk", 2).eps is None


def test_an_inflated_ranking_is_audited_at_an_eps():
    study = Study(matrix())
    assert [row.method for row in study.audit(2)] == [
        "topk",
        "inflated_topk",
        "ranking",
    ]
    assert study.audit(2, eps=0.1).row("inflated_ranking").eps == 0.1
    with pytest.raises(InvalidValueError, match="Give eps"):
        study.audit(2, methods="inflated_ranking")


def test_functions_are_thin(tmp_path):
    study, data = Study(matrix()), matrix()
    assert study.topk(2).members == Study(data).topk(2).members
    assert study.ranking().tiers == Study(data).ranking().tiers
    assert study.audit([1, 2]).table == Study(data).audit([1, 2]).table
    assert study.curve(2) is study.curve(2) is study.audit(1).curve(2)
    assert study.flips(2) == study.audit(2, eps=0.1).flips(2)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (
            lambda study: study.audit(2, eps=0.1, delta=0.1),
            "either delta or eps, not both",
        ),
        (lambda study: study.audit(2, delta=1.5), "delta must be"),
        (lambda study: study.check(2, max_delta=-1), "delta must be"),
    ],
)
def test_questions_that_make_no_sense_are_refused_before_anything_is_left_out(
    ask, words
):
    CountingScorer.asked = 0
    with pytest.raises(InvalidValueError) as caught:
        ask(Study(matrix(), CountingScorer()))
    assert words in str(caught.value)
    assert CountingScorer.asked == 0


def test_a_study_of_nothing_is_refused():
    with pytest.raises(InvalidDataError, match=r"\[1, 2\] is nothing that can be read"):
        Study([1, 2])


def test_a_check_says_whether_it_passes_and_what_would():
    study = Study(Votes(["a"] * 9 + ["b"] * 8 + ["c"] * 8))
    found = study.check(2)
    assert not found.stable
    assert study.check(2, max_delta=0.9).stable
    assert found.to_frame("pandas")["stable"].tolist() == [False]
    assert "UNSTABLE" in found._repr_html_()


def test_the_usual_k():
    assert [usual_k(items) for items in (1, 5, 19, 20, 500)] == [1, 2, 9, 10, 10]


def test_a_study_has_twenty_public_members():
    members = {*dir(Study), *vars(Study(matrix()))}
    assert len([name for name in members if not name.startswith("_")]) <= 20
