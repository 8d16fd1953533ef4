"""A model as bytes: prefix, JSON header, then the arrays, each where the header's table says it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.save.header import (
    PREFIX_BYTES,
    Prefix,
    aligned,
    checksum,
    cut_short,
    damaged,
    read_header,
    read_prefix,
    write_header,
)

# Which version of the format a model needs, so that older readers are told before they stumble.


_LISTS_OF_VERSION_1 = ("level_start", "count_start")


def version_needed(arrays: Mapping[str, NDArray[Any]]) -> int:
    """Give the oldest version whose readers understand these arrays.

    Version 2 has rows that spread over branches, hyperplanes, and lists beside the nodes; version 3 has many trees;
    version 4 has models without a tree; version 5 has several targets, and models that carry a calibration or conformal
    scores.

    Examples
    --------
    >>> version_needed({"kind": np.array([1, 0, 0]), "missing_branch": np.array([0, -1, -1])})
    1
    >>> version_needed({"kind": np.array([1, 0, 0]), "missing_branch": np.array([-2, -1, -1])})
    2
    >>> version_needed({"tree_nodes": np.array([3, 3])})
    3
    >>> version_needed({"learnt_coef_": np.array([0.5])})
    4
    >>> version_needed({"target_0_kind": np.array([0]), "target_0_value": np.array([0.5])})
    5
    >>> version_needed({"kind": np.array([0]), "calibration:bias": np.zeros(2)})
    5
    """
    if any(name.startswith("target_0_") or ":" in name for name in arrays):
        return 5
    if arrays and all(name.startswith("learnt_") for name in arrays):
        return 4
    if "tree_nodes" in arrays or "tree_n_children" in arrays:
        return 3
    has_lists = any(name.endswith("_start") and name not in _LISTS_OF_VERSION_1 for name in arrays)
    spreads = bool((arrays.get("missing_branch", np.zeros(0)) < -1).any())
    hyperplanes = bool((arrays.get("kind", np.zeros(0)) > 2).any())
    return 2 if has_lists or spreads or hyperplanes else 1


# The narrowest way to store an array: fewer bytes, the same values to the last bit.


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


_FIELDS = {"name", "dtype", "given", "shape", "offset", "bytes"}
_MOST_AXES = 4
_MOST_ARRAYS = 1000  # a model has a few dozen
_MOST_VALUES = 2**48

Arrays = dict[str, NDArray[Any]]


def to_bytes(header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Turn a header and its arrays into the bytes of a model file; the same model gives the same bytes.

    Parameters
    ----------
    header : dict
        JSON values only. The name "arrays" is taken by the table of arrays.
    arrays : dict of numpy arrays
        Numbers or truth values. Each is stored in the narrowest dtype that gives back every bit.

    Examples
    --------
    >>> data = to_bytes({"kind": "stump"}, {"n_rows": np.array([150, 50, 100])})
    >>> data[:8], len(data)
    (b'\\x89TWTREE\\n', 195)
    """
    if "arrays" in header:
        raise ModelFileError("The model cannot be saved: its header uses the name 'arrays', which is taken. Rename it.")
    table, blocks = _table_of(arrays)
    text = write_header({**header, "arrays": table})
    version = version_needed(arrays)
    prefix = Prefix(version, version, len(text))
    body = bytearray(prefix.data_start - PREFIX_BYTES)
    body[: len(text)] = text
    for row, block in zip(table, blocks, strict=True):
        body += bytes(prefix.data_start + row["offset"] - PREFIX_BYTES - len(body))
        body += block
    numbers = prefix.pack()
    return numbers + checksum(numbers, memoryview(body)) + bytes(body)


def from_bytes(data: bytes | bytearray | memoryview, source: str = "<bytes>") -> tuple[dict[str, Any], Arrays]:
    """Turn the bytes of a model file back into its header and arrays, after checking all of them.

    Parameters
    ----------
    data : bytes
        A whole model file.
    source : str, default "<bytes>"
        What error messages call it: mostly the path.

    Examples
    --------
    >>> header, arrays = from_bytes(to_bytes({"kind": "stump"}, {"n_rows": np.array([150, 50, 100])}))
    >>> header, arrays["n_rows"]
    ({'kind': 'stump'}, array([150,  50, 100]))
    >>> from_bytes(b"age,income\\n31,40000\\n", "credit.csv")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: credit.csv is not a treewright model file: it looks like text, perhaps a CSV ...
    """
    view = memoryview(data)
    prefix = read_prefix(bytes(view[:PREFIX_BYTES]), source)
    header_end = PREFIX_BYTES + prefix.header_bytes
    if header_end > len(view):
        raise ModelFileError(cut_short(source, f"its header should end at byte {header_end}, the file at {len(view)}"))
    if checksum(bytes(view[:24]), view[PREFIX_BYTES:]) != bytes(view[24:PREFIX_BYTES]):
        raise ModelFileError(_why_the_checksum_is_wrong(view, prefix, source))
    header = read_header(view[PREFIX_BYTES:header_end], source)
    end = _check_table(header.get("arrays"), prefix, source)
    if end != len(view):
        raise ModelFileError(damaged(source, f"its arrays end at byte {end}, the file at {len(view)}"))
    return {k: v for k, v in header.items() if k != "arrays"}, _read_arrays(header["arrays"], view, prefix, source)


def _table_of(arrays: Mapping[str, NDArray[Any]]) -> tuple[list[dict[str, Any]], list[bytes]]:
    table: list[dict[str, Any]] = []
    blocks: list[bytes] = []
    offset = 0
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        given = dtype_name(array.dtype)
        if given not in GIVEN_DTYPES or array.ndim > _MOST_AXES:
            raise ModelFileError(
                f"The model cannot be saved: array '{name}' holds {array.dtype} on {array.ndim} axes. "
                f"A model file holds numbers and truth values on at most {_MOST_AXES} axes."
            )
        stored = narrowest(array)
        row = {"name": name, "dtype": dtype_name(stored.dtype), "given": given, "shape": list(array.shape)}
        table.append({**row, "offset": aligned(offset), "bytes": stored.nbytes})
        blocks.append(stored.tobytes())
        offset = aligned(offset) + stored.nbytes
    return table, blocks


def _check_table(table: Any, prefix: Prefix, source: str) -> int:
    """Check every row of the table of arrays, and say where the file has to end."""
    if not isinstance(table, list):
        raise ModelFileError(damaged(source, "its header has no table of arrays"))
    if len(table) > _MOST_ARRAYS:
        raise ModelFileError(damaged(source, f"its table has {len(table)} arrays, and a model has at most a few dozen"))
    end, names = 0, set()
    for row in table:
        problem = _problem_of_row(row, end)
        if problem is None and row["name"] in names:
            problem = "its name stands twice in the table of arrays"
        if problem is not None:
            name = row.get("name") if isinstance(row, dict) else row
            raise ModelFileError(damaged(source, f"array {str(name)[:80]!r}: {problem}"))
        names.add(row["name"])
        end = row["offset"] + row["bytes"]
    return prefix.data_start + end if table else prefix.data_start


def _problem_of_row(row: Any, end: int) -> str | None:
    if not isinstance(row, dict) or set(row) != _FIELDS:
        return f"its row of the table does not hold {', '.join(sorted(_FIELDS))}"
    if not isinstance(row["name"], str):
        return "its name is not text"
    if row["dtype"] not in list(STORED_DTYPES) or row["given"] not in list(GIVEN_DTYPES):
        return f"its dtype {row['dtype']!r} (given as {row['given']!r}) is unknown"
    if not may_hold(STORED_DTYPES[row["dtype"]], GIVEN_DTYPES[row["given"]]):
        return f"its dtype {row['dtype']} cannot stand for {row['given']}"
    shape = row["shape"]
    if not isinstance(shape, list) or len(shape) > _MOST_AXES or not all(_is_count(side) for side in shape):
        return f"its shape {str(shape)[:80]} is impossible"
    if math.prod(max(side, 1) for side in shape) > _MOST_VALUES:
        return f"its shape {shape} is too large"
    if not _is_count(row["bytes"]) or row["bytes"] != math.prod(shape) * STORED_DTYPES[row["dtype"]].itemsize:
        return f"{str(row['bytes'])[:80]} bytes do not make the shape {shape}"
    if not _is_count(row["offset"]) or row["offset"] != aligned(end):
        return f"it should begin at {aligned(end)}, not {str(row['offset'])[:80]}"
    return None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _read_arrays(table: list[dict[str, Any]], view: memoryview, prefix: Prefix, source: str) -> Arrays:
    arrays: Arrays = {}
    for row in table:
        start = prefix.data_start + row["offset"]
        stored = np.frombuffer(view[start : start + row["bytes"]], dtype=STORED_DTYPES[row["dtype"]])
        given = GIVEN_DTYPES[row["given"]].newbyteorder("=")
        with np.errstate(all="ignore"):
            array = stored.astype(given)
            if not np.array_equal(array.astype(stored.dtype).view(np.uint8), stored.view(np.uint8)):
                raise ModelFileError(damaged(source, f"array '{row['name']}' holds values that {given} cannot hold"))
        arrays[row["name"]] = array.reshape(row["shape"])
    return arrays


def _why_the_checksum_is_wrong(view: memoryview, prefix: Prefix, source: str) -> str:
    """Tell a file that was cut short from one that was changed, as far as its own table can be believed."""
    try:
        header = read_header(view[PREFIX_BYTES : PREFIX_BYTES + prefix.header_bytes], source)
        end = _check_table(header.get("arrays"), prefix, source)
    except ModelFileError:
        return damaged(source, "its checksum does not fit its contents")
    if end > len(view):
        return cut_short(source, f"it has {len(view)} of {end} bytes")
    return damaged(source, "its checksum does not fit its contents")
