"""The table of column roles in docs/data.md, printed from the declarations of the kinds."""

from __future__ import annotations

import sys

from steadyrank.data.kinds import KINDS

SHOWN = 9


def table() -> list[str]:
    """Return the lines of the table; a test compares them with the page."""
    lines = [
        "| kind | argument | what the column holds | known names, best first |",
        "|---|---|---|---|",
    ]
    for kind, known in sorted(KINDS.items()):
        for argument, role in known.kind.roles.items():
            names = ", ".join(role.names[:SHOWN]) + (", ..." if len(role.names) > SHOWN else "")
            names = names or "only if named"
            lines.append(f"| {kind} | `{argument}` | {role.means} | {names} |")
    return lines


if __name__ == "__main__":
    sys.stdout.write("\n".join(table()) + "\n")
