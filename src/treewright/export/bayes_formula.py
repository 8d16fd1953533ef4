"""Naive Bayes as sums: what each column says of a class, as logarithms, added up in the order of the model."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.export.formula import MISSING, Bells, Input, Unit
from treewright.export.formula_writer import FormulaWriter
from treewright.learners.naive_bayes.densities import FAR, GaussianDensities, KernelDensities


def bayes_units(model: Any) -> tuple[list[Input], list[Unit], list[int]]:
    """Give inputs, units, and the numbers of the units that are the scores."""
    kernel = isinstance(model._densities, KernelDensities)
    writer = _KernelWriter(model) if kernel else _GaussianWriter(model)
    outputs = [writer.add_class(k) for k in range(len(model.classes_))]
    return writer.inputs, writer.finished(), [writer.place(output) for output in outputs]


class _Writer(FormulaWriter):
    """What densities of both kinds share: the classes' own shares, and the levels."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        columns = model.schema_.columns
        self.numeric = [place for place, column in enumerate(columns) if column.kind == "numeric"]
        with np.errstate(divide="ignore"):
            self.priors = np.log(model.class_prior_)
        self.add_numbers(model)
        levelled = [place for place, column in enumerate(columns) if column.kind != "numeric"]
        self.levels = []  # an input a level, and its logarithm in each class
        for place, table in zip(levelled, model._level_logs, strict=True):
            for code, logs in enumerate(table[1:], start=1):
                self.levels.append((self.add_input(Input(place, code)), logs))

    def add_numbers(self, model: Any) -> None:
        """Add the inputs of the numeric columns."""
        raise NotImplementedError

    def density_terms(self, k: int) -> list[tuple[int, float]]:
        """What the numeric columns say of a class."""
        raise NotImplementedError

    def add_class(self, k: int) -> int:
        """Add the logarithm of the probability of a class and the row together, as the model adds it up."""
        terms = self.density_terms(k)
        terms.append((0, float(self.priors[k])))
        terms += [(place, float(logs[k])) for place, logs in self.levels if logs[k] != 0]
        return self.add_unit(terms)


class _GaussianWriter(_Writer):
    """One bell a class and column: squares and sums."""

    def add_numbers(self, model: Any) -> None:
        self.densities: GaussianDensities = model._densities
        self.gaps = [self._add_gap(j, place) for j, place in enumerate(self.numeric)]
        self.known = [self.add_input(Input(place, MISSING, center=1.0, scale=-1.0)) for place in self.numeric]
        self.squares = [self.add_unit([(gap, 1.0)], "square") for gap in self.gaps]

    def _add_gap(self, j: int, place: int) -> int:
        """How far a number is from the centre of its column."""
        centre, reach = float(self.densities.centre[j]), FAR / float(self.densities.scale[j])
        return self.add_input(Input(place, 0, centre, centre, reach=reach))

    def _add_sum(self, sources: list[int], weights: Any) -> int:
        terms = zip(sources, weights.tolist(), strict=True)
        return self.add_unit([(source, weight) for source, weight in terms if weight != 0])

    def density_terms(self, k: int) -> list[tuple[int, float]]:
        densities = self.densities
        if not self.numeric:
            return []
        sums = [
            self._add_sum(self.gaps, densities.linear[:, k]),
            self._add_sum(self.squares, densities.square[:, k]),
            self._add_sum(self.known, densities.constant[:, k]),
        ]
        return [(place, 1.0) for place in [*sums, *(self._add_narrow(int(j), k) for j in densities.apart)]]

    def _add_narrow(self, j: int, k: int) -> int:
        """A column in which some class is narrow: -(z - mean)² / 2 variance, taken apart from the others."""
        densities = self.densities
        scaled = self.add_unit([(self.gaps[j], float(densities.scale[j]))])
        away = self.add_unit([(scaled, 1.0), (0, -float(densities.means[k, j]))], "square")
        divisor = float(densities.variances[k, j])
        return self.add_unit([(away, -0.5)], divisor=divisor, gate=self.numeric[j])


class _KernelWriter(_Writer):
    """A bell over every value of a class."""

    def add_numbers(self, model: Any) -> None:
        self.kernels: KernelDensities = model._densities
        self.centres = np.nan_to_num(model.theta_)

    def density_terms(self, k: int) -> list[tuple[int, float]]:
        made = (self._add_density(j, place, k) for j, place in enumerate(self.numeric))
        return [(unit, 1.0) for unit in made if unit is not None]

    def _add_density(self, j: int, place: int, k: int) -> int | None:
        values, logs, width = self.kernels.lists[k * self.kernels.n_columns + j]
        if not len(values):
            return None
        x = self.add_input(Input(place, 0, float(self.centres[k, j]), reach=FAR * width))
        bells = Bells(width, tuple(values.tolist()), tuple(logs.tolist()))
        over = self.add_unit([(x, 1.0)], "bells", bells=bells, gate=place)
        heights = [(0, -float(0.5 * np.log(2 * np.pi))), (0, -float(np.log(width)))]
        return self.add_unit([(over, 1.0), *heights], gate=place)
