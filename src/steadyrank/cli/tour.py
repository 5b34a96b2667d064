"""The demo: the main job on three bundled data sets, told to a newcomer, and a report to look at.

What is told is data, ``demo/tour.toml``; this fills it in and shows it.
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.cli.inputs import open_study
from steadyrank.cli.options import ScorerOptions
from steadyrank.cli.output import console, save, show, terminal_of
from steadyrank.demo import NAMES, demo_file
from steadyrank.errors import UnwritableFileError
from steadyrank.report.terminal import GAP, Line
from steadyrank.report.text import topk_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank.report.terminal import Terminal


def tour(output: str) -> None:
    """Show the three data sets, write the report of the first, and say where it is."""
    script = tomllib.loads(_text("tour.toml"))
    screen = console()
    terminal = terminal_of(screen)
    show([Line(script["title"], "bold"), Line(script["welcome"]), GAP], screen)
    for number, stop in enumerate(script["stops"], start=1):
        with demo_file(stop["file"]) as path:
            options = ScorerOptions(file=str(path), arguments={"unit": stop.get("unit")})
            study, about = open_study(options)
        found = study.topk(stop["k"]).findings(**about)
        show(_told(number, stop, found, script["legend"] if number == 1 else "", terminal), screen)
        if number == 1:
            study.report(output, stop["k"], source=stop["file"], title=stop["title"])
    page = script["page"].format(output=output)
    farewell = [Line(script["farewell"]), GAP, Line(page, "bold")]
    show([*farewell, *map(Line, script["more"])], screen, whole=True)


def _told(
    number: int, stop: dict[str, Any], found: dict[str, Any], legend: str, terminal: Terminal
) -> Iterator[Line]:
    unit = f" --unit {stop['unit']}" if "unit" in stop else ""
    yield Line(f"{number}. {stop['title']}", "bold")
    yield Line(f"   $ steadyrank topk {stop['file']} -k {stop['k']}{unit}", "bright_black")
    yield from (Line(stop["question"]), GAP, Line(found["headline"], "bold"), GAP)
    yield from topk_table(found, terminal, following=2)
    yield from (GAP, Line(found["certificate"]["promise"]), Line(legend), GAP)


def _text(name: str) -> str:
    with demo_file(name) as path:
        return path.read_text(encoding="utf-8")


def copied(folder: str) -> None:
    """Put the data sets into a folder, so that the commands of the tour can be tried, and say so.

    Nobody named these files, so another one that goes by such a name is not replaced.
    """
    if Path(folder).is_file():
        raise UnwritableFileError(f"{folder!r} is a file", way_out="Give another folder.")
    places = {Path(folder) / name: _text(name) for name in NAMES}
    for place, text in places.items():
        if os.path.lexists(place) and not (place.is_file() and place.read_bytes() == text.encode()):
            raise UnwritableFileError(
                f"{str(place)!r} is there already, and is not a file of the demo",
                way_out="Give another folder.",
            )
    Path(folder).mkdir(parents=True, exist_ok=True)
    screen, lines = console(), []
    for place, text in places.items():
        save(text, str(place))
        lines.append(Line(f"Wrote {place}"))
    show(lines, screen, whole=True)
