"""The text in which LightGBM saves its models, taken apart; what it means is in `from_lightgbm`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FIRST_LINE = "tree"
_END = "end of trees"
_PANDAS = "pandas_categorical:"


@dataclass(frozen=True)
class TextTree:
    """One tree by the names of its lines, as LightGBM writes them; `fields` are the texts behind the equal signs."""

    fields: dict[str, str]

    @property
    def n_leaves(self) -> int:
        """How many leaves it has; the other numbers have to agree with it."""
        return int(self.fields["num_leaves"])

    def whole(self, name: str, length: int) -> NDArray[np.int64]:
        """A line of whole numbers; ValueError where there are not so many."""
        return self._numbers(name, length, int, np.int64)

    def real(self, name: str, length: int) -> NDArray[np.float64]:
        """A line of numbers; ValueError where there are not so many."""
        return self._numbers(name, length, float, np.float64)

    def _numbers(self, name: str, length: int, read: Callable[[str], Any], dtype: Any) -> NDArray[Any]:
        words = self.fields.get(name, "").split()
        if len(words) != length:
            raise ValueError(f"a tree has {len(words)} numbers of {name} instead of {length}")
        return np.array([read(word) for word in words], dtype=dtype)


@dataclass(frozen=True)
class TextModel:
    """A model: the lines before the first tree by name, the trees, and the categories of its pandas columns."""

    fields: dict[str, str]
    trees: list[TextTree]
    categories: list[list[Any]]

    def names(self) -> list[str]:
        """The names of the columns."""
        return self.fields.get("feature_names", "").split()

    def whole(self, name: str) -> int:
        """A whole number before the first tree."""
        return int(self.fields[name])


def read_text(text: str) -> TextModel:
    """Take the text of a model apart; ValueError or KeyError where it is none.

    Examples
    --------
    >>> model = read_text("tree\\nfeature_names=age\\nTree=0\\nnum_leaves=1\\nleaf_value=2\\n\\nend of trees\\n")
    >>> model.names(), model.trees[0].real("leaf_value", 1)
    (['age'], array([2.]))
    """
    lines = text.splitlines()
    if not lines or lines[0].strip() != FIRST_LINE or _END not in lines:
        raise ValueError("it does not begin with 'tree' and go on to 'end of trees', as models of LightGBM do")
    end = lines.index(_END)
    starts = [place for place, line in enumerate(lines[:end]) if line.startswith("Tree=")]
    if not starts:
        raise ValueError("it has no trees")
    blocks = zip(starts, [*starts[1:], end], strict=True)
    trees = [TextTree(dict(_fields(lines[first + 1 : last]))) for first, last in blocks]
    return TextModel(dict(_fields(lines[1 : starts[0]])), trees, _categories(lines[end:]))


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, _, value = line.partition("=")
        yield name.strip(), value.strip()


def _categories(lines: list[str]) -> list[list[Any]]:
    for line in lines:
        if line.startswith(_PANDAS):
            found = json.loads(line.removeprefix(_PANDAS))
            if found is not None and not (isinstance(found, list) and all(isinstance(one, list) for one in found)):
                raise ValueError("its pandas_categorical is no list of lists")
            return found or []
    return []
