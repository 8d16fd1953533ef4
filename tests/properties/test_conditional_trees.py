"""Conditional trees of random small tables are those of the plain definition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from properties.engine import engine_tests, frame_of
from properties.tables import tables
from thorough import examples
from treewright.reference.conditional import Recipe, grow, ranked
from treewright.reference.growing import Node
from treewright.reference.table import Column, Table

CLOSE = 1e-9


@st.composite
def recipes(draw: st.DrawFn, tests: tuple[str, ...] = ("bonferroni", "univariate")) -> Recipe:
    """Loose rules, so that small tables grow trees."""
    return Recipe(
        alpha=draw(st.sampled_from([0.05, 0.5, 0.9, 0.999])),
        test=draw(st.sampled_from(tests)),
        statistic="quadratic",
        split_statistic=draw(st.sampled_from([None, "quadratic", "maximum"])),
        min_samples_split=draw(st.sampled_from([2, 2, 5, 20])),
        min_samples_leaf=draw(st.sampled_from([1, 1, 2, 4])),
        min_branch_share=draw(st.sampled_from([0.0, 0.01, 0.3])),
        split_tries=draw(st.sampled_from([1, 2, 3])),
        max_depth=draw(st.sampled_from([None, None, 1, 2])),
        ordinal_target=draw(st.booleans()),
        n_permutations=draw(st.sampled_from([1, 19, 60])),
        seed=draw(st.integers(0, 2**31)),
    )


def fit(table: Table, recipe: Recipe, **more: Any) -> Any:
    """Fit our estimator with the same numbers as the oracle."""
    names = ["alpha", "test", "statistic", "split_statistic", "min_samples_split", "min_samples_leaf"]
    names += ["min_branch_share", "split_tries", "max_depth", "n_permutations"]
    settings = {name: getattr(recipe, name) for name in names} | {"random_state": recipe.seed, "n_jobs": 1} | more
    if table.n_classes and recipe.ordinal_target:
        settings["class_scores"] = {k: k + 1 for k in range(table.n_classes)}
    estimator = tw.ConditionalTreeClassifier if table.n_classes else tw.ConditionalTreeRegressor
    kinds = {f"x{i}": column.kind for i, column in enumerate(table.columns)}
    weights = np.array(table.weights, dtype="float64")
    return estimator(column_kinds=kinds, **settings).fit(frame_of(table), np.array(table.target), sample_weight=weights)


def oracle_tests(nodes: list[Node]) -> list[dict[str, Any]]:
    """What each node of the oracle asks, in the form of `engine_tests`."""
    return [
        {
            "branches": len(node.children),
            "column": node.split.column if node.split else -1,
            "threshold": next(iter(node.split.cuts), None) if node.split else None,
            "levels": dict(node.split.levels) if node.split else {},
            "missing_branch": node.split.missing if node.split else None,
            "n_rows": len(node.rows),
        }
        for node in nodes
    ]


def chosen(node: Node) -> Mapping[str, float] | None:
    """The test of the column that is cut; at a leaf the best test, if there was any."""
    order = ranked(node.candidates, node.weight)
    winner = node.choice.winner if node.split else next(iter(order), None)
    return None if winner is None else node.candidates[winner].measures


def assert_same(table: Table, recipe: Recipe) -> None:
    """Same tests, statistics, chances and answers at every node."""
    nodes, model = grow(table, recipe), fit(table, recipe)
    assert engine_tests(model) == oracle_tests(nodes)
    a = model.tree_.arrays
    assert list(a["weight"]) == [node.weight for node in nodes]
    answers = a["prediction"] if table.n_classes else a["value"]
    assert list(answers) == pytest.approx([node.answer for node in nodes], rel=CLOSE, abs=CLOSE)
    for i, node in enumerate(nodes):
        best = chosen(node)
        if best is None:
            assert np.isnan(a["statistic"][i])
            continue
        assert a["statistic"][i] == pytest.approx(best["statistic"], rel=1e-7, abs=CLOSE)
        assert a["df"][i] == best["degrees"]
        assert a["log_p"][i] == pytest.approx(best["log_p"], rel=1e-7, abs=CLOSE)
        assert a["log_p_adjusted"][i] == pytest.approx(best["log_p_adjusted"], rel=1e-7, abs=CLOSE)


@given(tables(classes=5), recipes())
def test_class_trees_are_those_of_the_definition(table: Table, recipe: Recipe) -> None:
    assert_same(table, recipe)


@given(tables(), recipes())
def test_trees_of_numbers_are_those_of_the_definition(table: Table, recipe: Recipe) -> None:
    assert_same(table, recipe)


@settings(max_examples=examples(40))
@given(st.sampled_from([0, 2, 4]).flatmap(lambda classes: tables(classes=classes)), recipes())
def test_trees_by_the_maximum_are_those_of_the_definition(table: Table, recipe: Recipe) -> None:
    assert_same(table, replace(recipe, statistic="maximum"))


@settings(max_examples=examples(60))
@given(
    st.sampled_from([0, 2, 4]).flatmap(lambda classes: tables(classes=classes)),
    recipes(tests=("monte_carlo", "monte_carlo_bonferroni")),
    st.sampled_from(["quadratic", "maximum"]),
)
def test_trees_by_permutations_are_those_of_the_definition(table: Table, recipe: Recipe, statistic: str) -> None:
    assert_same(table, replace(recipe, statistic=statistic))


def surrogates_of(model: Any, node: int) -> list[tuple[int, float | None, dict[int, int], bool]]:
    """Column, threshold, levels and whether it is turned, of every surrogate of a node."""
    a = model.tree_.arrays
    found = []
    for k in range(*a["surrogate_start"][node : node + 2]) if "surrogate_start" in a else ():
        here = range(*a["surrogate_level_start"][node : node + 2]) if "surrogate_level_start" in a else ()
        of_levels = [j for j in here if a["surrogate_level_which"][j] == k - a["surrogate_start"][node]]
        sides = {int(a["surrogate_level_level"][j]): int(a["surrogate_level_branch"][j]) for j in of_levels}
        threshold = None if np.isnan(a["surrogate_threshold"][k]) else float(a["surrogate_threshold"][k])
        found.append((int(a["surrogate_column"][k]), threshold, sides, bool(a["surrogate_flip"][k])))
    return found


def surrogates_of_oracle(node: Node) -> list[tuple[int, float | None, dict[int, int], bool]]:
    """The same; levels that are turned say so themselves."""
    return [
        (
            way.split.column,
            next(iter(way.split.cuts), None),
            {level: side ^ int(way.turned) for level, side in way.split.levels.items()},
            way.turned and not way.split.levels,
        )
        for way in node.surrogates
    ]


@settings(max_examples=examples(80))
@given(
    st.sampled_from([0, 2, 4]).flatmap(lambda classes: tables(classes=classes)), recipes(), st.sampled_from([0, 1, 3])
)
def test_surrogates_are_those_of_the_definition(table: Table, recipe: Recipe, most: int) -> None:
    recipe = replace(recipe, missing="surrogates", max_surrogates=most)
    nodes, model = grow(table, recipe), fit(table, recipe, missing="surrogates", max_surrogates=most)
    assert engine_tests(model) == oracle_tests(nodes)
    for i, node in enumerate(nodes):
        assert surrogates_of(model, i) == surrogates_of_oracle(node)
    ends = model.apply(frame_of(table))
    leaf_of = {row: i for i, node in enumerate(nodes) if not node.children for row in node.rows}
    assert [int(ends[row]) for row in sorted(leaf_of)] == [leaf_of[row] for row in sorted(leaf_of)]


def reordered(table: Table, rows: list[int]) -> Table:
    """The table made of these rows, with weight 1 each if rows are repeated as often as they weigh."""
    columns = tuple(Column(c.kind, tuple(c.values[row] for row in rows)) for c in table.columns)
    return Table(columns, tuple(table.target[r] for r in rows), tuple(table.weights[r] for r in rows), table.n_classes)


@given(tables(classes=4), recipes(tests=("bonferroni", "monte_carlo")), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(table: Table, recipe: Recipe, draw: Any) -> None:
    rows = list(range(len(table.target)))
    draw.shuffle(rows)
    assert fit(reordered(table, rows), recipe).fingerprint() == fit(table, recipe).fingerprint()


@given(tables(classes=3), recipes(tests=("bonferroni", "monte_carlo")))
def test_a_weight_of_two_is_the_row_twice(table: Table, recipe: Recipe) -> None:
    rows = [row for row, weight in enumerate(table.weights) for _ in range(weight)]
    doubled = reordered(replace(table, weights=(1,) * len(table.target)), rows)
    once, twice = fit(table, recipe), fit(doubled, recipe)
    for name in ("column", "threshold", "level", "level_branch", "weight", "statistic", "log_p", "prediction"):
        assert np.array_equal(
            once.tree_.arrays[name], twice.tree_.arrays[name], equal_nan=name in ("threshold", "statistic", "log_p")
        )


@given(tables(kinds=("numeric",)), recipes(), st.sampled_from([1e-290, 3.0, 2.0**40, 1e300]))
def test_the_unit_of_a_column_changes_no_tree(table: Table, recipe: Recipe, unit: float) -> None:
    columns = tuple(
        Column("numeric", tuple(None if value is None else value * unit for value in c.values)) for c in table.columns
    )
    one, other = fit(table, recipe), fit(replace(table, columns=columns), recipe)
    assert list(one.tree_.arrays["column"]) == list(other.tree_.arrays["column"])
    assert list(one.tree_.arrays["n_rows"]) == list(other.tree_.arrays["n_rows"])
    statistics = other.tree_.arrays["statistic"]
    assert list(one.tree_.arrays["statistic"]) == pytest.approx(list(statistics), rel=CLOSE, abs=CLOSE, nan_ok=True)
