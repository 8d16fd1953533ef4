"""The core's check of a tree's arrays against its slow definition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from thorough import examples
from treewright import _core
from treewright.save import from_bytes
from unit.save.model_pieces import credit_model
from unit.save.mutations import swapped_array_values, wrong_array_values
from unit.tree.array_rules import problem_of
from unit.tree.hand_made import arrays_of, chain_arrays, credit_root, cut, leaf


def core_accepts(arrays: dict[str, np.ndarray], n_columns: int, n_classes: int) -> bool:
    try:
        _core.Tree(arrays, n_columns, n_classes)
    except ValueError as problem:
        return not str(problem)
    return True


@pytest.mark.random_examples
@pytest.mark.parametrize("damage", [wrong_array_values, swapped_array_values])
def test_the_core_refuses_exactly_what_the_rules_refuse(damage: object) -> None:
    model, chance = credit_model(), random.Random(3)
    for _ in range(examples(1500)):
        _, arrays = from_bytes(damage(model, chance))  # type: ignore[operator]
        assert core_accepts(arrays, 4, 2) == (problem_of(arrays, 4, 2) is None), arrays


def test_the_core_accepts_whole_trees() -> None:
    assert core_accepts(arrays_of(credit_root()), 4, 2)
    assert core_accepts(arrays_of(cut(0, 1.0, leaf(value=1, n=1), leaf(value=2, n=1)), regression=True), 4, 0)
    assert core_accepts(chain_arrays(1000), 1, 2)


@pytest.mark.parametrize(("n_columns", "n_classes"), [(3, 2), (4, 1), (4, 0), (-1, 2), (4, -1)])
def test_the_core_refuses_numbers_of_columns_or_classes_that_do_not_fit(n_columns: int, n_classes: int) -> None:
    assert not core_accepts(arrays_of(credit_root()), n_columns, n_classes)
