"""The site that `make docs` has built: it asks nobody for anything, and can be searched without a server.

`make docs` runs this; without a built site there is nothing to look at.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import treewright

SITE = Path(__file__).parents[2] / "build" / "site"
# What a browser loads by itself; an `a` is followed by a reader only.
_LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href", "object": "data"}
_IN_STYLES = re.compile(r"""(?:url\(|@import)\s*['"]?\s*((?:https?:)?//[^'")\s]+)""")


class _Loaded(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        address = dict(attrs).get(_LOADS.get(tag, ""))
        if address and re.match(r"(https?:)?//", address):
            self.found.append(address)


def loaded_from_elsewhere(html: str) -> list[str]:
    """List what a page would load from other places.

    >>> loaded_from_elsewhere('<a href="https://a.org">a</a><script src="https://b.org/c.js"></script><img src="d">')
    ['https://b.org/c.js']
    """
    reader = _Loaded()
    reader.feed(html)
    return reader.found + _IN_STYLES.findall("".join(re.findall(r"<style.*?</style>", html, re.S)))


def test_no_page_loads_anything_from_elsewhere() -> None:
    pages = sorted(SITE.rglob("*.html"))
    assert len(pages) > 60
    found = {page.name: loaded_from_elsewhere(page.read_text(encoding="utf-8")) for page in pages}
    assert {name: addresses for name, addresses in found.items() if addresses} == {}


def test_no_style_loads_anything_from_elsewhere() -> None:
    styles = sorted(SITE.rglob("*.css"))
    assert styles
    assert [found for style in styles for found in _IN_STYLES.findall(style.read_text(encoding="utf-8"))] == []


def test_every_public_name_has_its_place_in_the_reference() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (SITE / "api").glob("*.html"))
    assert [name for name in treewright.__all__ if f'id="{_place(name)}"' not in pages] == []


def _place(name: str) -> str:
    """Where a public name stands. That of a function and of a folder (`tw.save`) is the folder's own to MkDocs."""
    value = getattr(treewright, name)
    is_folder = (Path(treewright.__file__).parent / name).is_dir()
    return f"{value.__module__}.{name}" if is_folder and callable(value) else f"treewright.{name}"


def test_the_site_can_be_searched_from_a_folder(chromium: Any) -> None:
    context = chromium.new_context(viewport={"width": 1300, "height": 820})
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: request.url.startswith("http") and problems.append(request.url))
    page.goto((SITE / "index.html").as_uri())
    page.locator("input.md-search__input").click()
    page.locator("input.md-search__input").press_sequentially("surrogates")  # it listens to keys
    page.locator(".md-search-result__item a").first.wait_for(timeout=20_000)
    assert "rpart" in page.locator(".md-search-result__list").inner_text()
    context.close()
    assert problems == []
