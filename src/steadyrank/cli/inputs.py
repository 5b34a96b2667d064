"""From the options of the command line to a study: the only place that reads files."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank import errors
from steadyrank.cli.output import say, ways, working
from steadyrank.data.kinds import KINDS, read_any, scan_any
from steadyrank.errors import NotRecognisedError, Option, typed_name
from steadyrank.reading.formats import is_pattern, read_together
from steadyrank.writing import target_of

if TYPE_CHECKING:
    from steadyrank.cli.options import InputOptions, ScorerOptions
    from steadyrank.data.observations import Observations
    from steadyrank.engines.backends import Engine
    from steadyrank.study.study import Study

STANDARD_INPUT = "-"

GOES_WITH = {"memory_limit": "duckdb", "spark_master": "spark"}
"""Options for one engine alone; each also asks for it."""


def open_study(
    options: ScorerOptions, *outputs: str | None, lead: str = ""
) -> tuple[Study, dict[str, Any]]:
    """Read the data and return a study of them, and what findings say about the file.

    The lead says which of two files is at fault, as they may have one name. Whether a result can go
    where it should is asked before the work, now that it is known what was read.
    """
    from steadyrank.study.study import Study

    try:
        try:
            with working("Reading"):
                data = load(options)
        except NotRecognisedError as error:
            if not error.readings or not may_ask(options):
                raise
            data = asked(error)
        if options.min_count is not None:
            data = data.with_min_count(options.min_count)
    except (errors.InvalidDataError, errors.FileNotThereError) as error:
        error.problem = lead + error.problem
        raise
    for path in filter(None, outputs):
        target_of(path)
    about = {"source": source_name(options), "policies": _policies(options)}
    return Study(data, options.scorer), about


def load(options: InputOptions) -> Observations:
    """Read the data that the options describe; their notes say what was recognised and guessed."""
    source, engine, given = described(options)
    return read_any(source, **given) if engine is None else scan_any(source, engine=engine, **given)


def may_ask(options: InputOptions) -> bool:
    """Tell whether somebody sits there who can say how a table is meant: never in a pipe or in CI."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    seen = all(stream is not None and stream.isatty() for stream in streams)
    machine = os.environ.get("CI") or getattr(options, "form", "text") != "text"
    return seen and not machine and options.file != STANDARD_INPUT


def asked(error: NotRecognisedError) -> Observations:
    """Ask which reading is meant, go on with it, and print the command for the next time."""
    typed = sys.argv[1:]
    say(error.worded(Option.typed), 0)
    for line in ways(error.readings, typed):
        say(line, 0, lead="")
    numbers = [str(number) for number in range(1, len(error.readings) + 1)]
    sys.stderr.write(f"Which is meant? {'/'.join(numbers)} (anything else ends): ")
    sys.stderr.flush()
    answer = sys.stdin.readline().strip()
    if answer not in numbers:
        error.readings = []  # they were shown
        raise error
    chosen = error.readings[int(answer) - 1]
    say(f"Next time: {shlex.join(chosen.command(*typed))}", 0, lead="")
    data: Observations = chosen.read()
    return data


def source_name(options: InputOptions) -> str:
    """Return what findings call the file: its name, without its folder."""
    return Path(options.file).name or options.file


def described(options: InputOptions) -> tuple[Any, Engine | None, dict[str, Any]]:
    """Return where the data are, what works on them, and all that was said about them."""
    given = _arguments(options)
    engine = _engine(options)
    given |= {"kind": options.kind, "format": options.format, "encoding": options.encoding}
    if engine is not None:
        return options.file, engine, given
    if options.file == STANDARD_INPUT and sys.stdin is None:
        raise errors.FileNotThereError("standard input is closed", way_out="Give a path, or open it.")
    source: Any = sys.stdin.buffer if options.file == STANDARD_INPUT else options.file
    return read_together(source, options.format, options.encoding) or source, None, given


def _policies(options: InputOptions) -> dict[str, str]:
    """Return the policies that options chose, in plain words."""
    found: dict[str, str] = {}
    for name, value in options.arguments.items():
        for known in KINDS.values() if value is not None else ():
            choices = getattr(known.kind.settings.get(name), "choices", None) or {}
            found |= {name: choices[value]} if value in choices else {}
    return found


def _arguments(options: InputOptions) -> dict[str, Any]:
    """Return what was said about the data; lists are written with commas."""
    every = [part for known in KINDS.values() for part in known.kind.declared.items()]
    several = {name for name, part in every if part.several}
    return {
        name: [part.strip() for part in value.split(",")] if name in several else value
        for name, value in options.arguments.items()
        if value is not None
    }


def _engine(options: InputOptions) -> Engine | None:
    """Return the engine that works on the data, or None for memory."""
    asked = {name: engine for name, engine in GOES_WITH.items() if getattr(options, name) is not None}
    several = is_pattern(options.file) and not read_together(
        options.file, options.format, options.encoding
    )
    name = options.engine or next(iter(asked.values()), "duckdb" if several else "memory")
    for setting, engine in asked.items():
        if name != engine:
            option = typed_name(setting)
            raise errors.InvalidSettingError(f"{option} goes with --engine {engine}, not with {name!r}")
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
