"""The kinds of data: what each declares about itself. Their classes are loaded once there are data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated

from steadyrank.reading.declarations import Form, Kind, ReadingArguments, Role, Setting
from steadyrank.reading.proposals.wide import WAYS
from steadyrank.reading.scales import SCALES
from steadyrank.reading.words import known

# Of several kinds.

ITEM_NAMES = known("item_columns")
COUNT = Role(
    "how often a row occurred",
    known("counted_votes", "count_columns"),
    holds="counts",
    argument="counts",
    answer=True,
)
ITEM_LIST = Setting(
    "the list of items, in order, also those without data", several=True
)
WEIGHTS = Role(
    "how much each unit counts: one person, with their weight",
    known("weight_columns"),
    holds="numbers",
)
UNIT = Role(
    "rows with equal values here are left out together (a worker, a prompt)",
    argument="units",
)


class PeopleArguments(ReadingArguments, total=False):
    """What can be said about the people behind any rows."""

    weights: Annotated[str | None, WEIGHTS]
    unit: Annotated[str | None, UNIT]


# Votes

CHOICE = Role(
    "the item voted for",
    known("choice_columns", "elected"),
    argument="choices",
    answer=True,
)


class VotesArguments(PeopleArguments, total=False):
    """What :meth:`Votes.from_frame`, ``read`` and ``scan`` can be told."""

    choice: Annotated[str | None, CHOICE]
    count: Annotated[str | None, COUNT]
    items: Annotated[Iterable[object] | None, ITEM_LIST]


VOTES = Kind(
    name="votes",
    home="steadyrank.data.votes.Votes",
    unit="vote",
    scorer="plurality",
    arguments=VotesArguments,
    forms=(Form("one row per vote", ("choice",), may=("count",)),),
    on_engine="counted",
)

# Ballots

BALLOT = Role(
    "orders such as a > b = c, or approved items such as a, c",
    known("ballot_columns"),
    holds="cells",
    answer=True,
)
VOTER_NAMES = (*known("voter_columns", "user_columns"), "id")
VOTER = Role("whose ballot it is, one row per entry", VOTER_NAMES, answer=True)
RANK = Role(
    "the rank given, one row per entry; 1 is best, equal ranks tie",
    known("rank_columns"),
    holds="numbers",
    answer=True,
)
RANKS = Role(
    "the first choice, the second choice..., known by numbers in their names",
    several=True,
)
REPEATS = Setting(
    "what to do where a ballot names an item again: skip (the default for columns of choices) or error",
    ("skip", "error"),
)

RANKED = Role(
    "the items, a column for each, that holds the rank given; blanks are not ranked",
    several=True,
)


class BallotsArguments(PeopleArguments, total=False):
    """What :meth:`Ballots.from_frame` and ``read`` can be told."""

    ballot: Annotated[str | None, BALLOT]
    ranks: Annotated[Sequence[str] | None, RANKS]
    ranked: Annotated[Sequence[str] | None, RANKED]
    user: Annotated[str | None, VOTER]
    item: Annotated[
        str | None, Role("what was ranked, one row per entry", ITEM_NAMES, answer=True)
    ]
    rank: Annotated[str | None, RANK]
    count: Annotated[str | None, COUNT]
    items: Annotated[Iterable[object] | None, ITEM_LIST]
    approval: Annotated[
        bool | None, Setting("ballots name approved items, without order", flag=True)
    ]
    repeats: Annotated[str | None, REPEATS]


BALLOTS = Kind(
    name="ballots",
    home="steadyrank.data.ballots.Ballots",
    unit="ballot",
    scorer="borda",
    arguments=BallotsArguments,
    forms=(
        Form("one row per entry", ("user", "item", "rank")),
        Form("one row per approval", ("user", "item"), only_with={"approval": True}),
        Form("a column for each choice", ("ranks",), may=("count",)),
        Form("a column for each item", ("ranked",), may=("count",)),
        Form("one row per ballot", ("ballot",), may=("count",)),
    ),
)

# Ratings

MERGED = ("error", "last", "mean")
"""What may be done about repeated ratings; in an engine also ``trust``, and there not ``last``."""

DUPLICATE = Setting(
    "what to do where a user rated an item more than once: error (the default), last or mean; in an "
    "engine error or trust (do not look)",
    (*MERGED, "trust"),
)
LESS = Setting(
    "measures where less is better: all, none, or some by name; guessed from their names if not given",
    several=True,
)
OF_ROWS = replace(LESS, beside=("item", "score"))
RATING = Role("the rating", known("rating_columns"), holds="numbers", answer=True)


class RatingsArguments(PeopleArguments, total=False):
    """What :meth:`Ratings.from_frame`, ``read`` and ``scan`` can be told."""

    user: Annotated[str | None, Role("who rated", known("user_columns"), answer=True)]
    item: Annotated[str | None, Role("what was rated", ITEM_NAMES, answer=True)]
    score: Annotated[str | None, RATING]
    duplicates: Annotated[str | None, DUPLICATE]
    lower_is_better: Annotated[bool | str | Sequence[str] | None, OF_ROWS]
    items: Annotated[Iterable[object] | None, ITEM_LIST]


RATINGS = Kind(
    name="ratings",
    home="steadyrank.data.ratings.Ratings",
    unit="user",
    scorer="mean-rating",
    arguments=RatingsArguments,
    forms=(
        Form("one row per rating", ("user", "item", "score")),
        Form(
            "one row per rating, each by somebody else",
            ("item", "score"),
            decides=("user",),
        ),
    ),
    on_engine="entries",
    observation="rating",
)

# Battles

PAIR = ("left", "right", "wins_left", "wins_right")
SCORED = ("points_left", "points_right")
POINTS = (
    "fthg/ftag",
    *(
        "/".join(form.format(side, what) for side in sides.split("/"))
        for what in known("points")
        for sides in known("point_sides")
        for form in known("point_forms")
    ),
    "hg/ag",
)
"""Names of the two columns of points of a game, best first."""

TIES = Role(
    "how often nobody won, in counted battles; several columns are added up",
    known("tie_columns"),
    holds="counts",
    several=True,
)
TIE_MARGIN = Setting(
    "points that differ by no more than this are a tie; 0 if not given", takes="NUMBER"
)


LEFT_NAMES, RIGHT_NAMES = zip(
    *(pair.split("/") for pair in known("side_columns")), strict=True
)
LEFT_POINTS, RIGHT_POINTS = zip(*(pair.split("/") for pair in POINTS), strict=True)
LEFT_WINS, RIGHT_WINS = zip(
    *(pair.split("/") for pair in known("wins_columns")), strict=True
)
WON, LOST = zip(*(pair.split("/") for pair in known("won_columns")), strict=True)

WINNER = Role(
    "the result: left, right or tie, the label of the item that won, or the share that left won",
    (*WON, *known("result_columns")),
    holds="results",
    answer=True,
)
LOSER = Role("the item that lost, beside the winner", LOST, answer=True)
SCORED_LEFT = Role(
    "points of the left side: more of them win", LEFT_POINTS, "numbers", answer=True
)
SCORED_RIGHT = Role("points of the right side", RIGHT_POINTS, "numbers", answer=True)


class BattlesArguments(PeopleArguments, total=False):
    """What :meth:`Battles.from_frame`, ``read`` and ``scan`` can be told."""

    left: Annotated[str | None, Role("one side", LEFT_NAMES, answer=True)]
    right: Annotated[str | None, Role("the other side", RIGHT_NAMES, answer=True)]
    winner: Annotated[str | None, WINNER]
    loser: Annotated[str | None, LOSER]
    points_left: Annotated[str | None, SCORED_LEFT]
    points_right: Annotated[str | None, SCORED_RIGHT]
    wins_left: Annotated[str | None, Role("wins of the left side", LEFT_WINS, "counts")]
    wins_right: Annotated[
        str | None, Role("wins of the right side", RIGHT_WINS, "counts")
    ]
    ties: Annotated[str | Sequence[str] | None, TIES]
    count: Annotated[str | None, COUNT]
    items: Annotated[Iterable[object] | None, ITEM_LIST]
    tie_margin: Annotated[float | None, TIE_MARGIN]


BATTLES = Kind(
    name="battles",
    home="steadyrank.data.battles.Battles",
    unit="battle",
    scorer="bradley-terry",
    arguments=BattlesArguments,
    forms=(
        Form("one row per counted pair", PAIR, may=("ties",)),
        Form(
            "one row per game, with points",
            ("left", "right", *SCORED),
            may=("winner", "count"),
            decides=SCORED,
        ),
        Form(
            "one row per battle",
            ("left", "right", "winner"),
            ("count",),
        ),
        Form("one row per win", ("winner", "loser"), ("count",)),
    ),
    on_engine="counted",
)

# Scores

ROW_NAMES = known("row_columns")
ROW = Role(
    "the task, question or row; in a wide table, what names the rows",
    ROW_NAMES,
    argument="rows",
    answer=True,
)
SCORE = Role(
    "the score, one row per score", known("score_columns"), holds="numbers", answer=True
)
GAPS = Setting(
    "what to do with missing scores: error (the default), drop the row, or use those available",
    ("error", "drop", "available"),
)
REPEATED = Setting(
    "where an item has several scores in a row, or several rows: error (the default), or mean",
    ("error", "mean"),
)
COMPARED = Role(
    "the columns of scores; all columns of numbers but ids if not given", several=True
)
WHERE = Setting(
    "where a wide table has its items: rows or columns; guessed if not given", (*WAYS,)
)
SCALE = Setting(
    "bring each row to one scale: z (scores), ranks, or range (0 to 1); left alone if not given",
    (*SCALES,),
)


class ScoresArguments(PeopleArguments, total=False):
    """What :meth:`ScoreMatrix.from_frame`, ``read`` and ``scan`` can be told."""

    items: Annotated[Sequence[str] | None, COMPARED]
    row: Annotated[str | None, ROW]
    item: Annotated[
        str | None, Role("what was scored, one row per score", ITEM_NAMES, answer=True)
    ]
    score: Annotated[str | None, SCORE]
    missing: Annotated[str | None, GAPS]
    duplicates: Annotated[str | None, REPEATED]
    items_in: Annotated[str | None, WHERE]
    lower_is_better: Annotated[bool | str | Sequence[str] | None, LESS]
    standardise: Annotated[str | None, SCALE]


SCORES = Kind(
    name="scores",
    home="steadyrank.data.score_matrix.ScoreMatrix",
    unit="row",
    scorer="column-means",
    arguments=ScoresArguments,
    forms=(
        Form(
            "one row per score",
            ("row", "item", "score"),
            decides=("item", "score"),
            only_with={"items_in": None},
        ),
        Form(
            "a row for each item",
            ("item",),
            named=("items",),
            only_with={"items_in": "rows"},
            people=False,
        ),
        Form(
            "a column for each item",
            (),
            named=("items", "row"),
            decides=("items", "row"),
        ),
    ),
    on_engine="entries",
    observation="score",
)

# Regressions

GAPPY_ROWS = Setting(
    "what to do with missing values: error (the default), or drop the row",
    ("error", "drop"),
)
RESPONSE = Role(
    "the response", known("response_columns"), "numbers", argument="y", answer=True
)
FEATURES = Role("the features; all other columns if not given", several=True)


class RegressionArguments(ReadingArguments, total=False):
    """What :meth:`Regression.from_frame` and ``read`` can be told."""

    response: Annotated[str | None, RESPONSE]
    items: Annotated[Sequence[str] | None, FEATURES]
    row: Annotated[str | None, Role("what to call each row")]
    raw: Annotated[
        bool | None,
        Setting("leave features and response in their own units", flag=True),
    ]
    missing: Annotated[str | None, GAPPY_ROWS]
    unit: Annotated[str | None, UNIT]


REGRESSION = Kind(
    name="regression",
    home="steadyrank.data.regression.Regression",
    unit="row",
    scorer="constrained-least-squares",
    arguments=RegressionArguments,
    forms=(Form("one row per observation", ("response",), named=("items", "row")),),
)

KINDS = {
    kind.name: kind for kind in (BATTLES, RATINGS, BALLOTS, SCORES, VOTES, REGRESSION)
}
"""Every kind by name, in the order in which a table is tried for them."""
