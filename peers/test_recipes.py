"""The recipes of docs/guides/your-scorer.md run here, with the packages that they name.

``python peers/test_recipes.py`` writes the shown output anew.
"""

from __future__ import annotations

import re
from pathlib import Path

from docs.page_examples import run_python

PAGE = Path(__file__).resolve().parents[1] / "docs" / "guides" / "your-scorer.md"
BLOCK = re.compile(
    r"^```(py|python)\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL
)


def fresh(text: str) -> tuple[str, int]:
    """Return a page with the output that its blocks print now, and how many blocks show some."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    shown = 0

    def again(block: re.Match[str]) -> str:
        nonlocal shown
        printed = run_python(block[2], namespace, PAGE.name)
        shown += block[3] is not None
        return f"```{block[1]}\n{block[2]}```" + (
            "" if block[3] is None else f"\n\n```text\n{printed}```"
        )

    return BLOCK.sub(again, text), shown


def test_the_recipes_print_what_the_page_shows() -> None:
    text = PAGE.read_text(encoding="utf-8")
    now, shown = fresh(text)
    assert now == text
    assert shown == 8


if __name__ == "__main__":
    PAGE.write_text(fresh(PAGE.read_text(encoding="utf-8"))[0], encoding="utf-8")
