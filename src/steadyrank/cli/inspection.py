"""``inspect``: what a file looks like, how it could be read, and the commands to copy."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from steadyrank.cli.inputs import STANDARD_INPUT, described, source_name, withstanding
from steadyrank.data.observations import decision_on, made_of
from steadyrank.data.read import check_kind, table_of
from steadyrank.errors import (
    InvalidDataError,
    NotRecognisedError,
    Option,
    SteadyrankError,
)
from steadyrank.reading.arrays import written
from steadyrank.reading.profile import Profile
from steadyrank.reading.readings import typed_words
from steadyrank.reading.roles import taken_by
from steadyrank.report.terminal import FAINT, GAP, LONG, Line
from steadyrank.report.text import guessed, more, remarks
from steadyrank.study.results import begun, guesses_of, labels
from steadyrank.study.study import usual_k
from steadyrank.text import columns_of, counted, cut, plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from steadyrank.cli.options import InspectOptions
    from steadyrank.reading.readings import Reading
    from steadyrank.report.terminal import Terminal

PREVIEW = 3
"""How many rows are shown."""


def inspection(options: InspectOptions) -> dict[str, Any]:
    """Return what can be found out about a file; ``docs/reference/json-schema.md`` describes each field.

    A file that cannot be opened, or is not of its format, is refused as ever; columns that make no data
    are not, they are what one wants to know about.
    """
    check_kind(options.kind)
    source, engine, given = described(options)
    if engine is not None:
        one_file = ["Inspect one of the files, with ", Option("engine", "memory")]
        raise InvalidDataError(
            "inspect looks at a table in memory, not in an engine", way_out=one_file
        )
    table = table_of(source, given, **options.layout)
    profile = Profile.of(table)
    found: dict[str, Any] = {
        **begun("inspection", source_name(options)),
        "format": table.format,
        "rows": len(table),
        "preview": [
            [written(table.cells(n)[row]) for n in table.names]
            for row in range(min(PREVIEW, len(table)))
        ],
        "readings": [],
        **dict.fromkeys(
            ("chosen", "kind", "items", "n_items", "n_units", "unit", "units")
        ),
        **dict.fromkeys(("problem", "command")),
        "roles": {},
        "unit_candidates": [],
        "notes": table.notes,
    }
    columns: dict[str, Any] = {}

    def check(data: Any, scorer: str | None) -> Any:
        return withstanding(options, data, scorer)

    try:
        decision = decision_on(table, options.kind, given, check)
        readings = decision.considered
        taken = decision.chosen is not None and bool(readings)
        found["readings"] = [_described(options, one) for one in readings]
        found["chosen"] = 0 if taken else None
        resolved = decision.taken()
        found["kind"], columns = resolved.kind.name, resolved.columns
        data: Any = made_of(resolved)
        words = list(readings[0].typed)[2:] if taken and not table.kind else []
        command = _command(
            options,
            resolved.kind.name,
            words,
            usual_k(data.n_items),
        )
        found |= {"items": labels(data.items), "n_items": data.n_items}
        found |= {
            "n_units": data.n_units,
            "unit": data.units.kind,
            "units": plural(data.units.kind),
        }
        found |= {"notes": [*data.notes], "command": shlex.join(command)}
        for name, values in data.unit_candidates:
            told = shlex.join([*command, *typed_words("unit", name)])
            found["unit_candidates"].append(
                {"column": name, "values": values, "command": told}
            )
    except SteadyrankError as error:
        found["problem"] = error.worded(Option.typed)
        if not isinstance(error, NotRecognisedError) and found["readings"]:
            found["kind"] = found["kind"] or found["readings"][0]["kind"]
    found |= {"roles": columns, "guesses": guesses_of(found["notes"])}
    roles = {
        name: role
        for role, names in columns.items()
        for name in taken_by({role: names})
    }
    looks = [
        {"column": c.name, "role": roles.get(c.name), "looks": c.describe()}
        for c in profile
    ]
    return found | {"columns": looks}


def _described(options: InspectOptions, reading: Reading) -> dict[str, Any]:
    k, words = usual_k(reading.n_items), reading.typed[2:]
    return {
        "command": _command(options, reading.kind.name, words, k),
        "kind": reading.kind.name,
        "items": [str(item) for item in reading.items],
        "n_items": reading.n_items,
        "for": reading.support,
        "against": reading.against,
    }


def _command(options: InspectOptions, kind: str, words: list[str], k: int) -> list[str]:
    """Return the command that reads the file as was found out, every guess spelt out."""
    file = (
        f"./{options.file}" if options.file[:1] == "-" != options.file else options.file
    )
    asked = options.layout | dict(options.arguments)
    given = {
        name: value for name, value in asked.items() if value not in {None, "utf-8"}
    }
    typed = [word for name, value in given.items() for word in typed_words(name, value)]
    return ["steadyrank", "topk", file, "-k", str(k), "--kind", kind, *words, *typed]


def inspection_lines(found: Mapping[str, Any], terminal: Terminal) -> Iterator[Line]:
    """Yield the lines of an inspection."""
    source = "standard input" if found["source"] == STANDARD_INPUT else found["source"]
    size = (
        f"{counted(found['rows'], 'row')}, {counted(len(found['columns']), 'column')}"
    )
    yield Line(f"{source}: {found['format']}, {size}", "bold")
    yield Line(guessed(found, terminal), FAINT)
    if found["problem"] is None:
        items, units = (
            counted(found["n_items"], "item"),
            counted(found["n_units"], found["unit"]),
        )
        yield Line(f"That gives {items} and {units}.")
    else:
        yield Line(f"It cannot be used as it is: {found['problem']}", "bold red")
    yield GAP
    for row in found["preview"]:
        yield Line(
            f"   {terminal.fit(' | '.join(row[:LONG]), terminal.width - 3)}", FAINT
        )
    shown, hidden = found["columns"][:LONG], len(found["columns"][LONG:])
    width = terminal.widest((one["column"] for one in shown), terminal.width // 2)
    for one in shown:
        name = terminal.fit(one["column"], width)
        yield Line(f"   {name}  {one['role'] or 'not used'}; {one['looks']}")
    yield more(hidden, " (--json lists them)") if hidden else GAP
    yield from _reading_lines(found, terminal)
    for one in found["unit_candidates"]:
        yield Line(
            f"{one['column']} could be the unit ({one['values']:,} values):", "bold"
        )
        yield from _copied(shlex.split(one["command"]), terminal)
    if found["command"] is not None:
        told = (
            f"With each {found['unit']} as a unit:"
            if found["n_units"]
            else "By their errors:"
        )
        yield Line(told, "bold")
        yield from _copied(shlex.split(found["command"]), terminal)
    yield from remarks(found["notes"], found, terminal)


def _reading_lines(found: Mapping[str, Any], terminal: Terminal) -> Iterator[Line]:
    """Yield how the file could be read, beside the reading that is taken."""
    taken = found["chosen"] is not None
    for one in found["readings"][taken:]:
        items = f"{counted(one['n_items'], 'item')}: {', '.join(one['items'])}"
        yield Line(f"{'Or as' if taken else 'As'} {one['kind']}, {items}", "bold")
        yield from (Line(reason, bullet="+") for reason in one["for"])
        yield from (Line(reason, bullet="-") for reason in one["against"])
        yield from _copied(one["command"], terminal)


def _copied(command: list[str], terminal: Terminal) -> Iterator[Line]:
    """Yield a command that a shell takes as it is shown, on several lines where it is long."""
    room, line = terminal.width - 2, ""
    for token in command:
        if line and columns_of(f"{line} {shlex.quote(token)}") > room:
            yield Line(f"{line} \\")
            line = ""
        rest = token
        while columns_of(shlex.quote(rest)) > room:
            # Quotes take two columns, and an apostrophe within them five.
            start, rest = cut(rest, (room - 2) // (5 if "'" in rest else 1))
            yield Line(f"{shlex.quote(start)}\\")
        line = f"{line} {shlex.quote(rest)}".strip()
    yield Line(line)
