"""Wide tables of scores: what the rows are called, which columns hold scores, and where the items are.

Leaderboards put a model on each row and a benchmark in each column; tables of experiments put a task on
each row and a method in each column. A table looks the same both ways, and the two answers have nothing
in common: both are proposed, and names decide between them or nothing does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby, islice
from typing import Any

import numpy as np

from steadyrank._typing import BoolArray, FloatArray
from steadyrank.errors import Option, listing, shorten
from steadyrank.reading.profile import SCALE, Column, Profile
from steadyrank.reading.proposals.long import MEASURES, NAMES, turned
from steadyrank.reading.readings import EXACT, Asked, Reading, quoted
from steadyrank.reading.roles import sounds_like_a_unit
from steadyrank.reading.scales import less_is_better, told_by_file
from steadyrank.reading.table import Guess, simplify
from steadyrank.reading.words import known, pattern, words_of
from steadyrank.text import counted

COUNTING = re.compile(r"([A-Za-z_#-]{0,12})[ _-]?\d+(_\d+)*\Z")
"""Names that only count: q17, task_3, 42; and V1_8, the eighth column, called V1 as another is."""
LOOKED_AT = 1000
"""How many names and columns are looked at."""
LEAST = 3
"""The fewest columns of scores that are taken as such without being named."""
SUMS, AGREEING = {"average", "avg", "mean", "overall", "total", "score"}, 0.98
"""First words of what sums a row up, and how well this agrees with the mean of its parts."""
COUNTERS = {"n", "num", "number"}
"""First words of columns that count what lies behind a row."""
ALIKE = 40.0
"""How many times as far as others some columns of one sort may reach: large parties and small."""
SPREAD = 0.15
"""How far the sums of rows that are parts of a whole may spread, as a share of their mean."""
MOST_PARTS, TOTALS, SEEN = 60, 40, 100
"""How many neighbours are looked at as parts of a whole, how many totals, and in how many rows."""
STATISTICS = {*known("statistics", "spreads")}
TALLIES = {*known("tallies")}
SHARES = {*known("percentages")}
OF_ITEMS = {
    *known("shares", "measures", "points", "less_is_better"),
    "per",
    "count",
    "num",
    "n",
}
"""Words beside the name of an item that say what its column counts or measures."""
BLOCKS = 4
"""How many blocks of columns that belong together are proposed."""
FEW_RANKS = 4
"""Of so few items, numbers from 1 to how many there are may be answers on a scale."""
PERMUTED = 0.85
"""The share of rows (or columns) of the numbers 1, 2, 3... from which on a table holds ranks."""
RATERS = {*known("user_columns")}
"""What columns are called, and numbered, that hold what somebody said of each row."""
WAYS = {
    "rows": "a row for each item, a column for each task",
    "columns": "a column for each item, a row for each task",
}
"""The orientations of a wide table."""


def wide(asked: Asked) -> Iterator[Reading]:
    """Propose a table of scores both ways round."""
    if {"score"} & asked.named.keys() or not asked.allows("items", "row", "item"):
        return
    profile, way = asked.profile, asked.settings.get("items_in")
    if way is None and ("row" in asked.named or "items" in asked.named):
        way = "columns"  # who names the rows, or the columns as items, says so
    if "item" in asked.named and (way := way or "rows") != "rows":
        return
    for one in ("columns", "rows") if way is None else (way,):
        label = _label(asked)
        if one == "rows" and label is None:
            continue
        values, left_out = _score_columns(asked, label, one)
        if one == "rows" and way is None and len(values) == 1:
            continue  # without its only column nothing is left
        if (
            one == "columns"
            and label
            and profile[label].blanks
            and "row" not in asked.named
        ):
            label = None  # rows without a name cannot be told apart
        yield from _weighed(asked, one, label, values, left_out)
        alike = one == "columns" and _are_alike(profile, values)
        blocks = (
            block for block in _blocks(asked, values, one) if len(block) < len(values)
        )
        for block in islice(blocks, BLOCKS):
            rest = [name for name in values if name not in block]
            whole = (
                one == "columns"
                and len(block) <= MOST_PARTS
                and _are_parts(profile, block)
            )
            for reading in _weighed(asked, one, label, block, []):
                reading.against.append(f"{quoted(*rest)} would not be used")
                reading.implied, reading.firm, reading.strong = (
                    frozenset(),
                    False,
                    False,
                )
                share = len(block) / len(values)
                reading.points -= 0.25 + (
                    0 if whole else (3 * share <= 1) + (9 * share <= 1)
                )
                reading.points -= 1.25 * (alike and not _is_of(profile, block))
                yield reading
    if way is None and _label(asked) is None:
        yield from _by_size(asked)


def _by_size(asked: Asked) -> Iterator[Reading]:
    """Propose rows that are called by numbers which go up: what was tried on more and more."""
    columns = list(asked.profile)
    if asked.named or len(columns) < LEAST or not all(c.is_number for c in columns):
        return
    sizes, others = columns[0], [c.name for c in columns[1:]]
    if (
        sizes.whole
        and len(sizes.numbers) > LEAST
        and (np.diff(sizes.numbers) > 0).all()
    ):
        for reading in _weighed(asked, "columns", sizes.name, others, []):
            reading.firm = reading.strong = False
            yield reading


def _label(asked: Asked) -> str | None:
    """Return the column that names the rows: as said, one called so, the first text, or one of ids."""
    named = asked.named.get("row") or asked.named.get("item")
    if named is not None:
        return str(named)
    out = {*asked.apart, *asked.named.get("items", ())}
    free = [c for c in asked.profile if c.name not in out]
    texts = [c for c in free if not c.is_number and c.type not in {"list", "empty"}]
    texts = [c for c in texts if c.type != "text" or c in asked.label_columns] or texts
    if "items" in asked.named:
        first = [c for c in texts[:1] if c is free[0] and not c.blanks]
        return first[0].name if first else None
    called = [
        c for c in texts if asked.level("item", c.name) or asked.level("row", c.name)
    ]
    ids = [c for c in free if c.is_id and c.is_number]
    once = [c for c in called if not c.repeats]
    once.sort(key=lambda c: c.is_id)  # names say more than ids
    names = [c for c in texts if c.unique and c.simple in NAMES]
    every = sorted([*once, *names, *called, *texts, *ids], key=lambda c: c.blanks > 0)
    return every[0].name if every else None


def _score_columns(
    asked: Asked, label: str | None, way: str
) -> tuple[list[str], list[str]]:
    """Return the columns of scores, and those of numbers that are none: ids, years, sums, errors."""
    if "items" in asked.named:
        return list(asked.named["items"]), []
    weights = [c.name for c in asked.profile.called(*asked.kind.roles["weights"].names)]
    apart = {label, *asked.apart, *weights}
    numbers = [c for c in asked.profile if c.name not in apart and c.is_number]
    facts, spreads = known("facts_of_items"), known("spreads")
    named = [c for c in numbers if c.words]
    out = {c.name for c in numbers if c.is_id or _numbers_rows(asked, c)}
    out |= {c.name for c in named if c.whole and c.words[0] in COUNTERS and c.words[1:]}
    telling = {
        *known("margins_of_error"),
        *(spreads if way == "rows" else ()),
    }  # SD may be a party
    unsure = {c.name for c in named if {c.words[0], c.words[-1], c.simple} & telling}
    out |= unsure if len(unsure | out) < len(numbers) else set()
    if way == "rows":
        before = [
            c
            for c in numbers[:1]
            if c.whole and asked.profile.table.names.index(c.name) == 0
        ]
        out |= {
            c.name
            for c in before
            if label and (np.diff(c.numbers, prepend=0) == 1).all()
        }
        about = {c.name for c in named if c.words[0] in facts}
        out |= about if len(about | out) < len(numbers) else set()
    return [c.name for c in numbers if c.name not in out], [
        c.name for c in numbers if c.name in out
    ]


def _numbers_rows(asked: Asked, column: Column) -> bool:
    """Tell whether whole numbers are called like runs, rows or units, which they then only number."""
    alone = len(column.words) == 1 and sounds_like_a_unit(column.name)
    a_row = asked.kind.roles["row"].names
    return column.whole and (
        column.simple in {*known("trials", "replicates"), *a_row} or alone
    )


def _blocks(asked: Asked, values: Sequence[str], way: str) -> Iterator[list[str]]:
    """Yield columns that belong together: parts of a whole, of one stem, neighbours of one scale."""
    profile = asked.profile
    if (
        "items" in asked.named
        or len(values) > LOOKED_AT
        or [*values] in profile.families
    ):
        return
    held = [n for n in values if len(profile[n].some)]
    usable = {n for n in held if not _is_no_score(profile[n])}
    runs = list(_neighbours(profile, usable))
    amounts = {
        n for n in held if not _is_no_score(profile[n], amounts=True)
    }  # may be parts of a whole
    parts = [_parts(profile, run) for run in _neighbours(profile, amounts)]
    families = sorted(
        _families(profile, usable), key=lambda f: (-profile[f[0]].is_measure, -len(f))
    )
    scaled = [part for run in runs for part in _on_one_scale(profile, run)]
    every = [
        *parts,
        *families,
        *(r for r in runs if _are_counts(profile, r)),
        *scaled[:1],
    ]
    votes = [
        [n for n in block if way == "rows" or not _is_tally(profile[n])]
        for block in every
    ]
    few = [*parts, *(f for f in families if way == "columns" and _is_of(profile, f))]
    least = [
        2 if block in few else LEAST for block in every
    ]  # of a whole, two may be left
    distinct = {
        tuple(v): v for v, size in zip(votes, least, strict=True) if len(v) >= size
    }
    yield from distinct.values()


def _is_tally(column: Column) -> bool:
    return not TALLIES.isdisjoint([column.simple, *column.words])


def _is_of(profile: Profile, names: Sequence[str]) -> bool:
    """Tell whether names say of what they are votes or shares: votes_left, votes_right."""
    shared = {*profile[names[0]].words}.intersection(
        *(profile[name].words for name in names)
    )
    numbered = {*names} <= profile.of_families  # 10_time, 100_time
    return len(names) > 1 and not shared.isdisjoint(OF_ITEMS) and not numbered


def _families(profile: Profile, usable: Collection[str]) -> Iterator[list[str]]:
    """Yield columns whose names begin, or end, with the same word."""
    for end in (0, -1):
        found: dict[str, list[str]] = {}
        for column in profile:
            words = [word for word in column.words if not word.isdecimal()]
            if len(column.words) > 1 and words and column.name in usable:
                found.setdefault(words[end], []).append(column.name)
        yield from found.values()


def _neighbours(profile: Profile, usable: Collection[str]) -> Iterator[list[str]]:
    """Yield columns of numbers that stand side by side; one of shares stands apart from counts."""
    for _, run in groupby(
        profile, lambda c: (c.name in usable, not SHARES.isdisjoint(c.words))
    ):
        if (
            len(names := [column.name for column in run if column.name in usable])
            >= LEAST
        ):
            yield names


def _on_one_scale(profile: Profile, run: Sequence[str]) -> list[list[str]]:
    """Return the neighbours of one scale and type, the most first."""
    found: list[list[str]] = [[]]
    low, high = np.inf, 0.0
    for name in run:
        column, reach = profile[name], profile[name].reach
        low, high = min(low, reach), max(high, reach)
        alike = all(column.whole == profile[one].whole for one in found[-1][-1:])
        if not alike or high > SCALE * low:
            found.append([])
            low = high = reach
        found[-1].append(name)
    return sorted(found, key=len, reverse=True)


def _are_alike(profile: Profile, names: Sequence[str]) -> bool:
    """Tell whether columns are all scores, all whole or none, and reach about as far."""
    columns = [profile[name] for name in names[:LOOKED_AT]]
    even = len({c.whole for c in columns}) == 1 and len(columns) >= LEAST
    return (
        even
        and profile.on_one_scale(names[:LOOKED_AT], ALIKE)
        and not any(map(_is_no_score, columns))
    )


def _are_counts(profile: Profile, names: Sequence[str]) -> bool:
    """Tell whether columns count something: whole numbers, no shares, most of them from 0 on."""
    columns = [profile[name] for name in names]
    from_zero = sum(column.some.min(initial=1.0) == 0 for column in columns)
    if 2 * from_zero <= len(columns) or any(
        not SHARES.isdisjoint(c.words) for c in columns
    ):
        return False
    return all(c.whole and c.some.min(initial=0.0) >= 0 for c in columns)


def _parts(profile: Profile, run: Sequence[str]) -> list[str]:
    """Return the stretch of neighbours that are parts of a whole; totals may stand beside them."""
    names = list(run[:MOST_PARTS])
    before = np.cumsum(
        [np.zeros(min(SEEN, profile.rows)), *_first_rows(profile, names)], axis=0
    )
    sums = before[None, :] - before[:, None]
    far = _from_whole(profile, names, sums)
    places = np.arange(len(names) + 1)
    size = places[None, :] - places[:, None]
    far[size < LEAST] = np.inf
    start, end = np.unravel_index(
        np.lexsort((-size.ravel(), far.round(2).ravel()))[0], far.shape
    )
    return names[start:end] if far[start, end] < SPREAD else []


def _are_parts(profile: Profile, values: Sequence[str]) -> bool:
    """Tell whether columns are parts of a whole, by themselves or with the tallies beside them."""
    every = [
        c.name
        for c in profile
        if c.name in values or (c.type == "number" and _is_tally(c))
    ]
    runs = [run for run in (values, every) if len(run) >= LEAST]
    return any({*values} <= {*_parts(profile, run)} for run in runs)


def _first_rows(profile: Profile, names: Sequence[str]) -> FloatArray:
    return np.nan_to_num([profile[name].numbers[:SEEN] for name in names])


def _are_close(values: FloatArray, numbers: FloatArray) -> BoolArray:
    return np.asarray(np.abs(values - numbers) <= 1e-8 + 0.01 * np.abs(numbers))


def _from_whole(profile: Profile, names: Sequence[str], sums: FloatArray) -> FloatArray:
    """Return how far sums are from a whole: from 1, from 100, or from what another column holds."""
    least = min(profile[name].some.min(initial=0.0) for name in names)
    if profile.rows < LEAST or least < 0:
        return np.full(sums.shape[:-1], np.inf)
    apart = np.min([abs(sums / whole - 1.0) for whole in (1.0, 100.0)], axis=0)
    far: FloatArray = np.quantile(
        apart, PERMUTED, axis=-1
    )  # some rows may be something else
    totals = (
        c
        for c in profile
        if c.type == "number" and len(np.unique(c.numbers[:SEEN])) > LEAST
    )
    starts, ends = np.ogrid[: len(names) + 1, : len(names) + 1]
    first = _first_rows(profile, names)
    some = (
        int((1 - PERMUTED) * sums.shape[-1]) + 2
    )  # of which one must fit where nearly all do
    for numbers in _first_rows(
        profile, [column.name for column in islice(totals, TOTALS)]
    ):
        fits = np.array(_are_close(sums[..., :some], numbers[:some]).any(axis=-1))
        fits[fits] = _are_close(sums[fits], numbers).mean(axis=-1) >= PERMUTED
        alike = (
            _are_close(first, numbers).mean(axis=1) > 0.5 if fits.any() else np.zeros(0)
        )
        for place in np.flatnonzero(alike):  # a total is none of its parts
            fits &= ~((starts <= place) & (place < ends))
        far = np.asarray(np.where(fits, 0.0, far))
    return far


def _weighed(
    asked: Asked, way: str, label: str | None, values: list[str], left_out: list[str]
) -> Iterator[Reading]:
    profile = asked.profile
    role = "item" if way == "rows" else "row"
    roles: dict[str, Any] = {"items": values} | ({} if label is None else {role: label})
    if not values:
        made = asked.reading(roles, items_in=way)
        made.firm = (
            way == "columns"
        )  # where the kind is said, it is said what is wrong with the columns
        made.points = -9.0
        yield made
        return
    if way == "columns":
        roles |= asked.beside(("weights",), [*values, label])
    roles |= {
        role: asked.named[role] for role in ("unit", "weights") if role in asked.named
    }
    reading = asked.reading(roles, items_in=way)
    listed = "items" in asked.named or (
        label is None and any(c.type == "text" for c in profile)
    )
    reading.implied = frozenset() if listed else frozenset({"items"})
    told = _orientation(asked, label, values)
    settled = (
        asked.settings.get("items_in") is not None
        or {"row", "items"} & asked.named.keys()
    )
    reading.firm = bool(settled) or way in told or (label is None and not told)
    reading.firm &= (
        bool(settled) or "item" not in asked.named
    )  # it may name some rows, too
    plainly = label is not None and asked.level("item", label) == EXACT
    measures = [*values] not in profile.families and _mostly(values, _is_measure)
    against = told and way not in told and not (way == "rows" and measures)
    reading.points = 1.5 - ((6 if plainly else 2) if against else 0)
    once = label is not None and profile[label].type == "text" and profile[label].unique
    reading.weigh(
        way == "rows" and once and len(told) != 1, 0.1
    )  # what comes once, by name, is ranked
    plain, why = told.get(way, (False, ""))
    if reading.weigh(why, 2, f"{WAYS[way]}, by {why}") and not settled:
        brief, which = reading.support[0], "items" if way == "rows" else "rows"
        other = Option("items_in", "columns" if way == "rows" else "rows")
        note = f"{quoted(str(label))} read as names of the {which}: {brief}"
        reading.remarks.append(Guess(note, brief, other))
    if reading.weigh(len(told) > 1, 0, "the names fit both ways round"):
        reading.firm = bool(settled)
    whole = way == "columns" and len(values) <= MOST_PARTS and not measures
    whole = whole and _are_parts(profile, values)
    doubtful = _weigh_columns(asked, reading, values, label, whole=whole)
    if way == "columns":
        _weigh_as_items(asked, reading, values, label)
    plain = plain and len(told) == 1
    reading.weigh(doubtful and not plain, -1.5)
    _weigh_measures(reading, values)
    _weigh_sums(asked, reading, values, left_out)
    rest = (
        [c for c in asked.label_columns if c.name != label] if way == "columns" else []
    )
    reading.strong = plain and len(values) >= LEAST and not reading.against and not rest
    if left_out:
        which = "ids, sums or facts of the items" if way == "rows" else "ids"
        note, brief = (
            f"not read as scores, but as {which}: {quoted(*left_out)}",
            quoted(*left_out),
        )
        reading.remarks.append(
            Guess(note, f"{brief} left out", Option("items", several=True))
        )
    if any(len(profile[name].some) < profile.rows for name in values[:LOOKED_AT]):
        reading.mend["missing"] = "available"
    yield from _directed(asked, reading, label, values, sure=whole or doubtful)


def _orientation(
    asked: Asked, label: str | None, values: Sequence[str]
) -> dict[str, tuple[bool, str]]:
    """Return the ways that names speak for, each with whether that is plain, and why."""
    if "unit" in asked.named:  # items in rows have none
        return {"columns": (True, "its units")}
    if label is None:
        return {}
    item, row = asked.called("item", label), asked.called("row", label)
    unit = sounds_like_a_unit(label) or asked.profile[label].is_time
    measures = _mostly(values, _is_measure)
    rows = asked.profile[label].labels[:LOOKED_AT]
    models = _mostly(rows, pattern("models").search)
    if bool(item) != bool(row or unit) and not (models and measures):
        noun = asked.profile[label].noun
        scored = (
            noun in known("methods") and asked.level("item", label) >= EXACT
        ) or measures
        plain = (
            scored
            if item
            else noun in {*asked.kind.roles["row"].names, *known("user_columns")}
        )
        return {"rows" if item else "columns": (plain, f"the column {shorten(label)}")}
    repeated = asked.profile[label].repeats
    numbered = _only_count(rows) and not models
    plain = _mostly(rows, _is_benchmark) or (measures and models)
    signs = {}
    if _mostly(values, lambda name: asked.profile[name].noun in RATERS):
        return {"rows": (True, "columns of people who rate")}
    if measures or models:
        signs["rows"] = (
            plain,
            "names of tasks and measures" if measures else "model names",
        )
    repeated &= not measures
    if (
        repeated
        or numbered
        or _mostly(rows, _is_measure)
        or _mostly(values, pattern("models").search)
    ):
        signs["columns"] = plain, "repeated rows" if repeated else "the names in it"
    return signs


def _is_measure(name: str) -> bool:
    return any(word in known("measures") for word in words_of(name)) or _is_benchmark(
        name
    )


def _weigh_measures(reading: Reading, names: Sequence[str]) -> None:
    """Weigh whether columns are different measures, accuracy and recall, or rates of nothing good."""
    in_rows = reading.options["items_in"] == "rows"
    measures = {*known("measures", "shares", "points")} - SHARES
    words = [{*words_of(name)} for name in names[:LOOKED_AT]]
    called = [frozenset(measures & some) for some in words]
    differ = (
        len({*called} - {frozenset()}) > 1
        and 2 * sum(map(bool, called)) > len(called)
        and in_rows
    )
    reading.weigh(
        differ, 0, "the columns are different measures, of which a mean is taken"
    )
    less = sum(map(less_is_better, names[:LOOKED_AT]))
    mixed = in_rows and 0 < less < len(names[:LOOKED_AT])
    reading.weigh(
        mixed and not differ, -1, "in some less is better, and a mean is taken of all"
    )
    rates = not any(called) and all(not SHARES.isdisjoint(some) for some in words)
    either = rates and not any(map(less_is_better, names))
    reading.weigh(either, 0, "more may be better, or less")


def _weigh_sums(
    asked: Asked, reading: Reading, values: list[str], left_out: list[str]
) -> None:
    """Weigh whether what sums the columns up, and is left out, orders the rows as their mean does."""
    sums = [
        n
        for n in left_out
        if asked.profile[n].words[:1] and asked.profile[n].words[0] in SUMS
    ]
    if sums and values and reading.options["items_in"] == "rows":
        signs = np.where([*map(less_is_better, values)], -1.0, 1.0)
        published = np.nan_to_num(asked.profile[sums[0]].numbers[:SEEN])
        with np.errstate(over="ignore", invalid="ignore"):  # of huge numbers
            means = signs @ _first_rows(asked.profile, values) / len(values)
            apart = len(means) > LEAST and np.ptp(means) and np.ptp(published)
            agree = bool(apart) and np.corrcoef(means, published)[0, 1] > AGREEING
        reading.weigh(
            apart and not agree, 0, f"{quoted(*sums[:1])} ranks the rows otherwise"
        )


def _is_benchmark(name: str) -> bool:
    return pattern("benchmarks").match(simplify(name)) is not None


def _only_count(names: Sequence[str]) -> bool:
    """Tell whether most names are one stem with numbers: q1, q2..., but not gpt_4, claude_3."""
    shown = [COUNTING.match(str(name)) for name in names[:LOOKED_AT]]
    stems = Counter(found[1].rstrip("_-") for found in shown if found)
    return 2 * max(stems.values(), default=0) > len(shown)


def _mostly(names: Sequence[str], test: Callable[[str], Any]) -> bool:
    shown = names[:LOOKED_AT]
    return bool(shown) and 2 * sum(bool(test(str(name))) for name in shown) > len(shown)


def _weigh_columns(
    asked: Asked,
    reading: Reading,
    values: Sequence[str],
    label: str | None,
    *,
    whole: bool,
) -> bool:
    """Weigh what names the rows, and whether columns are scores of one scale; tell if not surely."""
    profile, in_rows = asked.profile, reading.options["items_in"] == "rows"
    columns = [profile[name] for name in values[:LOOKED_AT]]
    odd = [c.name for c in columns if _is_no_score(c, amounts=whole)]
    less = [
        c.name
        for c in columns
        if not in_rows and less_is_better(c.name) and c.name not in odd
    ]
    odd += less if len(less) < len(columns) else []
    are = "is" if len(odd) == 1 else "are"
    if reading.weigh(odd, -1, f"{quoted(*odd)} {are} hardly a score"):
        brief = f"{quoted(*odd)} as {'scores' if in_rows else 'items'}"
        doubt = f"{brief}, though hardly a score"
        reading.remarks.append(Guess(doubt, brief, Option("items", several=True)))
    if none := [*dict.fromkeys(word for c in columns if (word := c.no_value))]:
        reading.mend |= asked.without(reading, *none)
    of_items = not in_rows and _is_of(profile, values[:LOOKED_AT])
    low, high = (pick(columns, key=lambda c: c.reach) for pick in (min, max))
    reach = f"{shorten(low.name)} reaches {low.reach:.3g}, {shorten(high.name)} {high.reach:.3g}"
    few, some = values[:LOOKED_AT], f"{len(values):,} columns of"
    lone = len(columns) < LEAST and not (whole or of_items)
    facts = (
        (lone, -1, f"only {counted(len(columns), 'column')} of numbers"),
        (whole, 2.5, "the numbers of each row are parts of a whole"),
        (profile.on_one_scale(few), 1, f"{some} numbers on one scale"),
        (of_items, 1, f"{some} one measure"),
        (
            not in_rows and len(few) > LEAST and _are_counts(profile, few),
            1.5,
            f"{some} counts",
        ),
    )
    told = any(reading.weigh(*fact) for fact in facts)  # the first that holds
    alike = not in_rows and not odd and _are_alike(profile, values)
    reading.weigh(
        not told, 0 if alike else -1 if in_rows else -3, f"scales differ: {reach}"
    )
    texts = [
        c
        for c in profile
        if c.type == "text" and c.name != label and c.name not in asked.apart
    ]
    if label is not None:
        named = profile[label]
        cost = 2 if in_rows else min(3, len(texts))
        reading.weigh(
            named.repeats and (texts or in_rows), -cost, f"{quoted(label)} repeats"
        )
        if in_rows and named.repeats:
            reading.mend["duplicates"] = "mean"
        both = len(values) > 1 and named.values == {*values}
        if reading.weigh(
            both, 0, "rows and columns have the same names: counted wins are battles"
        ):
            reading.firm = reading.firm and asked.settings.get("items_in") is not None
    return bool(odd) or not (told or alike)


def _weigh_as_items(
    asked: Asked, reading: Reading, values: Sequence[str], label: str | None
) -> None:
    """Weigh whether columns may be what is ranked."""
    profile = asked.profile
    counting = _only_count(values) or {*values} <= profile.of_families
    reading.weigh(counting, -1, "the columns are only numbered, not named")
    told = len(values) > 1 and all(
        not STATISTICS.isdisjoint(profile[n].words) for n in values
    )
    reading.weigh(told, -4, "the columns are statistics, not items")
    measures = _mostly(values, _is_measure) and not _is_of(profile, values[:LOOKED_AT])
    reading.weigh(
        measures, -1, "the columns are called like measures or tasks, not like items"
    )
    scores = [n for n in values[:LOOKED_AT] if asked.called("score", n) >= EXACT]
    are = "is" if len(scores) == 1 else "are"
    reading.weigh(
        scores, -2, f"{quoted(*scores)} {are} called like a score, not like an item"
    )
    tallies = [name for name in values[:LOOKED_AT] if _is_tally(profile[name])]
    alike = "are called like counts or differences, not like items"
    are = (
        "is called like a count or a difference, not like an item"
        if len(tallies) == 1
        else alike
    )
    less = 0 < len(tallies) < len(values)
    reading.weigh(less, -min(2, len(tallies)), f"{quoted(*tallies)} {are}")
    labels = asked.label_columns
    items = [
        c.name
        for c in labels
        if c.name != label and asked.level("item", c.name) >= EXACT
    ]
    reading.weigh(
        items,
        -2.5,
        f"{quoted(*items)} {'is' if len(items) == 1 else 'are'} called like items",
    )


def _is_no_score(column: Column, *, amounts: bool = False) -> bool:
    odd = column.counts_rows or column.is_id or column.is_time or column.type == "flag"
    odd |= column.noun in known("coordinates")
    return odd or (column.is_amount and not amounts)


def _directed(
    asked: Asked,
    reading: Reading,
    label: str | None,
    values: Sequence[str],
    *,
    sure: bool,
) -> Iterator[Reading]:
    """Propose a reading with what is best; ranks could be best at either end, so both ways."""
    if "lower_is_better" in asked.settings:
        yield reading
        return
    way = reading.options["items_in"]
    profile, names = asked.profile, list(values) if way == "rows" else []
    if way == "columns" and label is not None and profile[label].noun in MEASURES:
        names = profile[label].labels
    less = [name for name in names if less_is_better(name)]
    if not names and all(map(less_is_better, values)):
        less, names = list(values), list(values)
    if less:
        reading.options["lower_is_better"] = "all" if less == names else less
        reading.support.append(f"less is better in {listing(map(shorten, less))}")
        yield reading
        return
    told = "" if _mostly(names, _is_measure) else told_by_file(profile.table.source)
    told = told or "ranks: 1 is best" * are_ranks(profile, values, way)
    if told:
        for which, why in (("all", told), ("none", "points: more is better")):
            yield turned(reading, which, why, 1.0 + (which == "all") / 2)
        return
    yield reading
    plain = (_is_measure(n) or profile[n].is_measure for n in values)
    if not sure and not all(plain):
        sizes = label is not None and (
            profile[label].is_amount or profile[label].simple == "n"
        )
        yield turned(
            reading, "all", "if less is better", 0.25 if sizes else -1.5
        )  # times, by size


def are_ranks(profile: Profile, values: Sequence[str], way: str) -> bool:
    """Tell whether each row, or each column of items in rows, holds ranks."""
    if len(values) > LOOKED_AT or not all(profile[name].whole for name in values):
        return False
    columns = np.array([profile[name].numbers for name in values])
    vectors = columns if way == "rows" else columns.T[:LOOKED_AT]
    several = vectors[np.isfinite(vectors).sum(axis=1) > 1]  # one rank tells nothing
    if len(several) < 2 or vectors.shape[1] < LEAST:
        return False
    up_to_all = (
        np.nanmax(several) == vectors.shape[1] > FEW_RANKS and np.nanmin(several) == 1
    )
    ranked = (several == 1).any(axis=1) if up_to_all else _are_ranked(several)
    return float(np.mean(ranked)) >= PERMUTED


def _are_ranked(rows: FloatArray) -> BoolArray:
    """Mark the rows whose numbers are 1, 2, 3..., as far as they go; equal ones share a rank.

    They share the first of their places, the last one, as what nobody ranked does, or one for all.
    """
    ordered = np.sort(np.where(np.isfinite(rows), rows, np.nan), axis=1)
    gone, new = np.isnan(ordered), np.diff(ordered, axis=1, prepend=np.nan) != 0
    steps, places = (
        new.cumsum(axis=1),
        np.where(new, np.arange(1, rows.shape[1] + 1), 0),
    )
    dense = ((ordered == steps) | gone).all(axis=1)
    dense &= 2 * (new & ~gone).sum(axis=1) >= (~gone).sum(axis=1)
    first = ordered == np.maximum.accumulate(places, axis=1)
    ends = np.where(
        np.diff(ordered, axis=1, append=np.nan) != 0,
        np.arange(1, rows.shape[1] + 1),
        np.inf,
    )
    last = ordered == np.minimum.accumulate(ends[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(dense | (first | gone).all(axis=1) | (last | gone).all(axis=1))
