"""``inspect``: what a file would be read as, what could be the unit, and the command to copy."""

from __future__ import annotations

import shlex
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import narwhals as nw

from steadyrank.cli.inputs import STANDARD_INPUT, described, source_name
from steadyrank.data.kinds import KINDS, check_kind, kind_of, scan_any
from steadyrank.data.observations import from_resolved
from steadyrank.engines.frame import opened
from steadyrank.errors import EmptyDataError, Option, SteadyrankError, typed_name
from steadyrank.reading.formats import read_table
from steadyrank.reading.roles import lacking, recognise, resolve, taken_by
from steadyrank.report.lines import FAINT, LONG, Line, guessed, paragraph, remarks
from steadyrank.study.document import SCHEMA_VERSION, guesses_of, labels
from steadyrank.study.study import usual_k
from steadyrank.text import columns_of, counted, cut, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from steadyrank.cli.options import InspectOptions
    from steadyrank.reading.declarations import Kind
    from steadyrank.reading.table import Table
    from steadyrank.report.terminal import Terminal

AS_GIVEN = ("format", "encoding", "engine", "memory_limit", "spark_master")
"""Options that a command repeats if they were given."""


def inspection(options: InspectOptions) -> dict[str, Any]:
    """Return what can be found out about a file; ``docs/json-schema.md`` describes each field.

    A file that cannot be opened, or is not of its format, is refused as ever; columns that make no data
    are not, they are what one wants to know about.
    """
    from steadyrank import __version__

    check_kind(options.kind)
    source, engine, given = described(options)
    layout = {name: given.pop(name) for name in ("format", "encoding")}
    asked, kinds = given.pop("kind"), [known.kind for known in KINDS.values()]
    table, rows = _looked_at(source, engine, layout, given)
    found: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "document": "inspection",
        "software": {"name": "steadyrank", "version": __version__},
        "source": source_name(options),
        "format": table.format,
        "rows": rows,
        "kind": None,
        "kinds": [_fit(kind, table, given) for kind in kinds if table.kind in {None, kind.name}],
        **dict.fromkeys(("items", "n_items", "n_units", "unit", "units", "problem", "command")),
        "roles": {},
        "unit_candidates": [],
        "notes": table.notes,
    }
    columns: dict[str, Any] = {}
    try:
        made, recognised = kind_of(table, asked, given)
        kind = made.kind
        found["kind"] = kind.name
        resolved = resolve(kind, table, given)
        columns = resolved.columns
        if engine is None:
            data: Any = from_resolved(made, resolved)
        else:
            data = scan_any(source, kind=kind.name, engine=engine, **layout, **given)
        guessed = {} if table.kind else columns | resolved.decided()
        command = _command(options, kind.name, guessed, usual_k(data.n_items))
        found |= {"items": labels(data.items), "n_items": data.n_items}
        found |= {"n_units": data.n_units, "unit": data.units.kind, "units": plural(data.units.kind)}
        found |= {"notes": [*recognised, *data.notes], "command": command}
        found["unit_candidates"] = [
            {"column": name, "values": values, "command": f"{command} {_typed('unit', name)}"}
            for name, values in data.unit_candidates
        ]
    except SteadyrankError as error:
        found["problem"] = error.worded(Option.typed)
    found |= {"roles": columns, "guesses": guesses_of(found["notes"])}
    roles = {name: role for role, names in columns.items() for name in taken_by({role: names})}
    return found | {"columns": [{"column": name, "role": roles.get(name)} for name in table.names]}


def _looked_at(
    source: Any, engine: Any, layout: Mapping[str, Any], given: Mapping[str, Any]
) -> tuple[Table, int]:
    """Return the table of a file, on an engine its first rows alone, and how many rows there are."""
    if engine is None:
        table = read_table(source, given=given, **layout)
        return table, len(table)
    with opened(source, engine, **layout) as lazy, suppress(EmptyDataError):
        table, rows = lazy.first_rows(), 0
        frame, _ = lazy.picked({"row": lazy.common[0]}, ())
        rows = int(lazy.numbers(frame.select(rows=nw.len()), "rows")["rows"])
    return table, rows


def _fit(kind: Kind, table: Table, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return whether a table could be of a kind, and what it lacks."""
    fit: dict[str, Any] = {"kind": kind.name, "recognised": None, "lacking": []}
    with suppress(SteadyrankError):
        fit["lacking"] = lacking(kind, table, given)
        fit["recognised"] = recognise([kind], table, given)[1]
    return fit


def _command(options: InspectOptions, kind: str, columns: Mapping[str, Any], k: int) -> str:
    """Return the command that reads the file as was found out, every guess spelt out."""
    file = f"./{options.file}" if options.file[:1] == "-" != options.file else options.file
    guessed = {role: name for role, name in columns.items() if isinstance(name, str)}
    asked = {name: getattr(options, name) for name in AS_GIVEN} | dict(options.arguments)
    given = {name: value for name, value in asked.items() if value not in {None, "utf-8"}}
    typed = [_typed(name, value) for name, value in {"kind": kind, **guessed, **given}.items()]
    ask = [shlex.quote(file), f"-k {k}", *typed]
    return " ".join(["steadyrank confidence" if "error" in columns else "steadyrank topk", *ask])


def _typed(name: str, value: object) -> str:
    """Return an option as one types it, also where its value looks like an option."""
    option, text = typed_name(name), str(value)
    if value is True:
        return option
    return shlex.join([f"{option}={text}"] if text.startswith("-") else [option, text])


def inspection_lines(found: Mapping[str, Any], terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of an inspection."""
    source = "standard input" if found["source"] == STANDARD_INPUT else found["source"]
    size = f"{counted(found['rows'], 'row')}, {counted(len(found['columns']), 'column')}"
    yield from paragraph(f"{source}: {found['format']}, {size}", terminal, style="bold")
    yield from guessed(found, terminal)
    yield from _kind_lines(found, terminal)
    yield Line("")
    shown, hidden = found["columns"][:LONG], len(found["columns"][LONG:])
    width = terminal.widest((one["column"] for one in shown), terminal.width // 2)
    for one in shown:
        yield Line(f"   {terminal.fit(one['column'], width)}  {one['role'] or 'not used'}")
    yield Line(f"   and {hidden:,} more (--json lists them)" if hidden else "", FAINT)
    for one in found["unit_candidates"]:
        told = f"{one['column']} could be the unit ({one['values']:,} values):"
        yield from paragraph(told, terminal, style="bold")
        yield from _copied(one["command"], terminal)
    if found["command"] is not None:
        told = f"With each {found['unit']} as a unit:" if found["n_units"] else "By their errors:"
        yield from paragraph(told, terminal, style="bold")
        yield from _copied(found["command"], terminal)
    yield from remarks(found["notes"], found, terminal)


def _kind_lines(found: Mapping[str, Any], terminal: Terminal) -> Iterator[Line]:
    """Yield what the data are and could be, or why that cannot be told and what would help."""
    if found["problem"] is None:
        items, units = counted(found["n_items"], "item"), counted(found["n_units"], found["unit"])
        yield from paragraph(f"Read as {found['kind']}: {items}, {units}.", terminal)
    else:
        told = f"It cannot be used as it is: {found['problem']}"
        yield from paragraph(told, terminal, style="bold red")
    for one in found["kinds"]:
        options = " ".join(
            map(Option.typed, (Option("kind", one["kind"]), *map(Option, one["lacking"])))
        )
        if found["kind"] is None:
            told = f"{options} would help"
            yield from paragraph(told, terminal, bullet=terminal.sign("·", "-"))
        elif one["recognised"] and one["kind"] != found["kind"]:
            yield from paragraph(f"Or {one['kind']}, {one['recognised']}: {options}.", terminal)


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
