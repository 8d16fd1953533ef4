"""What scikit-learn's single trees are asked: drawn columns and cuts, columns in order, other names of criteria."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import tree as peers

import treewright as tw
from thorough import some
from treewright.errors import DataError

DRAWN: list[dict[str, Any]] = [
    {"splitter": "random"},
    {"max_features": 2},
    {"splitter": "random", "max_features": "sqrt"},
]


def table(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers without ties, a target that they tell with noise, and weights that no two rows share."""
    draw = np.random.default_rng(seed)
    n_rows, n_columns = int(draw.integers(60, 200)), int(draw.integers(1, 5))
    X = draw.normal(size=(n_rows, n_columns)).astype("float32").astype("float64")
    return X, X[:, 0] + np.sin(3 * X[:, -1]) + draw.normal(size=n_rows), draw.integers(1, 2**20, n_rows) / 2**20


@pytest.mark.parametrize(
    ("name", "plain", "kind"),
    [
        ("log_loss", "entropy", tw.DecisionTreeClassifier),
        ("friedman_mse", "squared_error", tw.DecisionTreeRegressor),
        ("log_loss", "entropy", tw.RandomForestClassifier),
        ("friedman_mse", "squared_error", tw.ExtraTreesRegressor),
    ],
)
def test_another_name_of_a_criterion_grows_the_same_tree(name: str, plain: str, kind: Any) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    target = y if "Classifier" in kind.__name__ else X["sepallength"]
    one, other = kind(criterion=name).fit(X, target), kind(criterion=plain).fit(X, target)
    first, second = (m.tree_ if hasattr(m, "tree_") else m.trees_[0] for m in (one, other))
    assert first.criterion == second.criterion == plain
    for array, values in first.core.arrays().items():
        assert np.array_equal(values, second.core.arrays()[array], equal_nan=values.dtype.kind == "f")


def test_a_tree_of_another_name_is_pruned_and_told_as_the_plain_one() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    one = tw.DecisionTreeClassifier(criterion="log_loss", max_depth=3).fit(X, y)
    other = tw.DecisionTreeClassifier(criterion="entropy", max_depth=3).fit(X, y)
    assert str(one) == str(other)
    assert str(one.pruned("pessimistic", X, y)) == str(other.pruned("pessimistic", X, y))
    assert one.candidate_curve(0, "age", X, y).equals(other.candidate_curve(0, "age", X, y))
    assert str(tw.lesson(X[:40], y[:40], "cart", criterion="log_loss")) == str(
        tw.lesson(X[:40], y[:40], "cart", criterion="entropy")
    )


@pytest.mark.parametrize("seed", some(range(40), 8))
@pytest.mark.parametrize("depth", [1, 3, None])
@pytest.mark.parametrize("kind", ["DecisionTreeClassifier", "DecisionTreeRegressor"])
def test_columns_in_order_give_the_trees_of_scikit_learn(kind: str, depth: int | None, seed: int) -> None:
    X, y, weight = table(seed)
    # Leaves of some rows: columns that divide a few rows alike are a tie, and which is taken matters to the bounds.
    ways = np.random.default_rng(seed).integers(-1, 2, X.shape[1])
    asked: dict[str, Any] = {"monotonic_cst": ways, "max_depth": depth, "min_samples_leaf": 6}
    target = (y > np.median(y)).astype(int) if "Classifier" in kind else y
    ours = getattr(tw, kind)(**asked).fit(X, target, weight)
    theirs = getattr(peers, kind)(random_state=0, **asked).fit(X, target, weight)
    ask = "predict_proba" if "Classifier" in kind else "predict"
    assert getattr(ours, ask)(X) == pytest.approx(getattr(theirs, ask)(X))


@pytest.mark.parametrize("holes", [0.0, 0.2])
@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("kind", [tw.DecisionTreeClassifier, tw.DecisionTreeRegressor])
def test_no_row_is_answered_against_the_order_of_a_column(kind: Any, way: int, holes: float) -> None:
    draw = np.random.default_rng(5)
    X = draw.integers(0, 12, (300, 3)).astype(float)
    X[draw.random(X.shape) < holes] = np.nan
    y = draw.integers(0, 2, 300)
    model = kind(monotonic_cst={"x1": way}).fit(X, y)
    assert model.get_n_leaves() > 20
    answer = model.predict if kind is tw.DecisionTreeRegressor else lambda rows: model.predict_proba(rows)[:, 1]
    steps = np.repeat(X[:, None], 14, axis=1)
    steps[:, :, 1] = np.arange(-1, 13)
    answers = answer(steps.reshape(-1, 3)).reshape(300, 14)
    assert (np.diff(answers) * way >= -1e-12).all()
    assert (np.diff(answers) * way > 1e-3).any()


def test_order_is_refused_where_it_means_nothing() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    with pytest.raises(DataError, match="three classes"):
        tw.DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, y)
    with pytest.raises(DataError, match="missing='learn'"):
        tw.DecisionTreeClassifier(monotonic_cst=[1, 0, 0, 0], missing="larger").fit(X, y == "Iris-setosa")
    with pytest.raises(DataError, match="absolute_error"):
        tw.DecisionTreeRegressor(monotonic_cst=[1, 0, 0, 0], criterion="absolute_error").fit(X, np.arange(150))
    titanic, survived = tw.datasets.load_titanic(return_X_y=True)
    with pytest.raises(DataError, match="nominal"):
        tw.DecisionTreeClassifier(monotonic_cst={"sex": 1}).fit(titanic, survived)


@pytest.mark.parametrize("asked", DRAWN)
@pytest.mark.parametrize("kind", [tw.DecisionTreeClassifier, tw.DecisionTreeRegressor])
def test_what_is_drawn_hangs_on_rows_and_seed_and_not_on_their_order(kind: Any, asked: dict[str, Any]) -> None:
    X = np.random.default_rng(3).normal(size=(150, 5))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    order = np.random.default_rng(0).permutation(len(y))
    one = kind(random_state=1, **asked).fit(X, y)
    assert one.fingerprint() == kind(random_state=1, **asked).fit(X[order], y[order]).fingerprint()
    assert one.fingerprint() == kind(random_state=1, n_jobs=1, **asked).fit(X, y).fingerprint()
    assert str(one) != str(kind(random_state=2, **asked).fit(X, y))
    assert str(one) != str(kind().fit(X, y))


@pytest.mark.parametrize("random", [False, True])
def test_a_tree_that_draws_is_the_tree_of_a_forest_that_sees_every_row(random: bool) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    forest = tw.ExtraTreesClassifier if random else tw.RandomForestClassifier
    one = tw.DecisionTreeClassifier(splitter="random" if random else "best", max_features=2, random_state=4).fit(X, y)
    assert str(one.tree_) == str(forest(1, bootstrap=False, max_features=2, random_state=4).fit(X, y).trees_[0])


def test_a_tree_that_draws_is_pruned_saved_and_judged_by_held_out_rows(tmp_path: Any) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    model = tw.DecisionTreeClassifier(splitter="random", random_state=0, prune="cost_complexity_cv").fit(X, y)
    assert model.score(X, y) > 0.9
    tw.save(model, tmp_path / "drawn.tw")
    assert tw.load(tmp_path / "drawn.tw").fingerprint() == model.fingerprint()
    held_out = tw.DecisionTreeClassifier(max_features=1, prune=tw.ReducedError(share=0.3)).fit(X, y)
    assert held_out.tree_.root.n < 150


@pytest.mark.parametrize(
    ("more", "word"),
    [
        ({"criterion": "twoing"}, "twoing"),
        ({"missing": "surrogates"}, "surrogates"),
        ({"monotonic_cst": [1, 0, 0, 0]}, "monotonic_cst"),
        ({"keep_candidates": True}, "keep_candidates"),
    ],
)
def test_draws_are_refused_with_what_forests_do_not_know(more: dict[str, Any], word: str) -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    with pytest.raises(DataError, match=word):
        tw.DecisionTreeClassifier(max_features=2, **more).fit(X, y)
