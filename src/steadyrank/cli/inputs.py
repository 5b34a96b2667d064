"""From the options of the command line to a study: the only place that reads files."""

from __future__ import annotations

import math
import os
import shlex
import sys
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank import errors
from steadyrank.cli.output import say, say_error, working
from steadyrank.data.kinds import KINDS
from steadyrank.data.observations import decision_on
from steadyrank.data.read import read_checked, scan_any, table_of
from steadyrank.errors import NotRecognisedError, Option, typed_name
from steadyrank.reading.formats import read_together
from steadyrank.reading.readings import typed_words
from steadyrank.text import counted, names_in
from steadyrank.writing import target_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from steadyrank.cli.options import InputOptions, ScorerOptions
    from steadyrank.data.observations import Observations
    from steadyrank.engines.backends import Engine
    from steadyrank.study.split import Split
    from steadyrank.study.study import Study

STANDARD_INPUT = "-"

RIDGE, FEW_ITEMS = str(errors.RIDGE.value), 500
"""What gives every item of battles a Bradley-Terry score, and of how many it soon answers."""
LAST = {
    "battles": "win-rate",
    "scores": "column-means",
    "ratings": "mean-rating:shrinkage=0",
}
"""Scorers by which an item that has nothing left can be last."""

GOES_WITH = {"memory_limit": "duckdb", "spark_master": "spark"}
"""Options for one engine alone; each also asks for it."""


def open_study(
    options: ScorerOptions, *outputs: str | None, lead: str = ""
) -> tuple[Any, dict[str, Any]]:
    """Read the data and return a study of them, or a split, and what findings say about the file.

    The lead says which of two files is at fault, as they may have one name. Whether a result can go
    where it should is asked before the work, now that it is known what was read.
    """
    from steadyrank.study.study import Study

    how: dict[str, Any] = {"scorer": options.scorer, "min_count": options.min_count}
    column = getattr(options, "split", None)
    try:
        try:
            with working("Reading"):
                data: Any = (
                    load(options) if column is None else _split(options, column, how)
                )
        except NotRecognisedError as error:
            if column is not None or not may_ask(options):
                raise
            data, answer = asked(error, options)
            how |= answer
        if column is None and how["min_count"] is not None:
            data = data.with_min_count(how["min_count"])
    except (errors.InvalidDataError, errors.FileNotThereError) as error:
        error.problem = lead + error.problem
        raise
    for path in filter(None, outputs):
        target_of(path)
    about = {"source": source_name(options)}
    return Study(data, how["scorer"]) if column is None else data, about


def _split(options: ScorerOptions, column: str, how: Mapping[str, Any]) -> Split:
    """Read the data, and part them by a column."""
    from steadyrank.study.split import Split

    source, engine, given = described(options)
    if engine is not None:
        raise errors.InvalidDataError(
            "engines cannot split rows by a column", way_out=errors.IN_MEMORY
        )
    how = {
        **how,
        "kind": options.kind,
        **options.layout,
        "check": partial(withstanding, options),
    }
    return Split(source, column, **how, **given)


def load(options: InputOptions) -> Observations:
    """Read the data that the options describe; their notes say what was recognised and guessed."""
    source, engine, given = described(options)
    if engine is not None:
        return scan_any(
            source, engine=engine, kind=options.kind, **options.layout, **given
        )
    check = partial(withstanding, options)
    return read_checked(
        source, options.kind, options.format, options.encoding, given, check
    )


def withstanding(
    options: InputOptions, data: Any, usual: str | None = None
) -> tuple[Any, list[tuple[dict[str, Any], str]]]:
    """Return data that have scores without any unit, with which options, and why.

    Win rates need less than the usual scores of battles, and an item whose data all leave with one unit
    can be last then. What makes no answer even so is an error.
    """
    from steadyrank.scorers.registry import resolve_scorer

    asked = {
        name: getattr(options, name, None) for name in ("scorer", "min_count", "k")
    }
    if asked["min_count"] is not None:
        data = data.with_min_count(asked["min_count"])
    if data.n_items < (asked["k"] if isinstance(asked["k"], int) else 1):
        raise errors.InvalidValueError(
            f"there are only {counted(data.n_items, 'item')}"
        )
    faults, ways = (
        list[errors.UndefinedScoresError](),
        list[tuple[dict[str, Any], str]](),
    )
    for scorer, why in _scorers(asked["scorer"] or usual, data):
        if ways and scorer != RIDGE:
            continue
        try:
            resolve_scorer(scorer, data).leave_one_out(data)
        except errors.UndefinedScoresError as error:
            faults.append(error)
        else:
            ways.append(({} if scorer == asked["scorer"] else {"scorer": scorer}, why))
            if not faults:
                break
    if not ways:
        raise faults[0]
    return data, ways


def _scorers(asked: str | None, data: Any) -> Iterator[tuple[str | None, str]]:
    """Yield scorers, each of which needs less than the one before, and why; a ridge may stand beside."""
    yield asked, ""
    plain, battles = LAST.get(data.kind.name), data.kind.name == "battles"
    if plain is None or asked not in {None, plain}:
        return
    if battles:
        yield plain, "win rates, since Bradley-Terry scores do not always exist here"
    lowest = 0.0 if battles else data.entries.form.lowest
    empty = 0 if lowest > 0 else math.floor(lowest) - 1
    last = f"an item counts as last, with score {empty}, once its only {data.units.kind} is removed"
    yield f"{plain}{',' if ':' in plain else ':'}empty={empty}", last
    if battles and asked is None and data.n_items <= FEW_ITEMS:
        yield RIDGE, "a ridge, which gives every item a Bradley-Terry score"


@contextmanager
def telling_what_helps(study: Study, options: ScorerOptions) -> Iterator[None]:
    """Say with which options there is an answer, where the scores of items do not exist."""
    try:
        yield
    except errors.UndefinedScoresError as error:
        with suppress(errors.SteadyrankError):
            ways = withstanding(options, study.data)[1]
            told = [
                part
                for way, _ in ways
                if way
                for part in (" or ", Option("scorer", way["scorer"]))
            ]
            helps = ("There is an answer with ", *told[1:], ". ") if told else ()
            error.way_out = (*helps, *error.way_out)
        raise


def may_ask(options: InputOptions) -> bool:
    """Tell whether somebody sits there who can say how a table is meant: never in a pipe or in CI."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    seen = all(stream is not None and stream.isatty() for stream in streams)
    machine = os.environ.get("CI") or getattr(options, "form", "text") != "text"
    return seen and not machine and options.file != STANDARD_INPUT


def asked(
    error: NotRecognisedError, options: InputOptions
) -> tuple[Any, dict[str, Any]]:
    """Ask how a table is meant, print the command for the next time, and return the data.

    One of the readings that are shown, or what is ranked and by what: two columns settle most tables.
    """
    typed = sys.argv[1:]
    say_error(error, typed)
    numbers = [str(number) for number in range(1, len(error.readings) + 1)]
    which = (
        f"Which one do you mean? {'/'.join(numbers)}, or which" if numbers else "Which"
    )
    answer = _answer(f"{which} column names what is ranked? (Enter quits): ")
    if not answer:
        error.readings = []  # they were shown
        raise error
    named = {} if answer in numbers else _by_columns(answer)
    chosen = (
        error.readings[int(answer) - 1] if answer in numbers else _first(options, named)
    )
    told = [word for name, value in named.items() for word in typed_words(name, value)]
    say(f"Next time: {shlex.join(chosen.command(*typed, *told))}", lead="")
    return chosen.read(), chosen.answer


def _first(options: InputOptions, named: Mapping[str, str]) -> Any:
    """Return the best reading that works with what was named."""
    source, _, given = described(options)
    table, check = (
        table_of(source, given, **options.layout),
        partial(withstanding, options),
    )
    decision = decision_on(table, options.kind, {**given, **named}, check)
    found = decision.considered
    if not found:
        raise decision.refusal()
    return found[0]


def _by_columns(item: str) -> dict[str, str]:
    """Return what is ranked and by what, once the rest is asked."""
    score = _answer("Which column holds their scores? (Enter: each row is a vote): ")
    if not score:
        return {"choice": item}
    less = _answer("Is less better? y/n (Enter: no): ").casefold().startswith("y")
    return {"item": item, "score": score} | ({"lower_is_better": "all"} if less else {})


def _answer(question: str) -> str:
    sys.stderr.write(question)
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def source_name(options: InputOptions) -> str:
    """Return what findings call the file: its name, without its folder."""
    return Path(options.file).name or options.file


def described(options: InputOptions) -> tuple[Any, Engine | None, dict[str, Any]]:
    """Return where the data are, what works on them, and what was said about their columns."""
    every = [part for known in KINDS.values() for part in known.declared.items()]
    lists = {name for name, part in every if part.several}  # written with commas
    asked = {
        name: value for name, value in options.arguments.items() if value is not None
    }
    given = {
        name: names_in(value) if name in lists else value
        for name, value in asked.items()
    }
    together = read_together(options.file, options.format, options.encoding)
    engine = _engine(options, several=together == [])
    if engine is not None:
        return options.file, engine, given
    if options.file != STANDARD_INPUT:
        return together or options.file, None, given
    if sys.stdin is None:
        raise errors.FileNotThereError(
            "standard input is closed", way_out="Give a path, or open it."
        )
    return sys.stdin.buffer, None, given


def _engine(options: InputOptions, *, several: bool) -> Engine | None:
    """Return the engine that works on the data, or None for memory: also for one file, if not told."""
    asked = {
        name: engine
        for name, engine in GOES_WITH.items()
        if getattr(options, name) is not None
    }
    name = options.engine or next(
        iter(asked.values()), "duckdb" if several else "memory"
    )
    for setting, engine in asked.items():
        if name != engine:
            option = typed_name(setting)
            raise errors.InvalidSettingError(
                f"{option} goes with --engine {engine}, not with {name!r}"
            )
    if name == "memory":
        return None
    if options.file == STANDARD_INPUT:
        raise errors.InvalidSettingError(
            f"the engine {name!r} works on files, not on standard input",
            way_out=["Give a path, or omit ", Option("engine")],
        )
    from steadyrank.engines.backends import DuckDB, Spark, engine_of

    if name == "duckdb":
        return DuckDB(memory_limit=options.memory_limit)
    return Spark(options.spark_master) if options.spark_master else engine_of(name)


def item_named(study: Study, text: str) -> object:
    """Return the item of that name, whatever it is in the data; the text itself where there is none."""
    return next((item for item in study.items if str(item) == text), text)
