"""The parameter `basis=`: which column gets which basis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from treewright.errors import DataError, nearest
from treewright.learners.linear.basis import Basis, Fourier, Functions, JointRadial, Polynomial, Radial
from treewright.learners.linear.splines import BSpline, Spline
from treewright.table.schema import Schema

# name → class, the option that may follow a comma, the least number and the number if none is given
_NAMED: dict[str, tuple[Callable[..., Any], str | None, int, int]] = {
    "polynomial": (Polynomial, None, 1, 2),
    "spline": (Spline, None, 1, 4),
    "bspline": (BSpline, None, 3, 5),
    "radial": (Radial, "width", 1, 5),
    "fourier": (Fourier, "period", 1, 2),
}
_MOST = 1000


def read_basis(choice: Any) -> Basis:
    """Read one choice: a name with a number, such as "spline:5", or a function, or a list of functions.

    Examples
    --------
    >>> read_basis("spline:5"), read_basis("fourier:2,period=365")
    (Spline(df=5), Fourier(order=2, period=365.0))
    >>> read_basis("splin:5")
    Traceback (most recent call last):
    treewright.errors.DataError: basis='splin:5' is not known. Did you mean 'spline'?
    """
    if callable(choice):
        return Functions((choice,))
    if isinstance(choice, list | tuple) and choice and all(map(callable, choice)):
        return Functions(tuple(choice))
    if not isinstance(choice, str):
        raise DataError(
            f"A basis is a name such as 'spline:5', a function, or a list of functions. Got {choice!r} instead."
        )
    name, _, rest = choice.partition(":")
    if name not in _NAMED:
        raise DataError(f"basis='{choice}' is not known. {nearest(name, _NAMED)}")
    make, option, least, usual = _NAMED[name]
    number, _, setting = rest.partition(",")
    count = _count(choice, number, least) if number else usual
    made = make(count, _setting(choice, setting, option)) if setting else make(count)
    return cast(Basis, made)


def bases_of(basis: Any, schema: Schema) -> dict[tuple[int, ...], Basis]:
    """Give each column of a table that has a basis its own, by its place; several columns may share one.

    Examples
    --------
    >>> from treewright.table.schema import Column
    >>> schema = Schema((Column("age", "numeric"), Column("job", "nominal", "text", ("cook",))))
    >>> bases_of("spline", schema), bases_of({"age": "polynomial:3"}, schema)
    ({(0,): Spline(df=4)}, {(0,): Polynomial(degree=3)})
    """
    if basis is None:
        return {}
    if not isinstance(basis, Mapping):
        made = read_basis(basis)
        return {(j,): made for j, column in enumerate(schema.columns) if column.kind == "numeric"}
    bases: dict[tuple[int, ...], Basis] = {}
    for names, choice in basis.items():
        places = tuple(_place(name, schema) for name in (names if isinstance(names, tuple) else (names,)))
        if choice is not None:
            bases[tuple(sorted(places))] = read_basis(choice) if len(places) == 1 else _joint(choice)
    _refuse_twice([place for places in bases for place in places], schema)
    return bases


def _joint(choice: Any) -> Basis:
    """A basis of several columns together."""
    read = read_basis(choice)
    if not isinstance(read, Radial):
        raise DataError(f"Only 'radial' takes several columns together. Give each column its own {choice!r}.")
    return JointRadial(read.count, read.width)


def _refuse_twice(places: list[int], schema: Schema) -> None:
    for place in places:
        if places.count(place) > 1:
            raise DataError(f"basis names the column '{schema.names[place]}' twice. Give each column one basis.")


def holds_functions(basis: Any) -> bool:
    """Tell whether there are functions in it, which no file can hold.

    Examples
    --------
    >>> holds_functions({"age": "spline"}), holds_functions({"age": [abs]})
    (False, True)
    """
    entries = basis.values() if isinstance(basis, Mapping) else basis if isinstance(basis, list | tuple) else [basis]
    return any(callable(entry) or (isinstance(entry, list | tuple) and any(map(callable, entry))) for entry in entries)


def _count(choice: str, number: str, least: int) -> int:
    if not number.isdecimal() or not least <= int(number) <= _MOST:
        raise DataError(f"basis='{choice}': the number after the colon is a whole number from {least} to {_MOST}.")
    return int(number)


def _setting(choice: str, setting: str, option: str | None) -> float:
    name, _, text = setting.partition("=")
    if name != option:
        known = f"Only {option}=… may follow the comma." if option else "Nothing may follow the number."
        raise DataError(f"basis='{choice}' is not known. {known}")
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise DataError(f"basis='{choice}': {name} is a number above 0.")
    return value


def _place(name: Any, schema: Schema) -> int:
    names = schema.names
    if isinstance(name, int) and not isinstance(name, bool) and 0 <= name < len(names):
        place = name
    elif name in names:
        place = names.index(name)
    else:
        raise DataError(f"basis names the column {name!r}, which the table does not have. {nearest(name, names)}")
    if schema.columns[place].kind != "numeric":
        raise DataError(
            f"basis names the column '{names[place]}', which holds levels. Only columns of numbers have a basis: "
            "leave it out, or say that it is numeric by column_kinds."
        )
    return place
