"""Names from strangers in Markdown: text in a cell and in a block, and nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from steadyrank import Study, Votes
from steadyrank.report.markdown import code, to_markdown
from steadyrank.report.text import plain_text
from steadyrank.text import LONGEST, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from markdown_it.token import Token

    Cases = Callable[[int], Iterator[np.random.Generator]]

PARTS = [
    "|", "\\", "\\|", "`", "``", "```", "~~~", "*", "_", "~", "[", "]", "(", ")", "!", "#", "##[", "<",
    ">", "&", "&#64;", "&amp;", ":", "::", " ::error::", "##[add-mask]", "@octocat", "@org/team", "#12",
    "owner/repo#3", "https://example.org", "www.example.org", "a@example.org", "<script>", "<!--", "-->",
    "<details>", "</details>", "[x](https://example.org)", "![x](y)", "$x$", ":smile:", "\n", "\r\n",
    "\n\n", "\t", "- ", "> ", "---", "===",
    "    ", " ", "\u2028", "\u202e", "\xa0", "é", "漢", "👩", "a", "b", "1", "'", '"', "=", "-", "+",
]  # fmt: skip
OURS = re.compile(r"[A-Za-z0-9 :,.=_+–≥%-]*|[<>][0-9.]+%")
"""What may stand outside of code: our own words and numbers."""


def drawn_name(rng: np.random.Generator) -> str:
    """Return a name that is short enough to be shown whole."""
    drawn = "".join(
        PARTS[int(part)]
        for part in rng.integers(len(PARTS), size=int(rng.integers(1, 7)))
    )
    if len(drawn.encode()) > LONGEST // 3:
        return drawn_name(rng)
    return drawn if drawn.strip() else f"{drawn}x{drawn}"  # a blank name is refused


def parsed(text: str) -> list[Token]:
    """Return all tokens, those inside of lines, too, by a parser that shares no code with ours."""
    found = (
        MarkdownIt("commonmark", {"html": True})
        .enable(["table", "strikethrough"])
        .parse(text)
    )
    return [token for block in found for token in (block, *(block.children or ()))]


def violations(text: str) -> list[str]:
    """Return all that is more than headings, paragraphs, tables, and code."""
    blocks = r"(heading|paragraph|table|thead|tbody|tr|th|td)_(open|close)|fence|inline"
    tokens = parsed(text)
    strange = [
        one.type
        for one in tokens
        if not re.fullmatch(f"{blocks}|text|code_inline", one.type)
    ]
    outside = [token.content for token in tokens if token.type == "text"]
    commands = [
        line for line in text.split("\n") if re.match(r"\s*::", line) or "##[" in line
    ]
    lines = [line for line in text.split("\n") if len(line.splitlines()) > 1]
    return (
        strange
        + [words for words in outside if not OURS.fullmatch(words)]
        + commands
        + lines
    )


def as_written(name: str) -> str:
    """Return what a reader sees of a name that is short."""
    return shown(name).replace("##[", "\\x23#[")


def test_no_name_is_more_than_text(cases: Cases) -> None:
    for rng in cases(60):
        names = list(dict.fromkeys(drawn_name(rng) for _ in range(4)))
        votes = Votes(
            [name for turn, name in enumerate(names) for _ in range(5 - turn // 2)]
        )
        study = Study(votes)
        k = int(rng.integers(1, len(names) + 1))
        for found in (study.check(k), study.topk(k), study.margin(k)):
            document = found.findings(source=drawn_name(rng))
            text = to_markdown(document)
            assert violations(text) == []
            tokens = parsed(text)
            [block] = [token.content for token in tokens if token.type == "fence"]
            assert re.sub(r"\\x3a|\\x23", "", block) == re.sub(
                r"(?m)^(\s*):(?=:)|#(?=#\[)", r"\1", re.sub(r"\\x3a|\\x23", "", plain_text(document))
            ).rstrip() + "\n"  # fmt: skip
            if "rows" in document:
                cells = [
                    token.content for token in tokens if token.type == "code_inline"
                ]
                for row in document["rows"]:
                    assert as_written(row["item"]).strip() in [
                        cell.strip() for cell in cells
                    ]


def test_a_code_span_holds_a_name_and_ends_where_it_should(cases: Cases) -> None:
    for rng in cases(600):
        name, after = drawn_name(rng), "after"
        line = f"{code(name)} {after}"
        [inline] = [token for token in parsed(line) if token.type == "inline"]
        first, rest = inline.children or ()
        assert (first.type, rest.content) == ("code_inline", f" {after}")
        if shown(name).strip(" "):
            assert first.content == shown(name)


def cells_of(row: str) -> list[str]:
    """Return the cells of a row, by GitHub's rule: a bar ends one unless a backslash is before it."""
    return [
        cell.strip(" ").replace("\\|", "|")
        for cell in re.split(r"(?<!\\)\|", row)[1:-1]
    ]


def test_a_cell_holds_a_name_with_bars_and_backslashes_as_it_is(cases: Cases) -> None:
    parts = ["|", "\\", "||", "\\|", "\\\\|", "|\\", "`", "a", " "]
    for rng in cases(100):
        drawn = ("".join(rng.choice(parts, 5)) for _ in range(3))
        names = list(dict.fromkeys(name if name.strip() else "x" for name in drawn))
        text = to_markdown(Study(Votes([*names, "b"])).topk(1).findings())
        rows = [line for line in text.split("\n") if line.startswith("| ")][2:]
        assert len({len(cells_of(row)) for row in rows}) == 1
        items = [token.content for token in parsed(text) if token.type == "code_inline"]
        assert sorted(items) == sorted([*names, "b"])
        assert sorted(cells_of(row)[1] for row in rows) == sorted(
            map(code, [*names, "b"])
        )


@pytest.mark.parametrize(
    "planted",
    [
        "| a | <b> |\n| --- | --- |\n| 1 | 2 |",
        "hello @octocat",
        "[x](https://example.org)",
        "```text\n::error::x\n```",
        "`##[group]`",
        "- a list",
        "*x*",
        "see #12",
        "www.example.org/x",
    ],
)
def test_a_planted_violation_is_seen(planted: str) -> None:
    assert violations(planted)


@pytest.mark.parametrize("alone", ["```", "`````", "::error::x", "##[error]x"])
def test_no_name_ends_the_block_or_gives_a_command_from_a_line_of_its_own(
    alone: str,
) -> None:
    long = f"{'x' * 79} {alone} {'y' * 79}"
    found = Study(Votes(["ann"] * 3 + ["bob"] * 2 + [long] * 2)).check(2).findings()
    assert any(line.strip() == alone for line in plain_text(found).splitlines())
    assert violations(to_markdown(found)) == []
