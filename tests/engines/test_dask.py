"""Refits on a real Dask cluster: the same results, checkpoints, and a worker that is killed."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from steadyrank import ScoreMatrix, audit
from steadyrank.scorers import Refit

joblib = pytest.importorskip("joblib")
pytestmark = [
    pytest.mark.dask,
    pytest.mark.xdist_group("dask"),
    # Dask and joblib open sockets and loops that their own clean-up may leave to the collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

DATA = ScoreMatrix(np.random.default_rng(0).integers(0, 10, (24, 5)).astype(float))


def trimmed_means(folder=None, gate=None):
    """Return a model that a worker can unpickle; it notes every call as a file, if asked to.

    With a gate, the fit without the last row waits until there is such a file.
    """
    last = DATA.row_labels[-1]

    def model(data):
        if folder is not None:
            import os
            import time
            import uuid
            from pathlib import Path

            while gate is not None and last not in data.row_labels and not Path(gate).exists():
                time.sleep(0.01)
            (Path(folder) / f"{os.getpid()}-{uuid.uuid4().hex}").touch()
        ordered = np.sort(data.values, axis=0)
        return ordered[2:-2].mean(axis=0)

    return model


def scores(scorer):
    loo = scorer.leave_one_out(DATA)
    return np.vstack([loo.scores, *(block.scores for block in loo.blocks())])


@pytest.fixture(scope="module")
def cluster():
    """Return a client of two worker processes on this machine."""
    if os.environ.get("CI", "").lower() not in {"1", "true"}:
        pytest.importorskip("distributed")
    import dask
    from distributed import Client, LocalCluster

    settings = {"distributed.scheduler.allowed-failures": 10, "distributed.admin.log-length": 0}
    with (
        dask.config.set(settings),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            host="127.0.0.1",
            silence_logs=50,
        ) as workers,
        Client(workers) as client,
    ):
        yield client


def test_the_same_results_as_one_after_the_other(cluster):
    alone = scores(Refit(trimmed_means()))
    with joblib.parallel_config(backend="dask"):
        np.testing.assert_array_equal(scores(Refit(trimmed_means())), alone)
        result = audit(DATA, k=2, eps=0.1, scorer=Refit(trimmed_means()))
    expected = audit(DATA, k=2, eps=0.1, scorer=Refit(trimmed_means()))
    assert result.table == expected.table


def test_checkpoint_and_resume(cluster, tmp_path):
    alone = scores(Refit(trimmed_means()))
    calls, path = tmp_path / "calls", tmp_path / "refits.log"
    calls.mkdir()

    def stop_half_way(done, total):
        if done >= total // 2:
            raise KeyboardInterrupt

    model = trimmed_means(str(calls))
    with joblib.parallel_config(backend="dask"):
        with pytest.raises(KeyboardInterrupt):
            scores(Refit(model, checkpoint=path, progress=stop_half_way))
        before = len(list(calls.iterdir()))
        assert before >= len(DATA.values) // 2
        np.testing.assert_array_equal(scores(Refit(model, checkpoint=path)), alone)
        resumed = len(list(calls.iterdir())) - before
    assert 0 < resumed < len(DATA.values)  # not everything again


def test_a_killed_worker_loses_nothing(cluster, tmp_path):
    alone = scores(Refit(trimmed_means()))
    calls, path = tmp_path / "calls", tmp_path / "refits.log"
    calls.mkdir()
    gate = tmp_path / "killed"
    killed = []

    def at_work():
        return {int(note.name.partition("-")[0]) for note in calls.iterdir()} - {os.getpid()}

    def kill_one(done, total):
        if not killed and done > total // 4:
            victim = min(at_work())  # it has done some of the work
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)
            gate.touch()

    with joblib.parallel_config(backend="dask"):
        model = trimmed_means(str(calls), str(gate))
        found = scores(Refit(model, checkpoint=path, progress=kill_one))
    assert len(killed) == 1
    np.testing.assert_array_equal(found, alone)
    assert len(at_work()) >= 2  # the last fit, at the latest, was another one's
