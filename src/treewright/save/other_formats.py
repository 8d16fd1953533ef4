"""Which library wrote a model file that is not ours, told by how it begins."""

from __future__ import annotations

import re

BEGINNING = 256  # bytes that are looked at
LIBRARIES = {"from_lightgbm": "LightGBM", "from_xgboost": "XGBoost", "from_r": "rpart"}
_READERS = {
    "from_lightgbm": re.compile(rb"tree\r?\n(\w|=)"),
    "from_xgboost": re.compile(rb'\s*\{\s*"learner"\s*:\s*\{\s*"attributes"|\{L\0{7}\x07learner\{L\0{7}\x0aattributes'),
    "from_r": re.compile(rb'\s*\{\s*"format"\s*:\s*"rpart for treewright"'),
}


def reader_of(start: bytes) -> str | None:
    """Give the name of the function of treewright that reads such a file; None for ours and for what nobody knows.

    >>> reader_of(b"tree\\nversion=v4\\n"), reader_of(b'{"learner":{"attributes":{'), reader_of(b"\\x89TWTREE\\n")
    ('from_lightgbm', 'from_xgboost', None)
    """
    return next((name for name, begins in _READERS.items() if begins.match(start)), None)
