"""The demo: three bundled data sets, told to a newcomer, and a report to look at.

What is told is data, ``demo/tour.toml``; this fills it in and shows it.
"""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steadyrank.cli.output import show, terminal
from steadyrank.cli.parser import parsed
from steadyrank.data.read import read
from steadyrank.demo import NAMES, demo_file
from steadyrank.errors import UnwritableFileError
from steadyrank.report.terminal import FAINT, GAP, Line
from steadyrank.report.text import topk_table
from steadyrank.study.study import Study
from steadyrank.writing import write_whole


def tour(output: str) -> None:
    """Show the three data sets, write the report of the first, and say where it is."""
    script = tomllib.loads(_text("tour.toml"))
    page = terminal()
    show([Line(script["title"], "bold"), Line(script["welcome"]), GAP], page)
    for number, stop in enumerate(script["stops"], start=1):
        asked = parsed("topk", shlex.split(stop["command"].replace("\\\n", " ")))
        file = asked.words[0]
        with demo_file(file) as path:
            study = Study(read(path, **asked.said))
        found = study.topk(asked.k).findings(source=file)
        show(_told(number, stop, found), page)
        if number == 1:
            show([Line(script["legend"]), GAP], page)
            study.report(output, asked.k, source=file, title=stop["title"])
    farewell = [Line(script["farewell"]), GAP]
    farewell.append(Line(script["page"].format(output=output), "bold"))
    show([*farewell, *map(Line, script["more"])], page, whole=True)


def _told(number: int, stop: dict[str, Any], found: dict[str, Any]) -> Iterator[Line]:
    yield Line(f"{number}. {stop['title']}", "bold")
    for part in f"$ steadyrank topk {stop['command']}".split("\n"):
        yield Line(f"   {part}", FAINT)
    yield from (Line(stop["question"]), GAP, Line(found["headline"], "bold"), GAP)
    yield from topk_table(found, terminal(), following=2)
    yield from (GAP, Line(found["certificate"]["promise"]), GAP)


def _text(name: str) -> str:
    with demo_file(name) as path:
        return path.read_text(encoding="utf-8")


def copied(folder: str) -> None:
    """Copy the data sets into a folder, so that the tour's commands can be tried.

    The user did not name these files, so another file of such a name is not replaced.
    """
    if Path(folder).is_file():
        raise UnwritableFileError(
            f"{folder!r} is a file", way_out="Give another folder."
        )
    texts = {Path(folder) / name: _text(name) for name in NAMES}
    for path, text in texts.items():
        if _taken(path, text):
            raise UnwritableFileError(
                f"{str(path)!r} is there already, and is not a file of the demo",
                way_out="Give another folder.",
            )
    Path(folder).mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        write_whole(text, path)
    show([Line(f"Wrote {path}") for path in texts], terminal(), whole=True)


def _taken(path: Path, text: str) -> bool:
    if not os.path.lexists(path):
        return False
    return not path.is_file() or path.read_bytes() != text.encode()
