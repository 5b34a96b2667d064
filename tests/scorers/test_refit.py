"""Refitting without each unit: the right data, once each, and never lost."""

from __future__ import annotations

import contextlib
import functools
import signal
import sqlite3
import subprocess
import sys
import threading
import weakref

import joblib
import numpy as np
import pytest
from hypothesis import given, strategies as st

import steadyrank
from steadyrank.data import Ballots, Battles, Ratings, Regression, ScoreMatrix, Votes
from steadyrank.errors import (
    CheckpointError,
    InvalidValueError,
    MissingPackageError,
    NothingLeftError,
    RefitError,
    SizeMismatchError,
    WrongDataError,
)
from steadyrank.scorers.bradley_terry import BradleyTerry
from steadyrank.scorers.checkpoint import open_checkpoint
from steadyrank.scorers.fingerprint import fingerprint
from steadyrank.scorers.least_squares import OrdinaryLeastSquares
from steadyrank.scorers.refit import Refit


def column_medians(data):
    return np.median(data.values, axis=0)


def fails_on_seven(data):
    if not (data.values == 7).any():
        raise ZeroDivisionError("no seven here")
    return column_medians(data)


def table(out):
    return np.concatenate([block.scores for block in out.blocks()])


MATRIX = ScoreMatrix(np.arange(24.0).reshape(8, 3) ** 1.5 % 7, rows=list("abcdefgh"))


KILLED = """
import os, signal, sys
import numpy as np
from steadyrank.data import ScoreMatrix
from steadyrank.scorers import Refit

path, calls, stop_at = sys.argv[1], sys.argv[2], int(sys.argv[3])

def medians(data):
    with open(calls, "ab") as log:
        log.write(b".")
    if os.path.getsize(calls) == stop_at:
        os.kill(os.getpid(), signal.SIGKILL)
    return np.median(data.values, axis=0)

matrix = ScoreMatrix(np.arange(24.0).reshape(8, 3) ** 1.5 % 7)
Refit(medians, checkpoint=path, model_name="medians").leave_one_out(matrix)
"""


class Counting:
    """A model that counts its calls and can be interrupted at one of them."""

    def __init__(self, stop_at=None):
        self.calls = 0
        self.stop_at = stop_at

    def __call__(self, data):
        self.calls += 1
        if self.calls == self.stop_at:
            raise KeyboardInterrupt
        return column_medians(data)


def counted(counter, path):
    """Name the model, which is the same whatever its counter says."""
    global current  # noqa: PLW0603
    current = counter
    return Refit(through_current, checkpoint=path, model_name="counted medians")


def through_current(data):
    return current(data)


class TestWithout:
    def test_votes_keep_their_items_and_rows(self):
        data = Votes(["b", "a", "b"], counts=[2, 1, 1], items=["a", "b", "c"])
        rest = data.without(1)
        assert rest.items == ("a", "b", "c")
        assert rest.tally.tolist() == [1, 2, 0]
        assert data.without(0).tally.tolist() == [0, 3, 0]
        assert data.tally.tolist() == [1, 3, 0]

    def test_ballots(self):
        data = Ballots([["a", "b"], ["b", ["a", "c"]], ["a", "b"]])
        rest = data.without(0)
        assert list(rest.units.labels) == ["a > b", "b > a = c"]
        assert rest.counts.tolist() == [1, 1]
        assert list(data.without(1).units.labels) == ["a > b"]

    def test_ratings(self):
        data = Ratings(["u", "v", "u"], ["x", "y", "y"], [1, 2, 3])
        rest = data.without(0)
        assert list(rest.user_labels) == ["v"]
        assert (rest.rated.tolist(), rest.values.tolist()) == ([1], [2])
        twice = data.with_copies(np.array([2, 0]))
        assert twice.values.tolist() == [1, 3, 1, 3]

    def test_battles_of_either_side(self):
        data = Battles(["a", "b", "b"], ["b", "a", "a"], ["left", "right", "tie"])
        place = list(data.units.labels).index("a beats b")
        assert sorted(data.without(place).units.labels) == ["a beats b", "a ties b"]
        other = list(data.units.labels).index("a ties b")
        rest = data.without(other)
        assert rest.units.counts.tolist() == [2]
        assert len(rest.left) == 2

    def test_groups_of_battles_and_rows(self):
        data = Battles(["a", "b", "a"], ["b", "a", "b"], ["left"] * 3, units=["x", "y", "x"])
        rest = data.without(0)
        assert rest.unit_labels == ("y",)
        assert rest.n_units == 1
        matrix = ScoreMatrix([[1.0], [2.0], [3.0]], units=["x", "y", "x"])
        assert matrix.without(1).values.ravel().tolist() == [1, 3]
        assert matrix.without(1).n_units == 1

    def test_rows(self):
        assert MATRIX.without(2).row_labels == ("a", "b", "d", "e", "f", "g", "h")
        data = Regression([[1.0], [2.0]], [3.0, 4.0])
        assert data.without(0).y.tolist() == [4.0]

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), min_size=1), st.data())
    def test_any_copies_of_votes(self, rows, draw):
        data = Votes([item for item, _ in rows], counts=[count for _, count in rows])
        copies = draw.draw(
            st.lists(st.integers(0, 5), min_size=len(data.units), max_size=len(data.units))
        )
        assert data.with_copies(np.array(copies)).tally.tolist() == copies

    @given(st.integers(0, 2**32 - 1))
    def test_any_copies_of_battles(self, seed):
        rng = np.random.default_rng(seed)
        left = rng.integers(3, size=9)
        right = (left + rng.integers(1, 3, size=9)) % 3
        data = Battles(left, right, rng.choice(["left", "tie", "right"], size=9), items=range(3))
        copies = rng.integers(1, 4, size=len(data.units))
        more = data.with_copies(copies)
        assert list(more.units.labels) == list(data.units.labels)
        assert more.units.counts.tolist() == copies.tolist()

    def test_refusals(self):
        with pytest.raises(NothingLeftError):
            Votes(["a"]).without(0)
        with pytest.raises(InvalidValueError, match="from 0 to 7"):
            MATRIX.without(8)
        with pytest.raises(SizeMismatchError, match="8 distinct units"):
            MATRIX.with_copies(np.ones(3))


class TestRefit:
    def test_scores_are_those_of_the_remaining_rows(self):
        out = Refit(column_medians).leave_one_out(MATRIX)
        assert (out.scores == column_medians(MATRIX)).all()
        for row in range(8):
            expected = np.median(np.delete(MATRIX.values, row, axis=0), axis=0)
            assert (table(out)[row] == expected).all()

    def test_agrees_with_the_closed_forms(self):
        battles = Battles.from_pairs([0, 0, 1], [1, 2, 2], [5, 7, 3], [4, 3, 6], ties=[2, 0, 1])
        exact = table(BradleyTerry().leave_one_out(battles))
        again = table(Refit(BradleyTerry().score).leave_one_out(battles))
        assert again == pytest.approx(exact, abs=1e-12)
        rng = np.random.default_rng(0)
        data = Regression(rng.normal(size=(15, 3)), rng.normal(size=15))
        exact = table(OrdinaryLeastSquares().leave_one_out(data))
        again = table(Refit(OrdinaryLeastSquares().score).leave_one_out(data))
        assert again == pytest.approx(exact, abs=1e-12)

    def test_equal_units_are_fitted_once(self):
        counter = Counting()
        counter.__class__ = type("Shares", (Counting,), {"__call__": count_votes})
        out = counted(counter, None).leave_one_out(Votes(["a"] * 50 + ["b"] * 30))
        assert counter.calls == 3
        assert out.units.counts.tolist() == [50, 30]

    @pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
    def test_any_backend_of_the_caller(self, backend):
        alone = table(Refit(column_medians).leave_one_out(MATRIX))
        with joblib.parallel_config(backend, n_jobs=2):
            assert (table(Refit(column_medians).leave_one_out(MATRIX)) == alone).all()

    def test_number_of_workers(self):
        alone = table(Refit(column_medians).leave_one_out(MATRIX))
        with joblib.parallel_config("threading"):
            assert (table(Refit(column_medians, n_jobs=3).leave_one_out(MATRIX)) == alone).all()

    def test_a_failing_refit_names_its_unit(self):
        values = np.array([[1.0], [7.0], [2.0]])
        data = ScoreMatrix(values, rows=["a", "the seven", "c"])
        for n_jobs in (1, 2):
            with pytest.raises(RefitError, match=r"without row 'the seven' .*no seven here"):
                Refit(fails_on_seven, n_jobs=n_jobs).leave_one_out(data)

    @pytest.mark.parametrize(
        ("scores", "why"),
        [([1.0, 2.0], r"shape \(2,\)"), ([1.0, np.nan, 2.0], "score of item 1 is nan")],
    )
    def test_unusable_scores(self, scores, why):
        with pytest.raises(RefitError, match=why):
            Refit(lambda data: scores).score(MATRIX)

    def test_one_unit(self):
        with pytest.raises(NothingLeftError):
            Refit(column_medians).leave_one_out(ScoreMatrix([[1.0, 2.0]]))

    def test_missing_joblib_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "joblib", None)
        with pytest.raises(MissingPackageError, match=r'pip install "steadyrank\[refit\]"'):
            Refit(column_medians).leave_one_out(MATRIX)

    def test_seed_is_the_same_for_every_refit(self):
        def noisy(data, seed):
            return np.random.default_rng(seed).normal(size=data.n_items)

        out = Refit(noisy, seed=5).leave_one_out(MATRIX)
        assert (table(out) == out.scores).all()
        assert (Refit(noisy, seed=6).score(MATRIX) != out.scores).all()

    def test_progress_is_told(self):
        told = []
        Refit(column_medians, progress=lambda *step: told.append(step)).leave_one_out(MATRIX)
        assert told == [(done, 9) for done in range(1, 10)]

    def test_progress_line(self, capsys):
        Refit(column_medians, progress=True).leave_one_out(MATRIX)
        assert capsys.readouterr().err.endswith("refits: 9 of 9\n")
        Refit(column_medians).leave_one_out(MATRIX)
        assert capsys.readouterr().err == ""

    def test_names(self):
        assert Refit(column_medians).name == "refit of column_medians"
        assert Refit(functools.partial(column_medians)).name == "refit of column_medians"
        assert Refit(column_medians, label="medians").name == "medians"


def count_votes(self, data):
    self.calls += 1
    return data.tally / data.n_units


class TestEstimators:
    @pytest.fixture
    def data(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(20, 3))
        return Regression(X, X @ [1.0, -2.0, 0.0] + rng.normal(size=20))

    def test_coefficients(self, data):
        from sklearn.linear_model import LinearRegression, Ridge
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        ours = OrdinaryLeastSquares(intercept=True).leave_one_out(data)
        assert table(Refit(LinearRegression()).leave_one_out(data)) == pytest.approx(table(ours))
        pipe = Refit(make_pipeline(StandardScaler(), Ridge()))
        assert pipe.score(data).argmax() == 1

    def test_importances_and_a_fixed_random_state(self, data):
        from sklearn.ensemble import RandomForestRegressor

        forest = RandomForestRegressor(n_estimators=5)
        first, second = Refit(forest, seed=3).score(data), Refit(forest, seed=3).score(data)
        assert (first == second).all()
        assert (first != Refit(forest, seed=4).score(data)).any()
        assert forest.random_state is None
        given = RandomForestRegressor(n_estimators=5, random_state=np.random.RandomState(3))
        assert (Refit(given).score(data) == Refit(given).score(data)).all()

    def test_no_scores(self, data):
        from sklearn.neighbors import KNeighborsRegressor

        with pytest.raises(RefitError, match="neither coef_ nor feature_importances_"):
            Refit(KNeighborsRegressor()).score(data)

    def test_other_data(self):
        from sklearn.linear_model import LinearRegression

        with pytest.raises(
            WrongDataError, match="LinearRegression needs regression, but was given scores"
        ):
            Refit(LinearRegression()).score(MATRIX)


class TestCheckpoint:
    def test_resumes_after_an_interruption_without_redoing_or_losing(self, tmp_path):
        path = tmp_path / "refits"
        counter = Counting(stop_at=5)
        with pytest.raises(KeyboardInterrupt):
            counted(counter, path).leave_one_out(MATRIX)
        again = Counting()
        out = counted(again, path).leave_one_out(MATRIX)
        assert again.calls == 9 - 4
        assert (table(out) == table(Refit(column_medians).leave_one_out(MATRIX))).all()
        third = Counting()
        out = counted(third, path).leave_one_out(MATRIX)
        assert third.calls == 0
        assert (out.scores == column_medians(MATRIX)).all()

    @pytest.mark.parametrize("stop_at", [1, 2, 9])
    def test_resumes_after_being_killed(self, tmp_path, stop_at):
        path, calls = tmp_path / "refits", tmp_path / "calls"
        command = [sys.executable, "-c", KILLED, str(path), str(calls)]
        killed = subprocess.run([*command, str(stop_at)], check=False)
        assert killed.returncode == -signal.SIGKILL
        subprocess.run([*command, "99"], check=True)
        assert calls.stat().st_size == 9 + 1  # the one that was under way, once more
        assert sorted(tmp_path.iterdir()) == [calls, path]

    def test_nothing_else_stays_beside_the_file(self, tmp_path):
        path = tmp_path / "refits"
        with pytest.raises(KeyboardInterrupt):
            counted(Counting(stop_at=5), path).leave_one_out(MATRIX)
        assert list(tmp_path.iterdir()) == [path]
        counted(Counting(), path).leave_one_out(MATRIX)
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("cut", [1, 500, 4096, 5000])
    def test_a_torn_file_is_refused(self, tmp_path, cut):
        path = tmp_path / "refits"
        counted(Counting(), path).leave_one_out(MATRIX)
        content = path.read_bytes()[:-cut]
        path.write_bytes(content)
        again = Counting()
        with pytest.raises(CheckpointError, match="is damaged"):
            counted(again, path).leave_one_out(MATRIX)
        assert again.calls == 0
        assert path.read_bytes() == content

    def test_damage_anywhere_is_refused_or_harmless(self, tmp_path):
        path = tmp_path / "refits"
        whole = table(Refit(column_medians, checkpoint=path).leave_one_out(MATRIX))
        content, refused = path.read_bytes(), 0
        for place in range(0, len(content), 61):
            damaged = bytearray(content)
            damaged[place] ^= 0x55
            path.write_bytes(damaged)
            try:
                found = table(Refit(column_medians, checkpoint=path).leave_one_out(MATRIX))
            except CheckpointError:
                refused += 1
            else:
                assert (found == whole).all()
        assert refused

    def test_a_damaged_score_is_refused(self, tmp_path):
        path = tmp_path / "refits"
        out = Refit(column_medians, checkpoint=path).leave_one_out(MATRIX)
        content = path.read_bytes()
        score = out.scores.tobytes()
        assert content.count(score) >= 1
        path.write_bytes(content.replace(score, bytes([score[0] ^ 1]) + score[1:]))
        with pytest.raises(CheckpointError, match=r"is damaged.*checksum"):
            Refit(column_medians, checkpoint=path).leave_one_out(MATRIX)

    def test_a_file_in_use_is_refused(self, tmp_path):
        path = tmp_path / "refits"
        with (
            open_checkpoint(path, {}),
            pytest.raises(CheckpointError, match=r"cannot be used.*locked"),
            open_checkpoint(path, {}, patience=0),
        ):
            pass

    def test_another_database_is_left_alone(self, tmp_path):
        path = tmp_path / "precious.sqlite"
        with contextlib.closing(sqlite3.connect(path)) as base, base:
            base.execute("CREATE TABLE owner (name TEXT)")
        before = path.read_bytes()
        with pytest.raises(CheckpointError, match="is not a checkpoint"):
            Refit(column_medians, checkpoint=path).leave_one_out(MATRIX)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    def test_other_data_scorer_or_version_is_refused(self, tmp_path):
        path = tmp_path / "refits"
        Refit(column_medians, checkpoint=path).leave_one_out(MATRIX)
        before = path.read_bytes()
        other = ScoreMatrix(MATRIX.values + 1, rows=list("abcdefgh"))
        with pytest.raises(CheckpointError, match="belongs to other data"):
            Refit(column_medians, checkpoint=path).leave_one_out(other)
        with pytest.raises(CheckpointError, match="belongs to other scorer"):
            Refit(fails_on_seven, checkpoint=path).leave_one_out(MATRIX)
        with pytest.raises(CheckpointError, match="belongs to other scorer"):
            Refit(column_medians, seed=1, checkpoint=path).leave_one_out(MATRIX)
        with contextlib.closing(sqlite3.connect(path)) as base:
            owner = dict(base.execute("SELECT name, value FROM owner"))
        assert owner["version"] == steadyrank.__version__
        with (
            pytest.raises(CheckpointError, match="belongs to other version"),
            open_checkpoint(path, {**owner, "version": "99"}),
        ):
            pass
        assert path.read_bytes() == before

    @pytest.mark.parametrize("content", [b"name,score\n1,2\n", b"[]\n", b"\x00" * 100, b'{"format'])
    def test_a_file_that_is_no_checkpoint_is_left_alone(self, tmp_path, content):
        path = tmp_path / "precious.csv"
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match="is not a checkpoint"):
            Refit(column_medians, checkpoint=path).leave_one_out(MATRIX)
        assert path.read_bytes() == content

    def test_a_folder_that_does_not_exist(self, tmp_path):
        with pytest.raises(CheckpointError, match="cannot write the checkpoint"):
            Refit(column_medians, checkpoint=tmp_path / "no" / "refits").leave_one_out(MATRIX)

    def test_workers_write_through_the_caller(self, tmp_path):
        path = tmp_path / "refits"
        with joblib.parallel_config("loky", n_jobs=2):
            first = table(Refit(column_medians, checkpoint=path).leave_one_out(MATRIX))
        assert (table(Refit(column_medians, checkpoint=path).leave_one_out(MATRIX)) == first).all()


class TestFingerprint:
    def test_every_part_of_the_data_counts(self):
        base = fingerprint(Votes(["a", "b"]))
        assert fingerprint(Votes(["a", "b"])) == base
        assert fingerprint(Votes(["a", "c"])) != base
        assert fingerprint(Votes(["a", "b"], counts=[1, 2])) != base
        assert fingerprint(Votes(["b", "a"])) != base
        assert fingerprint(Votes(["a", "b"], items=["a", "b", "c"])) != base
        assert fingerprint(Votes([1, 2])) != fingerprint(Votes(["1", "2"]))

    def test_functions_count_with_code_defaults_and_closure(self):
        def make(shift, *, scale=1.0):
            def model(data, factor=scale):
                return data * factor + shift

            return model

        base = fingerprint(make(1))
        assert fingerprint(make(1)) == base
        assert fingerprint(make(2)) != base
        assert fingerprint(make(1, scale=2.0)) != base
        assert fingerprint(lambda x: x) != fingerprint(lambda x: x + 1)
        assert fingerprint(functools.partial(make, 1)) != fingerprint(functools.partial(make, 2))

    def test_estimators_and_generators(self):
        from sklearn.linear_model import Lasso

        assert fingerprint(Lasso(0.1)) == fingerprint(Lasso(0.1))
        assert fingerprint(Lasso(0.1)) != fingerprint(Lasso(0.2))
        first, same, other = (np.random.RandomState(seed) for seed in (1, 1, 2))
        assert fingerprint(first) == fingerprint(same) != fingerprint(other)

    def test_something_that_holds_itself(self):
        loop = [1]
        loop.append(loop)
        assert fingerprint(loop) != fingerprint([1])

    @pytest.mark.parametrize(
        "reached",
        [(n for n in "ab"), threading.Lock(), sys.stdout.buffer, weakref.ref(Counting), memoryview(b"")],
        ids=lambda value: type(value).__name__,
    )
    def test_what_cannot_be_told_again_asks_for_a_name(self, tmp_path, reached):
        path = tmp_path / "refits"
        model = functools.partial(lambda kept, data: column_medians(data), reached)
        with pytest.raises(CheckpointError, match=r"cannot tell .* again .* model_name=") as caught:
            Refit(model, checkpoint=path).leave_one_out(MATRIX)
        assert type(reached).__qualname__ in str(caught.value)
        assert not path.exists()
        Refit(model, checkpoint=path, model_name="first").leave_one_out(MATRIX)
        Refit(model, checkpoint=path, model_name="first").leave_one_out(MATRIX)
        with pytest.raises(CheckpointError, match="belongs to other scorer"):
            Refit(model, checkpoint=path, model_name="second").leave_one_out(MATRIX)

    def test_a_long_way_and_many_ways(self):
        names = {}
        exec("".join(f"def f{i}(x):\n    return f{i + 1}(x)\n" for i in range(3000)), names)
        chain = fingerprint(names["f0"])
        exec("def f3000(x):\n    return 1\n", names)
        assert fingerprint(names["f0"]) != chain
        pair = ()
        for _ in range(60):
            pair = (pair, pair)
        assert fingerprint(pair) != fingerprint((pair, 1))


EDITS = {
    "a helper": ("return np.median(values, axis=0)", "return np.mean(values, axis=0)"),
    "a constant of the module": ("FACTOR = 2.0", "FACTOR = 3.0"),
    "a method of an object": ("return values - self.by", "return values + self.by"),
    "the state of an object": ("Shift(1.0)", "Shift(1.5)"),
}
SCRIPT = """
import sys
import numpy as np
from steadyrank.data import ScoreMatrix
from steadyrank.scorers import Refit

FACTOR = 2.0

class Shift:
    def __init__(self, by):
        self.by = by
    def __call__(self, values):
        return values - self.by

shift = Shift(1.0)

def middle(values):
    return np.median(values, axis=0)

def model(data):
    return FACTOR * shift(middle(data.values))

data = ScoreMatrix(np.arange(24.0).reshape(8, 3) ** 1.5 % 7)
print(Refit(model, checkpoint=sys.argv[1]).leave_one_out(data).scores.tolist())
"""


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_model_does_not_get_the_scores_of_the_one_before(tmp_path, edit):
    def run(source):
        script = tmp_path / "script.py"
        script.write_text(source, encoding="utf-8")
        command = [sys.executable, str(script), str(tmp_path / "refits")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    first, again = run(SCRIPT), run("# a comment\n" + SCRIPT)
    assert first.returncode == 0
    assert again.stdout == first.stdout
    before, after = EDITS[edit]
    assert before in SCRIPT
    refused = run(SCRIPT.replace(before, after))
    assert refused.returncode != 0
    assert "belongs to other scorer" in refused.stderr


def test_what_a_deleted_checkpoint_left_is_not_brought_back(tmp_path):
    path = tmp_path / "refits"
    command = [sys.executable, "-c", KILLED, str(path), str(tmp_path / "calls"), "5"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert path.with_name("refits-wal").exists()
    path.unlink()
    counter = Counting()
    counted(counter, path).leave_one_out(MATRIX)
    assert counter.calls == 9
