"""A model as JSON: the header and the arrays of a model file in text, and back to the same bytes.

What is read becomes the bytes of a model file first, so that everything behind that door is checked as for any other.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import struct
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.save.header import damaged, read_header, write_header
from treewright.save.model_bytes import GIVEN_DTYPES, dtype_name, to_bytes

FORMAT, VERSION = "treewright model", 1
_START = re.compile(rb'\s*\{\s*"format"\s*:\s*"treewright model"')
_FIELDS = {"format", "version", "sha256", "model", "arrays"}
_ARRAY_FIELDS = {"type", "shape", "values"}
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_NAN_BITS = re.compile("NaN ([0-9a-f]{16})")
_LARGEST_WHOLE = 2**53  # beyond it a whole number may be no double


def is_model_json(start: bytes) -> bool:
    """Say whether a file that begins like this is a model as JSON.

    >>> is_model_json(b'{"format": "treewright model", "version": 1'), is_model_json(b'{"learner": 1}')
    (True, False)
    """
    return _START.match(start) is not None


def to_json(header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> str:
    """Write a header and arrays as JSON, an array a line; the same model gives the same text.

    Examples
    --------
    >>> print(to_json({"kind": "stump"}, {"threshold": np.array([41.5, np.nan])}))  # doctest: +ELLIPSIS
    {"format": "treewright model", "version": 1,
     "sha256": "...",
     "model": {"kind": "stump"},
     "arrays": {
      "threshold": {"type": "f8", "shape": [2], "values": [41.5, "NaN"]}
     }}
    <BLANKLINE>
    """
    digest = hashlib.sha256(to_bytes(header, arrays)).hexdigest()
    rows = [f"  {json.dumps(name)}: {_array_text(np.asarray(arrays[name]))}" for name in sorted(arrays)]
    words = json.dumps(json.loads(write_header(header)), sort_keys=True)
    listed = "\n" + ",\n".join(rows) + "\n " if rows else ""
    return (
        f'{{"format": "{FORMAT}", "version": {VERSION},\n "sha256": "{digest}",\n "model": {words},\n '
        f'"arrays": {{{listed}}}}}\n'
    )


def _array_text(array: NDArray[Any]) -> str:
    values = array.ravel().tolist()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        values = [value if math.isfinite(value) else _word(value) for value in values]
    return json.dumps({"type": dtype_name(array.dtype), "shape": list(array.shape), "values": values}, allow_nan=False)


def _word(number: float) -> str:
    """JSON has no word for these; a NaN with other bits than the usual is told by its bits.

    >>> _word(-math.inf), _word(math.nan), _word(-math.nan)
    ('-Infinity', 'NaN', 'NaN fff8000000000000')
    """
    if number == number:
        return "Infinity" if number > 0 else "-Infinity"
    bits = struct.pack(">d", number).hex()
    return "NaN" if bits == struct.pack(">d", math.nan).hex() else f"NaN {bits}"


def from_json(data: bytes | bytearray, source: str) -> bytes:
    """Turn JSON into the bytes of a model file; whatever is wrong with it is a ModelFileError.

    Examples
    --------
    >>> text = to_json({"kind": "stump"}, {"threshold": np.array([41.5, np.nan])})
    >>> from_json(text.encode(), "m.json") == to_bytes({"kind": "stump"}, {"threshold": np.array([41.5, np.nan])})
    True
    >>> from_json(text.replace("41.5", "41.6").encode(), "m.json")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: m.json is damaged: its checksum does not fit its contents. Copy it again ...
    """
    parts = read_header(memoryview(data), source)
    version = parts.get("version")
    if type(version) is not int or version < 1:
        raise ModelFileError(damaged(source, f"its version is {str(version)[:80]}"))
    if version > VERSION:
        raise ModelFileError(
            f"{source} is a model as JSON of version {version}; this treewright reads up to version {VERSION}. Upgrade "
            "treewright on this machine, or export the model again with the treewright that is installed here."
        )
    header, arrays = parts.get("model"), parts.get("arrays")
    if parts.get("format") != FORMAT or not set(parts) <= _FIELDS:
        raise ModelFileError(damaged(source, f"it holds more or less than {', '.join(sorted(_FIELDS))}"))
    if not isinstance(header, dict) or not isinstance(arrays, dict):
        raise ModelFileError(damaged(source, "its model or its arrays are no JSON object"))
    found = to_bytes(header, {name: _array(name, row, source) for name, row in arrays.items()})
    if "sha256" in parts and parts["sha256"] != hashlib.sha256(found).hexdigest():
        raise ModelFileError(damaged(source, "its checksum does not fit its contents"))
    return found


def _array(name: str, row: Any, source: str) -> NDArray[Any]:
    try:
        return _read_array(row)
    except ValueError as problem:
        raise ModelFileError(damaged(source, f"array {name[:80]!r}: {problem}")) from None


def _read_array(row: Any) -> NDArray[Any]:
    if not isinstance(row, dict) or set(row) != _ARRAY_FIELDS:
        raise ValueError(f"it does not hold {', '.join(sorted(_ARRAY_FIELDS))}")
    shape, values = row["shape"], row["values"]
    if not isinstance(row["type"], str) or row["type"] not in GIVEN_DTYPES:
        raise ValueError(f"its type {str(row['type'])[:80]!r} is unknown")
    if not isinstance(shape, list) or len(shape) > 4 or not all(type(side) is int and side >= 0 for side in shape):
        raise ValueError(f"its shape {str(shape)[:80]} is impossible")
    if not isinstance(values, list) or len(values) != math.prod(shape):
        raise ValueError("it does not have as many values as its shape says")
    dtype = GIVEN_DTYPES[row["type"]].newbyteorder("=")
    read = _read_floats if dtype.kind == "f" else _read_truths if dtype.kind == "b" else _read_wholes
    return read(values, dtype).reshape(shape)


def _read_truths(values: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    if not _all_of(values, bool):
        raise ValueError("it holds something else than true and false")
    return np.array(values, dtype=dtype)


def _read_wholes(values: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    if not _all_of(values, int):
        raise ValueError("it holds something else than whole numbers")
    limits = np.iinfo(dtype)
    if values and not (limits.min <= min(values) and max(values) <= limits.max):
        raise ValueError(f"it holds a number that {dtype} has not")
    return np.array(values, dtype=dtype)


def _read_floats(values: list[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    doubles = np.array([v if type(v) is float else _read_number(v) for v in values], dtype=np.float64)
    infinite = np.flatnonzero(np.isinf(doubles)).tolist()
    if any(type(values[place]) is float for place in infinite):  # as 1e999
        raise ValueError("it holds a number that is beyond all doubles")
    with np.errstate(all="ignore"):
        found = doubles.astype(dtype)
    if not np.array_equal(found.astype(np.float64), doubles, equal_nan=True):
        raise ValueError(f"it holds a number that {dtype} has not")
    return found


def _read_number(value: Any) -> float:
    if type(value) is int and abs(value) <= _LARGEST_WHOLE:
        return float(value)
    if isinstance(value, str):
        if value in _WORDS:
            return _WORDS[value]
        bits = _NAN_BITS.fullmatch(value)
        number = struct.unpack(">d", bytes.fromhex(bits[1]))[0] if bits else 0.0
        if math.isnan(number):
            return float(number)
    raise ValueError(f"it holds {str(value)[:80]!r}, which is no number")


def _all_of(values: Iterable[Any], kind: type) -> bool:
    return set(map(type, values)) <= {kind}  # a truth value is an int, too, but not of that type
