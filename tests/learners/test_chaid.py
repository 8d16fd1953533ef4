"""What CHAID promises beyond equality with its definition: large tables, missing values, files, words and errors."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.tree.tree import Tree


def two_groups(low, high, copies=1):
    """A nominal column of two levels with a list of numbers each."""
    X = pd.DataFrame({"group": ["low"] * len(low) * copies + ["high"] * len(high) * copies})
    return X, np.array(low * copies + high * copies, dtype=float)


def test_means_ten_standard_deviations_apart_split():
    X, y = two_groups([-1.0, 0.0, 1.0], [9.0, 10.0, 11.0], copies=40)
    model = tw.CHAIDRegressor().fit(X, y)
    assert model.get_n_leaves() == 2
    assert model.predict(pd.DataFrame({"group": ["low", "high"]})).tolist() == [0.0, 10.0]


def test_equal_means_with_unequal_spread_do_not_split():
    X, y = two_groups([-1.0, 0.0, 1.0], [-100.0, 0.0, 100.0], copies=40)
    assert tw.CHAIDRegressor().fit(X, y).get_n_leaves() == 1


def test_groups_without_any_spread_split_and_the_model_survives_every_way_of_keeping_it():
    X, y = two_groups([0.0], [1.0], copies=100)
    model = tw.CHAIDRegressor().fit(X, y)
    assert model.tree_.root.log_p_adjusted == -math.inf
    assert model.tree_.root.p_value == 0
    assert "p 0" in str(model)
    again = Tree.from_json(model.tree_.to_json())
    assert again.root.log_p == -math.inf


@pytest.fixture(scope="module")
def million():
    """A million rows: one column tells the class, one does but for 1,000 rows, one is noise."""
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 1_000_000)
    nearly = np.where(np.arange(len(y)) < 1000, 1 - y, y)
    noise = random.integers(0, 3, len(y))
    return pd.DataFrame({"noise": noise, "nearly": nearly, "perfect": y}).astype("category"), y


def test_a_million_rows_do_not_underflow_and_rank_columns_rightly(million):
    X, y = million
    root = tw.CHAIDClassifier(max_depth=1).fit(X, y).tree_.root
    assert root.test.column == "perfect"
    assert root.log_p < -400_000
    assert root.statistic == pytest.approx(1_000_000)
    second = tw.CHAIDClassifier(max_depth=1).fit(X[["noise", "nearly"]], y).tree_.root
    assert second.test.column == "nearly"
    assert root.log_p < second.log_p < -400_000
    numbers = tw.CHAIDRegressor(max_depth=1).fit(X[["noise", "nearly"]], y.astype(float)).tree_.root
    assert numbers.test.column == "nearly"
    assert -math.inf < numbers.log_p < -400_000


def test_one_thread_and_eight_give_the_same_bytes():
    random = np.random.default_rng(5)
    X = pd.DataFrame({f"c{j}": random.integers(0, 4 + j, 30_000) for j in range(8)}).astype("category")
    X["x"] = random.normal(size=len(X))
    X.loc[random.random(len(X)) < 0.1, "x"] = np.nan
    signal = X["c0"].cat.codes + X["c3"].cat.codes % 2 + (X["x"].fillna(3) > 0.5) + random.normal(size=len(X))
    for model, y in (
        (tw.CHAIDClassifier(), signal > signal.median()),
        (tw.CHAIDClassifier(target_order=[0, 1, 2]), np.digitize(signal, [1, 3])),
        (tw.CHAIDRegressor(), signal),
    ):
        one, eight = (model.set_params(n_jobs=jobs).fit(X, y).fingerprint() for jobs in (1, 8))
        assert one == eight


def table_with_holes():
    """Numbers in three intervals by class, where rows without a number are like the middle one."""
    x = np.repeat([1.0, 2.0, 3.0, np.nan], 100)
    shares = {1.0: 90, 2.0: 50, 3.0: 10}
    y = np.concatenate([np.arange(100) < shares.get(v, 50) for v in (1.0, 2.0, 3.0, np.nan)])
    return pd.DataFrame({"x": x}), y


def test_missing_joins_the_group_most_like_it_and_new_rows_follow():
    X, y = table_with_holes()
    model = tw.CHAIDClassifier().fit(X, y)
    test = model.tree_.root.test
    assert test.kind == "intervals"
    assert test.bounds == (1.0, 2.0)
    assert test.missing_branch == 1
    assert model.apply(pd.DataFrame({"x": [0.0, 1.0, 1.5, 2.0, 9.0, np.nan]})).tolist() == [1, 1, 2, 2, 3, 2]
    assert model.predict_one([np.nan]) == model.predict_one([1.7])


def test_missing_has_a_branch_of_its_own_where_it_is_like_no_other():
    X = pd.DataFrame({"x": np.repeat([1.0, 2.0, np.nan], 100)})
    y = np.repeat([0, 1, 2], 100)
    model = tw.CHAIDClassifier().fit(X, y)
    assert model.tree_.root.branch_labels == ("x <= 1", "x > 1", "x is missing")
    known = tw.CHAIDClassifier().fit(X.replace(2.0, 1.0), np.repeat([0, 0, 1], 100))
    assert known.tree_.root.branch_labels == ("x is known", "x is missing")


def test_missing_may_stop_or_follow_the_larger_branch_instead():
    X, y = table_with_holes()
    X, y = X.iloc[:-50], y[:-50]
    stop = tw.CHAIDClassifier(missing="stop").fit(X, y)
    assert stop.tree_.root.test.missing_branch is None
    assert [child.n for child in stop.tree_.root.children] == [100, 100, 100]
    assert stop.apply(pd.DataFrame({"x": [np.nan]})).tolist() == [0]
    larger = tw.CHAIDClassifier(missing="larger").fit(X, y)
    assert larger.tree_.root.test.missing_branch == 0
    assert [child.n for child in larger.tree_.root.children] == [150, 100, 100]
    assert stop.tree_.root.statistic == larger.tree_.root.statistic
    with pytest.raises(DataError, match="choose missing='larger', 'branch' or 'stop'"):
        tw.CHAIDClassifier(missing="refuse").fit(X, y)


def test_a_level_that_a_node_never_saw_stops_there():
    X = pd.DataFrame({"colour": np.repeat(["red", "blue", "green"], 100)})
    model = tw.CHAIDClassifier().fit(X, np.repeat([0, 1, 2], 100))
    assert model.apply(pd.DataFrame({"colour": ["mauve", None]})).tolist() == [0, 0]


def test_an_ordered_target_may_come_as_ordered_categories_a_list_or_scores():
    random = np.random.default_rng(1)
    X = pd.DataFrame({"a": random.integers(0, 3, 600).astype(str)})
    y = np.array(["low", "middle", "high"])[np.clip(X["a"].astype(int) + random.integers(-1, 2, 600), 0, 2)]
    by_list = tw.CHAIDClassifier(target_order=["low", "middle", "high"]).fit(X, y).tree_.root
    by_scores = tw.CHAIDClassifier(class_scores={"low": 1, "middle": 2, "high": 3}).fit(X, y).tree_.root
    categories = pd.Series(pd.Categorical(y, ["low", "middle", "high"], ordered=True))
    by_categories = tw.CHAIDClassifier().fit(X, categories).tree_.root
    assert by_list.statistic == by_scores.statistic == by_categories.statistic
    plain = tw.CHAIDClassifier(statistic="likelihood").fit(X, y).tree_.root
    assert by_list.df == plain.df / 2
    stretched = tw.CHAIDClassifier(class_scores={"low": 1, "middle": 2, "high": 9}).fit(X, y).tree_.root
    assert stretched.statistic != by_list.statistic


@pytest.mark.parametrize("statistic", ["pearson", "likelihood"])
def test_the_worked_example_of_five_ordered_levels(statistic):
    counts = [(40, 10), (38, 12), (20, 30), (18, 32), (5, 45)]
    X = pd.DataFrame({"level": np.repeat(np.arange(1, 6), 50)})
    y = np.concatenate([["a"] * a + ["b"] * b for a, b in counts])
    model = tw.CHAIDClassifier(statistic=statistic, column_kinds={"level": "ordinal"}).fit(X, y)
    root = model.tree_.root
    assert root.branch_labels == ("level <= 2", "2 < level <= 4", "level > 4")
    if statistic == "pearson":
        assert root.statistic == pytest.approx(68.9346, abs=5e-5)
        assert root.p_value == pytest.approx(6.4e-15, rel=1e-2)
    assert root.log_p_adjusted - root.log_p == pytest.approx(math.log(6))
    free = tw.CHAIDClassifier(statistic=statistic, column_kinds={"level": "nominal"}).fit(X, y).tree_.root
    assert free.log_p_adjusted - free.log_p == pytest.approx(math.log(25))
    exhaustive = tw.CHAIDClassifier(exhaustive=True, column_kinds={"level": "ordinal"}).fit(X, y).tree_.root
    assert exhaustive.log_p_adjusted - exhaustive.log_p == pytest.approx(math.log(10))


def test_outlook_of_the_tennis_table_is_not_significant_after_adjustment():
    X, y = tw.datasets.load_tennis(return_X_y=True)
    name = next(column for column in X.columns if column.lower() == "outlook")
    sizes = {"min_samples_split": 2, "min_samples_leaf": 1}
    assert tw.CHAIDClassifier(**sizes).fit(X[[name]], y).get_n_leaves() == 1
    root = tw.CHAIDClassifier(**sizes, alpha_split=0.25).fit(X[[name]], y).tree_.root
    assert root.statistic == pytest.approx(3.1111, abs=5e-5)
    assert math.exp(root.log_p) == pytest.approx(0.0778, abs=5e-5)
    assert root.p_value == pytest.approx(0.2333, abs=5e-5)


def mixed_model():
    """A model with intervals, levels and missing values."""
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    X = X.astype({name: "float64" for name in X.columns if X[name].dtype.kind in "if"})
    X.iloc[::7, 0] = np.nan
    return tw.CHAIDRegressor(min_samples_split=40, min_samples_leaf=20).fit(X, y), X, y


def test_a_model_with_intervals_is_the_same_after_saving_loading_and_json(tmp_path):
    model, X, _ = mixed_model()
    assert any(node.test and node.test.kind == "intervals" for node in model.tree_.nodes())
    tw.save(model, tmp_path / "m.tw")
    loaded = tw.load(tmp_path / "m.tw")
    assert loaded.fingerprint() == model.fingerprint()
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    again = Tree.from_json(json.dumps(model.tree_.to_dict()))
    assert again.to_dict() == model.tree_.to_dict()
    assert str(again) == str(model.tree_)
    assert [model.predict_one(list(row)) for row in X.itertuples(index=False)] == model.predict(X).tolist()


def test_parameters_with_lists_are_saved(tmp_path):
    X = pd.DataFrame({"a": np.repeat(["x", "y"], 100)})
    model = tw.CHAIDClassifier(target_order=["low", "high"]).fit(X, np.repeat(["low", "high"], 100))
    tw.save(model, tmp_path / "m.tw")
    assert tw.load(tmp_path / "m.tw").get_params() == model.get_params()


def test_a_tree_with_intervals_can_be_pruned():
    model, X, y = mixed_model()
    smaller = model.pruned(tw.CostComplexity(alpha=2.0))
    assert 1 < smaller.get_n_leaves() < model.get_n_leaves()
    assert len(smaller.predict(X)) == len(y)


@pytest.mark.parametrize("name", ["alpha_merge", "alpha_split", "alpha_resplit"])
@pytest.mark.parametrize("value", [0.0, 1.0, -0.1, 5])
def test_an_alpha_outside_0_and_1_is_refused(name, value):
    with pytest.raises(ValueError, match=rf"'{name}' parameter of CHAIDClassifier must be"):
        tw.CHAIDClassifier(**{name: value}).fit([[1], [2]], [0, 1])


def test_wrong_choices_are_answered_with_a_sentence():
    X, y = [["a"], ["b"], ["a"]], ["low", "high", "low"]
    with pytest.raises(DataError, match="below alpha_merge"):
        tw.CHAIDClassifier(alpha_resplit=0.05).fit(X, y)
    with pytest.raises(DataError, match="Leave one of them out"):
        tw.CHAIDClassifier(alpha_resplit=0.01, exhaustive=True).fit(X, y)
    with pytest.raises(DataError, match=r"class 'hihg' with no rows. Did you mean 'high'\?"):
        tw.CHAIDClassifier(target_order=["low", "hihg"]).fit(X, y)
    with pytest.raises(DataError, match="leaves out the class 'high'"):
        tw.CHAIDClassifier(target_order=["low"]).fit(X, y)
    with pytest.raises(DataError, match="'low' twice"):
        tw.CHAIDClassifier(target_order=["low", "high", "low"]).fit(X, y)
    with pytest.raises(DataError, match="Give one of them"):
        tw.CHAIDClassifier(target_order=["low", "high"], class_scores={"low": 1, "high": 2}).fit(X, y)
    with pytest.raises(DataError, match="same score"):
        tw.CHAIDClassifier(class_scores={"low": 1, "high": 1}).fit(X, y)


def test_a_column_with_one_value_is_told():
    X = pd.DataFrame({"a": ["x", "y"] * 10, "same": ["z"] * 20, "empty": [None] * 20})
    with pytest.warns(UserWarning, match=r"Column 'same' has only one value and cannot be tested \(2 such columns\)"):
        tw.CHAIDClassifier().fit(X, [0, 1] * 10)


def test_small_branches_join_the_most_similar_one():
    X = pd.DataFrame({"a": ["x"] * 60 + ["y"] * 60 + ["z"] * 10})
    y = [0] * 50 + [1] * 10 + [0] * 5 + [1] * 55 + [1] * 10
    model = tw.CHAIDClassifier(alpha_merge=0.9, min_samples_leaf=20).fit(X, y)
    assert [child.n for child in model.tree_.root.children] == [60, 70]
    alone = tw.CHAIDClassifier(alpha_merge=0.9, min_samples_leaf=5).fit(X, y)
    assert [child.n for child in alone.tree_.root.children] == [60, 60, 10]
    assert tw.CHAIDClassifier(min_samples_leaf=0.6).fit(X, y).get_n_leaves() == 1


def survey():
    """Answers in two places: a row of the country stands for more people, most of all where it says yes."""
    cells = pd.DataFrame({"place": list("ccdd"), "answer": list("ynyn"), "rows": [15, 35, 60, 40]})
    cells["people"] = [4.0, 2.0, 1.0, 1.0]
    rows = cells.loc[cells.index.repeat(cells["rows"])]
    return rows[["place"]], rows["answer"], rows["people"].to_numpy()


def test_a_sample_is_compared_with_what_its_weights_lead_to_expect():
    X, y, people = survey()
    root = tw.CHAIDClassifier(weights="sampling", alpha_split=0.5).fit(X, y, people).tree_.root
    # The expected rows of the country that say yes, x, solve x (25 + x) / ((50 - x) (75 - x)) = (2 · 1) / (4 · 1).
    x = (-175 + math.sqrt(175**2 + 4 * 3750)) / 2
    expected = [x, 50 - x, 75 - x, 25 + x]
    chi_square = sum((n - m) ** 2 / m for n, m in zip([15, 35, 60, 40], expected, strict=True))
    assert root.statistic == pytest.approx(chi_square, rel=1e-10)
    assert round(chi_square, 4) == 2.3097
    assert root.counts == {"n": 110.0, "y": 120.0}


def test_sampling_weights_that_depend_on_the_class_or_on_the_group_alone_change_no_test():
    X, y, _ = survey()
    plain = tw.CHAIDClassifier(alpha_split=0.5).fit(X, y).tree_.root.statistic
    for weights in (np.where(y == "y", 3.0, 0.5), np.where(X["place"] == "c", 3.0, 0.5)):
        root = tw.CHAIDClassifier(weights="sampling", alpha_split=0.5).fit(X, y, weights).tree_.root
        assert root.statistic == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize(
    ("sizes", "depth"), [({"min_samples_leaf": 50}, 1), ({"min_samples_leaf": 51}, 0), ({"min_samples_split": 151}, 0)]
)
def test_sizes_of_a_sample_are_numbers_of_rows(sizes, depth):
    X, y, people = survey()
    assert tw.CHAIDClassifier(weights="sampling", alpha_split=0.5, **sizes).fit(X, y, people).get_depth() == depth


def test_a_lesson_shows_frequencies_only():
    X, y, people = survey()
    with pytest.raises(DataError, match=r"shows weights that say how often a row occurred"):
        tw.lesson(X, y, "chaid", weights="sampling", sample_weight=people)
    assert tw.lesson(X, y, "chaid", weights="sampling").nodes[0].agrees
