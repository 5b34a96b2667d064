"""From a table and what was said of its columns to the arrays of a kind of data."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank import errors
from steadyrank.errors import shorten
from steadyrank.reading.conventions import known_header
from steadyrank.reading.forms import READERS
from steadyrank.reading.refusal import check_columns, choose_form, unknown_header
from steadyrank.reading.roles import BESIDE, ROLES, Form, Reading, split_list
from steadyrank.reading.rows import Rows

if TYPE_CHECKING:
    from steadyrank.reading.table import Table


def resolve(table: Table, said: Mapping[str, object]) -> Reading:
    """Read a table by what was said of its columns, or else by the exact header of a tool.

    Parameters
    ----------
    table : Table
    said : mapping
        For each role that was said: a column, a list of columns (or one text, separated by
        commas), True, or the catalogue.
    """
    settled = settle(table, said)
    catalogue = _catalogue(settled.roles.get("catalogue"))
    reading = READERS[settled.form.name](Rows(table, settled.roles, catalogue))
    reading.kind = settled.form.kind
    reading.header = settled.header
    return reading


@dataclass(frozen=True)
class Settled:
    """The form of a table, the roles of its columns, and the header that was taken."""

    form: Form
    roles: dict[str, Any]
    header: str | None


def settle(table: Table, said: Mapping[str, object]) -> Settled:
    """Return what the columns of a table are, by what was said or else by its header."""
    roles = _given(said)
    check_columns(table, roles)
    header = None
    if roles.keys() <= {*BESIDE}:
        header, proved = _unsaid(table, roles)
        roles = proved | roles
    return Settled(choose_form(table, roles), roles, header)


def _unsaid(
    table: Table, said: Mapping[str, object]
) -> tuple[str | None, dict[str, Any]]:
    """Return the header that is known, and what a grammar or the header says."""
    if table.said:
        catalogue = {"catalogue": table.catalogue} if table.catalogue else {}
        return None, {**table.said, **catalogue}
    known = known_header(table, said)
    if known is None:
        raise unknown_header(table, said)
    return known


def _given(said: Mapping[str, object]) -> dict[str, Any]:
    """Return what was said, in the order of help: lists as tuples, no flag that is off."""
    roles: dict[str, Any] = {}
    for name, role in ROLES.items():
        value = said.get(name)
        if value is None or value is False:
            continue
        if role.takes == "columns":
            roles[name] = _names(name, value)
        else:
            roles[name] = value
    return roles


def _names(role: str, said: Any) -> tuple[str, ...]:
    """Return a list of names: a sequence, or one text, separated by commas."""
    if not isinstance(said, str):
        return tuple(map(str, said))
    try:
        return tuple(split_list(said))
    except csv.Error as error:
        raise errors.InvalidSettingError(
            f"{role} is no list of names, {error}: {shorten(said)}",
            way_out="Write A,B, with quotes around names that hold a comma.",
        ) from None


def _catalogue(said: Any) -> tuple[str, ...] | None:
    """Return the items that were declared: a list, A,B, or the lines of @FILE."""
    if said is None:
        return None
    if isinstance(said, str) and said.startswith("@"):
        path = Path(said[1:])
        if not path.is_file():
            raise errors.FileNotThereError(f"there is no file {path} with a catalogue")
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeError) as error:
            problem = f"the catalogue {path} cannot be read: {error}"
            raise errors.UnreadableFileError(
                problem, way_out="Save it as UTF-8, an item on each line."
            ) from None
        names = tuple(line for line in lines if line.strip())
    else:
        names = _names("catalogue", said)
    twice = {name for name in names if names.count(name) > 1}
    if twice or not names:
        what = f"names {min(twice)!r} twice" if twice else "names no item"
        raise errors.InvalidLabelError(f"the catalogue {what}", source="")
    return names
