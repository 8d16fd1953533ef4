"""`plot()` of models without trees: what each kind draws, or the sentence that says what else can be drawn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import DataError

IRIS, CLASSES = tw.datasets.load_iris(return_X_y=True)
TITANIC, SURVIVED = tw.datasets.load_titanic(return_X_y=True)
NUMBERS = IRIS["petallength"].to_numpy() * 2


def names(figure: Any) -> list[str]:
    return [label.get_text() for label in figure.axes[0].get_yticklabels()]


def test_coefficients_are_those_for_one_standard_deviation_the_strongest_on_top() -> None:
    model = tw.LinearRegression().fit(IRIS[["sepallength", "sepalwidth"]], NUMBERS)
    figure = model.plot()
    moved = model.coef_ * IRIS[["sepallength", "sepalwidth"]].to_numpy().std(axis=0)
    order = np.argsort(-np.abs(moved))
    assert names(figure) == [["sepallength", "sepalwidth"][j] for j in order]
    assert np.allclose([bar.get_width() for bar in figure.axes[0].patches], moved[order])


@pytest.mark.parametrize("learner", [tw.LogisticRegression, tw.Perceptron])
def test_two_classes_have_bars_and_three_a_mark_each(learner: Any) -> None:
    two = learner().fit(TITANIC, SURVIVED).plot()
    assert len(two.axes[0].patches) == len(names(two))
    assert "yes" in two.axes[0].get_xlabel()
    three = learner().fit(IRIS, CLASSES).plot(most=2)
    assert [text.get_text() for text in three.axes[0].get_legend().get_texts()] == sorted(set(CLASSES))
    assert len(names(three)) == 2
    assert "the 2 strongest of 4" in three.axes[0].get_title(loc="left")


def test_classes_of_naive_bayes_stand_at_their_means() -> None:
    figure = tw.NaiveBayesClassifier().fit(IRIS, CLASSES).plot()
    column = names(figure)[0]
    values = IRIS[column]
    away = [(values[label == CLASSES].mean() - values.mean()) / values.std(ddof=0) for label in sorted(set(CLASSES))]
    assert np.allclose(
        [line.get_xdata()[0] for line in figure.axes[0].lines[:3]], away, atol=0.005
    )  # of smoothed shares
    levels = tw.NaiveBayesClassifier().fit(TITANIC, SURVIVED).plot()
    assert names(levels)[:2] == ["sex = female", "sex = male"]


def test_networks_draw_the_course_of_their_training() -> None:
    model = tw.MLPClassifier(n_models=1, hidden_layer_sizes=(3,)).fit(IRIS, CLASSES)
    lines = {line.get_label(): line for line in model.plot().axes[0].lines}
    assert np.array_equal(lines["training rows"].get_ydata(), model.loss_curve_)
    assert np.array_equal(lines["held-out rows"].get_ydata(), model.validation_loss_curve_)


def test_sizes_that_were_chosen_are_drawn_with_their_errors(tmp_path: Path) -> None:
    near = tw.KNeighborsClassifier(n_neighbors="cv").fit(IRIS, CLASSES)
    assert np.array_equal(near.plot(tmp_path / "near.svg").axes[0].lines[0].get_ydata(), near.cv_curve_)
    assert (tmp_path / "near.svg").read_text().startswith("<?xml")
    local = tw.LocallyWeightedRegression().fit(IRIS[["sepallength"]], NUMBERS)
    assert local.plot().axes[0].get_xlabel() == "bandwidth"


def test_what_has_no_picture_of_its_own_says_what_else_can_be_drawn() -> None:
    with pytest.raises(DataError, match=r"tw\.importance\(model, X, y\)\.plot\(\) draws which columns matter"):
        tw.KNeighborsClassifier().fit(IRIS, CLASSES).plot()
    two = tw.LinearRegression().fit(IRIS, np.column_stack([NUMBERS, -NUMBERS]))
    with pytest.raises(DataError, match=r"model\.targets_\[0\]\.plot\(\)"):
        two.plot()
    assert names(two.targets_[0].plot())
