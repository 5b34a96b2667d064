"""A real browser: Chromium from the system, driven by Playwright; never downloaded."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank.report.html import render_html
from steadyrank.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
    None,
)
IN_CI = os.environ.get("CI", "").lower() in {"1", "true"}


def _cannot(why: str) -> None:
    if IN_CI:
        pytest.fail(f"CI must try the report in a browser, but {why}")
    pytest.skip(why)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start the browser once."""
    if CHROMIUM is None:
        _cannot("there is no Chromium here")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _cannot("Playwright is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        yield browser
        browser.close()


@dataclass
class Opened:
    """A report in a browser, and all that it said and asked for."""

    page: Any
    url: str
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def move(self, *, k: int | None = None, leave: int | None = None) -> None:
        """Type a k, or how many may leave."""
        for name, value in (("#k-number", k), ("#m-number", leave)):
            if value is not None:
                self.page.fill(name, str(value))

    def rows(self, table: str = "#items") -> list[dict[str, str]]:
        """Return the rows of a table as they are shown, by the titles of their cells."""
        return self.page.evaluate(
            """(table) => [...document.querySelectorAll(`${table} tbody tr`)].map((row) =>
                Object.fromEntries([...row.children].map((cell) =>
                    [cell.dataset.title, cell.innerText.trim()])))""",
            table,
        )

    def hero(self) -> list[dict[str, Any]]:
        """Return the rows of the chart: their words, and where bar and mark are drawn, in pixels."""
        return self.page.evaluate(
            """() => [...document.querySelectorAll("#hero tbody tr")].map((row) => {
                const box = (part) => {
                    const found = row.querySelector(part);
                    const edges = found && found.getBoundingClientRect();
                    return found && [edges.left, edges.right];
                };
                const text = (part) => row.querySelector(part).innerText;
                const [share, away] = [...row.querySelectorAll("td.number")].map((one) => one.innerText);
                return {rank: Number(row.dataset.rank), standing: row.classList[0], share, away,
                        name: text("bdi"), told: text(".hidden"),
                        bar: box(".bar"), mark: box(".mark"), cut: box(".cut")};
            })"""
        )

    def text(self, selector: str) -> str:
        return self.page.inner_text(selector)

    def settings(self) -> tuple[int, int]:
        """Return k and how many may leave, as the page has them."""
        found = self.page.evaluate("() => ({...document.documentElement.dataset})")
        return int(found["k"]), int(found["leave"])


@pytest.fixture
def open_report(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """Return a function that opens a document's report; the page must stay silent and offline."""
    opened: list[tuple[Any, Opened]] = []

    def _open(
        document: Any, *, title: str | None = None, at: str = "", **context: Any
    ) -> Opened:
        path = write_whole(
            render_html(document, title=title), tmp_path / f"report-{len(opened)}.html"
        )
        settings = {
            "viewport": {"width": 1100, "height": 900},
            "color_scheme": "light",
            **context,
        }
        made = chromium.new_context(**settings)
        made.set_default_timeout(0)  # a busy machine takes its time
        found = Opened(made.new_page(), path.as_uri())
        found.page.on("console", lambda message: found.console.append(message.text))
        found.page.on("pageerror", lambda error: found.console.append(str(error)))
        found.page.on("request", lambda request: found.requests.append(request.url))
        found.page.on(
            "dialog",
            lambda dialog: (found.dialogs.append(dialog.message), dialog.dismiss()),
        )
        found.page.goto(found.url + at)
        # Until it is drawn, however long that takes, or says that it cannot be.
        while (
            not found.console
            and found.page.query_selector("html[data-ready=yes]") is None
        ):
            found.page.wait_for_timeout(50)
        assert found.console == []
        opened.append((made, found))
        return found

    yield _open
    for made, found in opened:
        made.close()
        assert found.console == []
        assert found.dialogs == []
        foreign = [
            url for url in found.requests if not url.startswith(("blob:", "data:"))
        ]
        assert {url.partition("#")[0] for url in foreign} <= {found.url}
