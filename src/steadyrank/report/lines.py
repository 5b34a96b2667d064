"""What all text views share: headings, paragraphs, claims, notes, and tables that fit any width.

Lines are pairs of a text and a style such as ``"bold green"``. Whoever has colours draws them; names
are shown as text whatever they hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from steadyrank.text import counted, eps_in_words, rounded_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from steadyrank.report.terminal import Terminal

    Findings = Mapping[str, Any]
    Row = Mapping[str, Any]

LONG = 40
"""Rows of one section that are shown in full; of longer ones the first, the last and some between."""

NEXT_IN_LINE = 5
"""Items that are out, units of a set and the like that are shown all the same."""

FAINT = "bright_black"

NARROWEST_NAME = 8
APART = 2


class Line(NamedTuple):
    """A line of text and how to draw it, if colours can be drawn."""

    text: str
    style: str = ""


def heading(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield where the data come from, and how much of it there is."""
    source = "standard input" if findings["source"] == "-" else findings["source"]
    items, units = (counted(findings["n_items"], "item"), counted(findings["n_units"], findings["unit"]))
    size = f"{findings['kind']}, {items}, {units}"
    yield from paragraph(f"{source}: {size}" if source else size, terminal, style=FAINT)
    yield from guessed(findings, terminal)
    if "new" in findings:  # a comparison, of which the old data come first
        yield from heading(findings["new"], terminal)


def guessed(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what was guessed about the file, and the options that change it."""
    guesses = [f"{one['text']}{terminal.hint(one['option'])}" for one in findings["guesses"]]
    if guesses:
        yield from paragraph(f"Guessed: {'; '.join(guesses)}", terminal, style=FAINT)


def claims(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what is promised; the numbers behind it where they are wanted."""
    certificate = findings["certificate"]
    if not terminal.verbose:
        yield from paragraph(certificate["promise"], terminal)
    else:
        delta = certificate["delta"]
        told = "nothing claimed" if delta is None else f"delta = {rounded_up(delta)}"
        if certificate["removals"] > 1:
            told += f" for any {counted(certificate['removals'], 'removal')}"
        if findings["eps"] is not None:
            told = f"eps = {eps_in_words(findings['eps'], given=certificate['given'])}, {told}"
        title = f"Certificate ({certificate['status']}): {told}; "
        yield from paragraph(f"{title}rule: {certificate['rule']}", terminal, style="bold")
        yield from paragraph(certificate["sentence"], terminal)
    yield Line("")
    for suggestion in findings["suggestions"]:
        told = f"{suggestion['text']}{terminal.hint(suggestion['option'])}"
        yield from paragraph(told, terminal, bullet=terminal.sign("→", ">"))


def notes(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what was recognised and decided, but for what was said first."""
    yield Line("Recognised, guessed and decided", FAINT)
    yield from remarks([f"scores: {findings['scorer']}", *findings["notes"]], findings, terminal)
    if (new := findings.get("new")) is not None:  # a comparison, which has told of the old data
        said = {*findings["notes"], *(one["note"] for one in new["guesses"])}
        yield from remarks([f"new: {note}" for note in new["notes"] if note not in said], new, terminal)


def remarks(notes: Iterable[str], findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield notes, each on lines of its own, but for what was said first."""
    said = {one["note"] for one in findings["guesses"]}
    for note in notes:
        if note not in said:
            yield from paragraph(note, terminal, bullet=terminal.sign("·", "-"), style=FAINT)


def paragraph(text: str, terminal: Terminal, *, bullet: str = "", style: str = "") -> Iterator[Line]:
    """Yield a text wrapped at words, safe to show, with a bullet and a hanging indent if given."""
    lead = f" {bullet} " if bullet else ""
    rest = " " * len(lead)
    safe = terminal.safe(text)
    for part in terminal.wrapped(safe, lead, rest):
        yield Line(part, style)


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    title : str
        What stands above it.
    cells : sequence of str
        Its texts, from the first row on.
    need : int
        The larger, the longer it stays where room is short.
    names : bool
        Whether it holds names, which stand on the left and are shortened first.
    least : int
        How many characters of names are left at least.
    """

    title: str
    cells: Sequence[str]
    need: int
    names: bool = False
    least: int = NARROWEST_NAME

    def width(self, terminal: Terminal) -> int:
        """Return how many characters it takes in full; names leave room for the rest."""
        most = max(self.least, terminal.width * 2 // 5) if self.names else terminal.width
        return terminal.widest((self.title, *self.cells), most)


class Layout:
    r"""The columns that fit, and how wide each is.

    Examples
    --------
    >>> from steadyrank.report.terminal import Terminal
    >>> columns = [Column("item", ["a long name", "b"], 9, names=True), Column("n", ["1", "20"], 1)]
    >>> print("\n".join(Layout(columns, Terminal(width=40)).lines()))
    item          n
    a long name   1
    b            20
    >>> print("\n".join(Layout(columns, Terminal(width=9)).lines()))
    item
    a lo…ame
    b
    """

    def __init__(self, columns: Sequence[Column], terminal: Terminal) -> None:
        self._terminal = terminal
        kept = [(column, column.width(terminal)) for column in columns]
        while len(kept) > 1 and _taken([_least(*one) for one in kept]) > terminal.width:
            kept.remove(min(kept, key=lambda one: one[0].need))
        over = max(0, _taken([width for _, width in kept]) - terminal.width)
        self._columns = [column for column, _ in kept]
        self._widths = [
            max(1, width - over) if over and column.names else width for column, width in kept
        ]

    @property
    def width(self) -> int:
        """How many characters a line takes."""
        return _taken(self._widths)

    def lines(self) -> list[str]:
        """Return the line of titles, and one for each row."""
        cells = ((column.title, *column.cells) for column in self._columns)
        return [self._line(row) for row in zip(*cells, strict=True)]

    def _line(self, cells: Sequence[str]) -> str:
        made = []
        for column, width, cell in zip(self._columns, self._widths, cells, strict=True):
            text = self._terminal.fit(cell, width)
            made.append(text if column.names else text.rstrip().rjust(width))
        return (" " * APART).join(made).rstrip()


def _least(column: Column, width: int) -> int:
    """Return the width that a column takes at least."""
    return min(width, column.least) if column.names else width


def _taken(widths: Sequence[int]) -> int:
    return sum(widths) + APART * (len(widths) - 1)
