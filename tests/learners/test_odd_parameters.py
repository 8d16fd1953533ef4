"""Parameters at the ends of their types, and values that no parameter takes: an answer, or a sentence that names it.

Every estimator × every parameter that it declares × every odd value is fitted on a small table. Never the words of the
layers below (a failed cast, memory that is not there), never an answer that is no number, never a fit without end.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from thorough import THOROUGH
from treewright.errors import DataError
from treewright.learners.registry import LEARNERS, PRUNERS

KINDS = [*(record.load(task) for record in LEARNERS.values() for task in record.classes), tw.Autoencoder]
SECONDS = 20.0  # of the processor, where the longest of these fits takes 3
WORDS_BELOW = ("bad_cast", "bad_alloc", "incompatible function arguments", "Unable to allocate", "std::")


class Thing:
    """Nothing that any parameter takes."""

    def __repr__(self) -> str:
        return "Thing()"


WHOLE = [0, 1, 2, -1, 2**31 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 10**29, 10**400, -(2**31), -(2**63)]
NUMBERS = [
    0.0,
    0.5,
    -1.0,
    5e-324,
    1e-300,
    1e-30,
    1e30,
    1e308,
    np.nan,
    np.inf,
    -np.inf,
    1j,
    Decimal("0.5"),
    Fraction(1, 2),
]
OF_NUMPY = [np.int8(3), np.int64(2**62), np.uint64(2**63), np.float32(0.5), np.float64(1e300), np.bool_(True)]
PLAIN = [
    None,
    True,
    False,
    "",
    "x",
    "auto",
    "é\0",
    b"x",
    "polynomial:99",
    "spline:2147483648",
    Thing(),
    {1, 2},
    range(3),
]
LISTS = [
    [], (), [1], [0, 1], [0, 0], [0.5, -1], ["x"], ["a", "b"], [[1, 2], [3]], [10**30], [2**31], [1e308], [-1],
    (2, 2**31),
    np.array(3), np.array("x"), np.array([1.0, 2.0]), np.full(3, np.nan), pd.Series([1, 2]),
]  # fmt: skip
DICTS = [
    {}, {"a": 1}, {"a": "x"}, {0: 1}, {0: 1e308}, {0: -1}, {0: "x"}, {0: 5e-324, 1: 1e308}, {1: 1, 0: 2.0},
    {(0, 1): 1e308}, {(0, 1): 5e-324}, {"x0": 1}, {"x0": 1e308}, {"x0": "nominal"},
]  # fmt: skip
ODD = [*WHOLE, *NUMBERS, *OF_NUMPY, *PLAIN, *LISTS, *DICTS]
_PART = 12  # `make test` tries every twelfth value, from another start for every parameter


class NoEnd(BaseException):
    """A fit took longer than any of these should."""


def _give_up(*_: Any) -> None:
    raise NoEnd


@pytest.fixture(autouse=True)
def no_fit_is_without_end() -> Iterator[None]:
    """By the processor's time, so that a busy machine changes nothing; each try starts the clock anew."""
    before = signal.signal(signal.SIGPROF, _give_up)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def small_table() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x0 = rng.integers(-9, 9, 24).astype(float)
    table = pd.DataFrame({"x0": x0, "x1": rng.normal(size=24).round(2), "x2": list("aabc" * 6)})
    classes = (x0 + rng.integers(-4, 4, 24) > 0).astype(int)
    return table, classes, (2 * x0 + rng.normal(size=24)).round(1)


TABLE, CLASSES, VALUES = small_table()


def usual(kind: Any) -> dict[str, Any]:
    """Few trees and rounds."""
    few = {"n_estimators": 3, "max_iter": 20, "alphas": 5, "cv": 3}
    return {name: value for name, value in few.items() if name in kind().get_params(deep=False)}


def answers_are_numbers(model: Any, X: Any) -> bool:
    if isinstance(model, tw.Autoencoder):
        return bool(np.isfinite(model.transform(X)).all())
    found = model.predict(X)
    if not model._predicts_classes:
        return bool(np.isfinite(found).all())
    if not hasattr(model, "predict_proba"):
        return True
    shares = model.predict_proba(X)
    return bool((shares >= 0).all() and np.allclose(shares.sum(axis=1), 1, atol=1e-9))


def what_is_wrong(kind: Any, name: str, value: Any) -> str | None:
    """Fit with one odd value; None where it is answered with numbers or with a sentence that names the parameter."""
    X = TABLE.astype(str) if kind is tw.ID3Classifier else TABLE
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        model = kind(**{**usual(kind), name: value})
        model.fit(X, CLASSES if kind._predicts_classes else VALUES)
        return None if answers_are_numbers(model, X) else "its answers are no numbers"
    except NoEnd:
        return "no end"
    except (ValueError, TypeError) as refusal:  # DataError is one, and what scikit-learn says of parameters
        said = str(refusal)
        unfit = name not in said or any(words in said for words in WORDS_BELOW)
        return f"{type(refusal).__name__}: {said}" if unfit else None
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


@pytest.mark.filterwarnings("ignore")  # of rounds that were not enough, and what else 24 rows are too few for
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_value_of_every_parameter_is_answered_or_refused_by_name(
    kind: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {}
    for place, name in enumerate(kind().get_params(deep=False)):
        for value in ODD if THOROUGH else ODD[place % _PART :: _PART]:
            problem = what_is_wrong(kind, name, value)
            if problem is not None:
                wrong[f"{name}={value!r}"] = problem
    assert not wrong


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (tw.DecisionTreeClassifier(max_depth=2**63), r"'max_depth' .* must be an int in the range \[1, 2147483647\]"),
        (tw.RandomForestClassifier(n_jobs=2**31), "'n_jobs'"),
        (tw.RegularizedRegression(cv="x"), "cv='x' is no way to make folds"),
        (tw.LogisticRegression(C=5e-324), "'C'"),
        (tw.CHAIDClassifier(target_order={0: 1, 1: 2}), "'target_order'"),
        (tw.C45Classifier(class_weight={0: "heavy"}), "The class_weight of 0 is 'heavy'"),
        (tw.GradientBoostingRegressor(learning_rate=1e300), "Choose a learning_rate of 1 or less"),
        (tw.MLPClassifier((2**31,)), "hidden_layer_sizes"),
    ],
    ids=lambda value: str(value).split("(")[0],
)
def test_what_once_was_answered_in_the_words_of_the_core_is_a_sentence(model: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        model.fit(TABLE, CLASSES)


def test_values_at_the_ends_mean_what_they_say() -> None:
    plain = tw.DecisionTreeClassifier().fit(TABLE, CLASSES)
    assert tw.DecisionTreeClassifier(max_depth=2**31 - 1).fit(TABLE, CLASSES).tree_.to_text() == plain.tree_.to_text()
    cautious = tw.C45Classifier(confidence=1e-300).fit(TABLE, CLASSES)
    assert cautious.get_n_leaves() <= tw.C45Classifier(confidence=1e-9).fit(TABLE, CLASSES).get_n_leaves()
    free = tw.LogisticRegression(C=np.inf).fit(TABLE[["x0", "x1"]], CLASSES)
    nearly = tw.LogisticRegression(C=10**29).fit(TABLE[["x0", "x1"]], CLASSES)
    assert nearly.predict_proba(TABLE[["x0", "x1"]]) == pytest.approx(free.predict_proba(TABLE[["x0", "x1"]]), abs=1e-5)


def pruner_parameters() -> list[tuple[Any, str]]:
    kinds = dict.fromkeys(getattr(tw, name) for name, _ in PRUNERS.values())
    return [(kind, field.name) for kind in kinds for field in fields(kind)]


@pytest.mark.parametrize(("kind", "name"), pruner_parameters(), ids=lambda value: getattr(value, "__name__", value))
def test_every_value_of_every_number_of_a_pruner_is_answered_or_refused_by_name(kind: Any, name: str) -> None:
    wrong = {}
    for value in ODD:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            pruner = kind(**({"cv": 2} if name in ("rule", "repeats") else {}), **{name: value})
            for kind_of_tree, target in ((tw.DecisionTreeClassifier, CLASSES), (tw.DecisionTreeRegressor, VALUES)):
                if pruner.prunes_numbers or kind_of_tree is tw.DecisionTreeClassifier:
                    assert answers_are_numbers(kind_of_tree(prune=pruner).fit(TABLE, target), TABLE)
        except DataError as refusal:
            if name not in str(refusal) or any(words in str(refusal) for words in WORDS_BELOW):
                wrong[repr(value)] = str(refusal)
        except (Exception, NoEnd) as error:
            wrong[repr(value)] = f"{type(error).__name__}: {error}"
    assert not wrong
