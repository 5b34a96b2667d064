"""A reading of a table: its kind, which column plays which part, and what speaks for and against it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from steadyrank.errors import Option, listing, shorten, typed_name
from steadyrank.reading.declarations import Form, Kind
from steadyrank.reading.profile import FEW, Column, Profile, kept
from steadyrank.reading.roles import as_list, taken_by
from steadyrank.reading.table import Guess, simplify
from steadyrank.reading.words import known
from steadyrank.text import typed_list

SAID, EXACT, NOUN, NOTHING = 3, 2, 1, 0
"""How well a name tells that a column plays a role: it was said, is a usual name, or its noun is."""

ADDRESS = re.compile(r"(\w{2,})?url|link|href|filename|filepath|avatar|thumbnail")
ADDRESSES, RECORDS = ("http:", "https:", "data:"), ("[{", "{")
"""How addresses begin, which name things where nothing else does, and records, which do not."""
SHORT = 5.0
"""Names of fewer letters, on average, may be short for longer ones."""
MOST_LETTERS = 4
"""Among more columns, one that is called by a letter may be anything."""
MANY = 5
"""After so many columns that nothing explains, it does not matter how many more there are."""
AS_WEIGHT = " (how much each one counts, not how often it occurs)"


def typed_words(name: str, value: object) -> list[str]:
    """Return an option as one types it, also where its value looks like an option or is blank."""
    option, text = (
        typed_name(name),
        typed_list(value) if isinstance(value, list | tuple) else str(value),
    )
    if value is True:
        return [option]
    return [f"{option}={text}"] if text.startswith("-") or not text else [option, text]


@dataclass
class Reading:
    """One complete way to read a table.

    Attributes
    ----------
    kind : Kind
    roles : dict
        For each role its column, or a list of columns.
    options : dict
        Settings that go with it.
    support, against : list of str
        The evidence, in sentences.
    points : float
        How much speaks for it; this only orders suggestions.
    strong : bool
        Whether names and shape of all its roles agree, every other column is explained, and nothing
        speaks against it.
    firm : bool
        Whether the columns are settled once the kind is: by their names, or since no other could be.
    given : mapping
        What the user said, which commands need not repeat.
    implied : frozenset of str
        Roles that follow from the others, which commands need not say.
    mend : dict
        Options without which it may fail on some rows; a suggestion that needs them has them.
    remarks : list of str
        What the data note if they are read so, beside the roles.
    answer : dict
        What an answer must be asked for with, so that it exists without any unit: a scorer, say.
    items, n_items : tuple and int
        What it would rank, once it was tried: the first three, and how many.
    make : callable, optional
        What reads it, once it was tried.
    """

    kind: Kind
    roles: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)
    support: list[str] = field(default_factory=list)
    against: list[str] = field(default_factory=list)
    points: float = 0.0
    strong: bool = False
    firm: bool = False
    given: Mapping[str, Any] = field(default_factory=dict)
    implied: frozenset[str] = frozenset()
    mend: dict[str, Any] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    answer: dict[str, Any] = field(default_factory=dict)
    items: tuple[object, ...] = ()
    n_items: int = 0
    make: Callable[[Reading], Any] | None = None

    def weigh(self, fact: object, points: float, told: str = "") -> bool:
        """Take up a fact, if it is one: its points, and a sentence for the reading or against it."""
        if fact:
            self.points += points
            reasons = self.support if points > 0 else self.against
            reasons += [told] if told else []
        return bool(fact)

    @property
    def arguments(self) -> dict[str, Any]:
        """What to tell ``read_any`` beside what was told already."""
        told = {"kind": self.kind.name, **self.roles, **self.options}
        return {
            n: value
            for n, value in told.items()
            if n not in self.given and n not in self.implied
        }

    @property
    def typed(self) -> list[str]:
        """The same as options of the command line."""
        given = {**self.arguments, **self.answer}
        return [
            word for name, value in given.items() for word in typed_words(name, value)
        ]

    def command(self, *words: str) -> list[str]:
        """Return the words of a command, with what makes it this reading; each option once."""
        told = any(word.partition("=")[0] == "--kind" for word in words)
        return ["steadyrank", *words, *self.typed[2 * told :]]

    def read(self) -> Any:
        """Return the data, read so."""
        if self.make is None:
            raise RuntimeError("a reading is read by those who propose it")
        return self.make(self)

    def __str__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"read_any(..., {told})"

    @property
    def form(self) -> Form:
        """How the table holds the data."""
        for form in self.kind.forms:
            complete = {*form.needs} <= self.roles.keys() <= form.roles
            if complete and form.allows({}, self.options):
                return form
        return self.kind.forms[-1]

    @property
    def ranks(self) -> str:
        """What it would rank, in words."""
        shown = listing(
            (str(shorten(item, 30)) for item in self.items[:3]), self.n_items
        )
        return f"ranks {self.n_items:,} {'item' if self.n_items == 1 else 'items'}: {shown}"

    def notes(self) -> Iterator[str]:
        """Yield a note for each role and option that nobody said."""
        told = {
            "items",
            *(("row", "item") if "items_in" in self.options else ()),
        }  # by remarks
        for role, value in self.roles.items():
            if role in self.given or role in told:
                continue
            names = ", ".join(map(shorten, as_list(value)))
            part = role.replace("_", " of the ")
            part += " side" * part.endswith(("left", "right")) + AS_WEIGHT * (
                role == "weights"
            )
            brief = (
                "" if simplify(value) == simplify(role) else f"{names} as the {part}"
            )
            yield Guess(f"column {names} read as the {part}", brief, Option(role))
        yield from self.remarks


class Asked:
    """A profile seen by one kind of data, with what the user said of it, or loosely of any kind."""

    def __init__(
        self,
        kind: Kind,
        profile: Profile,
        named: Mapping[str, Any],
        settings: Mapping[str, Any],
        *,
        loosely: bool = False,
    ) -> None:
        self.kind, self.profile, self.named, self.settings = (
            kind,
            profile,
            named,
            settings,
        )
        self.loosely = loosely
        people = [named[role] for role in ("unit", "weights") if role in named]
        self.apart = {name for role in people for name in as_list(role)}

    def allows(self, *roles: str, **options: Any) -> bool:
        """Tell whether what the user said goes with these roles and options."""
        others = self.named.keys() - {*roles, "unit", "weights"}
        clash = (
            self.settings.get(name, value) != value for name, value in options.items()
        )
        return not others and not any(clash)

    def level(self, role: str, name: Any) -> int:
        """Return how well the name of a column tells that it plays a role."""
        if role in self.named:
            return SAID
        if isinstance(name, list | tuple):
            return min((self.level(role, one) for one in name), default=NOTHING)
        return self.called(role, name)

    @kept
    def called(self, role: str, name: str) -> int:
        """Return how well the name tells it, whatever was said."""
        column, names = self.profile[name], self.kind.roles[role].names
        lone = len(column.simple) == 1 and len(self.profile.columns) > MOST_LETTERS
        if lone and role != "response":
            return NOTHING  # R may be runs
        if column.simple in names or (column.bare and column.bare in names):
            return EXACT
        names_it = column.noun and column.noun in self._nouns(role)
        counted = column.counts_things and self.kind.roles[role].holds not in {
            "numbers",
            "counts",
        }
        return NOUN if names_it and not counted else NOTHING

    def _called_like(self, role: str) -> list[str]:
        """Return the columns whose names may tell that they play a role; a table may have very many."""
        names, nouns = (
            self.profile.by_name,
            self._nouns(role) & self.profile.by_noun.keys(),
        )
        found = {
            column
            for name in self.kind.roles[role].names
            for column in names.get(name, ())
        }
        found.update(column for noun in nouns for column in self.profile.by_noun[noun])
        return [name for name in self.profile.columns if name in found] if found else []

    @kept
    def _nouns(self, role: str) -> set[str]:
        units = {*known("units")} - {*known("user_columns")} if role == "row" else set()
        return units | {
            name.removesuffix("s")
            for name in self.kind.roles[role].names
            if len(name) > 3
        }

    def candidates(
        self, role: str, fits: Callable[[Column], bool], taken: Iterable[object] = ()
    ) -> list[str]:
        """Return the columns that may play a role: as said; else those of fitting names, best first."""
        if role in self.named:
            return [self.named[role]]
        out = {*self.apart, *taken, *taken_by(self.named)}
        names = self.kind.roles[role].names
        place = {name: number for number, name in enumerate(names)}
        levels = {
            one: self.level(role, one)
            for one in self._called_like(role)
            if one not in out
        }
        order = {
            name: (
                not fits(self.profile[name]),
                -level,
                place.get(
                    self.profile[name].simple,
                    place.get(self.profile[name].bare, len(place)),
                ),
            )
            for name, level in levels.items()
        }
        # A usual name tells more than what stands below it, which may be faulty.
        kept = [name for name in order if not order[name][0] or levels[name] >= EXACT]
        return sorted(kept, key=order.__getitem__)

    def is_spelt_out(self, name: str) -> bool:
        """Tell whether a column holds ids or short names, and another one the names for them."""
        column, said = self.profile[name], self.profile.determined
        others = [
            c for c in self.label_columns[:12] if c.name != name and c.distinct > 2
        ]
        if column.is_id:
            return any(said(one.name, name) for one in others)
        longer = (c.name for c in others if c.letters > 2 * column.letters)
        return column.letters < SHORT and any(
            said(one, name) and said(name, one) for one in longer
        )

    def without(self, reading: Reading, *words: str) -> dict[str, Any]:
        """Return what leaves out values that may stand for none, and say so unless it is settled."""
        if "drop" in self.settings:
            return {}
        stand = "stands" if len(words) == 1 else "stand"
        reading.weigh(
            True, 0, f"{listing(words)} perhaps {stand} for no value: left out"
        )
        gaps = {"missing": "available"} if self.kind.name == "scores" else {}
        return {**gaps, "drop": [*reading.mend.get("drop", []), *words]}

    def beside(
        self, form_may: Iterable[str], taken: Iterable[object]
    ) -> dict[str, Any]:
        """Return the roles that may be there beside others: counts, weights, ties, by their names."""
        found: dict[str, Any] = {}
        for role in form_may:
            if role in self.named:
                found[role] = self.named[role]
                continue
            part = self.kind.roles[role]
            out = {*taken, *taken_by(found), *taken_by(self.named)}
            called = (
                c
                for c in self.profile.called(*part.names)
                if not self._is_size(role, c)
            )
            # A count that is mistyped is said where it is; words count nothing.
            numbers = (
                c
                for c in called
                if c.is_number or (role != "weights" and c.holds_numbers)
            )
            exact = [c.name for c in numbers if c.name not in out]
            if exact:
                found[role] = exact if part.several else exact[0]
        if "unit" in self.named:
            found["unit"] = self.named["unit"]
        return found

    def _is_size(self, role: str, column: Column) -> bool:
        """Tell whether a column counts the rows, or is called n and tells how large each sample was."""
        sizes = role == "count" and self.kind.name == "votes" and column.simple == "n"
        numbers = (
            c for c in self.profile if c.type == "number" and not (c.is_id or c.is_time)
        )
        return column.counts_rows or (
            sizes and any(c.name != column.name for c in numbers)
        )

    def unexplained(
        self, taken: Iterable[object], *keys: str, flags: bool = True
    ) -> list[str]:
        """Return the columns that nothing explains, beside those that play a role.

        Explained are columns that say when, number rows, hold one value or remarks, are called like a
        unit, or are told by the keys: the title by the film, the country by the player.
        """
        used = {*taken, *self.apart}
        found = []
        for column in self.profile:
            if (
                column.name in used
                or column.is_time
                or column.is_id
                or column.distinct <= 1
            ):
                continue
            if column.type == "flag" and not flags:
                continue
            if column.type in {"empty", "list", "date"} or column.noun in known(
                "units", "remarks", "replicates"
            ):
                continue
            remark = (
                column.type == "text"
                and 10 * column.distinct > 9 * column.present > 100
            )
            if remark or any(
                self.profile[key].repeats and self.profile.determined(column.name, key)
                for key in keys
            ):
                continue
            found.append(column.name)
            if len(found) == MANY:
                break
        return found

    def reading(self, roles: Mapping[str, Any], **options: Any) -> Reading:
        """Return a reading with these roles and options, before anything is weighed."""
        chosen = {name: value for name, value in options.items() if value is not None}
        given = {**self.named, **self.settings}
        made = Reading(self.kind, dict(roles), {**chosen}, given=given)
        made.options |= {n: v for n, v in self.settings.items() if n in made.options}
        return made

    @cached_property
    def key(self) -> str | None:
        """The first column of names, if each row has another: what the table is a list of."""
        first = next((c for c in self.label_columns if not c.is_id), None)
        return (
            first.name if first and first.unique and self.profile.rows > FEW else None
        )

    @cached_property
    def label_columns(self) -> list[Column]:
        """The columns of text that may name things, those with few values first."""
        found = [
            c for c in self.profile if c.type == "text" and c.name not in self.apart
        ]
        found = [
            c for c in found if c.distinct > 1 and not c.labels[0].startswith(RECORDS)
        ]
        plain = [c for c in found if not any(map(ADDRESS.fullmatch, c.words))]
        return [c for c in plain if not c.labels[0].startswith(ADDRESSES)] or found


def quoted(*names: str) -> str:
    """Return names of columns for sentences."""
    return (
        " and ".join(map(shorten, names))
        if len(names) < 3
        else listing(map(shorten, names))
    )
