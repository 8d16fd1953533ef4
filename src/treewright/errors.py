"""What can go wrong, as kinds of error. Every message says what, where and what to do.

The command line turns each kind into an exit code: DataError 3, ModelFileError 4.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class TreewrightError(Exception):
    """Everything that treewright raises on purpose is also one of these."""


class DataError(TreewrightError, ValueError):
    """The table cannot be used as it is: a file, a column or a value is wrong."""


class NotEnoughMemoryError(DataError, MemoryError):
    """The table, or what is asked of it, is too large for the memory that there is."""


class ModelFileError(TreewrightError, ValueError):
    """A model file is damaged, too new, or not a model file at all."""


class ReadingWarning(UserWarning):
    """Something about a file was decided or left out while it was read; the text says what, and how to change it."""


class ColumnWarning(UserWarning):
    """A column may not be what its author meant; the text says why, and what to do."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known name was probably meant, as a sentence to end an error message with.

    >>> nearest("incme", ["income", "age"])
    "Did you mean 'income'?"
    >>> nearest("A", ["b", "a"])
    "Did you mean 'a'?"
    >>> nearest("zzz", ["income", "age"])
    "The names are: 'income', 'age'."
    """
    names = [str(k) for k in known]
    same = [each for each in names if each.strip().casefold() == str(name).strip().casefold()]
    close = same or difflib.get_close_matches(str(name), names, n=1)
    if close:
        return f"Did you mean '{close[0]}'?"
    shown = ", ".join(f"'{n}'" for n in names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    return f"The names are: {shown}." if names else "There are none."


def nearest_file(name: str, known: Iterable[str]) -> str:
    """Say the same of files: two names are not alike because both end in .csv.

    >>> nearest_file("titanc.csv", ["titanic.csv", "titanic.tw"]), nearest_file("old.csv", ["x.csv"])
    ("Did you mean 'titanic.csv'?", "The names are: 'x.csv'.")
    """
    stem, dot, ending = name.rpartition(".")
    stem = stem if dot else ending
    names = list(known)
    stems = {each: each.rpartition(".")[0] or each for each in names}
    close = difflib.get_close_matches(stem, stems.values(), n=1)
    if not close:
        return nearest("", names)
    alike = [each for each in names if stems[each] == close[0]]
    return f"Did you mean '{max(alike, key=lambda each: each.endswith(dot + ending))}'?"
