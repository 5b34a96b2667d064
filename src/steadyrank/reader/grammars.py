"""Ballot files with a grammar of their own, as a table of ballots and their counts.

PrefLib has orders (.soc .soi .toc .toi) and categories (.cat). Counts of STV elections
give the number of equal ballots first and the names last: .blt with blanks between, the
Scottish .csv with commas.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from steadyrank.errors import EmptyDataError, listing, shorten
from steadyrank.reader.text_files import Packed
from steadyrank.reader.written import CHUNK, Chunks, written

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
class GrammarFile:
    """The ballots of a file, and what the grammar proves about the columns.

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
    query: str = field(default="", repr=False)
    n_rows: int = 0
    names: tuple[str, ...] = ("ballot", "count")
    said: dict[str, str] = field(
        default_factory=lambda: {"ballot": "ballot", "count": "count"}
    )
    catalogue: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    _labels: dict[int, str] = field(default_factory=dict, repr=False)
    _ballots: list[tuple[int, int, Order]] = field(default_factory=list, repr=False)

    @classmethod
    def open(
        cls, file: Packed, grammar: Callable[[GrammarFile], None], copy: Path
    ) -> GrammarFile:
        """Write the ballots as text to the free path ``copy``, for a query over them."""
        file.look()
        found = cls(file)
        grammar(found)
        if not found._ballots:
            raise EmptyDataError(f"{file.name} holds no ballots", way_out=CUT_SHORT)
        found.query, found.n_rows = written(found.chunks, found.names, copy)
        return found

    @property
    def name(self) -> str:
        """What messages call the file."""
        return self.file.name

    @property
    def approves(self) -> bool:
        """Whether ballots are sets of approved candidates; then each name has a row."""
        return "choice" in self.said

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line that is not blank, with its number."""
        with self.file.lines() as lines:
            for number, text in enumerate(lines, 1):
                if text.strip():
                    yield number, text.strip()

    def chunks(self) -> Chunks:
        """Yield the rows in blocks."""
        rows = ([*cells] for _, *cells in self._rows())
        while block := list(islice(rows, CHUNK)):
            yield block

    def _rows(self) -> Iterator[tuple[int, str, str]]:
        """Yield the line and the cells of each row."""
        voter = 0
        for line, count, order in self._ballots:
            tiers = [[self._label(number) for number in tier] for tier in order]
            if not self.approves:
                text = " > ".join(" = ".join(tier) for tier in tiers if tier)
                yield line, text, str(count)
                continue
            approved = tiers[0] if tiers else []
            for _ in range(count):  # each voter is a unit, whose rows leave together
                voter += 1
                for name in approved or [""]:
                    yield line, name, str(voter)

    def _label(self, number: int) -> str:
        return self._labels[number]

    def take(
        self, names: Mapping[int, str], ballots: Iterable[tuple[int, int, Order]]
    ) -> None:
        """Take the names and the ballots; a name of several gets its number behind it."""
        labels = {number: name or str(number) for number, name in names.items()}
        doubled = {
            name for name, times in Counter(labels.values()).items() if times > 1
        }
        if doubled:
            shown = listing(map(shorten, sorted(doubled)))
            self.notes.append(f"repeated names got their number added: {shown}")
        self._labels = {
            number: f"{name} ({number})" if name in doubled else name
            for number, name in labels.items()
        }
        for line, count, order in ballots:
            for number in (number for tier in order for number in tier):
                if number not in labels:
                    what = f"ranks candidate {number}, who has no name"
                    raise self.file.wrong(what, line, CUT_SHORT)
            self._ballots.append((line, count, order))
        self.catalogue = tuple(self._labels.values())
        for name in self.catalogue:
            if not self.approves and (">" in name or "=" in name):
                what = (
                    f"has a candidate {shorten(name)}, whose name looks like an order"
                )
                raise self.file.wrong(what, way_out="Rename it in the file.")

    def place(self, row: int) -> str:
        """Return where a row, counted from 0, is."""
        line, *_ = next(islice(self._rows(), row, None))
        return f"{self.file.name}, line {line:,}"


def looks_scottish(head: bytes) -> bool:
    """Tell by its beginning whether a .csv file counts the ballots of an STV election."""
    ballots = SCOTTISH.match(head)
    if ballots is None:
        return False
    # Ballots are of many lengths; the names come after them, perhaps beyond the head.
    lengths = {line.count(b",") for line in ballots[0].splitlines()}
    return len(lengths) > 2 and (b'"Candidate 1"' in head or ballots.end() == len(head))


def read_preflib(found: GrammarFile) -> None:
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
    if categories or header.get("DATA TYPE") == "cat":
        best = categories.get(1, "1")
        found.notes.append(f"category {shorten(best)} is read as approved")
        found.names = ("choice", "voter")
        found.said = {"choice": "choice", "unit": "voter"}
    found.take(names, ballots)


def _preflib_ballot(file: Packed, line: int, text: str) -> tuple[int, Order]:
    count, _, order = text.partition(":")
    if not COUNT.match(count) or not ORDER.match(order):
        what = f"is not of the form count: 1,2,{{3,4}}: {shorten(text)}"
        raise file.wrong(what, line, OLD_FORM)
    tiers = TIER.findall(order)
    return int(count), [[*map(int, NUMBERS.findall(tier))] for tier in tiers]


def read_stv(found: GrammarFile) -> None:
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
    found.take(names, [_counted(file, line, tiers) for line, tiers in ballots])


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


GRAMMARS: dict[str, Callable[[GrammarFile], None]] = {
    **dict.fromkeys((".soc", ".soi", ".toc", ".toi", ".cat"), read_preflib),
    ".blt": read_stv,
}
