"""Lessons in oblique trees: the sums that were tried, what each saves and costs, and pruning by the same price."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.pages.blocks import Table
from treewright.reference.sums import SumSplit


def leaning(n_rows: int = 200) -> tuple[pd.DataFrame, list[str]]:
    """A border along a + b, and a column of noise."""
    cells = np.random.default_rng(3).normal(size=(n_rows, 3))
    frame = pd.DataFrame(cells, columns=["a", "b", "noise"])
    return frame, np.where(frame["a"] + frame["b"] > 0, "yes", "no").tolist()


def test_a_leaning_border_is_asked_as_a_sum_and_its_price_is_reckoned() -> None:
    lesson = tw.lesson(*leaning(), "oblique")
    root = lesson.nodes[0]
    winner = root.candidates[root.winner]
    assert isinstance(winner.split, SumSplit)
    assert {term.column for term in winner.split.terms} == {0, 1}
    saved, price, worth = (winner.measures[name] for name in ("saved", "price", "worth"))
    n_cuts = 199  # 200 sums, all different
    assert price == pytest.approx(math.log2(n_cuts) + math.log2(200) / 2 + math.log2(3))
    assert worth == pytest.approx(saved - price)
    assert saved == pytest.approx(200 * lesson.method.impurity(root.tally), rel=0.2)  # nearly all there is


def test_every_sum_that_was_tried_is_listed_with_its_price() -> None:
    root = tw.lesson(*leaning(), "oblique").nodes[0]
    table = next(step for step in root.candidates[-1].steps if isinstance(step, Table) and "Sums" in step.caption)
    assert [row[0] for row in table.rows] == ["least squares", "least squares", "logistic", "logistic"]
    assert [row[1] for row in table.rows][:2] == ["a, b, noise", "a, b"]
    assert len(table.marked) == 1


def test_no_sum_is_tried_where_it_is_not_allowed_or_too_few_rows_are_left() -> None:
    X, y = leaning()
    assert len(tw.lesson(X, y, "oblique", max_terms=1).nodes[0].candidates) == 3
    assert len(tw.lesson(X[:19], y[:19], "oblique").nodes[0].candidates) == 3
    assert len(tw.lesson(X[:20], y[:20], "oblique").nodes[0].candidates) == 4


def test_rows_with_holes_take_the_way_that_the_model_sends_them() -> None:
    X, y = leaning()
    X.loc[::7, "a"] = np.nan
    lesson = tw.lesson(X, y, "oblique", max_nodes=9)
    assert all(node.agrees for node in lesson.nodes if not node.is_leaf)
    rows = {node.id: node.tally.rows for node in lesson.nodes}
    arrays = lesson.grown.tree_.arrays
    assert all(arrays["n_rows"][node] == n for node, n in rows.items())


def test_pruning_as_it_is_shown_ends_at_the_pruned_model() -> None:
    X, y = tw.datasets.load_glass(return_X_y=True)
    lesson = tw.lesson(X, y, "oblique", max_nodes=1)
    steps = {step["node"]: step for step in lesson.to_dict()["pruning"]["steps"]}
    kept = [0]
    n_nodes = 0
    while kept:
        node = kept.pop()
        n_nodes += 1
        if steps.get(node, {"what": "leaf"})["what"] == "kept":
            assert steps[node]["as_tree"] < steps[node]["as_leaf"]
            kept += lesson.grown.tree_.child_ids(node)
    assert n_nodes == lesson.model.tree_.n_nodes < lesson.grown.tree_.n_nodes


def test_numbers_are_told_by_their_spread() -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    lesson = tw.lesson(X, y, "oblique", max_nodes=1)
    assert "squared errors of the node" in lesson.text
    assert lesson.to_dict()["pruning"]["method"] == "price"
    root = lesson.nodes[0]
    best = root.candidates[root.winner]
    inside = sum(branch.tally.squared_errors for branch in best.branches)
    assert best.measures["saved"] == pytest.approx(398 / 2 * math.log2(root.tally.squared_errors / inside), rel=1e-9)


def test_the_lesson_can_be_had_as_json_markdown_and_html_and_in_nats() -> None:
    X, y = leaning()
    in_bits, in_nats = (json.loads(tw.lesson(X, y, "oblique", base=base, max_nodes=1).to_json()) for base in (2, "e"))
    bits, nats = (found["nodes"][0]["candidates"][-1]["measures"]["saved"] for found in (in_bits, in_nats))
    assert nats == pytest.approx(bits * math.log(2))
    lesson = tw.lesson(X, y, tw.ObliqueTreeClassifier(prune=None))
    assert lesson.pruning is None
    assert "| sum by |" in lesson.markdown()
    assert "Sums of columns" in lesson.html()


def test_a_lesson_with_scores_of_levels_is_refused_with_a_sentence() -> None:
    with pytest.raises(DataError, match=r"shows sums of numbers only\. Leave nominal_scores=True out"):
        tw.lesson(*leaning(), "oblique", nominal_scores=True)
