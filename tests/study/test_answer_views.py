"""How answers show themselves: printed, as collections, as frames, in other processes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from steadyrank import ScoreMatrix, Study, Votes
from steadyrank.errors import SteadyrankError
from steadyrank.scorers import Plurality
from steadyrank.study import standings
from study.answer_cases import matrix, votes


def test_answers_and_audits_cannot_be_changed():
    answer, result = Study(matrix()).topk(2), Study(matrix()).audit(k=2, eps=0.1)
    for array in (answer.scores, answer.critical_eps, result.scores, result.shifts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    for array in (result.curve(2).breaking_eps, result.curve(2).critical_eps):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        answer.eps = 1


def test_answers_are_collections_of_their_labels(case):
    data, scorer = case
    study = Study(data, scorer)
    answer, ranking, result = study.topk(2), study.ranking(), study.audit([1, 2])
    assert list(answer) == list(answer.members)
    assert len(answer) == answer.size
    assert all(item in answer for item in answer.members)
    assert "nobody" not in answer
    assert list(ranking) == list(ranking.ranking)
    assert len(ranking) == data.n_items
    assert list(result) == list(result.table)
    assert len(result) == 5
    assert {one.study for one in (answer, ranking, result)} == {study}
    assert repr(answer) == f"StableTopK({answer.findings()['headline']!r})"
    assert repr(ranking) == f"StableRanking({ranking.findings()['headline']!r})"
    assert repr(result).startswith("Audit('audit of ")


def test_a_repr_is_short_and_steers_nothing():
    items = ["\x1b[31m red", "x" * 500, *range(60)]
    answer = Study(ScoreMatrix(np.eye(62), items=items)).topk(30, eps=0.3)
    for text in (repr(answer), repr(answer.study.ranking())):
        assert "\x1b" not in text
        assert len(text) < 300


def test_answers_travel_between_processes(case):
    data, scorer = case
    answer = pickle.loads(pickle.dumps(Study(data, scorer).topk(2)))
    again = Study(data, scorer).topk(2)
    assert answer.members == again.members
    assert answer.certificate == again.certificate
    assert hash(answer.certificate) == hash(again.certificate)
    assert str(answer).splitlines()[-1] == str(again).splitlines()[-1]
    with pytest.raises(SteadyrankError, match="Make the study again"):
        answer.study.topk(1)


def test_printing_shows_what_the_command_line_shows(tmp_path, capsys, monkeypatch):
    from steadyrank.cli import main

    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "votes.csv"
    path.write_text("choice,count\nÄrger,7\n模型,6\ngpt 4,6\nz,2\n", encoding="utf-8")
    study = Study(path, choice="choice", count="count")
    said = ["--choice", "choice", "--count", "count"]
    for command, result in (
        (["topk", "-k", "1"], study.topk(1)),
        (["rank"], study.ranking()),
        (["audit", "-k", "1,2"], study.audit([1, 2])),
        (["check", "-k", "2"], study.check(2)),
    ):
        main([command[0], str(path), *command[1:], *said])
        terminal = capsys.readouterr().out.splitlines()
        printed = str(result).splitlines()
        if command[0] != "check":  # which does not name its file
            assert terminal[0] == f"votes.csv: {printed[0]}"
            terminal, printed = terminal[1:], printed[1:]
        assert terminal == printed


def test_printing_shows_a_short_table_and_the_certificate():
    answer = Study(votes()).topk(1, proved=True)
    text = str(answer)
    assert text.splitlines()[0] == "votes, 4 items, 21 votes, scored by share of votes"
    assert text.index("Ärger") < text.index("模型") < text.index("gpt 4")
    assert answer.certificate.promise in " ".join(text.split())
    many = Study(ScoreMatrix(np.eye(50))).ranking(eps=0.3)
    assert len(str(many).splitlines()) < 60
    assert "--" not in str(many)  # there are no options here


def test_printing_an_audit_shows_one_line_for_each_row():
    result = Study(votes()).audit([1, 2], eps=0.1)
    text = str(result)
    assert text.splitlines()[0] == "votes, 4 items, 21 votes, scored by share of votes"
    assert (
        sum("top-k" in line or "ed ranking" in line for line in text.splitlines()) == 5
    )
    assert text.count("plain ranking") == 1
    assert (
        str(result.curve(1))
        == "delta of the top 1: 0 from eps = 0.02381 on, with 1 item"
    )
    assert str(result.flips(1)).startswith("0 of the 21 votes change the top 1")


@pytest.mark.parametrize("most", [standings.ALL_ITEMS, 0])
def test_nothing_is_left_out_to_print_a_proof(monkeypatch, most):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr(
        standings, "ALL_ITEMS", most
    )  # of large data, few items have ranks
    monkeypatch.setattr(Plurality, "leave_one_out", never)
    answer = Study(votes()).topk(2, proved=True)
    assert "Proved" in str(answer)
    assert answer._repr_html_()
    assert answer.findings()["summary"]["changing_units"] is None
    assert "Proved" in str(Study(votes()).ranking(proved=True))


def test_labels_cannot_move_the_cursor():
    data = Votes(["x\n\x1b[31m", "y", "y"])
    assert "\x1b" not in str(Study(data).topk(2))
    assert "x\\n\\x1b[31m" in str(Study(data).topk(2))


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_frames_hold_labels_of_any_kind(backend):
    for items in (["a", "b", "c"], [1, 2, 3], ["a", 2, 3.5], [("t", 1), ("t", 2), "u"]):
        answer = Study(ScoreMatrix(np.eye(3) * [3, 2, 1], items=items)).topk(2)
        frame = answer.to_frame(backend)
        shown = (
            frame["item"].to_pylist()
            if backend == "pyarrow"
            else frame["item"].to_list()
        )
        assert list(map(str, shown)) == list(map(str, items))
        assert len(frame) == 3
