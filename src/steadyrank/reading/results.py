"""Who won a battle: the spellings of results, and nothing beyond them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from steadyrank import errors
from steadyrank.errors import Option, shorten
from steadyrank.reading.cells import (
    cell_of,
    check_cells,
    first_row,
    is_blank,
    number,
    trimmed,
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
    """Return the expression of an outcome: 1, 0 or -1, NULL where the winner is blank.

    A column is read in one way from top to bottom. Where its words fit two ways that
    differ in some row, or a word fits none, it is refused.
    """
    readings = _readings(table, left, right, winner)
    blank = " or ".join(is_blank(table, column) for column in (left, right, winner))
    present = f"not ({blank})"
    unknown = ", ".join(
        f"count(*) filter ({present} and ({outcome}) is null)"
        for outcome in readings.values()
    )
    n_unknown = first_row(table, f"select {unknown} from held")
    whole = [way for way, wrong in zip(readings, n_unknown, strict=True) if not wrong]
    if not whole:
        likeliest = min(zip(n_unknown, readings, strict=True), key=lambda pair: pair[0])
        wrong = f"{present} and ({readings[likeliest[1]]}) is null"
        also_known = " or ".join(f"({way}) is not null" for way in readings.values())
        if first_row(table, f"select 1 from held where {wrong} and not ({also_known})"):
            wrong = f"{wrong} and not ({also_known})"
        problem = "is not a result of a battle"
        check_cells(table, {winner: wrong}, problem, [WAY_OUT, Option("sql"), "."])
    for one, other in combinations(whole, 2):
        _check_same(
            table, winner, present, {way: readings[way] for way in (one, other)}
        )
    return f"case when {present} then {readings[whole[0]]} end"


def _readings(table: Table, left: str, right: str, winner: str) -> dict[str, str]:
    """Return the expression of the outcome for each way to read the words."""
    word = f"{cell_of(winner)}::varchar"
    spelled = f"lower({trimmed(word)})"
    sides = [f"{cell}::varchar" for cell in label_cells(table, [left, right])]
    tie = f"{spelled} in ({', '.join(map(literal, TIES))})"
    won = [
        f"when {word} = {side} then {n}" for side, n in zip(sides, (1, -1), strict=True)
    ]
    readings = {
        LABEL: f"case {' '.join(won)} when {tie} then 0 end",
        "a word for a tie": f"case when {tie} then 0 {' '.join(won)} end",
    }
    words = table.con.execute(
        f"select distinct {spelled} from held where not {is_blank(table, winner)} "
        f"limit {LONGEST + 1}"
    ).fetchall()
    if len(words) > LONGEST:
        return readings
    for way, spellings in SPELLINGS.items():
        readings[way] = _by_words(
            spelled, dict(zip((1, -1, 0), spellings, strict=True))
        )
    names = {1: (left,), -1: (right,)}
    by_name = _by_words(word, names).removesuffix(" end")
    readings[COLUMN] = f"{by_name} when {tie} then 0 end"
    value = f"try_cast({spelled} as double)"
    share = f"when {value} in (0, 0.5, 1) then (2 * {value} - 1)::integer"
    readings[SHARE] = f"case when contains({spelled}, '_') then null {share} end"
    return readings


def _by_words(word: str, meanings: Mapping[int, Sequence[str]]) -> str:
    cases = (
        f"when {word} in ({', '.join(map(literal, words))}) then {result}"
        for result, words in meanings.items()
    )
    return f"case {' '.join(cases)} end"


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
    left, right = number(table, left_score), number(table, right_score)
    if lower_is_better:
        return f"sign({right} - {left})::integer"
    return f"sign({left} - {right})::integer"


def tie_outcome(table: Table, tie: str | None) -> str:
    """Return the expression of an outcome for the winner: 0 if tied, and else 1."""
    if tie is None:
        return "1"
    word = f"lower({trimmed(f'{cell_of(tie)}::varchar')})"
    value = f"try_cast({word} as double)"
    cases = " ".join(f"when {literal(text)} then {1 - n}" for text, n in TRUTHS.items())
    whole = f"when {value} in (0, 1) and not contains({word}, '_') then 1 - {value}"
    outcome = f"coalesce(case {word} {cases} end, case {whole} end)::integer"
    wrong = f"not {is_blank(table, tie)} and {outcome} is null"
    problem = "is neither yes nor no"
    way_out: errors.WayOut = [
        "Write true or false, yes or no, 1 or 0 with ",
        Option("sql"),
        ".",
    ]
    check_cells(table, {tie: wrong}, problem, way_out)
    return outcome
