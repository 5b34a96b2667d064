"""The one rule by which a table gets its kind and its roles: for files, frames, memory and engines.

Every kind proposes readings from the profile of the table. One is taken if its evidence is strong and no
other one's is; or, where the user named the kind or a column that settles it, if it is the best whose
columns are plain. Otherwise the table is refused, with at most three readings that were tried and work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from steadyrank.errors import (
    ColumnError,
    NotANumberError,
    NotRecognisedError,
    Option,
    SteadyrankError,
    WayOut,
    listing,
    shorten,
)
from steadyrank.reading.declarations import Kind, is_about_reading
from steadyrank.reading.profile import ROWS, Profile
from steadyrank.reading.proposals import ballots, battles, long, votes, wide
from steadyrank.reading.readings import EXACT, Asked, Reading
from steadyrank.reading.roles import Resolved, as_list, missing, outside, split, taken_by, told
from steadyrank.reading.table import Guess, Table
from steadyrank.reading.text_columns import TextColumn, plain_number, with_decimal

Proposals = Callable[[Asked], Iterable[Reading]]
PROPOSE: dict[str, tuple[Proposals, ...]] = {
    "battles": (battles.battles,),
    "ratings": (long.ratings,),
    "ballots": (ballots.ballots,),
    "scores": (long.scores, wide.wide),
    "votes": (votes.votes,),
    "regression": (votes.regression,),
    "estimates": (votes.estimates,),
}
"""What proposes readings of each kind."""

SUGGESTED, OF_A_KIND, BEHIND = 3, 2, 7.0
"""At most so many suggestions, so many of one kind, none so many points behind the first."""
TRIED = 10 * ROWS
"""Up to so many rows a suggestion is tried on all of them, else on the first."""
WIDE = 2000
"""Tables with more columns are only looked at as tables of scores."""


def decide(
    kinds: Sequence[Kind],
    table: Table,
    given: Mapping[str, Any],
    make: Callable[[Resolved], Any],
    *,
    named_kind: bool,
) -> Resolved:
    """Return a table with its roles, or raise the refusal.

    Parameters
    ----------
    kinds : sequence of Kind
        Those to choose from.
    table : Table
        Its notes take up what was decided.
    given : mapping
        The arguments that the user gave, by name; None counts as not given.
    make : callable
        Makes the data of a resolved table; suggestions are tried with it.
    named_kind : bool
        Whether the user said the kind.
    """
    asked = {name: value for name, value in given.items() if value is not None}
    _check_format(kinds, table)
    whole = told(table, asked)
    settled, readings = proposals(kinds, whole, asked)
    chosen = _chosen(readings, named_kind=named_kind or settled or table.kind is not None)
    if chosen is None:
        raise refusal(kinds, whole, asked, readings, make, named_kind=named_kind)
    return _taken(chosen, whole, asked, named_kind=named_kind)


def considered(
    kinds: Sequence[Kind],
    table: Table,
    given: Mapping[str, Any],
    make: Callable[[Resolved], Any],
    *,
    named_kind: bool,
) -> tuple[list[Reading], bool]:
    """Return the readings that work, at most three, and whether the first of them is taken."""
    asked = {name: value for name, value in given.items() if value is not None}
    whole = told(table, asked)
    settled, readings = proposals(kinds, whole, asked)
    chosen = _chosen(readings, named_kind=named_kind or settled or table.kind is not None)
    others = suggestions(whole, asked, [one for one in readings if one is not chosen], make)
    first = [] if chosen is None else suggestions(whole, asked, [chosen], make, least=-BEHIND)
    return [*first, *others][:SUGGESTED], bool(first)


def proposals(
    kinds: Sequence[Kind], table: Table, asked: Mapping[str, Any]
) -> tuple[bool, list[Reading]]:
    """Return whether a column that the user named settles the kind, and the readings, best first."""
    possible = [kind for kind in kinds if asked.keys() <= kind.declared.keys()]
    possible = [kind for kind in possible if not outside(kind, asked)] or possible
    if not possible and len(kinds) > 1:
        raise NotRecognisedError(
            f"no kind of data takes {listing(map(shorten, asked))}"
            + (" together" if len(asked) > 1 else ""),
            source=table.source,
            way_out=["Give ", Option("kind")],
        )
    if table.kind is not None:
        possible = [kind for kind in kinds if kind.name == table.kind]
    _check_apart(table)
    profile, found, faults = Profile.of(table), [], []
    settled = table.kind is None and len(possible) == 1 < len(kinds) and bool(asked)
    by_roles: list[Reading] = []
    for kind in possible or kinds[:1]:
        try:
            named, settings = split(kind, table, asked)
        except ColumnError as error:
            # What names columns of one kind may be something else of another.
            faults.append(error)
            continue
        said = [form for form in kind.forms if form.allows(named, settings) and form.settled_by(named)]
        made = list(_proposed(kind, profile, named, settings, by_format=table.kind is not None))
        found += made
        by_roles += made if said else []
    if not found and faults:
        raise faults[0]
    settled, found = settled or bool(by_roles), by_roles or found
    distinct: dict[str, Reading] = {}
    for one in found:
        distinct.setdefault(repr((one.kind.name, one.roles, one.options)), one)
    return settled, sorted(distinct.values(), key=lambda one: (-one.strong, -one.points))


def _proposed(
    kind: Kind,
    profile: Profile,
    named: Mapping[str, Any],
    settings: Mapping[str, Any],
    *,
    by_format: bool,
) -> Iterator[Reading]:
    view = Asked(kind, profile, named, settings)
    if len(profile.columns) > WIDE and not by_format and kind.name not in {"scores", "regression"}:
        return
    for propose in PROPOSE.get(kind.name, (by_names,)):
        yield from propose(view)


def by_names(asked: Asked) -> Iterator[Reading]:
    """Propose the forms of a kind whose columns all have usual names: all that a new kind needs."""
    for form in asked.kind.forms:
        roles: dict[str, Any] = {}
        for role in form.needs:
            found = asked.candidates(role, lambda _: True, taken_by(roles))
            roles |= {role: found[0]} if found else {}
        if len(roles) == len(form.needs) and asked.allows(*form.roles):
            reading = asked.reading({**roles, **asked.beside(form.may, taken_by(roles))})
            levels = [asked.level(role, name) for role, name in roles.items()]
            reading.points, reading.firm = float(sum(levels)), True
            reading.strong = min(levels, default=0) >= EXACT
            yield reading


def _check_format(kinds: Sequence[Kind], table: Table) -> None:
    if table.kind is not None and table.kind not in {kind.name for kind in kinds}:
        raise NotRecognisedError(
            f"{table.source} holds {table.kind}, not {kinds[0].name}",
            way_out=["Read it as ", Option("kind", table.kind)],
        )


def _chosen(readings: Sequence[Reading], *, named_kind: bool) -> Reading | None:
    """Return the reading that is taken, None where none may be."""
    strong = folded([one for one in readings if one.strong])
    if len(strong) == 1:
        return strong[0]
    if strong and not named_kind:
        return None
    firm = [one for one in (strong or readings) if one.firm] if named_kind else []
    best = folded(sorted(firm, key=lambda one: -one.points))[:2]
    if not best or (len(best) > 1 and best[0].points <= best[1].points):
        return None
    return best[0]


def folded(readings: Sequence[Reading]) -> list[Reading]:
    """Return readings without those that tell the same as a better one: wins beside games, say."""
    kept: list[Reading] = []
    for one in readings:
        if not any(_tells(other, one) for other in kept):
            kept.append(one)
    return kept


def _tells(better: Reading, other: Reading) -> bool:
    """Tell whether two readings are the same battles, or the same values of the same items."""
    if better.kind.name == other.kind.name == "battles":
        return better.points >= other.points
    if "items_in" in {*better.options, *other.options} or better.points < other.points:
        return False
    parts = [[one.roles.get(role) for role in ("item", "score", "rank")] for one in (better, other)]
    return parts[0] == parts[1] and parts[0][0] is not None


def _taken(chosen: Reading, table: Table, asked: Mapping[str, Any], *, named_kind: bool) -> Resolved:
    """Return the table with the roles of a reading, and note what was decided."""
    if not named_kind and table.kind is None:
        why = f"recognised as {chosen.kind.name} {_because(chosen)}"
        table.notes.insert(0, Guess(why, chosen.kind.name, Option("kind")))
    elif table.kind is not None and not named_kind:
        table.notes.insert(0, f"recognised as {chosen.kind.name} by its format")
    if table.kind is None:
        table.notes += chosen.notes()
    return resolved(chosen, table, asked)


def resolved(reading: Reading, table: Table, asked: Mapping[str, Any]) -> Resolved:
    """Return the table with the roles and options of a reading, and what the user said."""
    settings = {**table.settings, **{n: v for n, v in asked.items() if n in reading.kind.settings}}
    if settings.get("decimal") is None:
        roles = reading.kind.roles
        counted = {role: name for role, name in reading.roles.items() if roles[role].holds == "counts"}
        whole = dict.fromkeys(taken_by(counted), with_decimal("."))  # they have no decimals
        table.spellings = {**table.spellings, **whole}
    about = {name: settings.pop(name) for name in list(settings) if is_about_reading(name)}
    return reading.resolved(table, settings, about)


def _because(reading: Reading) -> str:
    names = [name for role in reading.form.needs for name in as_list(reading.roles[role])]
    return f"by the columns {', '.join(map(shorten, names))}" if names else "by its columns of numbers"


def refusal(
    kinds: Sequence[Kind],
    table: Table,
    asked: Mapping[str, Any],
    readings: Sequence[Reading],
    make: Callable[[Resolved], Any],
    *,
    named_kind: bool,
) -> NotRecognisedError | ColumnError:
    """Return the error that says what the table looks like, with readings that work."""
    _check_first_line(table)
    offered = suggestions(table, asked, readings, make)
    if not offered:
        _say_what_is_wrong(table, asked, readings, make)
    if not offered and named_kind:
        return missing(kinds[0], table, asked)
    shown = listing((shorten(name, 20) for name in table.names[:3]), len(table.names))
    return NotRecognisedError(
        f"this table does not say what it holds; the columns are {shown}",
        source=table.source,
        readings=offered,
        way_out=() if offered else _what_is_missing(table),
    )


def _check_first_line(table: Table) -> None:
    """Refuse a text file whose first line is no header: its fields come again below it."""
    texts = {n: c for n, c in table.columns.items() if isinstance(c, TextColumn)}
    again = [name for name, column in texts.items() if column.holds(name)]
    enough = len(again) > 1 or len(table.names) == 1
    if table.format in {"csv", "tsv"} and again and enough and 2 * len(again) >= len(texts):
        with table.errors():
            table.check_header(again[0], again)


def _say_what_is_wrong(
    table: Table, asked: Mapping[str, Any], readings: Sequence[Reading], make: Callable[[Resolved], Any]
) -> None:
    """Raise what the best reading stumbles over, if it is a number that is mistyped."""
    best = [one for one in readings if one.firm and one.points >= 2][:1]
    for reading in best:
        try:
            make(resolved(reading, _plain(table), asked))
        except NotANumberError:
            raise
        except SteadyrankError:
            return


def _what_is_missing(table: Table) -> WayOut:
    """Return what to name where nothing was found that works."""
    profile = Profile.of(table)
    for left, right, words in profile.sides:
        if profile[left].type == profile[right].type == "text" and len(words[0]) > 1:
            both = Option("left", left), " and ", Option("right", right)
            return ["No column says who won: name it beside ", *both, " as ", Option("winner")]
    return ["Name what is to be ranked with ", Option("item"), " and give ", Option("kind")]


def suggestions(
    table: Table,
    asked: Mapping[str, Any],
    readings: Sequence[Reading],
    make: Callable[[Resolved], Any],
    least: float = 0.0,
) -> list[Reading]:
    """Return the best readings that work, at most three; each was tried, mended where it needs it."""
    found: list[Reading] = []
    for reading in sorted(readings, key=lambda one: -one.points):
        if len(found) == SUGGESTED or (found and found[0].points - reading.points > BEHIND):
            break
        alike = sum(one.kind.name == reading.kind.name for one in found)
        if reading.points <= least or alike >= OF_A_KIND:
            continue
        if (tried := _tried(reading, table, asked, make)) is not None:
            found.append(tried)
    return found


def _tried(
    reading: Reading, table: Table, asked: Mapping[str, Any], make: Callable[[Resolved], Any]
) -> Reading | None:
    """Return a reading that works, as it is or mended, with what it would rank; None if none does."""
    some = table if len(table) <= TRIED else Profile.of(table).table
    used = taken_by(reading.roles) if reading.kind.name != "regression" else {*table.names}
    some = replace(some, columns={name: some.columns[name] for name in some.names if name in used})
    mend = {name: value for name, value in reading.mend.items() if name not in asked}
    numbers = [
        name for role, name in reading.roles.items() if reading.kind.roles[role].holds == "numbers"
    ]
    numbers += (
        reading.roles["items"] if "items" in reading.kind.roles and "items" in reading.roles else []
    )
    if not all(table.is_numeric(name) for name in taken_by({"": numbers})):
        return None
    for options in (mend, mend if "drop" in asked else {**mend, "drop": [""]}):
        mended = {**reading.options, **options}
        try:
            trial = _copied(reading, mended)
            data = make(resolved(trial, _plain(some), asked))
        except SteadyrankError:
            continue
        trial.items, trial.n_items = tuple(data.items[:3]), len(data.items)
        if trial.n_items < 2:
            return None
        trial.make = lambda one: make(_taken(one, _plain(table), asked, named_kind=True))
        return trial
    return None


def _copied(reading: Reading, options: dict[str, Any]) -> Reading:
    return replace(reading, options=options)


def _plain(table: Table) -> Table:
    """Return a table whose notes and spellings may be changed without changing the other's."""
    return replace(table, notes=list(table.notes), spellings=dict(table.spellings))


def _check_apart(table: Table) -> None:
    """Refuse a table of one column whose fields are many: apart by blanks, with numbers among them."""
    if len(table.names) != 1 or table.kind is not None:
        return
    size = len(str(table.names[0]).split())
    rows = [str(cell).split() for cell in table.cells(table.names[0])[:100]]
    if size > 1 and rows and all(size <= len(row) <= size + 1 and _numbers(row) for row in rows):
        raise NotRecognisedError(
            f"blanks seem to part the fields of the only column {shorten(table.names[0])}",
            source=table.source,
            way_out="Put commas or tabs between them.",
        )


def _numbers(row: Sequence[str]) -> bool:
    return any(plain_number(word) is not None for word in row)
