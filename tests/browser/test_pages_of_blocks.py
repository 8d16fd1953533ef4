"""Reports, comparisons and the like in a real browser: nothing leaves its place, however long a name is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.pages.blocks import Drawing, Heading, Paragraph, Table
from treewright.pages.html_page import write_html
from treewright.plot.style import figure_svg

LONG = "days_since_last_contact_with_the_customer_of_the_branch"
SIZES = {"phone": (390, 844), "laptop": (1280, 800)}


def _open(open_page: Any, text: str, size: str) -> Any:
    page = open_page(text)
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
    return page


def _page() -> str:
    rows = ((LONG, "numeric", "0", "400", f"x 10 %, {LONG} 9 %"), ("age", "numeric", "0", "9", "a 12 %, b 3 %"))
    table = Table(("column", "kind", "missing", "distinct", "what is in it"), rows, frozenset({2, 3}), caption=LONG)
    picture = '<svg width="300pt" height="40pt" viewBox="0 0 300 40" xmlns="http://www.w3.org/2000/svg"></svg>'
    blocks = [Heading(1, f"What '{LONG}' depends on"), Heading(2, LONG, "a"), Paragraph(f"{LONG}: a guess."), table]
    return write_html([*blocks, Drawing(picture, f"rows by {LONG}", table)], LONG)


_LEAVING = """() => [...document.querySelectorAll('h1, h2, p, li, td, th, caption, figcaption')]
  .filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)"""


@pytest.mark.parametrize("size", SIZES)
def test_a_long_name_leaves_neither_its_cell_nor_the_window(size: str, open_page: Any) -> None:
    page = _open(open_page, _page(), size)
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0]
    assert page.evaluate(_LEAVING) == []


# Letters of one word that stand in two lines, for every word between underscores or spaces.
_BROKEN = """() => [...document.querySelectorAll('h1, h2, p, li, caption, figcaption')].flatMap((e) => {
  const text = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), found = [], range = document.createRange();
  while (text.nextNode())
    for (const word of text.currentNode.data.matchAll(/[A-Za-z]+/g)) {
      range.setStart(text.currentNode, word.index);
      range.setEnd(text.currentNode, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) found.push(word[0]);
    }
  return found;
})"""


def test_no_line_ends_inside_a_word_of_a_long_name(open_page: Any) -> None:
    assert _open(open_page, _page(), "phone").evaluate(_BROKEN) == []


def test_no_line_of_a_cell_begins_with_the_sign_of_a_percentage(open_page: Any) -> None:
    page = _open(open_page, _page(), "phone")
    shares = page.locator("td .whole")
    assert shares.count() == 4
    assert all(height < 30 for height in shares.evaluate_all("all => all.map(e => e.getBoundingClientRect().height)"))


def test_the_splits_of_two_models_fit_beside_each_other_on_a_laptop(open_page: Any) -> None:
    draw = np.random.default_rng(0)
    frame = pd.DataFrame({LONG: draw.integers(0, 99, 300), "kindOfContractWithTheCustomer": draw.choice([*"abc"], 300)})
    models = [
        tw.DecisionTreeRegressor(max_leaf_nodes=leaves).fit(frame, frame[LONG] + draw.normal(0, 9, 300))
        for leaves in (3, 6)
    ]
    page = _open(
        open_page, tw.diff(*models, names=("contracts_of_2024.tw", "contracts_of_2025.tw")).to_html(), "laptop"
    )
    inside = page.evaluate("[...document.querySelectorAll('.scroll')].map((e) => e.scrollWidth <= e.clientWidth)")
    assert inside
    assert all(inside)


def test_a_figure_beside_a_drawn_tree_does_not_hide_its_rows(open_page: Any) -> None:
    X, y = tw.datasets.load_boston(return_X_y=True)
    model = tw.DecisionTreeRegressor(max_leaf_nodes=3).fit(X, y)
    figure = figure_svg(tw.importance(model, kind="impurity").plot())
    page = _open(
        open_page, write_html([Drawing(figure, "a"), Drawing(tw.draw(model, X=X, y=y).to_svg(), "b")], ""), "laptop"
    )
    dots = page.locator("figure path[stroke-linecap]")  # lines of no length: only round ends make them to be seen
    assert dots.count() == 2
    assert set(dots.evaluate_all("all => all.map(e => getComputedStyle(e).strokeLinecap)")) == {"round"}
