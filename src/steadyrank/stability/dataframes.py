"""Results as dataframes, of whichever library the user has."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from steadyrank.errors import InvalidValueError, MissingPackageError, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BACKENDS = ("polars", "pandas", "pyarrow")


def frame_of(columns: Mapping[str, Sequence[object]], backend: str | None = None) -> Any:
    """Return a native dataframe of the given or the first installed library.

    A column of several types, such as labels 7 and "x", becomes text, except in pandas.
    """
    import narwhals as nw

    if backend is not None and backend not in BACKENDS:
        raise InvalidValueError(
            f"backend must be one of {', '.join(BACKENDS)}, but is {shorten(backend)}."
        )
    installed = [name for name in BACKENDS if find_spec(name) is not None]
    if backend is None and not installed:
        raise MissingPackageError("a dataframe needs polars, pandas or pyarrow", "frames")
    if backend is not None and backend not in installed:
        raise MissingPackageError(f"a {backend} dataframe needs {backend}", "frames")
    chosen: Any = backend or installed[0]
    given = dict(columns)
    if chosen != "pandas":
        given = {name: _of_one_type(values) for name, values in given.items()}
    return nw.from_dict(given, backend=chosen).to_native()


def _of_one_type(values: Sequence[object]) -> Sequence[object]:
    """Turn labels of several types, or compound ones, into text: only pandas has columns for them."""
    types = {type(value) for value in values if value is not None}
    compound = any(issubclass(kind, tuple | list | set | frozenset | dict) for kind in types)
    if not compound and (len(types) < 2 or types <= {int, float}):
        return values
    return [None if value is None else str(value) for value in values]
