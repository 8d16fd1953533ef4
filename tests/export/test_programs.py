"""The routing program in slow, plain Python says what the model says, on random tables."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import treewright as tw
from export.exported import fitted_models, table
from treewright.export.model_program import program_of
from treewright.export.probes import probes
from treewright.export.program import Program, follow, node_value
from treewright.table.encode import RowEncoder
from treewright.table.frame import open_frame
from treewright.table.schema import Schema


def codes(program: Program, frame: Any) -> np.ndarray:
    """Give a table as the program reads it: numbers and level codes, NaN where there is no value."""
    rows = RowEncoder(Schema(program.columns)).encode(open_frame(frame))
    parts = []
    for kind, values, missing in rows.parts:
        numbers = np.asarray(values, dtype=np.float64)
        gone = numbers == 0 if kind == "levels" else (np.zeros(len(numbers), bool) if missing is None else missing)
        parts.append(np.where(gone, np.nan, numbers))
    return np.column_stack(parts)


def sums(program: Program, row: np.ndarray) -> list[float]:
    total = list(program.start)
    for number, tree in enumerate(program.trees):
        said = None
        for node, share in follow(tree, row.tolist()):
            part = node_value(tree, node, row.tolist()) * share
            said = part if said is None else said + part
        assert said is not None
        for output, value in enumerate(said.tolist()):
            total[number % program.n_outputs if len(said) == 1 else output] += value
    return total


@pytest.mark.parametrize("seed", [1, 2])
def test_the_slow_walk_adds_up_to_what_the_model_answers(seed: int) -> None:
    frame, _ = table(seed + 100)
    for name, model in fitted_models(seed):
        program = program_of(model)
        answers = model.predict_proba(frame) if program.labels is not None else model.predict(frame)[:, None]
        for row, answer in zip(codes(program, frame), answers, strict=True):
            found = sums(program, row)
            if program.link == "mean":
                found = [total / len(program.trees) for total in found]
            elif program.link == "exp":
                found = [math.exp(found[0])]
            elif program.link in ("softmax", "samme", "logistic"):
                continue  # the links are compared where the exports run
            assert np.allclose(found, answer, rtol=1e-15, atol=0), (name, row, found, answer)


def test_many_trees_are_tried_at_the_cuts_of_some_of_them() -> None:
    frame, score = table(3, 400)
    program = program_of(tw.RandomForestRegressor(700, max_depth=4).fit(frame, score))
    assert 100 < len(probes(program, 500)) <= 500
