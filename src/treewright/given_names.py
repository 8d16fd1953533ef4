"""Paths of files to write, and lists of names, as users give them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from treewright.errors import DataError


def names_given(owner: str, name: str, value: Any) -> list[str]:
    """Give a list of names, such as columns to keep; a single text, or what is no list, is refused.

    Examples
    --------
    >>> names_given("tw.export", "keep", ("id", "day"))
    ['id', 'day']
    >>> names_given("tw.export", "keep", "id")
    Traceback (most recent call last):
    treewright.errors.DataError: The 'keep' parameter of tw.export must be a list of names. Got 'id' instead.
    """
    is_list = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    if not is_list or not all(isinstance(each, str) and each for each in value):
        raise DataError(f"The '{name}' parameter of {owner} must be a list of names. Got {value!r} instead.")
    return [str(each) for each in value]


def path_given(owner: str, path: Any) -> Path:
    """Give the path of a file that is to be written.

    Examples
    --------
    >>> path_given("tw.export", b"model.sql").name
    'model.sql'
    >>> path_given("tw.export", 5)
    Traceback (most recent call last):
    treewright.errors.DataError: tw.export writes to a path: a text, bytes or a Path. Got int instead.
    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise DataError(f"{owner} writes to a path: a text, bytes or a Path. Got {type(path).__name__} instead.")
    text = os.fsdecode(path)
    if "\0" in text:
        raise DataError(f"{text!r} is no path: it holds a zero byte. Check the path.")
    return Path(text)
