"""A model without trees as sums: what every exporter of such a model prints, and nothing else of the model.

Inputs are made of cells: numbers as they are or on a scale, 1 and 0 for levels, a filler where there is no value. Units
add inputs and earlier units up, term after term from 0, as the model does it, so that sums have the same last bits
everywhere. `evaluate` is the slow definition: it takes one row through the formula in plain Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treewright.errors import DataError
from treewright.export.correction import Correction
from treewright.table.schema import Column

ONE, MISSING = -1, -1  # the column of the constant 1, and the level of an input that tells where a value is missing
SHAPES = ("linear", "relu", "tanh", "sigmoid", "expit", "square", "exp", "sin", "cos", "smooth_clip", "curve", "bells")
# The others take exp, log, tanh or sin, whose last digits differ. A root has the same ones everywhere.
EXACT_SHAPES = ("linear", "relu", "square", "smooth_clip", "curve")
TELLING_SHAPES = ("linear", "relu", "square", "curve")  # that let the last digit of their sums through
CLIP, CLIP_FROM = 3.0, 1e8  # of "smooth_clip": x / √(1 + (x/3)²), and ±3 where x is beyond the other
ALIKE = 1e-12  # classes of naive Bayes whose logarithms differ by a smaller share are equally probable
LEAST_OF_EXPIT = -709.782712893384  # below it exp(-x) is no number
LINKS = ("identity", "logistic", "logistic_pair", "softmax", "expit_shares", "bayes")


@dataclass(frozen=True)
class Input:
    """A number made of a cell: (x - center) / scale, kept within ± reach.

    x is the number where `level` is 0; 1 where the level has this code, else 0; or 1 where there is no value, else 0
    (MISSING). Where there is no value x is `fill`, and so it is for the constant, which has the column ONE.
    """

    column: int
    level: int = 0
    fill: float = 0.0
    center: float = 0.0
    scale: float = 1.0
    reach: float = math.inf

    @property
    def is_plain(self) -> bool:
        """Whether it is the number or 0 and 1 as they are."""
        return self.center == 0.0 and self.scale == 1.0 and self.reach == math.inf


@dataclass(frozen=True)
class Piece:
    """A part of a curve: from `cut` up to the next one it is numbers[0] + numbers[1] s + …, where s = x - origin."""

    cut: float
    origin: float
    numbers: tuple[float, ...]


@dataclass(frozen=True)
class Bells:
    """Bells of one width over places, each with the logarithm of its share: the logarithm of their sum is told."""

    width: float
    places: tuple[float, ...]
    logs: tuple[float, ...]


@dataclass(frozen=True)
class Unit:
    """shape(Σ weight · value) · times / divisor; 0 where the column `gate` has no value.

    The sources of terms, and of the factor `times`, are inputs by their number, and earlier units by theirs behind all
    inputs. A "curve" has its pieces, and "bells" theirs.
    """

    terms: tuple[tuple[int, float], ...]
    shape: str = "linear"
    divisor: float = 1.0
    gate: int = -1
    times: int = -1
    curve: tuple[Piece, ...] = ()
    bells: Bells | None = None

    @property
    def is_plain_sum(self) -> bool:
        """Whether it is the sum and nothing else."""
        return self.shape == "linear" and self.divisor == 1.0 and self.gate < 0 and self.times < 0

    @property
    def sources(self) -> list[int]:
        """The inputs and units that it reads."""
        return [*(source for source, _ in self.terms), *([self.times] if self.times >= 0 else [])]


@dataclass(frozen=True)
class Formula:
    """A model as sums and a link.

    Attributes
    ----------
    columns : tuple of Column
        Those of the training table, in order.
    inputs : tuple of Input
        The constant stands first.
    units : tuple of Unit
    outputs : tuple of int
        The units that are the scores, by their number behind all inputs: one for each class, or one.
    link : str
        What becomes of the scores: "identity"; "logistic" (1 - p and p) and "logistic_pair" (both by the formula);
        "softmax"; "expit_shares" (sigmoids divided by their sum); "bayes" (softmax of logarithms of which those next to
        the highest count as it).
    label_by : str
        What tells the class: "sign" of the one score, the largest of the "sums" or of the "answers"; "" where a number
        is predicted.
    fallback : tuple of float
        Of naive Bayes: the logarithms where no class is possible.
    correction : Correction or None
        Of probabilities after training.
    """

    columns: tuple[Column, ...]
    inputs: tuple[Input, ...]
    units: tuple[Unit, ...]
    outputs: tuple[int, ...]
    link: str
    label_by: str
    labels: list[Any] | None
    target: str | None
    title: str
    fingerprint: str
    takes_missing: bool = True
    fallback: tuple[float, ...] = ()
    correction: Correction | None = None

    @cached_property
    def used(self) -> list[int]:
        """The columns that some input asks for, in order."""
        return sorted({entry.column for entry in self.inputs} - {ONE})

    @property
    def n_answers(self) -> int:
        """How many numbers a row is answered with: one for each class, or one."""
        return len(self.labels) if self.labels is not None else 1

    @property
    def n_terms(self) -> int:
        """How many products are added up."""
        return sum(len(unit.terms) for unit in self.units)

    @property
    def n_bells(self) -> int:
        """How many bells all densities have."""
        return sum(len(unit.bells.places) for unit in self.units if unit.bells is not None)

    @cached_property
    def power(self) -> int:
        """The highest power of a cell that is taken, squares of numbers within reach left out."""
        powers = [1] * len(self.inputs)
        for unit in self.units:
            of_terms = max((powers[source] for source, _ in unit.terms), default=1)
            of_shape = of_terms * max((len(piece.numbers) - 1 for piece in unit.curve), default=1)
            powers.append(of_shape + (powers[unit.times] if unit.times >= 0 else 0))
        return max(powers)

    @property
    def has_exact_scores(self) -> bool:
        """Whether nothing but + - × ÷ and √ makes the scores."""
        return all(unit.shape in EXACT_SHAPES for unit in self.units)

    @property
    def is_exact(self) -> bool:
        """Whether the answers are the same to the last bit."""
        return self.link == "identity" and self.has_exact_scores

    @property
    def made_of(self) -> str:
        """What there is of it, in words."""
        return f"{self.n_terms:,} term{'s' if self.n_terms != 1 else ''}"

    @cached_property
    def layers(self) -> list[list[int]]:
        """The units by how many stand before them at most; those of a layer need none of the same."""
        first, depth = len(self.inputs), [0] * len(self.inputs)
        for unit in self.units:
            depth.append(1 + max((depth[source] for source in unit.sources), default=0))
        deepest = max(depth, default=0)
        return [[at for at in range(first, len(depth)) if depth[at] == level] for level in range(1, deepest + 1)]

    def unit(self, place: int) -> Unit:
        """The unit of a number behind all inputs."""
        return self.units[place - len(self.inputs)]


def refuse_infinite_weights(formula: Formula, format_name: str) -> None:
    """Refuse naive Bayes in which something is impossible, where a format has no word for its logarithm."""
    if all(math.isfinite(weight) for unit in formula.units for _, weight in unit.terms):
        return
    raise DataError(
        f"This {formula.title} holds a level or a class for impossible (alpha=0, or a prior of 0), whose logarithm is "
        f"minus infinity, and {format_name} has no word for that. Train it with alpha=1, or export C, JavaScript or "
        "Python."
    )


# The slow definition: one row of codes (NaN where there is no value) through the formula.


def evaluate(formula: Formula, row: Sequence[float]) -> list[float]:
    """Give the scores of a row, with a cell for every column of the table.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_formula import formula_of
    >>> model = tw.LinearRegression().fit([[1], [2], [3]], [10, 20, 30])
    >>> [round(score, 6) for score in evaluate(formula_of(model), [4.0])]
    [40.0]
    """
    values = [_input_value(entry, math.nan if entry.column == ONE else row[entry.column]) for entry in formula.inputs]
    for unit in formula.units:
        values.append(_unit_value(unit, values, unit.gate >= 0 and math.isnan(row[unit.gate])))
    return [values[place] for place in formula.outputs]


def _input_value(entry: Input, x: float) -> float:
    if entry.level == MISSING:
        x = float(math.isnan(x))
    elif math.isnan(x):
        x = entry.fill
    elif entry.level > 0:
        x = float(x == entry.level)
    return min(max((x - entry.center) / entry.scale, -entry.reach), entry.reach)


def _unit_value(unit: Unit, values: list[float], is_gone: bool) -> float:
    if is_gone:
        return 0.0
    total = 0.0
    for source, weight in unit.terms:
        if values[source] != 0.0:  # a weight may be minus infinity
            total += weight * values[source]
    shaped = along(unit.curve, total) if unit.curve else _over(unit.bells, total) if unit.bells else total
    shaped = _SHAPES.get(unit.shape, float)(shaped)
    return (shaped * values[unit.times] if unit.times >= 0 else shaped) / unit.divisor


def along(curve: tuple[Piece, ...], x: float) -> float:
    """Follow a curve to a place.

    >>> along((Piece(-math.inf, 0.0, (1.0,)), Piece(2.0, 2.0, (1.0, 0.0, 3.0))), 4.0)
    13.0
    """
    piece = [piece for piece in curve if piece.cut <= x][-1]
    total, power = 0.0, 1.0
    for number in piece.numbers:
        total += number * power
        power *= x - piece.origin
    return total


def _over(bells: Bells, x: float) -> float:
    gaps = [(x - place) / bells.width for place in bells.places]
    terms = [log - 0.5 * (gap * gap) for log, gap in zip(bells.logs, gaps, strict=True)]
    highest = max(terms)
    total = 0.0
    for term in terms:
        total += math.exp(term - highest)
    return highest + math.log(total)


def expit(x: float) -> float:
    """1 / (1 + exp(-x)), 0 where exp is beyond all numbers.

    >>> expit(0.0), expit(-1000.0)
    (0.5, 0.0)
    """
    return 1.0 / (1.0 + math.exp(-x)) if x > LEAST_OF_EXPIT else 0.0


def smooth_clip(x: float) -> float:
    """x / √(1 + (x/3)²), and ±3 far out.

    >>> smooth_clip(4.0), smooth_clip(-1e200)
    (2.4, -3.0)
    """
    third = x / CLIP
    return x / math.sqrt(1.0 + third * third) if abs(x) <= CLIP_FROM else math.copysign(CLIP, x)


_SHAPES: dict[str, Callable[[float], float]] = {
    "linear": lambda x: x,
    "relu": lambda x: max(x, 0.0),
    "tanh": math.tanh,
    "sigmoid": lambda x: 0.5 * math.tanh(0.5 * x) + 0.5,
    "expit": expit,
    "square": lambda x: x * x,
    "exp": math.exp,
    "sin": math.sin,
    "cos": math.cos,
    "smooth_clip": smooth_clip,
}
