"""The JSON header of a model file: strict to write, suspicious to read."""

from __future__ import annotations

import json
import re
from typing import Any

from treewright.errors import ModelFileError
from treewright.save.layout import LONGEST_HEADER, damaged

DEEPEST_NESTING = 64
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_BRACKET = re.compile(rb"[\[\]{}]")


def write_header(header: dict[str, Any]) -> bytes:
    """Turn a dict of JSON values into bytes: always the same bytes for the same dict.

    >>> write_header({"b": 1, "a": [0.1, None]})
    b'{"a":[0.1,null],"b":1}'
    """
    try:
        # Escapes for everything beyond ASCII: even half a surrogate pair in a column name survives.
        text = json.dumps(header, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as problem:
        raise ModelFileError(
            f"The model cannot be saved: its header holds something that JSON has no word for ({problem}). "
            "Use text, finite numbers, true, false, None, lists and dicts as parameters."
        ) from problem
    if len(text) > LONGEST_HEADER:
        raise ModelFileError(
            f"The model cannot be saved: its names and levels take {len(text)} bytes, and a model file holds at most "
            f"{LONGEST_HEADER}. Leave out identifier columns, or group rare levels."
        )
    return text.encode("ascii")


def read_header(data: bytes, source: str) -> dict[str, Any]:
    """Turn bytes back into the dict, or say what is wrong with them.

    >>> read_header(b'{"a":1,"a":2}', "m.tw")
    Traceback (most recent call last):
    treewright.errors.ModelFileError: m.tw is damaged: its header names 'a' twice. Copy it again ...
    """
    if _nesting(data) > DEEPEST_NESTING:
        raise ModelFileError(damaged(source, f"its header is nested deeper than {DEEPEST_NESTING} levels"))
    try:
        header = json.loads(data.decode("utf-8"), object_pairs_hook=_unique_names, parse_constant=_no_constant)
    except _BadHeaderError as problem:
        raise ModelFileError(damaged(source, str(problem))) from None
    except (ValueError, RecursionError) as problem:
        raise ModelFileError(damaged(source, f"its header is not JSON ({problem})")) from None
    if not isinstance(header, dict):
        raise ModelFileError(damaged(source, f"its header is not a JSON object but a {type(header).__name__}"))
    return header


class _BadHeaderError(ValueError):
    """Valid JSON that a model file may not hold."""


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _BadHeaderError(f"its header names '{twice}' twice")
    return found


def _no_constant(word: str) -> Any:
    raise _BadHeaderError(f"its header holds {word}, which JSON does not know")


def _nesting(data: bytes) -> int:
    # The JSON reader recurses, so depth is measured before it runs. Most headers have too few brackets to be deep.
    if data.count(b"[") + data.count(b"{") <= DEEPEST_NESTING:
        return 0
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", data)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest
