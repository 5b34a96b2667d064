"""Results as text for a terminal, drawn from the same document as every other view.

Names are shown as text whatever they hold. Lines are Rich ``Text`` objects, which carry colours and
never read markup; a console that is no terminal leaves the colours out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyrank.report.bars import Look, Scale
from steadyrank.report.html_words import verdict
from steadyrank.safe_text import shown
from steadyrank.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.text import Text

    Row = Mapping[str, Any]

LONG = 40
"""Rows of one section that are shown in full; of longer ones the first and last half of that."""

NEXT = 5
"""Items next in line that are shown."""

STYLES = {"certain": "green", "contender": "yellow", "out": "bright_black"}
HEADINGS = {"certain": "bold green", "contender": "bold yellow", "out": "bold"}
METHODS = {
    "topk": "plain top-k",
    "inflated_topk": "inflated top-k",
    "ranking": "plain ranking",
    "inflated_ranking": "inflated ranking",
}
SIGNS = {"certain": ("●", "*"), "contender": ("◐", "?"), "out": ("○", " ")}


def topk_text(made: Mapping[str, Any], look: Look, *, everything: bool = False) -> Iterator[Text]:
    """Yield the lines of a stable top-k: surely in, contenders, next in line, and what is claimed."""
    yield from _heading(made, look)
    yield from paragraph(verdict(made), look)
    yield line("")
    yield from topk_rows(made, look, everything=everything)
    yield line("")
    yield from claims(made, look)


def topk_rows(
    made: Mapping[str, Any], look: Look, *, everything: bool = False, following: int | None = None
) -> Iterator[Text]:
    """Yield the table of a stable top-k, with so many items that are next in line."""
    hint = " (--all shows them)" if following is None else ""
    following = NEXT if following is None else following
    rows, k = made["rows"], made["k"]
    every = {standing: [row for row in rows if row["standing"] == standing] for standing in STYLES}
    listed = {name: shortened(part, everything=everything) for name, part in every.items()}
    listed["out"] = list(every["out"] if everything else every["out"][:following])
    table = _Table([row for part in listed.values() for row in part if row], look, cut=k, eps=True)
    yield table.header()
    for standing, title in (
        ("certain", f"Surely in the top {k:,}"),
        ("contender", _contending(len(every["contender"]), len(every["certain"]), k)),
        ("out", "Next in line"),
    ):
        if listed[standing]:
            yield line(title, HEADINGS[standing])
            yield from (table.row(row) for row in listed[standing])
    hidden = len(every["out"]) - len(listed["out"])
    if hidden:
        yield line(f"   and {hidden:,} more further down{hint}", "bright_black")


def ranking_text(made: Mapping[str, Any], look: Look, *, everything: bool = False) -> Iterator[Text]:
    """Yield the lines of a stable ranking: every item with the ranks that it may have."""
    listed = shortened(made["rows"], everything=everything)
    table = _Table([row for row in listed if row is not None], look, cut=None, eps=False)
    tiers = made["tiers"]
    fixed = sum(row["lowest"] == row["highest"] for row in made["rows"])
    yield from _heading(made, look)
    yield from paragraph(
        f"{fixed:,} of {counted(made['n_items'], 'item')} have one possible rank; "
        + ("all in one tier." if len(tiers) == 1 else f"{len(tiers):,} tiers that do not mix."),
        look,
    )
    yield line("")
    yield table.header()
    ends = _tier_ends(tiers)
    for row in listed:
        yield table.row(row)
        if row is not None and row["rank"] in ends and len(tiers) <= made["n_items"] // 2:
            yield line("   " + look.sign("─", "-") * (table.width - 3), "bright_black")
    yield line("")
    yield from claims(made, look)


def audit_text(made: Mapping[str, Any], look: Look) -> Iterator[Text]:
    """Yield the lines of an audit: one for each method and k, and who flips the plain answers."""
    unit, units = made["unit"], made["units"]
    yield from _heading(made, look)
    yield from paragraph(
        f"Each of the {made['n_units']:,} {units} was left out in turn. At eps = {made['eps']:.4g}, "
        f"a share {made['share_reaching_eps']:.4g} of them moves the scores by eps or more; no inflated "
        "answer can break more often than that.",
        look,
    )
    yield line("")
    yield line(f"{'answer':<18}{'k':>6}{'broken by':>14}{'delta':>9}{'Jaccard':>10}{'size':>15}", "bold")
    for row in sorted(made["audit"], key=lambda row: (row["k"] is None, row["k"])):
        yield _outcome_line(row, made["n_units"])
    yield from paragraph(
        f"Broken by: {units} without which fewer than k items (rankings: no ranking) stay in common.",
        look,
        style="bright_black",
    )
    yield line("")
    for flips in made["flips"]:
        yield from _flip_lines(flips, unit, look)
    yield from notes(made, look)


def check_text(made: Mapping[str, Any], look: Look) -> Iterator[Text]:
    """Yield whether a top-k passes, why, and what would."""
    passed, k, units = made["stable"], made["k"], made["units"]
    inflated = f"inflated top {k:,} at eps = {made['eps'] or 0:.4g}"
    what = f"plain top {k:,}" if made["method"] == "topk" else inflated
    yield line(f"{'STABLE' if passed else 'UNSTABLE'}: {what}", "bold green" if passed else "bold red")
    yield from paragraph(
        f"{made['breaking_units']:,} of the {made['n_units']:,} {units}, each left out alone, leave "
        f"fewer than {k:,} items in common: delta = {made['delta']:.4g}, "
        f"allowed {made['max_delta']:.4g}.",
        look,
    )
    if not passed:
        remedy = made["remedy"]
        yield from paragraph(
            f"What would pass: the inflated top {k:,} at eps = {remedy['eps']:.4g}, "
            f"{remedy['size']:,} items (delta = {remedy['delta']:.4g}).",
            look,
        )
    yield line("")
    if not passed and made["method"] == "topk":
        yield from _flip_lines(made["flips"], made["unit"], look)
    yield from notes(made, look)


def claims(made: Mapping[str, Any], look: Look) -> Iterator[Text]:
    """Yield the certificate in one sentence, eps and delta, and what was guessed."""
    certificate = made["certificate"]
    delta = "nothing claimed" if certificate["delta"] is None else f"delta = {certificate['delta']:.4g}"
    yield from paragraph(
        f"Certificate ({certificate['status']}): eps = {made['eps']:.4g}, {delta}; "
        f"rule: {certificate['rule']}",
        look,
        style="bold",
    )
    yield from paragraph(certificate["sentence"], look)
    yield line("")
    yield from notes(made, look)


def notes(made: Mapping[str, Any], look: Look) -> Iterator[Text]:
    """Yield what was recognised, guessed and decided."""
    yield line("Recognised, guessed and decided", "bright_black")
    for note in (f"scores: {made['scorer']}", *made["notes"]):
        yield from paragraph(note, look, bullet=look.sign("·", "-"), style="bright_black")


def paragraph(text: str, look: Look, *, bullet: str = "", style: str = "") -> Iterator[Text]:
    """Yield a text wrapped at words, safe to show, with a bullet and a hanging indent if given."""
    from textwrap import wrap

    lead = f" {bullet} " if bullet else ""
    safe = shown(text, look.encoding)
    for part in wrap(safe, look.width, initial_indent=lead, subsequent_indent=" " * len(lead)):
        yield line(part, style)


def line(text: str, style: str = "") -> Text:
    """Return a line of text as it is; markup in it means nothing."""
    from rich.text import Text

    return Text(text, style=style)


def shortened(rows: Sequence[Row], *, everything: bool) -> list[Row | None]:
    """Return all rows, or the first and last of very many, with None for the gap."""
    if everything or len(rows) <= LONG:
        return list(rows)
    half = LONG // 2
    return [*rows[:half], None, *rows[-half:]]


def _heading(made: Mapping[str, Any], look: Look) -> Iterator[Text]:
    source = "standard input" if made["source"] == "-" else made["source"]
    size = (
        f"{made['kind']}, {counted(made['n_items'], 'item')}, {counted(made['n_units'], made['unit'])}"
    )
    yield from paragraph(f"{source}: {size}" if source else size, look, style="bold")


def _contending(contenders: int, certain: int, k: int) -> str:
    places = "place" if k - certain == 1 else f"{k - certain:,} places"
    return f"Contenders: {contenders:,} for the {'last ' if certain else ''}{places}"


def _tier_ends(tiers: Sequence[Sequence[object]]) -> set[int]:
    ends, last = set(), 0
    for tier in tiers[:-1]:
        last += len(tier)
        ends.add(last)
    return ends


def _outcome_line(row: Row, units: int) -> Text:
    broken = round(row["delta"] * units)
    jaccard = "" if row["jaccard"] is None else f"{row['jaccard']:.4f}"
    style = "green" if row["method"].startswith("inflated") else ""
    k = "" if row["k"] is None else f"{row['k']:,}"
    return line(
        f"{METHODS.get(row['method'], row['method']):<18}{k:>6}{broken:>14,}{row['delta']:>9.4f}"
        f"{jaccard:>10}{_size(row):>15}",
        style,
    )


def _size(row: Row) -> str:
    if row["size"] is not None and row["size"] < 10**9:
        return f"{row['size']:,}"
    return "not counted" if row["log10_size"] is None else f"about 10^{row['log10_size']:.1f}"


def _flip_lines(flips: Row, unit: str, look: Look) -> Iterator[Text]:
    plain = flips["plain"]
    if not plain["units"]:
        return
    number = counted(plain["units"], shown(unit, look.encoding))
    yield line(f"Who changes the plain top {flips['k']:,}: {number}", "bold")
    for flip in plain["listed"][:3]:
        leaves, enters = (", ".join(map(str, flip[way])) for way in ("leaves", "enters"))
        times = f" ({flip['count']:,} times)" if flip["count"] > 1 else ""
        space = (look.width - 30) // 3
        parts = [look.fit(part, space).rstrip() for part in (flip["unit"], leaves, enters)]
        yield line(f"   without {parts[0]}{times}: {parts[1]} {look.sign('→', '->')} {parts[2]}")
    if plain["distinct_units"] > 3:
        yield line(f"   and {plain['distinct_units'] - 3:,} more (--json lists them)", "bright_black")
    yield line("")


class _Table:
    """The columns of items: sign, rank, name, score, ranks, bar, and the eps of entry."""

    def __init__(self, rows: Sequence[Row], look: Look, *, cut: int | None, eps: bool) -> None:
        self._look = look
        self._eps = eps
        self._decimals = _decimals([row["score"] for row in rows])
        self._rank = max((len(f"{row['rank']:,}") for row in rows), default=1)
        self._score = max((len(self._number(row["score"])) for row in rows), default=5)
        self._score = max(5, self._score)
        self._ranks = max((len(self._interval(row)) for row in rows), default=5)
        self._ranks = max(5, self._ranks)
        fixed = 3 + self._rank + 2 + 2 + self._score + 2 + self._ranks + 2 + (15 if eps else 0)
        room = max(20, look.width - fixed)
        self._name = max(4, look.columns_of((row["item"] for row in rows), room * 3 // 5))
        low = min((row["lowest"] for row in rows), default=1)
        high = max((row["highest"] for row in rows), default=1)
        self._scale = Scale.around(low, high, max(7, min(48, room - self._name - 1)), cut)

    @property
    def width(self) -> int:
        """How many columns a row takes."""
        return (
            3 + self._rank + 2 + self._name + 2 + self._score + 2 + self._ranks + 2 + self._scale.width
        )

    def header(self) -> Text:
        bar = f"{'ranks':>{self._ranks}}  {'':<{self._scale.width}}"
        eps = f"  {'enters at eps':>13}" if self._eps else ""
        name = f"{'item':<{self._name}}"
        return line(
            f"   {'':>{self._rank}}  {name}  {'score':>{self._score}}  {bar}{eps}".rstrip(), "bold"
        )

    def row(self, row: Row | None) -> Text:
        if row is None:
            return line(f"   {self._look.sign('…', '...')} (--all shows every row)", "bright_black")
        standing = row["standing"]
        bar = self._scale.bar(row["lowest"], row["highest"], row["rank"], self._look)
        critical = row["critical_eps"]
        eps = f"  {critical:>13.3g}" if self._eps and critical else ""
        text = (
            f" {self._look.sign(*SIGNS[standing])} {row['rank']:>{self._rank},}  "
            f"{self._look.fit(row['item'], self._name)}  {self._number(row['score']):>{self._score}}  "
            f"{self._interval(row):>{self._ranks}}  {bar}{eps}"
        )
        return line(text.rstrip(), STYLES[standing] if self._eps else "")

    def _interval(self, row: Row) -> str:
        low, high = row["lowest"], row["highest"]
        return f"{low:,}" if low == high else f"{low:,}{self._look.sign('–', '-')}{high:,}"

    def _number(self, score: float) -> str:
        if score and not 1e-6 < abs(score) < 1e9:
            return f"{score:.6g}"
        return f"{score:.{self._decimals}f}"


def _decimals(scores: Sequence[float]) -> int:
    """Return how many decimals tell different scores apart: from two to six."""
    different = len(set(scores))
    for decimals in range(2, 6):
        if len({f"{score:.{decimals}f}" for score in scores}) == different:
            return decimals
    return 6
