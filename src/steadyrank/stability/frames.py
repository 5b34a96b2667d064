"""Results as dataframes, of whichever library the user has."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from steadyrank.errors import InvalidValueError, MissingPackageError, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BACKENDS = ("polars", "pandas", "pyarrow")


def frame_of(columns: Mapping[str, Sequence[object]], backend: str | None = None) -> Any:
    """Return a native dataframe of the given or the first installed library."""
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
    return nw.from_dict(dict(columns), backend=chosen).to_native()
