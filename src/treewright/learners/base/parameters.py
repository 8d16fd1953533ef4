"""Parameters are said once: name, type, default, the values it takes, and what it does, in one declaration.

    class DecisionTreeClassifier(TreeModel):
        criterion: str = parameter(default="gini", takes=one_of("gini", "entropy"), doc="What a split is judged by.")

Out of the declarations of a class and of those it derives from come its `__init__` with a true signature, the
constraints that scikit-learn checks at fit, and the section "Parameters" of its docstring (`constructor.py`).
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, cast, dataclass_transform

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

# The values that a parameter takes.


class OneOf(StrOptions):  # type: ignore[misc]
    """Some words, in the order in which they are told."""

    def __init__(self, *words: str) -> None:
        super().__init__(set(words))
        self.words = words

    def __str__(self) -> str:
        return f"a str among {{{', '.join(map(repr, self.words))}}}"


def one_of(*words: str) -> Any:
    """Take one of some words.

    Examples
    --------
    >>> str(one_of("gini", "entropy"))
    "a str among {'gini', 'entropy'}"
    """
    return OneOf(*words)


_MOST = 2**31 - 1  # the core counts rows, depths and rounds in 32 bits
MOST_TREES = 1_000_000_000  # how many fit into the memory of the machine is another question, asked before a fit


def whole(least: int | None, most: int | None = None) -> Any:
    """Take whole numbers from `least` to `most`; unsaid, they end where the core's whole numbers do.

    Examples
    --------
    >>> str(whole(1)), str(whole(2, 255))
    ('an int in the range [1, 2147483647]', 'an int in the range [2, 255]')
    """
    return Interval(Integral, -_MOST if least is None else least, _MOST if most is None else most, closed="both")


class Numbers(Interval):  # type: ignore[misc]
    """Numbers between two ends that a double can hold: 10**400 lies between 0 and infinity, and is no double."""

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether it is such a number."""
        try:
            return bool(super().is_satisfied_by(val)) and is_double(val)
        except TypeError:  # a fraction, which numpy does not know
            return False


def is_double(value: Any) -> bool:
    """Tell whether a double can hold a number: it is no NaN, and not beyond the largest.

    Examples
    --------
    >>> is_double(3), is_double(10**400), is_double(float("nan"))
    (True, False, False)
    """
    try:
        return float(value) == float(value)
    except OverflowError:
        return False


class ListOfValues(HasMethods):  # type: ignore[misc]
    """A list, a tuple, an array or a column: one value after the other. Sets, dicts and text are none."""

    def __init__(self) -> None:
        super().__init__("__len__")

    def is_satisfied_by(self, val: Any) -> bool:
        """Whether it is such a list."""
        if isinstance(val, Mapping | Set | str | bytes):
            return False
        return (
            bool(super().is_satisfied_by(val)) and getattr(val, "shape", None) != ()
        )  # an array of no dimension has no values

    def __str__(self) -> str:
        return "an array-like"


def number(low: float, high: float | None = None, closed: str = "both") -> Any:
    """Take numbers from `low` to `high`; `closed` tells which ends are among them.

    Examples
    --------
    >>> str(number(0.0, 1.0)), str(number(0.0, 1.0, "neither"))
    ('a float in the range [0.0, 1.0]', 'a float in the range (0.0, 1.0)')
    """
    return Numbers(Real, low, high, closed=closed)


def at_least(low: float) -> Any:
    """Take `low` and every larger number.

    Examples
    --------
    >>> str(at_least(0.0))
    'a float in the range [0.0, inf)'
    """
    return number(low, None, "left")


def above(low: float) -> Any:
    """Take every number larger than `low`.

    Examples
    --------
    >>> str(above(0.0))
    'a float in the range (0.0, inf)'
    """
    return number(low, None, "neither")


def share(closed: str) -> Any:
    """Take a fraction between 0 and 1 that is no whole number; `closed` tells which ends are among them.

    Examples
    --------
    >>> share("right").is_satisfied_by(0.5), share("right").is_satisfied_by(1)
    (True, False)
    """
    return Numbers(RealNotInt, 0.0, 1.0, closed=closed)


PLAIN = frozenset({int, float, str, bool, type(None)})  # types whose values nothing of numpy's is among, nor changes


def plain_value(value: Any) -> Any:
    """Give a number, text or truth value of numpy's, also one in an array without dimensions, as Python's own.

    Learners test for True, take numbers apart by type and write them to files: what numpy makes of a grid or a table
    must be the same to them. Everything else is given back as it is.

    Examples
    --------
    >>> import numpy as np
    >>> [plain_value(each) for each in (np.True_, np.int8(3), np.float32(0.5), np.str_("gini"), np.array(7))]
    [True, 3, 0.5, 'gini', 7]
    """
    if type(value) in PLAIN:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.floating):
        return float(value)  # numpy's long numbers have no other way
    return value.item() if isinstance(value, np.bool_ | np.integer | np.str_) else value


# One declaration.


_UNSAID: Any = inspect.Parameter.empty
_PLAIN = {"boolean": "bool", "verbose": "int", "random_state": "int", "array-like": "list", callable: "a function"}
_WIDTH = 100


@dataclass(frozen=True)
class Parameter:
    """What is said of one parameter. What is not said here is said by a class further up."""

    default: Any
    takes: Any = _UNSAID
    doc: str = _UNSAID
    kind: str = ""
    positional: bool = False
    annotation: Any = _UNSAID

    @property
    def constraint(self) -> Any:
        """The values it takes, as scikit-learn checks them."""
        return self.takes if isinstance(self.takes, list) or self.takes == "no_validation" else [self.takes]

    @property
    def checks(self) -> Any:
        """The same; scikit-learn would take a set, or an array without any value, for a list."""
        found = self.constraint
        if isinstance(found, str):
            return found
        return [ListOfValues() if isinstance(each, str) and each == "array-like" else each for each in found]

    def filled_from(self, other: Parameter | None) -> Parameter:
        """Give this declaration, with what it leaves unsaid taken from that of a class further up."""
        if other is None:
            return self
        unsaid = [name for name in ("takes", "doc", "annotation") if getattr(self, name) is _UNSAID]
        kind = other.kind if "takes" in unsaid and not self.kind else self.kind
        positional = self.positional or other.positional
        return replace(self, kind=kind, positional=positional, **{name: getattr(other, name) for name in unsaid})

    def head(self) -> str:
        """The kinds of values and the default, in words.

        Examples
        --------
        >>> Parameter(3, [whole(1), None]).head(), Parameter(None, [one_of("a", "b"), None]).head()
        ('int or None, default 3', '{"a", "b"}, optional')
        """
        kinds = self.kind or self._kinds()
        return f"{kinds}, optional" if self.default is None else f"{kinds}, default {_written(self.default)}"

    def _kinds(self) -> str:
        taken = [each for each in self.constraint if each is not None or self.default is not None]
        if len(taken) == 1 and isinstance(taken[0], OneOf):
            return f"{{{', '.join(map(_written, taken[0].words))}}}"
        words = list(dict.fromkeys(word for each in taken for word in _words(each)))
        return " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]

    def told(self, name: str) -> str:
        """The lines of the docstring about it."""
        lines = textwrap.wrap(self.doc, _WIDTH, break_long_words=False, break_on_hyphens=False)
        return "\n    ".join([f"{name} : {self.head()}", *lines])


def _written(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return repr(value).replace("e-0", "e-")


def _words(constraint: Any) -> list[str]:
    """What one of the constraints takes, in words."""
    if isinstance(constraint, OneOf):
        return [_written(word) for word in constraint.words]
    if isinstance(constraint, Interval):
        return ["int" if constraint.type is Integral else "float"]
    if constraint is None:
        return ["None"]
    return [_PLAIN.get(constraint) or constraint.__name__]


def parameter(*, default: Any, takes: Any = _UNSAID, doc: str = _UNSAID, kind: str = "", kw_only: bool = True) -> Any:
    """Declare a parameter in the body of an estimator.

    Parameters
    ----------
    default
        What it is if nothing else is said.
    takes : constraint or list of them
        The values it takes: `one_of`, `whole`, `number`, `share`, a class, None, or a word of scikit-learn's such as
        "boolean". Unsaid, those of the class further up.
    doc : str
        What it does. Unsaid, as in the class further up.
    kind : str, optional
        The kinds of values in words, where those that follow from `takes` do not say enough.
    kw_only : bool, default True
        Whether it must be given by its name.

    Examples
    --------
    >>> class Neighbours:
    ...     k: int = parameter(default=5, takes=whole(1), doc="How many neighbours are asked.")
    >>> from treewright.learners.base.constructor import make_estimator
    >>> make_estimator(Neighbours)
    >>> Neighbours(k=3).k, Neighbours().k
    (3, 5)
    """
    return Parameter(default, takes, doc if doc is _UNSAID else " ".join(doc.split()), kind, not kw_only)


def fitted(*, init: Literal[False] = False) -> Any:
    """Declare an attribute that fit makes: it has a type, and is no parameter.

    Examples
    --------
    >>> @declares_parameters
    ... class Neighbours:
    ...     rows_: list[int] = fitted()
    >>> hasattr(Neighbours, "rows_"), list(parameters_in(Neighbours))
    (False, [])
    """
    return _FITTED


def fixed(value: Any, *, init: Literal[False] = False) -> Any:
    """Take a parameter of the classes further up away: here it has one value.

    Examples
    --------
    >>> class Neighbours:
    ...     k: int = parameter(default=5, takes=whole(1), doc="How many neighbours are asked.")
    >>> class NearestNeighbour(declares_parameters(Neighbours)):
    ...     k: int = fixed(1)
    >>> from treewright.learners.base.constructor import make_estimator
    >>> make_estimator(NearestNeighbour)
    >>> list(parameters_in(NearestNeighbour)), NearestNeighbour().k
    ([], 1)
    """
    return value


_FITTED = object()
_Class = TypeVar("_Class", bound=type)


# The declarations of a class, and of those that it derives from.


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter, fitted, fixed))
def declares_parameters(cls: _Class) -> _Class:
    """Read the declarations of a class that estimators derive from; those of estimators are read without this.

    They leave the class: an attribute of such a name is one of the objects, not of the class.
    """
    body = {name: each for name, each in vars(cls).items() if isinstance(each, Parameter) or each is _FITTED}
    for name in body:
        delattr(cls, name)
    types, made = inspect.get_annotations(cls), cast(Any, cls)
    declared = {name: each for name, each in body.items() if isinstance(each, Parameter)}
    made._declared = {name: replace(each, annotation=types.get(name, _UNSAID)) for name, each in declared.items()}
    return cls


def parameters_in(cls: type) -> dict[str, Parameter]:
    """Give the parameters of a class by name: its own first, then those of the classes that it derives from.

    A class with a plain attribute of a parameter's name has that value for good, and the parameter no more.
    """
    found: dict[str, Parameter | None] = {}
    for name, each in ((name, each) for base in reversed(cls.__mro__) for name, each in _said_in(base).items()):
        found[name] = None if each is None else each.filled_from(found.get(name))
    nearest_first = dict.fromkeys(name for base in cls.__mro__ for name in vars(base).get("_declared", ()))
    kept = {name: each for name in nearest_first if (each := found[name]) is not None}
    for name, each in kept.items():
        if each.takes is _UNSAID or each.doc is _UNSAID:
            raise TypeError(
                f"{cls.__name__}.{name} is declared without 'takes' or 'doc'. Say both, here or further up."
            )
    return kept


def _said_in(cls: type) -> dict[str, Parameter | None]:
    """The declarations of one class, and None for every value that is fixed in it."""
    fixed = [name for name, each in vars(cls).items() if not hasattr(each, "__get__")]
    return {**dict.fromkeys(fixed), **vars(cls).get("_declared", {})}
