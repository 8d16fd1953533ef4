"""Work that needs more memory than there is: refused in a sentence before it starts, told in one where it happens."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import update_wrapper
from math import prod
from types import FunctionType
from typing import Any

from treewright import machine
from treewright.errors import NotEnoughMemoryError

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB")
FEWER = "Give fewer rows or columns, or a machine with more memory."

FEWER_LEVELS = "Leave columns out, above all those of many levels, or use a tree: it takes levels as they are."


@dataclass(frozen=True)
class Block:
    """Numbers that have to be in memory at one time: so many of this for each of that, and the bytes of one.

    A side that is there twice has an underscore behind its name: ``columns=9, columns_=9``.

    Examples
    --------
    >>> block = Block(8, rows=50, products=12_502_500)
    >>> block.n_bytes, str(block)
    (5001000000, '50 rows × 12,502,500 products')
    """

    n_bytes: int
    sides: tuple[tuple[str, int], ...]

    def __init__(self, cell: float, **sides: int) -> None:
        object.__setattr__(self, "sides", tuple((name.replace("_", " ").strip(), int(n)) for name, n in sides.items()))
        object.__setattr__(self, "n_bytes", int(cell * prod(n for _, n in self.sides)))

    def __str__(self) -> str:
        return " × ".join(f"{n:,} {name}" for name, n in self.sides)


def size_text(n_bytes: float) -> str:
    """Bytes as people say them.

    Examples
    --------
    >>> size_text(5_001_000_000), size_text(12)
    ('5.0 GB', '12 bytes')
    """
    place = 0
    while n_bytes >= 999.95 and place < len(_UNITS) - 1:
        n_bytes, place = n_bytes / 1000, place + 1
    return f"{n_bytes:.1f} {_UNITS[place]}" if place else f"{n_bytes:.0f} bytes"


def refuse_beyond_memory(doing: str, blocks: Sequence[Block], advice: str = FEWER) -> None:
    """Refuse what would need more than this process may still take.

    Examples
    --------
    >>> refuse_beyond_memory("To fit it", [Block(8, rows=10**9, columns=10**9)], "Leave columns out.")
    ... # doctest: +ELLIPSIS
    Traceback (most recent call last):
    treewright.errors.NotEnoughMemoryError: To fit it would take about 8.0 EB of memory (1,000,000,000 rows × ...
    """
    needed = sum(block.n_bytes for block in blocks)
    if needed < _NEVER_REFUSED:
        return  # not worth a look at the machine
    there = machine.free_memory()
    if needed > there:
        largest = max(blocks, key=lambda block: block.n_bytes)
        raise NotEnoughMemoryError(
            f"{doing} would take about {size_text(needed)} of memory ({largest}), and {size_text(there)} are free. "
            + advice
        )


_NEVER_REFUSED = 2**22


# A want of memory that nobody foresaw, as a sentence at the door of an estimator.


def tell_of_memory(kind: type) -> None:
    """Make the public methods of a class that take rows say in a sentence that memory ran out.

    Each class of a chain gets its doors once. A door has the globals of the method behind it, since examples in
    docstrings are looked for by them.
    """
    for part in kind.__mro__:
        if part.__module__.partition(".")[0] != __name__.partition(".")[0] or "_told_of_memory" in part.__dict__:
            continue
        for name, method in list(part.__dict__.items()):
            if name.startswith("_"):
                continue
            if isinstance(method, FunctionType) and _takes_rows(method):
                setattr(part, name, _door(method))
            elif isinstance(inner := getattr(method, "fn", None), FunctionType) and _takes_rows(inner):
                method.fn = _door(inner)  # a method that only some models have (scikit-learn's available_if)
        part._told_of_memory = True  # type: ignore[attr-defined]


def as_sentence(error: MemoryError, doing: str) -> NotEnoughMemoryError:
    """What ran out of memory, and what to do; an error that says so already stays as it is.

    Examples
    --------
    >>> str(as_sentence(MemoryError("std::bad_alloc"), "Perceptron.fit")).partition(":")[0]
    'Perceptron.fit ran out of memory'
    """
    if isinstance(error, NotEnoughMemoryError):
        return error
    return NotEnoughMemoryError(f"{doing} ran out of memory: {size_text(machine.free_memory())} are free. {FEWER}")


def _takes_rows(method: FunctionType) -> bool:
    return "X" in inspect.signature(method).parameters and not inspect.isgeneratorfunction(method)


def _door(method: FunctionType) -> FunctionType:
    told = as_sentence

    def door(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except MemoryError as error:
            raise told(error, f"{type(self).__name__}.{method.__name__}") from None

    ours = FunctionType(door.__code__, method.__globals__, method.__name__, None, door.__closure__)
    update_wrapper(ours, method)
    return ours
