"""The charting runtime that a page carries, and the policy under which the page runs.

Why Vega-Lite: charts are declared and a library made for it draws them, with scales, axes and tooltips
that we need not maintain, as SVG whose colours follow the page. ``vl-convert`` bundles
the runtime offline, as one script of about 0.9 MB; of the 2 MB that a report of 1,000 items may have,
that leaves enough. A smaller library would have to be vendored and kept up to date here.

Why the full bundle: Vega turns expressions into functions with ``eval`` unless it is given an
interpreter, which comes with vega-embed. With it the page needs no ``unsafe-eval``: it may run the
scripts whose hashes it names and nothing else, and may load nothing at all.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from steadyrank.errors import MissingPackageError

if TYPE_CHECKING:
    from collections.abc import Iterable

EXPOSE = "window.vegaEmbed = vegaEmbed;"
"""The one name that the page needs of the runtime."""


@cache
def chart_runtime() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script for a page."""
    try:
        import vl_convert
    except ImportError:
        raise MissingPackageError(
            "the charts of an HTML report need vl-convert-python", "report"
        ) from None
    script = vl_convert.javascript_bundle(EXPOSE)
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")


@cache
def asset(name: str) -> str:
    """Return a file of the page by name."""
    return files("steadyrank.report").joinpath("page", name).read_text(encoding="utf-8")


def content_policy(scripts: Iterable[str]) -> str:
    """Return the Content-Security-Policy of a page that may run these scripts and load nothing.

    Examples
    --------
    >>> content_policy(["1"]).split("; ")[:2]
    ["default-src 'none'", "script-src 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='"]
    """
    hashes = (b64encode(sha256(script.encode()).digest()).decode("ascii") for script in scripts)
    allowed = " ".join(f"'sha256-{value}'" for value in hashes)
    # Vega and its tooltip set styles on elements; the empty icon of the page is a data: address.
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
