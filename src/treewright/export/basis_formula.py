"""Linear models with functions of columns: each function as units of a formula, added up in the order of the model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.export.formula import Input, Piece, Unit
from treewright.export.formula_writer import FormulaWriter
from treewright.learners.linear.basis import Fourier, JointRadial, Polynomial, Radial
from treewright.learners.linear.linear_model import LinearDesign
from treewright.learners.linear.splines import BSpline, Spline

Floats = NDArray[np.float64]


def basis_units(model: Any, plain: list[Input]) -> tuple[list[Input], list[Unit], int]:
    """Give inputs, units, and the number of the unit that is the answer; `plain` are the inputs without any basis."""
    writer = _Writer(model._design, plain)
    names = (model.schema_.names[place] for places in model._design.bases for place in places)
    terms: list[tuple[int, float]] = []
    coefficients = iter(model.coef_.tolist())
    for piece in model._design._pieces:
        if isinstance(piece, slice):
            for at in range(piece.start, piece.stop):
                weight = next(coefficients)
                terms += [(writer.add_input(plain[1 + at]), weight)] if weight else []
            continue
        weights = [next(coefficients) for _ in model._design._labels[piece]]
        made = writer.functions(piece, [bool(weight) for weight in weights])
        if made is None:
            raise DataError(
                f"This {type(model).__name__} cannot be exported: it has functions of yours in its basis "
                f"({', '.join(map(repr, names))}), and an export never holds code that it cannot read. Use a basis "
                "with a name, such as 'spline:5', or compute the columns before you train."
            )
        terms += [(source, weight) for source, weight in zip(made, weights, strict=True) if weight]
    if model.intercept_:
        terms.append((0, model.intercept_))
    answer = writer.add_unit(terms)
    return writer.inputs, writer.finished(), writer.place(answer)


class _Writer(FormulaWriter):
    """Writes the functions of a column, or of several together; those that have no weight are left out (0)."""

    def __init__(self, design: LinearDesign, plain: list[Input]) -> None:
        super().__init__()
        self.design, self.plain = design, plain

    def functions(self, places: tuple[int, ...], wanted: list[bool]) -> list[int] | None:
        """Give the sources that are the columns of a basis; None where nobody knows what its functions do."""
        basis, fitted = self.design.bases[places], self.design.fitted[places]
        if not any(wanted):
            return [0] * len(wanted)
        if isinstance(basis, Polynomial):
            return self._polynomial(places[0], basis.degree, fitted)
        if isinstance(basis, Spline | BSpline):
            return self._spline(places[0], basis, fitted)
        if isinstance(basis, Radial):
            return [self._bell([(places[0], centre, fitted[0])], -2.0) for centre in fitted[1:].tolist()]
        if isinstance(basis, JointRadial):
            return self._joint(places, fitted)
        return self._fourier(places[0], basis.order, fitted) if isinstance(basis, Fourier) else None

    def _cell(self, place: int, center: float = 0.0, scale: float = 1.0) -> int:
        fill = self.plain[1 + int(self.design._starts[place])].fill
        return self.add_input(Input(place, 0, fill, center, scale))

    def _polynomial(self, place: int, degree: int, fitted: Floats) -> list[int]:
        """The recurrence of `Polynomial.expand`, degree by degree."""
        mean, spread, length = float(fitted[0]), float(fitted[1]), float(fitted[-1])
        centres, lengths = fitted[2 : 2 + degree].tolist(), fitted[2 + degree : -1].tolist()
        u = self._cell(place, mean, spread or 1.0)
        made: list[int] = []
        before, now, ratio = 0, 0, 0.0
        for k in range(degree):
            if lengths[k] == 0:
                return made + [0] * (degree - k)
            shifted = [(u, 1.0), *([(0, -centres[k])] if centres[k] else [])]
            if k == 0:
                before, now = 0, self.add_unit(shifted)
            else:
                product = self.add_unit(shifted, times=now)
                before, now = now, self.add_unit([(product, 1.0), (before, -ratio)])
            made.append(self.add_unit([(now, 1.0)], divisor=math.sqrt(lengths[k])))
            ratio, length = lengths[k] / length, lengths[k]
        return made

    def _spline(self, place: int, basis: Spline | BSpline, fitted: Floats) -> list[int]:
        if len(fitted) == 1:
            return [0]
        place = self._cell(place, float(fitted[0]), float(fitted[-1] - fitted[0]))
        curves = basis.curves(fitted)
        made = []
        for function in range(curves.numbers.shape[2]):
            numbers = curves.numbers[:, :, function].T.tolist()
            cuts = zip(curves.cuts.tolist(), curves.origins.tolist(), numbers, strict=True)
            pieces = [Piece(cut, origin, _without_zeros(powers)) for cut, origin, powers in cuts]
            made.append(self.add_unit([(place, 1.0)], "curve", curve=tuple(pieces)))
        return made

    def _joint(self, places: tuple[int, ...], fitted: Floats) -> list[int]:
        size = int(fitted[0])
        spreads, centres = fitted[2 : 2 + size].tolist(), fitted[2 + size :].reshape(-1, size).tolist()
        divisor = float(-2 * fitted[1] ** 2)
        return [self._bell(list(zip(places, centre, spreads, strict=True)), divisor) for centre in centres]

    def _bell(self, sides: list[tuple[int, float, float]], divisor: float) -> int:
        """exp of a sum of squares, each of a column less its centre over its spread."""
        squares = [self.add_unit([(self._cell(*side), 1.0)], "square") for side in sides]
        total = self.add_unit([(square, 1.0) for square in squares], divisor=divisor)
        return self.add_unit([(total, 1.0)], "exp")

    def _fourier(self, place: int, order: int, fitted: Floats) -> list[int]:
        turn = self.add_unit([(self._cell(place), float(2 * np.pi / fitted[0]))])
        made = []
        for k in range(1, order + 1):
            made += [self.add_unit([(turn, float(k))], wave) for wave in ("sin", "cos")]
        return made


def _without_zeros(numbers: list[float]) -> tuple[float, ...]:
    """The numbers up to the last that is not 0: far out a power times 0 would be no number."""
    last = max((at for at, number in enumerate(numbers) if number), default=0)
    return tuple(numbers[: last + 1])
