"""A tree for a reader: neither a stump nor a page where something in between holds up; honest where nothing does."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import treewright as tw
from treewright.errors import DataError
from treewright.prune.cp_table import CpTable
from treewright.prune.readable import _choice, _smallest_better, auc_of_leaves, told_choice


def _columns(n_rows: int, seed: int = 0) -> tuple[np.random.Generator, pd.DataFrame]:
    draw = np.random.default_rng(seed)
    return draw, pd.DataFrame({f"c{j}": draw.normal(size=n_rows).round(2) for j in range(4)})


def _rare(n_rows: int = 1200) -> tuple[pd.DataFrame, pd.Series]:
    """One class is rare everywhere, but four times as likely in some places: no tree makes fewer errors."""
    draw, X = _columns(n_rows)
    chance = 0.04 + 0.16 * (X.c0 > 0.3) + 0.12 * (X.c1 > 0.5)
    return X, pd.Series(np.where(draw.random(n_rows) < chance, "yes", "no"), name="y")


def _stairs(n_rows: int = 2000) -> tuple[pd.DataFrame, pd.Series]:
    """A number that rises in many steps: a page of leaves is right, and few are not enough."""
    draw = np.random.default_rng(0)
    X = pd.DataFrame({"a": draw.random(n_rows).round(3), "b": draw.random(n_rows).round(3)})
    return X, pd.Series(np.floor(X.a * 12) + np.floor(X.b * 8) + draw.normal(size=n_rows).round(2) / 5, name="y")


def test_a_rare_class_gives_a_tree_chosen_by_its_log_loss() -> None:
    X, y = _rare()
    assert tw.DecisionTreeClassifier(prune="cost_complexity_cv").fit(X, y).get_n_leaves() <= 2
    model = tw.DecisionTreeClassifier(prune="readable").fit(X, y)
    assert 2 <= model.get_n_leaves() <= 16
    assert model.cp_table_.judged_by == "log loss"
    new, truth = _rare(4000)[0], _rare(4000)[1]
    assert tw.evaluate(model, new[1200:], truth[1200:]).measures["auc"] > 0.6
    assert "log loss is" in told_choice(model.cp_table_)


def _seldom_but_found(n_rows: int) -> tuple[pd.DataFrame, pd.Series]:
    """One class in ten, which a few leaves answer, so that errors alone would choose a tree of three leaves."""
    draw, X = _columns(n_rows, 2)
    return X, pd.Series(np.where(X.c0 + X.c1 + draw.normal(size=n_rows) > 2.3, "ill", "well"), name="y")


def test_sizes_are_judged_by_log_loss_where_one_class_has_nearly_all_rows() -> None:
    X, y = _seldom_but_found(6000)
    assert y[:1500].value_counts(normalize=True).max() > 0.85
    by_errors = tw.DecisionTreeClassifier(prune="cost_complexity_cv").fit(X[:1500], y[:1500])
    assert by_errors.get_n_leaves() >= 3
    model = tw.DecisionTreeClassifier(prune="readable").fit(X[:1500], y[:1500])
    assert model.cp_table_.judged_by == "log loss"
    assert 4 <= model.get_n_leaves() <= 16
    unseen = [tw.evaluate(each, X[1500:], y[1500:]).measures["auc"] for each in (model, by_errors)]
    assert unseen[0] >= unseen[1]
    balanced = tw.DecisionTreeClassifier(prune="readable", class_weight="balanced").fit(X[:1500], y[:1500])
    assert balanced.cp_table_.judged_by == ""


def test_a_stump_that_is_nearly_right_is_not_told_to_be_as_good_as_guessing() -> None:
    """One cut is nearly all, so that the rule of one standard error takes two leaves, and probabilities take more."""
    draw = np.random.default_rng(1)
    X = pd.DataFrame({"a": draw.random(900).round(3), "b": draw.random(900).round(3)})
    odds = np.where(X.a > 0.4, np.where(X.b > 0.5, 0.98, 0.75), 0.04)
    y = pd.Series(np.where(draw.random(900) < odds, "yes", "no"))
    model = tw.DecisionTreeClassifier(prune="readable").fit(X, y)
    assert model.cp_table_.judged_by == "log loss"
    assert model.score(X, y) > 0.85
    assert "guessing's" in told_choice(model.cp_table_)
    assert "errors" not in told_choice(model.cp_table_)


@pytest.mark.parametrize("share", [0.5, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_noise_gives_one_leaf(share: float, seed: int) -> None:
    draw, X = _columns(400, seed)
    y = np.where(draw.random(400) < share, "yes", "no")
    assert tw.DecisionTreeClassifier(prune=tw.Readable(repeats=3)).fit(X, y).get_n_leaves() == 1


def test_a_page_of_leaves_is_cut_to_the_most_that_are_allowed() -> None:
    X, y = _stairs()
    assert tw.DecisionTreeRegressor(prune="cost_complexity_cv").fit(X, y).get_n_leaves() > 16
    model = tw.DecisionTreeRegressor(prune="readable").fit(X, y)
    assert 10 <= model.get_n_leaves() <= 16
    assert "Larger trees do better" in told_choice(model.cp_table_)
    assert tw.DecisionTreeRegressor(prune=tw.Readable(leaves=6)).fit(X, y).get_n_leaves() <= 6


def test_a_tree_that_is_neither_stays_as_cross_validation_has_it() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    plain = tw.DecisionTreeClassifier(prune="cost_complexity_cv").fit(X, y)
    assert 3 <= plain.get_n_leaves() <= 16
    assert tw.DecisionTreeClassifier(prune="readable").fit(X, y).tree_.to_dict() == plain.tree_.to_dict()


def _table(leaves: list[int], cv_risk: list[float], error: float, chosen: int) -> CpTable:
    n = len(leaves)
    return CpTable(np.linspace(0, 1, n), np.array(leaves), np.ones(n), np.array(cv_risk), np.full(n, error), chosen)


@pytest.mark.parametrize(
    ("leaves", "cv_risk", "error", "chosen", "taken"),
    [
        ([40, 9, 5, 1], [0.9, 0.5, 0.52, 1.0], 0.05, 2, 5),  # readable as it is
        ([200, 165, 12, 8, 1], [0.5, 0.48, 0.6, 0.7, 1.0], 0.01, 1, 12),  # a page: the best that can be read
        ([200, 165, 12, 8, 1], [0.5, 0.48, 0.7, 0.7, 1.0], 0.01, 1, 8),  # of equals the smallest
    ],
)
def test_the_choice_in_a_table_of_prices(
    leaves: list[int], cv_risk: list[float], error: float, chosen: int, taken: int
) -> None:
    assert leaves[_choice(_table(leaves, cv_risk, error, chosen), tw.Readable())] == taken


@pytest.mark.parametrize(
    ("mean", "error", "leaves", "taken"),
    [
        ([0.9, 0.8, 0.82, 1.0], 0.05, [9, 7, 4, 1], 4),  # the smallest within a standard error of the best
        ([0.9, 0.8, 0.82, 1.0], 0.01, [9, 7, 4, 1], 7),
        ([0.9, 0.8, 0.82, 1.0], 0.05, [9, 7, 2, 1], 7),  # a stump only where nothing larger is as good
        ([0.9, 0.88, 0.5, 1.0], 0.05, [9, 7, 2, 1], 2),
        ([1.1, 0.98, 0.99, 1.0], 0.05, [9, 7, 4, 1], None),  # not surely better than guessing
    ],
)
def test_the_choice_among_trees_judged_fold_by_fold(
    mean: list[float], error: float, leaves: list[int], taken: int | None
) -> None:
    losses = np.array(mean)
    found = _smallest_better(losses, losses[-1] - losses, np.full(4, error), np.array(leaves) >= 4)
    assert (None if found is None else leaves[found]) == taken


def test_the_order_of_the_rows_and_doubled_rows_change_nothing() -> None:
    X, y = _rare()
    order = np.random.default_rng(5).permutation(len(X))
    model = tw.DecisionTreeClassifier(prune=tw.Readable(repeats=2)).fit(X, y)
    assert model.cp_table_.judged_by == "log loss"
    again = tw.DecisionTreeClassifier(prune=tw.Readable(repeats=2)).fit(X.iloc[order], y.iloc[order])
    assert again.fingerprint() == model.fingerprint()
    twice = tw.DecisionTreeClassifier(prune=tw.Readable(repeats=2)).fit(
        pd.concat([X, X[:100]], ignore_index=True), pd.concat([y, y[:100]], ignore_index=True)
    )
    weights = np.where(np.arange(len(X)) < 100, 2.0, 1.0)
    weighted = tw.DecisionTreeClassifier(prune=tw.Readable(repeats=2)).fit(X, y, sample_weight=weights)
    assert weighted.cp_table_.to_json() == twice.cp_table_.to_json()


def test_a_readable_tree_is_saved_with_its_table(tmp_path: Path) -> None:
    X, y = _rare()
    model = tw.DecisionTreeClassifier(prune=tw.Readable(leaves=8, repeats=2)).fit(X, y)
    tw.save(model, tmp_path / "m.tw")
    back = tw.load(tmp_path / "m.tw")
    assert back.get_params()["prune"] == tw.Readable(leaves=8, repeats=2)
    assert back.cp_table_.judged_by == model.cp_table_.judged_by == "log loss"
    assert back.fingerprint() == model.fingerprint()


def test_a_fitted_tree_is_made_readable_with_its_rows() -> None:
    X, y = _rare()
    full = tw.DecisionTreeClassifier().fit(X, y)
    assert full.pruned("readable", X, y).get_n_leaves() <= 16
    with pytest.raises(DataError, match="pass them as X and y"):
        full.pruned("readable")
    for wrong in ({"leaves": 0}, {"leaves": 2.5}, {"cv": 1}, {"repeats": 0}):
        with pytest.raises(DataError):
            tw.Readable(**wrong)
    assert tw.Readable(leaves=2).least == 2


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_the_area_of_leaves_is_that_of_scikit_learn(n_classes: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    shares = draw.integers(1, 5, (9, n_classes)) / 1.0
    shares /= shares.sum(axis=1, keepdims=True)
    nodes = draw.integers(0, 9, 120)
    truth = np.append(draw.integers(0, n_classes, 120 - n_classes), np.arange(n_classes))
    weights = draw.integers(1, 4, 120) / 2
    said = shares[nodes]
    wanted = [1] if n_classes == 2 else range(n_classes)
    areas = [roc_auc_score(truth == k, said[:, k], sample_weight=weights) for k in wanted]
    assert auc_of_leaves(shares, nodes, truth, weights) == pytest.approx(np.mean(areas))


def test_auc_is_the_judge_where_it_is_asked_for_whatever_the_order_of_rows(tmp_path: Path) -> None:
    X, y = _rare(600)
    weights = np.random.default_rng(1).random(600)
    learner = tw.DecisionTreeClassifier(prune=tw.Readable(repeats=2, measure="auc"))
    model = learner.fit(X, y, sample_weight=weights)
    assert model.cp_table_.judged_by == "AUC"
    assert 2 <= model.get_n_leaves() <= 16
    area = 1 - model.cp_table_.cv_risk[model.cp_table_.chosen] / 2
    assert told_choice(model.cp_table_) == f"Judged by AUC: {area:.3f} on rows not seen, where 0.5 is guessing."
    order = np.random.default_rng(2).permutation(600)
    again = tw.DecisionTreeClassifier(prune=tw.Readable(repeats=2, measure="auc"))
    again.fit(X.iloc[order], y.iloc[order], sample_weight=weights[order])
    assert again.fingerprint() == model.fingerprint()
    tw.save(model, tmp_path / "m.tw")
    assert tw.load(tmp_path / "m.tw").get_params()["prune"] == tw.Readable(repeats=2, measure="auc")


def test_a_measure_of_classes_is_refused_for_numbers_and_a_wrong_one_always() -> None:
    X, y = _stairs(100)
    with pytest.raises(DataError, match="judges the probabilities of classes"):
        tw.DecisionTreeRegressor(prune=tw.Readable(measure="auc")).fit(X, y)
    with pytest.raises(DataError, match="'log_loss' or 'auc'"):
        tw.Readable(measure="gini")


def test_larger_trees_are_not_praised_that_are_no_better_than_guessing() -> None:
    cp, risk = np.array([0.0, 0.01]), np.array([0.1, 1.0])
    table = CpTable(cp, np.array([297, 1]), risk, np.array([0.998, 1.012]), np.full(2, 0.003), 1)
    assert told_choice(table) == ""
