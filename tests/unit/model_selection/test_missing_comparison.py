"""The missing policies of an estimator side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils._param_validation import StrOptions

import treewright as tw
from treewright.errors import DataError
from treewright.model_selection.cross_validation import cross_validate
from treewright.model_selection.missing_comparison import policies_of

TITANIC, SURVIVED = tw.datasets.load_titanic(return_X_y=True)


def test_every_policy_that_the_estimator_offers_is_there_its_own_first() -> None:
    table = tw.compare_missing(TITANIC, SURVIVED, tw.DecisionTreeClassifier(max_depth=3, missing="larger"), cv=3)
    offered = {
        option for each in tw.DecisionTreeClassifier._parameter_constraints["missing"] for option in each.options
    }
    policies = [result.policy for result in table.results]
    assert policies[0] == "larger"
    assert set(policies) == offered
    assert policies[1:] == sorted(policies[1:])


def test_a_policy_that_comes_later_needs_no_change_here() -> None:
    class Later(tw.DecisionTreeClassifier):
        _parameter_constraints = {
            **tw.DecisionTreeClassifier._parameter_constraints,
            "missing": [StrOptions({"a", "b"})],
        }

    assert policies_of(Later(missing="b")) == ["b", "a"]


def test_scores_are_those_of_cross_validation_on_the_same_folds() -> None:
    model = tw.DecisionTreeClassifier(max_depth=4)
    table = tw.compare_missing(TITANIC, SURVIVED, model, cv=5, random_state=3)
    for result in table.results:
        if result.validation is None:
            continue
        one = tw.DecisionTreeClassifier(max_depth=4, missing=result.policy)
        assert result.validation.scores == cross_validate(one, TITANIC, SURVIVED, 5, seed=3).scores
        assert result.leaves > 1
        assert result.seconds > 0
    assert model.get_params()["missing"] == "learn"


def test_refusing_is_an_answer_and_not_the_end() -> None:
    table = tw.compare_missing(TITANIC, SURVIVED, cv=3)
    refuse = next(result for result in table.results if result.policy == "refuse")
    assert refuse.validation is None
    assert "Column 'age' has missing values" in refuse.problem
    frame = table.to_frame().set_index("missing")
    assert np.isnan(frame.loc["refuse", "accuracy"])
    assert frame.loc["learn", "accuracy"] > 0.7
    assert table.best in ("learn", "larger", "branch") or table.best in frame.index


def test_the_table_is_aligned_and_marks_the_best() -> None:
    table = tw.compare_missing(TITANIC, SURVIVED, cv=3)
    heading, titles, *lines = str(table).splitlines()
    assert heading == "1,309 rows, 263 cells missing (6.7 %) in 1 column"
    assert titles.split() == ["missing", "accuracy", "+-", "spread", "leaves", "seconds"]
    scored = [line for line in lines if "Column" not in line]
    assert {len(line) for line in scored} == {len(titles)}
    assert [line.split()[1] for line in lines if line.startswith(">")] == [table.best]


@pytest.mark.parametrize(
    "form", [pd.DataFrame, pl.from_pandas, lambda frame: frame.to_numpy(), lambda frame: frame.to_numpy().tolist()]
)
def test_any_kind_of_table_gives_the_same_scores(form: object) -> None:
    X, y = tw.datasets.load_airquality(return_X_y=True)
    wanted = tw.compare_missing(X, y, cv=4).to_frame()["rmse"].tolist()
    assert tw.compare_missing(form(X), y, cv=4).to_frame()["rmse"].tolist() == pytest.approx(wanted, nan_ok=True)


def test_numbers_are_judged_by_their_error() -> None:
    X, y = tw.datasets.load_airquality(return_X_y=True)
    table = tw.compare_missing(X, y, cv=4)
    frame = table.to_frame()
    assert table.measure == "rmse"
    assert frame.set_index("missing").loc[table.best, "rmse"] == frame["rmse"].min()


def test_a_table_without_holes_is_said_to_be_one() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    assert str(tw.compare_missing(X, y, cv=3)).startswith("150 rows, no value missing")


def test_what_has_nothing_to_do_with_holes_is_an_error() -> None:
    with pytest.raises(DataError, match="DecisionTreeClassifier has no 'missing' parameter"):
        tw.compare_missing(TITANIC, SURVIVED, DecisionTreeClassifier())
    with pytest.raises(DataError, match="must be numeric for a regressor"):
        tw.compare_missing(TITANIC, SURVIVED, tw.DecisionTreeRegressor(), cv=3)
    with pytest.raises(ValueError, match=r"'cv' parameter of tw\.compare_missing must be an int in the range"):
        tw.compare_missing(TITANIC, SURVIVED, cv=1)


def test_an_estimator_in_the_place_of_the_table_is_told() -> None:
    with pytest.raises(DataError, match="takes the table first"):
        tw.compare_missing(tw.DecisionTreeClassifier(), [[1], [2]], ["a", "b"])
