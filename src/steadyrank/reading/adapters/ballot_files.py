"""Files of ballots and of games that have a grammar of their own.

PrefLib has strict and tied orders (.soc .soi .toc .toi) and categories (.cat); counts of Scottish and
other STV elections give the number of equal ballots first and the names last (.blt with blanks between,
.csv with commas); the Condorcet format has ``A > B = C * 5`` on each line; Dominion's machines write
every mark of every ballot as JSON, with manifests beside it that name contests and candidates; games of
chess and the like (.pgn) have tags that name the players and the result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steadyrank.errors import (
    ColumnError,
    EmptyDataError,
    InvalidDataError,
    Option,
    UnreadableFileError,
    listing,
    shorten,
)
from steadyrank.reading.adapters.documents import Node, beside, load
from steadyrank.reading.arrays import objects
from steadyrank.reading.files import OpenFile
from steadyrank.reading.table import Table, as_table
from steadyrank.text import counted

# Every quantifier keeps what it took ("++"): no line, however odd, is gone over again and again.
HEADER = re.compile(r"#\s*+([A-Z]++(?: ++[A-Z]++)*+)\s*+([0-9]*+)\s*+:(.*+)\Z", re.ASCII)
COUNT = re.compile(r"[0-9]{1,20}\s*+\Z", re.ASCII)
NUMBERED = re.compile(r"[0-9]{1,18}\s*+\Z", re.ASCII)
NUMBER = r"\s*+[0-9]{1,18}+\s*+"
TIED = rf"\s*+\{{(?:{NUMBER}(?:,{NUMBER})*+|\s*+)\}}\s*+"
ORDER = re.compile(rf"(?:{NUMBER}|{TIED})(?:,(?:{NUMBER}|{TIED}))*+\Z", re.ASCII)
TIER = re.compile(r"\{[^}]*\}|[0-9]+")
NUMBERS = re.compile("[0-9]+")
PROMISED = ("NUMBER ALTERNATIVES", "NUMBER VOTERS", "NUMBER UNIQUE ORDERS")
CUT_SHORT = "It is cut short or was changed: get it again."
QUOTED = re.compile(r'"([^"]*)"')
CANDIDATE = re.compile(r"Candidate (\d{1,6})\Z")
VOTE = re.compile(
    r"(?:(?P<tags>[^|]*+)\|\|)?(?:(?P<times>\d{1,18})\s*+:)?(?P<order>[^*^|]*+)"
    r"(?:\^\s*+(?P<weight>\d++)\s*+)?"
    r"(?:\*\s*+(?P<count>\d{1,18})\s*+)?\Z"
)
OLD_FORM = "PrefLib files from before 2022 have another form: get the present one."
TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*+)"\]\s*+\Z')
WINNER = {"1-0": "left", "0-1": "right", "1/2-1/2": "tie"}
BESIDE = ("Event", "Date", "Round")
"""Tags that may tell which games belong together."""


def read_preflib(file: OpenFile) -> Table:
    """Read ballots; of a .cat file the first category is the approved one.

    If the user said ``approval=False``, the categories of a .cat file are tiers, best first.
    """
    header: dict[str, str] = {}
    named: dict[str, dict[int, str]] = {"ALTERNATIVE NAME": {}, "CATEGORY NAME": {}}
    rows = list(_rows(file, header, named))
    names, categories = named.values()
    found = (len(names), sum(count for _, count, _ in rows), len(rows))
    _check_header(file.name, header, dict(zip(PROMISED, found, strict=True)))
    kind, approval = header.get("DATA TYPE", "orders"), file.given.get("approval")
    notes = [f"read as PrefLib ({kind}): {header.get('TITLE', 'no title')}"]
    if categories or kind == "cat":
        approval = True if approval is None else approval
        best = categories.get(1, "1")
        notes.append(f"category {best!r} read as approved" if approval else "categories read as tiers")
    elif approval:
        raise InvalidDataError(f"{file.name} holds orders, not sets of approved items")
    labels = _unique_names(names, notes)
    orders = [[[labels[number] for number in tier] for tier in order] for _, _, order in rows]
    ballots = [order[0] if approval else [tier for tier in order if tier] for order in orders]
    said = {"items": list(labels.values()), "approval": bool(approval)}
    columns: dict[str, list[Any]] = {"ballot": ballots, "count": [count for _, count, _ in rows]}
    return _table(file, columns, [line for line, _, _ in rows], notes, said)


def _table(
    file: OpenFile,
    columns: Mapping[str, Sequence[Any]],
    places: Sequence[Any],
    notes: list[str],
    settings: dict[str, Any],
) -> Table:
    """Return ballots as a table, with their places in the file."""
    if not places:
        raise EmptyDataError(f"{file.name} holds no ballots")
    made = as_table({**columns, "ballot": objects(columns["ballot"])}).columns
    return Table(made, file.name, places, notes, kind="ballots", settings=settings)


def _rows(
    file: OpenFile, header: dict[str, str], named: dict[str, dict[int, str]]
) -> Iterator[tuple[int, int, list[list[int]]]]:
    """Yield the line, the count and the order of each ballot; take in what the header says and names."""
    for line, text in ((line, text.strip()) for line, text in file.lines()):
        if text.startswith("#"):
            if match := HEADER.match(text):  # else it is a remark
                _take_header(file, line, match, header, named)
            continue
        count, colon, order = text.partition(":")
        if not colon or not COUNT.match(count) or not ORDER.match(order):
            told = f"is not of the form count: 1,2,{{3,4}}: {shorten(text)}"
            raise file.wrong(told, OLD_FORM, line)
        tiers = [[int(number) for number in NUMBERS.findall(tier)] for tier in TIER.findall(order)]
        known = named["ALTERNATIVE NAME"]
        if strange := [number for tier in tiers for number in tier if number not in known]:
            raise file.wrong(f"ranks alternative {strange[0]}, which the header does not name", (), line)
        yield line, int(count), tiers


def _take_header(
    file: OpenFile,
    line: int,
    match: re.Match[str],
    header: dict[str, str],
    named: dict[str, dict[int, str]],
) -> None:
    key, number, value = match.groups()
    if not number:
        header[key] = value.strip()
    elif key in named:
        if not NUMBERED.match(number) or int(number) in named[key]:
            told = f"names {key.split()[0].lower()} {shorten(number)} again, or the number is too long"
            raise file.wrong(told, "Give each a number of its own, of at most 18 digits.", line)
        named[key][int(number)] = value.strip()


def _check_header(name: str, header: Mapping[str, str], found: Mapping[str, int]) -> None:
    for key, number in found.items():
        text = header.get(key, "")
        promised = int(text) if COUNT.match(text) else shorten(text)
        if text and promised != number:
            told = f"the header of {name} promises {key} {promised}, but there are {number:,}"
            raise UnreadableFileError(told, way_out=CUT_SHORT)


def _unique_names(given: Mapping[int, str], notes: list[str]) -> dict[int, str]:
    """Return the names in order of the file; equal ones get their number behind them."""
    names = {number: name or str(number) for number, name in given.items()}
    doubled = {name for name, times in Counter(names.values()).items() if times > 1}
    if doubled:
        shown = listing(map(shorten, sorted(doubled)))
        notes.append(f"repeated names got their number added: {shown}")
    return {number: f"{name} ({number})" if name in doubled else name for number, name in names.items()}


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
            numbers.append((line, [_tier(file, line, word) for word in words if word != "-"]))
    (_, (size, *_)), *ballots = numbers or [(1, [0])]
    if ballots and ballots[-1][1] == [0]:
        ballots = [(line, row[:-1] if row[-1] == 0 else row) for line, row in ballots[:-1]]
    if not names:
        names, texts = dict(enumerate(texts[:size], 1)), texts[size:]
    if not size or set(names) != set(range(1, size + 1)):
        raise file.wrong(f"names {len(names):,} of {size:,} candidates", CUT_SHORT)
    table = _counted(file, ballots, names, next(iter(texts), "no title"))
    gone = [name for number, name in names.items() if str(number) in withdrawn]
    table.notes += (
        [f"withdrawn according to the file, but ranked: {listing(map(shorten, gone))}"] if gone else []
    )
    return table


def _tier(file: OpenFile, line: int, word: str) -> int | list[int]:
    parts = word.split("=")
    if not all(part.isdecimal() and len(part) < 18 for part in parts):
        raise file.wrong(f"has {shorten(word)} where a number should be", "Correct this line.", line)
    return int(word) if len(parts) == 1 else [int(part) for part in parts]


def _counted(
    file: OpenFile, ballots: Sequence[tuple[int, Sequence[Any]]], names: Mapping[int, str], title: str
) -> Table:
    """Return ballots of numbers, each after how often it was cast, with the names of the numbers."""
    notes = [f"read as ballots of an STV election: {title}"]
    labels = _unique_names(names, notes)
    columns: dict[str, list[Any]] = {"ballot": [], "count": []}
    lines, empty, again = list[int](), 0, 0
    for line, (count, *order) in ballots:
        tiers = [tier if isinstance(tier, list) else [tier] for tier in order]
        strange = [number for tier in tiers for number in tier if number not in labels]
        if strange or not isinstance(count, int):
            told = (
                f"ranks candidate {strange[0]}, who has no name" if strange else "begins with no count"
            )
            raise file.wrong(told, CUT_SHORT, line)
        if not order:
            empty += count
            continue
        first = {number: place for place, tier in reversed([*enumerate(tiers)]) for number in tier}
        once = [[n for n in tier if first[n] == place] for place, tier in enumerate(tiers)]
        again += count * (once != tiers)
        columns["ballot"].append([[labels[number] for number in tier] for tier in once if tier])
        columns["count"].append(count)
        lines.append(line)
    notes += [f"{counted(empty, 'ballot')} without a name left out"] if empty else []
    notes += [f"{counted(again, 'ballot')} with an item twice: its first place counts"] if again else []
    return _table(file, columns, lines, notes, {"items": list(labels.values()), "approval": False})


def looks_like_orders(file: OpenFile) -> bool:
    """Tell whether each line of a file is an order, A > B, and none is a header."""
    lines = [line.strip() for line in file.text_head.decode("utf-8", "ignore").splitlines()]
    votes = [
        line for line in lines[: -1 if len(lines) > 1 else None] if line and not line.startswith("#")
    ]
    orders = [found["order"] for line in votes[:100] if (found := VOTE.match(line))]
    plain = all(re.search(r"[<,;\t]|[-=]>|^\s*[>=]|[>=]\s*$", order) is None for order in orders)
    return bool(votes) and ">" in votes[0] and len(orders) == len(votes[:100]) and plain


def read_orders(file: OpenFile) -> Table:
    """Read ``A > B = C`` on each line; tags may stand before ``||``, a count first or after ``*``."""
    items, places = list[str](), list[int]()
    columns: dict[str, list[Any]] = {"ballot": [], "count": [], "weight": [], "tags": []}
    empty = 0
    for line, whole in file.lines():
        key, colon, value = whole.partition(":")
        if key.strip().casefold() == "#/candidates" and colon:
            items = [name.strip() for name in value.split(";")]
        text = whole.partition("#")[0].strip()
        found = VOTE.match(text)
        if found is None:
            raise file.wrong(
                f"is not of the form A > B = C * 5: {shorten(text)}", "Correct this line.", line
            )
        tiers = [[name.strip() for name in tier.split("=")] for tier in found["order"].split(">")]
        if not text or found["order"].strip() in {"", "/EMPTY_RANKING/"}:
            empty += int(found["count"] or found["times"] or 1) if text else 0
            continue
        times = int(found["count"] or found["times"] or 1)
        row = (tiers, times, int(found["weight"] or 1), (found["tags"] or "").strip())
        for column, cell in zip(columns.values(), row, strict=True):
            column.append(cell)
        places.append(line)
    notes = ["read as one order a line, best first"]
    notes += [f"{counted(empty, 'ballot')} without a name left out"] if empty else []
    kept = {name: cells for name, cells in columns.items() if set(map(str, cells)) - {"1", ""}}
    return _table(file, kept, places, notes, {"items": items or None, "approval": False})


def read_dominion(file: OpenFile) -> Table:
    """Read one contest of cast vote records; a rank with several marks is left out."""
    contests: dict[str, list[tuple[dict[int, list[str]], object]]] = {}
    for part in file.parts():
        names, titles = (
            _manifest(part, "CandidateManifest.json"),
            _manifest(part, "ContestManifest.json"),
        )
        for contest in _contests(load(part)):
            marks: dict[int, list[str]] = {}
            for mark in contest["Marks"]:
                if mark["IsVote"].value is not False and mark["IsAmbiguous"].value is not True:
                    number = mark["CandidateId"].label()
                    marks.setdefault(int(mark["Rank"].label()), []).append(names.get(number, number))
            title = titles.get(contest["Id"].label(), contest["Id"].label())
            contests.setdefault(title, []).append((marks, file.place(contest.where, part.name)))
    chosen = file.given.get("sheet") or (next(iter(contests)) if len(contests) == 1 else None)
    if chosen not in contests:
        told = f"{file.name} holds the contests {listing(map(shorten, contests), len(contests))}"
        raise ColumnError(told, way_out=["Choose one as ", Option("sheet")])
    return _of_contest(file, chosen, contests[chosen])


def _of_contest(file: OpenFile, title: str, records: list[tuple[dict[int, list[str]], object]]) -> Table:
    ranked = any(rank > 1 for marks, _ in records for rank in marks)
    approval = not ranked and any(len(names) > 1 for marks, _ in records for names in marks.values())
    said, ballots, places = Counter[str](), [], []
    for marks, place in records:
        once = [marks[rank][0] for rank in sorted(marks) if len(marks[rank]) == 1]
        names = list(dict.fromkeys(marks.get(1, []) if approval else once))
        said["with several marks at one rank, which is left out"] += ranked and len(once) < len(marks)
        said["with an item twice: its first place counts"] += not approval and len(names) < len(once)
        if names or approval:
            ballots.append(names)
            places.append(place)
        else:
            said["without a valid mark left out"] += 1
    notes = [f"the contest {shorten(title)} taken"]
    notes += [f"{counted(number, 'ballot')} {what}" for what, number in said.items() if number]
    return _table(file, {"ballot": ballots}, places, notes, {"approval": approval})


def _contests(top: Node) -> Iterator[Node]:
    """Yield what each ballot says of each contest, as corrected where it was."""
    for session in top["Sessions"]:
        record = session["Modified" if session["Modified"].value else "Original"]
        for card in record["Cards"] if record["Cards"].value is not None else [record]:
            yield from card["Contests"]


def _manifest(file: OpenFile, name: str) -> dict[str, str]:
    """Return the descriptions of ids that a manifest beside the file gives; none where there is none."""
    found = beside(file, name)
    return (
        {} if found is None else {one["Id"].label(): one["Description"].label() for one in found["List"]}
    )


def read_pgn(file: OpenFile) -> Table:
    """Read the games as battles, White on the left; those without a result are left out."""
    games = list(_games(file))
    kept = [(line, tags) for line, tags in games if tags.get("Result") in WINNER]
    if not kept:
        raise EmptyDataError(f"{file.name} holds no game with a result")
    for line, tags in kept:
        if not tags.get("White") or not tags.get("Black"):
            raise file.wrong("begins a game without White or Black", "Correct its tags.", line)
    columns = {
        "left": [tags["White"] for _, tags in kept],
        "right": [tags["Black"] for _, tags in kept],
        "winner": [WINNER[tags["Result"]] for _, tags in kept],
    }
    for name in BESIDE:
        columns[name.lower()] = [tags.get(name, "") for _, tags in kept]
    notes = ["read as games (PGN): White is left, Black is right"]
    if gone := len(games) - len(kept):
        notes.append(f"{counted(gone, 'game')} without a result left out")
    made = as_table(columns).columns
    return Table(made, file.name, [line for line, _ in kept], notes, kind="battles")


def _games(file: OpenFile) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the tags of each game, with the line of the first."""
    begun, tags, moves = 0, dict[str, str](), False
    for line, text in file.lines():
        found = TAG.match(text.strip())
        if found is None:
            moves = True
            continue
        if not tags or moves or found[1] in tags:
            if tags:
                yield begun, tags
            begun, tags, moves = line, {}, False
        tags[found[1]] = found[2].replace("\\", "")
    if tags:
        yield begun, tags
