"""Files in the layouts of evaluation tools are read as the scores that they were made of."""

from __future__ import annotations

import gzip
import io
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from data.layouts.made import MAKERS, alpaca, arena, arguments_in, as_json, scores_of
from steadyrank import Study, read_any
from steadyrank.cli import main
from steadyrank.data import Battles, ScoreMatrix
from steadyrank.errors import InvalidDataError, UnreadableFileError
from steadyrank.reading.formats import FORMATS, read_table

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", MAKERS)
def test_a_layout_is_read_as_it_was_made(
    name: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    made = MAKERS[name](rng)
    path = made.write(tmp_path)
    table = read_table(path, given=arguments_in(made, tmp_path))
    assert table.format == made.format
    data = read_any(path, **arguments_in(made, tmp_path))
    assert isinstance(data, ScoreMatrix)
    found = scores_of(data)
    assert found.keys() == made.scores.keys()
    for row, scores in made.scores.items():
        assert found[row] == pytest.approx(scores)
    # The best by plain addition is ahead, too.
    sums = Counter[str]()
    for scores in made.scores.values():
        sums.update(scores)
    best = {
        item
        for item, total in sums.items()
        if total == pytest.approx(max(sums.values()))
    }
    assert data.items[int(np.argmax(Study(data).scores))] in best
    if made.tasks:
        grouped = read_any(path, unit="task", **arguments_in(made, tmp_path))
        assert ("task", len(set(made.tasks.values()))) in data.unit_candidates
        assert grouped.n_units == len(set(made.tasks.values()))
        for row, unit in zip(grouped.row_labels, grouped.unit.tolist(), strict=True):
            assert grouped.units.labels[unit] == made.tasks[row]


@pytest.mark.parametrize("name", MAKERS)
def test_the_command_line_reads_it_too(
    name: str,
    tmp_path: Path,
    rng: np.random.Generator,
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = MAKERS[name](rng)
    path = made.write(tmp_path)
    said = [
        f"--{option}={value}" for option, value in arguments_in(made, tmp_path).items()
    ]
    assert main(["inspect", str(path), "--json", *said]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["kind"], found["format"], found["problem"]) == (
        "scores",
        made.format,
        None,
    )
    assert found["n_items"] == len(next(iter(made.scores.values())))
    assert main(["topk", str(path), "-k", "1", *said]) == 0


def test_every_format_of_a_tool_has_a_layout() -> None:
    made = {MAKERS[name](np.random.default_rng(0)).format for name in MAKERS}
    assert made | {"alpaca-eval", "dominion"} >= {
        name for name, found in FORMATS.items() if found.among_others
    }


def test_every_format_is_documented() -> None:
    assert all(f'"{name}"' in (read_any.__doc__ or "") for name in FORMATS)


def as_sides(data: Any) -> list[tuple[str, str, str]]:
    words = {1: "left", 0: "tie", -1: "right"}
    rows = zip(data.left, data.right, data.outcome, strict=True)
    return [
        (data.items[left], data.items[right], words[int(result)])
        for left, right, result in rows
    ]


class TestArena:
    def test_an_array_is_battles_without_any_option(
        self, rng: np.random.Generator
    ) -> None:
        content, battles = arena(rng)
        data = read_any(io.BytesIO(content))
        assert isinstance(data, Battles)
        assert as_sides(data) == battles
        assert ("judge", 7) in data.unit_candidates
        assert read_any(io.BytesIO(content), unit="judge").n_units == 7

    def test_one_line_gzip_and_json_lines_are_the_same(
        self, rng: np.random.Generator
    ) -> None:
        content, battles = arena(rng)
        rows = json.loads(content)
        lines = b"".join(as_json(row, None) + b"\n" for row in rows)
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        for same in (
            as_json(rows, None),
            gzip.compress(content),
            lines,
            as_json(columns),
            b"\xef\xbb\xbf" + content,
        ):
            assert as_sides(read_any(io.BytesIO(same))) == battles
        assert (
            as_sides(
                read_any(
                    io.BytesIO(content.decode().encode("utf-16")), encoding="utf-16"
                )
            )
            == battles
        )

    def test_errors_give_the_index(self, rng: np.random.Generator) -> None:
        rows = json.loads(arena(rng)[0])
        rows[3]["winner"] = "model_c"
        with pytest.raises(
            InvalidDataError,
            match=r"'model_c' in column 'winner', at index 3 of the stream",
        ):
            read_any(io.BytesIO(as_json(rows)))

    def test_several_files_are_one(
        self,
        tmp_path: Path,
        rng: np.random.Generator,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        content, battles = arena(rng)
        rows = json.loads(content)
        (tmp_path / "b.json").write_bytes(as_json(rows[10:]))
        (tmp_path / "a.json").write_bytes(as_json(rows[:10]))
        (tmp_path / ".hidden").write_bytes(b"\0")
        assert as_sides(read_any(tmp_path)) == battles
        assert (
            as_sides(read_any([tmp_path / "a.json", str(tmp_path / "b.json")]))
            == battles
        )
        assert main(["inspect", f"{tmp_path}/*.json", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["rows"], found["n_units"], found["format"]) == (30, 30, "json")
        rows[12]["winner"] = 7
        (tmp_path / "b.json").write_bytes(as_json(rows[10:]))
        with pytest.raises(InvalidDataError, match=r"at index 2 \(b.json\)"):
            read_any(tmp_path)


class TestAlpaca:
    def test_preferences_are_battles(
        self, tmp_path: Path, rng: np.random.Generator
    ) -> None:
        content, battles = alpaca(rng)
        (tmp_path / "annotations.json").write_bytes(content)
        (tmp_path / "leaderboard.csv").write_bytes(b"name,win_rate\nx,50\n")
        for source in (tmp_path, tmp_path / "annotations.json"):
            data = read_any(source)
            assert as_sides(data) == battles
            assert "1 annotation without a preference left out" in data.notes
            assert [name for name, _ in data.unit_candidates] == ["instruction"]

    @pytest.mark.parametrize("wrong", [3, -1, 0.5, True, "1", [1], {}, 10**400])
    def test_other_preferences_are_refused(
        self, wrong: Any, rng: np.random.Generator
    ) -> None:
        rows = json.loads(alpaca(rng)[0])
        rows[4]["preference"] = wrong
        with pytest.raises(
            UnreadableFileError,
            match=r"instead of a preference .* at \[4\]\.preference",
        ):
            read_any(io.BytesIO(as_json(rows)))
