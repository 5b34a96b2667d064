"""Public names that are loaded when they are first used, so that importing a package costs little.

They are declared once, as imports in the stub file (``__init__.pyi``) beside the package, which type
checkers and editors read, too. The stub is read when somebody asks for a public name: the command line,
which asks for none, never does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

DECLARED = re.compile(r"^from (\S+)|\b(\w+) as \2\b|import (\*)", re.MULTILINE)
"""In a stub: where names come from; then each name, or all of that part."""


def attach(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package with a stub file.

    Parameters
    ----------
    package, file : str
        Its ``__name__`` and ``__file__``.
    """
    stub = Path(file).with_suffix(".pyi")

    def load(name: str) -> object:
        homes = _declared(stub)
        if name == "__all__":
            return sorted(homes)
        if name in homes:
            return getattr(import_module(homes[name]), name)
        try:  # a module of the package, such as steadyrank.report
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}"
            ) from None

    return load, lambda: sorted(_declared(stub))


@cache
def _declared(stub: Path) -> dict[str, str]:
    """Return the names that a stub file imports, each with its module."""
    homes: dict[str, str] = {}
    module = ""
    for source, name, everything in DECLARED.findall(stub.read_text(encoding="utf-8")):
        module = source or module
        names = (
            _declared(stub.parent / module.rpartition(".")[2] / stub.name)
            if everything
            else [name]
        )
        homes |= {name: module for name in names if name}
    return homes
