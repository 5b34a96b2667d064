"""Rank intervals as bars of characters, and names fitted into a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from steadyrank.safe_text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Look:
    """What a terminal can show.

    Parameters
    ----------
    width : int
        Columns of the terminal.
    encoding : str
        Of the output; bars and dashes are ASCII where it lacks the better ones.
    """

    width: int = 80
    encoding: str = "utf-8"

    @property
    def fancy(self) -> bool:
        """Whether the encoding has the characters of bars."""
        try:
            "━●◐○│┿‹›–…·→─".encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def sign(self, better: str, plain: str) -> str:
        """Return the better of two spellings that the terminal can show."""
        return better if self.fancy else plain

    def fit(self, name: object, width: int) -> str:
        """Return a name as safe text that takes exactly ``width`` columns."""
        from rich.cells import cell_len, set_cell_size

        text = shown(str(name)[: 4 * width + 4], self.encoding)
        if cell_len(text) <= width:
            return set_cell_size(text, width)
        more = self.sign("…", "...")
        return set_cell_size(text, width - len(more)) + more

    def fit_all(self, name: object) -> str:
        """Return a name as safe text, however long."""
        return shown(name, self.encoding)

    def columns_of(self, names: Iterable[object], most: int) -> int:
        """Return how many columns these names need, at most ``most``."""
        from rich.cells import cell_len

        safe = (shown(str(name)[: most + 1], self.encoding) for name in names)
        return min(most, max(map(cell_len, safe), default=0))


@dataclass(frozen=True)
class Scale:
    """Ranks ``first`` to ``last`` on ``cells`` columns, with a line after rank ``cut`` if given.

    Where the ranks do not fit, the scale shows those around the line, or else several to a column.
    """

    first: int
    last: int
    cells: int
    cut: int | None = None

    @classmethod
    def around(cls, lowest: int, highest: int, cells: int, cut: int | None) -> Scale:
        """Return a scale for these ranks, narrowed to those around the line where they do not fit."""
        if cut is None or highest - lowest < cells:
            return cls(lowest, highest, cells, cut)
        first = max(lowest, min(cut - cells // 2 + 1, highest - cells + 1))
        return cls(first, first + cells - 1, cells, cut)

    @property
    def width(self) -> int:
        """How many columns a bar takes."""
        return self._used + (0 if self._line is None else 1)

    @property
    def _per_rank(self) -> float:
        """Columns for each rank: 3, so that a dot has a middle, or 1; less where ranks share one."""
        each = self.cells / (self.last - self.first + 1)
        if each >= 3:
            return 3.0
        return min(1.0, each)

    @property
    def _used(self) -> int:
        return max(1, round(self._per_rank * (self.last - self.first + 1)))

    @property
    def _line(self) -> int | None:
        if self.cut is None or not self.first <= self.cut < self.last:
            return None
        return round(self._per_rank * (self.cut - self.first + 1))

    def bar(self, lowest: int, highest: int, rank: int, look: Look) -> str:
        """Draw the interval from ``lowest`` to ``highest``, a dot at ``rank``, and the line.

        Examples
        --------
        >>> Scale(1, 6, 6, cut=3).bar(2, 5, 3, Look(encoding="ascii"))
        ' =o+== '
        >>> Scale(4, 9, 6, cut=6).bar(1, 2, 1, Look(encoding="ascii"))
        '<  |   '
        """
        cells = [" "] * self._used
        start, end = self._place(lowest), max(self._place(lowest) + 1, self._end(highest))
        outside = highest < self.first or lowest > self.last
        if outside:
            cells[start] = look.sign("‹", "<") if highest < self.first else look.sign("›", ">")
        else:
            cells[start:end] = [look.sign("━", "=")] * (end - start)
        if self.first <= rank <= self.last:
            middle = (self._place(rank) + max(self._place(rank), self._end(rank) - 1)) // 2
            cells[min(middle, self._used - 1)] = look.sign("●", "o")
        if self._line is not None:
            crossed = start < self._line < end and not outside
            cells.insert(self._line, look.sign("┿", "+") if crossed else look.sign("│", "|"))
        return "".join(cells)

    def _place(self, rank: int) -> int:
        inside = min(max(rank, self.first), self.last)
        return min(self._used - 1, int(self._per_rank * (inside - self.first)))

    def _end(self, rank: int) -> int:
        inside = min(max(rank, self.first), self.last)
        return min(self._used, round(self._per_rank * (inside - self.first + 1)))
