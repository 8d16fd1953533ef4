"""What a model knows about its table: its columns with names, kinds, types of values and levels. Holds no data."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treewright.errors import DataError
from treewright.table.column_kinds import KINDS as KINDS
from treewright.table.written.written_column import format_of_sample

Level = str | int | float | bool

VALUE_TYPES = ("number", "text", "boolean", "date", "datetime", "time", "duration")
NUMERIC_TYPES = ("number", "date", "datetime", "time", "duration")
MISSING = "missing"
_MICROSECONDS_A_SECOND = 1_000_000
_LONGEST_SAMPLE = 60
_OPTIONAL = {"written", "zoned", "range", "holes"}  # fields of a stored column that files of older versions lack
_PAIRS = [[one, other] for one in (int, float) for other in (int, float)]  # a truth value is no number
_MANY = 100_000  # levels
_END_OF_TIME = 2.0**62  # days or microseconds, either way from 1970


@dataclass(frozen=True)
class Column:
    """One column: what it is (kind), how its values look (value_type), its levels in code order unless it is numeric.

    >>> Column("size", "ordinal", "text", ("small", "medium", "large")).show(2)
    'medium'
    >>> Column("age", "numeric").show(41.5), Column("age", "numeric").show(3.0)
    ('41.5', '3')
    >>> Column("born", "numeric", "date").show(19723.5)
    '2024-01-01'
    """

    name: str
    kind: str
    value_type: str = "number"
    levels: tuple[Level, ...] = ()
    # How the training file wrote its numbers or dates, by a sample ("$1,234.5", "31.12.2020"); "" for the plain forms.
    written: str = field(default="", compare=False, repr=False)
    # of dates: whether they have a zone and so are moments, or are what a clock shows; None where nobody knows
    zoned: bool | None = field(default=None, repr=False, compare=False)
    # of numbers and dates: the smallest and the largest that training had; None where nobody knows
    range: tuple[float, float] | None = field(default=None, repr=False, compare=False)
    holes: bool = field(default=False, repr=False, compare=False)  # whether training had rows without a value

    def __post_init__(self) -> None:
        """Check each field, and turn numpy's scalars into Python's, so that equal columns are equal after saving."""
        if not isinstance(self.name, str):
            raise DataError(f"The name of a column must be text, but it is {self.name!r}. Rename the column.")
        if self.kind not in KINDS:
            raise DataError(f"Column '{self.name}' has the kind {self.kind!r}. The kinds are: {', '.join(KINDS)}.")
        if self.value_type not in VALUE_TYPES:
            raise DataError(
                f"Column '{self.name}' has the value_type {self.value_type!r}. The types are: {', '.join(VALUE_TYPES)}."
            )
        if self.kind == "numeric" and (self.levels or self.value_type not in NUMERIC_TYPES):
            value_types = ", ".join(NUMERIC_TYPES)
            raise DataError(
                f"Column '{self.name}' is numeric, so it has no levels and its value_type is one of: {value_types}."
            )
        if self.levels == ():
            return
        if set(map(type, self.levels)) != {str}:  # the common case, and there may be a million of them
            object.__setattr__(self, "levels", tuple(_plain_level(self.name, level) for level in self.levels))
        twice = _found_twice(self.levels)
        if twice:
            raise DataError(f"Column '{self.name}' has the level {twice[0]!r} twice. Each level must be there once.")

    def show(self, value: float) -> str:
        """Print a threshold (or, with levels, a level code) as the values of this column look.

        A threshold between two days is shown as the earlier day, since `x <= 2024-01-01` then says the same.
        """
        if math.isnan(value):
            return MISSING
        if not math.isfinite(value):
            return repr(float(value))
        if self.kind == "numeric":
            # beyond what any calendar has, a date is shown as the number that it is
            return _TEXT_OF_TYPE[self.value_type if abs(value) < _END_OF_TIME else "number"](value)
        code = math.floor(value)
        if not 0 <= code <= len(self.levels):
            raise DataError(f"Column '{self.name}' has {len(self.levels)} levels, so there is no level of code {code}.")
        return level_text(self.levels[code - 1]) if code else MISSING

    def to_json(self) -> dict[str, Any]:
        """Give the column as a dict of JSON values.

        >>> Column("ok", "nominal", "boolean", (False, True)).to_json()
        {'name': 'ok', 'kind': 'nominal', 'face': 'boolean', 'levels': [False, True]}
        """
        levels = [{"float": repr(v)} if isinstance(v, float) and math.isinf(v) else v for v in self.levels]
        stored: dict[str, Any] = {"name": self.name, "kind": self.kind, "face": self.value_type, "levels": levels}
        if self.written:
            stored["written"] = self.written
        if self.zoned is not None:
            stored["zoned"] = self.zoned
        if self.range is not None:
            stored["range"] = list(self.range)
        return {**stored, "holes": True} if self.holes else stored

    @classmethod
    def from_json(cls, data: Any) -> Column:
        """Make a column from what `to_json` gave; anything else is refused with a sentence.

        >>> Column.from_json({"name": "age", "kind": "numeric", "face": "number", "levels": []})
        Column(name='age', kind='numeric', value_type='number', levels=())
        """
        if not isinstance(data, dict) or set(data) - _OPTIONAL != {"name", "kind", "face", "levels"}:
            raise DataError("A stored column must have exactly the fields name, kind, face and levels.")
        if not isinstance(data["levels"], list):
            raise DataError("The levels of a stored column must be a list.")
        for name in ("zoned", "holes"):
            if not isinstance(data.get(name, False), bool):
                raise DataError(f"The field {name} of a stored column must be true or false.")
        levels = tuple(_stored_level(level) for level in data["levels"])
        written = _stored_format(data.get("written", ""))
        found = _stored_range(data["range"], data["kind"]) if "range" in data else None
        holes = data.get("holes", False)
        return cls(data["name"], data["kind"], data["face"], levels, written, data.get("zoned"), found, holes)


@dataclass(frozen=True)
class Schema:
    """The columns a model takes, in order, and the name of what it predicts.

    >>> schema = Schema((Column("age", "numeric"), Column("city", "nominal", "text", ("Ulm", "Wien"))), "risk")
    >>> schema.names
    ('age', 'city')
    >>> Schema.from_json(schema.to_json()) == schema
    True
    """

    columns: tuple[Column, ...]
    target: str | None = None

    def __post_init__(self) -> None:
        """Check that all are columns and that no name is there twice."""
        object.__setattr__(self, "columns", tuple(self.columns))
        if not all(isinstance(column, Column) for column in self.columns):
            raise DataError("A schema is made of columns.")
        if self.target is not None and not isinstance(self.target, str):
            raise DataError(f"The name of the target must be text, but it is {self.target!r}.")
        for name, count in Counter(self.names).items():
            if count > 1:
                raise DataError(f"The table has {count} columns named '{name}'. Rename all but one of them.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    def to_json(self) -> dict[str, Any]:
        """Give the schema as a dict of JSON values."""
        return {"columns": [column.to_json() for column in self.columns], "target": self.target}

    @classmethod
    def from_json(cls, data: Any) -> Schema:
        """Make a schema from what `to_json` gave; anything else is refused with a sentence."""
        if not isinstance(data, dict) or set(data) != {"columns", "target"} or not isinstance(data["columns"], list):
            raise DataError("A stored schema must have exactly the fields columns (a list) and target.")
        return cls(tuple(Column.from_json(column) for column in data["columns"]), data["target"])


def level_text(level: Level) -> str:
    """Print a level: text as it is, numbers in their shortest form.

    >>> level_text("Ulm"), level_text(True), level_text(3.0)
    ('Ulm', 'True', '3')
    """
    return _number_text(level) if isinstance(level, float) else str(level)


def _number_text(value: float) -> str:
    """Print the shortest text that reads back as the same number."""
    return repr(float(value)).removesuffix(".0")


def _date_text(days: float) -> str:
    return str(np.datetime64(math.floor(days), "D"))


def _datetime_text(microseconds: float) -> str:
    text = str(np.datetime64(math.floor(microseconds), "us")).replace("T", " ")
    return text.rstrip("0").removesuffix(".") if "." in text else text


def _time_text(microseconds: float) -> str:
    """Print a time of day, or a length of time, which may be negative or longer than a day."""
    total = math.floor(microseconds)
    seconds, rest = divmod(abs(total), _MICROSECONDS_A_SECOND)
    text = f"{'-' if total < 0 else ''}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{text}.{rest:06d}".rstrip("0") if rest else text


_TEXT_OF_TYPE = {
    "number": _number_text,
    "date": _date_text,
    "datetime": _datetime_text,
    "time": _time_text,
    "duration": _time_text,
}


def _plain_level(name: str, level: object) -> Level:
    plain = level.item() if isinstance(level, np.generic) else level
    if not isinstance(plain, (str, int, float, bool)) or (isinstance(plain, float) and math.isnan(plain)):
        raise DataError(
            f"Column '{name}' has the level {level!r}, but a level must be text, a number or a truth value."
        )
    return plain


def _stored_format(sample: Any) -> str:
    if sample == "":
        return ""
    try:
        if isinstance(sample, str) and len(sample) <= _LONGEST_SAMPLE and format_of_sample(sample).sample == sample:
            return sample
    except ValueError:
        pass
    raise DataError(f"A stored column is written as {str(sample)[:50]!r}, which is no way to write numbers or dates.")


def _stored_range(stored: Any, kind: Any) -> tuple[float, float]:
    if kind == "numeric" and isinstance(stored, list) and [type(bound) for bound in stored] in _PAIRS:
        try:
            low, high = float(stored[0]), float(stored[1])
        except OverflowError:  # a whole number of hundreds of digits
            low = high = math.inf
        if -math.inf < low <= high < math.inf:
            return low, high
    raise DataError("The range of a stored column must be two finite numbers, the smaller first, of a numeric column.")


def _found_twice(levels: tuple[Level, ...]) -> list[Level]:
    """The first level that is there a second time, if there is one; 1 and True are one level, as they are one key."""
    kinds = (
        [level for level in levels if isinstance(level, str)],
        [level for level in levels if not isinstance(level, str)],
    )
    for same in kinds:
        if len(same) > _MANY:  # sorting takes longer than a set, and a tenth of its memory
            same.sort()
            again = [level for level, following in itertools.pairwise(same) if level == following]
            if again:
                return again[:1]
        elif len(set(same)) < len(same):
            return [level for level, times in Counter(same).items() if times > 1][:1]
    return []


def _stored_level(level: Any) -> Any:
    if isinstance(level, dict):
        if level in ({"float": "inf"}, {"float": "-inf"}):
            return float(level["float"])
        raise DataError(f"A stored level must be text, a number or a truth value, not {level!r}.")
    return level
