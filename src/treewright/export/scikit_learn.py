"""`tw.to_sklearn`: a model of binary trees over numbers as a fitted estimator of scikit-learn.

scikit-learn's trees and forests round every number of a row to float32 before they compare it with a cut, which is a
double. The cuts are handed over as they are, so all rows of float32 numbers go the same way; a double between a cut
and the middle of the two float32 numbers around it does not. Given rows, cuts are moved so that these go the same way,
too. Its histogram boosters compare doubles.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.export.expected import Answers, expected_answers
from treewright.export.model_program import program_of
from treewright.export.probes import probes
from treewright.export.program import ABOVE, BELOW, KNOWN, SUM_BELOW, NodeTable, Program
from treewright.export.proof import first_difference
from treewright.export.runtimes import Questions
from treewright.export.scikit_learn_estimators import booster, forest, single_tree
from treewright.table.encode import EncodedRows, RowEncoder
from treewright.table.frame import open_frame, to_table
from treewright.table.schema import Schema
from treewright.tree.stored import SPREADS, STOPS

_MOST_ANSWERS = 400_000  # probes × trees
_FORESTS = {
    "RandomForestClassifier": "RandomForestClassifier",
    "RandomForestRegressor": "RandomForestRegressor",
    "ExtraTreesClassifier": "ExtraTreesClassifier",
    "ExtraTreesRegressor": "ExtraTreesRegressor",
    "BaggingTreesClassifier": "RandomForestClassifier",  # a forest whose nodes look at all columns
    "BaggingTreesRegressor": "RandomForestRegressor",
}
_BOOSTERS = ("GradientBoostingClassifier", "GradientBoostingRegressor")


def to_sklearn(model: Any, X: Any = None) -> Any:
    """Give a fitted estimator of scikit-learn with the trees of a model, so that tools made for those take it.

    A single tree becomes a ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``, a forest or bagging a
    ``RandomForest…`` or ``ExtraTrees…``, gradient boosting a ``HistGradientBoosting…``. All columns must hold numbers,
    and every node must ask one of them and have two branches; what scikit-learn cannot say is refused by name. Before
    it is handed out, the estimator has answered rows at every cut as the model does.

    Parameters
    ----------
    model : fitted model with trees
    X : table, optional
        Rows that matter, such as those of the training. scikit-learn's trees and forests round numbers to float32, and
        a double that lies as near to a cut as that may go the other way. Cuts are then chosen so that none of these
        rows does; where float32 cannot tell two of them apart, the model is refused. Boosters compare doubles.

    Returns
    -------
    estimator of scikit-learn

    Examples
    --------
    >>> from sklearn.tree import export_text
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> theirs = tw.to_sklearn(tw.DecisionTreeClassifier(max_depth=2).fit(X, y))
    >>> print(export_text(theirs, feature_names=theirs.feature_names_in_))
    |--- petallength <= 2.45
    |   |--- class: Iris-setosa
    |--- petallength >  2.45
    |   |--- petalwidth <= 1.75
    |   |   |--- class: Iris-versicolor
    |   |--- petalwidth >  1.75
    |   |   |--- class: Iris-virginica
    <BLANKLINE>
    """
    _refuse_calibrated(model)
    program = program_of(model)
    if program.link != "node" and program.title not in (*_FORESTS, *_BOOSTERS):
        raise DataError(
            f"scikit-learn has no estimator that adds up trees as {program.title} does and takes ours. tw.to_sklearn "
            "is written for single trees, forests, bagging and gradient boosting. Export SQL, C, ONNX or Python."
        )
    _refuse_columns(program)
    tables = [_binary(table, program) for table in program.trees]
    if program.link == "node":
        found = single_tree(model, program, tables[0])
    elif program.title in _FORESTS:
        found = forest(_FORESTS[program.title], model, program, tables)
    else:
        found = booster(model, program, tables)
    _prove(found, model, program)
    if X is not None and program.title not in _BOOSTERS:
        _fit_cuts_to(found, model, program, X)
    return found


# ---------------------------------------------------------------- from rules to left and right


def _refuse_columns(program: Program) -> None:
    for column in program.columns:
        if column.kind != "numeric" or column.value_type != "number":
            what = "dates or times" if column.kind == "numeric" else "levels"
            raise DataError(
                f"scikit-learn's trees take numbers only, and column {column.name!r} of this {program.title} holds "
                f"{what}. Train on numbers alone, or export SQL, C, JavaScript or Python."
            )


def _binary(table: NodeTable, program: Program) -> dict[str, NDArray[Any]]:
    """Give the nodes of a tree as scikit-learn has them: left, right, column, cut, whether missing goes left."""
    if table.equations:
        _refuse(program, "its leaves are equations")
    n_nodes = table.n_nodes
    nodes: dict[str, NDArray[Any]] = {name: np.full(n_nodes, -1, np.int64) for name in ("left", "right")}
    nodes |= {"column": np.full(n_nodes, -2, np.int64), "cut": np.full(n_nodes, -2.0)}
    nodes["missing_left"] = np.zeros(n_nodes, bool)
    for node in range(n_nodes):
        if table.rules(node):
            _write_test(nodes, table, node, program)
    nodes["answer"] = _answers_with_the_class_ahead(table, program)
    return nodes | table.known


def _write_test(nodes: dict[str, NDArray[Any]], table: NodeTable, node: int, program: Program) -> None:
    rules, fallback = table.rules(node), table.fallback[node]
    kinds = [table.rule_kind[rule] for rule in rules]
    children = [table.rule_child[rule] for rule in rules]
    if any(kind >= SUM_BELOW for kind in kinds):
        _refuse(program, "its nodes ask for weighted sums")
    if fallback in (STOPS, SPREADS):
        ends = "stops at the node" if fallback == STOPS else "goes down every branch in part"
        _refuse(program, f"a row without a value {ends}")
    if kinds == [KNOWN] and fallback != children[0]:
        children, cut = [children[0], fallback], math.inf
    elif kinds in ([BELOW, ABOVE], [BELOW, KNOWN]):
        cut = table.rule_number[rules[0]]
    else:
        more = len({*children, fallback}) > 2
        _refuse(program, "its nodes have more than two branches" if more else "its nodes have surrogates")
    if fallback not in children:
        _refuse(program, "rows without a value have a branch of their own")
    nodes["left"][node], nodes["right"][node] = children
    nodes["column"][node], nodes["cut"][node] = table.rule_column[rules[0]], cut
    nodes["missing_left"][node] = fallback == children[0]


def _refuse(program: Program, why: str) -> None:
    raise DataError(
        f"This {program.title} cannot be a tree of scikit-learn: {why}, which its trees cannot say. Use binary tests "
        "and missing='learn', or export SQL, C, JavaScript or Python."
    )


def _answers_with_the_class_ahead(table: NodeTable, program: Program) -> NDArray[np.float64]:
    """Among equal shares scikit-learn answers the first class: ours, where another, is put ahead by one unit."""
    if table.labels is None:
        return table.answers
    answers, nodes = table.answers.copy(), np.arange(table.n_nodes)
    behind = answers.argmax(axis=1) != table.labels
    if (answers[nodes, table.labels] < answers.max(axis=1)).any():
        _refuse(program, "by costs, priors or a rule of its own it answers another class than the most probable one")
    answers[nodes[behind], table.labels[behind]] = np.nextafter(answers.max(axis=1)[behind], 2.0)
    return answers


# ---------------------------------------------------------------- rows of doubles


def _fit_cuts_to(found: Any, model: Any, program: Program, X: Any) -> None:
    """Move the cuts of a tree or forest so that rows of doubles go where they go in the model."""
    columns = _doubles(RowEncoder(Schema(program.columns)).encode(open_frame(to_table(X))))
    for tree in [member.tree_ for member in getattr(found, "estimators_", [found])]:
        state = tree.__getstate__()
        nodes = state["nodes"]
        for place in np.flatnonzero(nodes["left_child"] >= 0).tolist():
            column = int(nodes["feature"][place])
            cut = _cut_between(columns[column], float(nodes["threshold"][place]))
            if cut is None:
                raise DataError(
                    f"scikit-learn's trees round numbers to float32, which cannot tell apart rows of column "
                    f"{program.columns[column].name!r} on both sides of the cut {nodes['threshold'][place]!r}. Scale "
                    "the column, or train on float32 numbers."
                )
            nodes["threshold"][place] = cut
        tree.__setstate__(state)


def _doubles(rows: EncodedRows) -> list[NDArray[np.float64]]:
    if rows.matrix is not None:
        return list(rows.matrix.astype(np.float64).T)
    return [np.where(False if gone is None else gone, np.nan, values) for _, values, gone in rows.parts]


def _cut_between(values: NDArray[np.float64], cut: float) -> float | None:
    """The cut with which float32 numbers go the way of these doubles; None where there is none.

    >>> _cut_between(np.array([0.1, 0.2]), 0.1)  # the float32 next to 0.1 is above it
    0.10000000149011612
    >>> _cut_between(np.array([1.0, 1.00000001]), 1.0) is None
    True
    """
    with np.errstate(over="ignore"):
        rounded = values.astype(np.float32).astype(np.float64)
    below = float(rounded[values <= cut].max(initial=-math.inf))
    above = float(rounded[values > cut].min(initial=math.inf))
    if below <= cut < above or (cut == math.inf and above == math.inf):
        return cut
    if below == -math.inf:
        return math.nextafter(above, -math.inf)
    return below if below < above else None


# ---------------------------------------------------------------- the proof


def _prove(found: Any, model: Any, program: Program) -> None:
    """Ask both at every cut, just beside it, and without values."""
    rows, used = _rows_to_ask(program), program.used
    cells = [[None if math.isnan(cell) else cell for cell in row] for row in rows[:, used].tolist()]
    expected = expected_answers(model, program, cells)
    given: Any = rows
    if hasattr(found, "feature_names_in_"):
        given = pd.DataFrame(rows, columns=found.feature_names_in_)
    # A class that was put ahead of its equals has a share that is one unit larger.
    exact = program.is_exact and not any(table.labels is not None for table in program.trees)
    asked, told = Questions([], cells, program.labels), _their_answers(found, given, program)
    difference = first_difference(asked, expected, told, 0 if exact else 2)
    if difference is not None:
        raise DataError(
            f"The estimator of scikit-learn does not answer as the model does: to {difference.row} it says "
            f"{difference.found!r}, the model {difference.expected!r}. Please report this with the model."
        )


def _rows_to_ask(program: Program) -> NDArray[np.float64]:
    probed = probes(program, max(500, min(20_000, _MOST_ANSWERS // len(program.trees))))
    rows = np.full((len(probed), len(program.columns)), np.nan if program.takes_missing else 0.0)
    rows[:, program.used] = np.array(probed, dtype=np.float64)
    if program.title in _BOOSTERS:
        return rows
    with np.errstate(over="ignore"):
        rounded = np.vstack([rows.astype(np.float32), _rounded_inside(rows, program)]).astype(np.float64)
    return rounded[~np.isinf(rounded).any(axis=1)]  # infinities are refused by scikit-learn's trees


def _rounded_inside(rows: NDArray[np.float64], program: Program) -> NDArray[np.float32]:
    """Rows as float32 numbers that arrive where the doubles do: a cut is rounded downwards, anything else upwards.

    A probe stands at the cut that it must not exceed, or at the first double above the one that it must exceed.
    """
    near = rows.astype(np.float32)
    for column in program.used:
        cuts = [
            number
            for tree in program.trees
            for asked, number in zip(tree.rule_column, tree.rule_number, strict=True)
            if asked == column
        ]
        doubles, is_cut = rows[:, column], np.isin(rows[:, column], cuts)
        lower = is_cut & (near[:, column] > doubles)
        higher = ~is_cut & (near[:, column] < doubles)
        near[lower, column] = np.nextafter(near[lower, column], np.float32(-np.inf))
        near[higher, column] = np.nextafter(near[higher, column], np.float32(np.inf))
    return near


def _their_answers(found: Any, given: Any, program: Program) -> Answers:
    nodes: list[list[int]] = [[] for _ in range(len(given))]
    if program.title not in _BOOSTERS:
        nodes = found.apply(given).reshape(len(given), -1).tolist()
    predicted = found.predict(given)
    if program.labels is None:
        return Answers(nodes, predicted.reshape(-1, 1).tolist(), None)
    return Answers(nodes, found.predict_proba(given).tolist(), predicted.tolist())


def _refuse_calibrated(model: Any) -> None:
    if "calibration_" in model.__dict__:
        raise DataError(
            f"This {type(model).__name__} is calibrated, and estimators of scikit-learn have no place for that "
            "correction. Give tw.to_sklearn the model that was given to tw.calibrate, or export SQL, C, ONNX or Python."
        )
