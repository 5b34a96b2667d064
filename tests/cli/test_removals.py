"""What ``topk`` is to withstand, on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steadyrank import Study, read_any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_removals(run: Callable[..., object], tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("choice,count\nann,9\nbob,6\ncyd,3\n", encoding="utf-8")
    study = Study(read_any(file))
    listed = run("topk", file, "-k", 1, "--removals", 4, "--json").json
    assert (listed["eps"], listed["size"]) == (None, len(study.topk(1, removals=4)))
    assert listed["certificate"]["status"] == "proved"
    refused = run("topk", file, "-k", 1, "--removals", 18)
    assert refused.code == 2
    assert "whole number from 1 to 17" in refused.err
    given = run("topk", file, "-k", 1, "--removals", 4, "--delta", 0.1)
    assert given.code == 2
    assert "Omit them, or use --removals 1" in given.err
