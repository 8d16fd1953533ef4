"""Random small tables and recipes: ties, missing values, integer weights and rows of weight zero are common."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from treewright.reference.cart import Recipe
from treewright.reference.table import Column, Table, Value

KINDS = ("numeric", "nominal", "ordinal")
NUMBER_CRITERIA = ("squared_error", "absolute_error", "poisson")
MOST_ROWS = 24
MOST_LEVELS = 6


def dense(values: list[Value]) -> tuple[Value, ...]:
    """Number the levels 1, 2, 3 ... without gaps, as an encoder does that keeps only levels it has seen.

    >>> dense([5, 2, None, 5])
    (2, 1, None, 2)
    """
    codes = {value: code for code, value in enumerate(sorted({v for v in values if v is not None}), start=1)}
    return tuple(None if value is None else codes[value] for value in values)


def column(draw: Random, n_rows: int, kind: str, holes: float) -> Column:
    """One column with up to six values; `holes` is the chance of a missing one."""
    top = draw.randint(1, MOST_LEVELS)
    values: list[Value] = [None if draw.random() < holes else draw.randint(1, top) for _ in range(n_rows)]
    if kind == "numeric":
        return Column(kind, tuple(None if value is None else value * 0.5 for value in values))
    return Column(kind, dense(values))


@st.composite
def tables(draw: st.DrawFn, classes: int = 0, kinds: tuple[str, ...] = KINDS) -> Table:
    """A table of up to 24 rows and four columns; `classes` is the most there may be, 0 for a numeric target.

    Hypothesis chooses the sizes and the seed of the cells, so a failing table shrinks to few rows and columns. Cells
    that it chose one by one would nearly all be alike, and the trees would be stumps.
    """
    n_rows = draw(st.one_of(st.integers(1, MOST_ROWS), st.integers(MOST_ROWS // 2, MOST_ROWS)))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4))
    holes = draw(st.sampled_from([0.0, 0.15, 0.4]))
    cells = Random(draw(st.integers(0, 2**32)))
    columns = tuple(column(cells, n_rows, kind, holes) for kind in chosen)
    labels: list[Value] = [cells.randint(0, classes - 1 if classes else 4) for _ in range(n_rows)]
    target = tuple(int(k or 0) - 1 for k in dense(labels)) if classes else tuple(int(y or 0) for y in labels)
    heaviest = draw(st.sampled_from([1, 3]))
    weights = tuple(cells.randint(1, heaviest) for _ in range(n_rows))
    return draw(with_rows_of_no_weight(Table(columns, target, weights, len(set(target)) if classes else 0)))


@st.composite
def with_rows_of_no_weight(draw: st.DrawFn, table: Table) -> Table:
    """The table with a few more rows of weight zero, made of values that it has, so that no level is new."""
    size = len(table.target)
    copies = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=2))
    return Table(
        tuple(Column(c.kind, c.values + tuple(c.values[row] for row, _ in copies)) for c in table.columns),
        table.target + tuple(table.target[row] for _, row in copies),
        table.weights + (0,) * len(copies),
        table.n_classes,
    )


@st.composite
def recipes(draw: st.DrawFn, criterion: str, policies: tuple[str, ...] = ("learn", "larger", "branch")) -> Recipe:
    """Missing policies and stop rules; half of the recipes stop at nothing, so that trees grow."""
    missing = draw(st.sampled_from(policies))
    if draw(st.booleans()):
        return Recipe(criterion, missing)
    return Recipe(
        criterion=criterion,
        missing=missing,
        max_depth=draw(st.sampled_from([None, None, 1, 2, 3])),
        min_samples_split=draw(st.sampled_from([2, 2, 4, 7])),
        min_samples_leaf=draw(st.sampled_from([1, 1, 2, 3])),
        max_leaf_nodes=draw(st.sampled_from([None, 2, 3, 4, 5, 8])),
        min_impurity_decrease=draw(st.sampled_from([0.0, 0.0, 0.01, 0.05])),
        min_variance_share=draw(st.sampled_from([0.0, 0.0, 0.1, 0.5])) if criterion in NUMBER_CRITERIA else 0.0,
    )
