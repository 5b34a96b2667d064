"""What every text view is made of: terminals, lines, tables that fit any width, bars of ranks.

Lines are pairs of a text and a style such as ``"bold green"``. Whoever has colours draws them; names
are shown as text whatever they hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from textwrap import TextWrapper
from typing import TYPE_CHECKING, Any, NamedTuple

from steadyrank.text import columns_of, counted, cut, eps_in_words, fitted, rounded_up, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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


@dataclass(frozen=True)
class Terminal:
    """How much a terminal can show.

    Parameters
    ----------
    width : int
        Columns of the terminal.
    encoding : str
        Of the output; bars and dashes are ASCII where it lacks the better ones.
    options : bool
        Whether its user types options, so that lines may say which of them shows more.
    everything, verbose : bool
        Whether every row of long tables is wanted, and whether the numbers behind a claim are.
    """

    width: int = 80
    encoding: str = "utf-8"
    options: bool = False
    everything: bool = False
    verbose: bool = False

    @cached_property
    def _has_signs(self) -> bool:
        try:
            "━●◐◌○│┿‹›–…·→─".encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def sign(self, better: str, plain: str) -> str:
        """Return the better of two spellings that the terminal can show."""
        return better if self._has_signs else plain

    def hint(self, text: str) -> str:
        """Return what an option would do, for those who can type it."""
        return f" ({text})" if self.options else ""

    def fit(self, name: object, width: int) -> str:
        """Return a name as safe text that takes exactly ``width`` columns."""
        return fitted(name, width, encoding=self.encoding, more=self.sign("…", "..."))

    def safe(self, name: object) -> str:
        """Return a name as safe text, however long."""
        return shown(name, self.encoding)

    def wrapped(self, text: str, lead: str = "", rest: str = "", *, whole: bool = False) -> list[str]:
        """Return a text wrapped at words, by columns, after a lead and then an indent.

        A word that is longer than a line is broken, unless ``whole`` keeps it for copying.

        Examples
        --------
        >>> Terminal(10).wrapped("two words and 漢字漢字漢字", "- ", "  ")
        ['- two', '  words', '  and 漢字', '  漢字漢字']
        """
        made = _Wrapper(self.width, initial_indent=lead, subsequent_indent=rest, break_on_hyphens=False)
        made.break_long_words = not whole
        return made.wrap(text)

    def widest(self, names: Iterable[object], most: int) -> int:
        """Return how many columns these names need, at most ``most``."""
        safe = (self.safe(str(name)[: most + 1]) for name in names)
        return min(most, max(map(columns_of, safe), default=0))


class _Columns(str):
    """A word whose length is the number of columns that it takes."""

    __slots__ = ()

    def __len__(self) -> int:
        return columns_of(str(self))


class _Wrapper(TextWrapper):
    """Python's own, by columns."""

    def _split(self, text: str) -> list[str]:
        return [_Columns(chunk) for chunk in super()._split(text)]

    def _handle_long_word(
        self, reversed_chunks: list[str], cur_line: list[str], cur_len: int, width: int
    ) -> None:
        if self.break_long_words:
            start, rest = cut(str(reversed_chunks.pop()), width - cur_len)
            reversed_chunks.extend(_Columns(part) for part in (rest, start) if part)
        if reversed_chunks and (not cur_line or len(reversed_chunks[-1]) <= width - cur_len):
            cur_line.append(reversed_chunks.pop())


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
    if told := guessed_text(findings, terminal):
        yield from paragraph(told, terminal, style=FAINT)


def guessed_text(findings: Findings, terminal: Terminal) -> str:
    """Return what was guessed, and the options that change it where they can be typed; "" if nothing."""
    guesses = findings["guesses"]
    if not guesses:
        return ""
    lead = "Read as" if guesses[0]["option"] == "--kind" else "Guessed:"
    hints = [f"change with {guesses[0]['option']}", *(one["option"] for one in guesses[1:])]
    told = [one["text"] + terminal.hint(hint) for one, hint in zip(guesses, hints, strict=True)]
    return f"{lead} {'; '.join(told)}"


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
    if findings["suggestions"]:
        yield Line("")


def notes(findings: Findings, terminal: Terminal) -> Iterator[Line]:
    """Yield what was recognised and decided, but for what was said first."""
    yield Line("How this file was read", FAINT)
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
    least, most : int
        How many characters of names are left at least, and shown at most.
    """

    title: str
    cells: Sequence[str]
    need: int
    names: bool = False
    least: int = NARROWEST_NAME
    most: int | None = None

    def width(self, terminal: Terminal) -> int:
        """Return how many characters it takes in full."""
        return terminal.widest((self.title, *self.cells), self.most or terminal.width)


class Layout:
    r"""The columns that fit, and how wide each is.

    Examples
    --------
    >>> columns = [Column("item", ["a long name", "b"], 9, names=True), Column("n", ["1", "20"], 1)]
    >>> print("\n".join(Layout(columns, Terminal(width=40)).lines()))
    item          n
    a long name   1
    b            20
    >>> print("\n".join(Layout(columns, Terminal(width=9)).lines()))
    item
    a lo…name
    b
    """

    def __init__(self, columns: Sequence[Column], terminal: Terminal) -> None:
        self._terminal = terminal
        kept = [(column, column.width(terminal)) for column in columns]
        while len(kept) > 1 and _taken([_least(*one) for one in kept]) > terminal.width:
            kept.remove(min(kept, key=lambda one: one[0].need))
        over = max(0, _taken([width for _, width in kept]) - terminal.width)
        self._columns = [column for column, _ in kept]
        self._widths = [width for _, width in kept]
        for _ in range(over):  # from the longest names, until all fit
            spare = [width - _least(*one) for width, one in zip(self._widths, kept, strict=True)]
            self._widths[spare.index(max(spare))] -= 1

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


@dataclass(frozen=True)
class RankAxis:
    """Ranks ``first`` to ``last`` on ``cells`` columns, with a line after rank ``cut`` if given.

    Where the ranks do not fit, the axis shows those around the line, or else several to a column.
    """

    first: int
    last: int
    cells: int
    cut: int | None = None

    @classmethod
    def beside(
        cls, width: int, rows: Iterable[Row], terminal: Terminal, cut: int | None
    ) -> RankAxis | None:
        """Return an axis right of a table of so many columns; None where there is no room or no rank."""
        known = (row.get(end) for row in rows for end in ("best_rank", "worst_rank"))
        ranks = [rank for rank in known if rank is not None]
        cells = min(48, terminal.width - width - 3)
        if not ranks or cells < 7:
            return None
        return cls.around(min(ranks), max(ranks), cells, cut)

    @classmethod
    def around(cls, best: int, worst: int, cells: int, cut: int | None) -> RankAxis:
        """Return an axis for these ranks, narrowed to those around the line where they do not fit."""
        if cut is None or worst - best < cells:
            return cls(best, worst, cells, cut)
        first = max(best, min(cut - cells // 2 + 1, worst - cells + 1))
        return cls(first, first + cells - 1, cells, cut)

    @property
    def _per_rank(self) -> float:
        """Columns for each rank: 3, so that a dot has a middle, or 1; less where ranks share one."""
        each = self.cells / (self.last - self.first + 1)
        return 3.0 if each >= 3 else min(1.0, each)

    @property
    def _used(self) -> int:
        return max(1, round(self._per_rank * (self.last - self.first + 1)))

    @property
    def _line(self) -> int | None:
        if self.cut is None or not self.first <= self.cut < self.last:
            return None
        return round(self._per_rank * (self.cut - self.first + 1))

    def bar(self, best: int | None, worst: int | None, rank: int, terminal: Terminal) -> str:
        """Draw the interval from ``best`` to ``worst``, a dot at ``rank``, and the line.

        Nothing is drawn where the ends are not known.

        Examples
        --------
        >>> RankAxis(1, 6, 6, cut=3).bar(2, 5, 3, Terminal(encoding="ascii"))
        ' =o+== '
        >>> RankAxis(4, 9, 6, cut=6).bar(1, 2, 1, Terminal(encoding="ascii"))
        '<  |   '
        """
        if best is None or worst is None:
            return ""
        cells = [" "] * self._used
        start, end = self._columns(best, worst)
        outside = worst < self.first or best > self.last
        if outside:
            cells[start] = terminal.sign("‹", "<") if worst < self.first else terminal.sign("›", ">")
        else:
            cells[start:end] = [terminal.sign("━", "=")] * (end - start)
        if self.first <= rank <= self.last:
            cells[(sum(self._columns(rank, rank)) - 1) // 2] = terminal.sign("●", "o")
        if self._line is not None:
            crossed = start < self._line < end and not outside
            cells.insert(self._line, terminal.sign("┿", "+") if crossed else terminal.sign("│", "|"))
        return "".join(cells)

    def _columns(self, best: int, worst: int) -> tuple[int, int]:
        """Return the first column of these ranks and the one after their last; what is beyond is cut."""
        low, high = (min(max(rank, self.first), self.last) - self.first for rank in (best, worst))
        start = min(self._used - 1, int(self._per_rank * low))
        return start, max(start + 1, min(self._used, round(self._per_rank * (high + 1))))
