"""A tree as deep as its table is long: everything works in a thread with a stack of 256 kB, so nothing recurses."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treewright as tw
from thorough import some
from treewright.save.model_bytes import to_bytes
from treewright.save.persist import load_bytes

STACK = 256 * 1024
# Growing a chain visits depth² / 2 rows. At the first depth a frame of 13 bytes a level would already fill the stack.
DEPTHS = some([5_000, 100_000], 1)


def in_a_small_stack(work: Callable[[], Any]) -> Any:
    """Run work in a thread with a small stack, and give its result or raise its error here."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    before = threading.stack_size(STACK)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    if errors:
        raise errors[0]
    return results[0]


def alternating(depth: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(depth + 1, dtype=np.float64)[:, None], np.arange(depth + 1) % 2


def fitted_chain(depth: int) -> tw.DecisionTreeClassifier:
    return tw.DecisionTreeClassifier(n_jobs=1).fit(*alternating(depth))


def chain_arrays(depth: int) -> dict[str, np.ndarray]:
    """The arrays of the chain that growing gives: even nodes ask, odd nodes and the last are leaves."""
    n = 2 * depth + 1
    node, asks = np.arange(n), np.arange(n) % 2 == 0
    asks[-1] = False
    step = (node + 1) // 2 - (node % 2)  # how many rows are gone before the node
    rows = np.where(asks, depth + 1 - step, 1)
    rows[-1] = 1
    ones = np.array([(np.arange(s, s + r) % 2).sum() for s, r in zip(step, rows, strict=True)]) if n < 50 else None
    odd_before, odd_after = step // 2, (step + rows) // 2
    count_one = odd_after - odd_before
    assert ones is None or (ones == count_one).all()
    counts = np.stack([rows - count_one, count_one], axis=1).astype(np.float64)
    present = counts > 0
    share = counts / rows[:, None]
    impurity = 1 - (share**2).sum(axis=1)
    return {
        "n_children": np.where(asks, 2, 0).astype(np.uint16),
        "kind": asks.astype(np.uint8),
        "column": np.where(asks, 0, -1).astype(np.int32),
        "threshold": np.where(asks, step + 0.5, np.nan),
        "missing_branch": np.where(asks, 1, -1).astype(np.int32),
        "level_start": np.zeros(n + 1, dtype=np.int64),
        "level": np.zeros(0, dtype=np.uint32),
        "level_branch": np.zeros(0, dtype=np.uint16),
        "n_rows": rows.astype(np.int64),
        "weight": rows.astype(np.float64),
        "impurity": impurity,
        "gain": np.where(asks, impurity / rows, 0.0),
        "count_start": np.concatenate([[0], np.cumsum(present.sum(axis=1))]).astype(np.int64),
        "count_class": np.nonzero(present)[1].astype(np.uint32),
        "count_weight": counts[present],
        "prediction": counts.argmax(axis=1).astype(np.int32),
    }


@pytest.fixture(scope="module", params=DEPTHS)
def depth(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def chain(depth: int) -> tw.DecisionTreeClassifier:
    header, _ = fitted_chain(3)._tw_state()
    model = load_bytes(to_bytes(header, chain_arrays(depth)))
    assert model.get_depth() == depth
    return model


def test_the_chain_of_these_tests_has_the_shape_that_growing_gives() -> None:
    grown, made = fitted_chain(20).tree_.arrays, chain_arrays(20)
    for name in ("n_children", "kind", "column", "threshold", "n_rows", "weight", "count_class", "count_weight"):
        assert np.array_equal(grown[name], made[name], equal_nan=True), name


def test_a_chain_is_grown_and_learns_every_row(depth: int) -> None:
    X, y = alternating(depth)
    model = in_a_small_stack(lambda: fitted_chain(depth))
    assert model.get_depth() == depth
    assert (in_a_small_stack(lambda: model.predict(X)) == y).all()


def test_a_chain_answers(chain: tw.DecisionTreeClassifier, depth: int) -> None:
    X, y = alternating(depth)
    rows = np.r_[0:50, depth - 50 : depth + 1]
    assert (in_a_small_stack(lambda: chain.predict(X[rows])) == y[rows]).all()
    assert in_a_small_stack(lambda: chain.predict_one([float(depth)])) == y[depth]
    assert in_a_small_stack(lambda: chain.decision_path(X[[depth]])).sum() == depth + 1
    assert in_a_small_stack(lambda: chain.apply(X[[0, depth]])).tolist() == [1, 2 * depth]


def test_a_chain_is_pruned(chain: tw.DecisionTreeClassifier, depth: int) -> None:
    assert in_a_small_stack(lambda: chain.pruned(tw.CostComplexity(alpha=1.0))).get_n_leaves() == 1
    kept = in_a_small_stack(lambda: chain.pruned(tw.CostComplexity(alpha=0.0)))
    assert kept.get_n_leaves() == depth + 1


def test_a_chain_is_pruned_by_cross_validation() -> None:
    X, y = alternating(2000)
    model = in_a_small_stack(lambda: tw.DecisionTreeClassifier(prune=tw.CostComplexity(cv=3)).fit(X, y))
    assert model.get_n_leaves() >= 1


def test_a_chain_is_saved_and_loaded(chain: tw.DecisionTreeClassifier, tmp_path: Path) -> None:
    in_a_small_stack(lambda: tw.save(chain, tmp_path / "chain.tw"))
    loaded = in_a_small_stack(lambda: tw.load(tmp_path / "chain.tw"))
    assert loaded.fingerprint() == chain.fingerprint()
    assert in_a_small_stack(lambda: pickle.loads(pickle.dumps(chain))).fingerprint() == chain.fingerprint()


def test_a_chain_is_printed(chain: tw.DecisionTreeClassifier, depth: int) -> None:
    text = in_a_small_stack(lambda: str(chain))
    assert text.splitlines()[0].startswith("0 50 %, 1 50 %") or f"({depth + 1:,} rows)" in text.splitlines()[0]
    assert len(in_a_small_stack(chain.tree_.to_text).splitlines()) == 2 * depth + 1
    assert len(in_a_small_stack(chain.tree_.to_frame)) == 2 * depth + 1


def test_a_chain_goes_to_json_and_back(chain: tw.DecisionTreeClassifier, depth: int) -> None:
    text = in_a_small_stack(chain.tree_.to_json)
    back = in_a_small_stack(lambda: type(chain.tree_).from_json(text))
    assert back.n_nodes == 2 * depth + 1
    assert back.depth == depth
