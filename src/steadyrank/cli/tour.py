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
from steadyrank.cli.output import show, terminal
from steadyrank.demo import NAMES, demo_file
from steadyrank.errors import UnwritableFileError
from steadyrank.report.terminal import GAP, Line
from steadyrank.report.text import topk_table
from steadyrank.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator


def tour(output: str) -> None:
    """Show the three data sets, write the report of the first, and say where it is."""
    script = tomllib.loads(_text("tour.toml"))
    show([Line(script["title"], "bold"), Line(script["welcome"]), GAP])
    for number, stop in enumerate(script["stops"], start=1):
        with demo_file(stop["file"]) as path:
            options = ScorerOptions(
                file=str(path), arguments={"unit": stop.get("unit")}
            )
            study, about = open_study(options)
        found = study.topk(stop["k"]).findings(**about)
        show(_told(number, stop, found, script["legend"] if number == 1 else ""))
        if number == 1:
            study.report(output, stop["k"], source=stop["file"], title=stop["title"])
    page = script["page"].format(output=output)
    farewell = [Line(script["farewell"]), GAP, Line(page, "bold")]
    show([*farewell, *map(Line, script["more"])], whole=True)


def _told(
    number: int, stop: dict[str, Any], found: dict[str, Any], legend: str
) -> Iterator[Line]:
    unit = f" --unit {stop['unit']}" if "unit" in stop else ""
    yield Line(f"{number}. {stop['title']}", "bold")
    yield Line(
        f"   $ steadyrank topk {stop['file']} -k {stop['k']}{unit}", "bright_black"
    )
    yield from (Line(stop["question"]), GAP, Line(found["headline"], "bold"), GAP)
    yield from topk_table(found, terminal(), following=2)
    yield from (GAP, Line(found["certificate"]["promise"]), Line(legend), GAP)


def _text(name: str) -> str:
    with demo_file(name) as path:
        return path.read_text(encoding="utf-8")


def copied(folder: str) -> None:
    """Put the data sets into a folder, so that the commands of the tour can be tried, and say so.

    Nobody named these files, so another one that goes by such a name is not replaced.
    """
    if Path(folder).is_file():
        raise UnwritableFileError(
            f"{folder!r} is a file", way_out="Give another folder."
        )
    places = {Path(folder) / name: _text(name) for name in NAMES}
    for place, text in places.items():
        if os.path.lexists(place) and not (
            place.is_file() and place.read_bytes() == text.encode()
        ):
            raise UnwritableFileError(
                f"{str(place)!r} is there already, and is not a file of the demo",
                way_out="Give another folder.",
            )
    Path(folder).mkdir(parents=True, exist_ok=True)
    for place, text in places.items():
        write_whole(text, place)
    show([Line(f"Wrote {place}") for place in places], whole=True)
