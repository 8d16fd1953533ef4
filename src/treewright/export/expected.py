"""What the model itself answers to probes: the other side of every proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from treewright.export.arriving_rows import Cell
from treewright.export.correction import correction_slack
from treewright.export.formula import ALIKE, Formula
from treewright.export.formula_probes import codes_of, score_slack
from treewright.export.model_formula import scores_of
from treewright.export.probes import some_cell
from treewright.export.program import EXACT_LINKS, Program
from treewright.table.column_remarks import columns_told
from treewright.table.schema import Column

_AT_A_TIME = 4_096
_UNIT, _EXP_UNITS = 2.0**-52, 2
_FAR_APART = 1e3  # logarithms: the share of the lower one is 0
_UNITS = {"date": "D", "datetime": "us"}


@dataclass(frozen=True)
class Answers:
    """Of every row: the node in each tree (-1 where a row ends in several), the numbers, and the class.

    Of models without trees: the scores that the probabilities are made of, and by how much each may be off where tanh
    or exp made it. Of corrected probabilities: by how much each number may be off.
    """

    nodes: list[list[int]]
    numbers: list[list[float]]
    labels: list[Any] | None
    scores: list[list[float]] | None = None
    slack: list[list[float]] | None = None
    number_slack: list[list[float]] | None = None


@columns_told()  # probes are full of levels that nobody knows, on purpose
def expected_answers(model: Any, program: Program | Formula, rows: list[list[Cell]]) -> Answers:
    """Ask the model.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> model = tw.DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    >>> expected = expected_answers(model, program_of(model), [[1.5], [None]])
    >>> expected.nodes, expected.numbers, expected.labels
    ([[1], [1]], [[1.0, 0.0], [1.0, 0.0]], ['a', 'a'])
    """
    table = probe_table(model, program, rows)
    predicted = model.predict(table)
    numbers = np.asarray(model.predict_proba(table) if program.labels is not None else predicted, dtype=np.float64)
    numbers = numbers if program.labels is not None else numbers[:, None]
    labels = None if program.labels is None else [_plain(label) for label in predicted]
    told = numbers.tolist()
    if isinstance(program, Program):
        return Answers(
            _nodes(model, program, table), told, labels, number_slack=_corrected_slack(model, program, table)
        )
    scores = None if labels is None else np.asarray(scores_of(model, table), dtype=np.float64).tolist()
    slack = score_slack(program, codes_of(program, rows))
    of_numbers = None
    if labels is not None and (program.correction is not None or slack is not None):
        most = _most_slack(program, scores, slack)
        corrected = program.correction is not None
        of_numbers = _slack_of_corrected_sums(model, table, most) if corrected else _share_slack(numbers, most).tolist()
    return Answers([[] for _ in rows], told, labels, scores, None if slack is None else slack.tolist(), of_numbers)


def _most_slack(program: Formula, scores: Any, slack: Any) -> Any:
    """By how much the scores of a row may be off that tell its shares: rows × 1.

    Naive Bayes holds logarithms next to the highest for equal. So far out that others are apart by hundreds, shares are
    0, or equal, and no slack shows in them.
    """
    if slack is None:
        return np.zeros((len(scores), 1))
    highest = np.abs(np.max(scores, axis=1, keepdims=True))
    is_far = (program.link == "bayes") & (ALIKE * highest > _FAR_APART)
    return np.where(is_far, 0.0, slack.max(axis=1, keepdims=True))


def _corrected_slack(model: Any, program: Program, table: Any) -> list[list[float]] | None:
    if program.correction is None:
        return None
    is_exact = program.link in EXACT_LINKS
    slack = correction_slack(model.calibration_, _uncorrected(model, table), is_exact)
    return None if slack is None else slack.tolist()


def _share_slack(shares: Any, most: Any) -> Any:
    """By how much shares may be off whose scores are off by `most`: the log-odds are, by twice as much."""
    wide = np.minimum(most, 1.0)
    return shares * np.where(most > 1.0, 1.0, (1.0 - shares + _UNIT) * np.expm1(2 * wide) * np.exp(2 * wide))


def _slack_of_corrected_sums(model: Any, table: Any, most: Any) -> list[list[float]]:
    """Of models without trees: probabilities before are off by what scores are, by exp, and by the order of a sum."""
    shares = _uncorrected(model, table)
    off = _share_slack(shares, most) + shares * (_EXP_UNITS + shares.shape[1]) * _UNIT
    if shares.shape[1] == 2:  # the first is what the second leaves of 1
        off = np.maximum(off, off.max(axis=1, keepdims=True)) + _UNIT
    made = correction_slack(model.calibration_, shares, False, off)
    assert made is not None
    return list(made.tolist())


def _uncorrected(model: Any, table: Any) -> Any:
    bare = object.__new__(type(model))
    bare.__dict__ = {name: value for name, value in model.__dict__.items() if name != "calibration_"}
    return np.asarray(bare.predict_proba(table), dtype=np.float64)


def probe_table(model: Any, program: Program | Formula, rows: list[list[Cell]]) -> Any:
    """Give probes as a table with all columns of the model; those that it does not ask for have no values."""
    cells = dict(zip(program.used, zip(*rows, strict=True), strict=True))
    frame = pd.DataFrame(
        {
            column.name: _series(column, list(cells.get(at, [_unasked(program, column)] * len(rows))))
            for at, column in enumerate(program.columns)
        }
    )
    return frame if hasattr(model, "feature_names_in_") else _without_names(program, frame)


def _unasked(program: Program | Formula, column: Column) -> Cell:
    return None if program.takes_missing else some_cell(column)


def _without_names(program: Program | Formula, frame: pd.DataFrame) -> Any:
    """A model of an array takes an array."""
    if all(column.kind == "numeric" and column.value_type == "number" for column in program.columns):
        return frame.to_numpy(dtype=np.float64)
    return frame.to_numpy(dtype=object)


def _series(column: Column, cells: list[Cell]) -> pd.Series:
    if column.kind != "numeric":
        return pd.Series(cells, dtype=object)
    numbers = np.array([np.nan if cell is None else float(cell) for cell in cells], dtype=np.float64)
    if column.value_type not in _UNITS and column.value_type not in ("time", "duration"):
        return pd.Series(numbers)
    whole = np.where(np.isnan(numbers), np.iinfo(np.int64).min, np.nan_to_num(numbers)).astype(np.int64)
    if column.value_type in _UNITS:
        moments = pd.Series(whole.view(f"datetime64[{_UNITS[column.value_type]}]").astype("datetime64[us]"))
        return moments.dt.tz_localize("UTC") if column.zoned else moments
    spans = pd.Series(whole.view("timedelta64[us]"))
    if column.value_type == "duration":
        return spans
    start = pd.Timestamp(0)
    return pd.Series([None if pd.isna(span) else (start + span).time() for span in spans], dtype=object)


def _nodes(model: Any, program: Program, table: Any) -> list[list[int]]:
    if program.spreads:
        return [[] for _ in range(len(table))]  # parts of rows are compared by what they add up to
    if len(program.trees) == 1 and hasattr(model, "tree_"):
        return [[int(node)] for node in model.apply(table)]
    if hasattr(model, "apply"):
        return [[int(node) for node in row] for row in model.apply(table)]
    members = [member.apply(table) for member in model.estimators_]
    return [[int(node) for node in row] for row in np.column_stack(members)]


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
