"""The narrowest way to store an array: fewer bytes, the same values to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_WHOLE = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8")

# What a file may hold, by the name written into it. Everything is little-endian.
STORED_DTYPES: dict[str, np.dtype[Any]] = {name: np.dtype("<" + name) for name in (*_WHOLE, "f4", "f8")}

# What an array may have been in memory. A truth value is stored as a whole number.
GIVEN_DTYPES: dict[str, np.dtype[Any]] = {**STORED_DTYPES, "b1": np.dtype("?")}

# Kinds of stored numbers by the kind given: truth value, unsigned, signed, float.
_HELD_BY = {"b": "u", "u": "u", "i": "ui", "f": "uif"}


def dtype_name(dtype: np.dtype[Any]) -> str:
    """Name a dtype the way model files do: kind and bytes.

    >>> dtype_name(np.dtype("float64")), dtype_name(np.dtype(">u2")), dtype_name(np.dtype(bool))
    ('f8', 'u2', 'b1')
    """
    return f"{dtype.kind}{dtype.itemsize}"


def may_hold(stored: np.dtype[Any], given: np.dtype[Any]) -> bool:
    """Say whether values of a dtype may be stored in another: never so that a sign could be lost or invented.

    >>> may_hold(np.dtype("u1"), np.dtype("i8")), may_hold(np.dtype("i1"), np.dtype("u8"))
    (True, False)
    """
    if dtype_name(stored) == dtype_name(given):
        return given.kind != "b"
    is_narrower = stored.itemsize < given.itemsize or given.kind == "b"
    return is_narrower and stored.itemsize <= given.itemsize and stored.kind in _HELD_BY[given.kind]


def narrowest(array: NDArray[Any]) -> NDArray[Any]:
    """Give the same values in the smallest dtype that gives back every bit, little-endian and in C order.

    Whole numbers kept as floats (weights, counts) become integers; -0.0, NaN and infinity stay floats.

    >>> arrays = np.array([0.0, 300.0]), np.array([0.5, np.nan]), np.array([0.1]), np.array([-1, 5])
    >>> [narrowest(array).dtype.name for array in arrays]
    ['uint16', 'float32', 'float64', 'int8']
    """
    plain = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(array.shape)
    flat = plain.reshape(-1)
    for dtype in sorted(STORED_DTYPES.values(), key=lambda d: d.itemsize):
        # The first values alone mostly say no, which spares a pass over a long array.
        if may_hold(dtype, plain.dtype) and _survives(flat[:64], dtype) and _survives(flat, dtype):
            return plain.astype(dtype)
    return plain.astype(plain.dtype.newbyteorder("<"))


def _survives(flat: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    # Bits, not values, are compared: NaN equals itself, -0.0 differs from 0.0, a signalling NaN is not made quiet.
    bits = f"u{flat.dtype.itemsize}"
    with np.errstate(all="ignore"):
        back = flat.astype(dtype).astype(flat.dtype)
    return bool(np.array_equal(flat.view(bits), back.view(bits)))
