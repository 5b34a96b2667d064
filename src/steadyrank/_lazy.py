"""Public names that are loaded when they are first used, so that importing a package costs little.

They are declared once, as imports in the stub file (``__init__.pyi``) beside the package, which type
checkers and editors read, too.
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def attach(
    package: str, file: str
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` for a package with a stub file.

    Parameters
    ----------
    package, file : str
        Its ``__name__`` and ``__file__``.
    """
    homes = _declared(Path(file).with_suffix(".pyi"))

    def load(name: str) -> object:
        if name in homes:
            return getattr(import_module(homes[name]), name)
        try:  # a module of the package, such as steadyrank.report
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError:
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from None

    return load, lambda: sorted(homes), sorted(homes)


def _declared(stub: Path) -> dict[str, str]:
    """Return the names that a stub file imports, each with its module; of a part perhaps all."""
    homes: dict[str, str] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            module, names = str(node.module), [alias.name for alias in node.names]
            part = stub.parent / module.rpartition(".")[2] / stub.name
            homes |= dict.fromkeys(_declared(part) if names == ["*"] else names, module)
    return homes
