"""The examples of a documentation page: what they are, running them, and writing their output anew.

A page is Markdown. Its blocks fenced as ``python`` run top to bottom in one namespace, in an empty
folder. A block fenced as ``text`` right after one is what it prints; a last expression prints its
value, as at a prompt. Blocks fenced as ``console`` hold commands after ``$`` and what they print, where
a line ``...`` stands for any lines.

Run as a script with page names to write the shown output anew:
``python tests/docs/page_examples.py docs/index.md``; without any, all pages and README.md, whose
examples find a bundled file in their folder.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FENCE = re.compile(
    r"^```(python|text|console)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Example:
    """A block to run, and what the page says that it prints (None where the page says nothing)."""

    language: str
    code: str
    shown: str | None
    line: int
    shown_span: tuple[int, int] | None
    """Where in the page the shown output stands."""


def examples_of(text: str) -> list[Example]:
    """Return the blocks of a page that are to be run.

    Examples
    --------
    >>> page = "```python\\n1 + 1\\n```\\n\\n```text\\n2\\n```\\n"
    >>> [(block.code, block.shown) for block in examples_of(page)]
    [('1 + 1\\n', '2\\n')]
    """
    blocks = list(FENCE.finditer(text))
    found = []
    for number, block in enumerate(blocks):
        line = text.count("\n", 0, block.start()) + 1
        if block[1] == "console":
            found.append(Example("console", block[2], block[2], line, block.span(2)))
        if block[1] != "python":
            continue
        after = blocks[number + 1] if number + 1 < len(blocks) else None
        follows = (
            after is not None
            and after[1] == "text"
            and not text[block.end() : after.start()].strip()
        )
        shown = after[2] if after is not None and follows else None
        span = after.span(2) if after is not None and follows else None
        found.append(Example("python", block[2], shown, line, span))
    return found


def run_python(code: str, namespace: dict[str, object], name: str) -> str:
    """Run a block and return what it prints; a last expression prints its value."""
    tree = ast.parse(code, filename=name)
    last = (
        tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    )
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), namespace)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
            if value is not None:
                print(repr(value))
    return printed.getvalue()


def run_console(block: str, folder: Path) -> str:
    """Run the commands of a console block and return the block as it should read."""
    said = []
    for line in block.splitlines():
        if line.startswith("$ "):
            said += [line, *_run_command(line[2:], folder).rstrip("\n").splitlines()]
    return "\n".join(said) + "\n"


def _run_command(command: str, folder: Path) -> str:
    """Run a command as a terminal of 86 columns without colours would; ours without a new process."""
    words = shlex.split(command, comments=True)
    settings = {"COLUMNS": "86", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    if words[0] == "steadyrank":
        code, stdout, stderr = _run_ours(words[1:], folder, settings)
    else:
        done = subprocess.run(
            words,
            cwd=folder,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        code, stdout, stderr = done.returncode, done.stdout, done.stderr
    if code not in {0, 1}:
        raise RuntimeError(f"{command} ended with {code}: {stdout}{stderr}")
    return "\n".join(line.rstrip() for line in stdout.splitlines()) + f"\n{stderr}"


def _run_ours(
    words: list[str], folder: Path, settings: dict[str, str]
) -> tuple[int, str, str]:
    from steadyrank.cli import main

    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    with (
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, settings),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        code = main(words)
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return int(code), texts[0], texts[1]


def alike(shown: str, printed: str) -> bool:
    """Tell whether shown output is that printed; a line ``...`` stands for any lines.

    Examples
    --------
    >>> alike("a\\n...\\nd\\n", "a\\nb\\nc\\nd\\n"), alike("a\\n", "b\\n")
    (True, False)
    """
    parts = re.split(r"^\.\.\.\n", shown.rstrip() + "\n", flags=re.MULTILINE)
    pattern = r"(?:.*\n)*?".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, printed.rstrip() + "\n") is not None


def elided(printed: str, shown: str) -> str:
    """Return fresh output with lines ``...`` where the shown one has them.

    An elision begins after the line that it followed or, where that has changed, at the same place; it
    ends before the line that followed it, or before what has come in its place.

    Examples
    --------
    >>> elided("a 2\\nb\\nc\\nd\\n", "a 1\\nb\\n...\\n")
    'a 2\\nb\\n...\\n'
    >>> elided("a\\nb 2\\nc\\nd\\ne\\n", "a\\nb 1\\n...\\ne\\n")
    'a\\nb 2\\n...\\ne\\n'
    >>> elided("a\\nb\\nthree must go\\nd\\n", "a\\n...\\nthree must leave\\nd\\n")
    'a\\n...\\nthree must go\\nd\\n'
    >>> elided("a\\nb\\nsomething else\\nd\\n", "a\\n...\\n123 456\\nd\\n")
    'a\\n...\\nsomething else\\nd\\n'
    """
    lines, old = printed.rstrip().splitlines(), shown.rstrip().splitlines()
    start = 0
    for place, line in enumerate(old):
        if line == "...":
            before = old[place - 1]
            first = lines.index(before, start) + 1 if before in lines[start:] else place
            lines[first : _end(lines, first, old[place + 1 :])] = ["..."]
            start = first + 1
    return "\n".join(lines) + "\n"


def _end(lines: list[str], first: int, after: list[str]) -> int:
    """Return where an elision ends that was followed by certain lines."""
    if not after:
        return len(lines)
    if after[0] in lines[first:]:
        return lines.index(after[0], first)
    alike_line = difflib.get_close_matches(after[0], lines[first:], n=1, cutoff=0.6)
    if alike_line:
        return lines.index(alike_line[0], first)
    for steps, line in enumerate(after[1:], start=1):
        if line.strip() and line in lines[first:]:
            return max(first, lines.index(line, first) - steps)
    return len(lines)


def run_page(path: Path, folder: Path) -> list[tuple[Example, str]]:
    """Run all blocks of a page in a folder, and return each with what it printed."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    done = []
    if path.name == "README.md":
        shutil.copy(ROOT / "src" / "steadyrank" / "demo" / "restaurants.csv", folder)
    with contextlib.chdir(folder):
        for block in examples_of(path.read_text(encoding="utf-8")):
            where = f"{path.relative_to(ROOT)}:{block.line}"
            if block.language == "python":
                done.append((block, run_python(block.code, namespace, where)))
            else:
                done.append((block, run_console(block.code, folder)))
    return done


def refresh(path: Path) -> bool:
    """Write the output of a page's blocks anew, and tell whether anything changed."""
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        done = run_page(path, Path(folder))
    fresh = text
    for block, printed in reversed(done):
        if (
            block.shown_span is not None
            and block.shown is not None
            and not alike(block.shown, printed)
        ):
            start, end = block.shown_span
            fresh = fresh[:start] + elided(printed, block.shown) + fresh[end:]
    path.write_text(fresh, encoding="utf-8")
    return fresh != text


if __name__ == "__main__":
    every = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    for page in [Path(name).resolve() for name in sys.argv[1:]] or every:
        print("changed" if refresh(page) else "as shown", page.relative_to(ROOT))
