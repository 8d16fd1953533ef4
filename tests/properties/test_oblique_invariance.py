"""What must not change an oblique tree: the order of rows, the threads, the units, how a weight is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from properties.engine import frame_of
from properties.oblique_tables import engine_terms, oblique_model, oblique_recipes, sloped_tables
from properties.test_invariance import partition, reordered
from thorough import examples
from treewright.reference.oblique import Recipe
from treewright.reference.table import Column, Table

FEW = settings(max_examples=examples(60))


def scaled(table: Table, factor: float, shift: float) -> Table:
    """The table with every numeric column in other units."""
    columns = tuple(
        Column(c.kind, tuple(None if v is None else v * factor + shift for v in c.values)) if c.kind == "numeric" else c
        for c in table.columns
    )
    return Table(columns, table.target, table.weights, table.n_classes)


@FEW
@given(data=st.data())
def test_the_order_of_the_rows_gives_the_same_model(data: st.DataObject) -> None:
    table = data.draw(sloped_tables(data.draw(st.sampled_from([0, 2, 3]))))
    recipe = data.draw(oblique_recipes())
    shuffled = reordered(table, data.draw(st.permutations(range(len(table.target)))))
    assert oblique_model(table, recipe).fingerprint() == oblique_model(shuffled, recipe).fingerprint()


@FEW
@given(data=st.data())
def test_a_doubled_row_and_a_row_of_weight_two_give_the_same_tree(data: st.DataObject) -> None:
    table = data.draw(sloped_tables(data.draw(st.sampled_from([0, 2, 3]))))
    recipe = Recipe(missing=data.draw(st.sampled_from(["learn", "larger"])))
    repeated = reordered(table, [row for row, weight in enumerate(table.weights) for _ in range(weight)])
    repeated = Table(repeated.columns, repeated.target, (1,) * len(repeated.target), table.n_classes)
    one, other = oblique_model(table, recipe), oblique_model(repeated, recipe)
    for name, array in one.tree_.arrays.items():
        if name != "n_rows":
            np.testing.assert_array_equal(array, other.tree_.arrays[name], err_msg=name)


@pytest.mark.parametrize(("factor", "shift"), [(1024.0, 0.0), (0.001, 0.0), (3.7, 50.0)])
@FEW
@given(data=st.data())
def test_other_units_change_the_coefficients_only(factor: float, shift: float, data: st.DataObject) -> None:
    table = data.draw(sloped_tables(data.draw(st.sampled_from([0, 2, 3]))))
    before, after = oblique_model(table, Recipe()), oblique_model(scaled(table, factor, shift), Recipe())
    assert partition(before.apply(frame_of(table))) == partition(after.apply(frame_of(scaled(table, factor, shift))))
    for node in range(before.tree_.n_nodes):  # all columns have the same new unit, so the weights stay as they are
        assert engine_terms(before, node) == pytest.approx(engine_terms(after, node), rel=1e-4)


@FEW
@given(data=st.data())
def test_training_rows_end_where_they_were_counted(data: st.DataObject) -> None:
    table = data.draw(sloped_tables(data.draw(st.sampled_from([0, 2, 3]))))
    model = oblique_model(table, data.draw(oblique_recipes()))
    arrays = model.tree_.arrays
    ends = np.bincount(model.apply(frame_of(table)), minlength=model.tree_.n_nodes)
    leaf = arrays["n_children"] == 0
    assert ends[leaf].tolist() == arrays["n_rows"][leaf].tolist()


@FEW
@given(data=st.data())
def test_pruning_by_price_at_training_and_afterwards_give_the_same_tree(data: st.DataObject) -> None:
    table = data.draw(sloped_tables(data.draw(st.sampled_from([0, 2, 3]))))
    at_once, grown = oblique_model(table, Recipe()), oblique_model(table, Recipe(prune=None))
    later = grown.pruned("price")
    for name, array in at_once.tree_.arrays.items():
        np.testing.assert_array_equal(array, later.tree_.arrays[name], err_msg=name)
    assert later.tree_.n_nodes <= grown.tree_.n_nodes


def large_table(n_rows: int = 40_000) -> tuple[pd.DataFrame, Any, Any]:
    """Enough rows that threads share the columns of the upper nodes; holes and levels, too."""
    cells = np.random.default_rng(7)
    x = cells.normal(size=(n_rows, 6))
    total = x[:, 0] + x[:, 1] - 0.5 * x[:, 2] + 0.5 * cells.normal(size=n_rows)
    frame = pd.DataFrame(x, columns=list("abcdef"))
    frame.loc[cells.random(n_rows) < 0.1, "a"] = np.nan
    frame["group"] = cells.choice(["red", "green", "blue"], n_rows)
    return frame, np.digitize(total, [-1, 1]), total


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_any_number_of_threads_gives_the_same_bytes(task: str) -> None:
    frame, classes, numbers = large_table()
    kind, y = (tw.ObliqueTreeClassifier, classes) if task == "classes" else (tw.ObliqueTreeRegressor, numbers)
    one, eight = (kind(n_jobs=n, max_depth=6).fit(frame, y) for n in (1, 8))
    assert one._tw_bytes() == eight._tw_bytes()
    assert one.tree_.n_leaves > 3


@pytest.mark.parametrize("task", ["two classes", "three classes", "weights", "numbers"])
@pytest.mark.parametrize("min_samples_leaf", [1, 50])
def test_columns_that_are_counted_and_columns_kept_in_order_give_the_same_bytes(
    task: str, min_samples_leaf: int
) -> None:
    frame, classes, numbers = large_table(4000)
    frame["rounded"] = frame["b"].round(1)
    y = {"numbers": numbers, "three classes": classes}.get(task, classes > 0)
    weights = np.random.default_rng(8).integers(1, 4, len(frame)) if task == "weights" else None
    models = []
    for n_counted in (1, 255, 10**9):
        model = (tw.ObliqueTreeRegressor if task == "numbers" else tw.ObliqueTreeClassifier)(
            min_samples_leaf=min_samples_leaf
        )
        model._n_counted = n_counted
        models.append(model.fit(frame, y, sample_weight=weights)._tw_bytes())
    assert models[0] == models[1] == models[2]


def test_a_saved_model_gives_the_same_answers(tmp_path: Path) -> None:
    frame, classes, _ = large_table(3000)
    model = tw.ObliqueTreeClassifier().fit(frame, classes)
    tw.save(model, tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    assert again.fingerprint() == model.fingerprint()
    np.testing.assert_array_equal(again.predict(frame), model.predict(frame))
    one_by_one = [again.predict_one(row._asdict()) for row in frame.head(300).itertuples(index=False)]
    assert one_by_one == model.predict(frame.head(300)).tolist()
