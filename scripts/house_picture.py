"""Draw the rooms of the house: their sizes, who loads whom, and the way of a file through them.

``python scripts/house_picture.py`` writes ``docs/figures/house.svg``, which CONTRIBUTING.md begins with.
Sizes are tokens of code, as ``scripts/count_code.py`` counts them; arcs are the imports that
stand in the modules, and the numbers on the left are the order in which ``steadyrank topk`` enters the
rooms with the demo's file.
"""

from __future__ import annotations

import ast
import os
import sys
from collections import Counter
from contextlib import suppress
from html import escape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from count_code import SOURCE, rooms

STAGES = (
    "reading", "sums", "engines", "data", "scorers", "operators", "margins", "report", "study", "cli",
)  # fmt: skip
"""From top to bottom as the data pass; ``tests/test_layers.py`` holds what may load what."""

TARGET = SOURCE.parents[1] / "docs" / "figures" / "house.svg"
DEMO = SOURCE / "demo" / "restaurants.csv"
ROLES = "--item restaurant --rating stars --unit reviewer"

ROW, LEFT, NAMES, BARS, ARCS, WIDTH = 46, 16, 56, 150, 650, 960
FULL_BAR, LONGEST = 430, 84
"""Sizes of the drawing, in pixels, and of a sentence, in characters."""

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2933; } .room { font-weight: 600; font-size: 15px; }
.say { fill: #52606d; font-size: 12px; } .bar { fill: #9fb3c8; }
.step { fill: #b44d12; font-weight: 600; } .way { stroke: #b44d12; stroke-width: 2; fill: none; }
.arc { fill: none; stroke: #627d98; opacity: .55; }
.paper { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  .paper { fill: #16191d; } text { fill: #e4e7eb; } .say { fill: #9aa5b1; } .bar { fill: #486581; }
  .arc { stroke: #9fb3c8; } .step { fill: #f0975a; } .way { stroke: #f0975a; }
}
"""


def loaded(room: str) -> Counter[str]:
    """Return how many imports of each other room stand in the modules of a room."""
    found = Counter[str]()
    for path in (SOURCE / room).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
                "steadyrank."
            ):
                found[str(node.module).split(".")[1]] += 1
    return Counter(
        {
            other: number
            for other, number in found.items()
            if other in STAGES and other != room
        }
    )


def walk() -> list[str]:
    """Return the rooms in the order in which one command first enters them."""
    from steadyrank.cli import main

    seen: dict[str, None] = {}
    start = str(SOURCE) + os.sep

    def entered(frame: object, event: str, _: object) -> None:
        name = frame.f_code.co_filename  # type: ignore[attr-defined]
        inside = event == "call" and name.startswith(start)
        if inside and frame.f_code.co_name != "<module>":  # type: ignore[attr-defined]
            seen.setdefault(Path(name.removeprefix(start)).parts[0])

    shown = sys.stdout
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        sys.stdout = nowhere
        try:
            for profile in (None, entered):  # loading is no part of the way
                sys.setprofile(profile)
                with suppress(SystemExit):
                    main(["topk", str(DEMO), "-k", "5", *ROLES.split()])
        finally:
            sys.setprofile(None)
            sys.stdout = shown
    return [room for room in seen if room in STAGES]


def subject(room: str) -> str:
    """Return what a room is about: the first sentence of its package."""
    text = (
        ast.get_docstring(
            ast.parse((SOURCE / room / "__init__.py").read_text(encoding="utf-8"))
        )
        or ""
    )
    first = text.splitlines()[0].replace("``", "").rstrip(".")
    return (
        first if len(first) <= LONGEST else first[:LONGEST].rpartition(" ")[0] + " ..."
    )


def picture() -> str:
    """Return the drawing as SVG."""
    sizes, steps = rooms(), walk()
    most = max(size.tokens for size in sizes.values())
    place = {room: 30 + ROW * number for number, room in enumerate(STAGES)}
    height = 30 + ROW * len(STAGES)
    parts = [f'<rect class="paper" width="{WIDTH}" height="{height}"/>']
    way = " ".join(f"{LEFT + 14},{place[room] + 6}" for room in STAGES if room in steps)
    parts.append(f'<polyline class="way" points="{way}"/>')
    for room in STAGES:
        top, tokens = place[room], sizes[room].tokens
        if room in steps:
            parts.append(
                f'<circle class="paper" cx="{LEFT + 14}" cy="{top + 6}" r="11"/>'
            )
            number = steps.index(room) + 1
            parts.append(
                f'<text class="step" x="{LEFT + 14}" y="{top + 11}" text-anchor="middle">{number}</text>'
            )
        wide = max(4, round(FULL_BAR * tokens / most))
        parts.append(f'<text class="room" x="{NAMES}" y="{top + 11}">{room}/</text>')
        parts.append(
            f'<rect class="bar" x="{BARS}" y="{top - 2}" width="{wide}" height="14" rx="3"/>'
        )
        hundreds = f"{round(tokens, -2):,} tokens"
        parts.append(
            f'<text class="say" x="{BARS + wide + 6}" y="{top + 10}">{hundreds}</text>'
        )
        parts.append(
            f'<text class="say" x="{BARS}" y="{top + 27}">{escape(subject(room))}</text>'
        )
    for room in STAGES:
        for other, number in sorted(loaded(room).items()):
            one, two = place[room] + 6, place[other] + 6
            reach = ARCS + 90 + abs(one - two) * 0.55
            width = min(6.0, 0.6 + number / 8)
            curve = f"M{ARCS + 80},{one} C{reach:.0f},{one} {reach:.0f},{two} {ARCS + 80},{two}"
            said = f"<title>{room} loads {other}: {number}</title>"
            parts.append(
                f'<path class="arc" stroke-width="{width:.1f}" d="{curve}">{said}</path>'
            )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
    title = "<title>The rooms of the house, their sizes, what loads what, and the way of a file</title>"
    return "\n".join([head, title, f"<style>{STYLE}</style>", *parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    TARGET.write_text(picture(), encoding="utf-8")
