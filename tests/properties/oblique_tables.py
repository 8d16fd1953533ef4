"""Random tables on which sums of columns are worth their price, and the engine's oblique tree of such a table."""

from __future__ import annotations

from dataclasses import asdict, replace
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

import treewright as tw
from oracle.oblique_draws import Draws
from properties.engine import frame_of
from properties.tables import column, dense
from treewright.reference.oblique import Recipe
from treewright.reference.split import Split
from treewright.reference.sums import SumSplit
from treewright.reference.table import Column, Table, Value


def sloped_target(cells: Random, columns: list[Column], n_rows: int, classes: int) -> tuple[int, ...]:
    """A target that leans on a sum of the columns, with some noise."""
    slopes = [cells.choice([-2, -1, 0, 1, 3]) for _ in columns]
    sums = [
        sum(s * (c.values[row] or 0) for s, c in zip(slopes, columns, strict=True)) + cells.gauss(0, 1)
        for row in range(n_rows)
    ]
    if not classes:
        return tuple(round(3 * s) for s in sums)
    cuts = sorted(cells.sample(sums, classes - 1))
    labels: list[Value] = [sum(s > cut for cut in cuts) for s in sums]
    return tuple(int(k or 0) - 1 for k in dense(labels))


@st.composite
def sloped_tables(draw: st.DrawFn, classes: int, most_rows: int = 45, most_weight: int = 3) -> Table:
    """A table with two to four numeric columns, perhaps holes, perhaps a nominal and an ordinal column."""
    cells = Random(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(20, most_rows))
    holes = draw(st.sampled_from([0.0, 0.0, 0.1, 0.35]))
    scale = draw(st.sampled_from([1.0, 0.01, 1000.0]))
    numbers = [
        Column(
            "numeric",
            tuple(None if cells.random() < holes else round(cells.gauss(5, 2), 2) * scale for _ in range(n_rows)),
        )
        for _ in range(draw(st.integers(2, 4)))
    ]
    more = [
        column(cells, n_rows, kind, holes) for kind in draw(st.sampled_from([[], ["nominal"], ["nominal", "ordinal"]]))
    ]
    target = sloped_target(
        cells,
        [Column("numeric", tuple(None if v is None else v / scale for v in c.values)) for c in numbers],
        n_rows,
        classes,
    )
    heaviest = draw(st.sampled_from([1, most_weight]))
    weights = tuple(cells.randint(1, heaviest) for _ in range(n_rows))
    return Table((*numbers, *more), target, weights, len(set(target)) if classes else 0)


@st.composite
def stepped_tables(draw: st.DrawFn, classes: int) -> Table:
    """A number and one or two nominal columns, whose levels push the target as much as the number does."""
    cells = Random(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(60, 90))
    holes = draw(st.sampled_from([0.0, 0.1]))
    n_levels = [draw(st.integers(2, 4)) for _ in range(draw(st.integers(1, 2)))]
    number = [round(cells.gauss(0, 2), 2) for _ in range(n_rows)]
    levels = [[cells.randint(1, n) for _ in range(n_rows)] for n in n_levels]
    pushes = [[cells.choice([-4, -1, 0, 3]) for _ in range(n)] for n in n_levels]
    sums = [
        number[row] + sum(push[of_row[row] - 1] for push, of_row in zip(pushes, levels, strict=True))
        for row in range(n_rows)
    ]
    noisy = [s + cells.gauss(0, 0.3) for s in sums]
    cuts = sorted(cells.sample(noisy, classes - 1)) if classes else []
    target = [sum(s > cut for cut in cuts) for s in noisy] if classes else [round(3 * s) for s in noisy]
    codes = [dense([None if cells.random() < holes else level for level in of_row]) for of_row in levels]
    columns = (Column("numeric", tuple(number)), *(Column("nominal", tuple(c)) for c in codes))
    labels = tuple(int(k or 0) - 1 for k in dense(list(target))) if classes else tuple(target)
    return Table(columns, labels, (1,) * n_rows, len(set(labels)) if classes else 0)


@st.composite
def oblique_recipes(draw: st.DrawFn) -> Recipe:
    """Numbers that a user may set."""
    return Recipe(
        max_depth=draw(st.sampled_from([None, 2, 3])),
        min_samples_split=draw(st.sampled_from([2, 9])),
        min_samples_leaf=draw(st.sampled_from([1, 1, 4])),
        max_terms=draw(st.sampled_from([24, 2, 1])),
        penalty=draw(st.sampled_from([1.0, 0.2])),
        ridge=draw(st.sampled_from([1.0, 0.1])),
        missing=draw(st.sampled_from(["learn", "larger"])),
        prune=draw(st.sampled_from([None, "price"])),
        nominal_scores=draw(st.booleans()),
    )


def oblique_model(table: Table, recipe: Recipe, n_counted: int = 255, draws: Draws | None = None, **more: Any) -> Any:
    """Fit the engine's oblique tree with the same numbers as the oracle.

    Columns with more than `n_counted` values are kept in order, the others counted. `draws`: nodes look at some only.
    """
    estimator = tw.ObliqueTreeClassifier if table.n_classes else tw.ObliqueTreeRegressor
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    model = estimator(**{**asdict(recipe), "n_jobs": 1, "column_kinds": kinds, **more})
    model._n_counted = n_counted
    if draws is not None:
        complete, drawn = model._complete, {"max_features": draws.max_features, "draw_seed": draws.seed}

        def complete_with_draws(training: Any, y: Any) -> Any:
            recipe = complete(training, y).recipe
            return replace(training, recipe=replace(recipe, options={**recipe.options, **drawn}))

        model._complete = complete_with_draws
    weights = np.array(table.weights, dtype="float64")
    return model.fit(frame_of(table), np.array(table.target), sample_weight=None if (weights == 1).all() else weights)


def engine_terms(model: Any, node: int) -> dict[tuple[int, int], float]:
    """The columns that a node asks, with a level (or 0 for a number), and their weights; empty for a leaf."""
    a = model.tree_.arrays
    if a["n_children"][node] == 0:
        return {}
    part = slice(*a["term_start"][node : node + 2]) if "term_start" in a else slice(0)
    columns, levels = (
        a[f"term_{name}"][part].astype(int).tolist() if part.stop else [] for name in ("column", "level")
    )
    weights = a["term_weight"][part].tolist() if part.stop else []
    terms = dict(zip(zip(columns, levels, strict=True), weights, strict=True))
    return terms or {(int(a["column"][node]), 0): 1.0}


def oracle_terms(split: Split) -> dict[tuple[int, int], float]:
    """The same of a test of the definition."""
    if not isinstance(split, SumSplit):
        return {(split.column, 0): 1.0}
    return {(term.column, term.level): term.weight for term in split.terms}
