"""Check that a release says one thing: the tag, the version, the changelog and the citation agree.

Run from anywhere: ``python scripts/release_check.py v0.2.0``. Ends with 1 if something disagrees.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def version_of(root: Path = ROOT) -> str:
    """Return the version of the package, from its one home."""
    text = (root / "src" / "steadyrank" / "__init__.py").read_text(encoding="utf-8")
    return _only(r'^__version__ = "([^"]+)"$', text)


def disagreements(tag: str, root: Path = ROOT) -> list[str]:
    """Return what does not agree with the version, each as a sentence."""
    version = version_of(root)
    found = []
    if tag != f"v{version}":
        found.append(
            f"The tag is {tag!r}; for the version {version!r} it should be 'v{version}'."
        )
    heading = _first(r"^## (.+)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"))
    if not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d{{2}}-\d{{2}}\)", heading):
        found.append(
            f"CHANGELOG.md begins with {heading!r}, not with '{version} (YYYY-MM-DD)', its day."
        )
    cited = _only(
        r"^version: (\S+)$", (root / "CITATION.cff").read_text(encoding="utf-8")
    )
    if cited != version:
        found.append(f"CITATION.cff has the version {cited!r}, not {version!r}.")
    return found


def _first(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    return "nothing" if match is None else match[1]


def _only(pattern: str, text: str) -> str:
    """Return the one match; of two homes of a fact, one is wrong sooner or later."""
    found = re.findall(pattern, text, re.MULTILINE)
    if len(found) != 1:
        sys.exit(f"expected one line like {pattern}, found {len(found)}")
    return str(found[0])


def main(arguments: list[str]) -> int:
    """Check one tag."""
    if len(arguments) != 1:
        sys.stderr.write("Give one tag, such as v0.2.0.\n")
        return 2
    found = disagreements(arguments[0])
    sys.stderr.writelines(f"{one}\n" for one in found)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
