"""``inspect``: what a file would be read as, what could be the unit, and the command to copy."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from steadyrank.cli.failures import as_option
from steadyrank.cli.inputs import STANDARD_INPUT
from steadyrank.errors import Option, SteadyrankError
from steadyrank.report.text import FAINT, LONG, Line, paragraph
from steadyrank.safe_text import columns_of, cut
from steadyrank.stability.findings import SCHEMA_VERSION
from steadyrank.stability.study import Study
from steadyrank.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from steadyrank.cli.options import InspectOptions
    from steadyrank.data.inspection import Inspection
    from steadyrank.report.terminal import Terminal

AS_GIVEN = ("format", "encoding", "engine", "memory_limit", "spark_master")
"""Options that a command repeats if they were given."""


def document(found: Inspection, options: InspectOptions, source: str) -> dict[str, Any]:
    """Return what was found out as plain data; ``docs/json-schema.md`` describes each field."""
    from steadyrank import __version__

    data, problem, k = found.data, found.problem, None
    try:
        k = None if data is None else Study(data).usual_k
    except SteadyrankError as error:  # such as items that no observation is about
        problem = error
    command = None if k is None else _command(found, options, k)
    roles = {
        name: role
        for role, names in found.columns.items()
        for name in ([names] if isinstance(names, str) else names)
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "document": "inspection",
        "software": {"name": "steadyrank", "version": __version__},
        "source": source,
        "format": found.table.format,
        "rows": found.rows,
        "columns": [{"column": name, "role": roles.get(name)} for name in found.table.names],
        "kind": None if found.kind is None else found.kind.name,
        "kinds": [
            {"kind": name, "recognised": fit.because, "lacking": fit.lacks}
            for name, fit in found.fits.items()
        ],
        "n_items": None if data is None else data.n_items,
        "n_units": None if data is None else data.n_units,
        "unit": None if data is None else data.units.kind,
        "unit_candidates": [
            {"column": name, "values": values, "command": f"{command} {_typed('unit', name)}"}
            for name, values in (() if command is None or data is None else data.unit_candidates)
        ],
        "units_that_help": found.helpful_units,
        "notes": list(found.table.notes if data is None else data.notes),
        "problem": None if problem is None else problem.worded(as_option),
        "command": command,
    }


def _command(found: Inspection, options: InspectOptions, k: int) -> str:
    """Return the command that reads the file as was found out, whatever it is called."""
    file = f"./{options.file}" if options.file[:1] == "-" != options.file else options.file
    kind = found.kind.name if found.kind else None
    columns = {} if found.table.kind else found.columns
    guessed = {role: name for role, name in columns.items() if isinstance(name, str)}
    asked = {name: getattr(options, name) for name in AS_GIVEN} | options.arguments
    given = {name: value for name, value in asked.items() if value not in {None, False, "utf-8"}}
    typed = [_typed(name, value) for name, value in {"kind": kind, **guessed, **given}.items()]
    return " ".join(["steadyrank topk", shlex.quote(file), f"-k {k}", *typed])


def _typed(name: str, value: object) -> str:
    """Return an option as one types it, also where its value looks like an option."""
    option, text = f"--{name.replace('_', '-')}", str(value)
    if value is True:
        return option
    return shlex.join([f"{option}={text}"] if text.startswith("-") else [option, text])


def inspection_lines(found: Mapping[str, Any], terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of an inspection."""
    bullet = terminal.sign("·", "-")
    source = "standard input" if found["source"] == STANDARD_INPUT else found["source"]
    size = f"{counted(found['rows'], 'row')}, {counted(len(found['columns']), 'column')}"
    yield from paragraph(f"{source}: {found['format']}, {size}", terminal, style="bold")
    yield from _kind_lines(found, terminal, bullet)
    yield Line("")
    yield Line("Columns", "bold")
    shown = found["columns"][:LONG]
    width = terminal.widest((one["column"] for one in shown), terminal.width // 2)
    for one in shown:
        yield Line(f"   {terminal.fit(one['column'], width)}  {one['role'] or 'not used'}")
    if len(found["columns"]) > LONG:
        yield Line(f"   and {len(found['columns']) - LONG:,} more (--json lists them)", FAINT)
    yield Line("")
    for one in found["unit_candidates"]:
        told = f"{one['column']} could be the unit ({one['values']:,} values):"
        yield from paragraph(told, terminal, style="bold")
        yield from _copied(one["command"], terminal)
    if found["command"] is not None:
        yield from paragraph(f"With each {found['unit']} as a unit:", terminal, style="bold")
        yield from _copied(found["command"], terminal)
    yield Line("")
    for note in found["notes"]:
        yield from paragraph(note, terminal, bullet=bullet, style=FAINT)


def _kind_lines(found: Mapping[str, Any], terminal: Terminal, bullet: str) -> Iterator[Line]:
    """Yield what the data are and could be, or why that cannot be told and what would help."""
    if found["n_items"] is not None:
        items, units = counted(found["n_items"], "item"), counted(found["n_units"], found["unit"])
        yield from paragraph(f"Read as {found['kind']}: {items}, {units}.", terminal)
    if found["problem"] is not None:
        told = f"It cannot be used as it is: {found['problem']}"
        yield from paragraph(told, terminal, style="bold red")
    if found["kind"] is None:
        yield Line("What would help, one of these:", "bold")
    for name in found["units_that_help"]:
        yield from paragraph(as_option(Option("unit", name)), terminal, bullet=bullet)
    for one in found["kinds"]:
        way = [Option("kind", one["kind"]), *map(Option, one["lacking"])]
        options = " ".join(map(as_option, way))
        if found["kind"] is None:
            yield from paragraph(options, terminal, bullet=bullet)
        elif one["recognised"] and one["kind"] != found["kind"]:
            told = f"It could be {one['kind']}, too, {one['recognised']}: {options}."
            yield from paragraph(told, terminal)


def _copied(command: str, terminal: Terminal) -> Iterator[Line]:
    """Yield a command that a shell takes as it is shown, on several lines where it is long."""
    room, line = terminal.width - 2, ""
    for token in shlex.split(command):
        if line and columns_of(f"{line} {shlex.quote(token)}") > room:
            yield Line(f"{terminal.safe(line)} \\")
            line = ""
        rest = token
        while columns_of(shlex.quote(rest)) > room:
            # Quotes take two columns, and an apostrophe within them five.
            start, rest = cut(rest, (room - 2) // (5 if "'" in rest else 1))
            yield Line(f"{terminal.safe(shlex.quote(start))}\\")
        line = f"{line} {shlex.quote(rest)}".strip()
    yield Line(terminal.safe(line))
