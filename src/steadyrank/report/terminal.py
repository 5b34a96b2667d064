"""What every text view is made of: terminals, lines, tables that fit any width, bars of ranks.

Lines are texts with a style such as ``"bold green"``. Whoever has colours draws them; names are shown
as text whatever they hold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from steadyrank.text import columns_of, cut, fitted, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from steadyrank.text import Column

    Findings = Mapping[str, Any]
    Row = Mapping[str, Any]

LONG = 40
"""Rows of one section that are shown, unless all are wanted."""

FAINT = "bright_black"

APART = 2


class Line(NamedTuple):
    """A text, how to draw it if colours can be drawn, and a bullet; without any text it is not shown."""

    text: str
    style: str = ""
    bullet: str = ""


GAP = Line(" ")


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
    everything, verbose, quiet : bool
        Whether every row of long tables is wanted, whether the numbers behind a claim are, and
        whether the answer is wanted alone.
    """

    width: int = 80
    encoding: str = "utf-8"
    options: bool = False
    everything: bool = False
    verbose: bool = False
    quiet: bool = False

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

    def widest(self, names: Iterable[object], most: int) -> int:
        """Return how many columns these names need, at most ``most``."""
        safe = (shown(str(name)[: most + 1], self.encoding) for name in names)
        return min(most, max(map(columns_of, safe), default=0))

    def fitting(self, lines: Iterable[Line], *, whole: bool = False) -> list[Line]:
        """Return lines that fit and are safe to show: what is too wide goes on below.

        A word that is longer than a line is broken, unless ``whole`` keeps it for copying.
        """
        made = []
        for line in lines:
            lead = f" {line.bullet} " if line.bullet else ""
            rest = " " * (len(lead) or 5 * line.text.startswith("   "))
            if line.text:
                parts = self.wrapped(
                    shown(line.text, self.encoding), lead, rest, whole=whole
                )
                made += [Line(part, line.style) for part in parts]
        return made

    def wrapped(
        self, text: str, lead: str, rest: str, *, whole: bool = False
    ) -> list[str]:
        """Return a safe text wrapped at words, by columns, after a lead and then an indent.

        Examples
        --------
        >>> Terminal(10).wrapped("two words and 漢字漢字漢字", "- ", "  ")
        ['- two', '  words', '  and 漢字', '  漢字漢字']
        """
        made, start, full = [lead], lead, max(2, self.width - len(rest))
        for blanks, told in re.findall("( *)([^ ]+)", text):
            gap, word, room = blanks, told, self.width - columns_of(made[-1] + blanks)
            while columns_of(word) > room and not (whole and made[-1] == start):
                if (
                    not whole and columns_of(word) > full
                ):  # nor would it fit a line of its own
                    begun, word = cut(word, room)
                    made[-1] += gap + begun
                made.append(rest)
                start, gap, room = rest, "", full
            made[-1] += gap + word
        return [line.rstrip() for line in made]


def laid_out(columns: Sequence[Column], terminal: Terminal) -> list[str]:
    r"""Return a table as lines, with its titles first: the columns that fit, names shortened for it.

    Examples
    --------
    >>> from steadyrank.text import Column
    >>> columns = [Column("item", ["a long name", "b"], 9, names=True), Column("n", ["1", "20"], 1)]
    >>> print("\n".join(laid_out(columns, Terminal(width=40))))
    item          n
    a long name   1
    b            20
    >>> print("\n".join(laid_out(columns, Terminal(width=9))))
    item
    a lo…name
    b
    """
    sized = []
    for one in columns:
        full = terminal.widest((one.title, *one.cells), one.most or terminal.width)
        sized.append((one, full, min(full, one.least) if one.names else full))
    while len(sized) > 1 and _taken([least for *_, least in sized]) > terminal.width:
        sized.remove(min(sized, key=lambda one: one[0].need))
    kept, widths = [one for one, *_ in sized], [full for _, full, _ in sized]
    for _ in range(
        _taken(widths) - terminal.width
    ):  # from the longest names, until all fit
        spare = [
            width - least for width, (*_, least) in zip(widths, sized, strict=True)
        ]
        widths[spare.index(max(spare))] -= 1
    made = []
    for row in zip(*((one.title, *one.cells) for one in kept), strict=True):
        texts = [
            terminal.fit(cell, width) for cell, width in zip(row, widths, strict=True)
        ]
        for place, one in enumerate(kept):
            if not one.names:
                texts[place] = texts[place].rstrip().rjust(widths[place])
        made.append((" " * APART).join(texts).rstrip())
    return made


def _taken(widths: Sequence[int]) -> int:
    return sum(widths) + APART * (len(widths) - 1)


def rank_axis(best: int, worst: int, cells: int, cut: int | None) -> range:
    """Return the ranks that bars show: all, or those that fit around the line, or the first."""
    begin = best if cut is None else cut - cells // 2 + 1
    first = max(best, min(begin, worst - cells + 1))
    return range(first, min(worst, first + cells - 1) + 1)


def rank_bar(
    axis: range,
    ranks: tuple[int | None, int | None, int],
    cut: int | None,
    terminal: Terminal,
) -> str:
    """Draw an item's best to worst rank, a dot at its plain rank, and a line after rank ``cut``.

    Nothing is drawn where the ends are not known.

    Examples
    --------
    >>> rank_bar(range(1, 7), (2, 5, 3), 3, Terminal(encoding="ascii"))
    ' =o+== '
    >>> rank_bar(range(4, 10), (1, 2, 1), 6, Terminal(encoding="ascii"))
    '<  |   '
    """
    best, worst, rank = ranks
    if best is None or worst is None:
        return ""
    signs = "‹<" if worst < axis[0] else "›>" if best > axis[-1] else "━="
    low, high = (min(max(end, axis[0]), axis[-1]) for end in (best, worst))
    cells = [terminal.sign(*signs) if low <= each <= high else " " for each in axis]
    if rank in axis:
        cells[rank - axis[0]] = terminal.sign("●", "o")
    if cut is not None and cut in axis[:-1]:
        signs = "┿+" if low <= cut < high else "│|"
        cells.insert(cut - axis[0] + 1, terminal.sign(*signs))
    return "".join(cells)
