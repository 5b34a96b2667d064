"""Refits that are kept: none done twice, none lost, none of another model."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import subprocess
import sys

import joblib
import pytest

import steadyrank
from oracles.medians import MATRIX, Counting, column_medians, counted
from oracles.refitting import all_rows
from steadyrank.data import ScoreMatrix
from steadyrank.errors import CheckpointError
from steadyrank.scorers.checkpoint import open_checkpoint
from steadyrank.scorers.refit import Refit

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


class TestCheckpoint:
    def test_resumes_after_an_interruption_without_redoing_or_losing(self, tmp_path):
        path = tmp_path / "refits"
        counter = Counting(stop_at=5)
        with pytest.raises(KeyboardInterrupt):
            counted(counter, path).leave_one_out(MATRIX)
        again = Counting()
        out = counted(again, path).leave_one_out(MATRIX)
        assert again.calls == 9 - 4
        assert (all_rows(out) == all_rows(Refit(column_medians).leave_one_out(MATRIX))).all()
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
        whole = all_rows(
            Refit(column_medians, model_name="medians", checkpoint=path).leave_one_out(MATRIX)
        )
        content, refused = path.read_bytes(), 0
        for place in range(0, len(content), 61):
            damaged = bytearray(content)
            damaged[place] ^= 0x55
            path.write_bytes(damaged)
            try:
                found = all_rows(
                    Refit(column_medians, model_name="medians", checkpoint=path).leave_one_out(MATRIX)
                )
            except CheckpointError:
                refused += 1
            else:
                assert (found == whole).all()
        assert refused

    def test_a_damaged_score_is_refused(self, tmp_path):
        path = tmp_path / "refits"
        out = Refit(column_medians, model_name="medians", checkpoint=path).leave_one_out(MATRIX)
        content = path.read_bytes()
        score = out.scores.tobytes()
        assert content.count(score) >= 1
        path.write_bytes(content.replace(score, bytes([score[0] ^ 1]) + score[1:]))
        with pytest.raises(CheckpointError, match=r"is damaged.*checksum"):
            Refit(column_medians, model_name="medians", checkpoint=path).leave_one_out(MATRIX)

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
            Refit(column_medians, model_name="medians", checkpoint=path).leave_one_out(MATRIX)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    def test_other_data_scorer_or_version_is_refused(self, tmp_path):
        path = tmp_path / "refits"
        Refit(column_medians, model_name="medians", checkpoint=path).leave_one_out(MATRIX)
        before = path.read_bytes()
        other = ScoreMatrix(MATRIX.values + 1, rows=list("abcdefgh"))
        with pytest.raises(CheckpointError, match="belongs to other data"):
            Refit(column_medians, model_name="medians", checkpoint=path).leave_one_out(other)
        with pytest.raises(CheckpointError, match="belongs to other scorer"):
            Refit(column_medians, model_name="others", checkpoint=path).leave_one_out(MATRIX)
        with pytest.raises(CheckpointError, match="belongs to other scorer"):
            Refit(column_medians, seed=1, model_name="medians", checkpoint=path).leave_one_out(MATRIX)
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
            Refit(column_medians, model_name="medians", checkpoint=path).leave_one_out(MATRIX)
        assert path.read_bytes() == content

    def test_a_folder_that_does_not_exist(self, tmp_path):
        with pytest.raises(CheckpointError, match="cannot be written"):
            Refit(column_medians, model_name="m", checkpoint=tmp_path / "no" / "r").leave_one_out(MATRIX)

    def test_workers_write_through_the_caller(self, tmp_path):
        path = tmp_path / "refits"
        with joblib.parallel_config("loky", n_jobs=2):
            first = all_rows(
                Refit(column_medians, model_name="medians", checkpoint=path).leave_one_out(MATRIX)
            )
        assert (
            all_rows(Refit(column_medians, model_name="medians", checkpoint=path).leave_one_out(MATRIX))
            == first
        ).all()


def test_what_a_deleted_checkpoint_left_is_not_brought_back(tmp_path):
    path = tmp_path / "refits"
    command = [sys.executable, "-c", KILLED, str(path), str(tmp_path / "calls"), "5"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert path.with_name("refits-wal").exists()
    path.unlink()
    counter = Counting()
    counted(counter, path).leave_one_out(MATRIX)
    assert counter.calls == 9
