"""From the options of the command line to a study: the only place that reads files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.cli.output import working
from steadyrank.cli.parser import unknown
from steadyrank.data.read import read
from steadyrank.errors import FileNotThereError, InvalidSettingError, listing
from steadyrank.study.study import Study

if TYPE_CHECKING:
    from argparse import Namespace

STANDARD_INPUT = "-"


def open_study(asked: Namespace, file: str) -> Any:
    """Read a file and return a study of it, or with ``--split`` one of each value."""
    source = standard_input() if file == STANDARD_INPUT else file
    with working("Reading", quiet=asked.quiet):
        if asked.split is not None:
            from steadyrank.study.split import Split

            how = {"min_count": asked.min_count, **asked.said}
            return Split(source, asked.split, asked.scorer, **how)
        data = read(source, **asked.said)
    if asked.min_count is not None:
        data = data.with_min_count(asked.min_count)
    return Study(data, asked.scorer)


def standard_input() -> Any:
    """Return standard input as bytes."""
    if sys.stdin is None:
        raise FileNotThereError(
            "standard input is closed", way_out="Give a path, or open it."
        )
    return sys.stdin.buffer


def check_sources(old: str, new: str) -> None:
    """Complain if two versions are to be read from one stream."""
    if old == new == STANDARD_INPUT:
        raise InvalidSettingError(
            "OLD and NEW cannot both be standard input, which holds only one of them",
            way_out="Give the other as a file.",
        )


def source_name(file: str) -> str:
    """Return what documents call a file: its name, without its folder."""
    return Path(file).name or file


def item_named(study: Study, text: str) -> object:
    """Return the item of a name, whatever type its label has."""
    items = {str(item): item for item in study.items}
    if text not in items:
        raise unknown("item", text, items, f"The items are {listing(items)}")
    return items[text]
