"""Write the roles of columns and the known headers into docs/guides/reading.md.

Run from anywhere: ``python scripts/reading_tables.py``.
"""

from __future__ import annotations

import tomllib
from typing import Any

from pages import DOCS, ROOT, put

from steadyrank.errors import typed_name
from steadyrank.reading.roles import ROLES

PAGE = DOCS / "guides" / "reading.md"
CONVENTIONS = ROOT / "src" / "steadyrank" / "reading" / "conventions.toml"


def roles() -> list[str]:
    """Return a row for each role, as the help of the command line says it."""
    rows = [f"|`{typed_name(role.name)}`|{role.says}|" for role in ROLES.values()]
    return ["|role|what the column holds|", "|---|---|", *rows]


def headers() -> list[str]:
    """Return a row for each known tool, with its columns; a slash stands for *or*."""
    tools: dict[tuple[str, tuple[str, ...]], dict[str, list[str]]] = {}
    for header in tomllib.loads(CONVENTIONS.read_text(encoding="utf-8"))["headers"]:
        columns = _columns(header)
        known = tools.setdefault((header["tool"], tuple(columns)), {})
        for role, column in columns.items():
            known.setdefault(role, []).append(column)
    rows = [
        f"|{tool}|{_code(','.join(map(_choice, columns.values())))}|"
        for (tool, _), columns in tools.items()
    ]
    return ["|tool|columns|", "|---|---|", *rows]


def _columns(header: dict[str, Any]) -> dict[str, str]:
    flags = {"tool", "lower_is_better", "without", "beside"}
    columns = {role: name for role, name in header.items() if role not in flags}
    also = {f"beside {name}": name for name in header.get("beside", ())}
    return columns | also


def _choice(names: list[str]) -> str:
    return "/".join(dict.fromkeys(names))


def _code(text: str) -> str:
    return f"`{text}`"


def tables() -> str:
    """Return both tables; a test compares them with the page."""
    return "\n".join([*roles(), "", *headers()])


if __name__ == "__main__":
    put(tables(), PAGE, "reading_tables")
