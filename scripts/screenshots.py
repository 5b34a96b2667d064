"""Make the pictures of pages: two of the report, from the bundled restaurants, and one of a comparison.

Needs Chromium, Playwright and Pillow: ``python scripts/screenshots.py``.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from steadyrank import Study
from steadyrank.demo import demo_file
from steadyrank.report.html import render_html
from steadyrank.writing import write_whole

FIGURES = Path(__file__).resolve().parents[1] / "docs" / "figures"
SIZE = {"width": 1080, "height": 1010}
COLOURS = 128


def main() -> int:
    """Write docs/figures/report-light.png, report-dark.png and compare.png."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.stderr.write(
            "there is no Chromium here: install it from the system's packages\n"
        )
        return 1
    FIGURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        with demo_file("restaurants.csv") as path:
            study = Study(path, item="restaurant", rating="stars", unit="reviewer")
            report = study.report(
                Path(folder) / "report.html",
                5,
                source="restaurants.csv",
                title="The five best restaurants",
            )
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        for scheme in ("light", "dark"):
            target = FIGURES / f"report-{scheme}.png"
            save(picture(browser, report.as_uri(), scheme), target)
            sys.stdout.write(f"{target.name}: {target.stat().st_size:,} bytes\n")
        with demo_file("benchmark.csv") as old, demo_file("benchmark_next.csv") as new:
            moves = render_html(
                Study(old).compare(new, 4).findings(source="benchmark.csv")
            )
        page = write_whole(moves, Path(folder) / "moves.html")
        save(
            picture(browser, page.as_uri(), "light", "#chart"), FIGURES / "compare.png"
        )
        browser.close()
    return 0


def picture(browser: Any, url: str, scheme: str, part: str | None = None) -> bytes:
    """Return the top of the page, or a part of it, at twice the resolution."""
    context = browser.new_context(
        viewport=SIZE, color_scheme=scheme, device_scale_factor=2
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    page.wait_for_timeout(300)  # the last chart is drawn a frame later
    shot: bytes = page.screenshot() if part is None else page.locator(part).screenshot()
    context.close()
    return shot


def save(shot: bytes, target: Path) -> None:
    """Write a PNG with a palette: a page has few colours, and a repository keeps every version."""
    with Image.open(io.BytesIO(shot)) as image:
        few = image.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(target, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
