"""Dataframes of every library through one door, with guessed and given columns."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pytest

from steadyrank.data import (
    Ballots,
    Battles,
    Ratings,
    Regression,
    ScoreMatrix,
    Votes,
    read_any,
)
from steadyrank.data.read import scan_any
from steadyrank.errors import (
    ColumnError,
    EmptyDataError,
    InvalidCountError,
    InvalidDataError,
    InvalidLabelError,
    MissingValuesError,
    NotANumberError,
    NotRecognisedError,
)
from steadyrank.reading.table import as_table
from suggested import suggested


def make_pandas(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns)


def make_polars(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(columns)


def make_pyarrow(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("pyarrow").table(columns)


def make_duckdb(columns: dict[str, list[Any]]) -> Any:
    duckdb = pytest.importorskip("duckdb")
    # Its own connection: the default one is shared by all tests of a process.
    return duckdb.connect().from_arrow(make_pyarrow(columns))


MAKERS = [dict, make_pandas, make_polars, make_pyarrow, make_duckdb]


@pytest.fixture(params=MAKERS, ids=lambda maker: maker.__name__)
def make(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.mark.parametrize("take", [read_any, scan_any, Votes.from_frame, Votes.scan])
def test_a_polars_lazy_frame_is_refused_with_a_way_out(take: Any) -> None:
    lazy = make_polars({"vote": ["x", "y"]}).lazy()
    with pytest.raises(
        InvalidDataError, match=r"holds no rows yet.*frame\.collect\(\).*DuckDB: scan\("
    ):
        take(lazy)
    assert read_any(lazy.collect()).n_units == 2


def test_votes(make: Any) -> None:
    votes = Votes.from_frame(make({"Candidate": ["y", "x"], "n": [2, 3]}))
    assert (votes.items, votes.tally.tolist()) == (("x", "y"), [3, 2])
    assert votes.notes == (
        "column 'Candidate' read as the choice",
        "column 'n' read as the count",
    )


def test_ratings(make: Any) -> None:
    frame = make({"Movie ID": [7, 7], "custId": [2, 1], "stars": [4.5, 3.0]})
    ratings = Ratings.from_frame(frame)
    assert (ratings.items, list(ratings.user_labels)) == ((7,), [1, 2])
    assert ratings.values.tolist() == [3.0, 4.5]


def test_battles(make: Any) -> None:
    columns = {
        "model_a": ["x", "y"],
        "model_b": ["y", "z"],
        "winner": ["model_a", "tie"],
    }
    battles = Battles.from_frame(make({**columns, "worker": [5, 6]}), unit="worker")
    assert battles.outcome.tolist() == [1, 0]
    assert (battles.units.kind, list(battles.units.labels)) == ("worker", [5, 6])


def test_pairs(make: Any) -> None:
    columns = {"model_a": ["x"], "model_b": ["y"], "wins_a": [3], "wins_b": [1]}
    battles = Battles.from_frame(make({**columns, "ties": [2], "ties_bothbad": [4]}))
    assert battles.n_units == 10
    assert battles.notes[-1] == "column 'ties', 'ties_bothbad' read as the ties"
    assert (
        Battles.from_frame(make(columns)).notes[-1]
        == "no column of ties found: no battle was a tie"
    )


def test_scores(make: Any) -> None:
    matrix = ScoreMatrix.from_frame(
        make({"task": ["t", "u"], "x": [1, 2], "y": [0.5, 1.5]})
    )
    assert (matrix.items, matrix.row_labels) == (("x", "y"), ("t", "u"))
    assert matrix.values.tolist() == [[1.0, 0.5], [2.0, 1.5]]


def test_missing_scores(make: Any) -> None:
    frame = {"x": [1.0, None], "y": [0.5, 1.5]}
    with pytest.raises(MissingValuesError, match="row 1 item 'x'"):
        ScoreMatrix.from_frame(make(frame))
    assert ScoreMatrix.from_frame(make(frame), missing="drop").values.tolist() == [
        [1.0, 0.5]
    ]


def test_regression(make: Any) -> None:
    frame = make({"a": [1, 2], "target": [3, 4], "b": [5, 6]})
    data = Regression.from_frame(frame, raw=True)
    assert (data.items, data.y.tolist()) == (("a", "b"), [3.0, 4.0])
    assert Regression.from_frame(frame).X.tolist() == [[-1.0, -1.0], [1.0, 1.0]]
    given = Regression.from_frame(
        make({"a": [1], "t": [3], "id": ["r"]}), response="t", row="id"
    )
    assert (given.items, list(given.units.labels)) == (("a",), ["r"])


def test_ballots_as_lists(make: Any) -> None:
    ballots = Ballots.from_frame(make({"ballot": [["a", "b"], ["b"]], "count": [2, 3]}))
    assert list(ballots.units.labels) == ["a > b", "b"]
    assert ballots.n_units == 5


def test_ballots_as_text(make: Any) -> None:
    ballots = Ballots.from_frame(make({"order": ["a > b = c", "c>a"]}))
    assert list(ballots.units.labels) == ["a > b = c", "c > a"]


def test_ballots_by_rank_columns(make: Any) -> None:
    frame = make({"1st": ["a", "b"], "2nd": ["b", None], "3rd": [None, "a"]})
    ballots = Ballots.from_frame(frame, ranks=["1st", "2nd", "3rd"])
    assert list(ballots.units.labels) == ["a > b", "b > a"]
    assert ballots.notes == ("1 ballot skips a rank: later choices moved up",)


def test_ballots_one_row_an_entry(make: Any) -> None:
    frame = make(
        {"voter": [1, 1, 2, 2], "item": ["a", "b", "a", "c"], "rank": [2, 1, 1, 1]}
    )
    ballots = Ballots.from_frame(frame, user="voter")
    assert list(ballots.units.labels) == ["b > a", "a = c"]
    approved = Ballots.from_frame(frame, user="voter", approval=True)
    assert list(approved.units.labels) == ["{a, b}", "{a, c}"]


def test_long_scores(make: Any) -> None:
    frame = make(
        {"task": ["t", "t", "u"], "model": ["x", "y", "x"], "score": [1, 2, 3]}
    )
    with pytest.raises(MissingValuesError, match="row 'u' item 'y'"):
        ScoreMatrix.from_frame(frame, item="model")
    matrix = ScoreMatrix.from_frame(frame, item="model", missing="drop")
    assert matrix.values.tolist() == [[1.0, 2.0]]


def test_long_scores_that_contradict() -> None:
    frame = {"row": ["t", "t"], "item": ["x", "x"], "value": [1, 2], "g": ["p", "q"]}
    with pytest.raises(
        InvalidDataError, match="'x' has more than one value in row 't', at index 1"
    ):
        ScoreMatrix.from_frame(frame, item="item")
    frame["item"] = ["x", "y"]
    with pytest.raises(InvalidDataError, match="entries of one row name different 'g'"):
        ScoreMatrix.from_frame(frame, item="item", unit="g")


def test_missing_labels_name_their_column(make: Any) -> None:
    with pytest.raises(InvalidLabelError, match="in column 'choice', at index 1"):
        Votes.from_frame(make({"choice": ["a", None]}))
    with pytest.raises(InvalidLabelError, match="in column 'movie', at index 0"):
        Ratings.from_frame(make({"user": [1, 2], "movie": [None, 3], "rating": [1, 2]}))


def test_bad_values_name_their_column(make: Any) -> None:
    with pytest.raises(InvalidCountError, match="-1 in column 'n', at index 1"):
        Votes.from_frame(make({"choice": ["a", "b"], "n": [1, -1]}))
    with pytest.raises(MissingValuesError, match="rating has missing values"):
        Ratings.from_frame(
            make({"user": [1, 2], "item": [3, 3], "rating": [1.5, None]})
        )
    with pytest.raises(InvalidDataError, match="'won' in column 'result', at index 1"):
        Battles.from_frame(
            make({"a": ["x", "x"], "b": ["y", "y"], "result": ["a", "won"]})
        )


def test_text_is_not_taken_for_numbers(make: Any) -> None:
    with pytest.raises(NotANumberError, match="'5'"):
        Ratings.from_frame(make({"user": ["1"], "item": ["2"], "rating": ["5"]}))


def test_text_labels_stay_text(make: Any) -> None:
    assert Votes.from_frame(make({"choice": ["007", "7"]})).items == ("007", "7")


def test_no_rows(make: Any) -> None:
    frame = make({"choice": ["a"]})
    empty = (
        {"choice": []}
        if isinstance(frame, dict)
        else nw.from_native(frame).head(0).to_native()
    )
    with pytest.raises(EmptyDataError):
        Votes.from_frame(empty)


def test_columns_that_are_not_there() -> None:
    with pytest.raises(
        ColumnError,
        match=r"no column 'who' for the choice; the columns are 'a', 'b'.*choice=\.\.\.",
    ):
        Votes.from_frame({"a": [1], "b": [2]}, choice="who")
    with pytest.raises(
        ColumnError, match=r"looks like the user \(tried user, userid.*'movie'"
    ):
        Ratings.from_frame({"movie": [1], "rating": [2]})
    with pytest.raises(ColumnError, match="no column looks like the left"):
        Battles.from_frame({"movie": [1], "winner": [2]})
    with pytest.raises(ColumnError, match="no column 'w' for the unit"):
        Battles.from_frame(
            {"left": ["x"], "right": ["y"], "winner": ["left"]}, unit="w"
        )
    with pytest.raises(NotANumberError, match="there is 'u', at index 0"):
        ScoreMatrix.from_frame(
            {"task": ["t", "s", "r"], "b": ["u", 2, 3], "c": [1, 2, 3]}
        )
    with pytest.raises(ColumnError, match="something else than numbers: 'b'"):
        Regression.from_frame({"y": [1], "b": ["u"]})


def test_one_side_alone_is_not_guessed() -> None:
    with pytest.raises(ColumnError, match="looks like the right"):
        Battles.from_frame(
            {"left": ["x"], "other": ["y"], "winner": ["left"]}, left="left"
        )


def test_winner_and_loser_need_no_outcome() -> None:
    battles = Battles.from_frame({"winner": ["x", "y"], "loser": ["y", "z"]})
    assert battles.outcome.tolist() == [1, 1]
    assert "each row is a win of its winner" in battles.notes


def test_the_only_column_left_is_the_choice() -> None:
    votes = Votes.from_frame({"my pick": ["x"], "count": [2]})
    assert votes.notes[0] == "column 'my pick' read as the choice"


def test_bad_ballots_have_their_rows() -> None:
    with pytest.raises(InvalidDataError, match="names 'a' twice, at index 1"):
        Ballots.from_frame({"order": ["a > b", "a > a"]})
    with pytest.raises(
        InvalidDataError, match="missing or is no text in column 'order', at index 1"
    ):
        Ballots.from_frame({"order": ["a > b", None]})
    with pytest.raises(InvalidLabelError, match="at index 1"):
        Ballots.from_frame({"order": ["a > b", "a > > b"]})


def test_what_is_no_frame() -> None:
    with pytest.raises(InvalidDataError, match="'list' is not a dataframe"):
        Votes.from_frame(["a"])
    with pytest.raises(ColumnError, match="differ in length"):
        as_table({"a": [1], "b": [1, 2]})


def test_two_columns_of_one_name() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(ColumnError, match="same name"):
        Votes.from_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_columns_named_by_numbers() -> None:
    pd = pytest.importorskip("pandas")
    matrix = ScoreMatrix.from_frame(pd.DataFrame(np.eye(2)))
    assert matrix.items == (0, 1)
    assert Votes.from_frame(pd.DataFrame({0: ["x", "y"]})).n_units == 2


def test_types_of_pandas_and_polars() -> None:
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    frame = pd.DataFrame(
        {"choice": pd.Categorical(["b", "a"]), "n": pd.array([1, 2], dtype="Int64")}
    )
    assert Votes.from_frame(frame).tally.tolist() == [2, 1]
    categories = pl.DataFrame({"choice": pl.Series(["b", "a"], dtype=pl.Categorical)})
    assert Votes.from_frame(categories).items == ("a", "b")
    decimals = pl.DataFrame(
        {"u": [1], "i": [2], "r": pl.Series(["1.5"]).cast(pl.Decimal(4, 2))}
    )
    assert Ratings.from_frame(decimals).values.tolist() == [1.5]


BOARD = {"model": ["m1", "m2", "m3"], "mmlu": [0.5, 0.6, 0.7], "arc": [0.3, 0.4, 0.1]}
RATED = {"user": [1, 1, 2], "item": ["a", "b", "a"], "rating": [5, 4, 3]}


def test_an_index_of_pandas_is_read_as_the_column_that_it_was() -> None:
    pd = pytest.importorskip("pandas")
    for columns, index in (
        (BOARD, "model"),
        (RATED, "user"),
        (RATED, ["user", "item"]),
    ):
        plain = pd.DataFrame(columns)
        kind = "scores" if columns is BOARD else None
        one, two = (
            read_any(plain, kind=kind),
            read_any(plain.set_index(index), kind=kind),
        )
        assert (type(one), one.items, one.notes) == (type(two), two.items, two.notes)
        assert list(one.units.labels) == list(two.units.labels)
    counted = pd.Series(["x", "y", "x"], name="candidate").value_counts().to_frame()
    assert Votes.from_frame(counted).units.counts.tolist() == [2, 1]
    for left_over in ([7, 3, 9], [5, 5, 5]):  # from sorting and filtering
        sorted_rows = pd.DataFrame(BOARD, index=left_over).drop(columns="model")
        assert list(suggested(sorted_rows).units.labels) == [0, 1, 2]


def test_an_index_holds_names_and_is_never_a_score_or_a_feature() -> None:
    pd = pytest.importorskip("pandas")
    cells = pd.DataFrame(
        {"a": [3, 1, 2], "b": [3, 2, 2.5]}, index=pd.Index([9, 7, 8], name="strength")
    )
    matrix = ScoreMatrix.from_frame(cells)
    assert (matrix.items, matrix.row_labels) == (("a", "b"), (9, 7, 8))
    days = pd.date_range("2020", periods=3)
    for index in (cells.index, days, days.rename("day")):
        named = cells.set_index(index)
        for data in (
            Regression(named, [1, 2, 4]),
            Regression.from_frame(named.assign(target=[1, 2, 4])),
        ):
            assert (data.items, list(data.row_labels)) == (("a", "b"), list(index))
    assert type(read_any(cells.assign(target=[1, 2, 4]))) is Regression
    with pytest.raises(
        NotRecognisedError, match="item='index'"
    ):  # a row a model, or a row a task?
        read_any(pd.DataFrame({"a": [1, 2], "b": [2, 3]}, index=["x", "y"]))
    for twice in (Ratings.from_frame, Ratings.scan):
        with pytest.raises(ColumnError, match="same name"):
            twice(pd.DataFrame(RATED).set_index("user", drop=False))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_is_no_list_of_values(library: str) -> None:
    frame = pytest.importorskip(library).DataFrame(
        {"first": ["x", "y", "z"], "then": ["y", "z", "x"]}
    )
    with pytest.raises(
        InvalidDataError, match=r"but is a dataframe. Use from_frame\(...\), or put"
    ):
        Votes(frame)
    with pytest.raises(InvalidDataError, match=r"units must .* but is a dataframe"):
        Votes(["x", "y", "z"], units=frame)
    with pytest.raises(InvalidDataError, match="ballots must be a list of orders"):
        Ballots(frame)


def test_an_array_of_arrow_holds_plain_values() -> None:
    pa = pytest.importorskip("pyarrow")
    assert Votes(pa.array(["x", "y", "x"])).items == ("x", "y")


def test_numbers_that_are_text_in_a_frame_are_named_and_not_just_no_items() -> None:
    texts = {"x": ["3", "1"], "y": ["2", "2"], "z": ["0", "5"]}
    with pytest.raises(ColumnError, match="something else than numbers: 'y', 'z'"):
        ScoreMatrix.from_frame(texts)
    with pytest.raises(ColumnError, match="something else than numbers: 'x', 'y', 'z'"):
        ScoreMatrix.from_frame({"task": ["s", "t"]} | texts)
    with pytest.raises(EmptyDataError, match="no items"):
        ScoreMatrix.from_frame({"task": ["s", "t"]})
