"""Write the table of column roles into docs/reference/columns.md, from the declarations of the kinds.

Run from anywhere: ``python scripts/roles_table.py``.
"""

from __future__ import annotations

from pages import DOCS, put

from steadyrank.data.kinds import KINDS

PAGE = DOCS / "reference" / "columns.md"
SHOWN = 4


def table() -> list[str]:
    """Return the lines of the table; a test compares them with the page."""
    roles: dict[tuple[str, str, str], list[str]] = {}
    for kind, known in sorted(KINDS.items()):
        for argument, role in known.roles.items():
            names = ", ".join(role.names[:SHOWN]) + (
                ", ..." if len(role.names) > SHOWN else ""
            )
            roles.setdefault(
                (argument, role.means, names or "only if named"), []
            ).append(kind)
    head = [
        "| argument | kinds | what the column holds | known names, best first |",
        "|---|---|---|---|",
    ]
    return [
        *head,
        *(
            f"| `{argument}` | {', '.join(kinds)} | {means} | {names} |"
            for (argument, means, names), kinds in roles.items()
        ),
    ]


if __name__ == "__main__":
    put("\n".join(table()), PAGE, "roles_table")
