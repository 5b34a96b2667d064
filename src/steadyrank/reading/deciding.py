"""The one rule by which a table gets its kind and its roles: for files, frames, memory and engines.

Every kind proposes readings from the profile of the table. One is taken if its evidence is strong and no
other one's is; or, where the user named the kind or a column that settles it, if it is the best whose
columns are plain. Otherwise the table is refused, with at most three readings that were tried and work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
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
from steadyrank.reading.profile import ROWS, Column, Profile
from steadyrank.reading.proposals import ballots, battles, long, votes, wide
from steadyrank.reading.readings import EXACT, Asked, Reading
from steadyrank.reading.roles import (
    Resolved,
    as_list,
    missing,
    outside,
    split,
    taken_by,
    told,
)
from steadyrank.reading.table import Guess, Table, simplify
from steadyrank.reading.text_columns import NUMBER_BEGINS, TextColumn, with_decimal
from steadyrank.reading.words import known

Proposals = Callable[[Asked], Iterable[Reading]]
PROPOSE: dict[str, tuple[Proposals, ...]] = {
    "battles": (battles.battles,),
    "ratings": (long.ratings,),
    "ballots": (ballots.ballots,),
    "scores": (long.scores, wide.wide),
    "votes": (votes.votes, votes.given, votes.totals),
    "regression": (votes.regression,),
}
"""What proposes readings of each kind."""

Check = Callable[[Any, str | None], tuple[Any, list[tuple[dict[str, Any], str]]]]
"""Return data, and with what an answer can be asked for so that it exists, and why; or raise an error.

The scorer that goes with a reading is used where the user named none.
"""

SUGGESTED, ATTEMPTS = 3, 12
"""At most so many suggestions, of so many readings that are tried."""
FAINT = -5.0
"""Readings with fewer points are not suggested."""
RANKED, BY_WHAT = Option("item"), Option("score")
CHOOSE = (
    "Choose one of these, or name what is ranked (",
    RANKED,
    ") and by what (",
    BY_WHAT,
    ")",
)
"""The way out where something is suggested."""
CELLS = {"items", "ranked"}
"""Roles of columns that hold a number for each item, any of which may be missing."""
TRIED = 10 * ROWS
"""Beyond so many rows a suggestion is tried on the first ones before it is on all of them."""
LONGEST = max(map(len, known("sums")))
"""No longer names are those of sums."""
WIDE = 2000
"""Tables with more columns are only looked at as tables of scores."""


def as_they_are(data: Any, scorer: str | None) -> tuple[Any, list[Any]]:  # noqa: ARG001
    """Pass data that only have to be read."""
    return data, [({}, "")]


@dataclass
class Decision:
    """A table with all that was said about it, the readings that are proposed, and the one to take.

    Attributes
    ----------
    kinds : sequence of Kind
        Those to choose from.
    given_table : Table
        Its notes take up what was decided.
    given : mapping
        The arguments that the user gave, by name; None counts as not given.
    make : callable
        Makes the data of a resolved table; suggestions are tried with it.
    named_kind : bool
        Whether the user said the kind.
    check : callable
        What the data of a suggestion must pass: see :data:`Check`.
    """

    kinds: Sequence[Kind]
    given_table: Table
    given: Mapping[str, Any]
    make: Callable[[Resolved], Any]
    named_kind: bool
    check: Check = as_they_are

    def __post_init__(self) -> None:
        self.asked = {
            name: value for name, value in self.given.items() if value is not None
        }
        table = self.given_table
        if table.kind is not None and table.kind not in {
            kind.name for kind in self.kinds
        }:
            raise NotRecognisedError(
                f"{table.source} holds {table.kind}, not {self.kinds[0].name}",
                way_out=["Read it as ", Option("kind", table.kind)],
            )
        self.table = told(table, self.asked)

    @cached_property
    def profile(self) -> Profile:
        """What the table looks like."""
        return Profile.of(self.table)

    @property
    def readings(self) -> list[Reading]:
        """What is proposed, the best first."""
        return self._proposals[1]

    @cached_property
    def chosen(self) -> Reading | None:
        """The reading that is taken, None where none may be."""
        strong = folded([one for one in self.readings if one.strong])
        if len(strong) == 1:
            alike = (
                one
                for one in self.readings
                if one.kind is strong[0].kind and "choice" in one.roles
            )
            better = any(one.points > strong[0].points for one in alike)
            return None if better and not self.asked else strong[0]
        named = self.named_kind or self._proposals[0] or self.table.kind is not None
        if not named:
            return None
        firm = [one for one in (strong or self.readings) if one.firm]
        best = folded(sorted(firm, key=lambda one: -one.points))[:2]
        if not best or (len(best) > 1 and best[0].points <= best[1].points):
            return None
        return best[0]

    @cached_property
    def considered(self) -> list[Reading]:
        """The readings that work, at most three, that which is taken first."""
        others = [one for one in self.readings if one is not self.chosen]
        return [*self.mended, *self.suggestions(others, self.mended)]

    @cached_property
    def mended(self) -> list[Reading]:
        """The reading that is taken, with what it needs to work; none if nothing is, or none does."""
        return [] if self.chosen is None else self.suggestions([self.chosen])

    @property
    def mending(self) -> list[Reading]:
        """What to do where the reading that is taken fails: what it needs, or what else may leave."""
        return (
            self.considered if {"item", "score"} <= self.asked.keys() else self.mended
        )

    @cached_property
    def _proposals(self) -> tuple[bool, list[Reading]]:
        """Return whether a column that the user named settles the kind, and the readings, best first."""
        table, asked, kinds = self.table, self.asked, self.kinds
        possible = [kind for kind in kinds if kind.may_take(kind.in_its_words(asked))]
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
        settled = table.kind is None and len(possible) == 1 < len(kinds) and bool(asked)
        found: list[Reading] = []
        by_roles: list[Reading] = []
        faults: list[ColumnError] = []
        for kind in possible or kinds[:1]:
            try:
                named, settings = split(kind, table, own := kind.in_its_words(asked))
            except ColumnError as error:
                # What names columns of one kind may be something else of another.
                faults.append(error)
                continue
            said = [
                f
                for f in kind.forms
                if f.allows(named, settings) and f.settled_by(named)
            ]
            loosely = own != asked and not self.named_kind
            made = list(
                self._proposed(
                    Asked(kind, self.profile, named, settings, loosely=loosely)
                )
            )
            found += made
            by_roles += made if said else []
        if not found and faults:
            raise faults[0]
        distinct: dict[str, Reading] = {}
        for one in by_roles or found:
            distinct.setdefault(repr((one.kind.name, one.roles, one.options)), one)
        for one in distinct.values():
            one.options |= table.guessed
            one.strong &= not table.guessed
        ordered = sorted(distinct.values(), key=lambda one: (-one.strong, -one.points))
        return settled or bool(by_roles), ordered

    def _proposed(self, asked: Asked) -> Iterator[Reading]:
        few = len(asked.profile.columns) <= WIDE or self.table.kind is not None
        if few or asked.kind.name in {"scores", "regression"}:
            for propose in PROPOSE.get(asked.kind.name, (by_names,)):
                yield from propose(asked)

    def taken(self) -> Resolved:
        """Return the table with the roles of the reading that is taken, and note that; or refuse it."""
        if self.chosen is None:
            raise self.refusal()
        chosen = count_as_told(self.chosen)
        battles.refuse_draws(chosen, self.table)
        kind, notes = chosen.kind.name, self.table.notes
        if not self.named_kind and self.table.kind is None:
            why = f"recognised as {kind} {_because(chosen)}"
            notes.insert(0, Guess(why, kind, Option("kind")))
        elif not self.named_kind:
            notes.insert(0, f"recognised as {kind} by its format")
        return self.resolved(chosen, self.table)

    def resolved(self, reading: Reading, table: Table) -> Resolved:
        """Return the table with the roles and options of a reading, noted, and what the user said."""
        table.notes += reading.notes() if table.kind is None else []
        said = {**reading.options, **table.settings, **self.asked}
        settings = {
            name: value for name, value in said.items() if name in reading.kind.settings
        }
        if mark := reading.options.get("decimal"):
            table.spellings = {"": with_decimal(mark)}
        elif settings.get("decimal") is None:
            whole = dict.fromkeys(
                _holding(reading, "counts"), with_decimal(".")
            )  # without decimals
            table.spellings = {**table.spellings, **whole}
        about = {
            name: settings.pop(name)
            for name in list(settings)
            if is_about_reading(name)
        }
        roles, given = dict(reading.roles), frozenset(reading.given)
        return Resolved(
            reading.kind, reading.form, table, roles, settings, about, given
        )

    def refusal(self) -> NotRecognisedError | ColumnError:
        """Return the error that says what the table looks like, with readings that work."""
        table = self.table
        _check_first_line(table)
        offered = self.considered
        if not offered or offered[0].points <= 0:
            self._say_what_is_wrong()
        if not offered and self.named_kind:
            return missing(self.kinds[0], table, self.asked)
        shown = listing(
            (shorten(name, 20) for name in table.names[:3]), len(table.names)
        )
        return NotRecognisedError(
            f"this table does not say what it holds; the columns are {shown}",
            source=table.source,
            readings=offered,
            way_out=CHOOSE[: 0 if self.asked else None]
            if offered
            else self._what_is_missing(),
        )

    def _say_what_is_wrong(self) -> None:
        """Raise what the best reading stumbles over, if it is a number that is mistyped."""
        for reading in [one for one in self.readings if one.firm and one.points >= 2][
            :1
        ]:
            try:
                self.make(self.resolved(reading, _plain(self.profile.table)))
            except NotANumberError:
                raise
            except SteadyrankError:
                return

    def _what_is_missing(self) -> WayOut:
        """Return what to name where nothing was found that works."""
        profile = self.profile
        for left, right, words in profile.sides:
            if (
                profile[left].type == profile[right].type == "text"
                and len(words[0]) > 1
            ):
                both = Option("left", left), " and ", Option("right", right)
                return [
                    "No column says who won: name it beside ",
                    *both,
                    " as ",
                    Option("winner"),
                ]
        if not any(column.is_number for column in profile) or profile.rows < 2:
            needed = "A ranking needs names that repeat, or numbers beside names. Otherwise give "
            return [needed, Option("kind")]
        once = [
            c.name
            for c in profile
            if c.type == "text" and c.unique and profile.rows > 2
        ]
        why = (
            [f"Each {shorten(once[0])} has only one row, so nothing can be left out. "]
            if once
            else []
        )
        return [
            *why,
            "Name what is to be ranked with ",
            Option("item"),
            " and give ",
            Option("kind"),
        ]

    def suggestions(
        self, readings: Sequence[Reading], before: Sequence[Reading] = ()
    ) -> list[Reading]:
        """Return the best readings that work, at most three; each was tried, and mended if need be."""
        found, attempts, said = list(before), 0, {"item", "score"} <= self.asked.keys()
        ranked = not {"item", "choice"}.isdisjoint(self.asked)
        for reading in sorted(readings, key=lambda one: -one.points):
            same = sum(_ranked(one) == _ranked(reading) for one in found)
            again = (same > 1 and not ranked) or any(
                _are_same(one, reading, said) for one in found
            )
            likely = reading.points > FAINT or reading is self.chosen
            if likely and not again and len(found) < SUGGESTED and attempts < ATTEMPTS:
                attempts += 1
                found += self._tried(reading)
        return sorted(found[len(before) : SUGGESTED], key=lambda one: -one.points)

    def _tried(self, reading: Reading) -> list[Reading]:
        """Return a reading that works, as it is or mended, with each way to an answer; else nothing."""
        used = (
            taken_by(reading.roles)
            if reading.kind.name != "regression"
            else {*self.table.names}
        )
        columns = {
            name: self.table.columns[name] for name in self.table.names if name in used
        }
        whole = replace(self.table, columns=columns)
        usual = None if reading is self.chosen else reading.answer.get("scorer")
        first = self.profile.table
        first = replace(first, columns={name: first.columns[name] for name in columns})
        for trial in self._ways(reading):
            with suppress(SteadyrankError):
                some = (
                    self.make(self.resolved(trial, _plain(first)))
                    if len(whole) > TRIED
                    else None
                )
                made = self.make(self.resolved(trial, _plain(whole)))
                # Features that are independent in some rows are so in all.
                enough = some if reading.kind.name == "regression" else None
                data, ways = self.check(enough or made, usual)
                if len(data.items) < 2:
                    return []
                trial.items, trial.n_items = tuple(data.items[:3]), len(data.items)
                trial.make = self._made
                told = [
                    (answer, [*trial.against, *filter(None, [why])])
                    for answer, why in ways
                ]
                return [
                    replace(trial, answer=answer, against=against)
                    for answer, against in told
                ]
        return []

    def _ways(self, reading: Reading) -> Iterator[Reading]:
        """Yield a reading with what mends it: odd words and blanks dropped, a role less, decimals."""
        asked = self.asked
        mend = {
            name: value for name, value in reading.mend.items() if name not in asked
        }
        cells = taken_by(
            {role: reading.roles[role] for role in CELLS & reading.roles.keys()}
        )
        numbers = sorted(cells | _holding(reading, "numbers", "counts"), key=str)
        wrong = [name for name in numbers if not self.table.is_numeric(name)]
        words = [word for name in wrong for word in Column(self.table, name).odd_words]
        told = {*map(str, as_list(asked.get("drop", [])))}
        odd = [word for word in words if word not in told]
        mistyped = CELLS & reading.roles.keys() and any(
            word[0] in NUMBER_BEGINS for word in odd
        )
        if wrong and (not words or (odd and told) or mistyped):
            return
        none = [] if reading is self.chosen else self._no_items(reading)
        if odd := odd + none * ("drop" not in asked):
            blank = [""] * CELLS.isdisjoint(
                reading.roles
            )  # cells of a wide table may be missing
            mend["drop"] = list(dict.fromkeys([*blank, *mend.get("drop", []), *odd]))
        blanks = list(dict.fromkeys(["", *mend.get("drop", [])]))
        mends: list[dict[str, Any]] = [{}, {"drop": blanks}, {"decimal": "."}]
        if (
            "duplicates" in reading.kind.settings and "duplicates" not in mend
        ):  # further down, perhaps
            mends += [{"duplicates": "mean"}, {"drop": blanks, "duplicates": "mean"}]
        spare = {
            "weights",
            *({"winner"} & {*reading.form.may}),
        } & reading.roles.keys() - asked.keys()
        mends += [{"ignore": [reading.roles[role]]} for role in sorted(spare)]
        for more in (more for more in mends if asked.keys().isdisjoint(more)):
            trial = replace(reading, options={**reading.options, **mend, **more})
            gone = more.get("ignore", [])
            trial.roles = {
                role: name for role, name in reading.roles.items() if name not in gone
            }
            yield trial

    def _no_items(self, reading: Reading) -> list[str]:
        """Return what is ranked and called a sum of the others, or stands for nothing: NA."""
        name = reading.roles.get("item", reading.roles.get("choice"))
        if not isinstance(name, str):
            return []
        column = self.profile[name]
        sums = [
            one
            for one in column.labels
            if len(one) <= LONGEST and simplify(one) in known("sums")
        ]
        return column.missing_words + (sums if len(sums) + 2 <= column.distinct else [])

    def _made(self, reading: Reading) -> Any:
        return self.make(self.resolved(reading, _plain(self.table)))


def _holding(reading: Reading, *what: str) -> set[str]:
    """Return the columns that hold numbers, or counts, since their roles say so."""
    roles = reading.kind.roles
    return taken_by(
        {
            role: names
            for role, names in reading.roles.items()
            if roles[role].holds in what
        }
    )


def by_names(asked: Asked) -> Iterator[Reading]:
    """Propose the forms of a kind whose columns all have usual names: all that a new kind needs."""
    for form in asked.kind.forms:
        roles: dict[str, Any] = {}
        for role in form.needs:
            found = asked.candidates(role, lambda _: True, taken_by(roles))
            roles |= {role: found[0]} if found else {}
        if len(roles) == len(form.needs) and asked.allows(*form.roles):
            reading = asked.reading(
                {**roles, **asked.beside(form.may, taken_by(roles))}
            )
            levels = [asked.level(role, name) for role, name in roles.items()]
            reading.points, reading.firm = float(sum(levels)), True
            reading.strong = min(levels, default=0) >= EXACT
            yield reading


def count_as_told(reading: Reading) -> Reading:
    """Return a reading without a count that the user, who said other roles, did not say."""
    said = reading.given.keys() & reading.roles.keys() - {"unit", "weights"}
    count = reading.roles.get("count")
    if count is None or not said or "count" in said:
        return reading
    once = f"each row counted once, whatever {shorten(count)} says"
    note = Guess(once, once, Option("count", count))
    roles = {role: name for role, name in reading.roles.items() if role != "count"}
    return replace(reading, roles=roles, remarks=[*reading.remarks, note])


def folded(readings: Sequence[Reading]) -> list[Reading]:
    """Return readings without those that tell the same as a better one: wins beside games, say."""
    kept: list[Reading] = []
    for one in readings:
        better = [other for other in kept if other.points >= one.points]
        battles = one.kind.name == "battles" and any(
            other.kind.name == "battles" for other in better
        )
        if not (battles or any(_are_same(other, one) for other in better)):
            kept.append(one)
    return kept


def _ranked(reading: Reading) -> Any:
    """Return what is ranked."""
    name = reading.roles.get("item", reading.roles.get("choice"))
    way = reading.options.get("items_in")
    return object() if name is None and way is None else (name, way)


def _are_same(one: Reading, other: Reading, said: bool = False) -> bool:
    """Tell whether two readings hold the same values of the same items, as another kind perhaps.

    Where it was said which these are, readings differ in what leaves together.
    """
    if "items_in" in {*one.options, *other.options}:
        return False
    parts = [
        [each.roles.get(role) for role in ("item", "score", "rank")]
        for each in (one, other)
    ]
    apart = said and any(
        one.roles.get(unit) != other.roles.get(unit) for unit in ("user", "row")
    )
    return parts[0] == parts[1] and parts[0][0] is not None and not apart


def _because(reading: Reading) -> str:
    names = [
        name for role in reading.form.needs for name in as_list(reading.roles[role])
    ]
    return (
        f"by the columns {', '.join(map(shorten, names))}"
        if names
        else "by its columns of numbers"
    )


def _plain(table: Table) -> Table:
    """Return a table whose notes and spellings may be changed without changing the other's."""
    return replace(table, notes=list(table.notes), spellings=dict(table.spellings))


def _check_first_line(table: Table) -> None:
    """Refuse a text file whose first line is no header: its fields come again below it."""
    texts = {n: c for n, c in table.columns.items() if isinstance(c, TextColumn)}
    again = [name for name, column in texts.items() if (column.series == name).any()]
    enough = len(again) > 1 or len(table.names) == 1
    if (
        table.format in {"csv", "tsv"}
        and again
        and enough
        and 2 * len(again) >= len(texts)
    ):
        with table.errors():
            table.check_header(again[0], again)
