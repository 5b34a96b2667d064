"""Files of ballots and of games that have a grammar of their own.

PrefLib has strict and tied orders (.soc .soi .toc .toi) and categories (.cat); counts of Scottish and
other STV elections give the number of equal ballots first and the names last (.blt with blanks between,
.csv with commas); Dominion's machines write every mark of every ballot as JSON, with manifests beside it
that name contests and candidates; games of chess and the like (.pgn) have tags that name the players and
the result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from steadyrank.arrays import objects
from steadyrank.errors import (
    EmptyDataError,
    InvalidDataError,
    UnreadableFileError,
    listing,
    shorten,
)
from steadyrank.reading.adapters.documents import Node, beside, load
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Table, as_table
from steadyrank.text import counted

# Every quantifier keeps what it took ("++"): no line, however odd, is gone over again and again.
HEADER = re.compile(
    r"#\s*+([A-Z]++(?: ++[A-Z]++)*+)\s*+([0-9]*+)\s*+:(.*+)\Z", re.ASCII
)
COUNT = re.compile(r"[0-9]{1,20}\s*+\Z", re.ASCII)
NUMBER = r"\s*+[0-9]{1,18}+\s*+"
TIED = rf"\s*+\{{(?:{NUMBER}(?:,{NUMBER})*+|\s*+)\}}\s*+"
ORDER = re.compile(rf"(?:{NUMBER}|{TIED})(?:,(?:{NUMBER}|{TIED}))*+\Z", re.ASCII)
TIER = re.compile(r"\{[^}]*\}|[0-9]+")
NUMBERS = re.compile("[0-9]+")
PROMISED = ("NUMBER ALTERNATIVES", "NUMBER VOTERS", "NUMBER UNIQUE ORDERS")
CUT_SHORT = "It is cut short or was changed: get it again."
QUOTED = re.compile(r'"([^"]*)"')
CANDIDATE = re.compile(r"Candidate (\d{1,6})\Z")
OLD_FORM = "PrefLib files from before 2022 have another form: get the present one."
TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*+)"\]\s*+\Z')
WINNER = {"1-0": "left", "0-1": "right", "1/2-1/2": "tie"}
PLAYED = {"left": "White", "right": "Black", "winner": "Result"}
BESIDE = {"event": "Event", "date": "Date", "round": "Round"}
"""Tags by the columns that they fill; the second ones may tell which games belong together."""


Row = tuple[object, dict[str, Any]]
"""The place of a ballot in its file, and its cells."""


def _table(
    file: OpenFile, rows: Iterable[Row], notes: list[str], **settings: Any
) -> Table:
    """Return ballots as a table; those without a name are left out, unless they approve of nobody."""
    every = list(rows)
    kept = [row for row in every if row[1]["ballot"] or settings["approval"]]
    if not kept:
        raise EmptyDataError(f"{file.name} holds no ballots")
    empty = sum(cells.get("count", 1) for _, cells in every if not cells["ballot"])
    if len(kept) < len(every):
        notes.append(f"{counted(empty, 'ballot')} without a name left out")
    columns = {name: [cells[name] for _, cells in kept] for name in kept[0][1]}
    told = {
        name: cells for name, cells in columns.items() if {*map(str, cells)} - {"1", ""}
    }
    made = as_table({**told, "ballot": objects(columns["ballot"])}).columns
    places = [place for place, _ in kept]
    return Table(made, file.name, places, notes, kind="ballots", settings=settings)


def read_preflib(file: OpenFile) -> Table:
    """Read ballots; of a .cat file the first category is the approved one.

    If the user said ``approval=False``, the categories of a .cat file are tiers, best first.
    """
    header: dict[str, str] = {}
    named: dict[str, dict[int, str]] = {"ALTERNATIVE NAME": {}, "CATEGORY NAME": {}}
    rows = list(_rows(file, header, named))
    names, categories = named.values()
    found = (len(names), sum(count for _, count, _ in rows), len(rows))
    for key, number in zip(PROMISED, found, strict=True):
        text = header.get(key, "")
        promised = int(text) if COUNT.match(text) else shorten(text)
        if text and promised != number:
            told = f"the header of {file.name} promises {key} {promised}, but there are {number:,}"
            raise UnreadableFileError(told, way_out=CUT_SHORT)
    kind, approval = header.get("DATA TYPE", "orders"), file.given.get("approval")
    notes = [f"read as PrefLib ({kind}): {header.get('TITLE', 'no title')}"]
    if categories or kind == "cat":
        approval = True if approval is None else approval
        best = categories.get(1, "1")
        notes.append(
            f"category {best!r} read as approved"
            if approval
            else "categories read as tiers"
        )
    elif approval:
        raise InvalidDataError(f"{file.name} holds orders, not sets of approved items")
    labels = _unique_names(names, notes)
    ballots = []
    for line, count, tiers in rows:
        order = [[labels[number] for number in tier] for tier in tiers]
        ballot = order[0] if approval else [tier for tier in order if tier]
        ballots.append((line, {"ballot": ballot, "count": count}))
    return _table(
        file, ballots, notes, items=list(labels.values()), approval=bool(approval)
    )


def _rows(
    file: OpenFile, header: dict[str, str], named: dict[str, dict[int, str]]
) -> Iterator[tuple[int, int, list[list[int]]]]:
    """Yield the line, the count and the order of each ballot; take in what the header says and names."""
    known = named["ALTERNATIVE NAME"]
    for line, text in ((line, text.strip()) for line, text in file.lines()):
        if text.startswith("#"):
            key, number, value = (
                match.groups() if (match := HEADER.match(text)) else ("", "", "")
            )
            if not number:
                header[key] = value.strip()
            elif key in named:
                if len(number) > 18 or int(number) in named[key]:
                    of = key.split()[0].lower()
                    told = (
                        f"names {of} {shorten(number)} again, or the number is too long"
                    )
                    raise file.wrong(
                        told,
                        "Give each a number of its own, of at most 18 digits.",
                        line,
                    )
                named[key][int(number)] = value.strip()
            continue
        times, colon, order = text.partition(":")
        if not colon or not COUNT.match(times) or not ORDER.match(order):
            told = f"is not of the form count: 1,2,{{3,4}}: {shorten(text)}"
            raise file.wrong(told, OLD_FORM, line)
        tiers = [
            [int(number) for number in NUMBERS.findall(tier)]
            for tier in TIER.findall(order)
        ]
        if strange := [
            number for tier in tiers for number in tier if number not in known
        ]:
            raise file.wrong(
                f"ranks alternative {strange[0]}, which the header does not name",
                (),
                line,
            )
        yield line, int(times), tiers


def _unique_names(given: Mapping[int, str], notes: list[str]) -> dict[int, str]:
    """Return the names in order of the file; equal ones get their number behind them."""
    names = {number: name or str(number) for number, name in given.items()}
    doubled = {name for name, times in Counter(names.values()).items() if times > 1}
    if doubled:
        shown = listing(map(shorten, sorted(doubled)))
        notes.append(f"repeated names got their number added: {shown}")
    return {
        number: f"{name} ({number})" if name in doubled else name
        for number, name in names.items()
    }


def read_stv(file: OpenFile) -> Table:
    """Read ``count first second=third`` on each line, with commas or a 0 last, and then the names."""
    numbers, names, texts = list[tuple[int, list[Any]]](), dict[int, str](), list[str]()
    withdrawn: list[str] = []
    for line, text in file.lines():
        plain = text.partition("#")[0] if '"' not in text.partition("#")[0] else text
        words, quoted = plain.replace(",", " ").split(), QUOTED.findall(plain)
        if quoted and (found := CANDIDATE.match(quoted[0])) and len(quoted) > 1:
            if names.setdefault(int(found[1]), quoted[1]) != quoted[1]:
                raise file.wrong(f"names candidate {found[1]} again", CUT_SHORT, line)
        elif quoted or (texts and words):  # a title may stand without quotes
            texts += quoted or [plain.strip()]
        elif words and words[0].startswith("-"):
            withdrawn += [word.removeprefix("-") for word in words]
        elif words:
            numbers.append(
                (line, [_tier(file, line, word) for word in words if word != "-"])
            )
    (_, ([size, *_], *_)), *ballots = numbers or [(1, [[0]])]
    if ballots and ballots[-1][1] == [[0]]:
        ballots = [
            (line, row[:-1] if row[-1] == [0] else row) for line, row in ballots[:-1]
        ]
    if not names:
        names, texts = dict(enumerate(texts[:size], 1)), texts[size:]
    if not size or set(names) != set(range(1, size + 1)):
        raise file.wrong(f"names {len(names):,} of {size:,} candidates", CUT_SHORT)
    notes = [f"read as ballots of an STV election: {next(iter(texts), 'no title')}"]
    labels = _unique_names(names, notes)
    gone = [name for number, name in names.items() if str(number) in withdrawn]
    if gone:
        notes.append(
            f"withdrawn according to the file, but ranked: {listing(map(shorten, gone))}"
        )
    rows = [(line, _ballot_of(file, line, row, labels)) for line, row in ballots]
    return _table(
        file, rows, notes, items=list(labels.values()), approval=False, repeats="skip"
    )


def _ballot_of(
    file: OpenFile, line: int, row: list[list[int]], labels: Mapping[int, str]
) -> dict[str, Any]:
    """Return a line of numbers, how often it was cast first, with the names of the numbers."""
    times, *order = row
    strange = [number for tier in order for number in tier if number not in labels]
    if strange:
        raise file.wrong(
            f"ranks candidate {strange[0]}, who has no name", CUT_SHORT, line
        )
    if len(times) > 1:
        raise file.wrong("begins with no count", CUT_SHORT, line)
    return {
        "ballot": [[labels[number] for number in tier] for tier in order],
        "count": times[0],
    }


def _tier(file: OpenFile, line: int, word: str) -> list[int]:
    parts = word.split("=")
    if not all(part.isdecimal() and len(part) < 18 for part in parts):
        raise file.wrong(
            f"has {shorten(word)} where a number should be", "Correct this line.", line
        )
    return [int(part) for part in parts]


def read_dominion(file: OpenFile) -> Table:
    """Read one contest of cast vote records; a rank with several marks is left out."""
    contests: dict[str, list[tuple[object, dict[int, list[str]]]]] = {}
    for part in file.parts():
        names = _manifest(part, "CandidateManifest.json")
        titles = _manifest(part, "ContestManifest.json")
        for contest in _contests(load(part)):
            marks: dict[int, list[str]] = {}
            for mark in contest["Marks"]:
                if (
                    mark["IsVote"].value is not False
                    and mark["IsAmbiguous"].value is not True
                ):
                    number = mark["CandidateId"].label()
                    marks.setdefault(int(mark["Rank"].label()), []).append(
                        names.get(number, number)
                    )
            title = titles.get(contest["Id"].label(), contest["Id"].label())
            contests.setdefault(title, []).append(
                (file.place(contest.where, part.name), marks)
            )
    chosen = file.chosen(
        "contest", contests, next(iter(contests)) if len(contests) == 1 else None
    )
    records, notes = contests[chosen], [f"the contest {shorten(chosen)} taken"]
    ranked = any(rank > 1 for _, marks in records for rank in marks)
    spoilt = sum(
        any(len(names) > 1 for names in marks.values()) for _, marks in records
    )
    if ranked and spoilt:
        told = "with several marks at one rank, which is left out"
        notes.append(f"{counted(spoilt, 'ballot')} {told}")
    approval, rows = not ranked and spoilt > 0, list[Row]()
    for place, marks in records:
        once = [marks[rank][0] for rank in sorted(marks) if len(marks[rank]) == 1]
        rows.append(
            (
                place,
                {"ballot": [*dict.fromkeys(marks.get(1, []))] if approval else once},
            )
        )
    return _table(file, rows, notes, approval=approval, repeats="skip")


def _contests(top: Node) -> Iterator[Node]:
    """Yield what each ballot says of each contest, as corrected where it was."""
    for session in top["Sessions"]:
        record = session["Modified" if session["Modified"].value else "Original"]
        for card in record["Cards"] if record["Cards"].value is not None else [record]:
            yield from card["Contests"]


def _manifest(file: OpenFile, name: str) -> dict[str, str]:
    """Return the descriptions of ids that a manifest beside the file gives; none where there is none."""
    found = beside(file, name)
    listed: Iterable[Node] = [] if found is None else found["List"]
    return {one["Id"].label(): one["Description"].label() for one in listed}


def read_pgn(file: OpenFile) -> Table:
    """Read the games as battles, White on the left; those without a result are left out."""
    games = _games(file)
    kept = [(line, tags) for line, tags in games if tags.get("Result") in WINNER]
    if not kept:
        raise EmptyDataError(f"{file.name} holds no game with a result")
    for line, tags in kept:
        if not tags.get("White") or not tags.get("Black"):
            raise file.wrong(
                "begins a game without White or Black", "Correct its tags.", line
            )
    columns = {
        to: [tags.get(tag, "") for _, tags in kept]
        for to, tag in {**PLAYED, **BESIDE}.items()
    }
    columns["winner"] = [WINNER[result] for result in columns["winner"]]
    notes = ["read as games (PGN): White is left, Black is right"]
    if gone := len(games) - len(kept):
        notes.append(f"{counted(gone, 'game')} without a result left out")
    made = as_table(columns).columns
    return Table(made, file.name, [line for line, _ in kept], notes, kind="battles")


def _games(file: OpenFile) -> list[tuple[int, dict[str, str]]]:
    """Return the tags of each game, with the line of the first."""
    games, within = list[tuple[int, dict[str, str]]](), False
    for line, text in file.lines():
        found = TAG.match(text.strip())
        if found:
            if not within or found[1] in games[-1][1]:
                games.append((line, {}))
            games[-1][1][found[1]] = found[2].replace("\\", "")
        within = found is not None
    return games
