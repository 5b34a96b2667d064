"""The draws of the authors' script: on a small folder, against a slow way that shares no code."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np
import pytest

from oracles import projection
from paper.__main__ import main
from paper.movie_lists import netflix_experiment
from paper.sources import ScriptSource
from steadyrank.errors import InvalidValueError

if TYPE_CHECKING:
    from pathlib import Path

FILES = ("combined_data_2.txt", "combined_data_1.txt")  # not the order of their names
USERS, TRIALS, KS, EPS = 12, 2, (2, 5), 0.1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files; users come in any order, and the second file has users that the first one lacks."""
    rng = np.random.default_rng(8)
    for part, name in enumerate(sorted(FILES)):
        lines = []
        for movie in range(10 * part + 1, 10 * part + 11):
            lines.append(f"{movie}:")
            raters = rng.choice(
                np.arange(1, 50) + 25 * part, int(rng.integers(1, 12)), replace=False
            )
            lines += [
                f"{user * 7 % 101 + 1},{rng.integers(1, 6)},2005-09-06"
                for user in raters
            ]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="ascii")
    return tmp_path


def slowly(
    folder: Path, files: tuple[str, ...]
) -> dict[tuple[int, str], list[tuple[float, float, int]]]:
    """Delta, Jaccard and size of each trial, from the lines of the files and dictionaries alone."""
    ratings: dict[int, dict[int, int]] = {}
    for name in files:
        movie = 0
        for line in (folder / name).read_text().split():
            if line.endswith(":"):
                movie = int(line[:-1])
            else:
                user, stars, _ = line.split(",")
                ratings.setdefault(int(user), {})[movie] = int(stars)
    users = np.array(list(ratings))  # dictionaries keep the order of first appearance
    generator = np.random.default_rng(124)
    found = defaultdict(list)
    for _ in range(TRIALS):
        drawn = generator.choice(users, size=USERS, replace=False).tolist()
        movies = sorted({movie for user in drawn for movie in ratings[user]})

        def answers(
            kept: list[int], drawn_movies: list[int]
        ) -> dict[tuple[int, str], set[int]]:
            scores = {}
            for movie in drawn_movies:
                stars = [
                    ratings[user][movie] for user in kept if movie in ratings[user]
                ]
                scores[movie] = sum(stars) / (1 + len(stars))
            order = sorted(drawn_movies, key=lambda movie: (-scores[movie], movie))
            values = [scores[movie] for movie in drawn_movies]
            return {
                **{(k, "top-k"): set(order[:k]) for k in KS},
                **{
                    (k, "inflated top-k"): {
                        drawn_movies[place]
                        for place in projection.inflated_topk(values, k, EPS)
                    }
                    for k in KS
                },
            }

        full = answers(drawn, movies)
        pairs = [
            (key, full[key], without[key])
            for left in drawn
            for without in [answers([user for user in drawn if user != left], movies)]
            for key in full
        ]
        for key, size in ((key, len(full[key])) for key in full):
            mine = [(one & two, one | two) for name, one, two in pairs if name == key]
            broken = np.mean([len(common) < key[0] for common, _ in mine])
            alike = np.mean([len(common) / len(either) for common, either in mine])
            found[key].append((float(broken), float(alike), size))
    return found


@pytest.mark.parametrize("files", [FILES, FILES[::-1]])
def test_trials_are_those_of_the_script(folder: Path, files: tuple[str, ...]) -> None:
    source = ScriptSource.read(folder, files)
    result = netflix_experiment(source, trials=TRIALS, users=USERS, ks=KS, eps=EPS)
    expected = slowly(folder, files)
    for k in KS:
        for method, summary in result.methods[k].items():
            deltas, similarities, sizes = zip(*expected[k, method], strict=True)
            assert summary.deltas.tolist() == pytest.approx(list(deltas))
            assert summary.jaccard == pytest.approx(np.mean(similarities))
            assert summary.se_jaccard == pytest.approx(
                np.std(similarities) / np.sqrt(TRIALS)
            )
            assert (summary.size, summary.se_size) == pytest.approx(
                (np.mean(sizes), np.std(sizes) / np.sqrt(TRIALS))
            )


def test_the_order_of_the_files_matters_and_must_name_them_all(folder: Path) -> None:
    one, other = (
        ScriptSource.read(folder, files).trial(0, n=USERS)
        for files in (FILES, FILES[::-1])
    )
    assert list(one.user_labels) != list(other.user_labels)
    by_name = ScriptSource.read(folder, ()).trial(0, n=USERS)
    assert list(by_name.user_labels) == list(other.user_labels)
    with pytest.raises(InvalidValueError, match="the order given is combined_data_1"):
        ScriptSource.read(folder, FILES[1:])
    with pytest.raises(InvalidValueError, match="from 1 to"):
        ScriptSource.read(folder, ()).trial(0, n=1000)


def test_the_command_takes_the_draws_of_the_script(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for part, name in enumerate(sorted(FILES)):
        lines = [
            f"{part + 1}:",
            *(f"{user},{user % 5 + 1},2005-09-06" for user in range(1, 1006)),
        ]
        lines += [
            f"{movie}:\n{movie},5,2005-09-06"
            for movie in range(100 + 60 * part, 160 + 60 * part)
        ]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="ascii")
    arguments = [
        "netflix",
        "--data",
        str(tmp_path),
        "--draws",
        "script",
        "--files",
        ",".join(FILES),
    ]
    assert main([*arguments, "--trials", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["seed"] == 124
