"""The picture that the share buttons of the page hand out: headline, and ranks around the cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from steadyrank.report.sharing import COLOURS, title_of
from steadyrank.report.terminal import Terminal
from steadyrank.text import as_markup, counted, ends_in_words, shortened, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from steadyrank.report.terminal import Findings, Row

ROWS, LINES = 20, 4
"""Rows of a picture, and lines of its headline."""

WIDTH, EDGE, ROW, LINE = 1200, 48, 34, 44
"""Its width, its margins, and the heights of a row and of a line of the headline."""

LEFT, RIGHT, SHARE = 440, 880, 1020
"""Where the ranks begin and end, and where the shares end."""

FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
GREY, END = 'fill="#5a6675"', 'text-anchor="end"'
BAR = 'stroke-opacity="0.45" stroke-width="10" stroke-linecap="round"'
CUT = 'fill="none" stroke="#7a3e8f" stroke-width="2" stroke-dasharray="7 5"'
SHAPES = {
    "sure": "m-8 0a8 8 0 1 1 16 0a8 8 0 1 1-16 0z",
    "contender": "m0-10l10 10l-10 10l-10-10z",
    "out": "m-7-7h14v14h-14z",
}


def around_cut(count: int, k: int, most: int) -> range:
    """Return the places to show of so many: all, or a window with the cut after two thirds of it.

    Examples
    --------
    >>> around_cut(12, 3, 20), around_cut(1000, 500, 30)
    (range(0, 12), range(480, 510))
    """
    first = max(0, min(k - round(2 * most / 3), count - most))
    return range(first, min(count, first + most))


@dataclass(frozen=True)
class RankScale:
    """Ranks from ``low`` to ``high``; bars that go beyond are cut off there.

    One item that may fall far must not flatten all others.
    """

    low: int
    high: int

    @classmethod
    def of(cls, rows: Sequence[Row]) -> RankScale:
        """Return the scale of some rows in the order of rank."""
        first, last, slack = rows[0]["rank"], rows[-1]["rank"], max(5, len(rows) // 2)
        best = min(
            (row["best_rank"] for row in rows if row["best_rank"] is not None),
            default=first,
        )
        worst = max(
            (row["worst_rank"] for row in rows if row["worst_rank"] is not None),
            default=last,
        )
        return cls(
            max(min(first, best), first - slack), min(max(last, worst), last + slack)
        )

    def clip(self, rank: int) -> int:
        """Return the rank, or the end of the scale that it lies beyond."""
        return min(max(rank, self.low), self.high)

    def x(self, rank: float) -> float:
        """Return where a rank stands in the picture."""
        return LEFT + (RIGHT - LEFT) * (rank - self.low + 0.5) / (
            self.high - self.low + 1
        )

    def ticks(self) -> list[int]:
        """Return the ranks to write at the scale: the first of all, and round ones."""
        step = next(
            (
                size
                for size in (1, 2, 5, 10, 20, 50)
                if self.high - self.low <= 10 * size
            ),
            100,
        )
        return [
            rank
            for rank in range(self.low, self.high + 1)
            if rank == 1 or rank % step == 0
        ]


def share_image(
    findings: Findings, *, title: str | None = None, date: str | None = None
) -> str:
    """Return what the share buttons of the page hand out, as SVG.

    It holds the title, the headline and the ranks around the cut; the page itself makes a PNG of it.

    Examples
    --------
    >>> from steadyrank import Study, Votes
    >>> share_image(Study(Votes(["a"] * 9 + ["b"] * 2)).topk(1).findings())[:4]
    '<svg'
    """
    headline = Terminal(56).wrapped(shown(findings["headline"]), "", "")
    if len(headline) > LINES:
        headline = [*headline[: LINES - 1], f"{headline[LINES - 1][:-1]}…"]
    begin = EDGE + 34
    top = begin + LINE * len(headline) + 70
    rows = [
        findings["rows"][place]
        for place in around_cut(len(findings["rows"]), findings["k"], ROWS)
    ]
    height = top + ROW * len(rows) + 64
    large = 'font-size="34" font-weight="700"'
    name = title or title_of(findings)
    heading = _label(EDGE, EDGE + 8, shortened(name, 80), GREY)
    heading += _label(WIDTH - EDGE, EDGE + 8, date or "", f"{GREY} {END}")
    heading += "".join(
        _label(EDGE, begin + 30 + LINE * n, line, large)
        for n, line in enumerate(headline)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" font-family="{FONT}" font-size="19" fill="#1b2430">'
        f'<title>{as_markup(findings["headline"])}</title><rect width="100%" height="100%" fill="#fff"/>'
        f"{heading}{''.join(_chart(findings, rows, top))}</svg>\n"
    )


def _chart(findings: Findings, rows: Sequence[Row], top: int) -> Iterator[str]:
    k, unit, scale = findings["k"], findings["unit"], RankScale.of(rows)
    bottom = top + ROW * len(rows)
    size = f"{counted(findings['n_units'], unit)} · {counted(findings['n_items'], findings['item_name'])}"  # noqa: E501
    bars = (
        "" if rows[0]["best_rank"] is None else f" · bars: ranks without any one {unit}"
    )
    yield _label(EDGE, top - 48, shortened(size + bars, 110), GREY)
    yield _label(SHARE, top - 12, f"in top {k:,}", f"{GREY} {END}")
    yield _label(WIDTH - EDGE, top - 12, "to flip", f"{GREY} {END}")
    for rank in scale.ticks():
        yield _label(
            scale.x(rank), top - 12, f"{rank:,}", f'{GREY} text-anchor="middle"'
        )
    if scale.low <= k < scale.high:
        yield f'<path d="M{scale.x(k + 0.5):.1f} {top}V{bottom}" {CUT}/>'
    for place, row in enumerate(rows):
        y = top + ROW * place + ROW // 2
        yield from _row(row, y, scale, findings["n_units"])
        if row["rank"] == k < rows[-1]["rank"]:
            yield f'<path d="M{EDGE} {y + ROW // 2}H{WIDTH - EDGE}" {CUT}/>'
    seen = {row["standing"] for row in rows}
    for place, standing in enumerate(name for name in COLOURS if name in seen):
        yield _mark(standing, EDGE + 10 + 150 * place, bottom + 30)
        yield _label(EDGE + 28 + 150 * place, bottom + 36, standing, GREY)
    yield _label(WIDTH - EDGE, bottom + 36, "steadyrank", f"{GREY} {END}")


def _row(row: Row, y: int, scale: RankScale, n_units: int) -> Iterator[str]:
    yield _label(EDGE + 34, y + 6, f"{row['rank']:,}", f"{GREY} {END}")
    yield _label(EDGE + 44, y + 6, shortened(row["item"], 34))
    best, worst = row["best_rank"], row["worst_rank"]
    if best is not None and worst is not None:
        bar = f"M{scale.x(scale.clip(best)):.1f} {y}H{scale.x(scale.clip(worst)):.1f}"
        yield f'<path d="{bar}" stroke="{COLOURS[row["standing"]]}" {BAR}/>'
        if worst > scale.high:
            yield _label(RIGHT + 4, y + 6, f"to {worst:,}", GREY)
        if best < scale.low:
            yield _label(LEFT - 4, y + 6, f"from {best:,}", f"{GREY} {END}")
    yield _mark(row["standing"] or "out", scale.x(row["rank"]), y)
    for x, text in zip((SHARE, WIDTH - EDGE), ends_in_words(row, n_units), strict=True):
        yield _label(x, y + 6, text, END)


def _mark(standing: str, x: float, y: int) -> str:
    return f'<path d="M{x:.1f} {y}{SHAPES[standing]}" fill="{COLOURS[standing]}"/>'


def _label(x: float, y: int, text: str, style: str = "") -> str:
    # Isolated: a name that runs to the left must not take its neighbours along.
    return f'<text x="{x:.1f}" y="{y}" unicode-bidi="isolate" {style}>{as_markup(text)}</text>'
