"""Confidence for scores with standard errors and for units: published figures, refusals, views."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from typer.testing import CliRunner

from steadyrank import Estimates, Ratings, ScoreMatrix, Study, Votes, read_any
from steadyrank.cli.app import COMMANDS, make_app
from steadyrank.errors import (
    InvalidDataError,
    InvalidScoresError,
    InvalidValueError,
    NotRecognisedError,
    TooFewUnitsError,
    TooLargeError,
    UndefinedScoresError,
)
from steadyrank.progress import listening
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import plain_text

if TYPE_CHECKING:
    from collections.abc import Callable

PISA = Path(__file__).with_name("pisa2018_math.csv")
"""Mean scores in mathematics and their standard errors, 38 countries: OECD, PISA 2018 results."""

TOP_5 = ["Belgium", "Canada", "Denmark", "Estonia", "Finland", "Japan", "Korea"]
TOP_5 += ["Netherlands", "Poland", "Slovenia", "Switzerland"]


def test_pisa_as_published() -> None:
    """The figures of csranks' own example: marginal 95 % for one country, the five best at 90 %."""
    found = Study(PISA).confidence()
    place = found.items.index("United Kingdom")
    assert 1 + int((found.scores > found.scores[place]).sum()) == 13
    assert [int(ends[place]) for ends in found.marginal] == [8, 23]
    assert sorted(Study(PISA).confidence(0.9).top(5)) == TOP_5
    for seed in range(3):
        more = set(Study(PISA).confidence(0.95, seed=seed).top(5)) - {"United Kingdom"}
        assert more == {*TOP_5, "Sweden"}  # the United Kingdom is in or out by the draw


def test_the_fixture_is_the_shared_file(shared_data: Path) -> None:
    assert (
        PISA.read_text() == (shared_data / "scores" / "pisa2018_math.csv").read_text()
    )


def test_errors_and_their_covariance_say_the_same() -> None:
    one = Study(Estimates([3.0, 1.0, 0.0], errors=[0.5, 1.0, 0.2])).confidence()
    other = Study(
        Estimates([3.0, 1.0, 0.0], covariance=np.diag([0.25, 1.0, 0.04]))
    ).confidence()
    assert np.array_equal(one.simultaneous, other.simultaneous)
    assert np.allclose(
        one.score_intervals[0], [3 - 1.959964 * 0.5, 1 - 1.959964, -1.959964 * 0.2]
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda study: study.topk(2),
        lambda study: study.topk(2, eps=0.1),
        lambda study: study.topk(2, proved=True),
        lambda study: study.topk(2, removals=2),
        lambda study: study.ranking(),
        lambda study: study.ranking(eps=0.1),
        lambda study: study.audit(2),
        lambda study: study.margin(2),
        lambda study: study.margin(),
        lambda study: study.explain(2),
        lambda study: study.curve(2),
        lambda study: study.flips(2),
        lambda study: study.check(2),
        lambda study: study.facts.shifts,
        lambda study: study.report("never.html", 2),
    ],
)
def test_estimates_refuse_every_question_about_stability(
    ask: Callable[[Study], Any],
) -> None:
    with pytest.raises(TooFewUnitsError, match="steadyrank confidence"):
        ask(Study(read_any(PISA)))


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"errors": [1, -1]}, InvalidDataError, "but there is -1, at index 1"),
        ({"errors": [1, 1e-200]}, InvalidDataError, "0 or from 1e-150"),
        ({"errors": [1, np.nan]}, InvalidDataError, "errors"),
        ({"errors": [1]}, InvalidScoresError, "errors has 1"),
        ({}, InvalidValueError, "either errors or a covariance"),
        (
            {"errors": [1, 1], "covariance": np.eye(2)},
            InvalidValueError,
            "either errors or a covariance",
        ),
        ({"covariance": np.eye(3)}, InvalidScoresError, "for 2 scores"),
        ({"covariance": [[1, 2], [2, 1]]}, InvalidValueError, "the lowest is -1"),
        (
            {"covariance": [[1, 0.5], [0, 1]]},
            InvalidValueError,
            "entries differ by 0.5",
        ),
    ],
)
def test_errors_that_are_none(
    given: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=re.escape(told)):
        Estimates([1.0, 2.0], **given)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"level": 0.5}, "a confidence must be between 0.5 and 1"),
        ({"level": 95}, "a confidence must be between 0.5 and 1, but is 95"),
        ({"draws": 39}, "draws must be a whole number from 40 on, but is 39"),
        ({"draws": 10.0}, "draws must be a whole number"),
        ({"seed": -1}, "seed must be a whole number from 0 on"),
    ],
)
def test_settings_that_are_refused(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidValueError, match=re.escape(told)):
        Study(Votes(["a", "b", "a"])).confidence(**asked)


def test_a_draw_without_scores_is_never_dropped() -> None:
    values = np.random.default_rng(0).normal(size=(12, 3))
    values[1:, 2] = np.nan  # one row alone has the third item
    matrix = ScoreMatrix(values, missing="available")
    lost = sum(
        np.random.default_rng([0, which]).multinomial(12, np.full(12, 1 / 12))[0] == 0
        for which in range(100)
    )
    with pytest.raises(
        InvalidValueError, match=f"{lost} of 100 resamples cannot be scored"
    ) as caught:
        Study(matrix).confidence(draws=100)
    assert UndefinedScoresError.__name__ in str(caught.value)
    assert str(caught.value).endswith("few observations by with_min_count(...).")


def test_one_unit_and_too_many_items_are_refused() -> None:
    with pytest.raises(
        TooFewUnitsError, match=r"only one unit \(a vote\), so every draw is the same"
    ) as caught:
        Study(Votes(["a"])).confidence()
    assert "error=..." in str(
        caught.value
    )  # a column of errors beside other numbers is not guessed
    with pytest.raises(TooLargeError, match="comparing all pairs of items"):
        Study(Ratings(["u", "v"] * 10_000, range(20_000), [1] * 20_000)).confidence()


@pytest.mark.parametrize(
    "data", [Votes(["a", "b", "a"]), Estimates([1, 2], errors=[1, 1])]
)
def test_draws_beyond_all_memory_are_refused(data: Any) -> None:
    told = r"100,000,000 draws of 2 scores would take 71\.5 GiB of memory\. Ask for fewer draws"
    with pytest.raises(TooLargeError, match=told):
        Study(data).confidence(draws=100_000_000)


def test_few_units_are_called_so() -> None:
    for number, few in ((49, True), (50, False)):
        found = Study(Votes(["a", "b"] * 20 + ["b"] * (number - 40))).confidence(
            draws=40
        )
        assert ("rest on few votes" in found.sentence) == few
    assert "few" not in Study(PISA).confidence(draws=40).sentence


def test_what_holds_one_by_one_is_called_so() -> None:
    """At each width."""
    found, seen = Study(PISA).confidence(draws=40).findings(), []
    for width in range(40, 81):
        text = plain_text(found, Terminal(width=width))
        head = next(
            line
            for line in text.splitlines()
            if line.endswith("  ranks, 95% confidence")
        )
        seen.append("interval" in head)
        assert "Interval: each item by itself, not all at once." in " ".join(
            text.split()
        )
    assert [seen[0], seen[-1]] == [False, True]


def test_draws_and_items_are_counted_aloud() -> None:
    heard: list[tuple[int, int, str]] = []
    with listening(lambda *far: heard.append(far)):
        Study(Votes(["ann", "bob", "cyd"] * 3)).confidence(draws=40).findings()
    assert heard == [(n, 40, "resamples") for n in range(1, 41)] + [
        (n, 3, "items") for n in (1, 2, 3)
    ]


def test_bars_of_stability_stand_beside_no_confidence() -> None:
    study = Study(Votes(["ann"] * 9 + ["bob"] * 8 + ["cyd"]))
    assert "●│" in plain_text(study.topk(1).findings(), Terminal(width=120))
    assert "│" not in plain_text(
        study.confidence(draws=40).findings(), Terminal(width=120)
    )


def test_the_best_few_are_named_in_full() -> None:
    found = Study(PISA).confidence(0.9).asking(5)
    assert all(name in found.top_sentence for name in TOP_5)


def test_a_file_is_taken_for_estimates_only_where_nothing_else_is_in_it(
    tmp_path: Path,
) -> None:
    def kind_of(text: str, **given: Any) -> str:
        path = tmp_path / "scores.csv"
        path.write_text(text)
        return read_any(path, **given).kind.name

    assert kind_of("model,acc,acc_stderr\nx,0.7,0.01\ny,0.6,0.02\n") == "estimates"
    assert (
        kind_of("org,model,score,Standard Error\no,x,0.7,0.01\no,y,0.6,0.02\n")
        == "estimates"
    )
    with pytest.raises(NotRecognisedError, match="kind='estimates'"):
        kind_of("model,mmlu,arc,arc_se\nx,0.7,0.2,0.1\ny,0.6,0.3,0.1\n")
    more = "model,mmlu,arc,arc_se\nx,0.7,0.2,0.1\ny,0.6,0.3,0.1\n"
    assert kind_of(more, error="arc_se", score="arc") == "estimates"


def test_a_wrong_error_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("model,score,se\nx,0.7,0.01\ny,0.6,-0.02\n")
    with pytest.raises(
        InvalidDataError, match=r"-0\.02 in column 'se', on line 3 of .*scores\.csv"
    ):
        read_any(path)


def test_some_items_alone() -> None:
    data = read_any(PISA)
    some = data.keeping(["Japan", "Korea", "Chile"])
    assert some.scores.tolist() == [
        data.scores[data.items.index(name)] for name in some.items
    ]
    assert [ends.tolist() for ends in Study(some).confidence().simultaneous] == [
        [3, 1, 1],
        [3, 2, 2],
    ]


def run(*arguments: object) -> str:
    found = CliRunner().invoke(
        make_app(COMMANDS), [str(one) for one in arguments], catch_exceptions=False
    )
    assert found.exit_code == 0, found.output
    return found.output


def test_the_command() -> None:
    text = run("confidence", PISA, "-k", 5, "--level", 0.9)
    assert text.index("Confidence: the ranks") < text.index(
        "Stability is another question"
    )
    assert "only these 11 items may truly be among the 5 best" in " ".join(text.split())
    document = json.loads(run("confidence", PISA, "-k", 5, "--level", 0.9, "--json"))
    assert (document["document"], document["n_units"], document["k"]) == (
        "confidence",
        0,
        5,
    )
    assert sorted(document["top"]) == TOP_5
    rows = run("confidence", PISA, "--csv").splitlines()
    assert len(rows) == 39
    assert rows[0].split(",")[-2:] == ["marginal_best", "marginal_worst"]


def test_inspect_offers_the_command_that_works() -> None:
    found = json.loads(run("inspect", PISA, "--json"))
    assert (found["kind"], found["n_units"], found["problem"]) == ("estimates", 0, None)
    assert found["command"].startswith("steadyrank confidence ")
    assert "--error math_se" in found["command"]


def test_a_notebook_shows_the_column() -> None:
    study = Study(Votes(["ann"] * 30 + ["bob"] * 20 + ["cyd"] * 19))
    assert "ranks, 95% confidence" in study.confidence(draws=40)._repr_html_()
