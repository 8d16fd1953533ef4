"""The same comparison on tables of hundreds and thousands of rows, where the engine takes its short cuts.

The engine walks long columns in strides, skips what cannot win, and divides work among threads; small tables never get
there. There are fewer tables here because the definition is slow.
"""

from __future__ import annotations

from random import Random

import pytest

from properties.engine import assert_same_tree, grow_with_engine
from thorough import some
from treewright.reference.cart import Recipe, grow
from treewright.reference.table import Column, Table

CRITERIA = {
    "gini": (2, 3, 7),
    "entropy": (2, 3),
    "error": (2, 3),
    "twoing": (2, 3),
    "hellinger": (2, 3),
    "squared_error": (0,),
    "absolute_error": (0,),
    "poisson": (0,),
}
CASES = [(criterion, classes) for criterion, choices in CRITERIA.items() for classes in choices]


def long_table(seed: int, n_rows: int, classes: int, distinct: int) -> Table:
    """Four columns that the target depends on, with noise, a few holes and weights."""
    draw = Random(seed)
    holes = draw.choice([0.0, 0.1])

    def cells(top: int) -> tuple[int | None, ...]:
        return tuple(None if draw.random() < holes else draw.randint(1, top) for _ in range(n_rows))

    codes = [cells(distinct), cells(distinct // 3), cells(7), cells(5)]
    kinds = ("numeric", "numeric", "nominal", "ordinal")
    signal = [
        sum((v or 3) / t for v, t in zip(row, (distinct, 40, 3, 5), strict=True)) for row in zip(*codes, strict=True)
    ]
    noisy = [value + draw.gauss(0, 0.5) for value in signal]
    cuts = sorted(noisy)[:: -(-n_rows // (classes or 20))][1:]
    target = tuple(sum(value >= cut for cut in cuts) for value in noisy)
    weights = tuple(draw.choice([1, 1, 2]) if seed % 2 else 1 for _ in range(n_rows))
    return Table(tuple(map(Column, kinds, codes)), target, weights, classes)


@pytest.mark.parametrize(("criterion", "classes"), CASES)
@pytest.mark.parametrize("seed", some(range(4), 1))
def test_trees_of_hundreds_of_rows_equal_the_definition(criterion: str, classes: int, seed: int) -> None:
    table = long_table(seed, n_rows=150 + 50 * seed, classes=classes, distinct=60)
    recipe = Recipe(criterion, max_depth=5)
    assert_same_tree(grow_with_engine(table, recipe), table, grow(table, recipe))


@pytest.mark.thorough
@pytest.mark.parametrize(("criterion", "classes"), [("gini", 2), ("gini", 3), ("squared_error", 0)])
def test_trees_of_thousands_of_rows_equal_the_definition(criterion: str, classes: int) -> None:
    table = long_table(seed=1, n_rows=5000, classes=classes, distinct=40)
    recipe = Recipe(criterion, max_depth=3)
    assert_same_tree(grow_with_engine(table, recipe), table, grow(table, recipe))
