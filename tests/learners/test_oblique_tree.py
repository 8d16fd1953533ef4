"""Oblique trees as a user meets them: when sums are asked, what they look like, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError

CELLS = np.random.default_rng(3)
X = pd.DataFrame(CELLS.normal(size=(600, 4)), columns=["age", "income", "debt", "other"])
SLOPE = X["age"] + 0.5 * X["income"] - X["debt"]
Y = np.where(SLOPE > 0, "good", "bad")


def sums_of(model: Any) -> list[int]:
    """How many columns each inner node asks."""
    arrays = model.tree_.arrays
    if "term_start" not in arrays:
        return [1] * int((arrays["n_children"] > 0).sum())
    terms = np.diff(arrays["term_start"])
    return [max(int(n), 1) for n in terms[arrays["n_children"] > 0]]


def test_a_leaning_border_takes_one_test_and_is_learnt_better_than_by_stairs() -> None:
    new = pd.DataFrame(CELLS.normal(size=(2000, 4)), columns=X.columns)
    truth = np.where(new["age"] + 0.5 * new["income"] - new["debt"] > 0, "good", "bad")
    oblique, axis = tw.ObliqueTreeClassifier().fit(X, Y), tw.ObliqueTreeClassifier(max_terms=1).fit(X, Y)
    assert oblique.score(new, truth) > 0.97
    assert oblique.score(new, truth) > axis.score(new, truth) + 0.08
    assert oblique.get_n_leaves() < axis.get_n_leaves() / 3


def test_a_sloping_plane_of_numbers_is_learnt_better_than_by_stairs() -> None:
    numbers = np.where(SLOPE > 0, 3.0, 0.0) + 0.3 * CELLS.normal(size=len(X))
    oblique, axis = tw.ObliqueTreeRegressor().fit(X, numbers), tw.ObliqueTreeRegressor(max_terms=1).fit(X, numbers)
    assert sums_of(oblique)[0] >= 3
    assert oblique.get_n_leaves() < axis.get_n_leaves()
    new = pd.DataFrame(CELLS.normal(size=(2000, 4)), columns=X.columns)
    truth = np.where(new["age"] + 0.5 * new["income"] - new["debt"] > 0, 3.0, 0.0)
    assert oblique.score(new, truth) > axis.score(new, truth) + 0.2


def test_where_one_column_tells_all_no_sum_is_asked() -> None:
    model = tw.ObliqueTreeClassifier().fit(X, np.where(X["debt"] > 0.3, "yes", "no"))
    assert sums_of(model) == [1]
    assert model.tree_.root.test.column == "debt"


def test_noise_gives_a_single_leaf() -> None:
    noise = np.random.default_rng(0).integers(0, 2, len(X))
    assert tw.ObliqueTreeClassifier().fit(X, noise).get_n_leaves() == 1
    assert tw.ObliqueTreeRegressor().fit(X, np.random.default_rng(1).normal(size=len(X))).get_n_leaves() == 1


def test_a_sum_is_read_as_one_would_write_it() -> None:
    model = tw.ObliqueTreeClassifier(max_depth=1).fit(X, Y)
    left, right = (branch.label for branch in model.tree_.root.test.branches)
    assert left.startswith("age + 0.5") or left.startswith("0.")
    assert "·income" in left
    assert " - " in left
    assert " <= " in left
    assert right == left.replace(" <= ", " > ")
    assert model.tree_.root.test.kind == "hyperplane"


def test_max_terms_and_the_penalty_bound_the_sums() -> None:
    assert max(sums_of(tw.ObliqueTreeClassifier(max_terms=2).fit(X, Y))) == 2
    assert set(sums_of(tw.ObliqueTreeClassifier(max_terms=1).fit(X, Y))) == {1}
    assert set(sums_of(tw.ObliqueTreeClassifier(penalty=1000).fit(X, Y))) == {1}


def test_dates_and_levels_are_asked_alone() -> None:
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(np.arange(600) % 365, unit="D")
    table = X[["age"]].assign(day=days, group=CELLS.choice(["a", "b"], 600))
    leaning = np.where(table["age"] + (np.arange(600) % 365) / 100 > 1.8, "yes", "no")
    assert set(sums_of(tw.ObliqueTreeClassifier().fit(table, leaning))) == {1}


def test_importance_is_shared_by_the_columns_of_a_sum() -> None:
    shares = tw.ObliqueTreeClassifier(max_depth=1).fit(X, Y).feature_importances_
    assert shares.sum() == pytest.approx(1)
    assert (shares[:3] > 0.15).all()
    assert shares[3] < 0.1
    assert tw.ObliqueTreeClassifier().fit(X, ["same"] * 600).feature_importances_.tolist() == [0, 0, 0, 0]


def test_a_row_that_lacks_more_than_half_of_a_sum_follows_the_heavier_branch() -> None:
    model = tw.ObliqueTreeClassifier(max_depth=1).fit(X, Y)
    weights = [child.n for child in model.tree_.root.children]
    heavier = model.tree_.root.children[int(np.argmax(weights))].prediction
    assert model.predict_one({"other": 0.0}) == heavier
    assert (
        model.predict(pd.DataFrame({"age": [np.nan], "income": [np.nan], "debt": [np.nan], "other": [0.0]}))[0]
        == heavier
    )


@pytest.mark.parametrize("scale", [1e300, 1e-300, 1e-320])
def test_numbers_at_the_ends_of_the_range_are_taken(scale: float) -> None:
    table = X * scale
    model = tw.ObliqueTreeClassifier(prune=None).fit(table, Y)
    assert model.score(table, Y) > 0.9


def test_infinities_are_values_but_take_part_in_no_sum() -> None:
    table = X.copy()
    table.loc[:20, "age"] = np.inf
    table.loc[21:40, "debt"] = -np.inf
    model = tw.ObliqueTreeClassifier(prune=None).fit(table, Y)
    assert model.score(table, Y) == 1.0


def test_few_rows_and_empty_columns_are_taken() -> None:
    assert tw.ObliqueTreeClassifier().fit([[1.0, 2.0]], ["a"]).predict([[0, 0]]).tolist() == ["a"]
    empty = pd.DataFrame({"a": [np.nan] * 30, "b": [1.0] * 30, "c": np.arange(30.0)})
    model = tw.ObliqueTreeRegressor().fit(empty, (np.arange(30) > 14) * 1.0)
    assert model.predict(empty).tolist() == [0.0] * 15 + [1.0] * 15


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"penalty": -1.0}, "'penalty' parameter of ObliqueTreeClassifier must be a float in the range"),
        ({"ridge": 0.0}, "'ridge' parameter of ObliqueTreeClassifier must be a float in the range"),
        ({"max_terms": 0}, "'max_terms' parameter of ObliqueTreeClassifier must be an int in the range"),
        ({"missing": "branch"}, "'missing' parameter of ObliqueTreeClassifier must be a str among"),
    ],
)
def test_a_wrong_parameter_is_answered_with_a_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        tw.ObliqueTreeClassifier(**wrong).fit(X, Y)


def test_missing_values_can_be_refused() -> None:
    table = X.copy()
    table.loc[3, "income"] = np.nan
    with pytest.raises(DataError, match="Column 'income' has missing values"):
        tw.ObliqueTreeClassifier(missing="refuse").fit(table, Y)


def test_a_tree_without_prices_is_not_pruned_by_price() -> None:
    with pytest.raises(DataError, match="store no price"):
        tw.DecisionTreeClassifier(prune="price").fit(X, Y)


def test_other_ways_of_pruning_work_on_oblique_trees() -> None:
    noisy = np.where(CELLS.random(600) < 0.15, "bad", Y)
    full = tw.ObliqueTreeClassifier(prune=None).fit(X, noisy)
    assert full.pruned(tw.CostComplexity(cp=0.05)).get_n_leaves() < full.get_n_leaves()
    assert tw.ObliqueTreeClassifier(prune="cost_complexity_cv").fit(X, noisy).get_n_leaves() < full.get_n_leaves()
    assert tw.ObliqueTreeClassifier(prune=None, max_leaf_nodes=3).fit(X, noisy).get_n_leaves() == 3


def test_class_weights_move_the_answers() -> None:
    rare = np.where(SLOPE + CELLS.normal(size=600) > 1.5, "yes", "no")
    plain = tw.ObliqueTreeClassifier().fit(X, rare)
    balanced = tw.ObliqueTreeClassifier(class_weight="balanced").fit(X, rare)
    assert (balanced.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()


def test_a_short_sum_is_sought_among_all_columns() -> None:
    table, species = tw.datasets.load_penguins(return_X_y=True)
    arrays = tw.ObliqueTreeClassifier(max_terms=2, max_depth=1).fit(table, species).tree_.arrays
    asked = {table.columns[int(column)] for column in arrays["term_column"]}
    assert asked == {"bill_length_mm", "bill_depth_mm"}  # the depth alone is among the worst columns


def regions(n_rows: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """A border in income that lies elsewhere in each region."""
    cells = np.random.default_rng(2)
    frame = pd.DataFrame({"income": cells.normal(40, 10, n_rows), "region": cells.choice(["e", "n", "s"], n_rows)})
    return frame, (frame["income"] + frame["region"].map({"e": -8, "n": 0, "s": 8}) > 42).to_numpy()


def test_levels_move_the_border_of_a_sum_where_they_have_scores() -> None:
    X, y = regions()
    alone, scored = (tw.ObliqueTreeClassifier(nominal_scores=scores).fit(X, y) for scores in (False, True))
    assert scored.get_n_leaves() < alone.get_n_leaves()
    arrays = scored.tree_.arrays
    terms = slice(*arrays["term_start"][:2])
    adds = dict(zip(arrays["term_level"][terms].tolist(), arrays["term_weight"][terms].tolist(), strict=True))
    assert adds[0] == 1.0  # income
    assert adds[3] - adds[1] == pytest.approx(16, abs=3)
    assert "[region is e]" in scored.tree_.root.test.text


def test_a_level_that_is_missing_or_new_adds_nothing_to_a_sum() -> None:
    X, y = regions()
    model = tw.ObliqueTreeClassifier(nominal_scores=True, max_depth=1).fit(X, y)
    threshold = float(model.tree_.arrays["threshold"][0])
    for region in (None, "west"):
        new = pd.DataFrame({"income": [threshold - 0.01, threshold + 0.01], "region": [region] * 2})
        assert model.predict(new).tolist() == [False, True]
    assert model.predict_one({"income": threshold + 0.01, "region": None})
    share = model.feature_importances_
    assert share.sum() == pytest.approx(1)
    assert (share > 0.1).all()


def test_columns_with_many_levels_are_asked_alone() -> None:
    X, y = regions(2000)
    X["region"] = X["region"] + pd.Series(np.arange(2000) % 30).astype(str)
    model = tw.ObliqueTreeClassifier(nominal_scores=True, max_depth=2).fit(X, y)
    assert "term_start" not in model.tree_.arrays
