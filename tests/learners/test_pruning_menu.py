"""The pruners as users meet them: at training, on a fitted model, by name, in files, and with what they refuse."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.model_selection import GridSearchCV

import treewright as tw
from learners.test_deep_trees import chain_arrays, fitted_chain, in_a_small_stack
from oracle.dealing import held_rows
from treewright.errors import DataError
from treewright.learners.base.folds import Units
from treewright.model_selection.missing_comparison import policies_of
from treewright.prune import PRUNER_NAMES
from treewright.prune.fitted import RowsToPruneBy, validation_rows_of
from treewright.save.model_bytes import to_bytes
from treewright.save.persist import load_bytes

ALL: list[Any] = [
    tw.ReducedError(),
    tw.ReducedError(share=0.4, greedy=True),
    tw.ValidationGain(epsilon=0.01, lookahead=2),
    tw.PessimisticError(),
    tw.PessimisticError(raise_subtrees=False),
    tw.PessimisticError(variant="1987"),
    tw.ChiSquare(alpha=0.01),
    tw.MinimumError(m=5.0),
    tw.MinimumDescription(),
    tw.CriticalValue(threshold=0.05),
    tw.MergeEqualLeaves(),
]
FOR_NUMBERS = [p for p in ALL if type(p).__name__ not in ("PessimisticError", "ChiSquare", "MinimumDescription")]
BY_ROWS = (tw.ReducedError, tw.ValidationGain)


@pytest.fixture(scope="module")
def noisy() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(600, 6, n_informative=3, n_classes=3, flip_y=0.2, random_state=1)


@pytest.fixture(scope="module")
def numbers() -> tuple[np.ndarray, np.ndarray]:
    return make_regression(400, 4, noise=60, random_state=1)


@pytest.mark.parametrize("pruner", ALL, ids=str)
def test_training_with_a_pruner_is_growing_and_then_pruning(pruner: Any, noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    at_once = tw.DecisionTreeClassifier(prune=pruner, random_state=4).fit(X, y)
    if isinstance(pruner, BY_ROWS):
        held = held_rows(X, y, pruner.share, 4)
        afterwards = tw.DecisionTreeClassifier().fit(X[~held], y[~held]).pruned(pruner, X[held], y[held])
    else:
        rows = (X, y) if pruner.looks_at_training_rows else ()
        afterwards = tw.DecisionTreeClassifier().fit(X, y).pruned(pruner, *rows)
    assert at_once.tree_.to_dict() == afterwards.tree_.to_dict()
    assert at_once.get_n_leaves() <= tw.DecisionTreeClassifier().fit(X, y).get_n_leaves()


@pytest.mark.parametrize("pruner", FOR_NUMBERS, ids=str)
def test_regression_trees_are_pruned_too(pruner: Any, numbers: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = numbers
    at_once = tw.DecisionTreeRegressor(prune=pruner).fit(X, y)
    if isinstance(pruner, BY_ROWS):
        held = held_rows(X, y, pruner.share, 0)
        afterwards = tw.DecisionTreeRegressor().fit(X[~held], y[~held]).pruned(pruner, X[held], y[held])
    else:
        afterwards = tw.DecisionTreeRegressor().fit(X, y).pruned(pruner)
    for name in ("n_children", "column", "threshold", "n_rows"):
        assert np.array_equal(at_once.tree_.arrays[name], afterwards.tree_.arrays[name], equal_nan=True)
    assert at_once.predict(X) == pytest.approx(afterwards.predict(X))  # the unit of the sums is that of all rows


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("greedy", [False, True])
def test_reduced_error_improves_a_regression_on_the_rows_that_judge_it(criterion: str, greedy: bool) -> None:
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(400, 3))
    y = np.where(X[:, 0] > 0.5, 8.0, 2.0) + rng.poisson(2, size=400)
    full = tw.DecisionTreeRegressor(criterion=criterion).fit(X[:200], y[:200])
    small = full.pruned(tw.ReducedError(greedy=greedy), X[200:], y[200:])
    assert 2 <= small.get_n_leaves() < full.get_n_leaves() / 2
    losses = [np.abs(m.predict(X[200:]) - y[200:]).mean() for m in (full, small)]
    assert losses[1] < losses[0]


@pytest.mark.parametrize(
    "name", sorted(set(PRUNER_NAMES) - {"price"})
)  # which looks at prices that CART does not store
def test_every_name_stands_for_a_pruner_with_its_usual_numbers(name: str, noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    model = tw.DecisionTreeClassifier(prune=name).fit(X, y)
    assert model.get_params()["prune"] == name
    assert 1 <= model.get_n_leaves() <= tw.DecisionTreeClassifier().fit(X, y).get_n_leaves()


@pytest.mark.parametrize("pruner", ALL, ids=str)
def test_a_pruner_comes_back_from_files_pickles_and_clones(
    pruner: Any, noisy: tuple[np.ndarray, np.ndarray], tmp_path: Path
) -> None:
    model = tw.DecisionTreeClassifier(prune=pruner).fit(*noisy)
    tw.save(model, tmp_path / "m.tw")
    for copy in (tw.load(tmp_path / "m.tw"), pickle.loads(pickle.dumps(model))):
        assert copy.get_params()["prune"] == pruner
        assert copy.fingerprint() == model.fingerprint()
    assert clone(model).get_params()["prune"] is not None
    assert str(pruner) in " ".join(repr(model).split())


def test_numbers_of_numpy_in_a_pruner_can_be_saved(noisy: tuple[np.ndarray, np.ndarray], tmp_path: Path) -> None:
    pruner = tw.ValidationGain(share=np.float64(0.3), lookahead=np.int64(2))  # type: ignore[arg-type]
    tw.save(tw.DecisionTreeClassifier(prune=pruner).fit(*noisy), tmp_path / "m.tw")
    assert tw.load(tmp_path / "m.tw").get_params()["prune"] == pruner


@pytest.mark.parametrize("pruner", [tw.ReducedError(), tw.ValidationGain()], ids=str)
def test_the_rows_held_out_depend_on_the_seed_and_on_nothing_else(
    pruner: Any, noisy: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = noisy
    models = [tw.DecisionTreeClassifier(prune=pruner, random_state=s, n_jobs=j).fit(X, y) for s, j in ((1, 1), (1, 2))]
    assert models[0].fingerprint() == models[1].fingerprint()
    others = [tw.DecisionTreeClassifier(prune=pruner, random_state=s).fit(X, y).tree_.to_dict() for s in range(2, 6)]
    assert any(other != models[0].tree_.to_dict() for other in others)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
def test_every_class_has_its_share_of_the_rows_held_out(share: float) -> None:
    classes = np.repeat(np.arange(3), [50, 200, 31]).astype(np.int32)
    held = Units(np.arange(len(classes), dtype=np.uint32), classes).part(share, 7)
    for k, n in enumerate(np.bincount(classes)):
        assert abs(held[classes == k].sum() - share * n) <= 1
    assert held.sum() == pytest.approx(share * len(classes), abs=0.5)


def test_weight_two_is_the_row_twice_among_the_judges(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    full = tw.DecisionTreeClassifier().fit(X[:300], y[:300])
    weights = np.random.default_rng(0).integers(0, 3, size=300)
    by_weight = full.pruned(tw.ReducedError(), X[300:], y[300:], sample_weight=weights)
    by_rows = full.pruned(tw.ReducedError(), np.repeat(X[300:], weights, axis=0), np.repeat(y[300:], weights))
    assert by_weight.tree_.to_dict() == by_rows.tree_.to_dict()


def test_class_weights_count_among_the_judges_too(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    full = tw.DecisionTreeClassifier(class_weight={0: 5.0}).fit(X[:300], y[:300])
    by_class = full.pruned(tw.ReducedError(), X[300:], y[300:])
    plain = tw.DecisionTreeClassifier(class_weight={0: 5.0}).fit(X[:300], y[:300]).set_params(class_weight=None)
    by_row = plain.pruned(tw.ReducedError(), X[300:], y[300:], sample_weight=np.where(y[300:] == 0, 5.0, 1.0))
    assert by_class.tree_.to_dict() == by_row.tree_.to_dict()
    assert by_class.tree_.to_dict() != plain.pruned(tw.ReducedError(), X[300:], y[300:]).tree_.to_dict()
    balanced = tw.DecisionTreeClassifier(class_weight="balanced").fit(X[:300], y[:300])
    assert balanced.pruned(tw.ReducedError(), X[300:][y[300:] > 0], y[300:][y[300:] > 0]).get_n_leaves() >= 1


def test_rows_of_an_unknown_class_are_errors_wherever_they_end() -> None:
    X, y = [[1], [2], [3], [4]], ["a", "a", "b", "b"]
    full = tw.DecisionTreeClassifier().fit(X, y)
    assert full.pruned("reduced_error", [[1], [4], [2]], ["a", "b", "new"]).get_n_leaves() == 2
    with pytest.raises(DataError, match=r"No class of y is one that the model knows: 'c' is not among .* 'a', 'b'"):
        full.pruned("reduced_error", X, ["c", "d", "c", "d"])


def test_a_subtree_that_no_held_out_row_reaches_is_cut() -> None:
    full = tw.DecisionTreeClassifier().fit([[1], [2], [3], [4]], ["a", "b", "a", "b"])
    for pruner in ("reduced_error", "validation_gain"):
        assert full.pruned(pruner, [[1]], ["a"]).get_n_leaves() <= 2


@pytest.mark.parametrize("pruner", ALL, ids=str)
def test_pruning_twice_changes_nothing_more(pruner: Any, noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    by_training = (X[:400], y[:400]) if pruner.looks_at_training_rows else ()
    rows = (X[400:], y[400:]) if isinstance(pruner, BY_ROWS) else by_training
    once = tw.DecisionTreeClassifier().fit(X[:400], y[:400]).pruned(pruner, *rows)
    twice = once.pruned(pruner, *rows)
    if isinstance(pruner, tw.PessimisticError | tw.ValidationGain):  # these weigh a node against all that is left
        assert twice.get_n_leaves() <= once.get_n_leaves()
    else:
        assert twice.tree_.to_dict() == once.tree_.to_dict()


def test_merging_equal_leaves_changes_no_answer(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    full = tw.DecisionTreeClassifier(max_depth=6).fit(X, y)
    merged = full.pruned(tw.MergeEqualLeaves())
    assert merged.get_n_leaves() < full.get_n_leaves()
    assert (merged.predict(X) == full.predict(X)).all()
    assert (merged.predict_proba(X) != full.predict_proba(X)).any()
    X, y = numbers
    medians = tw.DecisionTreeRegressor(criterion="absolute_error", max_depth=5).fit(X, np.round(y / 100))
    assert (medians.pruned("merge_equal_leaves").predict(X) == medians.predict(X)).all()


@pytest.mark.parametrize("missing", sorted(set(policies_of(tw.DecisionTreeClassifier())) - {"refuse"}))
def test_pruners_work_with_every_rule_for_missing_values(missing: str, noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    X = np.where(np.random.default_rng(0).uniform(size=X.shape) < 0.2, np.nan, X)
    full = tw.DecisionTreeClassifier(missing=missing).fit(X, y)
    for pruner in ALL:
        model = tw.DecisionTreeClassifier(missing=missing, prune=pruner).fit(X, y)
        assert 1 <= model.get_n_leaves() <= full.get_n_leaves()
        assert len(model.predict(X)) == len(X)
        if pruner.looks_at_training_rows:
            assert full.pruned(pruner, X, y).tree_.to_dict() == model.tree_.to_dict()


def test_a_grid_may_search_over_pruners(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    grid = GridSearchCV(tw.DecisionTreeClassifier(), {"prune": [None, *ALL]}, cv=3).fit(X, y)
    assert grid.best_params_["prune"] is not None
    assert grid.cv_results_["mean_test_score"].min() > 0.3


WRONG: list[tuple[type[Any], dict[str, Any], str]] = [
    (tw.ReducedError, {"share": 0}, "The 'share' of ReducedError must be a number between 0 and 1. Got 0 instead."),
    (tw.ReducedError, {"share": 1.0}, "between 0 and 1. Got 1.0"),
    (tw.ReducedError, {"share": "half"}, "between 0 and 1. Got 'half'"),
    (tw.ReducedError, {"share": float("nan")}, "between 0 and 1. Got nan"),
    (tw.ReducedError, {"greedy": "yes"}, "The 'greedy' of ReducedError must be True or False. Got 'yes'"),
    (tw.ValidationGain, {"epsilon": -0.1}, "must be a number of 0 or more. Got -0.1"),
    (tw.ValidationGain, {"lookahead": 0}, "must be a whole number of at least 1. Got 0"),
    (tw.ValidationGain, {"lookahead": 1.5}, "must be a whole number of at least 1. Got 1.5"),
    (tw.PessimisticError, {"confidence": 1}, "The 'confidence' of PessimisticError must be a number between 0 and 1"),
    (tw.PessimisticError, {"variant": "c5"}, "must be 'j48' or 'c45' or '1987'. Got 'c5'"),
    (tw.PessimisticError, {"raise_subtrees": 2}, "must be True or False. Got 2"),
    (tw.ChiSquare, {"alpha": 0.0}, "The 'alpha' of ChiSquare must be a number between 0 and 1. Got 0.0"),
    (tw.ChiSquare, {"alpha": True}, "between 0 and 1. Got True"),
    (tw.ChiSquare, {"statistic": "fisher"}, "must be 'pearson' or 'likelihood'. Got 'fisher'"),
    (tw.MinimumError, {"m": -1}, "The 'm' of MinimumError must be a number of 0 or more. Got -1"),
    (tw.MinimumError, {"m": float("inf")}, "must be a number of 0 or more. Got inf"),
    (tw.MinimumError, {"prior": "flat"}, "must be 'root' or 'uniform'. Got 'flat'"),
    (tw.MinimumDescription, {"code": "morse"}, "must be 'rissanen' or 'exceptions'. Got 'morse'"),
    (tw.CriticalValue, {"threshold": None}, "must be a number of 0 or more. Got None"),
]


@pytest.mark.parametrize(("kind", "given", "words"), WRONG, ids=lambda value: str(value)[:40])
def test_a_wrong_number_is_refused_when_the_pruner_is_made(kind: type[Any], given: dict[str, Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        kind(**given)


def test_what_counts_classes_says_so_of_a_regression(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = numbers
    model = tw.DecisionTreeRegressor(max_depth=3).fit(X, y)
    for pruner in (tw.PessimisticError(), tw.ChiSquare(), tw.MinimumDescription()):
        with pytest.raises(
            DataError, match=rf"{type(pruner).__name__} counts classes, so it cannot prune a regression"
        ):
            model.pruned(pruner, X, y)
        with pytest.raises(DataError, match=r"cannot prune a regression tree. Use CostComplexity, ReducedError"):
            tw.DecisionTreeRegressor(prune=pruner).fit(X, y)
    medians = tw.DecisionTreeRegressor(criterion="absolute_error", max_depth=3).fit(X, y)
    with pytest.raises(DataError, match="squared errors, but this tree was grown by 'absolute_error'"):
        medians.pruned("minimum_error")


def test_what_needs_rows_says_so(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    model = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    for pruner in ("reduced_error", tw.ValidationGain()):
        with pytest.raises(DataError, match="judges a tree by rows that it was not trained on: pass them as X and y"):
            model.pruned(pruner)
    with pytest.raises(DataError, match="sends the training rows down again: pass them as X and y"):
        model.pruned("pessimistic")
    with pytest.raises(ValueError, match="X has 2 features"):
        model.pruned("reduced_error", X[:, :2], y)
    with pytest.raises(DataError, match="X has 600 rows and y has 10"):
        model.pruned("reduced_error", X, y[:10])


@pytest.mark.parametrize("pruner", ALL, ids=str)
def test_tiny_tables_can_be_pruned(pruner: Any) -> None:
    for n in (1, 2, 3, 5):
        X, y = np.arange(n)[:, None], np.array(["a", "b"] * 3)[:n]
        assert tw.DecisionTreeClassifier(prune=pruner).fit(X, y).get_n_leaves() >= 1
        assert tw.DecisionTreeClassifier(prune=pruner).fit(X, ["a"] * n).get_n_leaves() == 1


@pytest.mark.parametrize("pruner", [p for p in ALL if p != tw.PessimisticError()], ids=str)  # which see below
def test_a_chain_of_100_000_nodes_is_pruned(pruner: Any) -> None:
    header, _ = fitted_chain(3)._tw_state()
    chain = load_bytes(to_bytes(header, chain_arrays(100_000)))
    X = np.random.default_rng(0).uniform(0, 300, size=2_000)[:, None]
    rows = (X, (X[:, 0] > 150).astype(int)) if isinstance(pruner, BY_ROWS) else ()
    smaller = in_a_small_stack(lambda: chain.pruned(pruner, *rows))
    assert 1 <= smaller.get_n_leaves() <= chain.get_n_leaves()


def test_a_chain_whose_subtrees_cannot_be_raised_is_refused_with_a_sentence() -> None:
    header, _ = fitted_chain(3)._tw_state()
    arrays = chain_arrays(100_000)
    in_pieces = {**arrays, "missing_branch": np.where(arrays["n_children"] > 0, -2, -1).astype(np.int32)}
    X = np.arange(100_001.0)[:, None]
    X[-1] = np.nan  # this row goes down every branch of the chain
    chain = load_bytes(to_bytes(header, in_pieces))
    with pytest.raises(DataError, match=r"100,000 levels deep.*Choose PessimisticError\(raise_subtrees=False\)"):
        in_a_small_stack(lambda: chain.pruned("pessimistic", X, np.arange(100_001) % 2))


def test_subtrees_of_a_chain_are_raised_with_its_own_rows() -> None:
    depth = 15_000  # every level sends the rows below it on, so time grows with the square of the depth
    header, _ = fitted_chain(3)._tw_state()
    chain = load_bytes(to_bytes(header, chain_arrays(depth)))
    X, y = np.arange(depth + 1.0)[:, None], np.arange(depth + 1) % 2
    assert in_a_small_stack(lambda: chain.pruned("pessimistic", X, y)).get_n_leaves() == 1


def test_levels_and_holes_of_new_rows_are_read_as_the_model_reads_them() -> None:
    frame = pd.DataFrame({"colour": ["red", "blue", "green"] * 20, "size": [1.0, 2.0, None] * 20})
    y = pd.Series(["a", "b", "a"] * 20)
    full = tw.DecisionTreeClassifier().fit(frame, y)
    new = pd.DataFrame({"colour": ["red", "blue", "violet", None], "size": [1.0, 2.0, 2.0, None]})
    assert full.pruned("reduced_error", new, ["a", "b", "b", "a"]).get_n_leaves() == 2


GROWERS: dict[str, Any] = {
    "ID3": tw.ID3Classifier(missing="branch"),
    "C4.5": tw.C45Classifier(prune=False),
    "C4.5, groups": tw.C45Classifier(prune=False, subsets=True),
    "CHAID": tw.CHAIDClassifier(alpha_split=0.5, max_depth=6, min_samples_split=10, min_samples_leaf=3),
    "ctree": tw.ConditionalTreeClassifier(alpha=0.9),
    "oblique": tw.ObliqueTreeClassifier(prune=None),
    "CART": tw.DecisionTreeClassifier(),
}


@pytest.mark.parametrize("algorithm", GROWERS)
def test_the_trees_of_every_algorithm_can_be_pruned(algorithm: str, tmp_path: Path) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    X = X[["sex", "passengerClass"]] if algorithm == "ID3" else X
    full = clone(GROWERS[algorithm]).fit(X[::2], y[::2])
    for pruner in [p for p in ALL if p != tw.PessimisticError()]:
        odd_or_even = 1 if isinstance(pruner, BY_ROWS) else 0
        smaller = full.pruned(pruner, X[odd_or_even::2], y[odd_or_even::2])
        assert 1 <= smaller.get_n_leaves() <= full.get_n_leaves()
        assert smaller.predict(X[1::2]).shape == y[1::2].shape
        tw.save(smaller, tmp_path / "m.tw")
        assert tw.load(tmp_path / "m.tw").tree_.to_dict() == smaller.tree_.to_dict()


@pytest.mark.parametrize("algorithm", GROWERS)
def test_subtrees_are_raised_in_the_trees_of_every_algorithm(algorithm: str) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    X = X[["sex", "passengerClass"]] if algorithm == "ID3" else X
    full = clone(GROWERS[algorithm]).fit(X, y)
    raised = full.pruned("pessimistic", X, y)
    assert 1 <= raised.get_n_leaves() <= full.get_n_leaves()
    leaf = raised.tree_.arrays["n_children"] == 0
    assert raised.tree_.arrays["weight"][leaf].sum() == pytest.approx(len(y))


def with_missing_branch(model: Any, branch: int) -> Any:
    """The same model, with another way for rows without a value: -1 they stop, -2 they are spread."""
    header, arrays = model._tw_state()
    inner = arrays["n_children"] > 0
    return load_bytes(to_bytes(header, {**arrays, "missing_branch": np.where(inner, branch, -1).astype(np.int32)}))


def small_tree() -> Any:
    X = [[1, 0]] * 6 + [[3, 0]] * 3 + [[3, 5]] * 3
    return tw.DecisionTreeClassifier().fit(X, ["a"] * 6 + ["b"] * 3 + ["a"] * 3)


def test_rows_that_are_spread_judge_in_pieces() -> None:
    # x0 <= 2: a (6 rows), else x1 <= 2.5: b (3 rows) or a (3 rows). A row without x0 is half on each side.
    model = with_missing_branch(small_tree(), -2)
    assert model.get_n_leaves() == 3
    nothing = [None, None]
    rows = RowsToPruneBy([[None, 5], nothing, nothing], ["b", "b", "b"], [1, 1, 1])
    told = validation_rows_of(model, rows).of(model.tree_.core, "classes")
    assert told.weight.tolist() == [3, 1.5, 1.5, 0.5, 1]
    assert told.as_leaf.tolist() == [3, 1.5, 1.5, 0, 1]  # the node of 3 b and 3 a answers a, as its parent does
    assert told.ends.tolist() == [0, 1.5, 0, 0, 1]
    assert model.pruned("reduced_error", [[None, 5], nothing, nothing], ["b", "b", "b"]).get_n_leaves() == 3
    assert model.pruned("reduced_error", [nothing, nothing, [3, 5]], ["b", "a", "a"]).get_n_leaves() == 1


def test_rows_that_stop_at_a_node_are_answered_by_it() -> None:
    model = with_missing_branch(small_tree(), -1)
    rows = RowsToPruneBy([[None, 5], [3, None], [3, 0]], ["b", "b", "b"], [1, 1, 1])
    told = validation_rows_of(model, rows).of(model.tree_.core, "classes")
    assert told.weight.tolist() == [3, 0, 2, 1, 0]
    assert told.ends.tolist()[0] == 1
    stays = model.pruned("reduced_error", [[None, 0], [3, 0], [3, 5]], ["a", "b", "a"])
    assert stays.get_n_leaves() == 3


@pytest.mark.parametrize("pruner", FOR_NUMBERS, ids=str)
@pytest.mark.parametrize("size", [1e-170, 1e150, 1e200, 1e306])
def test_numbers_of_any_size_are_pruned_or_refused_with_a_sentence(pruner: Any, size: float) -> None:
    y = np.random.default_rng(0).normal(size=60) * size
    problem = ""
    try:
        model = tw.DecisionTreeRegressor(prune=pruner).fit(np.arange(60)[:, None], y)
        assert np.isfinite(model.predict([[3.0]])).all()
    except DataError as error:
        problem = str(error)
    assert not problem or (size > 1e100 and "too large for their squares to be numbers" in problem)
