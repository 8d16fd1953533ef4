"""The HTML page of a tree in a real browser: it shows, answers as the model does, and asks nobody for anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import treewright as tw
from treewright.plot.html_page import tree_page
from treewright.table.encode import RowEncoder
from treewright.table.frame import open_frame


def _mixed_table(n: int, seed: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 80, n).astype(float),
            "city": random.choice(["Ulm", "Wien", "Bern", "Graz", "Linz"], n),
            "income": random.normal(40, 12, n).round(1),
            "size": pd.Categorical(
                random.choice(["small", "medium", "large"], n), ["small", "medium", "large"], ordered=True
            ),
            "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(random.integers(0, 2000, n), unit="D"),
        }
    )
    for name in ("age", "city", "income"):
        frame.loc[random.random(n) < 0.12, name] = None
    return frame


def _target(frame: pd.DataFrame) -> Any:
    score = frame["income"].fillna(30) + 10 * (frame["city"] == "Wien") + 0.2 * frame["age"].fillna(40)
    return score


def _codes(model: Any, frame: pd.DataFrame) -> list[list[float | None]]:
    """The rows as the page takes them: numbers and level codes, None for missing."""
    parts = RowEncoder(model.tree_.schema).encode(open_frame(frame)).parts
    columns = []
    for kind, values, mask in parts:
        numbers = np.asarray(values, dtype=np.float64)
        numbers = np.where(np.asarray(values) == 0, np.nan, numbers) if kind == "levels" else numbers
        columns.append(np.where(mask != 0, np.nan, numbers) if mask is not None else numbers)
    return [[None if value != value else float(value) for value in row] for row in zip(*columns, strict=True)]


_ASK = """rows => rows.map(row => {
  const found = treewrightPage.answer(row.map(value => value === null ? NaN : value));
  return found.shares ?? [found.value];
})"""

MODELS = {
    "cart": tw.DecisionTreeClassifier(max_depth=6),
    "surrogates": tw.DecisionTreeClassifier(max_depth=5, missing="surrogates"),
    "fractional": tw.DecisionTreeClassifier(max_depth=4, missing="fractional"),
    "own branch": tw.DecisionTreeClassifier(max_depth=4, missing="branch"),
    "c45": tw.C45Classifier(),
    "chaid": tw.CHAIDClassifier(min_samples_split=20, min_samples_leaf=8, alpha_split=0.5),
    "oblique": tw.ObliqueTreeClassifier(max_depth=4, random_state=0),
    "regression": tw.DecisionTreeRegressor(max_depth=5),
    "model tree": tw.ModelTreeRegressor(),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_page_answers_as_the_model_does(name: str, open_page: Any) -> None:
    frame, more = _mixed_table(400, 0), _mixed_table(200, 1)
    score = _target(frame)
    is_number = name in ("regression", "model tree")
    y = score if is_number else pd.cut(score, [-np.inf, 40, 55, np.inf], labels=["low", "middle", "high"]).astype(str)
    model = MODELS[name].fit(frame, y)
    page = open_page(tree_page(model))
    found = np.array(page.evaluate(_ASK, _codes(model, more)))
    expected = model.predict(more)[:, None] if is_number else model.predict_proba(more)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def _iris() -> Any:
    X, y = tw.datasets.load_iris(return_X_y=True)
    return tw.DecisionTreeClassifier(max_depth=4, keep_candidates=True).fit(X, y)


def test_a_click_shows_the_rule_of_a_node(open_page: Any) -> None:
    page = open_page(tree_page(_iris()))
    page.locator('[data-node="1"]').click()
    details = page.locator(".details")
    assert "petallength ≤ 2.45" in details.inner_text()
    assert "Iris-setosa" in details.inner_text()
    page.locator('[data-node="0"]').click()
    assert "petalwidth <= 0.8" in details.inner_text()  # a candidate


def test_the_form_predicts_and_lights_the_path(open_page: Any) -> None:
    page = open_page(tree_page(_iris()))
    page.get_by_role("spinbutton", name="petallength").fill("1.4")
    assert page.locator("[data-answer]").inner_text() == "Iris-setosa"
    lit = page.locator(".node.asked").evaluate_all("nodes => nodes.map(node => Number(node.dataset.node))")
    assert lit == [0, 1]
    page.get_by_role("button", name="Clear").click()
    assert page.locator(".node.asked").count() == 0


def test_keys_move_through_the_tree_and_fold_it(open_page: Any) -> None:
    page = open_page(tree_page(_iris()))
    n_nodes = page.locator("[role=treeitem]").count()
    page.locator('[data-node="0"]').focus()
    for key, expected in (("ArrowDown", 1), ("ArrowRight", 2), ("ArrowUp", 0), ("Home", 0)):
        page.keyboard.press(key)
        expect(page.locator(":focus")).to_have_attribute("data-node", str(expected))
    page.keyboard.press("Enter")
    assert page.locator("[role=treeitem]").count() == 1
    page.keyboard.press("Enter")
    assert page.locator("[role=treeitem]").count() == n_nodes


@pytest.mark.parametrize("view", ["Icicle", "Sunburst"])
def test_other_views_show_the_same_nodes(view: str, open_page: Any) -> None:
    page = open_page(tree_page(_iris()))
    before = page.locator("[role=treeitem]").count()
    page.get_by_role("radio", name=view).click()
    assert page.locator("[role=treeitem]").count() == before
    page.locator('[data-node="1"]').click()
    assert page.locator("#details-title").inner_text() == "Node 1"


def test_search_and_filters_dim_what_does_not_fit(open_page: Any) -> None:
    page = open_page(tree_page(_iris()))
    page.get_by_label("Search").fill("virginica")
    shown = page.locator(".node:not(.dim)").count()
    assert 0 < shown < page.locator(".node").count()
    page.get_by_label("Search").press("Enter")
    expect(page.locator("#details-title")).not_to_have_text("Node 0")
    page.get_by_label("Search").fill("")
    page.get_by_label("At least").fill("40")
    assert page.locator(".node.dim").count() > 0
    page.get_by_label("At least").fill("")
    page.get_by_label("Leaves predicting").select_option(label="Iris-setosa")
    assert page.locator(".node:not(.dim)").count() == 2  # the root and the leaf


def test_names_that_look_like_code_are_only_names(open_page: Any) -> None:
    harmful = "</script><script>window.broken = true</script><img src=x onerror='window.broken = true'> 🍋 & <b>"
    frame = pd.DataFrame({harmful: [1.0, 2.0, 3.0, 4.0], "b": [harmful, "x", harmful, "x"]})
    model = tw.DecisionTreeClassifier().fit(frame, [harmful, "no", harmful, harmful])
    page = open_page(tree_page(model, title=harmful))
    assert page.evaluate("window.broken") is None
    assert page.locator("h1").inner_text() == harmful
    assert page.title() == harmful


def test_ten_thousand_nodes_stay_smooth(open_page: Any) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(16_000, 6))
    model = tw.DecisionTreeClassifier().fit(X, random.integers(0, 3, len(X)))
    assert model.tree_.n_nodes > 10_000
    page = open_page(tree_page(model))
    page.get_by_role("button", name="Unfold all").click()
    page.get_by_role("button", name="Fit").click()
    page.locator(".picture.far path").first.wait_for()
    elements = page.evaluate("document.querySelectorAll('svg *').length")
    assert elements < 200  # thousands of nodes are a few paths, which is what keeps moving smooth
    page.mouse.move(400, 400)
    page.mouse.wheel(0, -300)
    page.get_by_role("radio", name="Sunburst").click()
    assert page.evaluate("document.querySelectorAll('svg *').length") < 5000


def test_dark_narrow_and_printed_pages_show_the_tree(open_page: Any) -> None:
    text = tree_page(_iris())
    dark = open_page(text, color_scheme="dark")
    assert dark.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 28)"
    printed = open_page(text)
    printed.emulate_media(media="print")
    assert printed.locator(".what-if form").is_hidden()
    assert printed.locator('[data-node="0"]').is_visible()


def test_a_single_leaf_and_a_regression_have_pages_too(open_page: Any) -> None:
    leaf = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "a"])
    assert open_page(tree_page(leaf)).locator("[role=treeitem]").count() == 1
    numbers = tw.DecisionTreeRegressor(max_depth=2).fit([[1], [2], [3], [4]], [1.0, 2.0, 5.0, 9.0])
    assert "Node 0" in open_page(tree_page(numbers)).locator(".details").inner_text()


def test_draw_writes_the_page_with_a_row_to_begin_with(open_page: Any, tmp_path: Path) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    path = tmp_path / "tree.html"
    tw.draw(tw.DecisionTreeClassifier(max_depth=2).fit(X, y), path, highlight=X.iloc[0])
    page = open_page(path.read_text(encoding="utf-8"))
    assert page.locator("[data-answer]").inner_text() == "Iris-setosa"
    assert page.get_by_role("spinbutton", name="petallength").input_value() == "1.4"
