"""Load ``benchmarks/authors_way.py``, which is no package, for the tests to compare with."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

_FILE = Path(__file__).resolve().parents[2] / "benchmarks" / "authors_way.py"


def load_authors_way() -> ModuleType:
    """Return the module, loaded once."""
    name = "authors_way"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, _FILE)
        assert spec is not None
        assert spec.loader is not None
        # Dataclasses look their module up by name while it is being loaded.
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


authors_way = load_authors_way()
