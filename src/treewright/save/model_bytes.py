"""A model as bytes: prefix, JSON header, then the arrays, each where the header's table says it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ModelFileError
from treewright.save.header import read_header, write_header
from treewright.save.layout import (
    PREFIX_BYTES,
    Prefix,
    aligned,
    checksum,
    cut_short,
    damaged,
    read_prefix,
)
from treewright.save.narrow import GIVEN_DTYPES, STORED_DTYPES, dtype_name, may_hold, narrowest
from treewright.save.versions import version_needed

_FIELDS = {"name", "dtype", "given", "shape", "offset", "bytes"}
_MOST_AXES = 4
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


def from_bytes(data: bytes | memoryview, source: str = "<bytes>") -> tuple[dict[str, Any], Arrays]:
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
    header = read_header(bytes(view[PREFIX_BYTES:header_end]), source)
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
        header = read_header(bytes(view[PREFIX_BYTES : PREFIX_BYTES + prefix.header_bytes]), source)
        end = _check_table(header.get("arrays"), prefix, source)
    except ModelFileError:
        return damaged(source, "its checksum does not fit its contents")
    if end > len(view):
        return cut_short(source, f"it has {len(view)} of {end} bytes")
    return damaged(source, "its checksum does not fit its contents")
