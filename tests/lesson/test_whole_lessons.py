"""Whole lessons on the lectures' tables, and pruning that ends where the estimator's does."""

from __future__ import annotations

import math

import pandas as pd
import pytest

import treewright as tw
from treewright.lesson.pruning.pessimistic_section import read_nodes
from treewright.reference.error_based import ErrorBasedPruning, Pessimism

TABLES = ["tennis", "restaurant", "credit_risk", "weather_numeric", "vote", "heart_c", "iris", "titanic", "credit_g"]


def load(name: str) -> tuple[pd.DataFrame, pd.Series]:
    return getattr(tw.datasets, f"load_{name}")(return_X_y=True)


def asked(lesson: tw.Lesson) -> dict[tuple[str, ...], str]:
    """The question of every inner node by its path, the answer of every leaf."""
    return {
        node.path: f"→ {node.prediction}" if node.is_leaf else node.candidates[node.winner].test
        for node in lesson.nodes
    }


def test_the_restaurant_lesson_is_the_lectures_tree() -> None:
    found = asked(tw.lesson(*load("restaurant")))
    assert found[()] == "Pat"
    assert found["Pat is None",] == "→ F"
    assert found["Pat is Some",] == "→ T"
    assert found["Pat is Full",] == "Hun"
    assert found["Pat is Full", "Hun is T"] == "Type"
    assert found["Pat is Full", "Hun is T", "Type is Thai"] == "Fri"


def test_an_empty_branch_takes_the_answer_above() -> None:
    lesson = tw.lesson(*load("restaurant"))
    empty = next(node for node in lesson.nodes if node.path[-1:] == ("Type is French",))
    assert empty.tally.rows == 0
    assert empty.why == "no row came here, so it takes the answer of the node above"
    # Two of four rows wait, so the tie goes to the node with Pat = Full, where four of six do not.
    assert empty.prediction == "F"
    assert "No rows." in lesson.text


def test_the_credit_risk_lesson_asks_income_first() -> None:
    found = asked(tw.lesson(*load("credit_risk")))
    assert found[()] == "income"
    assert found["income is $0 to $15k",] == "→ high"
    assert found["income is $15 to $35k",] == "credit_history"
    assert found["income is $15 to $35k", "credit_history is unknown"] == "debt"


def test_exclusive_or_is_learnt_although_nothing_is_gained() -> None:
    rows = pd.DataFrame({"a": list("ttff"), "b": list("tftf")})
    lesson = tw.lesson(rows, list("nyyn"))
    assert lesson.nodes[0].why == "no column gains anything, and it is the first"
    assert lesson.n_nodes == 7
    stopped = tw.lesson(rows, list("nyyn"), min_gain=0.1)
    assert stopped.nodes[0].why == "no gain reaches min_gain = 0.1; the largest is that of a"


def test_every_boolean_function_of_two_attributes_has_a_lesson_that_ends_pure() -> None:
    rows = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}).astype(bool)
    for function in range(16):
        y = [bool(function >> row & 1) for row in range(4)]
        assert all(node.tally.is_pure for node in tw.lesson(rows, y).nodes if node.is_leaf)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("parameters", [{}, {"variant": "c45", "confidence": 0.4}, {"raise_subtrees": False}])
def test_pruning_as_it_is_shown_ends_at_the_pruned_model(name: str, parameters: dict[str, object]) -> None:
    lesson = tw.lesson(*load(name), "c45", max_nodes=1, **parameters)
    settings = lesson.model.get_params()
    pessimism = Pessimism(settings["confidence"], settings["variant"])
    root = read_nodes(lesson.grown.tree_, lesson.method.sample)
    ErrorBasedPruning(lesson.method.algorithm, pessimism, settings["raise_subtrees"]).run(root)
    left = list(root.preorder())
    assert len(left) == lesson.model.tree_.n_nodes
    for ours, node in zip(left, lesson.model.tree_.nodes(), strict=True):
        assert (ours.split.column if ours.split else None) == (node.test.column_index if node.test else None)
        assert ours.weight == pytest.approx(node.weight)


def test_branches_raised_in_the_place_of_a_node_are_named() -> None:
    X, y = load("credit_g")
    steps = tw.lesson(X, y, "c45", max_nodes=1).to_dict()["pruning"]["steps"]
    assert {step["what"].split(",")[0] for step in steps} == {"kept", "becomes a leaf", "replaced by its branch"}


def test_the_cut_of_c45_is_written_as_a_value_of_the_column() -> None:
    lesson = tw.lesson(*load("weather_numeric"), "c45")
    sunny = next(node for node in lesson.nodes if node.path == ("outlook is sunny",))
    assert sunny.candidates[sunny.winner].test == "humidity <= 77.5"
    assert sunny.note == "The cut is written as 75, the largest value of the whole column up to it."
    assert sunny.branches[0][0] == "humidity <= 75"


def test_shared_out_rows_have_the_weights_of_the_book() -> None:
    X, y = load("weather_numeric")
    X.loc[11, "outlook"] = None
    lesson = tw.lesson(X, y, "c45")
    leaves = {node.path: node.tally.weight for node in lesson.nodes if node.is_leaf}
    assert leaves["outlook is overcast",] == pytest.approx(3.2308, abs=5e-5)
    assert leaves["outlook is rainy", "windy is True"] == pytest.approx(2.3846, abs=5e-5)
    assert leaves["outlook is sunny", "humidity > 75"] == pytest.approx(3.3846, abs=5e-5)


def test_the_iris_lesson_in_ctree_has_the_published_numbers() -> None:
    X, y = load("iris")
    # The file of UCI differs from Fisher's table in rows 35 and 38; R has Fisher's.
    X.loc[34] = [4.9, 3.1, 1.5, 0.2]
    X.loc[37] = [4.9, 3.6, 1.4, 0.1]
    lesson = tw.lesson(X, y, "ctree")
    inner = [node.candidates[node.winner] for node in lesson.nodes if not node.is_leaf]
    found = [(c.test, round(c.measures["statistic"], 3)) for c in inner]
    assert found == [("petallength <= 1.9", 140.264), ("petalwidth <= 1.7", 67.894), ("petallength <= 4.8", 13.865)]
    assert math.exp(inner[2].measures["log_p_adjusted"]) == pytest.approx(0.00079, abs=5e-6)


def test_a_node_that_is_not_significant_says_how_far_it_is() -> None:
    lesson = tw.lesson(*load("tennis"), "ctree", min_samples_split=2, min_samples_leaf=1)
    assert lesson.n_nodes == 1
    assert lesson.nodes[0].why.startswith("the smallest p, that of Humidity, is 0.")


def test_permutation_tests_show_the_statistic_and_follow_the_model() -> None:
    X, y = load("iris")
    lesson = tw.lesson(X, y, "ctree", test="monte_carlo", n_permutations=99, max_nodes=3)
    assert lesson.nodes[0].why == "its p-value, as the estimator found it, is the smallest"
    assert lesson.nodes[0].candidates[lesson.nodes[0].winner].measures["statistic"] > 100
    assert "p" not in lesson.to_dict()["nodes"][0]["candidates"][0]["measures"]


@pytest.mark.parametrize("algorithm", ["cart", "chaid", "ctree", "oblique", "model_tree"])
def test_numbers_are_taught_by_every_algorithm_that_learns_them(algorithm: str) -> None:
    X, y = load("auto_mpg")
    lesson = tw.lesson(X, y, algorithm, max_depth=2)
    assert all(node.agrees for node in lesson.nodes)
    assert len(lesson.nodes) > 3
    assert (
        "squared errors" in lesson.text
        or "saves" in lesson.text
        or "F  df" in lesson.text
        or "statistic" in lesson.text
    )


@pytest.mark.parametrize("algorithm", ["c45", "cart", "chaid", "ctree", "oblique"])
@pytest.mark.parametrize("name", ["titanic", "vote", "heart_c", "penguins"])
def test_lessons_on_real_tables_agree_with_the_model_at_every_node(algorithm: str, name: str) -> None:
    lesson = tw.lesson(*load(name), algorithm, max_nodes=25)
    assert [node.id for node in lesson.nodes if not node.agrees and not node.is_leaf] == []


def test_a_target_in_order_is_taught_by_its_scores() -> None:
    X, y = load("auto_mpg")
    classes = pd.cut(y, [0, 18, 26, 99], labels=["low", "middle", "high"])
    for algorithm in ("chaid", "ctree"):
        lesson = tw.lesson(X, classes, algorithm, max_depth=1)
        assert lesson.method.sample.class_scores == (3.0, 1.0, 2.0)
        assert all(node.agrees for node in lesson.nodes)


def test_priors_and_costs_change_what_rows_count() -> None:
    X, y = load("kyphosis")
    sizes = {"min_samples_split": 20, "min_samples_leaf": 7}
    for parameters in ({"priors": {"absent": 0.65, "present": 0.35}}, {"costs": [[0, 1], [4, 0]]}):
        lesson = tw.lesson(X, y, "cart", **sizes, **parameters)
        assert all(node.agrees for node in lesson.nodes)
        assert lesson.nodes[0].candidates[lesson.nodes[0].winner].test == "Start <= 12.5"
        assert "as the priors and the costs" in " ".join(lesson.text.split())


def test_a_lesson_names_the_part_of_the_rows_that_has_a_value() -> None:
    X, y = load("titanic")
    lesson = tw.lesson(X, y, "cart", missing="surrogates", max_depth=1)
    age = next(c for c in lesson.nodes[0].candidates if c.test.startswith("age"))
    assert age.remark == "judged by its known values"
