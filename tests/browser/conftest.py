"""A real browser for the tests of pages: wherever a Chromium is found."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for found in map(shutil.which, _NAMES) if found), None)
_REQUIRED = "TREEWRIGHT_BROWSER" in os.environ  # as in .ci/run: to have no browser is then a failure
# Without these flags it looks for its maker's servers at every start.
_QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without a browser there is nothing to run."""
    return True if CHROMIUM is None and not _REQUIRED and collection_path.name.startswith("test_") else None


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, started once."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=_QUIET)
        yield browser
        browser.close()


class OpenPage:
    """A page that was opened from a file, and everything that it complained about or asked for."""

    def __init__(self, browser: Any, path: Path, **context: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1300, "height": 820}, **context)
        self.page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url, path))
        self.page.goto(path.as_uri())

    def _note(self, url: str, path: Path) -> None:
        if url != path.as_uri() and not url.startswith("data:"):
            self.problems.append(f"it asked for {url}")


@pytest.fixture
def open_page(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """Opens the text of a page; nothing may be wrong with it when the test ends."""
    opened: list[OpenPage] = []

    def open_text(text: str, **context: Any) -> Any:
        path = tmp_path / f"page_{len(opened)}.html"
        path.write_text(text, encoding="utf-8")
        opened.append(OpenPage(chromium, path, **context))
        return opened[-1].page

    yield open_text
    problems = [problem for page in opened for problem in page.problems]
    for page in opened:
        page.context.close()
    assert problems == []
