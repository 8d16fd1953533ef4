"""Cost-complexity pruning as users meet it: prices as in scikit-learn and rpart, cross-validation, and the method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.datasets import make_classification, make_regression
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from golden.rpart_tree import load
from oracle.dealing import folds_of_rows
from treewright.errors import DataError


@pytest.fixture(scope="module")
def noisy() -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(400, 6, n_informative=3, flip_y=0.2, random_state=1)
    return X, y


@pytest.mark.parametrize("seed", range(3))
def test_ccp_alpha_gives_the_tree_of_scikit_learn(seed: int) -> None:
    # Numbers, and classes over one column: where two columns split a few rows alike, scikit-learn takes either.
    X, y = make_regression(150, 4, noise=20, random_state=seed)
    compare_with_scikit_learn(DecisionTreeRegressor(random_state=0), tw.DecisionTreeRegressor(), X, y)
    compare_with_scikit_learn(DecisionTreeClassifier(random_state=0), tw.DecisionTreeClassifier(), X[:, :1], y > 0)


def compare_with_scikit_learn(theirs: Any, ours: Any, X: np.ndarray, y: np.ndarray) -> None:
    alphas = theirs.cost_complexity_pruning_path(X, y).ccp_alphas
    full = clone(ours).fit(X, y)
    for alpha in (alphas[:-1] + alphas[1:]) / 2:
        theirs.set_params(ccp_alpha=alpha).fit(X, y)
        pruned = clone(ours).set_params(ccp_alpha=alpha).fit(X, y)
        assert pruned.get_n_leaves() == theirs.get_n_leaves()
        answer = "predict" if is_regressor(ours) else "predict_proba"  # shares: a tied majority is a question of taste
        assert getattr(pruned, answer)(X) == pytest.approx(getattr(theirs, answer)(X))
        assert full.pruned(tw.CostComplexity(alpha=alpha)).tree_.to_dict() == pruned.tree_.to_dict()


def test_the_path_of_alphas_is_that_of_scikit_learn() -> None:
    X, y = make_regression(120, 3, noise=5, random_state=0)
    ours = tw.DecisionTreeRegressor().cost_complexity_pruning_path(X, y)
    theirs = DecisionTreeRegressor(random_state=0).cost_complexity_pruning_path(X, y)
    assert ours.ccp_alphas == pytest.approx(theirs.ccp_alphas, rel=1e-6, abs=1e-9)
    assert ours.impurities == pytest.approx(theirs.impurities, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("name", ["boston", "car", "credit_g", "glass", "iris", "kyphosis", "weather_numeric"])
def test_every_line_of_the_cp_table_of_rpart_is_the_tree_at_its_price(name: str) -> None:
    table = load(name)
    estimator = tw.DecisionTreeClassifier if table.is_classification else tw.DecisionTreeRegressor
    grown = estimator(min_samples_split=20, min_samples_leaf=7, max_depth=30).fit(table.X, table.y)
    dearer = None
    for line in table.content["default"]["cp_table"]:
        # The tree of a line is the best from its own cp up to that of the line before.
        price = line["CP"] * 1.1 if dearer is None else np.sqrt(line["CP"] * dearer)
        pruned = grown.pruned(tw.CostComplexity(cp=price))
        assert pruned.get_n_leaves() - 1 == line["nsplit"]
        assert risk_share(pruned, table.X, table.y) == pytest.approx(line["rel error"], rel=1e-6)
        dearer = line["CP"]


def risk_share(model: Any, X: pd.DataFrame, y: pd.Series) -> float:
    """The risk of a model on its own rows, as a share of the risk without a tree."""
    if hasattr(model, "classes_"):
        return float((model.predict(X) != y).sum() / (y != y.mode()[0]).sum())
    return float(((model.predict(X) - y) ** 2).sum() / ((y - y.mean()) ** 2).sum())


@pytest.mark.parametrize("rule", ["1se", "min"])
def test_cross_validation_finds_a_small_tree(rule: Any, noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    full = tw.DecisionTreeClassifier().fit(X, y)
    model = tw.DecisionTreeClassifier(prune=tw.CostComplexity(cv=10, rule=rule)).fit(X, y)
    table = model.cp_table_
    assert 1 < model.get_n_leaves() < full.get_n_leaves() / 4
    assert table.n_leaves[table.chosen] == model.get_n_leaves()
    assert table.n_leaves[0] == full.get_n_leaves()
    assert table.n_leaves[-1] == 1
    assert (np.diff(table.cp) > 0).all()
    assert (np.diff(table.n_leaves) < 0).all()
    assert table.risk[-1] == pytest.approx(1)
    assert table.cv_risk[-1] == pytest.approx(1, abs=0.1)
    best = table.cv_risk.argmin()
    allowed = table.cv_error[best] if rule == "1se" else 1e-9
    assert table.cv_risk[table.chosen] <= table.cv_risk[best] + allowed
    assert (table.cv_risk[table.chosen + 1 :] > table.cv_risk[best] + allowed).all()


@pytest.mark.parametrize("repeats", [1, 3])
def test_the_cross_validated_risk_is_that_of_trees_that_did_not_see_the_row(
    repeats: int, noisy: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = noisy
    pruner = tw.CostComplexity(cv=5, repeats=repeats)
    table = tw.DecisionTreeClassifier(prune=pruner, random_state=3).fit(X, y).cp_table_
    deals = [folds_of_rows(X, y, 5, 3, deal) for deal in range(repeats)]
    root = (y != np.bincount(y).argmax()).sum()
    prices = [*np.sqrt(table.cp[:-1] * table.cp[1:]), table.cp[-1] * 10]
    for i in (0, len(prices) // 2, len(prices) - 1):
        wrong = [errors_on_other_folds(X, y, folds, prices[i] * root / len(y)) for folds in deals]
        assert table.cv_risk[i] == pytest.approx(np.mean(wrong) / root)
        errors = [np.sqrt(w - w**2 / len(y)) / root for w in wrong]  # of one deal each: the rows are the same ones
        assert table.cv_error[i] == pytest.approx(np.sqrt(np.mean(np.square(errors))))


def errors_on_other_folds(X: np.ndarray, y: np.ndarray, folds: np.ndarray, price: float) -> int:
    """How many rows the trees that did not see them get wrong, at a price in shares of the rows."""
    wrong = 0
    for fold in np.unique(folds):
        kept, held = folds != fold, folds == fold
        part = tw.DecisionTreeClassifier().fit(X[kept], y[kept])
        smaller = cheapest_tree(part.tree_.root, price * kept.sum())
        wrong += sum(smaller[leaf] != truth for leaf, truth in zip(part.apply(X[held]), y[held], strict=True))
    return wrong


def cheapest_tree(root: Any, price: float) -> dict[int, Any]:
    """What each leaf of the tree answers in the cheapest pruned tree, where a leaf costs `price` rows."""
    answers: dict[int, Any] = {}

    def best(node: Any) -> tuple[float, int]:
        """The least that what is below a node costs: errors and leaves at this price; a leaf if it is no dearer."""
        own = node.n - max(node.counts.values())
        below = [best(child) for child in node.children]
        if not below or own + price <= (sum(cost for cost, _ in below)) * (1 + 1e-12):
            for leaf in leaves_below(node):
                answers[leaf] = node.prediction
            return own + price, 1
        return sum(cost for cost, _ in below), sum(n for _, n in below)

    best(root)
    return answers


def leaves_below(node: Any) -> list[int]:
    if not node.children:
        return [node.id]
    return [leaf for child in node.children for leaf in leaves_below(child)]


def test_each_deal_alone_is_what_the_pruner_with_that_deal_only_would_choose(
    noisy: tuple[np.ndarray, np.ndarray],
) -> None:
    X, y = noisy
    table = tw.DecisionTreeClassifier(prune=tw.CostComplexity(cv=5, repeats=4), random_state=2).fit(X, y).cp_table_
    first = tw.DecisionTreeClassifier(prune=tw.CostComplexity(cv=5, repeats=1), random_state=2).fit(X, y)
    assert len(table.alone) == 4
    assert table.alone[0] == first.get_n_leaves() == first.cp_table_.alone[0]
    assert str(table).endswith(
        f"4 deals of 5 folds; alone they choose {table.alone.min()} to {table.alone.max()} leaves"
    )
    assert str(first.cp_table_).endswith("1 deal of 5 folds")


def test_more_deals_make_the_size_of_the_tree_depend_less_on_the_seed() -> None:
    X, y = tw.datasets.load_boston(return_X_y=True)

    def sizes(repeats: int | None) -> list[int]:
        pruner = tw.CostComplexity(cv=10, repeats=repeats)
        return [tw.DecisionTreeRegressor(prune=pruner, random_state=s).fit(X, y).get_n_leaves() for s in range(8)]

    assert np.std(sizes(None)) < np.std(sizes(1)) / 2


def test_a_row_of_weight_three_is_pruned_by_as_three_rows() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    counts = X.assign(y=np.asarray(y)).groupby([*X.columns, "y"], dropna=False, observed=True).size().reset_index()
    for prune in ("cost_complexity_cv", "reduced_error", "validation_gain"):
        model = tw.DecisionTreeClassifier(prune=prune, random_state=1)
        plain = clone(model).fit(X, np.asarray(y))
        short = clone(model).fit(counts[X.columns], counts["y"].to_numpy(), sample_weight=counts[0].to_numpy())
        assert len(counts) < len(y)
        for name in ("column", "threshold", "weight", "count_weight"):
            np.testing.assert_array_equal(short.tree_.arrays[name], plain.tree_.arrays[name], err_msg=f"{prune} {name}")


@pytest.mark.parametrize("prune", ["cost_complexity_cv", "reduced_error", "validation_gain"])
def test_the_order_of_the_rows_does_not_change_what_is_pruned(prune: str) -> None:
    X, y = tw.datasets.load_heart_c(return_X_y=True)
    rng = np.random.default_rng(0)
    weights = rng.choice([0.3, 1.0, 2.5], len(X))
    for given in (None, weights):
        models = set()
        for order in (np.arange(len(X)), *(rng.permutation(len(X)) for _ in range(4))):
            part = None if given is None else given[order]
            model = tw.DecisionTreeClassifier(prune=prune).fit(X.iloc[order], y.iloc[order], sample_weight=part)
            models.add(model.fingerprint())
        assert len(models) == 1


def test_cross_validation_is_the_same_for_the_same_seed(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    models = [tw.DecisionTreeClassifier(prune="cost_complexity_cv", n_jobs=k).fit(X, y) for k in (1, 2)]
    assert models[0].fingerprint() == models[1].fingerprint()
    assert models[0].cp_table_.cv_risk.tolist() == models[1].cp_table_.cv_risk.tolist()
    other = tw.DecisionTreeClassifier(prune="cost_complexity_cv", random_state=8).fit(X, y)
    assert other.cp_table_.cv_risk.tolist() != models[0].cp_table_.cv_risk.tolist()


def test_rows_of_weight_zero_do_not_count_in_cross_validation(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    weights = np.r_[np.ones(len(y)), np.zeros(50)]
    model = tw.DecisionTreeClassifier(prune="cost_complexity_cv").fit(X, y)
    more = tw.DecisionTreeClassifier(prune="cost_complexity_cv")
    more.fit(np.r_[X, X[:50] + 1], np.r_[y, 1 - y[:50]], sample_weight=weights)
    assert more.tree_.to_dict()["nodes"] == model.tree_.to_dict()["nodes"]
    assert more.cp_table_.cv_risk.tolist() == model.cp_table_.cv_risk.tolist()


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_are_pruned_by_cross_validation_too(criterion: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 3))
    y = np.where(X[:, 0] > 0.5, 10.0, 3.0) + rng.exponential(size=300)
    model = tw.DecisionTreeRegressor(criterion=criterion, prune="cost_complexity_cv").fit(X, y)
    assert 2 <= model.get_n_leaves() <= 8
    assert model.tree_.root.test.column == "x0"


def test_more_folds_than_rows_leave_one_row_out() -> None:
    model = tw.DecisionTreeClassifier(prune=tw.CostComplexity(cv=10)).fit([[1], [2], [3], [4]], [0, 0, 1, 1])
    assert len(model.cp_table_.cp) >= 1


def test_one_row_can_be_asked_to_be_pruned() -> None:
    assert tw.DecisionTreeClassifier(prune="cost_complexity_cv").fit([[1]], [0]).get_n_leaves() == 1


def test_the_table_of_prices_is_for_reading(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    table = tw.DecisionTreeClassifier(prune="cost_complexity_cv").fit(*noisy).cp_table_
    frame = table.to_frame()
    assert frame.columns.tolist() == ["cp", "n_leaves", "risk", "cv_risk", "cv_error", "chosen"]
    assert frame.index[frame["chosen"]].tolist() == [table.chosen]
    chosen = [line for line in str(table).splitlines() if line.startswith(">")]
    assert len(chosen) == 1
    assert str(frame["n_leaves"][table.chosen]) in chosen[0].split()


def test_pruning_a_model_gives_another_and_leaves_the_first(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    full = tw.DecisionTreeClassifier().fit(X, y)
    before, fingerprint = dict(full.__dict__), full.fingerprint()
    answers = full.predict(X)
    small = full.pruned(tw.CostComplexity(cp=0.05))
    assert small.get_n_leaves() < full.get_n_leaves()
    assert small.predict_one(X[0].tolist()) == small.predict(X[:1])[0]
    assert full.__dict__ == before
    assert full.fingerprint() == fingerprint
    assert (full.predict(X) == answers).all()
    assert small.get_params() == full.get_params()


def test_pruning_afterwards_by_cross_validation_is_pruning_at_training(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    at_once = tw.DecisionTreeClassifier(prune=tw.CostComplexity(cv=10)).fit(X, y)
    afterwards = tw.DecisionTreeClassifier().fit(X, y).pruned(tw.CostComplexity(cv=10), X, y)
    assert afterwards.tree_.to_dict() == at_once.tree_.to_dict()
    assert str(afterwards.cp_table_) == str(at_once.cp_table_)


def test_a_price_of_zero_takes_only_splits_that_gain_nothing() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    exclusive_or = tw.DecisionTreeClassifier().fit(X, y)
    assert exclusive_or.pruned(tw.CostComplexity(alpha=0.0)).get_n_leaves() == 4
    unused = tw.DecisionTreeClassifier().fit([[1], [2], [3]], ["a", "a", "b"]).pruned(tw.CostComplexity(cp=0.0))
    assert unused.get_n_leaves() == 2


def test_a_high_price_leaves_the_root(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    full = tw.DecisionTreeClassifier().fit(*noisy)
    for pruner in (tw.CostComplexity(alpha=1e9), tw.CostComplexity(cp=1.0), tw.CostComplexity(cp=float("inf"))):
        assert full.pruned(pruner).get_n_leaves() == 1


WRONG_PRUNERS: list[tuple[dict[str, Any], str]] = [
    ({}, "takes one of alpha, cp and cv; it was given none"),
    ({"alpha": 1.0, "cp": 1.0}, "it was given alpha, cp"),
    ({"alpha": -1.0}, "must not be negative. Got -1.0"),
    ({"cp": float("nan")}, "must not be negative. Got nan"),
    ({"cp": "much"}, "must be a number. Got 'much'"),
    ({"cv": 1}, "at least 2. Got 1"),
    ({"cv": 2.5}, "at least 2. Got 2.5"),
    ({"cv": 5, "repeats": 0}, "'repeats' of CostComplexity must be a whole number of at least 1, or None. Got 0"),
    ({"cv": 5, "repeats": True}, "Got True"),
    ({"cv": 5, "rule": "best"}, "must be '1se' or 'min'. Got 'best'"),
]


@pytest.mark.parametrize(("numbers", "words"), WRONG_PRUNERS)
def test_a_wrong_pruner_is_refused(numbers: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        tw.CostComplexity(**numbers)


def test_wrong_arguments_of_prune_are_refused(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    model = tw.DecisionTreeClassifier().fit(X, y)
    with pytest.raises(DataError, match="pass them as X and y"):
        model.pruned(tw.CostComplexity(cv=5))
    with pytest.raises(DataError, match=r"Choose 'cost_complexity', 'cost_complexity_cv', .* or a pruner"):
        model.pruned("reduced", X, y)
    with pytest.raises(DataError, match="is no way of pruning"):
        model.pruned(0.01)
    with pytest.raises(DataError, match="needs a pruner"):
        model.pruned(None)
    with pytest.raises(ValueError, match="X has 2 features"):
        model.pruned(tw.CostComplexity(cv=5), X[:, :2], y)
    with pytest.raises(ValueError, match=r"'prune' parameter.*'cost_complexity'.*Got 'reduced' instead"):
        tw.DecisionTreeClassifier(prune="reduced").fit(X, y)


def test_the_old_name_of_pruned_warns_and_works() -> None:
    full = tw.DecisionTreeClassifier(prune="merge_equal_leaves").fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
    with pytest.warns(FutureWarning, match=r"model\.pruned\(\.\.\.\); the old name goes in version 0\.2"):
        small = full.prune(tw.CostComplexity(alpha=0.2))
    assert small.fingerprint() == full.pruned(tw.CostComplexity(alpha=0.2)).fingerprint()
    assert full.get_params()["prune"] == "merge_equal_leaves"


def test_a_grid_may_search_over_pruners_and_prices(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    pruners = [None, tw.CostComplexity(cp=0.02), tw.CostComplexity(cv=3)]
    by_pruner = GridSearchCV(tw.DecisionTreeClassifier(), {"prune": pruners}, cv=3).fit(X, y)
    assert by_pruner.best_params_["prune"] in pruners[1:]
    by_price = GridSearchCV(tw.DecisionTreeClassifier(), {"ccp_alpha": [0.0, 0.01, 0.3]}, cv=3).fit(X, y)
    assert by_price.best_params_["ccp_alpha"] == 0.01
