"""Arguments that make no sense are refused by name, before any unit is left out."""

from __future__ import annotations

import pytest

from steadyrank import ScoreMatrix, Study
from steadyrank.errors import (
    InvalidDataError,
    InvalidSettingError,
    InvalidValueError,
    WrongDataError,
)
from steadyrank.scorers import Borda, Plurality, Refit
from study.answer_cases import matrix, medians, votes


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (
            {"delta": 0.1, "eps": 0.1},
            InvalidValueError,
            "either delta or eps, not both",
        ),
        ({"delta": 1}, InvalidValueError, "from 0 to below 1"),
        ({"delta": -0.1}, InvalidValueError, "-0.1"),
        ({"delta": float("nan")}, InvalidValueError, "nan"),
        ({"delta": True}, InvalidValueError, "True"),
        ({"delta": "0.1"}, InvalidValueError, "'0.1'"),
        ({"eps": 0}, InvalidValueError, "eps must be a positive"),
        ({"eps": float("inf")}, InvalidValueError, "inf"),
        ({"proved": "sure"}, InvalidValueError, "proved must be True or False"),
        ({"proved": None}, InvalidValueError, "proved must be True or False"),
        ({"removals": 0}, InvalidValueError, "whole number from 1 to 20"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments, error, words):
    for ask in (
        lambda: Study(votes()).topk(1, **arguments),
        lambda: Study(votes()).ranking(**arguments),
    ):
        with pytest.raises(error) as caught:
            ask()
        assert words in str(caught.value)


@pytest.mark.parametrize("k", [0, 5, 1.0, "1", None, True])
def test_a_k_that_is_none_is_refused(k):
    with pytest.raises(InvalidSettingError):
        Study(votes()).topk(k)
    with pytest.raises(InvalidSettingError):
        Study(votes()).audit(k=k, eps=0.1)


def test_what_is_no_data_is_refused_by_name():
    for scorer in (None, Plurality()):
        with pytest.raises(
            InvalidDataError, match=r"\[1, 2\] is nothing that can be read"
        ):
            Study([1, 2], scorer)
    with pytest.raises(
        WrongDataError, match="Borda needs ballots, but was given votes"
    ):
        Study(votes(), Borda()).topk(1)


def test_nothing_is_left_out_before_all_arguments_are_checked():
    calls = []

    def counting(data):
        calls.append(1)
        return medians(data)

    for arguments in (
        {"k": 9, "eps": 1},
        {"k": 1, "eps": -1},
        {"k": 1, "eps": 1, "methods": ["x"]},
    ):
        with pytest.raises(InvalidValueError):
            Study(matrix(), Refit(counting)).audit(**arguments)
    for arguments in ({"delta": 2}, {"eps": -1}, {"proved": "?"}):
        with pytest.raises(InvalidValueError):
            Study(matrix(), Refit(counting)).topk(1, **arguments)
    assert not calls


def test_an_item_of_another_type_is_shown_as_it_is():
    study = Study(ScoreMatrix([[3, 1, 2], [3, 2, 2]], items=[1, 2, 3]))
    for ask in (lambda: study.explain(2, "1"), lambda: study.margin(pair=("1", 2))):
        with pytest.raises(InvalidValueError, match="there is no item '1'"):
            ask()
    with pytest.raises(
        InvalidValueError, match=r"a pair must be two items, but is \(1, 2, 3\)"
    ):
        study.margin(pair=(1, 2, 3))


def test_a_study_is_compared_with_newer_data():
    old, new = (ScoreMatrix(cells) for cells in ([[3, 1], [3, 2]], [[1, 3], [1, 2]]))
    study = Study(old, "median")
    assert str(study.compare(new)) == str(study.compare(Study(new, "median")))
    with pytest.raises(InvalidDataError, match="nothing that can be read"):
        study.compare([1, 2])
