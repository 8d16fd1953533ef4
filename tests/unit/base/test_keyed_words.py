"""Random words by number are the same in the core and in plain whole numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oracle import keyed_words
from treewright import _core

WORD = st.integers(0, 2**64 - 1)


@given(seed=WORD, purpose=WORD, tree=WORD)
def test_the_core_draws_the_words_of_the_definition(seed: int, purpose: int, tree: int) -> None:
    stream = keyed_words.key_of(seed, purpose, tree)
    assert _core.drawn_words(seed, purpose, tree, 5).tolist() == [keyed_words.drawn(stream, i) for i in range(5)]


def test_a_word_does_not_depend_on_how_many_are_drawn() -> None:
    assert _core.drawn_words(1, 2, 3, 100)[:7].tolist() == _core.drawn_words(1, 2, 3, 7).tolist()


def test_rows_by_content_do_not_depend_on_where_they_stand() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (200, 3)).astype(float), rng.integers(0, 2, 200).astype(np.int32)
    X[rng.random((200, 3)) < 0.1] = np.nan

    def in_order(shuffle: np.ndarray) -> list[list[str]]:
        table = _core.Table.from_matrix(np.ascontiguousarray(X[shuffle]), 1)
        rows = _core.rows_by_content(table, _core.Target.classes(y[shuffle], 2, None), 1)
        return [[str(value) for value in (*X[shuffle][row], y[shuffle][row])] for row in rows]

    assert in_order(np.arange(200)) == in_order(rng.permutation(200))


def test_rows_without_weight_have_no_place() -> None:
    table = _core.Table.from_matrix(np.arange(4.0).reshape(4, 1), 1)
    weights = np.array([1.0, 0.0, 2.0, 0.0])
    target = _core.Target.numbers(np.zeros(4), weights, False)
    assert sorted(_core.rows_by_content(table, target, 1).tolist()) == [0, 2]


def test_equal_rows_stand_by_their_weight() -> None:
    weights = np.array([2.5, 0.5, 1.5, 0.5])
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]):
        table = _core.Table.from_matrix(np.zeros((4, 1)), 1)
        target = _core.Target.numbers(np.zeros(4), np.ascontiguousarray(weights[order]), False)
        assert weights[order][_core.rows_by_content(table, target, 1)].tolist() == [0.5, 0.5, 1.5, 2.5]


def test_equal_rows_stand_by_weights_that_the_target_rounds_to_one() -> None:
    weights = np.array([1.0, 1e-50, 1e-60, 1e-55])
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]):
        table = _core.Table.from_matrix(np.zeros((4, 1)), 1)
        mine = np.ascontiguousarray(weights[order])
        target = _core.Target.numbers(np.zeros(4), mine, False)
        assert mine[_core.rows_by_content(table, target, 1, mine)].tolist() == [1e-60, 1e-55, 1e-50, 1.0]
