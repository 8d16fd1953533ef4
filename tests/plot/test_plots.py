"""Plots show the numbers that they are about."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

import treewright as tw
from treewright.errors import DataError
from treewright.plot.class_plots import ClassScores, calibration_groups
from treewright.plot.style import new_figure, part_ticks, treewright_style


@pytest.fixture(scope="module")
def titanic() -> tuple[Any, Any, Any, Any]:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def tree(titanic: Any) -> Any:
    return tw.DecisionTreeClassifier(max_depth=4).fit(*titanic[:2])


def test_confusion_shows_every_count(tree: Any, titanic: Any) -> None:
    X, y = titanic[2:]
    figure = tw.plot_confusion(tree, X, y)
    said = sorted(int(text.get_text().replace(",", "")) for text in figure.axes[0].texts)
    answers = tree.predict(X)
    expected = sorted(int(np.sum((y == a) & (answers == b))) for a in ("no", "yes") for b in ("no", "yes"))
    assert said == expected
    assert f"{round(100 * np.mean(answers == y))} % of {len(y)} rows right" == figure.axes[0].get_title(loc="left")


def test_roc_says_the_area(tree: Any, titanic: Any) -> None:
    X, y = titanic[2:]
    forest = tw.RandomForestClassifier(10, random_state=0).fit(*titanic[:2])
    figure = tw.plot_roc({"tree": tree, "forest": forest}, X, y)
    said = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    areas = [roc_auc_score(y == "yes", model.predict_proba(X)[:, 1]) for model in (tree, forest)]
    assert said == [f"tree: AUC {areas[0]:.3f}", f"forest: AUC {areas[1]:.3f}"]


def test_each_of_several_classes_has_a_line() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    for plot in (tw.plot_roc, tw.plot_calibration, tw.plot_gains):
        labels = [text.get_text() for text in plot(model, X, y).axes[0].get_legend().get_texts()]
        assert sum("Iris-" in label for label in labels) == 3
        with pytest.raises(DataError, match=r"too many lines. Say positive="):
            plot([model, model], X, y)
        assert plot([model, model], X, y, positive="Iris-setosa") is not None


def test_gains_end_where_all_rows_are_taken(tree: Any, titanic: Any) -> None:
    X, y = titanic[2:]
    line = tw.plot_gains(tree, X, y).axes[0].lines[-1]
    table = tw.gains_table(y, tree.predict_proba(X)[:, 1])
    assert line.get_xdata()[1:].tolist() == pytest.approx((100 * table["reached"]).tolist())
    assert line.get_ydata()[-1] == pytest.approx(100)


def test_calibration_groups_hold_every_row_once_and_keep_equal_scores_together() -> None:
    rng = np.random.default_rng(1)
    scores = np.round(rng.random(500), 1)
    line = ClassScores("c", rng.random(500) < scores, scores)
    given, true, low, high = calibration_groups(line, 10)
    assert len(given) <= 10
    assert given.tolist() == sorted(given)
    assert (low <= true).all()
    assert (true <= high).all()
    assert np.abs(given - true).max() < 0.25


def test_the_pruning_path_marks_the_chosen_tree(tmp_path: Path) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(prune=tw.CostComplexity(cv=5)).fit(X, y)
    figure = tw.plot_pruning(model, tmp_path / "p.svg")
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert f"chosen: {model.get_n_leaves()} leaves" in labels
    assert tw.plot_pruning(tw.DecisionTreeClassifier().fit(X, y).cp_table()).axes[0].lines[0].get_xdata()[0] == 1
    with pytest.raises(DataError, match="needs a model that was pruned by cross-validation"):
        tw.plot_pruning(tw.DecisionTreeClassifier().fit(X, y))


def test_models_of_scikit_learn_are_drawn_too(titanic: Any) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    assert tw.plot_confusion(forest, X, y).axes[0].texts
    assert tw.plot_gains(forest, X, y).axes[0].lines


def test_plots_go_into_axes_that_are_there(tree: Any, titanic: Any) -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots(1, 2)
    assert tw.plot_roc(tree, *titanic[2:], ax=axes[0]) is figure
    assert tw.plot_gains(tree, *titanic[2:], ax=axes[1]) is figure


def test_the_same_plot_is_the_same_bytes(tree: Any, titanic: Any, tmp_path: Path) -> None:
    for ending in ("png", "svg", "pdf"):
        for name in ("a", "b"):
            tw.plot_roc(tree, *titanic[2:], tmp_path / f"{name}.{ending}")
        assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_what_cannot_be_plotted_is_said(tree: Any, titanic: Any) -> None:
    X, y = titanic[2:]
    regressor = tw.DecisionTreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(DataError, match="has no predict_proba"):
        tw.plot_roc(regressor, [[1.0]], [1.0])
    with pytest.raises(DataError, match="predicts numbers"):
        tw.plot_confusion(regressor, [[1.0]], [1.0])
    with pytest.raises(NotFittedError):
        tw.plot_roc(tw.DecisionTreeClassifier(), X, y)
    with pytest.raises(DataError, match="positive='perhaps' is no class"):
        tw.plot_roc(tree, X, y, positive="perhaps")
    with pytest.raises(DataError, match="needs rows of the class and rows of others"):
        tw.plot_roc(tree, X[y == "yes"], y[y == "yes"])
    with pytest.raises(DataError, match="the same number of rows"):
        tw.plot_gains(tree, X, y[:5])


def test_a_dollar_sign_in_a_name_starts_no_formula() -> None:
    X = pd.DataFrame({"price in $": [1.0, 2.0, 3.0, 4.0], "a$b$": ["x", "$y$", "x", "$y$"]})
    y = np.array(["$0$", "$0$", "1 $", "1 $"])
    model = tw.DecisionTreeClassifier().fit(X, y)
    for figure in (
        tw.boundary({"$a$": model}, X, y, x="price in $", y="a$b$", steps=10),
        tw.plot_confusion(model, X, y),
        tw.plot_roc({"$a$": model}, X, y),
        tw.plot_calibration({"$a$": model, "b": model}, X, y),
        tw.plot_gains({"$a$": model}, X, y),
    ):
        texts = [text.get_text() for text in figure.findobj(Text)]
        assert any("$" in text for text in texts)
        assert not any("$" in text.replace(r"\$", "") for text in texts)


@pytest.mark.parametrize("width", [2.0, 3.2, 6.0])
@pytest.mark.parametrize("kind", ["numbers", "names"])
def test_labels_of_ticks_never_touch(kind: str, width: float) -> None:
    with treewright_style():
        figure, ax = new_figure(width, 2.5)
        if kind == "numbers":
            ax.plot([60_000.5, 220_000.5], [0, 1])
            ax.set_xticks(range(60_000, 220_001, 10_000))
        else:
            ax.plot(range(4), range(4))
            ax.set_xticks(range(4), ["no checking account", "less than 200", "200 and more", "unknown"])
        part_ticks(figure)
        figure.draw_without_rendering()
        boxes = [label.get_window_extent() for label in ax.get_xticklabels() if label.get_text()]
        turned = [label.get_rotation() for label in ax.get_xticklabels()]
    assert len(boxes) >= 2
    if any(turned):
        assert kind == "names"
        assert min(b.x1 - a.x1 for a, b in pairwise(boxes)) > 10  # ends of turned names stand a line apart
    else:
        assert all(a.x1 < b.x0 for a, b in pairwise(boxes))
    assert kind == "numbers" or len(boxes) == 4


def test_a_model_that_is_written_long_leaves_room_for_the_curve(tmp_path: Path) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    settings: dict[str, Any] = {"prune": tw.Readable(), "smoothing": 10.0, "max_depth": 3, "class_weight": "balanced"}
    figure = tw.plot_roc(tw.DecisionTreeClassifier(**settings).fit(X, y), X, y)
    figure.savefig(tmp_path / "roc.png")
    box = figure.axes[0].get_position()
    assert box.width > 0.5
    assert box.height > 0.5


def test_large_numbers_under_an_axis_are_grouped_and_years_are_not() -> None:
    with treewright_style():
        figure, ax = new_figure(5, 3)
        ax.plot([2019, 2025], [-160_000, 160_000])
        figure.draw_without_rendering()
        years = [label.get_text() for label in ax.get_xticklabels()]
        amounts = [label.get_text() for label in ax.get_yticklabels()]
    assert "2020" in years
    assert {"\N{MINUS SIGN}100,000", "0", "100,000"} <= set(amounts)


def test_names_under_an_axis_stay_names() -> None:
    with treewright_style():
        figure, ax = new_figure(5, 3)
        ax.barh(["north", "south"], [10_000, 60_000])
        figure.draw_without_rendering()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["north", "south"]
    assert "60,000" in [label.get_text() for label in ax.get_xticklabels()]
