"""A model is what it reaches: any edit of that is seen, nothing else is, in whatever process.

Programs are drawn: two modules of helpers, constants, classes, partials and the like that refer to each
other. Each part has one number of its own, and who reaches whom is known by construction, so that the
oracle needs none of the code that it judges.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank.scorers.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np

    Cases = Callable[[int], Iterator[np.random.Generator]]

HEAD = """
import contextlib, enum, functools, operator
from dataclasses import dataclass, field
import numpy as np

def doubled(inner):
    @functools.wraps(inner)
    def wrapper(data):
        return inner(data) * 2
    return wrapper
"""

CALLED = {
    "plain": "def {name}(data):\n    return data + {number} + {uses}\n",
    "default": "def {name}(data, *, by={number}):\n    return data * by + {uses}\n",
    "inner": "def {name}(data):\n    def inside():\n        return [data + {number} for _ in 'ab']\n"
    "    return inside() + {uses}\n",
    "closure": "def make_{name}(by):\n    return lambda data: data - by + {uses}\n"
    "{name} = make_{name}({number})\n",
    "cached": "@functools.lru_cache\ndef {name}(data):\n    return {number} + {uses}\n",
    "wrapped": "@doubled\ndef {name}(data):\n    return {number} + {uses}\n",
    "context": "@contextlib.contextmanager\ndef {name}(data):\n    yield {number} + {uses}\n",
    "partial": "def base_{name}(by, data):\n    return data + by + {uses}\n"
    "{name} = functools.partial(base_{name}, {number})\n",
    "object": "class Class_{name}:\n    def __init__(self, by):\n        self.by = by\n"
    "    def __call__(self, data):\n        return self.by + {uses}\n{name} = Class_{name}({number})\n",
    "slots": "class Class_{name}:\n    __slots__ = ('by',)\n    def __init__(self, by):\n"
    "        self.by = by\n    def __call__(self, data):\n        return self.by + {uses}\n"
    "{name} = Class_{name}({number})\n",
    "method": "class Class_{name}:\n    factor = {number}\n    @property\n    def by(self):\n"
    "        return self.factor\n    def run(self, data):\n        return data * self.by + {uses}\n"
    "{name} = Class_{name}().run\n",
    "static": "class Base_{name}:\n    @staticmethod\n    def run(data):\n"
    "        return {number} + {uses}\nclass Class_{name}(Base_{name}):\n    pass\n"
    "{name} = Class_{name}.run\n",
    "inherited": "class Base_{name}:\n    def run(self, data):\n        return {number} + {uses}\n"
    "class Class_{name}(Base_{name}):\n    def __call__(self, data):\n        return super().run(data)\n"
    "{name} = Class_{name}()\n",
    "dataclass": "@dataclass(frozen=True)\nclass Class_{name}:\n"
    "    by: float = field(default={number}, compare=False)\n    def __call__(self, data):\n"
    "        return self.by + {uses}\n{name} = Class_{name}()\n",
    "switch": "def {name}(data):\n    try:\n"
    "        return data if data in {{'a', 'b', {number}}} else {uses}\n    finally:\n        pass\n",
}  # fmt: skip
KEPT = {
    "number": "{number}",
    "text": "'text {number}'",
    "list": "[1, [2, {number}]]",
    "pairs": "{{'x': 1, 'y': ({number}, None)}}",
    "set": "{{'red', 'green', 'blue', 'number {number}'}}",
    "frozen": "frozenset({{('a', {number}), ('b', 2), ('c', 3)}})",
    "array": "np.array([1.0, {number}])",
    "objects": "np.array(['a', {number}, None], dtype=object)",
    "random": "np.random.default_rng({number})",
    "lookup": "operator.itemgetter({number})",
    "slice": "slice(0, {number})",
    "shared": "[np.random.rand, np.random.mtrand._rand, {number}]",  # another state in each run
    "huge": "10 ** 5000 + {number}",
    "enum": "enum.Enum('Colour', {{'RED': {number}, 'BLUE': 0}}, module=__name__).RED",
}


@dataclass(frozen=True)
class Part:
    """One definition: its name, how it is written, where, its number, and what it uses."""

    name: str
    form: str
    home: str
    number: int
    uses: tuple[tuple[str, str], ...] = ()

    def source(self) -> str:
        if self.form in KEPT:
            return f"{self.name} = {KEPT[self.form].format(number=self.number)}\n"
        uses = "".join(f"{way}({name}, data), " for name, way in self.uses)
        expression = f"sum([{uses}])"
        for name, way in self.uses:
            reached = {"global": name, "module": f"helpers.{name}", "inside": f"inner_{name}()"}[way]
            expression = expression.replace(f"{way}({name}, data)", reached)
        before = "".join(
            f"def inner_{name}():\n    from .helpers import {name}\n    return {name}\n"
            for name, way in self.uses
            if way == "inside"
        )
        return before + CALLED[self.form].format(name=self.name, number=self.number, uses=expression)


def drawn(rng: np.random.Generator) -> list[Part]:
    """Draw a program; its first part is the model. Helpers never use the main module."""
    count = int(rng.integers(2, 10))
    names = [f"part_{place}" for place in range(count)]
    homes = ["main", *rng.choice(["main", "helpers"], size=count - 1).tolist()]
    parts = []
    for place, name in enumerate(names):
        called = place == 0 or rng.random() < 0.6
        form = str(rng.choice(list(CALLED if called else KEPT)))
        others = [other for other in range(count) if homes[place] == "main" or homes[other] == "helpers"]
        chosen = rng.choice(others, size=min(len(others), int(rng.integers(0, 4))), replace=False)
        uses = []
        for other in sorted(chosen.tolist()) if called else ():
            apart = homes[place] == "main" and homes[other] == "helpers"
            way = str(rng.choice(["module", "inside"])) if apart else "global"
            uses.append((names[other], way))
        parts.append(Part(name, form, homes[place], int(rng.integers(10, 99)), tuple(uses)))
    return parts


def written(parts: list[Part], folder: Path, comment: str = "") -> Path:
    package = folder / "generated_model"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for home in ("main", "helpers"):
        sources = [part.source() for part in parts if part.home == home]
        text = comment.join([HEAD, "from . import helpers\n" if home == "main" else "", *sources])
        (package / f"{home}.py").write_text(text, encoding="utf-8")
    return folder


def loaded(folder: Path) -> Any:
    for name in [name for name in sys.modules if name.startswith("generated_model")]:
        del sys.modules[name]
    invalidate_caches()
    sys.path.insert(0, str(folder))
    try:
        return import_module("generated_model.main").part_0
    finally:
        sys.path.remove(str(folder))


def reached(parts: list[Part]) -> set[str]:
    uses = {part.name: [name for name, _ in part.uses] for part in parts}
    found, waiting = set(), ["part_0"]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += uses[name]
    return found


AGAIN = """
import json, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from adversary.test_model_fingerprints import fingerprint, loaded
print(json.dumps([fingerprint(loaded(Path(folder))) for folder in json.load(sys.stdin)]))
"""


def in_another_process(folders: list[Path], seed: str) -> list[str]:
    tests = str(Path(__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-c", AGAIN.format(tests=tests)],
        input=json.dumps([str(folder) for folder in folders]),
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[str] = json.loads(done.stdout)
    return found


def test_an_edit_is_seen_where_it_is_reached_and_nowhere_else(cases: Cases, tmp_path: Path) -> None:
    here, folders = [], []
    for number, rng in enumerate(cases(150)):
        parts = drawn(rng)
        folders.append(written(parts, tmp_path / f"{number}-as-is"))
        here.append(fingerprint(loaded(folders[-1])))
        with_comments = written(parts, tmp_path / f"{number}-comments", "\n\n# nothing but a comment\n")
        assert fingerprint(loaded(with_comments)) == here[-1]
        edited = int(rng.integers(len(parts)))
        changed = [
            replace(part, number=part.number + 100) if place == edited else part
            for place, part in enumerate(parts)
        ]
        found = fingerprint(loaded(written(changed, tmp_path / f"{number}-edited")))
        assert (found != here[-1]) == (parts[edited].name in reached(parts)), (parts, edited)
    # Sets and memory are in another order there.
    assert in_another_process(folders, "1") == here
    assert in_another_process(folders, "2") == here


@pytest.mark.parametrize("form", [*CALLED, *KEPT])
def test_every_form_counts(form: str, tmp_path: Path) -> None:
    """No form of the generator is without effect by mistake."""
    if form in CALLED:
        first = [Part("part_0", form, "main", 11)]
    else:
        first = [
            Part("part_0", "plain", "main", 0, (("part_1", "global"),)),
            Part("part_1", form, "main", 11),
        ]
    other = [replace(part, number=12) if part.number else part for part in first]
    before, after = written(first, tmp_path / "before"), written(other, tmp_path / "after")
    assert fingerprint(loaded(before)) != fingerprint(loaded(after))
