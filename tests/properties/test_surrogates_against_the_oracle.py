"""Trees with surrogates, priors, costs and exposure equal the slow definition of rpart's CART on random tables."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import treewright as tw
from oracle.rpart.classes import Classes
from oracle.rpart.grow import Node, grow
from oracle.rpart.lesson import Control, Lesson, Method
from oracle.rpart.links import node_prices
from oracle.rpart.means import Means
from oracle.rpart.rates import Rates
from oracle.rpart.surrogate import Surrogate, sends_left
from properties.engine import frame_of
from properties.tables import tables
from treewright.prune.rpart_prices import rpart_complexity
from treewright.reference.table import Table

CLOSE = 1e-9


@st.composite
def controls(draw: st.DrawFn) -> Control:
    """Sizes and uses of surrogates; half of them stop at nothing."""
    free = draw(st.booleans())
    return Control(
        min_samples_split=2 if free else draw(st.sampled_from([2, 4, 7])),
        min_samples_leaf=1 if free else draw(st.sampled_from([1, 2, 3])),
        max_depth=30 if free else draw(st.sampled_from([1, 2, 30])),
        max_surrogates=draw(st.sampled_from([0, 1, 2, 5])),
        no_value_stops=draw(st.booleans()),
        count_both_known=draw(st.booleans()),
    )


def lesson_of(table: Table, **more: Any) -> Lesson:
    """The same rows without those that have no value at all: rpart leaves them out, unless there is no other."""
    empty = [all(column.values[row] is None for column in table.columns) for row in range(len(table.target))]
    kept = tuple(0 if nothing else weight for nothing, weight in zip(empty, table.weights, strict=True))
    weights = kept if any(kept) else table.weights
    return Lesson(table.columns, tuple(map(Decimal, table.target)), weights, table.n_classes, **more)


def parameters(table: Table, control: Control) -> dict[str, Any]:
    """The parameters of our estimators that say the same."""
    return {
        "missing": "surrogates",
        "min_samples_split": control.min_samples_split,
        "min_samples_leaf": control.min_samples_leaf,
        "max_depth": control.max_depth,
        "max_surrogates": control.max_surrogates,
        "surrogate_fallback": "stop" if control.no_value_stops else "larger",
        "surrogate_share": "known_both" if control.count_both_known else "known_primary",
        "keep_candidates": control.max_competitors,
        "column_kinds": {f"x{i}": column.kind for i, column in enumerate(table.columns)},
        "n_jobs": 1,
    }


def surrogates_of(a: dict[str, Any], node: int) -> list[tuple[int, float | None, dict[int, int], bool, float, float]]:
    """Our surrogates: column, threshold, levels, whether low values go left, agreement, adjusted agreement."""
    found = []
    span = range(*a["surrogate_start"][node : node + 2]) if "surrogate_start" in a else range(0)
    for k in span:
        threshold = float(a["surrogate_threshold"][k])
        levels = {}
        if np.isnan(threshold):
            for entry in range(*a["surrogate_level_start"][node : node + 2]):
                if a["surrogate_level_which"][entry] == k - span.start:
                    levels[int(a["surrogate_level_level"][entry])] = int(a["surrogate_level_branch"][entry])
        numbers = float(a["surrogate_agreement"][k]), float(a["surrogate_adjusted"][k])
        cut = None if np.isnan(threshold) else threshold
        found.append((int(a["surrogate_column"][k]), cut, levels, not a["surrogate_flip"][k], *numbers))
    return found


def as_ours(surrogate: Surrogate) -> tuple[int, float | None, dict[int, int], bool, float, float]:
    """The definition's surrogate in the same form."""
    test = surrogate.test
    levels = {} if test.threshold is not None else {int(v): 0 for v in test.left} | {int(v): 1 for v in test.right}
    low_left = test.threshold is None or bool(sends_left(test, test.threshold))
    return test.column, test.threshold, levels, low_left, float(surrogate.agree), float(surrogate.adj)


def assert_same_tree(model: Any, root: Node, method: Method) -> None:
    """Node by node: rows, tests, where the others go, surrogates, competitors and gains."""
    a, nodes = model.tree_.arrays, list(root.preorder())
    assert a["n_rows"].tolist() == [len(node.rows) for node in nodes]
    for i, node in enumerate(nodes):
        assert int(a["n_children"][i]) == len(node.children)
        if not node.children or node.primary is None:
            continue
        test = node.primary.test
        assert int(a["column"][i]) == test.column
        if test.threshold is not None:
            assert float(a["threshold"][i]) == test.threshold
        default = {None: -1, True: 0, False: 1}[node.default_left]
        assert int(a["missing_branch"][i]) == default
        ours = surrogates_of(a, i)
        theirs = [as_ours(surrogate) for surrogate in node.surrogates]
        assert [found[:4] for found in ours] == [found[:4] for found in theirs]
        assert [found[4:] for found in ours] == [pytest.approx(found[4:]) for found in theirs]
        gain = float(a["improvement"][i] * a["weight"][i])
        assert gain == pytest.approx(gain_of(method, node.primary.gain), rel=1e-6, abs=CLOSE)
        others = model.candidates(i)
        others = others[others["role"] == "competitor"]
        assert others["column"].tolist() == [f"x{offer.test.column}" for offer in node.competitors]


def gain_of(method: Method, gain: Decimal) -> float:
    """Our gains of entropy are in bits."""
    bits = isinstance(method, Classes) and method.criterion == "entropy"
    return float(gain) / np.log(2) if bits else float(gain)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@given(data=st.data())
def test_a_classification_tree_with_priors_and_costs_equals_the_definition(criterion: str, data: st.DataObject) -> None:
    table = data.draw(tables(classes=data.draw(st.sampled_from([2, 3]))))
    control = data.draw(controls())
    lesson = lesson_of(table)
    counts = [lesson.weight([row for row in lesson.rows() if lesson.target[row] == k]) for k in range(table.n_classes)]
    assume(all(counts))
    parts = data.draw(st.lists(st.sampled_from([1, 2, 4]), min_size=table.n_classes, max_size=table.n_classes))
    priors = [Fraction(part, sum(parts)) for part in parts] if data.draw(st.booleans()) else None
    costs = None
    if data.draw(st.booleans()):
        price = st.sampled_from([1, 2, 5])
        costs = [[0 if i == j else data.draw(price) for j in range(table.n_classes)] for i in range(table.n_classes)]
    method = Classes(
        lesson,
        criterion,
        None if priors is None else [Decimal(p.numerator) / p.denominator for p in priors],
        None if costs is None else [[Decimal(cost) for cost in row] for row in costs],
    )
    model = tw.DecisionTreeClassifier(
        criterion=criterion,
        priors=None if priors is None else [float(p) for p in priors],
        costs=costs,
        **parameters(table, control),
    ).fit(frame_of(table), np.array(table.target), sample_weight=np.array(table.weights, dtype="float64"))
    root = grow(method, control)
    assert_same_tree(model, root, method)
    for i, node in enumerate(root.preorder()):
        answers = method.costs(node.rows)
        assert float(answers[model.tree_.arrays["prediction"][i]]) == pytest.approx(float(min(answers)), abs=CLOSE)
        shares = [float(share) for share in method.shares(node.rows)]
        assert [model.tree_.node(i).counts.get(k, 0.0) for k in range(table.n_classes)] == pytest.approx(
            [share * float(model.tree_.arrays["weight"][i]) for share in shares], abs=1e-7
        )


@given(data=st.data())
def test_a_tree_of_means_equals_the_definition(data: st.DataObject) -> None:
    table, control = data.draw(tables()), data.draw(controls())
    method = Means(lesson_of(table))
    model = tw.DecisionTreeRegressor(**parameters(table, control)).fit(
        frame_of(table), np.array(table.target, dtype="float64"), sample_weight=np.array(table.weights, dtype="float64")
    )
    root = grow(method, control)
    assert_same_tree(model, root, method)
    assert model.tree_.arrays["value"].tolist() == pytest.approx([float(node.answer) for node in root.preorder()])
    if root.children:
        risk = model.tree_.arrays["weight"] * model.tree_.arrays["impurity"]
        prices = node_prices(root, Fraction(0))
        expected = [float(prices[id(node)]) for node in root.preorder()]
        assert rpart_complexity(model.tree_.core, risk).tolist() == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(data=st.data())
def test_a_tree_of_rates_with_exposure_equals_the_definition(data: st.DataObject) -> None:
    table, control = data.draw(tables()), data.draw(controls())
    periods = st.lists(st.sampled_from([1, 2, 4]), min_size=len(table.target), max_size=len(table.target))
    exposure = data.draw(periods)
    shrink = data.draw(st.sampled_from([0.0, 0.5, 1.0]))
    lesson = lesson_of(table, exposure=tuple(map(Decimal, exposure)))
    assume(any(lesson.target[row] for row in lesson.rows()))
    method = Rates(lesson, Decimal(str(shrink)))
    y = np.column_stack([exposure, table.target]).astype("float64")
    model = tw.DecisionTreeRegressor(criterion="poisson", shrink=shrink, **parameters(table, control)).fit(
        frame_of(table), y, sample_weight=np.array(table.weights, dtype="float64")
    )
    root = grow(method, control)
    assert_same_tree(model, root, method)
    a = model.tree_.arrays
    assert a["value"].tolist() == pytest.approx([float(node.answer) for node in root.preorder()], abs=1e-12)
    risks = [float(node.risk) / 2 for node in root.preorder()]
    assert (a["weight"] * a["impurity"]).tolist() == pytest.approx(risks, rel=1e-6, abs=1e-6)


@given(data=st.data())
def test_rows_that_nothing_can_send_get_the_answer_of_their_node(data: st.DataObject) -> None:
    table = data.draw(tables(classes=2))
    model = tw.DecisionTreeClassifier(missing="stop", n_jobs=1).fit(
        frame_of(table), np.array(table.target), sample_weight=np.array(table.weights, dtype="float64")
    )
    a, leaves = model.tree_.arrays, model.apply(frame_of(table))
    for row, node in enumerate(leaves):
        if a["n_children"][node]:
            assert table.columns[a["column"][node]].values[row] is None
    counted = np.bincount(leaves[np.array(table.weights) > 0], minlength=len(a["n_rows"]))
    empty = sum(all(c.values[r] is None for c in table.columns) for r in table.rows())
    inner = np.flatnonzero(a["n_children"])
    stopped = {int(i): int(a["n_rows"][i] - a["n_rows"][model.tree_.core.parent == i].sum()) for i in inner}
    for i, rows in stopped.items():
        assert counted[i] == rows + (empty if i == 0 else 0)
