"""Tables at the edge: too small, too wide, too large, empty, constant, or full of strange numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from thorough import some
from treewright.errors import DataError

BOTH = [(tw.DecisionTreeClassifier, [0, 1, 0, 1]), (tw.DecisionTreeRegressor, [0.0, 1.0, 0.0, 1.0])]
both = pytest.mark.parametrize(("estimator", "y"), BOTH, ids=["classes", "numbers"])


def is_sentence(message: str) -> bool:
    """A sentence begins with a capital or a name in quotes, or a parameter, and ends with a full stop."""
    return len(message.split()) >= 6 and message.rstrip().endswith((".", "?"))


@both
def test_no_rows_are_refused(estimator: Any, y: list[float]) -> None:
    for X in (np.zeros((0, 3)), pd.DataFrame({"a": []}), []):
        with pytest.raises(ValueError, match=r"0 sample|1D array|no rows") as refusal:
            estimator().fit(X, [])
        assert is_sentence(str(refusal.value))


@both
def test_no_columns_are_refused(estimator: Any, y: list[float]) -> None:
    for X in (np.zeros((4, 0)), pd.DataFrame(index=range(4))):
        with pytest.raises(ValueError, match="0 feature"):
            estimator().fit(X, y)


def test_one_row_makes_a_leaf() -> None:
    classifier = tw.DecisionTreeClassifier().fit([[1.0, "a"]], ["yes"])
    assert classifier.get_n_leaves() == 1
    assert classifier.predict([[2.0, "b"]]).tolist() == ["yes"]
    assert classifier.predict_proba([[2.0, "b"]]).tolist() == [[1.0]]
    regressor = tw.DecisionTreeRegressor().fit([[1.0]], [7.5])
    assert regressor.predict([[-3.0]]).tolist() == [7.5]


def test_one_class_makes_a_leaf() -> None:
    model = tw.DecisionTreeClassifier().fit([[1], [2], [3]], ["only"] * 3)
    assert model.get_n_leaves() == 1
    assert model.predict([[9]]).tolist() == ["only"]


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_one_target_value_makes_a_leaf(criterion: str) -> None:
    model = tw.DecisionTreeRegressor(criterion=criterion).fit([[1], [2], [3]], [2.5] * 3)
    assert model.get_n_leaves() == 1
    assert model.predict([[9]]).tolist() == [2.5]


@both
def test_constant_and_empty_columns_are_never_asked(estimator: Any, y: list[float]) -> None:
    frame = pd.DataFrame(
        {
            "constant": 1.0,
            "empty": np.nan,
            "no text": pd.Series([None] * 4, dtype="str"),
            "no level": pd.Categorical([None] * 4, categories=["a", "b"]),
            "one level": "a",
            "useful": [1, 2, 1, 2],
        }
    )
    for missing in ("learn", "larger", "branch"):
        model = estimator(missing=missing).fit(frame, y)
        assert model.feature_importances_.tolist() == [0, 0, 0, 0, 0, 1]
        assert model.predict(frame).tolist() == y


@both
def test_a_table_of_nothing_but_holes_makes_a_leaf(estimator: Any, y: list[float]) -> None:
    model = estimator().fit(np.full((4, 2), np.nan), y)
    assert model.get_n_leaves() == 1
    assert len(model.predict(np.full((2, 2), np.nan))) == 2


@both
@pytest.mark.parametrize("missing", ["learn", "larger", "branch"])
def test_infinities_are_values_and_nan_is_missing(estimator: Any, y: list[float], missing: str) -> None:
    X = np.array([[-np.inf], [np.inf], [np.nan], [3.0]])
    model = estimator(missing=missing).fit(X, [0, 1, 2, 3])
    if missing != "larger":
        assert model.predict(X).tolist() == [0, 1, 2, 3]
    assert model.predict([[np.inf], [1e308], [-np.inf]]).tolist()[::2] == [1, 0]


def test_minus_zero_is_zero() -> None:
    X = np.array([[0.0], [-0.0], [0.0], [-0.0]])
    assert tw.DecisionTreeClassifier().fit(X, [0, 1, 0, 1]).get_n_leaves() == 1
    model = tw.DecisionTreeClassifier().fit([[-0.0], [1.0]], [0, 1])
    assert model.predict([[0.0], [-0.0]]).tolist() == [0, 0]


@pytest.mark.parametrize(
    "values",
    [
        [5e-324, 1e-323, 1.5e-323, 2e-323],
        [-1.7e308, -1e308, 1e308, 1.7e308],
        [1e-300, 1.0, 1e300, np.inf],
        [np.nextafter(1, 0), 1.0, np.nextafter(1, 2), 2.0],
    ],
    ids=["denormals", "huge", "wide range", "neighbours"],
)
def test_numbers_at_the_edge_of_doubles_are_told_apart(values: list[float]) -> None:
    X = np.array(values)[:, None]
    assert tw.DecisionTreeClassifier().fit(X, [0, 1, 2, 3]).predict(X).tolist() == [0, 1, 2, 3]


def test_float32_values_are_told_apart_as_they_are() -> None:
    one = np.float32(1)
    X = np.array([[np.nextafter(one, np.float32(0))], [one], [np.nextafter(one, np.float32(2))]], dtype=np.float32)
    assert tw.DecisionTreeClassifier().fit(X, [0, 1, 2]).predict(X).tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_beyond_two_to_the_53_are_the_nearest_doubles(dtype: Any) -> None:
    X = np.array([[2**53], [2**53 + 1], [2**60], [np.iinfo(dtype).max]], dtype=dtype)
    model = tw.DecisionTreeClassifier().fit(X, [0, 0, 1, 2])
    assert model.predict(X).tolist() == [0, 0, 1, 2]
    assert model.predict(X.astype(np.float64)).tolist() == [0, 0, 1, 2]


def test_integer_classes_beyond_two_to_the_53_keep_every_digit() -> None:
    y = np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], dtype=np.uint64)
    model = tw.DecisionTreeClassifier().fit([[1], [2], [3]], y)
    assert model.classes_.tolist() == [2**64 - 2, 2**64 - 1]
    assert model.predict([[2]]).tolist() == [2**64 - 2]


def test_names_may_be_any_text_of_any_length() -> None:
    names = ["Größe 東京 🙂", "x" * 10_000, "", " ", "two\nlines", "'quoted'"]
    levels = ["é" * 10_000, "🙂"]
    frame = pd.DataFrame({name: [0, 1, 2, 3] for name in names})
    frame["level"] = [levels[0], levels[1], levels[0], levels[1]]
    y = pd.Series(["Ja " + "j" * 10_000, "نعم", "Ja " + "j" * 10_000, "نعم"], name="ответ" * 100)
    model = tw.DecisionTreeClassifier().fit(frame, y)
    assert model.predict(frame).tolist() == y.tolist()
    assert len(print_of(model)) > 0
    assert model.tree_.to_json()


def print_of(model: Any) -> str:
    return str(model)


def test_two_columns_of_one_name_are_refused() -> None:
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["age", "age"])
    with pytest.raises(DataError, match=r"Two columns have the name 'age'\. Rename"):
        tw.DecisionTreeClassifier().fit(frame, [0, 1])


@both
@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -1, 1, 1], "Negative values in sample_weight: row 2 has -1.0"),
        ([1, 1, np.nan, 1], "sample_weight: row 3 has nan"),
        ([np.inf, 1, 1, 1], "sample_weight: row 1 has inf"),
        ([0, 0, 0, 0], "Every sample_weight is zero"),
        ([1e308, 1e308, 1e308, 1], "beyond the largest number"),
        ([1, 1], "pass one number for each row"),
        (["a", "b", "c", "d"], "not a number"),
    ],
)
def test_wrong_weights_are_refused_with_the_row(estimator: Any, y: list[float], weights: list[Any], words: str) -> None:
    with pytest.raises(DataError, match=words.replace("(", r"\(")) as refusal:
        estimator().fit([[1], [2], [3], [4]], y, sample_weight=weights)
    assert is_sentence(str(refusal.value))


@both
def test_rows_of_weight_zero_leave_no_trace(estimator: Any, y: list[float]) -> None:
    X = np.array([[1.0], [2.0], [1.0], [2.0], [1.5], [np.nan]])
    model = estimator().fit(X, [*y, 1, 0], sample_weight=[1, 1, 1, 1, 0, 0])
    alone = estimator().fit(X[:4], y, sample_weight=[1, 1, 1, 1])
    assert model.tree_.to_text() == alone.tree_.to_text()
    assert model.tree_.to_dict()["nodes"] == alone.tree_.to_dict()["nodes"]


@both
@pytest.mark.parametrize("weight", [1e-300, 5e-324, 1e300, 1e307])
def test_equal_weights_of_any_size_change_nothing(estimator: Any, y: list[float], weight: float) -> None:
    X = [[1], [2], [3], [4]]
    model = estimator().fit(X, y, sample_weight=np.full(4, weight))
    assert model.predict(X).tolist() == y


@both
@pytest.mark.parametrize("n_columns", some([10_000, 100_000], 1))
def test_very_many_columns_are_searched(estimator: Any, y: list[float], n_columns: int) -> None:
    X = np.zeros((4, n_columns))
    X[:, -1] = y
    for table in (X, pd.DataFrame(X, columns=[f"c{j}" for j in range(n_columns)])):
        model = estimator().fit(table, y)
        assert model.tree_.root.test.column.endswith(str(n_columns - 1))
        assert model.predict(table).tolist() == y


def test_a_thousand_classes_are_learnt() -> None:
    X = np.arange(3000)[:, None]
    y = np.arange(3000) // 3
    model = tw.DecisionTreeClassifier().fit(X, y)
    assert model.classes_.tolist() == list(range(1000))
    assert (model.predict(X) == y).all()
    assert model.predict_proba(X[:2]).sum(axis=1).tolist() == [1, 1]


def test_equal_rows_of_different_classes_make_a_leaf_with_their_shares() -> None:
    model = tw.DecisionTreeClassifier().fit([[1, "a"]] * 4, ["x", "y", "y", "z"])
    assert model.get_n_leaves() == 1
    assert model.predict([[1, "a"]]).tolist() == ["y"]
    assert model.predict_proba([[1, "a"]]).tolist() == [[0.25, 0.5, 0.25]]


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("size", [1e-300, 1e150, 1e300])
def test_targets_of_any_size_are_learnt(criterion: str, size: float) -> None:
    X = [[1], [2], [3], [4]]
    y = np.array([1.0, 2.0, 3.0, 4.0]) * size
    model = tw.DecisionTreeRegressor(criterion=criterion).fit(X, y)
    assert model.predict(X) == pytest.approx(y, rel=1e-9)
    assert model.predict_one([1]) == pytest.approx(size)


@pytest.mark.parametrize("size", [1e-300, 1e300])
def test_a_target_whose_squares_are_no_numbers_is_learnt_but_not_pruned(size: float) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60) * size
    model = tw.DecisionTreeRegressor().fit(X, y)
    assert model.predict(X) == pytest.approx(y, rel=1e-9)
    assert np.isfinite(model.feature_importances_).all()
    with pytest.raises(DataError, match="Multiply the target by a constant and train again"):
        model.pruned(tw.CostComplexity(cp=0.1))
    absolute = tw.DecisionTreeRegressor(criterion="absolute_error", ccp_alpha=size).fit(X, y)
    assert absolute.get_n_leaves() < model.get_n_leaves()


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "target y is None"),
        ("class", r"y is the text 'class'.*table\.drop\(columns='class'\) as X and table\['class'\] as y"),
        (["a", None, "a", "b"], "row 2 has no target value"),
        ([1.0, np.nan, np.nan, 1.0], r"row 2 has no target value \(2 such rows\)"),
        ([1.5, 2.5, 1.0, 1.0], "numbers with fractions. Use the regressor"),
        (["a", 1, "b", 2], "mixes text and numbers"),
        ([1, 2, 3], "X has 4 rows and y has 3"),
        (np.array(["2020-01-01"] * 4, dtype="M8[D]"), "dates or times"),
    ],
)
def test_a_classifier_says_what_is_wrong_with_its_target(y: Any, words: str) -> None:
    with pytest.raises(DataError, match=words) as refusal:
        tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], y)
    assert is_sentence(str(refusal.value))


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (None, "target y is None"),
        ("class", r"y is the text 'class'.*table\.drop\(columns='class'\) as X and table\['class'\] as y"),
        ([1.0, None, 2.0, 1.0], "row 2 has no target value"),
        ([1.0, np.nan, 2.0, 1.0], "row 2 has no target value"),
        ([1.0, 2.0, -np.inf, 2.0], "infinity .row 3."),
        (["1", "2", "x", "3"], "row 3 holds"),
        (np.array(["2020-01-01"] * 4, dtype="M8[D]"), "dates or times"),
    ],
)
def test_a_regressor_says_what_is_wrong_with_its_target(y: Any, words: str) -> None:
    with pytest.raises(DataError, match=words) as refusal:
        tw.DecisionTreeRegressor().fit([[1], [2], [3], [4]], y)
    assert is_sentence(str(refusal.value))


def test_poisson_refuses_what_is_no_count() -> None:
    with pytest.raises(DataError, match=r"row 2 has y = -1\.0"):
        tw.DecisionTreeRegressor(criterion="poisson").fit([[1], [2]], [1, -1])
    with pytest.raises(DataError, match="at least one count above zero"):
        tw.DecisionTreeRegressor(criterion="poisson").fit([[1], [2]], [0, 0])


def test_rows_of_different_lengths_are_refused_with_the_row() -> None:
    with pytest.raises(DataError, match="Row 3 has 1 values, but row 1 has 2"):
        tw.DecisionTreeClassifier().fit([[1, 2], [3, 4], [5]], [0, 1, 0])


def test_values_that_are_neither_numbers_nor_text_are_refused_with_the_column() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": [{1}, {2}]})
    with pytest.raises(DataError, match="Column 'b' holds"):
        tw.DecisionTreeClassifier().fit(frame, [0, 1])
