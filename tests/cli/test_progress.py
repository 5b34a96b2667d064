"""Long work says how far it is: counts and the time left, at the pace of a clock that is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyrank import ScoreMatrix
from steadyrank.cli.endings import say
from steadyrank.cli.output import EVERY, Pace, working
from steadyrank.progress import counting, listening
from steadyrank.scorers import Refit

if TYPE_CHECKING:
    import pytest
    from numpy.typing import NDArray


class Clock:
    """A clock that goes on when it is told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def means(data: ScoreMatrix) -> NDArray[Any]:
    found: NDArray[Any] = data.values.mean(axis=0)
    return found


def test_the_time_left_is_that_of_the_pace_so_far() -> None:
    clock = Clock()
    said: list[str] = []
    pace = Pace("Fitting", 0.0, said.append, clock)
    for seconds, done, total, noun, told in (
        (0, 400, 1000, "refits", "400 of 1,000 refits"),
        (20, 500, 1000, "refits", "500 of 1,000 refits, about 2 min left"),
        (60, 990, 1000, "refits", "990 of 1,000 refits, about 2 s left"),
        (0, 5, 9, "items", "5 of 9 items"),  # other work has a pace of its own
        (2, 7, 9, "items", "7 of 9 items, about 2 s left"),
        (1, 9, 9, "items", "all 9 items done, still working"),
    ):
        clock.now += seconds
        pace(done, total, noun)
        assert said[-1] == f"Fitting: {told}"


def test_elsewhere_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    pace = Pace("Fitting", EVERY, say, clock)
    said = []
    for done in range(1, 101):
        clock.now += 1
        pace(done, 100, "refits")
        said.append(capsys.readouterr().err)
    lines = [place for place, text in enumerate(said, start=1) if text]
    assert lines == [int(EVERY), 2 * int(EVERY), 3 * int(EVERY)]
    assert said[29] == "steadyrank: Fitting: 30 of 100 refits, about 70 s left\n"


def test_short_work_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with working("Fitting"):
        assert list(counting("abc", 3, "letters")) == ["a", "b", "c"]
    assert capsys.readouterr() == ("", "")


def test_refits_count(capsys: pytest.CaptureFixture[str]) -> None:
    data = ScoreMatrix([[1.0, 2.0], [3.0, 1.0], [2.0, 2.5]])
    heard_of: list[tuple[int, int, str]] = []
    with listening(lambda *far: heard_of.append(far)):
        Refit(means).leave_one_out(data)
        assert heard_of == [(done, 4, "refits") for done in (1, 2, 3, 4)]
    assert capsys.readouterr().err == ""
