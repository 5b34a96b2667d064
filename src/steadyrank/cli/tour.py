"""The demo: the main job on three bundled data sets, told to a newcomer, and a report to look at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.cli.options import InputOptions
from steadyrank.cli.output import console, look_of, named, save, show
from steadyrank.cli.work import Job
from steadyrank.demo import NAMES, demo_file
from steadyrank.report.text import line, paragraph, topk_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from steadyrank.report.bars import Look

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
    look = look_of(screen)
    show(_welcome(look), screen)
    for number, stop in enumerate(STOPS, start=1):
        with demo_file(stop.name) as path:
            job = Job(InputOptions(file=str(path), unit=stop.unit))
        show(_told(number, stop, job.topk(stop.k), look), screen)
        if number == 1:
            _write(job, stop, output)
    show(_farewell(output, look), screen)
    return 0


def _welcome(look: Look) -> Iterator[Text]:
    yield line("steadyrank: rankings that do not flip when one data point leaves", "bold")
    yield from paragraph(WELCOME, look)
    yield line("")


def _told(number: int, stop: Stop, made: dict[str, Any], look: Look) -> Iterator[Text]:
    yield line(f"{number}. {stop.title}", "bold")
    yield line(f"   $ {stop.command}", "bright_black")
    yield from paragraph(stop.question, look)
    yield line("")
    yield from topk_rows(made, look, following=2)
    yield line("")
    yield from paragraph(_lesson(made, first=number == 1), look)
    yield line("")


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


def _write(job: Job, stop: Stop, output: str) -> None:
    from steadyrank.report.html import write_report

    with named(output):
        write_report(job.data, stop.k, output, scorer=job.scorer, source=stop.name, title=stop.title)


def _copy(folder: str) -> None:
    """Put the data sets into a folder, so that the commands of the tour can be tried."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        with demo_file(name) as path:
            save(path.read_text(encoding="utf-8"), str(Path(folder) / name))


def _farewell(output: str, look: Look) -> Iterator[Text]:
    yield from paragraph(
        "All of this is stability under deletion: what happens to the answer when one unit leaves. It "
        "is not statistical confidence in a true ranking.",
        look,
    )
    yield line("")
    yield line(f"The first data set as a page with live sliders: {look.fit_all(output)}", "bold")
    yield line("The data sets, to try the commands above: steadyrank demo --data .")
    yield line("Your own data: steadyrank topk FILE -k 10 (more: steadyrank --help)")
