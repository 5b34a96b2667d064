"""Tables of characters that fit any width: where room is short, the least needed columns go first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from steadyrank.report.terminal import Terminal

NARROWEST_NAME = 8
APART = 2


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
        number = len(self._columns[0].cells)
        return [self._line([column.title for column in self._columns])] + [
            self._line([column.cells[row] for column in self._columns]) for row in range(number)
        ]

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
