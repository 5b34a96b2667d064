"""Names for the array types that pass between the stages, and arrays that nobody can write to."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]


def frozen(array: AnyArray) -> AnyArray:
    """Return a view that cannot be written to, so that a frozen class stays frozen."""
    view = array.view()
    view.flags.writeable = False
    return view
