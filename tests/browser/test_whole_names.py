"""Pages measured in a real browser: a name that fits is shown whole, and breaks between words where it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.plot.html_page import tree_page

PHONE = {"width": 390, "height": 844}


def _open(open_page: Any, model: Any, size: dict[str, int] | None = None) -> Any:
    page = open_page(tree_page(model))
    if size:
        page.set_viewport_size(size)
        page.reload()
    page.locator('[data-node="0"]').wait_for()
    page.wait_for_timeout(50)
    return page


def _flowers(leaves: int = 5) -> Any:
    return tw.DecisionTreeClassifier(max_leaf_nodes=leaves).fit(*tw.datasets.load_iris(return_X_y=True))


def _answers() -> Any:
    levels = ["satisfied", "neither satisfied nor dissatisfied", "very dissatisfied"]
    return tw.DecisionTreeClassifier().fit(np.arange(90)[:, None] // 30, np.repeat(levels, 30))


@pytest.mark.parametrize("dataset", ["load_iris", "load_glass"])
def test_a_node_that_asks_names_its_class_in_full(dataset: str, open_page: Any) -> None:
    X, y = getattr(tw.datasets, dataset)(return_X_y=True)
    page = _open(open_page, tw.DecisionTreeClassifier(max_leaf_nodes=12).fit(X, y))
    words = page.locator(".node .small").all_text_contents()
    assert len(words) > 8
    assert not [text for text in words if "…" in text]


def test_the_words_of_a_branch_break_between_words(open_page: Any) -> None:
    rank = np.tile(["AssocProf", "AsstProf", "Prof"], 40)
    model = tw.DecisionTreeRegressor(max_leaf_nodes=2).fit(pd.DataFrame({"rank": rank}), (rank == "Prof") * 9.0)
    lines = _open(open_page, model).locator(".links tspan").all_text_contents()
    assert "AsstProf" in " ".join(lines)
    assert {word for line in lines for word in line.split()} == {"AssocProf", "or", "AsstProf", "Prof"}


@pytest.mark.parametrize("view", ["Icicle", "Sunburst"])
def test_on_a_phone_the_areas_of_a_small_tree_have_whole_names(view: str, open_page: Any) -> None:
    page = _open(open_page, _flowers(4), PHONE)
    page.get_by_role("radio", name=view).click()
    page.wait_for_timeout(50)
    root = page.locator('[data-node="0"] .on-colour')
    assert root.text_content() == "petallength"


def test_on_a_phone_a_long_class_stands_beside_its_bar(open_page: Any) -> None:
    page = _open(open_page, _answers(), PHONE)
    rows = page.locator(".classes tr").evaluate_all(
        "rows => rows.map(r => [r.clientHeight, ...['.bar', 'th'].map(c => r.querySelector(c).clientWidth)])"
    )
    for height, bar, name in rows:
        assert height < 3 * 22  # two lines
        assert bar > 60
        assert name > 120


def test_a_tree_that_asks_nothing_has_no_form(open_page: Any) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    page = _open(open_page, tw.DecisionTreeClassifier(min_samples_split=1000).fit(X, y))
    assert page.get_by_role("heading", name="What if?").count() == 0
    assert _open(open_page, _flowers()).get_by_role("heading", name="What if?").count() == 1
