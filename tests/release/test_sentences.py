"""The list of sentences for proof-reading is what the program has now, and no sentence is outside it."""

from __future__ import annotations

import ast
import importlib.util
import re

from release.repository import ROOT

LIST = ROOT / "tests" / "release" / "recorded" / "sentences.txt"
SOURCE = ROOT / "src" / "steadyrank"


def texts_of(path) -> set[str]:
    """Return every part of a literal that no statement of its own holds: docstrings are not printed."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    held = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in alone
    )
    return {
        " ".join(node.value.split()) for node in held if isinstance(node.value, str)
    }


def test_the_list_is_what_the_script_makes_now():
    spec = importlib.util.spec_from_file_location(
        "sentences", ROOT / "scripts" / "sentences.py"
    )
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.listed() == LIST.read_text(encoding="utf-8"), (
        "run: python scripts/sentences.py"
    )


def test_no_sentence_of_a_module_is_outside_the_list():
    known = LIST.read_text(encoding="utf-8")
    for path in SOURCE.rglob("*.py"):
        ended = [
            text
            for text in texts_of(path)
            if " " in text and re.search(r"[a-z]{2}[^.]*\.$", text)
        ]
        assert [text for text in ended if text not in known] == [], path


def test_no_text_between_tags_of_a_page_is_outside_the_list():
    known = LIST.read_text(encoding="utf-8")
    for path in SOURCE.rglob("*.html"):
        for text in re.findall(r">([^<>]*)<", path.read_text(encoding="utf-8")):
            words = " ".join(re.sub(r"@@\w+@@", "{...}", text).split())
            assert " " not in words or words in known, words


def test_old_words_are_gone():
    """One word for one thing: units are removed, and items take some to flip."""
    known = LIST.read_text(encoding="utf-8")
    for old in (
        "must leave",
        "may leave",
        "{...} away",
        "list made anew",
        "a fault",
        "stays at home",
    ):
        assert old not in known
