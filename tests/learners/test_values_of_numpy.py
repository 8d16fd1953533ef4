"""A parameter may be a number, text or truth value of numpy's, or an array of no dimension: the model is the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from numbers import Integral
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils._param_validation import Interval

import treewright as tw
from compat.make_version_1 import small_table
from treewright.errors import DataError
from treewright.learners.base.parameters import OneOf, parameters_in
from treewright.prune.pruner import Pruner

PUBLIC = [kind for name in tw.__all__ if isinstance(kind := getattr(tw, name), type)]
ESTIMATORS: list[Any] = [kind for kind in PUBLIC if issubclass(kind, BaseEstimator)]
PRUNERS: list[Any] = [kind for kind in PUBLIC if issubclass(kind, Pruner) and kind is not Pruner]
SCALARS = bool | int | float | str
QUICK: dict[str, Any] = {"n_estimators": 2, "max_iter": 2, "hidden_layer_sizes": (2,), "alphas": 3}


def forms(value: Any) -> list[Any]:
    """The same value as numpy has it."""
    if isinstance(value, bool):
        return [np.bool_(value), np.array(value)]
    if isinstance(value, int):
        small = [np.uint64(value), np.int8(value)] if 0 <= value < 128 else []
        return [np.int64(value), np.array(value), *small]
    if isinstance(value, float):
        short = [np.float32(value), np.float16(value)] if float(np.float16(value)) == value else []
        return [np.float64(value), np.longdouble(value), np.array(value), *short]
    return [np.str_(value), np.array(value)]


def some_values(constraint: Any, default: Any) -> Iterator[SCALARS]:
    """Values that a parameter takes: its default, and one of each kind that is among its constraints."""
    if isinstance(default, SCALARS):
        yield default
    for each in constraint if isinstance(constraint, list) else []:
        if isinstance(each, str) and each == "boolean":
            yield from (True, False)
        elif isinstance(each, OneOf):
            yield each.words[-1]
        elif isinstance(each, Interval) and each.type is Integral:
            yield int(each.left) if each.left > -100 else int(each.right)
        elif isinstance(each, Interval):
            yield 0.5 if 0.5 in each else float(each.left) + 1


def same(found: Any, value: Any) -> bool:
    return type(found) is type(value) and found == value


CASES = [
    (kind, name, value)
    for kind in ESTIMATORS
    for name, each in parameters_in(kind).items()
    for value in some_values(each.constraint, each.default)
]


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_parameter_is_kept_as_a_value_of_python(kind: Any) -> None:
    cases = [(name, value, form) for owner, name, value in CASES if owner is kind for form in forms(value)]
    assert len(cases) > 10
    for name, value, form in cases:
        model = kind(**{name: form})
        assert same(model.get_params(deep=False)[name], value)
        assert same(clone(kind().set_params(**{name: form})).get_params()[name], value)
        setattr(model, name, form)
        assert same(vars(model)[name], value)
        model._validate_params()


@pytest.mark.filterwarnings("ignore")  # of convergence after two rounds
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_model_is_the_same_whoever_wrote_its_parameters(kind: Any) -> None:
    X, risk, income = small_table()
    X = X[["grade", "member"]].dropna() if kind is tw.ID3Classifier else X
    y = (risk if is_classifier(kind()) else income)[X.index]
    plain = {
        **kind().get_params(deep=False),
        **{name: value for name, value in QUICK.items() if name in CASE_NAMES[kind]},
    }
    of_numpy = {name: forms(value)[-1] if isinstance(value, SCALARS) else value for name, value in plain.items()}
    first, second = kind(**plain).fit(X, y), kind(**of_numpy).fit(X, y)
    assert first.fingerprint() == second.fingerprint()
    assert str(first) == str(second)


CASE_NAMES = {kind: set(parameters_in(kind)) for kind in ESTIMATORS}


@pytest.mark.parametrize("kind", PRUNERS)
def test_the_numbers_of_a_pruner_are_kept_as_values_of_python(kind: Any) -> None:
    given: dict[str, Any] = {"cv": 5, "repeats": 2} if kind is tw.CostComplexity else {}
    for each in fields(kind):
        value = given.get(each.name, each.default)
        for form in forms(value) if isinstance(value, SCALARS) else []:
            pruner = kind(**{**given, each.name: form})
            assert same(getattr(pruner, each.name), value)
            assert pruner == kind(**given)
            assert repr(pruner) == repr(kind(**given))


def test_what_is_no_number_of_python_is_refused_in_a_sentence() -> None:
    X, y = [[1.0], [2.0], [3.0]], ["a", "a", "b"]
    for wrong in (np.timedelta64(3, "D"), np.complex128(3), np.array([3]), np.array(None), np.datetime64("NaT")):
        with pytest.raises(ValueError, match="The 'min_samples_leaf' parameter of"):
            tw.DecisionTreeClassifier(min_samples_leaf=wrong).fit(X, y)
    with pytest.raises(DataError, match="The 'share' of ReducedError must be a number between 0 and 1"):
        tw.ReducedError(share=np.array(True))
