"""Ballot files with a grammar of their own, as a table of ballots and their counts.

PrefLib has orders (.soc .soi .toc .toi) and categories (.cat). Counts of STV elections
give the number of equal ballots first and the names last: .blt with blanks between, the
Scottish .csv with commas.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from steadyrank.errors import EmptyDataError, listing, shorten
from steadyrank.reading.text_files import Packed
from steadyrank.reading.written import Part, Record, recorded

# Every quantifier keeps what it took ("++"): no line is gone over again and again.
HEADER = re.compile(r"#\s*+([A-Z]++(?: ++[A-Z]++)*+)\s*+([0-9]*+)\s*+:(.*+)\Z")
COUNT = re.compile(r"[0-9]{1,18}\s*+\Z")
NUMBER = r"\s*+[0-9]{1,18}+\s*+"
TIED = rf"\s*+\{{(?:{NUMBER}(?:,{NUMBER})*+|\s*+)\}}\s*+"
ORDER = re.compile(rf"(?:{NUMBER}|{TIED})(?:,(?:{NUMBER}|{TIED}))*+\Z")
TIER = re.compile(r"\{[^}]*\}|[0-9]+")
NUMBERS = re.compile(r"[0-9]+")
PROMISED = ("NUMBER ALTERNATIVES", "NUMBER VOTERS", "NUMBER UNIQUE ORDERS")
QUOTED = re.compile(r'"([^"]*)"')
CANDIDATE = re.compile(r"Candidate (\d{1,6})\Z", re.ASCII)
SCOTTISH = re.compile(rb"\d++,\d++,?[ \r]*+\n(?:\d++(?:,\d++)++,[ \r]*+\n)++")
CUT_SHORT = "It is cut short or was changed: get it again."
OLD_FORM = "PrefLib files from before 2022 have another form: get the present one."

Order = list[list[int]]  # numbers of candidates, tier by tier


@dataclass
class Grammar:
    """The ballots of a file, and what its grammar proves.

    Parameters
    ----------
    said : mapping
        The roles of the columns.
    catalogue : tuple of str
        The names of all candidates.
    notes : list of str
        What a reader of the answer should know.
    """

    file: Packed
    said: dict[str, str] = field(default_factory=dict)
    catalogue: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    labels: dict[int, str] = field(default_factory=dict)
    ballots: list[tuple[int, int, Order]] = field(default_factory=list)

    def open(self, copy: Path) -> Part:
        """Write the ballots as text to the free path ``copy``, for a query over them."""
        if not self.ballots:
            raise EmptyDataError(
                f"{self.file.name} holds no ballots", way_out=CUT_SHORT
            )
        return recorded(self.file.name, self._records, copy)

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line that is not blank, with its number."""
        self.file.look()
        with self.file.lines() as lines:
            for number, text in enumerate(lines, 1):
                if text.strip():
                    yield number, text.strip()

    def _records(self) -> Iterator[tuple[str, Record]]:
        voter = 0
        for line, count, order in self.ballots:
            where = f"line {line:,}"
            tiers = [[self.labels[number] for number in tier] for tier in order]
            if "ballot" in self.said:
                text = " > ".join(" = ".join(tier) for tier in tiers if tier)
                yield where, {"ballot": text, "count": str(count)}
                continue
            for _ in range(count):  # each voter is a unit, whose rows leave together
                voter += 1
                for name in tiers[0] or [""]:
                    yield where, {"choice": name, "voter": str(voter)}

    def take(
        self, names: Mapping[int, str], ballots: list[tuple[int, int, Order]], role: str
    ) -> None:
        """Take the names and the ballots; a name of several gets its number behind it."""
        beside = {"ballot": {"count": "count"}, "choice": {"unit": "voter"}}
        self.said = {role: role, **beside[role]}
        self.ballots = ballots
        spelt = {number: name or str(number) for number, name in names.items()}
        doubled = {name for name, times in Counter(spelt.values()).items() if times > 1}
        if doubled:
            shown = listing(map(shorten, sorted(doubled)))
            self.notes.append(f"repeated names got their number added: {shown}")
        for number, name in spelt.items():
            self.labels[number] = f"{name} ({number})" if name in doubled else name
            if role == "ballot" and re.search("[>=]", name):
                what = (
                    f"has a candidate {shorten(name)}, whose name looks like an order"
                )
                raise self.file.wrong(what, way_out="Rename it in the file.")
        self.catalogue = tuple(self.labels.values())
        for line, _, order in ballots:
            for number in (number for tier in order for number in tier):
                if number not in self.labels:
                    what = f"ranks candidate {number}, who has no name"
                    raise self.file.wrong(what, line, CUT_SHORT)


def looks_scottish(head: bytes) -> bool:
    """Tell by its beginning whether a .csv file counts the ballots of an STV election."""
    ballots = SCOTTISH.match(head)
    if ballots is None:
        return False
    # Ballots are of many lengths; the names come after them, perhaps beyond the head.
    lengths = {line.count(b",") for line in ballots[0].splitlines()}
    return len(lengths) > 2 and (b'"Candidate 1"' in head or ballots.end() == len(head))


def read_preflib(found: Grammar) -> None:
    """Read names from the header, then ``count: 1,2,{3,4}`` on each line."""
    header: dict[str, str] = {}
    names: dict[int, str] = {}
    categories: dict[int, str] = {}
    named = {"ALTERNATIVE NAME": names, "CATEGORY NAME": categories}
    ballots: list[tuple[int, int, Order]] = []
    for line, text in found.lines():
        if not text.startswith("#"):
            ballots.append((line, *_preflib_ballot(found.file, line, text)))
            continue
        match = HEADER.match(text)
        key, number, value = match.groups() if match else ("", "", "")
        if not number:
            header[key] = value.strip()
        elif key in named:
            if int(number) in named[key]:
                raise found.file.wrong(f"names {key.lower()} {number} again", line)
            named[key][int(number)] = value.strip()
    n_voters = sum(count for _, count, _ in ballots)
    numbers = (len(names), n_voters, len(ballots))
    for key, counted in zip(PROMISED, numbers, strict=True):
        promised = header.get(key, "")
        if promised and promised != str(counted):
            what = f"promises {key} {shorten(promised)}, but has {counted:,}"
            raise found.file.wrong(what, way_out=CUT_SHORT)
    role = "ballot"
    if categories or header.get("DATA TYPE") == "cat":
        role = "choice"
        best = categories.get(1, "1")
        found.notes.append(f"category {shorten(best)} is read as approved")
    found.take(names, ballots, role)


def _preflib_ballot(file: Packed, line: int, text: str) -> tuple[int, Order]:
    count, _, order = text.partition(":")
    if not COUNT.match(count) or not ORDER.match(order):
        what = f"is not of the form count: 1,2,{{3,4}}: {shorten(text)}"
        raise file.wrong(what, line, OLD_FORM)
    tiers = TIER.findall(order)
    return int(count), [[*map(int, NUMBERS.findall(tier))] for tier in tiers]


def read_stv(found: Grammar) -> None:
    """Read ``count first second=third`` on each line, and then the names."""
    file = found.file
    rows: list[tuple[int, Order]] = []
    names: dict[int, str] = {}
    texts: list[str] = []
    withdrawn: list[int] = []
    for line, text in found.lines():
        before_remark = text.partition("#")[0]
        plain = text if '"' in before_remark else before_remark
        words = plain.replace(",", " ").split()
        strings = QUOTED.findall(plain)
        candidate = CANDIDATE.match(strings[0]) if len(strings) > 1 else None
        if candidate:
            number = int(candidate[1])
            if names.setdefault(number, strings[1]) != strings[1]:
                raise file.wrong(f"names candidate {number} again", line, CUT_SHORT)
        elif strings or (texts and words):  # a title may stand without quotes
            texts += strings or [plain.strip()]
        elif words and words[0].startswith("-"):
            withdrawn += [_tier(file, line, word[1:])[0] for word in words]
        elif words:
            tiers = [_tier(file, line, word) for word in words if word != "-"]
            rows.append((line, tiers))
    n_candidates = rows[0][1][0][0] if rows and rows[0][1] else 0
    ballots = rows[1:]
    if ballots and ballots[-1][1] == [[0]]:  # a .blt ends ballots with 0, and then all
        ballots = [
            (line, tiers[:-1] if tiers[-1] == [0] else tiers)
            for line, tiers in ballots[:-1]
        ]
    if not names:
        names = dict(enumerate(texts[:n_candidates], 1))
    if not n_candidates or {*names} != {*range(1, n_candidates + 1)}:
        what = f"names {len(names):,} of {n_candidates:,} candidates"
        raise file.wrong(what, way_out=CUT_SHORT)
    gone = [names[number] for number in withdrawn if number in names]
    if gone:
        shown = listing(map(shorten, gone))
        found.notes.append(f"withdrawn according to the file, but ranked: {shown}")
    counted = [_counted(file, line, tiers) for line, tiers in ballots]
    found.take(names, counted, "ballot")


def _counted(file: Packed, line: int, tiers: Order) -> tuple[int, int, Order]:
    """Return a line of numbers, of which the first says how often it was cast.

    Of a candidate who is ranked twice, the first rank counts.
    """
    if not tiers or len(tiers[0]) != 1:
        raise file.wrong("begins with no count", line, CUT_SHORT)
    seen: set[int] = set()
    order: Order = []
    for tier in tiers[1:]:
        order.append([number for number in dict.fromkeys(tier) if number not in seen])
        seen.update(tier)
    return line, tiers[0][0], order


def _tier(file: Packed, line: int, word: str) -> list[int]:
    parts = word.split("=")
    if not all(COUNT.match(part) for part in parts):
        what = f"has {shorten(word)} where a number should be"
        raise file.wrong(what, line, "Correct this line.")
    return [int(part) for part in parts]


GRAMMARS: dict[str, Callable[[Grammar], None]] = {
    **dict.fromkeys((".soc", ".soi", ".toc", ".toi", ".cat"), read_preflib),
    ".blt": read_stv,
}
