"""Pages measured in a real browser: no word is covered, cut or too faint, and a tree fills the window."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.plot.html_page import tree_page

SIZES = {"laptop": (1280, 800), "desktop": (1920, 1080), "phone": (390, 844)}


def _contracts(n: int = 1500) -> tuple[pd.DataFrame, list[str]]:
    """A lopsided table with names that are too long for a box."""
    draw = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "days_since_last_contact_with_customer": draw.integers(0, 400, n),
            "region": draw.choice(["north", "south", "east", "west", "overseas territories"], n),
            "amount": draw.gamma(2, 300, n).round(2),
            "kindOfContractWithTheCustomer": draw.choice(["month-to-month", "one year", "two years or more"], n),
        }
    )
    chance = 0.01 + 0.1 * (frame["amount"] > 900) + 0.2 * (frame["region"] == "overseas territories")
    return frame, ["fraud" if hit else "no fraud" for hit in draw.random(n) < chance]


def _model(name: str) -> Any:
    if name == "long names":
        return tw.DecisionTreeClassifier(max_leaf_nodes=9).fit(*_contracts())
    if name == "numbers":
        X, y = tw.datasets.load_boston(return_X_y=True)
        return tw.DecisionTreeRegressor(max_leaf_nodes=20).fit(X, y)
    if name == "model tree":
        X, y = tw.datasets.load_auto_mpg(return_X_y=True)
        return tw.ModelTreeRegressor().fit(X, y)
    if name == "many branches":
        X, y = tw.datasets.load_penguins(return_X_y=True)
        return tw.CHAIDClassifier(min_samples_split=20, min_samples_leaf=5, alpha_split=0.5).fit(X, y)
    X, y = tw.datasets.load_credit_g(return_X_y=True)
    return tw.DecisionTreeClassifier(max_leaf_nodes=int(name)).fit(X, y)


# Everything that is written or that covers something, as boxes on the screen, with what it belongs to.
_MEASURE = """() => {
  const seen = (e) => {
    const r = e.getBoundingClientRect();
    return {x0: r.left, y0: r.top, x1: r.right, y1: r.bottom};
  };
  const all = (what) => [...document.querySelectorAll(`.picture ${what}`)];
  return {
    boxes: all('.box').map(seen), buttons: all('.fold circle:not(.reach)').map(seen),
    words: all('.node text').map((e) => ({...seen(e), node: e.closest('.node').dataset.node, text: e.textContent})),
    owners: Object.fromEntries(all('.node').map((e) => [e.dataset.node, seen(e.querySelector('.box'))])),
    labels: all('.links text').filter((e) => e.textContent).map((e) => ({...seen(e), text: e.textContent})),
    branches: all('.links path').map((e) => {
      const m = e.getScreenCTM(), n = 60, length = e.getTotalLength();
      const points = Array.from({length: n + 1}, (_, i) => e.getPointAtLength((length * i) / n).matrixTransform(m));
      return points.map((p) => [p.x, p.y]);
    }),
    picture: seen(document.querySelector('.picture')), scale: document.querySelector('.picture > g').getScreenCTM().a,
  };
}"""


def _overlap(a: dict[str, float], b: dict[str, float], air: float = 0.0) -> bool:
    return a["x0"] + air < b["x1"] and b["x0"] + air < a["x1"] and a["y0"] + air < b["y1"] and b["y0"] + air < a["y1"]


def _open(open_page: Any, model: Any, size: str = "laptop", **context: Any) -> Any:
    page = open_page(tree_page(model), **context)
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    page.reload()
    page.locator('[data-node="0"]').wait_for()
    page.wait_for_timeout(50)
    return page


KINDS = ["5", "16", "30", "long names", "numbers", "model tree", "many branches"]


@pytest.mark.parametrize("name", KINDS)
def test_nothing_in_the_tree_covers_a_word(name: str, open_page: Any) -> None:
    found = _open(open_page, _model(name)).evaluate(_MEASURE)
    assert found["words"]
    for word in found["words"]:  # inside its own box, under no button
        own = found["owners"][word["node"]]
        assert own["x0"] <= word["x0"] < word["x1"] <= own["x1"], word
        assert own["y0"] - 1 <= word["y0"] < word["y1"] <= own["y1"] + 1, word
        assert not any(_overlap(word, button) for button in found["buttons"]), word
    for i, label in enumerate(found["labels"]):  # beside every box and every other label
        assert not any(_overlap(label, box, 0.5) for box in found["boxes"]), label
        assert not any(_overlap(label, other, 0.5) for other in found["labels"][:i]), label


@pytest.mark.parametrize("name", KINDS)
def test_no_branch_passes_behind_a_box_or_a_label(name: str, open_page: Any) -> None:
    found = _open(open_page, _model(name)).evaluate(_MEASURE)
    assert len(found["branches"]) == len(found["boxes"]) - 1
    for branch in found["branches"]:
        for x, y in branch[2:-2]:
            point = {"x0": x, "x1": x, "y0": y, "y1": y}
            assert not any(_overlap(point, other, 1.0) for other in found["boxes"] + found["labels"]), (name, point)


@pytest.mark.parametrize("size", ["laptop", "desktop"])
@pytest.mark.parametrize("name", ["9", "16", "30", "numbers"])
def test_a_tree_of_nine_to_thirty_leaves_fills_the_window_at_the_first_look(
    name: str, size: str, open_page: Any
) -> None:
    model = _model(name)
    found = _open(open_page, model, size).evaluate(_MEASURE)
    assert len(found["boxes"]) == model.tree_.n_nodes
    window, boxes = found["picture"], found["boxes"]
    wide = max(box["x1"] for box in boxes) - min(box["x0"] for box in boxes)
    high = max(box["y1"] for box in boxes) - min(box["y0"] for box in boxes)
    assert wide > 0.7 * (window["x1"] - window["x0"])
    assert high > 0.7 * (window["y1"] - window["y0"])
    for box in boxes:
        assert _overlap(box, window), "a node outside of the window"


def test_on_a_phone_the_bar_is_low_and_the_areas_have_words(open_page: Any) -> None:
    page = _open(open_page, _model("16"), "phone")
    assert page.evaluate("document.querySelector('header').getBoundingClientRect().height") < 90
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(_MEASURE)["scale"] > 0.55  # letters of 7 pixels at the least
    page.get_by_role("button", name="More").click()
    assert page.get_by_label("Search").is_visible()
    page.get_by_role("button", name="More").click()
    page.get_by_role("radio", name="Icicle").click()
    areas, words = page.locator(".node .area").count(), page.locator(".node .on-colour").count()
    assert words > 0.6 * areas


def test_on_a_phone_the_legend_of_five_classes_shows_its_scale(open_page: Any) -> None:
    classes = np.repeat(["northern", "eastern", "southern", "western", "central"], 30)
    size = (np.arange(150) // 30 * 10 + np.arange(150) % 11)[:, None]
    page = _open(open_page, tw.DecisionTreeClassifier(max_leaf_nodes=6).fit(size, classes), "phone")
    ends = page.evaluate("[...document.querySelectorAll('.legend span')].map((e) => e.getBoundingClientRect().right)")
    assert len(ends) == 6
    assert max(ends) <= 390
    assert page.evaluate("document.querySelector('.legend .ramp').textContent").startswith("share of the class")


_AREAS = """() => [...document.querySelectorAll('.picture .node')].map((node) => {
  const text = node.querySelector('text'), area = node.querySelector('.area');
  if (!text) return {inside: true, text: ''};
  const box = text.getBBox(), from = text.getScreenCTM(), to = area.getScreenCTM().inverse();
  const [x0, x1, y0, y1] = [box.x, box.x + box.width, box.y + 3, box.y + box.height - 3];
  const corners = [[x0, y0], [x1, y0], [x0, y1], [x1, y1]];
  const inside = corners.every(([x, y]) => {
    const point = area.ownerSVGElement.createSVGPoint();
    point.x = x, point.y = y;
    return area.isPointInFill(point.matrixTransform(from).matrixTransform(to));
  });
  return {inside, text: text.textContent, fill: getComputedStyle(area).fill, ink: getComputedStyle(text).fill};
})"""


def _contrast(one: str, two: str) -> float:
    def light(colour: str) -> float:
        parts = [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(two)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["Icicle", "Sunburst"])
@pytest.mark.parametrize("name", ["16", "long names", "numbers"])
def test_words_of_areas_lie_inside_them_and_stand_out(name: str, view: str, scheme: str, open_page: Any) -> None:
    page = _open(open_page, _model(name), color_scheme=scheme)
    page.get_by_role("radio", name=view).click()
    found = [area for area in page.evaluate(_AREAS) if area["text"]]
    assert len(found) > 4
    assert [area["text"] for area in found if not area["inside"]] == []
    assert min(_contrast(area["fill"], area["ink"]) for area in found) > 4.4


def test_a_lopsided_table_has_more_than_one_shade(open_page: Any) -> None:
    page = _open(open_page, _model("long names"))
    page.get_by_role("radio", name="Sunburst").click()
    fills = page.locator(".node .area").evaluate_all("areas => areas.map(area => getComputedStyle(area).fill)")
    assert len(set(fills)) >= 6


def test_shares_of_nearly_one_are_shades_that_eyes_tell_apart(open_page: Any) -> None:
    row = np.arange(2000)
    model = tw.DecisionTreeClassifier(max_leaf_nodes=3).fit(
        np.stack([row >= 1900, row % 2 == 0], axis=1),
        np.where((row >= 1900) & (row % 10 < 9) | (row % 100 == 0), "b", "a"),
    )
    page = _open(open_page, model)
    page.get_by_role("radio", name="Icicle").click()
    root, leaf = (page.locator(f'[data-node="{node}"] .area') for node in (0, 1))
    assert "95 % of them are a" in page.locator("aside").inner_text()
    leaf.click()
    assert "99 % of them are a" in page.locator("aside").inner_text()
    assert _contrast(*(area.evaluate("e => getComputedStyle(e).fill") for area in (root, leaf))) > 1.5
    assert re.fullmatch(r"share of the class \d+ %\s+\d+ %\s+\d+ %", page.locator(".legend .ramp").inner_text())


def test_a_name_is_cut_between_words_and_a_number_not_at_all(open_page: Any) -> None:
    frame, _ = _contracts(10)
    page = _open(open_page, _model("long names"))
    page.get_by_role("radio", name="Sunburst").click()
    shown = page.locator(".node .on-colour").all_text_contents()
    cut = [text.removesuffix("…").rstrip() for text in shown if text.endswith("…")]
    assert cut
    for text in cut:
        rest = next(name.removeprefix(text) for name in frame.columns if name.startswith(text))
        assert text.endswith("_") or rest[0].isupper() or len(text) < len("days_"), text  # or no word fits
    numbers = _open(open_page, _model("numbers"))
    numbers.get_by_role("radio", name="Sunburst").click()
    answers = numbers.locator(".node.leaf text").all_text_contents()
    assert answers
    assert not any("…" in text for text in answers)


def test_the_leaf_of_a_model_tree_shows_its_equation(open_page: Any) -> None:
    model = _model("model tree")
    page = _open(open_page, model)
    leaf = int(np.flatnonzero(model.tree_.arrays["n_children"] == 0)[0])
    page.locator(f'[data-node="{leaf}"]').click()
    assert f"class = {model.tree_.node(leaf).equation}" in page.locator(".rule").inner_text()


def test_reset_view_brings_back_the_first_look(open_page: Any) -> None:
    page = _open(open_page, _model("16"))
    first = page.evaluate(_MEASURE)
    page.get_by_role("button", name="Fold all", exact=True).click()
    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Reset view").click()
    page.wait_for_timeout(50)
    again = page.evaluate(_MEASURE)
    assert len(again["boxes"]) == len(first["boxes"])
    assert abs(again["scale"] - first["scale"]) < 1e-6


@pytest.mark.parametrize(("leaves", "scales"), [(1, 0), (2, 1)])
def test_one_number_has_no_scale(leaves: int, scales: int, open_page: Any) -> None:
    model = tw.DecisionTreeRegressor(max_leaf_nodes=2, min_samples_split=2 if leaves == 2 else 999)
    page = _open(open_page, model.fit(*tw.datasets.load_boston(return_X_y=True)))
    assert page.locator(".legend .ramp").count() == scales
