"""Pictures of SHAP values: what is drawn is what the model says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.inspection.shap_rows import parts_of_column, shap_rows


@pytest.fixture(scope="module")
def titanic() -> tuple[Any, Any]:
    return tw.datasets.load_titanic(return_X_y=True)


@pytest.mark.parametrize(
    "learner",
    [
        tw.DecisionTreeClassifier(max_leaf_nodes=5),
        tw.RandomForestClassifier(n_estimators=5),
        tw.GradientBoostingClassifier(n_estimators=5),
        tw.AdaBoostClassifier(n_estimators=5),
    ],
)
def test_values_of_a_class_and_of_the_other_mirror_each_other_and_add_up(learner: Any, titanic: Any) -> None:
    X, y = titanic
    model = learner.fit(X, y)
    yes, no = shap_rows(model, X), shap_rows(model, X, "no")
    assert yes.answer.endswith("of yes")
    assert no.answer.endswith("of no")
    answers = yes.expected + yes.values.sum(axis=1)
    if yes.answer.startswith("probability"):
        np.testing.assert_allclose(answers, model.predict_proba(X)[:, 1], atol=1e-9)
        np.testing.assert_allclose(no.values, -yes.values, atol=1e-12)
    else:
        np.testing.assert_allclose(answers, model.decision_function(X), atol=1e-9)
        np.testing.assert_array_equal(no.values, -yes.values)


def test_the_beeswarm_has_a_point_for_each_row_the_largest_column_on_top(titanic: Any, tmp_path: Path) -> None:
    X, y = titanic
    model = tw.RandomForestClassifier(n_estimators=5).fit(X, y)
    figure = tw.plot_shap(model, X, tmp_path / "bee.svg", most_columns=2)
    ax = figure.axes[0]
    rows = shap_rows(model, X)
    assert [label.get_text() for label in ax.get_yticklabels()] == [rows.columns[j].name for j in rows.by_size()[:2]]
    for points, j in zip(ax.collections, rows.by_size()[:2], strict=True):
        np.testing.assert_array_equal(np.asarray(points.get_offsets())[:, 0], rows.values[:, j])
    low, high = sorted(ax.get_ylim())
    heights = np.concatenate([np.asarray(points.get_offsets())[:, 1] for points in ax.collections])
    assert low <= heights.min()
    assert heights.max() <= high
    assert (tmp_path / "bee.svg").read_text().startswith("<?xml")


def test_the_steps_of_a_waterfall_lead_from_the_mean_answer_to_the_answer(titanic: Any) -> None:
    X, y = titanic
    model = tw.GradientBoostingClassifier(n_estimators=5).fit(X, y)
    ax = tw.plot_shap_waterfall(model, X, row=7, most_columns=1).axes[0]
    assert [label.get_text() for label in ax.get_yticklabels()][2] == "2 other columns"
    bars = [bar for bar in ax.patches if bar.get_height() > 0]
    ends = model.expected_value + np.cumsum([bar.get_width() for bar in bars])
    assert ends[-1] == pytest.approx(model.decision_function(X)[7])
    with pytest.raises(DataError, match="the table has 1,309 rows"):
        tw.plot_shap_waterfall(model, X, row=2000)


def test_a_waterfall_shows_the_value_of_a_column_with_a_long_name(titanic: Any) -> None:
    X, y = titanic
    X = X.rename(columns={"age": "age_of_the_passenger_when_the_ship_left_the_harbour"})
    ax = tw.plot_shap_waterfall(tw.DecisionTreeClassifier(max_depth=4).fit(X, y), X, row=7).axes[0]
    labels = [label.get_text() for label in ax.get_yticklabels()]
    assert next(label for label in labels if label.startswith("age_of_the")).endswith(f"… = {X.iloc[7, 1]:g}")


def test_a_dependence_shows_levels_missing_values_and_a_second_column(titanic: Any) -> None:
    X, y = titanic
    model = tw.RandomForestClassifier(n_estimators=5).fit(X, y)
    levels = tw.plot_shap_dependence(model, X, "passengerClass", colour_by="age").axes[0]
    assert [label.get_text() for label in levels.get_xticklabels()] == ["1st", "2nd", "3rd"]
    ages = tw.plot_shap_dependence(model, X, "age", colour_by="sex").axes[0]
    assert [text.get_text() for text in ages.texts] == ["missing"]
    assert [text.get_text() for text in ages.get_legend().get_texts()] == ["female", "male"]
    with pytest.raises(DataError, match=r"no column 'agee'\. Did you mean 'age'"):
        tw.plot_shap_dependence(model, X, "agee")


def test_parts_of_a_column_hold_every_row_once(titanic: Any) -> None:
    X, y = titanic
    rows = shap_rows(tw.DecisionTreeClassifier(max_leaf_nodes=5).fit(X, y), X)
    for j in range(3):
        parts = parts_of_column(rows, j, 5, 2)
        assert sum(len(values) for _, values in parts) == len(X)
        assert sum(values.sum() for _, values in parts) == pytest.approx(rows.values[:, j].sum())


def test_a_model_without_trees_is_refused_with_the_way_out(titanic: Any) -> None:
    X, y = titanic
    with pytest.raises(DataError, match=r"NaiveBayesClassifier is none.*tw.importance"):
        tw.plot_shap(tw.NaiveBayesClassifier().fit(X, y), X)


def test_columns_that_did_nothing_are_not_drawn(titanic: Any) -> None:
    X, y = titanic
    model = tw.DecisionTreeClassifier(max_depth=1).fit(X, y)
    names = [label.get_text() for label in tw.plot_shap(model, X).axes[0].get_yticklabels()]
    assert names == ["sex"]
    steps = [label.get_text() for label in tw.plot_shap_waterfall(model, X).axes[0].get_yticklabels()]
    assert steps == ["mean answer", "sex = female", "answer"]
    nothing = tw.DecisionTreeClassifier(max_leaf_nodes=2, min_samples_leaf=len(X)).fit(X, y)
    assert len(tw.plot_shap(nothing, X).axes[0].get_yticklabels()) == 1
    assert len(tw.plot_shap_waterfall(nothing, X).axes[0].get_yticklabels()) == 3
