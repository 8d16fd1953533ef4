"""A parameter is said once; signature, constraints and docstring follow from that."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest
from sklearn.base import BaseEstimator, clone

import treewright as tw
from treewright.learners.base.learner import Learner
from treewright.learners.base.parameters import (
    declares_parameters,
    fitted,
    fixed,
    one_of,
    parameter,
    parameters_in,
    whole,
)
from treewright.save.persist import KINDS

KNOWN_BEFORE = dict(KINDS)


class Shared(Learner):
    """What the made-up estimators share."""

    depth: int | None = parameter(default=None, takes=[whole(1), None], doc="How deep it\n        goes.")
    way: str = parameter(default="left", takes=one_of("left", "right"), doc="Where it goes.")
    found_: list[int] = fitted()


@declares_parameters
class Counted:
    """A mixin with a parameter."""

    size: int = parameter(default=3, takes=whole(1, 9), doc="How many there are.", kw_only=False)


class MadeUp(Counted, Shared):
    """An estimator that was made up.

    It learns nothing.

    Attributes
    ----------
    found_ : list
        Nothing.
    """

    speed: float = parameter(default=0.5, takes=float, kind="float above 0", doc="How fast it is.")
    depth: int | None = parameter(default=7)
    way: str = parameter(default="right", doc="Where it goes at last.")


class Fixed(MadeUp):
    """An estimator that has no choice of way."""

    way: str = fixed("left")


class OldFashioned(Shared):
    """An estimator that writes its own constructor."""

    _parameter_constraints = {"depth": [int]}

    def __init__(self, depth: int = 1) -> None:
        self.depth = depth


class Younger(OldFashioned):
    """One that takes that constructor over."""


for _name in set(KINDS) - set(KNOWN_BEFORE):
    del KINDS[_name]  # the made-up ones are not among the kinds that a model file may name

ESTIMATORS = [
    kind
    for name in tw.__all__
    if isinstance(kind := getattr(tw, name), type) and issubclass(kind, BaseEstimator)
]  # fmt: skip


def test_the_signature_has_names_types_and_defaults() -> None:
    assert str(inspect.signature(MadeUp)) == (
        "(size: 'int' = 3, *, speed: 'float' = 0.5, depth: 'int | None' = 7, way: 'str' = 'right', "
        "column_kinds: 'Mapping[Any, Any] | None' = None, n_jobs: 'int | None' = None) -> None"
    )


def test_what_a_class_does_not_say_is_said_further_up() -> None:
    found = parameters_in(MadeUp)
    assert (found["depth"].default, found["depth"].doc) == (7, parameters_in(Shared)["depth"].doc)
    assert (found["way"].default, found["way"].doc) == ("right", "Where it goes at last.")
    assert found["way"].takes is parameters_in(Shared)["way"].takes
    assert parameters_in(Shared)["depth"].default is None


def test_the_docstring_tells_the_parameters_before_the_other_sections() -> None:
    text = inspect.getdoc(MadeUp)
    assert text is not None
    assert (
        "It learns nothing.\n\nParameters\n----------\nspeed : float above 0, default 0.5\n    How fast it is.\n"
        in text
    )
    assert 'depth : int or None, default 7\n    How deep it goes.\nway : {"left", "right"}, default "right"\n' in text
    assert "size : int, default 3\n    How many there are." in text
    assert text.index("n_jobs : int, optional") < text.index("\n\nAttributes\n")


def test_long_sentences_are_wrapped() -> None:
    lines = (inspect.getdoc(tw.DecisionTreeClassifier) or "").partition("\nAttributes")[0].splitlines()
    assert max(len(line) for line in lines if line.startswith("    ")) <= 104


def test_the_constraints_are_checked_with_sentences() -> None:
    with pytest.raises(ValueError, match=r"The 'way' parameter of MadeUp must be a str among \{'left', 'right'\}"):
        MadeUp(way="up")._validate_params()
    with pytest.raises(ValueError, match=r"The 'size' parameter of MadeUp must be an int in the range \[1, 9\]"):
        MadeUp(10)._validate_params()
    MadeUp(9, way="left", depth=None)._validate_params()


def test_no_declaration_is_an_attribute_of_the_class() -> None:
    for kind, name in ((MadeUp, "speed"), (Shared, "depth"), (Shared, "found_"), (Counted, "size")):
        assert not hasattr(kind, name)
    assert not hasattr(MadeUp(), "found_")


def test_a_value_that_a_class_fixes_is_no_parameter_of_it() -> None:
    assert Fixed().way == "left"
    assert "way" not in Fixed().get_params()
    assert set(Fixed().get_params()) == set(MadeUp().get_params()) - {"way"}


@pytest.mark.parametrize(
    ("given", "named", "sentence"),
    [
        ((), {"sped": 1.0}, r"MadeUp has no parameter 'sped'\. Did you mean 'speed'\?"),
        ((1, 2), {}, r"MadeUp takes its parameters by name\. Write MadeUp\(name=value\)\."),
        ((1,), {"size": 2}, "MadeUp was given its parameter 'size' twice"),
    ],
)
def test_a_wrong_call_is_refused(given: tuple[Any, ...], named: dict[str, Any], sentence: str) -> None:
    with pytest.raises(TypeError, match=sentence):
        MadeUp(*given, **named)


def test_scikit_learn_reads_sets_and_clones_them() -> None:
    model = MadeUp(5, speed=2.0)
    assert model.get_params() == {
        "size": 5, "speed": 2.0, "depth": 7, "way": "right", "column_kinds": None, "n_jobs": None,
    }  # fmt: skip
    assert clone(model).get_params() == model.get_params()
    assert repr(model.set_params(depth=None)) == "MadeUp(depth=None, size=5, speed=2.0)"


def test_an_estimator_is_pickled_with_its_parameters() -> None:
    model = tw.ObliqueTreeRegressor(prune=tw.CostComplexity(cv=3), max_terms=2)
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    assert vars(pickle.loads(pickle.dumps(tw.MLPClassifier(5, "tanh")))) == vars(tw.MLPClassifier(5, "tanh"))


@pytest.mark.parametrize("kind", [OldFashioned, Younger])
def test_a_constructor_that_is_written_by_hand_is_kept(kind: Any) -> None:
    assert kind(4).get_params() == {"depth": 4}
    assert kind._parameter_constraints == {"depth": [int]}


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_estimator_declares_its_parameters_in_full(kind: Any) -> None:
    found = parameters_in(kind)
    signature = inspect.signature(kind).parameters
    assert set(found) == set(signature) == set(kind._parameter_constraints) == set(kind().get_params(deep=False))
    text = inspect.getdoc(kind)
    for name, each in found.items():
        assert signature[name].default is each.default
        assert signature[name].annotation is not inspect.Parameter.empty
        assert kind._parameter_constraints[name]
        assert each.doc.endswith((".", "…"))
        assert f"\n{name} : {each.head()}\n    {each.doc.split()[0]}" in text
        assert not isinstance(vars(kind).get(name), type(each))


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_the_defaults_satisfy_the_constraints(kind: Any) -> None:
    kind()._validate_params()


def test_a_declaration_without_values_or_sentence_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Half\.half is declared without 'takes' or 'doc'"):

        class Half(Learner):
            half: int = parameter(default=1, takes=whole(1))
