"""The answer that a change shall bring about: another class, a certain class, or a number below or above a bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from treewright.errors import DataError, nearest
from treewright.tree.wording import name_text, number_text


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the answer shall be. `kind` is "other" (than the value), "class", "below" or "above".

    Examples
    --------
    >>> Wanted("other", "apple").holds("lemon"), Wanted("below", 20.0).holds(23.4)
    (True, False)
    >>> Wanted("above", 30.0).words
    'above 30'
    """

    kind: str
    value: Any

    def holds(self, answer: Any) -> bool:
        """Whether an answer is what was wanted."""
        if self.kind == "below":
            return bool(answer < self.value)
        if self.kind == "above":
            return bool(answer > self.value)
        return bool((answer == self.value) == (self.kind == "class"))

    @property
    def words(self) -> str:
        """The wanted answer in words."""
        if self.kind == "other":
            return f"another answer than {name_text(self.value)}"
        return name_text(self.value) if self.kind == "class" else f"{self.kind} {number_text(self.value)}"


def read_wanted(
    classes: tuple[Any, ...] | None, answer: Any, not_class: Any, below: float | None, above: float | None
) -> Wanted | None:
    """Read what was asked for; without a question the answer of a classification shall be another one.

    Examples
    --------
    >>> read_wanted(("no", "yes"), "yes", None, None, None)
    Wanted(kind='other', value='yes')
    """
    asked = [
        name for name, value in (("not_class", not_class), ("below", below), ("above", above)) if value is not None
    ]
    if len(asked) > 1:
        raise DataError(f"'{asked[0]}' and '{asked[1]}' do not go together. Leave out one of them.")
    if classes is None:
        if not_class is not None:
            raise DataError("This model predicts numbers, so there is no 'not_class'. Use 'below' or 'above'.")
        return _bound(answer, below, above)
    if below is not None or above is not None:
        raise DataError(f"This model predicts classes, so there is no '{asked[0]}'. Use 'not_class'.")
    if not_class is None:
        return Wanted("other", answer)
    if not_class not in classes:
        near = nearest(str(not_class), map(str, classes))
        raise DataError(f"'not_class' is {not_class!r}, which is no class of the model. {near}")
    if not_class == answer:
        raise DataError(f"The answer is {name_text(answer)} already. Name another class.")
    return Wanted("class", not_class)


def _bound(answer: float, below: float | None, above: float | None) -> Wanted | None:
    if below is None and above is None:
        return None
    wanted = Wanted("below", float(below)) if below is not None else Wanted("above", float(above or 0.0))
    if wanted.holds(answer):
        raise DataError(f"The answer is {number_text(answer)}, which is {wanted.words} already. Name another bound.")
    return wanted
