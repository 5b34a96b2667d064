"""Who won a battle: the spellings of results, and nothing beyond them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from steadyrank import errors
from steadyrank.errors import Option, shorten
from steadyrank.reading.cells import (
    BLANKS,
    cell_of,
    check_cell,
    first_row,
    is_blank,
    number,
)
from steadyrank.reading.codes import label_cells
from steadyrank.reading.query import literal
from steadyrank.reading.spellings import (
    COLUMN,
    LABEL,
    MEANS,
    SHARE,
    SPELLINGS,
    TIES,
    TRUTHS,
)

if TYPE_CHECKING:
    from steadyrank.reading.table import Table

LONGEST = 40  # no way of writing results has more words than that
WAY_OUT = (
    "Results are left/right/tie, model_a/model_b/tie, A/B/tie, A>B/B>A/A=B, 1-0/0-1/1/2-1/2, "
    "H/A/D, the share that the left side won (1, 0.5, 0), the label of the side that won, or "
    "the name of its column. Turn others into these with "
)


def winner_outcome(table: Table, left: str, right: str, winner: str) -> str:
    """Return the expression of an outcome: 1, 0 or -1, NULL in rows with a blank.

    A column is read in one way from top to bottom. Where its words fit two ways that
    differ in some row, or a word fits none, it is refused.
    """
    columns = (left, right, winner)
    blanks = (is_blank(cell_of(name), table.types[name]) for name in columns)
    present = f"not ({' or '.join(blanks)})"
    words = _words(table, winner, present)
    spelled = _spelled(words, left, right) if len(words) <= LONGEST else {}
    readings = {
        way: _by_word(winner, outcomes)
        for way, outcomes in spelled.items()
        if outcomes.keys() == {*words}
    }
    by_label = _by_label(table, left, right, winner)
    unknown = f"{present} and ({by_label[LABEL]}) is null"
    if not first_row(table, f"select 1 from held where {unknown} limit 1"):
        readings |= by_label
    if not readings:
        known = {word for outcomes in spelled.values() for word in outcomes}
        wrong = f"{unknown} and not {_is_one_of(_word(winner), known)}"
        way_out: errors.WayOut = [WAY_OUT, Option("sql"), "."]
        check_cell(table, winner, wrong, "is not a result of a battle", way_out)
        likeliest = max(spelled.values(), key=len)
        wrong = f"{present} and not {_is_one_of(_word(winner), likeliest)}"
        check_cell(table, winner, wrong, "is not spelled as other results are", way_out)
    for one, other in combinations(readings, 2):
        pair = {way: readings[way] for way in (one, other)}
        _check_same(table, winner, present, pair)
    return f"case when {present} then {next(iter(readings.values()))} end"


def _word(column: str) -> str:
    return f"{cell_of(column)}::varchar"


def _words(table: Table, column: str, present: str) -> list[str]:
    """Return the distinct words of a column, at most one more than results may have."""
    words = f"select distinct {_word(column)} from held where {present}"
    rows = table.con.execute(f"{words} limit {LONGEST + 1}").fetchall()
    return [word for (word,) in rows]


def _plain(word: str) -> str:
    return word.strip(BLANKS).lower()


def _by_word(column: str, outcomes: Mapping[str, int]) -> str:
    if not outcomes:  # no word at all
        return "cast(null as integer)"
    cases = (f"when {literal(word)} then {n}" for word, n in outcomes.items())
    return f"case {_word(column)} {' '.join(cases)} end"


def _is_one_of(word: str, words: Iterable[str]) -> str:
    listed = ", ".join(map(literal, words))
    return f"({word} in ({listed}))" if listed else "false"


def _spelled(words: Sequence[str], left: str, right: str) -> dict[str, dict[str, int]]:
    """Return what the words mean in each way to write results, without unknown ones."""
    ways: dict[str, dict[str, int]] = {}
    for way, (wins, losses, ties) in SPELLINGS.items():
        meanings = dict.fromkeys(ties, 0)
        meanings |= dict.fromkeys(wins, 1) | dict.fromkeys(losses, -1)
        ways[way] = _meant(words, meanings)
    ways[COLUMN] = _meant(words, dict.fromkeys(TIES, 0))
    ways[COLUMN] |= {name: n for name, n in ((left, 1), (right, -1)) if name in words}
    ways[SHARE] = {word: n for word in words if (n := _by_share(word)) is not None}
    return ways


def _meant(words: Sequence[str], meanings: Mapping[str, int]) -> dict[str, int]:
    return {word: meanings[_plain(word)] for word in words if _plain(word) in meanings}


def _by_share(word: str) -> int | None:
    try:
        share = None if "_" in word else float(word)
    except ValueError:
        return None
    return {1.0: 1, 0.5: 0, 0.0: -1}.get(share)  # type: ignore[arg-type]


def _by_label(table: Table, left: str, right: str, winner: str) -> dict[str, str]:
    """Return the outcome by the label of a side; of an item called "tie", both readings."""
    word = _word(winner)
    ties = f"lower(trim({word})) in ({', '.join(map(literal, TIES))})"
    tie = f"when {ties} then 0"
    sides = label_cells(table, [left, right])
    won = " ".join(
        f"when {word} = {side}::varchar then {n}"
        for side, n in zip(sides, (1, -1), strict=True)
    )
    readings = {LABEL: f"case {won} {tie} end"}
    if first_row(table, f"select 1 from held where {ties} limit 1"):
        readings["a word for a tie"] = f"case {tie} {won} end"
    return readings


def _check_same(
    table: Table, winner: str, present: str, readings: Mapping[str, str]
) -> None:
    one, other = readings.values()
    differing = f"({one}) is distinct from ({other})"
    row = first_row(
        table,
        f"select held.rowid, {cell_of(winner)}, {one}, {other} from held "
        f"where {present} and {differing} order by held.rowid limit 1",
    )
    if row:
        place, value, *outcomes = row
        meanings = (
            f"{MEANS[outcome]} as {way}"
            for outcome, way in zip(outcomes, readings, strict=True)
        )
        raise errors.InvalidDataError(
            f"{table.place(place)}, column {shorten(winner)}: {shorten(value)} can be "
            f"read in two ways: {', and '.join(meanings)}",
            source="",
            way_out=["Write left, right or tie instead with ", Option("sql"), "."],
        )


def points_outcome(
    table: Table, left_score: str, right_score: str, *, lower_is_better: bool
) -> str:
    """Return the expression of an outcome by points: equal points are a tie."""
    left, right = (
        number(cell_of(name), table.types[name]) for name in (left_score, right_score)
    )
    if lower_is_better:
        return f"sign({right} - {left})::integer"
    return f"sign({left} - {right})::integer"


def tie_outcome(table: Table, tie: str) -> str:
    """Return the expression of an outcome for the winner: 0 if tied, and else 1."""
    present = f"not {is_blank(cell_of(tie), table.types[tie])}"
    words = _words(table, tie, present)
    tied = _meant(words, TRUTHS) | {
        word: truth for word in words if (truth := _by_share(word)) in (1, -1)
    }
    outcomes = {word: int(truth < 1) for word, truth in tied.items()}
    wrong = f"{present} and not {_is_one_of(_word(tie), outcomes)}"
    way_out: errors.WayOut = ["Write true or false, yes or no, 1 or 0 with "]
    way_out = [*way_out, Option("sql"), "."]
    check_cell(table, tie, wrong, "is neither yes nor no", way_out)
    return _by_word(tie, outcomes)
