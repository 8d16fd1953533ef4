"""The narrowest way to store an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from numpy.typing import NDArray

from treewright.save.model_bytes import narrowest

ANY_ARRAY = st_numpy.arrays(
    dtype=st.sampled_from([np.dtype(name) for name in ("?", "u1", "i2", ">u4", "<i8", "u8", "f4", "f8", ">f8")]),
    shape=st_numpy.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
)


@given(ANY_ARRAY)
def test_every_array_comes_back_to_the_last_bit(array: NDArray[Any]) -> None:
    stored = narrowest(array)
    native = array.astype(array.dtype.newbyteorder("="))
    assert stored.shape == array.shape
    assert stored.dtype.itemsize <= array.dtype.itemsize
    assert stored.astype(native.dtype).tobytes() == native.tobytes()


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([0.0, 255.0], "uint8"),
        ([-1.0, 127.0], "int8"),
        ([0.0, 65536.0], "uint32"),
        ([0.5, np.nan, np.inf], "float32"),
        ([-0.0, 1.0], "float32"),
        ([0.1], "float64"),
        ([2.0**53, 1.0], "float32"),
        ([2.0**53 - 1], "uint64"),
        ([1e308], "float64"),
    ],
)
def test_floats_are_stored_in_the_fewest_bytes_that_are_exact(values: list[float], name: str) -> None:
    stored = narrowest(np.array(values))
    assert stored.dtype.itemsize == np.dtype(name).itemsize
    assert stored.astype(np.float64).tobytes() == np.array(values).tobytes()


def test_one_odd_value_far_down_keeps_the_wide_form() -> None:
    values = np.zeros(10_000)
    values[-1] = 0.1
    assert narrowest(values).dtype == np.float64


def test_integers_at_the_edge_of_a_form_take_it() -> None:
    assert narrowest(np.array([0, 255])).dtype == np.uint8
    assert narrowest(np.array([0, 256])).dtype == np.uint16
    assert narrowest(np.array([-129, 0])).dtype == np.int16
    assert narrowest(np.array([2**64 - 1], np.uint64)).dtype == np.uint64
