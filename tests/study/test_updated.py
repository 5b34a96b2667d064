"""Studies that take new units: chains, rules, refusals, and what an update must not look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from steadyrank import (
    Ballots,
    Battles,
    BradleyTerry,
    Estimates,
    Plurality,
    Ratings,
    Regression,
    ScoreMatrix,
    Study,
    Votes,
)
from steadyrank.errors import (
    DuplicateRatingsError,
    InvalidDataError,
    InvalidLabelError,
    InvalidSettingError,
    MissingValuesError,
    SteadyrankError,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def random_votes(size: int) -> Votes:
    return Votes([f"c{choice}" for choice in np.random.default_rng(size).integers(0, 30, size)])


def random_ballots(size: int) -> Ballots:
    rng = np.random.default_rng(size)
    return Ballots([[f"c{item}" for item in rng.permutation(6)[:4]] for _ in range(size)])


def random_approvals(size: int) -> Ballots:
    rng = np.random.default_rng(size)
    return Ballots([rng.permutation(6)[:3].tolist() for _ in range(size)], approval=True)


def random_ratings(size: int, first: int = 0) -> Ratings:
    rng = np.random.default_rng(size + first)
    users = [f"u{first + user}" for user in range(size)]
    return Ratings(users, rng.integers(0, 9, size), rng.integers(1, 11, size) / 2)


def random_scores(size: int) -> ScoreMatrix:
    return ScoreMatrix(np.random.default_rng(size).normal(size=(size, 5)))


ADDED: dict[str, Callable[[int], Any]] = {
    "votes": random_votes,
    "ballots": random_ballots,
    "approvals": random_approvals,
    "ratings": random_ratings,
    "scores": random_scores,
}


@pytest.mark.parametrize("kind", ADDED)
def test_a_chain_of_updates_is_one_study(kind: str) -> None:
    parts = [ADDED[kind](60), *(ADDED[kind](size) for size in range(2, 21))]
    if kind == "ratings":
        parts = [random_ratings(60), *(random_ratings(7, 60 + 7 * part) for part in range(19))]
    study = everything = Study(parts[0])
    for part in parts[1:]:
        study, everything = study.updated(part), Study(everything.data.joined(part))
        assert study.items == everything.items
        assert study.scores.tobytes() == everything.scores.tobytes()
    assert study.topk(2).findings()["rows"] == everything.topk(2).findings()["rows"]
    assert study.audit(2, eps=0.1).table == everything.audit(2, eps=0.1).table


@pytest.mark.parametrize("kind", ADDED)
def test_an_update_reads_no_old_unit(kind: str) -> None:
    """Once totals are there, old rows may be spoilt: neither the update nor its scores look at them."""
    old, new = ADDED[kind](100), ADDED[kind](7)
    if kind == "ratings":
        new = random_ratings(7, 500)
    expected = Study(old.joined(new)).scores
    study = Study(old)
    study.updated(new)  # from here on totals, and of ratings who rated, are known
    for name in ("choices", "counts", "ranked", "levels", "rated", "values", "entries", "units"):
        if name in vars(old):
            object.__setattr__(old, name, None)
    found = study.updated(new)
    assert found.scores.tobytes() == expected.tobytes()
    with pytest.raises((TypeError, AttributeError)):  # the test would see a look
        found.topk(1)


def test_a_judge_who_votes_again_is_the_same_unit() -> None:
    first = Votes(["x", "y", "x"], units=["ann", "bob", "ann"], unit_kind="judge")
    study = Study(first).updated(Votes(["y", "z"], units=["ann", "cyd"], unit_kind="judge"))
    assert study.units.labels == ("ann", "bob", "cyd")
    assert study.data.unit.tolist() == [0, 1, 0, 0, 2]


def test_a_known_user_rates_further_items_and_none_again() -> None:
    study = Study(Ratings(["u", "v", "u"], ["film", "film", "book"], [5, 3, 4]))
    new = Ratings(["v", "w"], ["book", "play"], [2, 1])
    more, unseen = study.updated(new), study.updated(new)
    assert "data" not in vars(more)  # the old ratings were not put together with the new
    assert more.units.labels == ("u", "v", "w")
    assert more.items == ("book", "film", "play")
    for known, again in ((study, ("v", "film")), (more, ("v", "film")), (unseen, ("w", "play"))):
        with pytest.raises(DuplicateRatingsError, match='read with duplicates="last"'):
            known.updated(Ratings(*([one] for one in again), [4]))


def test_new_items_keep_the_order_of_labels_or_come_last() -> None:
    assert Study(Votes(["b", "d"])).updated(Votes(["c", "a"])).items == ("a", "b", "c", "d")
    listed = Votes(["b", "d"], items=["d", "b"])
    study = Study(listed).updated(Votes(["c", "a", "b"]))
    assert study.items == study.data.items == ("d", "b", "a", "c")
    assert study.scores.tolist() == [0.2, 0.4, 0.2, 0.2]


def test_new_units_are_read_as_any_file(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("choice,second\ny,x\ny,z\n", encoding="utf-8")
    study = Study(Votes(["x", "x"]))
    assert study.updated(path, choice="second", ignore=["choice"]).scores.tolist() == [0.75, 0.25]
    assert study.updated({"choice": ["z"]}).items == ("x", "z")
    with pytest.raises(InvalidSettingError, match="data need no choice"):
        study.updated(Votes(["x"]), choice="pick")
    assert any("units were added" in note for note in study.updated({"choice": ["z"]}).notes)


@pytest.mark.parametrize(
    "said",
    [{"lower_is_better": True}, {"lower_is_better": ["time"]}, {"standardise": "ranks"},
     {"standardise": "z", "lower_is_better": "all"}, {}],
    ids=str,
)  # fmt: skip
def test_new_rows_are_read_on_the_scale_of_the_old_ones(said: dict[str, Any]) -> None:
    rows = {"task": ["time", "t2", "time", "t4", "t5"], "x": [1.0, 5, 7, 8, 0], "y": [2.0, 3, 9, 1, 5]}
    parts = [{name: column[part] for name, column in rows.items()}
             for part in (slice(2), slice(2, 4), slice(4, 5))]  # fmt: skip
    study = Study(ScoreMatrix.from_frame(parts[0], **said)).updated(parts[1])
    every = ScoreMatrix.from_frame({name: column[:4] for name, column in rows.items()}, **said)
    assert study.scores.tobytes() == Study(every).scores.tobytes()
    for grown in (study, Study(study.data.joined(every))):
        if said.get("lower_is_better") == ["time"]:  # a row of another name: nobody said what it is
            with pytest.raises(InvalidLabelError, match="no measure 'time' of which less could be"):
                grown.updated(parts[2])
        turned = grown.updated(parts[2], lower_is_better=False, standardise=None).data.values[-1]
        assert turned.tolist() == [0, 5]
        assert grown.updated(ScoreMatrix([[0, 5]], items=["x", "y"])).data.values[-1].tolist() == [0, 5]


def test_covariates_are_known_by_the_names_of_their_columns() -> None:
    rng = np.random.default_rng(7)
    frame: dict[str, Any] = {
        "model_a": ["x", "y", "z"] * 20,
        "model_b": ["y", "z", "x"] * 20,
        "winner": rng.choice(["model_a", "model_b"], 60).tolist(),
        "length": rng.normal(size=60).tolist(),
        "lists": rng.normal(size=60).tolist(),
    }
    named = {"covariate": ["length", "lists"]}
    turned = {name: frame[name] for name in reversed(frame)}  # the order of columns tells nothing
    whole = Battles.from_frame({name: 2 * values for name, values in frame.items()}, **named)
    study = Study(Battles.from_frame(frame, **named), BradleyTerry(1.0))
    for updated in (study.updated(turned), study.updated(turned, **named)):
        np.testing.assert_allclose(updated.scores, BradleyTerry(1.0).score(whole))
    with pytest.raises(InvalidDataError, match="must be 'length', 'lists', in this order, but are"):
        study.updated(frame, covariate=["lists", "length"])
    by_number = Battles(
        *(frame[name] for name in ("model_a", "model_b")),
        frame["winner"],
        covariates=np.transpose([frame["length"], frame["lists"]]),
    )
    np.testing.assert_allclose(study.updated(by_number).scores, updated.scores)


def test_weights_that_are_new_and_weights_that_need_finer_parts() -> None:
    study = Study(Votes(["x", "y", "y"])).updated(Votes(["x", "y"], weights=[2.5, 0.25]))
    assert study.data.weights.tolist() == [1, 1, 1, 2.5, 0.25]
    finer = study.updated(Votes(["x"], weights=[0.0625]))
    assert finer.scores.tolist() == [3.5625 / 5.8125, 2.25 / 5.8125]


def other(kind: str) -> Any:
    return {
        "kind": (Votes(["x"]), Ballots([["x"]])),
        "approval": (Ballots([["x"]]), Ballots([{"x"}], approval=True)),
        "group": (Votes(["x"]), Votes(["x"], units=["a"])),
        "unit": (Votes(["x"], units=["a"]), Votes(["x"], units=["a"], unit_kind="judge")),
        "scale": (
            Regression.from_frame({"a": [1, 2, 4], "b": [0, 1, 0], "y": [1, 2, 5]}),
            Regression([[1.0, 2.0]], [3.0], items=["a", "b"]),
        ),
        "text": (Regression([[1.0], [2.0]], ["p", "q"]), Regression([[1.0], [2.0]], ["p", "q"])),
    }[kind]


@pytest.mark.parametrize("kind", ["kind", "approval", "group", "unit", "scale", "text"])
def test_units_that_do_not_belong_are_refused(kind: str) -> None:
    old, new = other(kind)
    with pytest.raises(InvalidDataError, match=r"new units must be|no units can be added"):
        old.joined(new)
    if kind != "text":
        with pytest.raises(InvalidDataError):
            Study(old, "ridge:penalty=1" if kind == "scale" else None).updated(new)


@pytest.mark.parametrize("new", [None, ["x"], "x", {"choice": ["x"]}, Study(Votes(["x"]))], ids=repr)
def test_what_is_no_data_is_not_joined(new: Any) -> None:
    with pytest.raises(InvalidDataError, match=r"must be votes, by 'vote', .* but are of the type \w+"):
        Votes(["x", "y"]).joined(new)


def test_estimates_take_no_units() -> None:
    old, new = Estimates([1, 2], errors=[1, 1]), Estimates([3, 4, 5], errors=[1, 1, 1])
    for other in (old, new):
        with pytest.raises(InvalidDataError, match="estimates, which have none"):
            old.joined(other)


def test_a_row_with_gaps_has_fewer_columns() -> None:
    known = ScoreMatrix([[1.0, 2.0], [3.0, 4.0]], items=["x", "y"], missing="available")
    study = Study(known).updated({"y": [9.0]})
    assert study.scores.tolist() == [2, 5]
    assert study.units.total == 3


def test_a_table_with_another_column_is_refused_unless_gaps_are_allowed() -> None:
    rows = {"values": [[1.0, 2.0]], "items": ["x", "y"]}
    other = ScoreMatrix([[1.0, 3.0]], items=["x", "z"])
    with pytest.raises(MissingValuesError, match="2 values are missing"):
        Study(ScoreMatrix(**rows)).updated(other)
    assert Study(ScoreMatrix(**rows, missing="available")).updated(other).scores.tolist() == [1, 2, 3]


def test_data_in_an_engine_take_no_units() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.LazyFrame({"user": [1, 2], "item": ["a", "b"], "rating": [5, 3]})
    with Ratings.scan(frame) as ratings:
        with pytest.raises(InvalidDataError, match="in an engine") as caught:
            Study(ratings).updated(Ratings([3], ["a"], [4]))
        assert "read or from_frame" in str(caught.value)
        with pytest.raises(InvalidDataError, match=r"by 'user', as the others, but are .* in an engine"):
            Study(Ratings([3], ["a"], [4])).updated(ratings)


def test_what_refuses_a_part_may_take_the_whole() -> None:
    study = Study(Ratings(["u"], ["x"], [4], items=["x", "y"]), "mean-rating:shrinkage=0")
    with pytest.raises(SteadyrankError):
        study.scores  # noqa: B018
    assert study.updated(Ratings(["v"], ["y"], [2])).scores.tolist() == [4, 2]


def test_a_derived_scorer_scores_in_its_own_way() -> None:
    class Turned(Plurality):
        def score(self, data: Any) -> Any:
            return -super().score(data)

    study = Study(Votes(["x", "x", "y"]), Turned())
    assert study.updated(Votes(["x"])).scores.tolist() == [-0.75, -0.25]


def test_battles_have_an_order_where_all_of_them_have_one() -> None:
    rows = (["a", "b"], ["b", "a"], ["left", "left"])
    one, counted = Battles(*rows), Battles(*rows, counts=[2, 1])
    assert one.joined(one).ordered
    for old, new in ((one, counted), (counted, one)):
        assert not old.joined(new).ordered


def test_scorers_that_fit_score_all_units_anew() -> None:
    rows = (["a", "b", "a", "c"], ["b", "a", "c", "a"], ["left", "left", "right", "right"])
    one, two = Battles(*rows), Battles(["b", "c"], ["c", "b"], ["left", "left"])
    assert (Study(one).updated(two).scores == Study(one.joined(two)).scores).all()


@pytest.mark.parametrize(
    "narrow", [lambda data: data.with_min_count(3), lambda data: data.keeping(["a"])]
)
def test_items_that_were_left_out_do_not_come_back_with_a_part_of_what_was_said(narrow):
    """Of four ratings of c, two would be there, under a note that it is left out."""
    first = Ratings([1, 1, 2, 2, 3, 3, 4], list("abacbca"), [5, 4, 3, 2, 5, 1, 4])
    study = Study(narrow(first)).updated(Ratings([7], ["a"], [2]))
    assert study.items == ("a",)
    assert study.scores == Study(narrow(first.joined(Ratings([7], ["a"], [2])))).scores
    for one in (study, study.updated(Ratings([8], ["a"], [1])), Study(study.data)):
        with pytest.raises(
            InvalidDataError, match=r"items were left out of the others\. Add units first"
        ):
            one.updated(Ratings([5, 6], ["c", "c"], [5, 5]))


def test_names_of_items_go_for_new_units(tmp_path: Path) -> None:
    """Without them an item would be there twice: under its name, and under its id."""
    movies = tmp_path / "movies.csv"
    movies.write_text("movieId,title\n10,Alien\n20,Brazil\n30,Clue\n")
    rated = {"userId": [1, 1, 2], "movieId": [10, 20, 10], "rating": [5, 4, 3]}
    new = {"userId": [3, 3], "movieId": [10, 30], "rating": [5, 1]}
    names = {10: "Alien", 20: "Brazil", 30: "Clue"}
    for labels in (names, movies):
        study = Study(Ratings.from_frame(rated, labels=labels)).updated(new)
        assert study.items == ("Alien", "Brazil", "Clue")
        whole = {name: column + new[name] for name, column in rated.items()}
        assert (study.scores == Study(Ratings.from_frame(whole, labels=labels)).scores).all()
    anew = Study(Ratings.from_frame(rated, labels=names)).updated(new, labels={10: "Alien", 30: "Cube"})
    assert anew.items == ("Alien", "Brazil", "Cube")
