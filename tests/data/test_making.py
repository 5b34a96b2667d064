"""From tables with said roles to data: each kind, units, weights, and every unit left out by hand."""

from __future__ import annotations

import csv
import inspect
import io
import json
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pytest

from steadyrank import Battles, Mean, Ratings, ScoreMatrix, Study, Votes, read
from steadyrank.cli import main
from steadyrank.errors import (
    InvalidCountError,
    InvalidDataError,
    SteadyrankError,
    TooLargeError,
)
from steadyrank.reading.roles import ROLES

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[dict[str, str]]
Rule = "Callable[[Rows], dict[str, Fraction]]"


def rows_of(text: str) -> Rows:
    return list(csv.DictReader(io.StringIO(text)))


def text_of(rows: Rows) -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def written(folder: Path, text: str) -> str:
    path = folder / "table.csv"
    path.write_text(text, encoding="utf-8")
    return str(path)


# What each rule says, from the rows alone, in fractions.


def means(rows: Rows, prior: int = 0) -> dict[str, Fraction]:
    values = defaultdict(list)
    for row in rows:
        values[row["what"]].append(Fraction(row["value"]))
    return {
        item: sum(found, Fraction()) / (prior + len(found))
        for item, found in values.items()
    }


def shrunk_means(rows: Rows) -> dict[str, Fraction]:
    return means(rows, prior=1)


def weighted_means(rows: Rows) -> dict[str, Fraction]:
    totals: dict[str, Fraction] = defaultdict(Fraction)
    weights: dict[str, Fraction] = defaultdict(Fraction)
    for row in rows:
        weight = Fraction(row["mass"])
        totals[row["what"]] += weight * Fraction(row["value"])
        weights[row["what"]] += weight
    return {item: total / weights[item] for item, total in totals.items()}


def wide_means(rows: Rows) -> dict[str, Fraction]:
    long = [
        {"what": item, "value": row[item]}
        for row in rows
        for item in row
        if item not in {"who", "mass"} and row[item].strip()
    ]
    return means(long)


def mean_ranks(rows: Rows) -> dict[str, Fraction]:
    """Minus the mean over the rows of who, of ranks among the mean values of items there."""
    found = defaultdict(list)
    for who in {row["who"] for row in rows}:
        inside = means([row for row in rows if row["who"] == who])
        for item, value in inside.items():
            ahead = sum(other > value for other in inside.values())
            level = sum(other == value for other in inside.values())
            found[item].append(-(1 + ahead + Fraction(level - 1, 2)))
    return {item: sum(ranks) / len(ranks) for item, ranks in found.items()}


def medians(rows: Rows) -> dict[str, Fraction]:
    values = defaultdict(list)
    for row in rows:
        values[row["what"]].append(Fraction(row["value"]))
    middles = {}
    for item, found in values.items():
        found.sort()
        middles[item] = (found[(len(found) - 1) // 2] + found[len(found) // 2]) / 2
    return middles


def shares(rows: Rows) -> dict[str, Fraction]:
    """The share of units that name an item, of votes or approvals."""
    units = defaultdict(set)
    for number, row in enumerate(rows):
        units[row.get("who", str(number))].add(row["what"])
    items = {row["what"] for row in rows}
    return {
        item: Fraction(sum(item in names for names in units.values()), len(units))
        for item in items
    }


def borda(rows: Rows) -> dict[str, Fraction]:
    """Points for each item behind, of all items of the whole table, a half where both are unlisted."""
    names = ("a", "b", "c", "d")
    points: dict[str, Fraction] = defaultdict(Fraction)
    for row in rows:
        order = [row[name] for name in ("1st", "2nd", "3rd") if row[name].strip()]
        for item in names:
            if item in order:
                points[item] += len(names) - 1 - order.index(item)
            else:
                points[item] += Fraction(len(names) - len(order) - 1, 2)
    return {item: points[item] / len(rows) for item in names}


def win_rates(rows: Rows) -> dict[str, Fraction]:
    points = defaultdict(list)
    for row in rows:
        won = (Fraction(row["p"]) > Fraction(row["q"])) - (
            Fraction(row["p"]) < Fraction(row["q"])
        )
        points[row["home"]].append(Fraction(1 + won, 2))
        points[row["away"]].append(Fraction(1 - won, 2))
    return {item: sum(found) / len(found) for item, found in points.items()}


RATINGS = """who,what,value,mass
u,x,3,1
u,y,5,1
v,x,4,0.5
v,z,2,0.5
w,y,1,2
w,z,2.5,2
w,x,5,2
t,x,1,3
t,z,4.5,3
t,y,2,3
"""
REPEATED = """who,what,value
u,x,3
v,x,4
u,x,1
u,y,2
v,y,0.1
v,y,0.2
w,y,5
w,x,0.3
w,y,4
"""
WIDE = """who,a b,c,d
s,1,0,0.5
t,0,1,
s,1,1,0.25
r,0.5,,1
q,0.75,0.5,0
"""
RANKED = """1st,2nd,3rd
a,b,c
b,a,
c,d,a
a,,
d,c,b
b,c,a
"""
GAMES = """home,away,p,q
x,y,1,0
y,z,2,2
z,x,0,1
x,z,1.5,3
y,x,2,1
z,y,4,3
"""

CASES = [
    ("score", RATINGS, {"item": "what", "score": "value", "unit": "who"}, None, means),
    (
        "rating",
        RATINGS,
        {"item": "what", "rating": "value", "unit": "who"},
        None,
        shrunk_means,
    ),
    ("no unit", REPEATED, {"item": "what", "score": "value"}, None, means),
    (
        "ratings of rows",
        REPEATED,
        {"item": "what", "rating": "value"},
        None,
        shrunk_means,
    ),
    (
        "repeated",
        REPEATED,
        {"item": "what", "score": "value", "unit": "who"},
        None,
        means,
    ),
    (
        "repeated ratings",
        REPEATED,
        {"item": "what", "rating": "value", "unit": "who"},
        None,
        shrunk_means,
    ),
    (
        "weights",
        RATINGS,
        {"item": "what", "score": "value", "unit": "who", "weight": "mass"},
        None,
        weighted_means,
    ),
    (
        "ranks within units",
        REPEATED,
        {"item": "what", "score": "value", "unit": "who"},
        "mean-rank",
        mean_ranks,
    ),
    (
        "medians",
        REPEATED,
        {"item": "what", "score": "value", "unit": "who"},
        "median",
        medians,
    ),
    ("wide", WIDE, {"wide": True, "unit": "who"}, None, wide_means),
    ("votes", REPEATED, {"choice": "what"}, None, None),
    (
        "approvals",
        "who,what\nu,x\nu,y\nv,y\nw,z\nt,x\nt,z\n",
        {"choice": "what", "unit": "who"},
        None,
        shares,
    ),
    (
        "orders",
        RANKED,
        {"ranks": ["1st", "2nd", "3rd"], "catalogue": "a,b,c,d"},
        None,
        borda,
    ),
    (
        "points of games",
        GAMES,
        {"left": "home", "right": "away", "left_score": "p", "right_score": "q"},
        "win-rate",
        win_rates,
    ),
]


def units_of(rows: Rows, unit: str | None) -> list[list[int]]:
    """The rows of each unit: those with an equal label, or each by itself."""
    groups: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        groups[str(number) if unit is None else row[unit]].append(number)
    return list(groups.values())


@pytest.mark.parametrize(("name", "text", "said", "scorer", "rule"), CASES)
def test_scores_without_each_unit_are_those_of_the_file_without_its_lines(
    name: str,
    text: str,
    said: dict[str, Any],
    scorer: str | None,
    rule: Any,
    tmp_path: Path,
) -> None:
    """The rule in fractions, on the lines that are left, gives what the study has for each unit."""
    del name
    rows = rows_of(text)
    if rule is None:  # votes
        rows = [{"what": row["what"]} for row in rows]
        rule = shares
    study = Study(written(tmp_path, text), scorer, **said)

    def check(scores: Any, left: Rows) -> None:
        expected = rule(left)
        found = dict(zip(study.items, np.asarray(scores).tolist(), strict=True))
        for item, value in found.items():
            if item in expected:
                assert value == pytest.approx(float(expected[item]), abs=1e-12), item

    check(study.scores, rows)
    groups = units_of(rows_of(text), said.get("unit"))
    assert study.units.total == len(groups)
    top = {
        frozenset(sorted(expected, key=lambda item: (-expected[item], item))[:1])
        for numbers in groups
        if (expected := rule([r for n, r in enumerate(rows) if n not in numbers]))
    }
    listed = set(study.topk(1).members)
    assert frozenset().union(*top) <= listed
    for numbers in groups:
        left = [
            row for number, row in enumerate(rows_of(text)) if number not in numbers
        ]
        there = Study(written(tmp_path, text_of(left)), scorer, **said)
        check_left = rule([row for n, row in enumerate(rows) if n not in numbers])
        for item, score in zip(there.items, there.scores.tolist(), strict=True):
            assert score == pytest.approx(float(check_left.get(item, 0)), abs=1e-12)


@pytest.mark.parametrize(("name", "text", "said", "scorer", "rule"), CASES)
def test_python_and_the_command_line_say_the_same(
    name: str,
    text: str,
    said: dict[str, Any],
    scorer: str | None,
    rule: Any,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    del name, rule
    path = written(tmp_path, text)
    typed = []
    for role, value in said.items():
        option = "--" + role.replace("_", "-")
        if value is True:
            typed.append(option)
        else:
            typed += [option, value if isinstance(value, str) else ",".join(value)]
    if scorer is not None:
        typed += ["--scorer", scorer]
    assert main(["topk", path, "-k", "1", "--json", *typed]) == 0
    document = json.loads(capsys.readouterr().out)
    for study in (
        Study(path, scorer, **said),
        Study(read(path, **said), scorer),
        Study(columns_of(text), scorer, **said),
    ):
        answer = study.topk(1)
        found = json.loads(json.dumps(answer.findings(source=document["source"])))
        reading = document["reading"]
        assert found["reading"]["roles"] == reading["roles"]
        for part in ("scorer", "unit", "n_units", "rows", "certificate", "headline"):
            assert found[part] == document[part], part


def columns_of(text: str) -> dict[str, list[str]]:
    rows = rows_of(text)
    return {name: [row[name] for row in rows] for name in rows[0]}


class TestUnits:
    """What a unit is follows from the roles, and never changes the scorer."""

    def test_the_scorer_depends_on_the_role_alone(self) -> None:
        for unit in ({}, {"unit": "who"}):
            ratings = read(columns_of(RATINGS), item="what", rating="value", **unit)
            scores = read(columns_of(RATINGS), item="what", score="value", **unit)
            assert Study(ratings).scorer == Mean(shrinkage=1)
            assert Study(scores).scorer == Mean()

    def test_units_are_called_as_their_column(self) -> None:
        frame = {"model": ["x", "y"], "acc": [1, 0], "task_id": ["s", "s"]}
        assert (
            read(frame, item="model", score="acc", unit="task_id").units.kind == "task"
        )
        assert read(frame, item="model", score="acc").units.kind == "row"
        assert read(frame, item="model", rating="acc").units.kind == "rating"

    def test_weights_of_a_unit_agree(self, tmp_path: Path) -> None:
        path = written(tmp_path, "who,what,value,mass\nu,x,1,2\nv,x,2,1\nu,y,3,2.5\n")
        with pytest.raises(InvalidCountError) as caught:
            read(path, item="what", score="value", unit="who", weight="mass")
        told = str(caught.value)
        assert (
            "'u' has two weights: 2 (table.csv, line 2) and 2.5 (table.csv, line 4)"
            in told
        )

    def test_counts_are_rows(self) -> None:
        frame = {"what": ["x", "y"], "value": [1, 2], "times": [2, 3]}
        counted = read(frame, item="what", score="value", count="times")
        written_out = {"what": list("xxyyy"), "value": [1, 1, 2, 2, 2]}
        rows = read(written_out, item="what", score="value")
        assert counted.n_units == rows.n_units == 5
        assert Study(counted).facts.shifts.tolist() == Study(rows).facts.shifts.tolist()

    def test_too_many_counted_rows_are_refused(self) -> None:
        frame = {"what": ["x", "y"], "value": [1, 2], "times": [2**40, 3]}
        with pytest.raises(TooLargeError, match="1,099,511,627,779 rows"):
            read(frame, item="what", score="value", count="times")

    def test_lower_is_better(self) -> None:
        frame = {"what": ["x", "y"], "value": [0, 2]}
        data = read(frame, item="what", score="value", lower_is_better=True)
        assert Study(data).scores.tolist() == [0, -2]
        assert not np.signbit(Study(data).scores[0])
        assert "less is better" in data.notes[0]

    def test_battles_and_votes_of_units(self) -> None:
        frame = {
            "a": ["x", "y", "x"],
            "b": ["y", "x", "y"],
            "won": ["left", "left", "tie"],
            "judge": [1, 1, 2],
            "times": [2, 1, 1],
        }
        data = read(
            frame, left="a", right="b", winner="won", unit="judge", count="times"
        )
        assert data.n_units == 2
        expected = Battles(
            frame["a"],
            frame["b"],
            frame["won"],
            counts=frame["times"],
            units=frame["judge"],
        )
        assert (
            Study(data).facts.shifts.tolist() == Study(expected).facts.shifts.tolist()
        )
        one_each = read(frame, choice="a", unit="times")
        assert isinstance(read(frame, choice="a"), Votes)
        assert one_each.kind.name == "ballots"  # times 1 has two rows

    def test_a_ballot_with_several_counts_is_refused(self) -> None:
        frame = {"v": ["x", "y", "z"], "who": [1, 1, 2], "n": [2, 3, 1], "r": [1, 2, 1]}
        with pytest.raises(InvalidCountError, match=r"different counts.*row 2"):
            read(frame, item="v", rank="r", unit="who", count="n")

    def test_counted_votes_of_a_station_leave_together(self) -> None:
        frame = {"v": ["x", "y", "x"], "station": ["s", "s", "t"], "n": [20, 30, 25]}
        study = Study(frame, choice="v", unit="station", count="n")
        assert study.data.kind.name == "votes"
        assert study.units.total == 2
        assert study.scores.tolist() == [45 / 75, 30 / 75]
        assert study.topk(1).contenders == ("x", "y")  # without t, y has 30 of 50

    def test_approving_twice_is_refused(self) -> None:
        frame = {"v": ["x", "x", "z"], "who": [1, 1, 2]}
        with pytest.raises(InvalidDataError, match=r"names 'x' twice.*row 2"):
            read(frame, choice="v", unit="who")

    def test_an_item_that_meets_itself_says_nothing(self) -> None:
        frame = {"w": ["x", "y", "x"], "l": ["y", "y", "z"]}
        data = read(frame, winner="w", loser="l")
        assert data.n_units == 2
        assert data.notes == ("1 battle of an item with itself left out",)


class TestRows:
    """Scorers that compare within rows: the unit, or what ``row`` says."""

    FRAME: ClassVar = {
        "lang": ["de", "de", "de", "de", "fr", "fr"],
        "task": ["s", "s", "t", "t", "u", "u"],
        "model": ["x", "y", "x", "y", "x", "y"],
        "acc": [3, 1, 2, 4, 5, 0],
    }

    def test_rows_of_units(self) -> None:
        study = Study(
            self.FRAME, "mean-rank", item="model", score="acc", row="task", unit="lang"
        )
        assert study.scores.tolist() == [-4 / 3, -5 / 3]
        assert study.units.total == 2
        rows = dict(zip(study.units.labels, study.units.counts.tolist(), strict=True))
        assert rows == {"de": 1, "fr": 1}
        without = study.data.without(list(study.units.labels).index("de"))
        assert Study(without, "mean-rank").scores.tolist() == [-1, -2]
        plain = Study(self.FRAME, item="model", score="acc", row="task", unit="lang")
        assert plain.scores.tolist() == [10 / 3, 5 / 3]

    def test_the_mean_of_several_values_is_compared_and_said(self) -> None:
        study = Study(self.FRAME, "mean-rank", item="model", score="acc", unit="lang")
        assert study.scores.tolist() == [-1.25, -1.75]  # in de both have 2.5
        note = "2 repeated scores of an item in a lang: their mean is compared"
        assert note in study.facts.notes

    def test_equal_means_tie_exactly(self) -> None:
        frame = {
            "task": ["s"] * 4,
            "model": ["x", "x", "x", "y"],
            "acc": [0.1, 0.2, 0.3, 0.2],
        }
        more = {name: [*column, column[0]] for name, column in frame.items()}
        more["task"][-1], more["acc"][-1] = "t", 1
        study = Study(more, "mean-rank", item="model", score="acc", unit="task")
        assert study.data.values[0].tolist() == [0.2, 0.2]

    def test_a_row_of_several_units_is_refused(self) -> None:
        with pytest.raises(InvalidDataError, match="several langs: 'de' and 'fr'"):
            Study(
                self.FRAME | {"task": ["s"] * 6},
                "mean-rank",
                item="model",
                score="acc",
                row="task",
                unit="lang",
            )

    def test_single_rows_are_refused(self) -> None:
        for scorer in ("mean-rank", "mean-win-rate"):
            with pytest.raises(InvalidDataError, match="nothing to compare"):
                Study(self.FRAME, scorer, item="model", score="acc")

    def test_a_matrix_that_does_not_fit_is_refused(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("steadyrank.data.matrices.MOST_CELLS", 3)
        with pytest.raises(TooLargeError, match="2 rows and 2 items"):
            Study(self.FRAME, "mean-rank", item="model", score="acc", unit="lang")


class TestItems:
    """Items that a unit alone carries, and items of a catalogue."""

    def test_an_item_without_its_only_row_is_last(self) -> None:
        frame = {"what": ["x", "y", "x"], "value": [1, 9, 2], "who": [1, 2, 2]}
        study = Study(frame, item="what", score="value", unit="who")
        answer = study.topk(1)
        assert answer.members == ("y", "x")
        assert answer.contenders == ("y", "x")
        note = "with data from one who alone, and last without that who: 'y'"
        assert note in study.facts.notes

    def test_a_catalogue_has_items_without_data(self) -> None:
        frame = {"what": ["x", "y", "x"], "value": [1, 9, 2]}
        said = {"item": "what", "score": "value", "catalogue": "z,y,x"}
        study = Study(frame, **said)
        assert study.items == ("z", "y", "x")
        assert study.facts.order.tolist() == [1, 2, 0]
        votes = read({"v": ["x", "y"]}, choice="v", catalogue="y,z,x")
        assert votes.items == ("y", "z", "x")
        assert votes.tally.tolist() == [1, 0, 1]

    def test_a_column_without_values_is_no_item(self) -> None:
        data = read({"a": [1, 2], "b": ["", ""], "c": [3, ""]}, wide=True)
        assert data.items == ("a", "c")
        assert any("'b'" in note for note in data.notes)

    def test_items_that_look_alike_are_told(self) -> None:
        data = read({"v": ["x 1", "X1", "y"]}, choice="v")
        assert data.items == ("X1", "x 1", "y")
        assert "differ only in blanks or case" in data.notes[0]


class TestDoor:
    """``read`` and ``Study`` take the words of the roles, and no others."""

    def test_the_words_are_those_of_the_roles(self) -> None:
        words = list(inspect.signature(read).parameters)[1:]
        study = list(inspect.signature(Study.__init__).parameters)[3:]
        assert words[: len(ROLES)] == list(ROLES)
        assert words == study

    def test_data_take_no_roles(self) -> None:
        with pytest.raises(InvalidDataError, match="item='x'"):
            Study(Votes(["x"]), item="x")

    def test_the_document_says_how_it_was_read(self) -> None:
        frame = {"what": ["x", "y", ""], "value": [1, 2, 3]}
        answer = Study(frame, item="what", score="value").topk(1)
        reading = answer.findings()["reading"]
        assert reading["header"] is None
        assert reading["roles"] == {"item": "what", "score": "value"}
        assert reading["skipped"]["number"] == 1
        assert "Skipped 1 of 3 rows with a blank cell" in str(answer)
        assert Study(Votes(["x", "y"])).topk(1).findings()["reading"] is None

    @pytest.mark.parametrize("given", [7, None, object()])
    def test_what_cannot_be_read_is_refused(self, given: Any) -> None:
        with pytest.raises(SteadyrankError):
            read(given, item="x", score="y")


def test_a_regression_is_standardised_the_same_way_through_every_door(
    tmp_path: Path,
) -> None:
    text = "y,a,b\n1,2,100\n2,1,300\n4,5,200\n3,3,250\n"
    path = written(tmp_path, text)
    studies = [
        Study(path, response="y"),
        Study(read(path, response="y", features=["a", "b"])),
        Study(columns_of(text), response="y", features="a,b"),
    ]
    matrix = np.array([[2, 100], [1, 300], [5, 200], [3, 250]], dtype=float)
    expected = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
    for study in studies:
        assert study.items == ("a", "b")
        assert np.allclose(study.data.X, expected)  # type: ignore[attr-defined]
        assert study.scores.tolist() == studies[0].scores.tolist()
    assert "features: every other column: 'a', 'b'" in studies[0].facts.notes


def test_generated_tables_are_read_as_the_classes_take_them() -> None:
    rng = np.random.default_rng(42)
    for _ in range(60):
        users = rng.integers(0, 6, 30)
        items = rng.integers(0, 4, 30)
        values = rng.integers(1, 6, 30) / 2
        _, first = np.unique(users * 4 + items, return_index=True)
        users, items, values = users[first], items[first], values[first]
        order = rng.permutation(len(users))
        frame = {"u": users[order], "i": items[order], "r": values[order]}
        expected = Ratings(users, items, values)
        found = read(frame, item="i", rating="r", unit="u")
        assert found.items == expected.items
        for part in ("indptr", "rated", "values"):
            assert getattr(found, part).tolist() == getattr(expected, part).tolist()
        wide = np.where(rng.random((5, 3)) < 0.2, np.nan, rng.integers(0, 9, (5, 3)))
        wide[0] = 1
        table = {name: wide[:, place] for place, name in enumerate("abc")}
        matrix = ScoreMatrix(wide, items=list("abc"), missing="available")
        assert Study(table, wide=True).scores.tolist() == Study(matrix).scores.tolist()


class TestOneRowEach:
    """Where each item has one row, no row can be removed without its item."""

    FRAME: ClassVar = {"what": ["x", "y", "z", "w"], "value": [1, 2, 5, 4.9]}

    def test_the_plain_answer_says_so(self) -> None:
        study = Study(self.FRAME, item="what", score="value")
        answer = study.topk(2)
        assert answer.members == ("z", "w")
        assert answer.certificate.promise.startswith("Each what has one row, so no row")
        ranking = study.ranking()
        assert ranking.tiers == (("z",), ("w",), ("y",), ("x",))
        assert "this is the plain answer" in ranking.certificate.promise

    def test_an_eps_gives_the_inflated_answer(self) -> None:
        study = Study(self.FRAME, item="what", score="value")
        assert study.topk(1, eps=0.2).members == ("z", "w")
        assert study.topk(1, eps=0.05).members == ("z",)
        promise = study.topk(1, eps=0.2).certificate.promise
        assert promise.endswith("this is the paper's inflated answer at eps = 0.2.")
        assert study.ranking(eps=0.2).tiers == (("z", "w"), ("y",), ("x",))

    def test_the_command_line_ends_well(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = written(tmp_path, "what,value\nx,1\ny,2\nz,3\n")
        assert (
            main(["topk", path, "-k", "1", "--item", "what", "--score", "value"]) == 0
        )
        assert "Each what has one row" in capsys.readouterr().out
