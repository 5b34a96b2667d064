"""The demo: the main job on three bundled data sets, told to a newcomer, and a report to look at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.cli.inputs import Opened, open_study
from steadyrank.cli.options import InputOptions
from steadyrank.cli.output import console, named, save, show, terminal_of
from steadyrank.demo import NAMES, demo_file
from steadyrank.report.text import Line, paragraph, topk_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank.report.terminal import Terminal

WELCOME = (
    "A list of the k best can change when a single user, judge or task is left out. steadyrank finds "
    "the items that are surely in, and those so close that one unit more or less decides: the "
    "contenders. Three data sets with invented names follow; each has a near-tie."
)


@dataclass(frozen=True)
class Stop:
    """One data set of the tour."""

    name: str
    k: int
    title: str
    question: str
    unit: str | None = None

    @property
    def command(self) -> str:
        """What one would type for it."""
        unit = "" if self.unit is None else f" --unit {self.unit}"
        return f"steadyrank topk {self.name} -k {self.k}{unit}"


STOPS = (
    Stop(
        "restaurants.csv", 5, "Ratings: the top 5 restaurants",
        "180 reviewers gave stars to some of 20 restaurants. Who is in the top 5, whichever "
        "reviewer had stayed at home?",
    ),
    Stop(
        "chat_battles.csv", 3, "Battles: the top 3 chat models",
        "40 judges compared pairs of 10 models, 900 times in all. A judge leaves with all of their "
        "votes.",
        "judge",
    ),
    Stop(
        "benchmark.csv", 4, "A benchmark: the top 4 methods",
        "12 methods, 48 tasks, mean accuracy. Would the podium be the same with one task fewer?",
    ),
)  # fmt: skip


def tour(output: str, folder: str | None) -> int:
    """Show the three data sets, write the report of the first, and say where it is."""
    if folder is not None:
        _copy(folder)
    screen = console()
    terminal = terminal_of(screen)
    show(_welcome(terminal), screen)
    for number, stop in enumerate(STOPS, start=1):
        with demo_file(stop.name) as path:
            opened = open_study(InputOptions(file=str(path), arguments={"unit": stop.unit}))
        found = opened.study.topk(stop.k).findings(**opened.about)
        show(_told(number, stop, found, terminal), screen)
        if number == 1:
            _write(opened, stop, output)
    show(_farewell(output, terminal), screen)
    return 0


def _welcome(terminal: Terminal) -> Iterator[Line]:
    yield Line("steadyrank: rankings that do not flip when one data point leaves", "bold")
    yield from paragraph(WELCOME, terminal)
    yield Line("")


def _told(number: int, stop: Stop, made: dict[str, Any], terminal: Terminal) -> Iterator[Line]:
    yield Line(f"{number}. {stop.title}", "bold")
    yield Line(f"   $ {stop.command}", "bright_black")
    yield from paragraph(stop.question, terminal)
    yield Line("")
    yield from topk_table(made, terminal, following=2)
    yield Line("")
    yield from paragraph(_lesson(made, first=number == 1), terminal)
    yield Line("")


def _lesson(made: dict[str, Any], *, first: bool) -> str:
    """Return what the table says, and how sure one may be, in plain words."""
    summary, k, units = made["summary"], made["k"], f"{made['n_units']:,} {made['unit']}s"
    contenders = [str(row["item"]) for row in made["rows"] if row["standing"] == "contender"]
    plain, inflated = summary["plain_breaking_units"], summary["inflated_breaking_units"]
    kept = "any one" if inflated == 0 else f"all but {inflated:,}"
    places = "the last place" if k - summary["certain"] == 1 else "the places left"
    sure = f"{summary['certain']} items are sure; {_joined(contenders)} contend for {places}."
    if not first:
        breaks = "none breaks" if inflated == 0 else f"{inflated:,} break"
        return f"Of the {units}, {plain:,} change the plain top {k}; {breaks} this list. {sure}"
    return (
        f"Leave out any one of {plain:,} of the {units}, and the plain top {k} changes. The list of "
        f"{summary['size']} above holds: each of the {units} was left out in turn, and without {kept} "
        f"of them the new list still shares at least {k} items with it. {sure}"
    )


def _joined(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _write(opened: Opened, stop: Stop, output: str) -> None:
    with named(output):
        opened.study.report(output, stop.k, source=stop.name, title=stop.title)


def _copy(folder: str) -> None:
    """Put the data sets into a folder, so that the commands of the tour can be tried."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        with demo_file(name) as path:
            save(path.read_text(encoding="utf-8"), str(Path(folder) / name))


def _farewell(output: str, terminal: Terminal) -> Iterator[Line]:
    yield from paragraph(
        "All of this is stability under deletion: what happens to the answer when one unit leaves. It "
        "is not statistical confidence in a true ranking.",
        terminal,
    )
    yield Line("")
    yield Line(f"The first data set as a page with live sliders: {terminal.safe(output)}", "bold")
    yield Line("The data sets, to try the commands above: steadyrank demo --data .")
    yield Line("Your own data: steadyrank topk FILE -k 10 (more: steadyrank --help)")
