"""Pictures of trees: whole, legible, harmless, and the same every time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

import treewright as tw
from properties.stored_trees import SCHEMA, Stored, stored_trees
from thorough import examples, some
from treewright.errors import DataError
from treewright.plot.draw_tree import size_on_a4
from treewright.plot.scene import Bend, Box, Words, bend_points, escape
from treewright.plot.text_size import text_width
from treewright.tree import Tree, example_tree

SVG = "{http://www.w3.org/2000/svg}"


def _texts(picture: Any) -> list[str]:
    root = ElementTree.fromstring(picture.to_svg())
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def _words_inside(picture: Any) -> None:
    """Every text lies inside the picture."""
    scene = picture.scene
    for group in scene.groups:
        for mark in group.marks:
            if isinstance(mark, Words):
                width = text_width(mark.text, mark.size, mark.bold)
                left = group.x + mark.x - {"start": 0.0, "middle": width / 2, "end": width}[mark.anchor]
                assert left >= 0
                assert left + width <= scene.width + 1e-6
                assert 0 <= group.y + mark.y <= scene.height


def _boxes(picture: Any) -> dict[str, tuple[float, float, float, float]]:
    """The frame of each node, which is its first box."""
    found = {}
    for group in picture.scene.groups:
        if group.name.startswith("node-"):
            box = next(mark for mark in group.marks if hasattr(mark, "radius"))
            found[group.name] = (group.x + box.x, group.y + box.y, box.width, box.height)
    return found


@pytest.fixture(scope="module")
def iris() -> tuple[pd.DataFrame, pd.Series]:
    return tw.datasets.load_iris(return_X_y=True)


# ---------------------------------------------------------------- any tree


@given(st.sampled_from([0, 2, 3]).flatmap(lambda k: stored_trees(k).map(lambda s: (s, k))), st.data())
@settings(max_examples=examples(80), deadline=None)
def test_any_tree_is_drawn_without_overlaps_and_as_sound_xml(drawn: tuple[Stored, int], data: st.DataObject) -> None:
    stored, k = drawn
    tree = Tree(stored.tree, SCHEMA, [f"class {i}" for i in range(k)] or None, "gini" if k else "squared_error")
    direction = data.draw(st.sampled_from(["auto", "down", "right"]))
    depth = data.draw(st.none() | st.integers(0, 3))
    picture = tw.draw(tree, max_depth=depth, direction=direction, leaves=data.draw(st.sampled_from(["bar", "pie"])))
    ElementTree.fromstring(picture.to_svg())
    _words_inside(picture)
    boxes = list(_boxes(picture).values())
    assert len(boxes) == int(np.sum(tree.node_depth <= (depth if depth is not None else tree.depth)))
    for i, (x, y, w, h) in enumerate(boxes):
        assert x >= 0 and y >= 0 and x + w <= picture.scene.width and y + h <= picture.scene.height  # noqa: PT018
        for x2, y2, w2, h2 in boxes[:i]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


@pytest.mark.parametrize("direction", ["down", "right"])
def test_children_stand_behind_their_parents_in_their_order(direction: str, iris: Any) -> None:
    tree = tw.DecisionTreeClassifier().fit(*iris).tree_
    boxes = _boxes(tw.draw(tree, direction=direction))
    along, across = (1, 0) if direction == "down" else (0, 1)
    for node in tree.nodes():
        own = boxes[f"node-{node.id}"]
        below = [boxes[f"node-{child.id}"] for child in node.children]
        assert all(box[along] >= own[along] + own[along + 2] for box in below)
        assert [box[across] for box in below] == sorted(box[across] for box in below)


# ---------------------------------------------------------------- what is said


def test_a_plain_picture_says_questions_answers_and_counts(iris: Any) -> None:
    texts = _texts(tw.draw(tw.DecisionTreeClassifier(max_depth=2).fit(*iris)))
    for said in ("class", "150 rows, 3 leaves, depth 2", "petallength", "≤ 2.45", "> 2.45", "100 % of 50 rows"):
        assert said in texts
    assert {"Iris-setosa", "Iris-versicolor", "Iris-virginica"} <= set(texts)


def test_the_branches_of_a_multiway_node_bear_its_levels() -> None:
    X, y = tw.datasets.load_restaurant(return_X_y=True)
    texts = _texts(tw.draw(tw.ID3Classifier().fit(X, y), X=X, y=y))
    assert {"Pat", "None", "Some", "Full", "Thai", "Burger"} <= set(texts)


def test_intervals_of_a_multiway_node_are_said() -> None:
    X, y = tw.datasets.load_penguins(return_X_y=True)
    texts = _texts(tw.draw(tw.CHAIDClassifier(min_samples_split=20, min_samples_leaf=10).fit(X, y), X=X, y=y))
    assert {"≤ 202", "202 < … ≤ 209", "> 209 or missing", "1 missing"} <= set(texts)


def test_an_oblique_node_shows_its_sum_and_its_cut() -> None:
    X, y = tw.datasets.load_penguins(return_X_y=True)
    texts = _texts(tw.draw(tw.ObliqueTreeClassifier().fit(X, y), X=X, y=y))
    assert {"≤ 18.64", "> 18.64"} <= set(texts)
    assert "bill_length_mm -\u00a01.334·bill_depth_mm" in "".join(texts).replace("mm-", "mm -")


def test_the_leaves_of_a_model_tree_show_their_equations() -> None:
    X, y = tw.datasets.load_boston(return_X_y=True)
    texts = _texts(tw.draw(tw.ModelTreeRegressor().fit(X, y)))
    assert any(text.startswith("medv = ") for text in texts)


def test_a_tree_of_an_ensemble_is_picked_by_its_number() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    model = tw.GradientBoostingClassifier(n_estimators=3, max_depth=2).fit(X, y)
    assert tw.draw(model, tree=1).to_svg() == tw.draw(model.trees_[1]).to_svg()
    texts = _texts(tw.draw(model, X=X, y=y, tree=1))  # leaves hold numbers, charts show the classes
    assert {"no", "yes"} <= set(texts)
    with pytest.raises(DataError, match=r"This model has 3 trees. Say which one to draw: tree=0 to tree=2."):
        tw.draw(model)
    with pytest.raises(DataError, match="tree=3: this model has the trees 0 to 2"):
        tw.draw(model, tree=3)


def test_missing_values_are_counted_and_said_where_they_go() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    texts = _texts(tw.draw(model, X=X, y=y))
    assert "185 missing" in texts
    assert any(text.endswith(" or missing") for text in texts)


def test_a_cut_picture_says_how_much_lies_below(iris: Any) -> None:
    texts = _texts(tw.draw(tw.DecisionTreeClassifier().fit(*iris), max_depth=1))
    assert any("nodes below" in text for text in texts)


def test_more_classes_than_colours_share_a_grey() -> None:
    X = np.arange(200.0).reshape(-1, 1)
    model = tw.DecisionTreeClassifier(max_depth=3).fit(X, [f"class {i // 5}" for i in range(200)])
    picture = tw.draw(model, X=X)
    assert "34 other classes" in _texts(picture)
    _words_inside(picture)


def test_a_leaf_alone_and_an_empty_leaf_are_drawn() -> None:
    assert "100 % of 2 rows" in _texts(tw.draw(tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "a"])))
    X, y = tw.datasets.load_restaurant(return_X_y=True)
    assert "no rows" in _texts(tw.draw(tw.ID3Classifier().fit(X, y)))


# ---------------------------------------------------------------- one row


def test_the_path_of_a_row_is_marked_with_its_values(iris: Any) -> None:
    X, y = iris
    model = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    row = X.iloc[60]
    pictures = [tw.draw(model, X=X, y=y, highlight=form).to_svg() for form in (row, dict(row), list(row), X.iloc[[60]])]
    assert len(set(pictures)) == 1
    path = [f"node-{i}" for i in model.decision_path(X.iloc[[60]]).indices]
    groups = {group.name: group for group in tw.draw(model, highlight=row).scene.groups}
    marked = [name for name, group in groups.items() if any(getattr(mark, "line", 0) == 1.8 for mark in group.marks)]
    assert marked == path
    assert f"this row: {row['petallength']:g}" in pictures[0]


def test_a_row_on_the_cut_goes_where_the_tree_sends_it() -> None:
    model = tw.DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], ["a", "a", "b"])
    cut = model.tree_.root.test.threshold
    picture = tw.draw(model, highlight=[cut])
    groups = {group.name: group for group in picture.scene.groups}
    leaf = f"node-{model.apply([[cut]])[0]}"
    assert any(getattr(mark, "line", 0) == 1.8 for mark in groups[leaf].marks)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([1, 2], "highlight= has 2 values, but the tree was grown on 4 columns"),
        (17, "highlight= takes the values of one row"),
        ("text", "highlight= takes the values of one row"),
    ],
)
def test_what_is_no_row_is_refused(row: Any, said: str, iris: Any) -> None:
    with pytest.raises(DataError, match=said):
        tw.draw(tw.DecisionTreeClassifier().fit(*iris), highlight=row)
    with pytest.raises(DataError, match=r"takes one row. Got a table of 150 rows"):
        tw.draw(tw.DecisionTreeClassifier().fit(*iris), highlight=iris[0])


# ---------------------------------------------------------------- strange names


STRANGE = ["</script><script>alert(1)</script>", "😀 & \"q\" 'r'", "x<y]]>", "tab\tbell\a", "日本語", "x" * 80, "&lt;"]


@pytest.mark.parametrize("name", some(STRANGE, 3))
def test_strange_names_are_harmless_text(name: str) -> None:
    X = pd.DataFrame({name: [name, "other", name, "third"], "n": [1.0, 2.0, 3.0, 4.0]})
    y = pd.Series([name, "a", name, "b"], name=name)
    for model in (tw.DecisionTreeClassifier().fit(X, y), tw.ID3Classifier().fit(X[[name]], y)):
        picture = tw.draw(model, X=X, y=y, highlight=dict(X.iloc[0]))
        svg = picture.to_svg()
        root = ElementTree.fromstring(svg)
        assert {element.tag for element in root.iter()} <= {
            SVG + tag for tag in ("svg", "title", "g", "rect", "path", "text")
        }
        assert "<script" not in svg
        _words_inside(picture)
        assert picture.to_bytes(".png")[:4] == b"\x89PNG"
        assert picture.to_bytes(".pdf")[:4] == b"%PDF"


@given(st.text())
def test_escaped_text_is_read_back_as_it_was(text: str) -> None:
    element = ElementTree.fromstring(f'<t a="{escape(text)}">{escape(text)}</t>')
    allowed = "".join(c if c in "\t\n\r" or (c >= " " and c not in "\ufffe\uffff") else "\ufffd" for c in text)
    assert (element.text or "") == allowed.replace("\r\n", "\n").replace("\r", "\n")
    assert "<" not in escape(text)


# ---------------------------------------------------------------- files


def test_the_same_picture_is_the_same_bytes(iris: Any) -> None:
    X, y = iris
    for ending in (".svg", ".png", ".pdf"):
        once = tw.draw(tw.DecisionTreeClassifier(max_depth=3).fit(X, y), X=X, y=y).to_bytes(ending)
        assert once == tw.draw(tw.DecisionTreeClassifier(max_depth=3).fit(X, y), X=X, y=y).to_bytes(ending)


@pytest.mark.parametrize(("name", "start"), [("t.svg", b"<svg"), ("t.PNG", b"\x89PNG"), ("t.pdf", b"%PDF")])
def test_the_ending_of_the_name_tells_the_format(name: str, start: bytes, tmp_path: Path) -> None:
    picture = tw.draw(example_tree(), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(start)
    assert picture.figure().get_size_inches().tolist() == pytest.approx(
        [picture.scene.width / 72, picture.scene.height / 72]
    )


def test_another_ending_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"tree.jpg: the name of a picture must end with .png, .svg, .pdf"):
        tw.draw(example_tree(), tmp_path / "tree.jpg")


def test_a_notebook_shows_the_tree(iris: Any) -> None:
    model = tw.DecisionTreeClassifier(max_depth=2)
    assert "<svg" not in model._repr_html_()
    model.fit(*iris)
    shown = model._repr_html_()
    assert tw.draw(model).to_svg() in shown
    assert "DecisionTreeClassifier" in shown  # what scikit-learn shows of every estimator
    assert model.tree_._repr_html_() == tw.draw(model)._repr_html_()
    assert "<svg" in model._repr_mimebundle_()["text/html"]


def test_a_notebook_shows_the_top_of_a_large_tree() -> None:
    rows = np.random.default_rng(0).normal(size=(3000, 3))
    tree = tw.DecisionTreeClassifier().fit(rows, np.arange(3000) % 2).tree_
    assert tree.n_nodes > 400
    assert "nodes below" in tree._repr_html_()


# ---------------------------------------------------------------- size and speed


def _full_tree(depth: int) -> tuple[Any, pd.DataFrame, Any]:
    """A full binary tree: every leaf of so many questions is there."""
    rows = np.arange(2**depth)
    bits = pd.DataFrame({f"a_column_{b}": (rows >> b) & 1 for b in range(depth)}, dtype=float)
    answers = np.where(np.bitwise_count(rows) % 2 == 0, "yes", "no")
    return tw.DecisionTreeClassifier().fit(bits, answers), bits, answers


def test_a_full_tree_of_depth_5_fits_on_a_sheet_of_a4() -> None:
    model, X, y = _full_tree(5)
    assert (model.get_depth(), model.get_n_leaves()) == (5, 32)
    scene = tw.draw(model).scene
    smallest = min(mark.size for group in scene.groups for mark in group.marks if isinstance(mark, Words))
    assert smallest * size_on_a4(scene.width, scene.height) >= 5.5  # points on paper
    with_charts = tw.draw(model, X=X, y=y).scene
    assert size_on_a4(with_charts.width, with_charts.height) >= 0.65


def test_small_trees_grow_down_and_large_ones_to_the_right() -> None:
    small, large = tw.draw(_full_tree(2)[0]), tw.draw(_full_tree(5)[0])
    assert small.to_svg() == tw.draw(_full_tree(2)[0], direction="down").to_svg()
    assert large.to_svg() == tw.draw(_full_tree(5)[0], direction="right").to_svg()


def test_a_thousand_nodes_take_less_than_a_second() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4000, 6)), np.where(rng.random(4000) < 0.5, "yes", "no")
    model = tw.DecisionTreeClassifier(max_leaf_nodes=500).fit(X, y)
    assert model.tree_.n_nodes == 999
    tw.draw(model, max_depth=2).to_svg()
    took = []
    for _ in range(2):
        start = time.process_time()
        tw.draw(model).to_svg()
        took.append(time.process_time() - start)
    assert min(took) < 1.0


def _chain(n: int) -> Tree:
    """A tree that is one long path: n questions, a leaf at each."""
    from treewright import _core

    size = 2 * n + 1
    leaf = np.arange(size) % 2 == 1
    leaf[-1] = True
    rows = np.where(leaf, 1, n + 1 - np.arange(size) // 2)
    none = np.zeros(0, np.uint32)
    arrays = {
        "n_children": np.where(leaf, 0, 2).astype(np.uint16),
        "kind": np.where(leaf, 0, 1).astype(np.uint8),
        "column": np.where(leaf, -1, 1).astype(np.int32),
        "threshold": np.where(leaf, np.nan, np.arange(size) * 1.0),
        "missing_branch": np.where(leaf, -1, 0).astype(np.int32),
        "level_start": np.zeros(size + 1, np.int64),
        "level": none,
        "level_branch": none.astype(np.uint16),
        "n_rows": rows.astype(np.int64),
        "weight": rows * 1.0,
        "impurity": np.zeros(size),
        "gain": np.zeros(size),
        "count_start": np.arange(size + 1, dtype=np.int64),
        "count_class": (np.arange(size) % 2).astype(np.uint32),
        "count_weight": rows * 1.0,
        "prediction": (np.arange(size) % 2).astype(np.int32),
    }
    return Tree(_core.Tree(arrays, 2, 2), example_tree().schema, ["no", "yes"], "gini")


def test_a_chain_of_500_nodes_is_drawn_as_svg_and_pdf_but_not_as_unreadable_png() -> None:
    picture = tw.draw(_chain(250))
    assert len(_boxes(picture)) == 501
    assert picture.to_bytes(".pdf")[:4] == b"%PDF"
    with pytest.raises(DataError, match=r"as PNG its letters would be too small to read. Write SVG or PDF"):
        picture.to_bytes(".png")


def test_too_many_nodes_are_refused_with_a_depth_that_is_not_too_many() -> None:
    tree = _chain(50_000)
    with pytest.raises(DataError, match=r"100,001 nodes, and nobody reads more than 20,000.*max_depth=5"):
        tw.draw(tree)
    assert len(_boxes(tw.draw(tree, max_depth=5))) == 11


# ---------------------------------------------------------------- what cannot be drawn


def test_what_is_no_fitted_tree_is_refused(iris: Any) -> None:
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(NotFittedError, match="not fitted yet"):
        tw.draw(tw.DecisionTreeClassifier())
    with pytest.raises(DataError, match=r"takes a tree or a fitted model of treewright. Got a DecisionTreeClassifier"):
        tw.draw(DecisionTreeClassifier().fit(*iris))
    with pytest.raises(DataError, match=r"This model is a single tree. Leave out tree="):
        tw.draw(tw.DecisionTreeClassifier().fit(*iris), tree=0)


def test_rows_that_do_not_fit_the_tree_are_refused(iris: Any) -> None:
    X, y = iris
    model = tw.DecisionTreeClassifier().fit(X, y)
    with pytest.raises(DataError, match=r"has no column 'petalwidth'.*Did you mean 'petal_width'"):
        tw.draw(model, X=X.rename(columns={"petalwidth": "petal_width"}), y=y)
    with pytest.raises(DataError, match="y must have one value for each of the 150 rows"):
        tw.draw(model, X=X, y=y[:10])
    with pytest.raises(DataError, match="y holds 'Iris-setosaa', which is none of the classes"):
        tw.draw(model, X=X, y=["Iris-setosaa", *y[1:]])
    with pytest.raises(DataError, match="y alone shows nothing"):
        tw.draw(model, y=y)
    with pytest.raises(DataError, match="The table has 2 columns, but the tree was grown on 4"):
        tw.draw(model, X=X.to_numpy()[:, :2])
    with pytest.raises(DataError, match="direction='up' is not one of 'auto', 'down', 'right'"):
        tw.draw(model, direction="up")
    with pytest.raises(DataError, match="max_depth must be at least 0"):
        tw.draw(model, max_depth=-1)


def test_columns_are_found_by_name_in_any_frame(iris: Any) -> None:
    import polars as pl

    X, y = iris
    model = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    expected = tw.draw(model, X=X, y=y).to_svg()
    assert tw.draw(model, X=X[X.columns[::-1]].assign(more=1), y=y).to_svg() == expected
    assert tw.draw(model, X=pl.from_pandas(X), y=y.to_numpy()).to_svg() == expected
    assert tw.draw(model, X=X.to_numpy(), y=y).to_svg() == expected


def test_a_row_that_is_spread_has_a_path_in_every_branch() -> None:
    X, y = tw.datasets.load_vote(return_X_y=True)
    model = tw.C45Classifier().fit(X, y)
    nothing_known = dict.fromkeys(X.columns)
    ElementTree.fromstring(tw.draw(model, X=X, y=y, highlight=nothing_known).to_svg())
    groups = [group for group in tw.draw(model, highlight=nothing_known).scene.groups if group.name.startswith("node")]
    assert len(groups) == model.tree_.n_nodes
    assert all(any(getattr(mark, "line", 0) == 1.8 for mark in group.marks) for group in groups)


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("name", ["model tree", "rows and levels"])
def test_no_branch_passes_behind_a_box(name: str, direction: str) -> None:
    if name == "model tree":  # leaves with equations are higher than the nodes beside them
        X, y = tw.datasets.load_auto_mpg(return_X_y=True)
        scene = tw.draw(tw.ModelTreeRegressor().fit(X, y), direction=direction).scene
    else:
        X, y = tw.datasets.load_credit_g(return_X_y=True)
        model = tw.DecisionTreeClassifier(max_leaf_nodes=12).fit(X, y)
        scene = tw.draw(model, X=X, y=y, direction=direction).scene
    frames = [
        (group.x, group.y, group.x + mark.width, group.y + mark.height)
        for group in scene.groups
        if group.name.startswith("node-")
        for mark in group.marks[:10]
        if isinstance(mark, Box) and (mark.x, mark.y) == (0, 0)
    ]
    branches = next(group for group in scene.groups if group.name == "branches")
    bends = [mark for mark in branches.marks if isinstance(mark, Bend)]
    assert len(bends) == len(frames) - 1
    for bend in bends:
        for x, y in _points_of(bend):
            x, y = x + branches.x, y + branches.y
            assert not any(x0 + 0.1 < x < x1 - 0.1 and y0 + 0.1 < y < y1 - 0.1 for x0, y0, x1, y1 in frames)


def _points_of(bend: Bend) -> list[tuple[float, float]]:
    """Points along a bend: straight, curved, straight."""
    curve = bend_points(bend)
    shares = np.linspace(0, 1, 25)[:, None]
    a, b, c, d = (np.array(point) for point in curve)
    bent = (1 - shares) ** 3 * a + 3 * (1 - shares) ** 2 * shares * b + 3 * (1 - shares) * shares**2 * c + shares**3 * d
    before = np.array(bend.start) + shares * (a - np.array(bend.start))
    after = d + shares * (np.array(bend.end) - d)
    return [(float(x), float(y)) for x, y in np.concatenate([before, bent, after])]


def test_every_node_of_a_regression_says_what_its_number_is() -> None:
    rng = np.random.default_rng(0)
    rank = rng.choice(["AssocProf", "AsstProf", "Prof"], 397)
    pay = 80_000 + 41_000.5 * (rank == "Prof") + rng.normal(0, 9000, 397).round(1)
    X = pd.DataFrame({"rank": rank, "years": rng.integers(0, 40, 397)})
    picture = tw.draw(tw.DecisionTreeRegressor(max_leaf_nodes=6).fit(X, pd.Series(pay, name="salary")))
    nodes = [group for group in picture.scene.groups if group.name.startswith("node-")]
    assert len(nodes) == 11
    for group in nodes:
        assert any("mean " in mark.text for mark in group.marks if isinstance(mark, Words)), group.title
