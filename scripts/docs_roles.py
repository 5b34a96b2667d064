"""Show the references of docstrings (:func:`name`, :class:`~package.Name`) as plain code.

The docstrings follow the habit of NumPy's documentation; the site is written in Markdown, which does
not know these roles. mkdocstrings loads this file as an extension of its collector.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":(?:func|class|meth|mod|attr|data|exc|obj):`~?([^`]+)`")


def without_roles(text: str) -> str:
    """Return the text with each role replaced by the last part of the name as code.

    Examples
    --------
    >>> without_roles("see :class:`~steadyrank.errors.TooLargeError` and :func:`inflated_topk`")
    'see `TooLargeError` and `inflated_topk`'
    """
    return ROLE.sub(lambda match: f"`{match[1].rsplit('.', 1)[-1]}`", text)


class PlainRoles(griffe.Extension):
    """Rewrite the docstring of every collected object."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = without_roles(obj.docstring.value)
