"""Results: where each comes from, its findings, its table as a dataframe, and its views.

Findings are a result as one plain document with a version, which every view is drawn from; each kind of
result tells its own (``_found``). ``docs/reference/json-schema.md`` describes each field. The version is
``major.minor``: a new field raises the minor number, a field that goes or changes its meaning raises the
major one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from steadyrank.data.observations import origin_of
from steadyrank.errors import MissingPackageError, SteadyrankError, not_a_choice
from steadyrank.reading.table import Guess
from steadyrank.text import counted, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from steadyrank._typing import FloatArray, IntArray
    from steadyrank.study.study import Study

SCHEMA_VERSION = "7.0"

RULES = {
    "ties": "equal scores: the one listed first counts as ahead",
    "eps": "eps is the same for the full data and for the data without each unit",
    "boundary": "a distance of exactly eps counts as out; inflated answers hold equal scores together",
}
"""Rules that hold for every result, in plain words."""

MAX_FLIPS = 200
"""Flips of each method that a document lists; the rest is counted."""

EXACT_IN_JSON = 1 << 53
"""Whole numbers up to this are exact in every JSON reader."""

BACKENDS = ("polars", "pandas", "pyarrow")


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What answers, audits and checks have in common.

    Attributes
    ----------
    items : tuple
        The labels of the items.
    scores : float array (items,)
        The scores on all the data.
    scorer : str
        How data became scores.
    kind, unit : str
        What kind of data it was, and what one unit of it is.
    n_units, n_distinct_units : int
        How many units there are, and how many different ones.
    notes : tuple of str
        What was guessed, which policies were applied, how ties were treated.
    counts : int array (items,) or None
        How many observations are behind each item.
    counted_as : str
        What these are: votes, ratings, battles.
    item_name : str
        What one item is called.
    """

    document: ClassVar[str]
    """What its findings are called."""

    items: tuple[object, ...]
    scores: FloatArray
    scorer: str
    kind: str
    unit: str
    n_units: int
    n_distinct_units: int
    notes: tuple[str, ...]
    counts: IntArray | None = field(kw_only=True)
    counted_as: str = field(kw_only=True)
    item_name: str = field(default="item", kw_only=True)
    _study: Study | None = field(kw_only=True)
    _library: str | None = field(default=None, kw_only=True)

    def __repr__(self) -> str:
        """Say what was found, where one sentence does."""
        size = f"{counted(len(self.items), self.item_name)}, {counted(self.n_units, self.unit)}"
        return f"{type(self).__name__}({getattr(self, 'sentence', f'{self.document} of {size}')!r})"

    def __deepcopy__(self, *_: object) -> Self:
        return self  # nothing in it changes, and its study stays at hand

    __copy__ = __deepcopy__

    @property
    def has_study(self) -> bool:
        """Whether the study is at hand, or stayed in the process that made it."""
        return self._study is not None

    @property
    def study(self) -> Study:
        """The study that gave this result."""
        if self._study is None:
            raise SteadyrankError(
                "this result has lost its study, which stayed in the process that made it",
                way_out="Make the study again from the data.",
            )
        return self._study

    def labels(self, indices: IntArray) -> tuple[object, ...]:
        """Return the labels of items given by index."""
        return tuple(self.items[index] for index in indices)

    def findings(self, *, source: str | None = None) -> dict[str, Any]:
        """Return all that views show, as plain data: JSON is this document as it is.

        Parameters
        ----------
        source : str, optional
            What to call the data, for example the name of a file without its folder.
        """
        return about(self, source) | self._found()

    def _found(self) -> dict[str, Any]:
        """Return what is found in this kind of result alone."""
        raise NotImplementedError

    def brief(self, *, everything: bool = False, **given: Any) -> dict[str, Any]:
        """Return as much of the findings as a screen shows: every row if everything is wanted."""
        return about(self, **given) | self._brief(everything)

    def _brief(self, everything: bool) -> dict[str, Any]:  # noqa: ARG002 (long documents tell)
        return self._found()

    def _columns(self) -> dict[str, list[Any]]:
        """Return the table by column: the rows of the document, or itself as the only one."""
        from steadyrank.report.export import (
            COLUMNS,
        )  # what nobody tabulates loads no export

        found = self.findings()
        rows = found.get("rows", [found])
        return {name: [row[name] for row in rows] for name in COLUMNS[self.document]}

    def __str__(self) -> str:
        """Show the result in plain text."""
        from steadyrank.report.text import (
            plain_text,
        )  # a result that nobody looks at loads no view

        return plain_text(self.brief())

    def _repr_html_(self) -> str:
        """Show the result as a table in a notebook."""
        from steadyrank.report.sharing import table_fragment

        return table_fragment(self.brief())

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the table as a dataframe: as the data came, or polars, pandas or pyarrow."""
        own = self._library if self._library in BACKENDS else None
        return frame_of(self._columns(), backend or own)


def origin(study: Study) -> dict[str, Any]:
    """Return what every result of a study says about where it comes from."""
    data, facts = study.data, study.facts
    return {
        "items": tuple(facts.items),
        "scores": facts.scores,
        "scorer": facts.scorer.name + ("" if data.weights is None else ", weighted"),
        "kind": data.kind.name,
        "unit": facts.unit,
        "n_units": facts.units.total,
        "n_distinct_units": len(facts.units),
        "notes": facts.notes,
        "counts": data.item_counts,
        "counted_as": plural(data.kind.observation),
        "item_name": facts.item_name,
        "_study": study,
        "_library": origin_of(data).library,
    }


def about(result: Result, source: str | None = None) -> dict[str, Any]:
    """Return what every document of one study begins with: what was studied, and how."""
    return {
        **begun(result.document, source),
        **told(result, "kind", "unit"),
        "units": plural(result.unit),
        "item_name": result.item_name,
        "item_names": plural(result.item_name),
        **told(result, "n_units", "n_distinct_units"),
        "n_items": len(result.items),
        **told(result, "counted_as", "scorer"),
        "policies": dict(RULES),
        "guesses": guesses_of(result.notes),
        "notes": list(result.notes),
    }


def begun(document: str, source: str | None) -> dict[str, Any]:
    """Return what every document begins with."""
    from steadyrank import __version__

    return {
        "schema_version": SCHEMA_VERSION,
        "document": document,
        "software": {"name": "steadyrank", "version": __version__},
        "source": source,
    }


def guesses_of(notes: Iterable[str]) -> list[dict[str, str]]:
    """Return what was guessed about the data, in a few words each, with the option that changes it."""
    guesses = (note for note in notes if isinstance(note, Guess) and note.brief)
    return [
        {
            "text": guess.brief,
            "note": guess,
            "option": guess.option.typed().removesuffix(" ..."),
        }
        for guess in guesses
    ]


def told(result: object, *names: str) -> dict[str, Any]:
    """Return what a result says under its own names."""
    return {name: getattr(result, name) for name in names}


def finite(number: float | None) -> float | None:
    """Return a number as JSON can hold it: an eps that is beyond all floats is never reached."""
    return number if number is not None and math.isfinite(number) else None


def counted_size(size: int | None) -> int | None:
    """Return the size of an answer; one that JSON cannot hold is told by its logarithm alone."""
    return size if size is not None and size <= EXACT_IN_JSON else None


def label(name: object) -> str | int | float | bool:
    """Return a label as JSON can hold it: text and numbers as they are, anything else in words.

    Examples
    --------
    >>> label("x"), label(np.int64(3)), label(("a", 1))
    ('x', 3, "('a', 1)")
    """
    plain: Any = name.item() if isinstance(name, np.generic) else name
    exact = isinstance(plain, int) and abs(plain) <= EXACT_IN_JSON
    exact |= isinstance(plain, float) and math.isfinite(plain)
    found: str | int | float | bool = (
        plain if exact or isinstance(plain, str) else str(plain)
    )
    return found


def labels(names: Iterable[object]) -> list[str | int | float | bool]:
    """Return labels as JSON can hold them."""
    return [label(name) for name in names]


def frame_of(columns: Mapping[str, Sequence[object]], backend: str | None) -> Any:
    """Return a native dataframe of the given or the first installed library.

    A column of several types, such as labels 7 and "x", becomes text, except in pandas.
    """
    import narwhals as nw

    if backend is not None and backend not in BACKENDS:
        raise not_a_choice("backend", backend, BACKENDS)
    usable = [
        name
        for name in BACKENDS
        if backend in {None, name} and find_spec(name) is not None
    ]
    if not usable:
        needed = backend or "polars, pandas or pyarrow"
        raise MissingPackageError(f"a dataframe needs {needed}", "frames")
    chosen: Any = usable[0]
    given = dict(columns)
    if chosen != "pandas":
        given = {name: _of_one_type(values) for name, values in given.items()}
    return nw.from_dict(given, backend=chosen).to_native()


def _of_one_type(values: Sequence[object]) -> Sequence[object]:
    """Turn labels of several types, or compound ones, into text: only pandas has columns for them."""
    types = {type(value) for value in values if value is not None}
    compound = any(
        issubclass(kind, tuple | list | set | frozenset | dict) for kind in types
    )
    if not compound and (len(types) < 2 or types <= {int, float}):
        return values
    return [None if value is None else str(value) for value in values]
