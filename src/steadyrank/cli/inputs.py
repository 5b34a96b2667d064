"""From the options of the command line to data and a scorer: the only place that reads files."""

from __future__ import annotations

import io
import signal
import sys
import threading
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.errors import InvalidSettingError, NotRecognisedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from steadyrank.cli.options import InputOptions
    from steadyrank.data.observations import Observations
    from steadyrank.engines.settings import Engine

STANDARD_INPUT = "-"

SAME_NAME = (
    "left", "right", "wins_left", "wins_right", "count", "choice", "ballot", "rank", "row",
    "response", "missing", "duplicates", "approval", "item",
)  # fmt: skip
"""Options that the library calls by the same name."""

LISTS = ("ranks", "items", "features", "ties")
"""Options that name several columns, separated by commas."""

PARTS = {
    "user": {"ratings": "user", "ballots": "voter"},
    "score": {"ratings": "rating", "scores": "value", "regression": "response"},
    "winner": {"battles": "outcome"},
    "unit": {"battles": "units", "scores": "units"},
}
"""Options that the library calls differently for each kind of data."""


def load(options: InputOptions) -> Observations:
    """Read the data that the options describe; their notes say what was recognised and guessed."""
    from steadyrank.data.recognise import read_any

    attempts = list(_attempts(options))
    if (engine := _engine(options)) is not None:
        return _scan(options, attempts, engine)
    source: Any = options.file
    if options.file == STANDARD_INPUT:
        source = io.BytesIO(sys.stdin.buffer.read()) if len(attempts) > 1 else sys.stdin.buffer
    for last, given in _mark_last(attempts):
        try:
            return read_any(
                source, kind=options.kind, format=options.format, encoding=options.encoding, **given
            )
        except NotRecognisedError:
            if last:
                raise
            if options.file == STANDARD_INPUT:
                source.seek(0)
    raise AssertionError  # pragma: no cover (the last attempt returns or raises)


def _engine(options: InputOptions) -> Engine | None:
    """Return the engine that works on the data, or None for memory."""
    from steadyrank.engines.settings import DuckDB, Spark, engine_of

    name = options.engine
    if name is None:
        several = has_magic(options.file) and not Path(options.file).exists()
        asked = "duckdb" if options.memory_limit else "spark" if options.spark_master else None
        name = asked or ("duckdb" if several else "memory")
    if options.memory_limit is not None and name != "duckdb":
        raise InvalidSettingError("--memory-limit goes with --engine duckdb.")
    if options.spark_master is not None and name != "spark":
        raise InvalidSettingError("--spark-master goes with --engine spark.")
    if name == "memory":
        return None
    if options.file == STANDARD_INPUT:
        raise InvalidSettingError(
            f"--engine {name} works on files, not on standard input. Give a path, or leave it away."
        )
    if name == "duckdb":
        return DuckDB(memory_limit=options.memory_limit)
    return Spark(options.spark_master) if options.spark_master else engine_of(name)


def _scan(options: InputOptions, attempts: list[dict[str, Any]], engine: Engine) -> Observations:
    from steadyrank.engines.anything import scan_any

    _end_in_order()
    for last, given in _mark_last(attempts):
        try:
            return scan_any(options.file, kind=options.kind, engine=engine, **given)
        except NotRecognisedError:
            if last:
                raise
    raise AssertionError  # pragma: no cover (the last attempt returns or raises)


def _end_in_order() -> None:
    """Let a request to terminate end the program as an error does: temporary files are removed."""

    def leave(number: int, frame: object) -> None:  # noqa: ARG001 (what a handler is given)
        sys.exit(128 + number)

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, leave)


def _mark_last(attempts: list[dict[str, Any]]) -> Iterator[tuple[bool, dict[str, Any]]]:
    for number, attempt in enumerate(attempts, start=1):
        yield number == len(attempts), attempt


def _attempts(options: InputOptions) -> Iterator[dict[str, Any]]:
    """Yield the library's options; several where an option's meaning depends on the unknown kind."""
    given = {name: getattr(options, name) for name in SAME_NAME}
    given |= {name: _split(getattr(options, name)) for name in LISTS}
    asked = {name: getattr(options, name) for name in PARTS if getattr(options, name) is not None}
    kinds = list(_fitting_kinds(asked)) if options.kind is None else [options.kind]
    seen: list[dict[str, Any]] = []
    for kind in kinds or ["unknown"]:
        parts = {PARTS[name].get(kind, name): value for name, value in asked.items()}
        attempt = {name: value for name, value in {**given, **parts}.items() if value is not None}
        if attempt not in seen:
            seen.append(attempt)
            yield attempt


def _fitting_kinds(asked: dict[str, str]) -> Iterator[str]:
    """Yield the kinds of data that know all of these options, if any were asked for."""
    every = ("ratings", "scores", "battles", "ballots", "regression")
    if asked:
        fitting = [kind for kind in every if all(kind in PARTS[name] for name in asked)]
        yield from fitting or every


def _split(names: str | None) -> list[str] | None:
    return None if names is None else [name.strip() for name in names.split(",")]
