"""From the words of a command to values, and the help; both come from the tables of options."""

from __future__ import annotations

from argparse import ArgumentError, ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from steadyrank.cli.endings import MEANINGS
from steadyrank.cli.options import (
    COMMANDS,
    OPTIONS,
    ROWS,
    SAID,
    Row,
    rows_of,
)
from steadyrank.cli.output import form_of
from steadyrank.errors import InvalidSettingError, shorten

WIDE = 22  # columns for options in the help; what they do stands on their right
HELP = ("-h", "--help")
VERSION = ("-V", "--version")


def parsed(command: str, words: Sequence[str]) -> Namespace:
    """Return the values of all options, None where one is not given.

    ``words`` are those beside options, such as the file; ``said`` is what the reader
    is told about it, as keywords.
    """
    before, after = parted(words)
    rows = {row.name: row for row in rows_of(command)}
    parser = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for row in rows.values():
        parser.add_argument(*row.flags, dest=row.name, **_action(row))
    try:
        # Without positional arguments, words beside options may stand anywhere.
        found, beside = parser.parse_known_args(before)
    except ArgumentError as error:
        raise _misused(error, rows) from None
    for word in beside:
        if word.startswith("-") and word != "-":
            option = word.partition("=")[0]
            see = f"See: steadyrank {command} --help"
            raise unknown("option", option, _flags(rows.values()), see)
    values: dict[str, Any] = {row.name: None for row in ROWS}
    for row in rows.values():
        values[row.name] = _value(row, getattr(found, row.name))
    values["form"] = _form(command, values)
    values["words"] = _counted(command, [*beside, *after])
    values["said"] = _said(values)
    return Namespace(**values)


def parted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words before ``--``, and those after it, which are no options."""
    place = words.index("--") if "--" in words else len(words)
    return [*words[:place]], [*words[place + 1 :]]


def _action(row: Row) -> dict[str, Any]:
    if row.metavar is None:
        return {"action": "append_const", "const": "yes"}
    if row.alone is not None:
        return {"action": "append", "nargs": "?", "const": row.alone}
    return {"action": "append"}


def _misused(error: ArgumentError, rows: dict[str, Row]) -> InvalidSettingError:
    option = str(error.argument_name).rpartition("/")[2]
    row = next(row for row in rows.values() if option in row.flags)
    if row.metavar is None:
        return InvalidSettingError(
            f"{option} takes no value", way_out="Omit the value."
        )
    return InvalidSettingError(
        f"{option} needs a value: {row.metavar}",
        way_out=f"Write one that begins with a dash as {row.flags[-1]}=VALUE.",
    )


def _value(row: Row, texts: list[str] | None) -> Any:
    """Return the value of an option from what was typed, each time that it was."""
    if texts is None:
        return None
    option = row.flags[-1]
    for text in texts:
        if row.name != "output" and text != text.encode("utf-8", "ignore").decode():
            raise InvalidSettingError(f"{option} must be UTF-8, but is {shorten(text)}")
    if row.repeats:
        return [row.parse(text, option) for text in texts]
    if len(texts) > 1:
        raise InvalidSettingError(
            f"{option} was given {len(texts)} times", way_out="Give it once."
        )
    return True if row.metavar is None else row.parse(texts[0], option)


def _form(command: str, values: dict[str, Any]) -> str:
    forms = COMMANDS[command].forms
    chosen = [form for form in forms if values.get(form)]
    if len(chosen) > 1:
        both = " and ".join(f"--{form}" for form in chosen)
        raise InvalidSettingError(f"{both} cannot go together", way_out="Give one.")
    return form_of(values["output"], forms, *chosen)


def _said(values: dict[str, Any]) -> dict[str, Any]:
    said = {name: values[name] for name in SAID if values[name] is not None}
    if values["tables"] is not None:
        said["tables"] = dict(values["tables"])
        if len(said["tables"]) < len(values["tables"]):
            raise InvalidSettingError(
                "two further tables have the same name",
                way_out="Give each a name of its own: --table NAME=FILE",
            )
    return said


def _counted(command: str, words: list[str]) -> list[str]:
    """Return the words beside options; complain if they are too few or too many."""
    takes = COMMANDS[command].takes
    possible = takes.split()
    needed = [part for part in possible if not part.startswith("[")]
    usage = f"Type: steadyrank {command} {takes} [options]".replace("  ", " ")
    if len(words) < len(needed):
        missing = needed[len(words)]
        raise InvalidSettingError(f"{command} needs {missing}", way_out=usage)
    if len(words) > len(possible):
        extra = f"{command} does not know what to do with {words[len(possible)]!r}"
        raise InvalidSettingError(extra, way_out=usage)
    return words


def unknown(
    what: str,
    word: str,
    known: Iterable[str],
    otherwise: str = "See: steadyrank --help",
) -> InvalidSettingError:
    """Return the error about a name that is none of those known, with the nearest.

    Examples
    --------
    >>> str(unknown("command", "chek", ["check", "rank"]))
    "there is no command 'chek'. Did you mean check?"
    """
    near = get_close_matches(word, [*known], n=1)
    hint = f"Did you mean {near[0]}?" if near else otherwise
    return InvalidSettingError(f"there is no {what} {word!r}", way_out=hint)


def _flags(rows: Iterable[Row]) -> list[str]:
    return [flag for row in rows for flag in row.flags]


def command_help(command: str) -> str:
    """Return the help of a command: what it is for, its options, and examples."""
    told = COMMANDS[command]
    usage = " ".join(filter(None, ("steadyrank", command, told.takes, "[options]")))
    return "\n".join([usage, told.says, *_panels(command), *_examples(told.examples)])


def _panels(command: str) -> Iterator[str]:
    known = {*rows_of(command)}
    for heading, rows in OPTIONS.items():
        inside = [row for row in rows if row in known]
        if inside:
            yield f"\n{heading}"
        for row in inside:
            yield _line(row.shown(), row.says)


def _line(left: str, right: str) -> str:
    if len(left) > WIDE:
        return f"  {left}\n{'':{WIDE + 2}}{right}"
    return f"  {left:{WIDE}}{right}"


def _examples(examples: Sequence[str]) -> list[str]:
    return ["\nFor example", *(f"  {example}" for example in examples)]


def overview() -> str:
    """Return the help of the program: its commands, and how it ends."""
    codes = (f"{int(code):>5}  {meaning}" for code, meaning in MEANINGS.items())
    return "\n".join(
        [
            "steadyrank [COMMAND] FILE [options]",
            "Rankings that do not flip when one data point is removed.",
            "\nCommands (topk if none is given)",
            *(_line(name, told.says) for name, told in COMMANDS.items()),
            *_examples(
                (
                    "steadyrank demo",
                    "steadyrank ratings.csv --item film --rating stars --unit user",
                    "steadyrank topk --help",
                )
            ),
            "\nExit codes",
            *codes,
        ]
    )
