"""Comparing two versions of a ranking: what is matched, what is refused, what is said."""

from __future__ import annotations

import json
import pickle

import pytest

from steadyrank import Battles, BradleyTerry, Ratings, ScoreMatrix, Study, Votes
from steadyrank.errors import InvalidSettingError, TooFewUnitsError, WrongDataError
from steadyrank.report.export import COLUMNS, to_csv, to_json
from steadyrank.study import comparison


def votes(**counts: int) -> Votes:
    return Votes([name for name, count in counts.items() for _ in range(count)])


DUEL = Battles(
    ["a", "b", "a", "b"], ["b", "a", "b", "a"], ["left", "left", "left", "right"]
)
OLD = votes(ann=20, bob=12, cyd=11, dan=4)


def test_the_same_data_twice_move_nothing() -> None:
    found = Study(OLD).compare(OLD, 2)
    assert found.sentence == "Nothing moved: 4 shared items, in the same order."
    assert {row["verdict"] for row in found.rows()} == {"same"}
    assert (found.entered, found.left, found.covered) == ((), (), True)


def test_arrivals_and_departures_alone_move_nobody() -> None:
    found = Study(OLD).compare(votes(eve=30, ann=20, cyd=11, dan=4))
    rows = {row["item"]: row for row in found.rows()}
    assert (found.arrived, found.gone) == (("eve",), ("bob",))
    assert (rows["cyd"]["old_rank"], rows["cyd"]["new_rank"]) == (3, 3)
    assert (rows["ann"]["old_rank"], rows["ann"]["new_rank"]) == (1, 2)
    assert (rows["ann"]["old_place"], rows["ann"]["new_place"]) == (1, 1)
    assert found.sentence.startswith("Nothing moved: 3 shared items")
    assert found.findings()["sentences"][:2] == ["New: eve.", "Gone: bob."]


def test_a_tie_alone_moves_nobody() -> None:
    found = Study(votes(ann=3, bob=2, cyd=1)).compare(votes(cyd=2, bob=2, ann=2, eve=2))
    assert found.new_ranking == ("ann", "bob", "cyd", "eve")
    assert found.sentence.startswith("Nothing moved")


def test_one_vote_explains_the_swap_of_neighbours_and_not_a_rise_to_the_top() -> None:
    near = Study(OLD).compare(votes(ann=20, bob=12, cyd=13, dan=4))
    assert {row["item"]: row["verdict"] for row in near.rows()} == {
        "ann": "same", "cyd": "inside", "bob": "inside", "dan": "same"
    }  # fmt: skip
    far = Study(OLD).compare(votes(ann=20, bob=12, cyd=11, dan=40), 1)
    assert {row["verdict"] for row in far.rows()} == {"beyond"} | {"inside"}
    assert far.entered == ("dan",)
    said = " ".join(far.findings()["sentences"])
    assert "New in the top 1: dan (was out)." in said
    assert "No longer in the top 1: ann (was sure)." in said


def test_different_units_are_each_their_own() -> None:
    rows = [[3, 2, 1], [3, 1, 2], [2, 3, 1], [3, 2, 0]]
    old = ScoreMatrix(rows, units=["x", "x", "y", "y"])
    found = Study(old).compare(ScoreMatrix([*rows, [0, 0, 9]])).findings()
    assert (found["n_units"], found["new"]["n_units"]) == (2, 5)
    assert (found["unit"], found["new"]["unit"]) == ("group", "row")


def test_names_are_matched_as_they_are_and_near_ones_pointed_out() -> None:
    found = Study(OLD).compare(votes(ann=20, Bob=12, cyd=11))
    assert (found.arrived, found.gone) == (("Bob",), ("bob", "dan"))
    assert "'bob' and 'Bob'" in found.findings()["warnings"][0]
    assert Study(OLD).compare(OLD).findings()["warnings"] == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (OLD, votes(eve=3, fay=2), "no item in common"),
        (
            OLD,
            Study(ScoreMatrix([[1, 2], [3, 4]], items=["ann", "bob"])),
            "of one kind",
        ),
        (OLD, Votes(["ann", "bob"], weights=[1.0, 2.0]), "scored in one way"),
        (DUEL, Study(DUEL, BradleyTerry(0.2)), "scored in one way"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    old: object, new: object, said: str
) -> None:
    with pytest.raises(WrongDataError, match=said):
        Study(old).compare(new)


def test_settings_are_checked() -> None:
    with pytest.raises(InvalidSettingError):
        Study(OLD).compare(votes(ann=3, bob=2), 3)  # only two items in the new data
    with pytest.raises(TypeError, match="removals"):
        Study(OLD).compare(OLD, removals=2)  # type: ignore[call-arg]


def test_one_unit_on_either_side_is_refused() -> None:
    for sides in ((OLD, votes(ann=1)), (votes(ann=1), OLD)):
        with pytest.raises(TooFewUnitsError, match="there is only one unit"):
            Study(sides[0]).compare(sides[1])


def test_what_is_too_large_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "MOST_LEFT_OUT", 3)
    found = Study(OLD).compare(votes(ann=20, bob=11, cyd=12, dan=4))
    assert "was not worked out" in found.sentence
    assert {row["old_best"] for row in found.rows()} == {None}


def test_it_is_one_document_and_travels() -> None:
    found = Study(OLD).compare(votes(ann=20, dan=19, bob=3, eve=1), 2)
    document = json.loads(to_json(found.findings(source="old.csv")))
    assert (document["document"], document["source"]) == ("comparison", "old.csv")
    assert document["new"]["certificate"]["eps"] == document["new"]["eps"]
    lines = to_csv(document).splitlines()
    assert lines[0] == ",".join(COLUMNS["comparison"])
    assert len(lines) == 1 + len(document["rows"])
    again = pickle.loads(pickle.dumps(found))
    assert again.sentence == found.sentence
    assert list(again.rows()) == list(found.rows())
    assert found.to_frame("pandas").shape == (5, len(COLUMNS["comparison"]))


def test_labels_that_are_no_text_are_compared_as_they_are() -> None:
    old = Ratings([1, 1, 2, 2], [10, 20, 10, 20], [5, 3, 4, 2])
    assert Study(old).compare(old).common == (10, 20)
    with pytest.raises(WrongDataError, match="no item in common"):
        Study(old).compare(
            Ratings([1, 1, 2, 2], ["10", "20", "10", "20"], [5, 3, 4, 2])
        )


@pytest.mark.parametrize("weighted", ["old", "new"])
def test_which_side_has_weights_is_said(weighted: str) -> None:
    plain = Votes(["a", "a", "b"])
    heavy = Votes(["a", "a", "b"], weights=[1, 2, 1])
    sides = (heavy, plain) if weighted == "old" else (plain, heavy)
    told = {
        "old": "votes, weighted and votes by",
        "new": "votes and votes by share of votes, weighted",
    }
    with pytest.raises(WrongDataError, match=told[weighted]):
        Study(sides[0]).compare(sides[1])
