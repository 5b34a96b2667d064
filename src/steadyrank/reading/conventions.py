"""Exact headers of known tools: taken as a whole, for one kind, where nothing contradicts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.reading.cells import is_blank, is_no_number, stacked
from steadyrank.reading.roles import FORMS, ROLES

if TYPE_CHECKING:
    from steadyrank.reading.table import Table

TYPE_SUFFIX = re.compile(r":(token|float)(_seq)?$")  # of RecBole's atomic files
SEPARATORS = re.compile(r"[\s_.-]+")
NUMBERED = "#"


@dataclass(frozen=True)
class Convention:
    """A header that one tool writes: normalised names of columns, by role."""

    tool: str
    roles: Mapping[str, Any]
    beside: tuple[str, ...]  # columns that are there, too, and are not used
    without: tuple[str, ...]  # columns of another tool with the same header


def normalised(name: str) -> str:
    """Return a name without what tools write differently.

    Examples
    --------
    >>> normalised("user_id:token"), normalised("User-ID"), normalised("Rank 1")
    ('userid', 'userid', 'rank1')
    """
    return SEPARATORS.sub("", TYPE_SUFFIX.sub("", name.strip().casefold()))


@cache
def conventions() -> tuple[Convention, ...]:
    """Return the known headers of ``conventions.toml``."""
    found = []
    for line in _lists()["headers"]:
        roles = {name: value for name, value in line.items() if name in ROLES}
        beside, without = (tuple(line.get(key, ())) for key in ("beside", "without"))
        found.append(Convention(line["tool"], roles, beside, without))
    return tuple(found)


@cache
def _lists() -> dict[str, Any]:
    path = Path(__file__).with_name("conventions.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def known_header(
    table: Table, said: Mapping[str, object]
) -> tuple[str, dict[str, Any]] | None:
    """Return the tool that writes such a header, and the roles of its columns.

    None where there is no such tool, or headers of two kinds, or a column that contradicts.

    Parameters
    ----------
    table : Table
    said : mapping
        Roles that were said beside: they take the place of those of the header.
    """
    names: dict[str, list[str]] = {}
    for column in table.columns:
        names.setdefault(normalised(column), []).append(column)
    columns = {name: same[0] for name, same in names.items() if len(same) == 1}
    taken: dict[str, dict[str, Any]] = {}
    for line in conventions():
        roles = _roles_in(line, columns)
        if roles is not None:
            taken[line.tool] = roles
    if not taken and not said.keys() - {"lower_is_better", "catalogue"}:
        taken = _wide(table)
    used = {tool: _columns_of(roles) for tool, roles in taken.items()}
    largest = {
        tool: roles
        for tool, roles in taken.items()
        if not any(used[tool] < other for other in used.values())
    }
    if len(largest) != 1 or len({_kind(roles) for roles in taken.values()}) != 1:
        return None
    ((tool, roles),) = largest.items()
    if _contradicted(roles, said, {*names}):
        return None
    if "response" in roles and not _all_numbers(table, used[tool]):
        return None
    return tool, roles


def _roles_in(line: Convention, columns: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the roles of columns, None where one of the header is not there."""
    roles: dict[str, Any] = {}
    for role, name in line.roles.items():
        if name is True:
            roles[role] = True
        elif name.endswith(NUMBERED):
            numbered = _numbered(name.removesuffix(NUMBERED), columns)
            if not numbered:
                return None
            roles[role] = numbered
        elif name in columns:
            roles[role] = columns[name]
        else:
            return None
    if not columns.keys() >= {*line.beside} or columns.keys() & {*line.without}:
        return None
    return {name: roles[name] for name in ROLES if name in roles}


def _numbered(start: str, columns: Mapping[str, str]) -> tuple[str, ...]:
    """Return rank1, rank2, ... where there are two or more, and no other number."""
    found = [name for name in columns if re.fullmatch(rf"{start}\d+", name)]
    expected = [f"{start}{number}" for number in range(1, len(found) + 1)]
    if len(found) < 2 or {*found} != {*expected}:
        return ()
    return tuple(columns[name] for name in expected)


def _columns_of(roles: Mapping[str, Any]) -> frozenset[str]:
    columns: set[str] = set()
    for role, value in roles.items():
        if ROLES[role].takes == "column":
            columns.add(value)
        elif ROLES[role].takes == "columns":
            columns.update(value)
    return frozenset(columns)


def _kind(roles: Mapping[str, Any]) -> str:
    (kind,) = {
        form.kind for form in FORMS if form.is_complete(roles) and {*roles} <= form.own
    }
    return kind


def _contradicted(
    roles: Mapping[str, Any], said: Mapping[str, object], names: set[str]
) -> bool:
    """Tell whether a column beside the header may change what its rows mean."""
    lists = _lists()["contradicts"]
    kind = _kind(roles)
    against = {*lists.get(kind, ())}
    if not said.keys() & {"weight", "count"}:
        against |= {*lists["amounts"]}
    if normalised(str(roles.get("item", ""))) == "item":
        against |= {*lists["item"]}
    used = {normalised(column) for column in _columns_of(roles)}
    return bool((against - used) & names)


def _wide(table: Table) -> dict[str, dict[str, Any]]:
    """Return the roles of a wide table: its first column is called exactly so."""
    first = table.columns[0]
    lists = _lists()["wide"]
    for role in ("item", "unit"):
        is_wide = first.casefold() in lists[role] and len(table.columns) > 2
        if is_wide and _all_numbers(table, {first}):
            return {f"wide, {first} first": {role: first, "wide": True}}
    return {}


def _all_numbers(table: Table, but: set[str] | frozenset[str]) -> bool:
    """Tell whether all other columns hold numbers, and none of them is all blank."""
    others = [name for name in table.columns if name not in but]
    if not others or not table.types:
        return False
    for kind, names, cells in stacked(table, others, source="data as held", row="0"):
        query = (
            f"select place from ({cells}) group by place having not "
            f"bool_or({is_no_number('cell', kind)}) and not bool_and({is_blank('cell', kind)})"
        )
        if len(table.con.execute(query).fetchall()) < len(names):
            return False
    return True
