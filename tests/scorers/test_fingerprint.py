"""What a model is known by: its data, its code, and all that its code names."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

from oracles.medians import MATRIX, Counting, column_medians
from steadyrank.data import Votes
from steadyrank.errors import CheckpointError
from steadyrank.scorers.fingerprint import fingerprint
from steadyrank.scorers.refit import Refit


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
