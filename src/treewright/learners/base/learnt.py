"""What a kind of model has learnt beside its trees, declared once: the numbers and arrays that its file may hold.

A class names them with their types, shapes and ranges, and a file is compared with that before anyone sees its model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.schema import Schema

_LARGEST_WHOLE = 2**63 - 1
_LARGEST_EXACT = 2.0**53  # a larger whole number of JSON is a number of more digits than numpy computes with
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class LearntNumber:
    """A number in the header of a model file.

    Parameters
    ----------
    whole : bool
        Whether it counts something.
    lowest : float
        The least that it may be.
    absent : {"refused", "unknown", "left out"}
        What it means where a file does not have it. Files hold finite numbers, so one that was not finite is not there:
        "unknown" makes it NaN. What only some models have is "left out".
    """

    whole: bool = False
    lowest: float = -math.inf
    absent: str = "refused"

    def fits(self, value: Any) -> bool:
        """Whether a value of JSON is such a number.

        >>> LearntNumber(whole=True, lowest=0).fits(3), LearntNumber(whole=True).fits(3.0)
        (True, False)
        """
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float):
            return False
        return self.lowest <= value and abs(value) <= (_LARGEST_WHOLE if self.whole else _LARGEST)


def count(lowest: int = 0, absent: str = "refused") -> LearntNumber:
    """A whole number.

    >>> count(1).fits(0)
    False
    """
    return LearntNumber(True, lowest, absent)


def real(lowest: float = -math.inf, absent: str = "refused") -> LearntNumber:
    """A number.

    >>> real().fits(0.5), real().fits(10**400)
    (True, False)
    """
    return LearntNumber(False, lowest, absent)


@dataclass(frozen=True)
class LearntArray:
    """An array of a model file.

    Parameters
    ----------
    dtype : str
        As numpy writes it; two with a bar between them where it may be either.
    shape : tuple of str or int
        Its sides. A name that stands for a size everybody knows ("columns", "classes", "trees" …) has to be that; any
        other name is what it is in the first array that has it, and the same in all others.
    lowest, highest : float
        Between which its numbers lie; NaN and infinities are outside unless `unknown` or `infinite` lets them in.
    unknown, infinite : bool
        Whether it may hold NaN, and infinities.
    needed : bool
        Whether every model of the kind has it.
    """

    dtype: str
    shape: tuple[str | int, ...]
    lowest: float = -math.inf
    highest: float = math.inf
    unknown: bool = False
    infinite: bool = False
    needed: bool = True

    def problem(self, array: NDArray[Any], sizes: dict[str, int]) -> str | None:
        """Say what is wrong with an array; sizes that it is the first to have are noted.

        >>> LearntArray("f8", ("columns",)).problem(np.ones(3), {"columns": 2})
        'has the shape (3,) and not (columns,), which is (2,)'
        >>> LearntArray("f8", ("columns",), lowest=0.0).problem(np.array([1.0, -1.0]), {"columns": 2})
        'has a number that none can be'
        """
        types = [np.dtype(name) for name in self.dtype.split("|")]
        if array.dtype not in types:
            return f"holds {array.dtype} and not {' or '.join(map(str, types))}"
        if array.ndim != len(self.shape):
            return f"has {array.ndim} axes and not {len(self.shape)}"
        own = [
            side if isinstance(side, int) else sizes.get(side, n)
            for side, n in zip(self.shape, array.shape, strict=True)
        ]
        named = [(side, n) for side, n in zip(self.shape, array.shape, strict=True) if isinstance(side, str)]
        if tuple(own) != array.shape or len({*named}) > len({side for side, _ in named}):
            shape = ", ".join(map(str, self.shape)) + ("," if len(self.shape) == 1 else "")
            return f"has the shape {array.shape} and not ({shape}), which is {tuple(own)}"
        sizes.update(named)
        return None if self._holds(array) else "has a number that none can be"

    def _holds(self, array: NDArray[Any]) -> bool:
        if array.dtype.kind != "f":
            inside = not array.size or array.dtype.kind == "b"
            return inside or bool(array.min() >= self.lowest and array.max() <= self.highest)
        if not self.unknown and np.isnan(array).any():
            return False
        if not self.infinite and np.isinf(array).any():
            return False
        return not (array < self.lowest).any() and not (array > self.highest).any()


def reals(*shape: str | int, **others: Any) -> LearntArray:
    """Finite numbers; `unknown`, `infinite`, `lowest`, `highest`, `needed` as for `LearntArray`.

    >>> reals("rows", "columns", unknown=True).problem(np.full((4, 2), np.nan), {"columns": 2}) is None
    True
    """
    return LearntArray("f8", shape, **others)


def wholes(*shape: str | int, dtype: str = "i8", **others: Any) -> LearntArray:
    """Whole numbers.

    >>> wholes("rows", lowest=0).problem(np.array([0, -1]), {})
    'has a number that none can be'
    """
    return LearntArray(dtype, shape, **others)


def truths(*shape: str | int, **others: Any) -> LearntArray:
    """Truth values.

    >>> truths("columns").problem(np.ones(2), {"columns": 2})
    'holds float64 and not bool'
    """
    return LearntArray("?", shape, **others)


Numbers = Mapping[str, LearntNumber]
Arrays = Mapping[str, LearntArray]


def learnt_sizes(schema: Schema, classes: NDArray[Any] | None, **others: int) -> dict[str, int]:
    """The sizes that every model knows of its own; `outputs` is 1 for numbers and for two classes.

    >>> from treewright.table.schema import Column
    >>> learnt_sizes(Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("a", "b")))), None, trees=3)
    {'columns': 2, 'numeric columns': 1, 'levelled columns': 1, 'levels': 2, 'classes': 0, 'outputs': 1, 'trees': 3}
    """
    numeric = sum(column.kind == "numeric" for column in schema.columns)
    n_classes = 0 if classes is None else len(classes)
    return {
        "columns": len(schema.columns),
        "numeric columns": numeric,
        "levelled columns": len(schema.columns) - numeric,
        "levels": sum(len(column.levels) for column in schema.columns),
        "classes": n_classes,
        "outputs": n_classes if n_classes > 2 else 1,
        **others,
    }


def check_learnt(
    numbers: Numbers, arrays: Arrays, saved: Any, held: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]
) -> dict[str, Any]:
    """Give what was learnt by attribute, out of the `learnt` of a header and the arrays beside the trees.

    ValueError where something is there that is not declared, is declared and not there, or is not what it should be.

    Examples
    --------
    >>> declared = {"n_iter_": count()}, {"coef_": reals("columns")}
    >>> check_learnt(*declared, {"n_iter_": 7}, {"coef_": np.ones(2)}, {"columns": 2})
    {'n_iter_': 7, 'coef_': array([1., 1.])}
    """
    if not isinstance(saved, dict) or not set(saved) <= set(numbers):
        raise ValueError("what it says it learnt is not known")
    found: dict[str, Any] = {}
    for name, number in numbers.items():
        if name in saved and not number.fits(saved[name]):
            raise ValueError(f"its {name}, {str(saved[name])[:40]}, is no number that it can be")
        if name not in saved and number.absent == "refused":
            raise ValueError(f"it has no {name}")
        if name in saved or number.absent == "unknown":
            value = saved.get(name, math.nan)
            found[name] = float(value) if abs(value) > _LARGEST_EXACT and not number.whole else value
    known = dict(sizes)
    for name, declared in arrays.items():
        problem = declared.problem(held[name], known) if name in held else "is not there" if declared.needed else None
        if problem is not None:
            raise ValueError(f"its {name} {problem}")
    return {**found, **held}
