"""The roles that columns can have, and which of them make which kind of data."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from steadyrank.errors import Option

if TYPE_CHECKING:  # the help of the command line loads this module, and no NumPy
    from steadyrank._typing import IntArray


@dataclass(frozen=True)
class Role:
    """What a column can be said to be: ``left_score`` in Python, ``--left-score`` when typed.

    Parameters
    ----------
    name : str
    takes : {"column", "columns", "flag", "text"}
        One column, a list of them, nothing, or a text that names no column.
    says : str
        What the column holds, for the help.
    """

    name: str
    takes: Literal["column", "columns", "flag", "text"]
    says: str

    def option(self, value: str | None = None) -> Option:
        """Return the option that says the role, perhaps with its column filled in."""
        several = self.takes == "columns" and value is None
        return Option(self.name, value, several=several, flag=self.takes == "flag")


ROLES: Mapping[str, Role] = {
    role.name: role
    for role in (
        Role("item", "column", "what is ranked: one item a row"),
        Role("score", "column", "the item's score in that row; items get their mean"),
        Role("rating", "column", "a person's rating; items get sum / (1 + count)"),
        Role("unit", "column", "what is removed: rows with equal values go together"),
        Role("row", "column", "rows in which items are compared; the unit unless said"),
        Role("wide", "flag", "every other column is an item, and holds its scores"),
        Role("items", "columns", "the columns of a wide table that are items"),
        Role("left", "column", "battles: the item on the left side"),
        Role("right", "column", "battles: the item on the right side"),
        Role("winner", "column", "who won: left, right, tie, or the item's name"),
        Role("left_score", "column", "points of the left side; more points win"),
        Role("right_score", "column", "points of the right side"),
        Role("loser", "column", "the item that lost, beside the winner's name"),
        Role("tie", "column", "beside winner and loser: yes if the battle was a tie"),
        Role("choice", "column", "the item that a vote is for"),
        Role("ranks", "columns", "the first choice, the second choice, and so on"),
        Role("ballot", "column", "an order in one cell: a > b = c"),
        Role("rank", "column", "the rank of the item on the unit's ballot"),
        Role("response", "column", "what a regression explains"),
        Role("features", "columns", "its features, which are ranked; else all others"),
        Role("weight", "column", "how much the unit counts, from 0 on"),
        Role("count", "column", "how many rows like this one there are"),
        Role("lower_is_better", "flag", "smaller scores or points are better"),
        Role("catalogue", "text", "all items, also those without data: A,B or @FILE"),
    )
}

BESIDE = ("unit", "row", "weight", "count", "lower_is_better", "catalogue")


@dataclass(frozen=True)
class Form:
    """A way to hold a kind of data in a table: the roles it needs, and those it may have."""

    kind: str
    name: str
    says: str
    needs: tuple[str, ...]
    may: tuple[str, ...]

    @property
    def own(self) -> frozenset[str]:
        """The roles that go with the form."""
        return frozenset(self.needs + self.may)

    def is_complete(self, roles: Iterable[str]) -> bool:
        """Tell whether all roles that the form needs are there."""
        return {*self.needs} <= {*roles}


MAY = ("unit", "weight", "count", "catalogue")
SCORES_MAY = ("row", "lower_is_better", *MAY)
WIDE_ROWS_MAY = ("lower_is_better", "catalogue")
REGRESSION_MAY = ("features", "unit", "weight", "count")
POINTS = ("left", "right", "left_score", "right_score")

FORMS = (
    Form("scores", "long", "scores", ("item", "score"), SCORES_MAY),
    Form("scores", "long", "ratings", ("item", "rating"), SCORES_MAY),
    Form("scores", "wide", "items in columns", ("wide",), SCORES_MAY),
    Form("scores", "wide", "items in some columns", ("items",), ("wide", *SCORES_MAY)),
    Form("scores", "wide_rows", "items in rows", ("item", "wide"), WIDE_ROWS_MAY),
    Form("battles", "winner", "battles", ("left", "right", "winner"), MAY),
    Form("battles", "points", "battles by points", POINTS, ("lower_is_better", *MAY)),
    Form(
        "battles",
        "winner_loser",
        "winners and losers",
        ("winner", "loser"),
        ("tie", *MAY),
    ),
    Form("ballots", "choice", "votes", ("choice",), MAY),
    Form("ballots", "ranks", "ranks in columns", ("ranks",), MAY),
    Form("ballots", "ballot", "orders in one column", ("ballot",), MAY),
    Form("ballots", "rank", "ranks in rows", ("item", "rank", "unit"), MAY),
    Form("regression", "regression", "a regression", ("response",), REGRESSION_MAY),
)


@dataclass(frozen=True)
class Skipped:
    """Rows, or the cells of a wide table, with a blank where a role needs a value."""

    number: int
    total: int
    role: str
    column: str
    place: str
    what: str = "rows"

    def document(self) -> dict[str, Any]:
        """Return how many were left out, and where the first one is, as plain data."""
        return {
            "number": self.number,
            "of": self.total,
            "what": self.what,
            "first": f"column {self.column!r}, {self.place}",
        }


@dataclass
class Reading:
    """A table read as a kind of data.

    Attributes
    ----------
    kind : {"scores", "battles", "ballots", "regression"}
    form : str
        How the table holds it: a name of ``FORMS``.
    roles : dict
        For each role its column, tuple of columns, True or text.
    items : tuple
        The labels of the items, in order: those of the data sorted, or the catalogue.
    columns : dict
        What the roles hold. Labels are `Coded`, with ``distinct`` sorted; those of items
        have ``items`` for all. Numbers are float64, counts int64.

        - long: ``item``, ``score`` or ``rating``, perhaps ``unit`` and ``row``. A wide table
          with its items in rows comes as long, too: its columns are the ``unit``.
        - wide: ``items``, a list of one array for each item, NaN where a cell is blank.
        - battles of all forms: ``left``, ``right`` and ``outcome``, +1 where the left side
          won, 0 for a tie, -1 where the right side won (int8).
        - choice: ``choice``. Orders of all forms have a row for each item of a ballot:
          ``item``, ``rank`` and ``ballot``, the number of the ballot.
        - regression: ``response`` and ``features``, a list of arrays.
    rows : int64 array
        Number of the table's row behind each value of the columns.
    skipped : Skipped, optional
    header : str, optional
        The known header that was taken, where no role was said.
    """

    kind: str
    form: str
    roles: dict[str, Any]
    items: tuple[object, ...]
    columns: dict[str, Any]
    rows: IntArray
    skipped: Skipped | None = None
    header: str | None = None

    def document(self) -> dict[str, Any]:
        """Return how the table was read, as plain data."""
        roles = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.roles.items()
        }
        skipped = None if self.skipped is None else self.skipped.document()
        return {"header": self.header, "roles": roles, "skipped": skipped}


def value_text(value: str | Sequence[str] | bool) -> str | None:
    """Return what was said for a role as one types it; a flag takes nothing.

    Examples
    --------
    >>> value_text(("a", "b,c")), value_text("a"), value_text(True)
    ('a,"b,c"', 'a', None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return value
    quoted = (
        '"' + name.replace('"', '""') + '"' if set(name) & {",", '"'} else name
        for name in value
    )
    return ",".join(quoted)


def split_list(text: str) -> list[str]:
    """Return the names of a comma-separated list, where quotes hold a comma together.

    Examples
    --------
    >>> split_list('a,"b,c",d')
    ['a', 'b,c', 'd']
    """
    return next(csv.reader([text], strict=True), [])
