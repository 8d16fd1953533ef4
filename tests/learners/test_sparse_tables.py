"""Sparse matrices give the model of the dense table, byte for byte, and the same answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import treewright as tw
from treewright.table.frame import open_frame
from treewright.table.sparse import sparse_column

CLASSIFIERS = [
    tw.DecisionTreeClassifier(),
    tw.DecisionTreeClassifier(criterion="entropy", splitter="random", max_features=3),
    tw.DecisionTreeClassifier(missing="surrogates", max_depth=4),
    tw.C45Classifier(),
    tw.CHAIDClassifier(),
    tw.ConditionalTreeClassifier(),
    tw.ObliqueTreeClassifier(max_depth=2),
    tw.RandomForestClassifier(4, oob_score=False),
    tw.ExtraTreesClassifier(4),
    tw.GradientBoostingClassifier(n_estimators=4, min_samples_leaf=3),
    tw.AdaBoostClassifier(n_estimators=4),
    tw.BaggingTreesClassifier(n_estimators=4),
]
REGRESSORS = [
    tw.DecisionTreeRegressor(),
    tw.DecisionTreeRegressor(criterion="absolute_error"),
    tw.RandomForestRegressor(4),
    tw.ExtraTreesRegressor(4),
    tw.GradientBoostingRegressor(n_estimators=4, min_samples_leaf=3),
    tw.ModelTreeRegressor(),
    tw.BaggingTreesRegressor(n_estimators=4),
]
OTHERS = [
    tw.KNeighborsClassifier(),
    tw.KNeighborsRegressor(metric="euclidean"),
    tw.LocallyWeightedRegression(bandwidth=1.0),
    tw.NaiveBayesClassifier(),
    tw.LinearRegression(),
    tw.RegularizedRegression(alpha=0.1),
    tw.LogisticRegression(),
    tw.Perceptron(),
    tw.MLPClassifier(hidden_layer_sizes=(3,), max_iter=5),
    tw.MLPRegressor(hidden_layer_sizes=(3,), max_iter=5),
    tw.Autoencoder((2,), max_iter=5),
]
FORMATS = ("csr", "csc", "coo", "lil", "dok")


def table(n_rows: int, kind: str, seed: int = 0) -> np.ndarray:
    """Mostly zeros: counts, weights with all their digits, or both signs with holes."""
    draw = np.random.default_rng(seed)
    there = draw.random((n_rows, 8)) < 0.2
    if kind == "counts":
        return np.where(there, draw.poisson(3, there.shape), 0).astype(float)
    values = np.where(there, draw.normal(size=there.shape), 0.0)
    if kind == "holes":
        values[draw.random(values.shape) < 0.05] = np.nan
    return values


@pytest.mark.parametrize("kind", ["counts", "weights", "holes"])
@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=lambda model: str(model)[:40])
def test_a_sparse_matrix_gives_the_model_of_the_dense_table(model: Any, kind: str) -> None:
    X = table(150, kind)
    y: Any = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) * 0.5
    y = np.where(y > 0.3, "yes", "no") if model._predicts_classes else y
    dense = model.fit(X, y)
    print_of_dense, answers = dense.fingerprint(), dense.predict(X)
    assert model.fit(sparse.csr_matrix(X), y).fingerprint() == print_of_dense
    assert np.array_equal(model.predict(sparse.csc_array(X)), answers)
    assert np.array_equal(model.predict(X), answers)


@pytest.mark.parametrize("model", [CLASSIFIERS[0], CLASSIFIERS[7], CLASSIFIERS[9]], ids=lambda model: str(model)[:20])
def test_long_sparse_matrices_give_the_same_model_too(model: Any) -> None:
    X = table(20_000, "weights")
    y = X[:, 0] + X[:, 3] > 0.2
    assert model.fit(sparse.csc_matrix(X), y).fingerprint() == model.fit(X, y).fingerprint()


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_every_format_of_scipy_is_taken(name: str, kind: str) -> None:
    X, y = table(60, "counts"), np.arange(60) % 2
    given = getattr(sparse, f"{name}_{kind}")(X)
    model = tw.DecisionTreeClassifier().fit(given, y)
    assert model.fingerprint() == tw.DecisionTreeClassifier().fit(X, y).fingerprint()
    assert np.array_equal(model.apply(given), model.apply(X))
    assert model.decision_path(given).toarray().tolist() == model.decision_path(X).toarray().tolist()


def test_cells_stored_twice_are_added_and_stored_zeros_are_zeros() -> None:
    given = sparse.coo_array(([1.0, 2.0, 0.0], ([0, 0, 1], [0, 0, 0])), shape=(3, 1))
    frame = open_frame(given)
    assert frame.numbers(0).tolist() == [3, 0, 0]
    assert given.nnz == 3  # the user's own is left as it was


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 255], "uint8"),
        ([-1.0, 3.0], "int8"),
        ([70_000.0], "int32"),
        ([0.5], "float32"),
        ([0.1], "float64"),
        ([2.0**40], "float32"),
        ([2**40 + 1], "int64"),
        ([np.nan, 1.0], "float32"),
        ([np.inf, 0.25], "float32"),
        ([True], "uint8"),
        ([], "uint8"),
    ],
)
def test_a_column_has_the_fewest_bytes_that_hold_it(values: list[Any], kind: str) -> None:
    dense = np.array([[0], *([value] for value in values)], dtype=np.array(values).dtype if values else float)
    column = sparse_column(sparse.csc_array(dense), 0)
    assert column.dtype == kind
    assert np.array_equal(column.astype(dense.dtype), dense[:, 0], equal_nan=dense.dtype.kind == "f")


def test_counts_take_a_few_bytes_a_cell_and_not_eight() -> None:
    X = sparse.random_array((300, 5_000), density=0.001, rng=np.random.default_rng(0), format="csr")
    X.data[:] = 1.0
    parts = [open_frame(X).numbers(j) for j in range(5_000)]
    assert sum(part.nbytes for part in parts) == 300 * 5_000
    y = np.arange(300) % 2
    forest = tw.RandomForestClassifier(3).fit(X, y)
    assert np.array_equal(forest.predict(X), forest.predict(X.toarray()))


def test_rows_that_judge_may_be_sparse() -> None:
    X, y = table(120, "counts"), np.arange(120) % 2
    asked = {"n_estimators": 5, "early_stopping": True}
    one = tw.GradientBoostingClassifier(**asked).fit(
        sparse.csr_array(X[:80]), y[:80], X_val=sparse.csr_array(X[80:]), y_val=y[80:]
    )
    other = tw.GradientBoostingClassifier(**asked).fit(X[:80], y[:80], X_val=X[80:], y_val=y[80:])
    assert one.fingerprint() == other.fingerprint()


def test_kinds_of_columns_go_with_sparse_matrices() -> None:
    X, y = table(60, "counts"), np.arange(60) % 2
    asked = {"column_kinds": {0: "nominal"}}
    one = tw.DecisionTreeClassifier(**asked).fit(sparse.csr_array(X), y)
    assert one.fingerprint() == tw.DecisionTreeClassifier(**asked).fit(X, y).fingerprint()


@pytest.mark.parametrize("kind", ["counts", "weights"])
@pytest.mark.parametrize("model", OTHERS, ids=lambda model: str(model)[:40])
def test_learners_without_trees_give_the_model_of_the_dense_table_too(model: Any, kind: str) -> None:
    X = table(60, kind)
    y: Any = np.arange(60) % 2 if model._predicts_classes else X[:, 0] + 0.5 * X[:, 1]
    asked = model.transform if isinstance(model, tw.Autoencoder) else model.predict
    dense = model.fit(X, y)
    print_of_dense, answers = dense.fingerprint(), asked(X)
    assert model.fit(sparse.csr_matrix(X), y).fingerprint() == print_of_dense
    assert np.array_equal(asked(sparse.csc_array(X)), answers)


def test_neighbours_of_sparse_rows_are_those_of_dense_ones() -> None:
    X = table(60, "counts")
    model = tw.KNeighborsClassifier().fit(sparse.csr_array(X), np.arange(60) % 2)
    for one, other in zip(model.kneighbors(sparse.csr_array(X[:5])), model.kneighbors(X[:5]), strict=True):
        assert np.array_equal(one, other)


def test_a_sparse_matrix_that_would_be_too_large_when_dense_is_refused_before_memory_is_taken() -> None:
    X = sparse.csr_array((1_000_000, 100_000))
    with pytest.raises(MemoryError, match=r"would take about 800\.0 GB of memory"):
        tw.LinearRegression().fit(X, np.zeros(1_000_000))
