"""What linear models share: the matrix of columns and basis functions, coefficients with their names, answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from treewright.errors import DataError
from treewright.learners.base.design_matrix import Columns, Design, Floats, learn_design
from treewright.learners.base.learnt import Arrays, LearntArray, Numbers, real, reals, truths, wholes
from treewright.learners.base.matrix_model import LaidOutRows, Target
from treewright.learners.base.parameters import declares_parameters, fitted, one_of, parameter
from treewright.learners.base.row_products import check_sums, row_products
from treewright.learners.base.several_targets import fit_one_by_one
from treewright.learners.linear.basis import Basis
from treewright.learners.linear.basis_choice import bases_of, holds_functions
from treewright.learners.linear.least_squares import refuse_overflow
from treewright.learners.linear.sums_of_rows import AskedForSums, MemoryRows, Summed, are_enough, sum_up, width_of
from treewright.memory import FEWER_LEVELS, Block
from treewright.sources.source import Source
from treewright.table.schema import Schema

# The matrix of a linear model: the columns of a table as contrasts, some of them written out in a basis.


@dataclass(frozen=True)
class LinearDesign:
    """How rows become rows of the matrix.

    Parameters
    ----------
    design : Design
        The matrix without any basis.
    bases : dict
        The basis of a column of the table, or of several together, by their places.
    learnt : dict
        What that basis has learnt.

    Examples
    --------
    >>> import pandas as pd
    >>> from treewright.learners.base.design_matrix import columns_of
    >>> from treewright.table.frame import open_frame
    >>> from treewright.table.encode import lay_out
    >>> table = lay_out(open_frame(pd.DataFrame({"age": [20, 30, 40], "job": ["cook", "smith", "cook"]})))
    >>> columns = columns_of(table.rows, table.schema)
    >>> design = learn_linear_design(columns, None, "treatment", "mean", {"age": "polynomial:2"})
    >>> design.names
    ('polynomial(age) 1', 'polynomial(age) 2', 'job = smith')
    >>> design.sources.tolist()
    [0, 0, 1]
    """

    design: Design
    bases: dict[tuple[int, ...], Basis]
    fitted: dict[tuple[int, ...], Floats]

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """The column of the plain matrix at which each column of the table starts."""
        return np.concatenate([[0], np.cumsum(self.design.widths)])

    @cached_property
    def _labels(self) -> dict[tuple[int, ...], list[str]]:
        names = self.design.schema.names
        return {
            places: basis.labels(", ".join(names[j] for j in places), self.fitted[places])
            for places, basis in self.bases.items()
        }

    @cached_property
    def _pieces(self) -> list[tuple[int, ...] | slice]:
        """The plain matrix cut where a basis stands: the places of its columns in the table, or columns as they are.

        A basis of several columns stands where the first of them stood.
        """
        owner = {j: places for places in self.bases for j in places}
        pieces: list[tuple[int, ...] | slice] = []
        start = 0
        for j in sorted(owner):
            if self._starts[j] > start:
                pieces.append(slice(start, int(self._starts[j])))
            if j == owner[j][0]:
                pieces.append(owner[j])
            start = int(self._starts[j]) + 1
        if start < len(self.design.names):
            pieces.append(slice(start, len(self.design.names)))
        return pieces

    def _spread_out(self, plain: Any, of_basis: dict[tuple[int, ...], list[Any]]) -> list[Any]:
        made: list[Any] = []
        for piece in self._pieces:
            made += of_basis[piece] if isinstance(piece, tuple) else list(plain[piece])
        return made

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the columns of the matrix are called."""
        return tuple(self._spread_out(self.design.names, self._labels))

    @cached_property
    def sources(self) -> NDArray[np.int64]:
        """The column of the table that each column of the matrix comes from."""
        repeated = {places: [places[0]] * len(labels) for places, labels in self._labels.items()}
        return np.array(self._spread_out(self.design.sources, repeated), dtype=np.int64)

    def matrix(self, columns: Columns) -> Floats:
        """Give the matrix: rows × `names`. A table of numbers without holes or basis is given as it is, not copied."""
        plain = self.design.matrix(columns)
        if not self.bases:
            return plain
        parts = [
            self.bases[piece].expand(plain[:, self._columns(piece)], self.fitted[piece])
            if isinstance(piece, tuple)
            else plain[:, piece]
            for piece in self._pieces
        ]
        return np.hstack(parts)

    def _columns(self, places: tuple[int, ...]) -> Any:
        """Where columns of the table stand in the plain matrix: one place, or several."""
        return self._starts[places[0]] if len(places) == 1 else self._starts[list(places)]

    @property
    def means(self) -> Floats | None:
        """The means of the matrix in training, where they are known: a hole is filled with the mean of its column."""
        return None if self.bases or self.design.flagged.any() else self.design.fill

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a file has to hold of it, by attribute of the model."""
        order = range(len(self.design.schema.columns))
        by_first = {places[0]: numbers for places, numbers in self.fitted.items()}
        fitted = [by_first.get(j, np.zeros(0)) for j in order]
        return {
            "fill_": self.design.fill,
            "flagged_": self.design.flagged,
            "basis_sizes_": np.array([len(numbers) for numbers in fitted], dtype=np.int64),
            "basis_numbers_": np.concatenate(fitted),
        }


def learn_linear_design(
    columns: Columns, weights: Floats | None, contrasts: str, missing: str, basis: Any
) -> LinearDesign:
    """Learn how a table becomes the matrix of a linear model."""
    bases = bases_of(basis, columns.schema)  # before any work: a wrong name is told at once
    design = learn_design(columns, weights, contrasts, missing)
    plain = LinearDesign(design, {}, {})
    fitted = {}
    for places, chosen in bases.items():
        numbers = columns.numbers[:, [columns.numeric.index(j) for j in places]]
        filled = np.where(np.isnan(numbers), design.fill[plain._starts[list(places)]], numbers)
        with np.errstate(over="ignore", invalid="ignore"):
            fitted[places] = chosen.learn(filled[:, 0] if len(places) == 1 else filled, weights)
        refuse_overflow(fitted[places])
    return LinearDesign(design, bases, fitted)


def restore_linear_design(schema: Schema, contrasts: str, basis: Any, fitted: dict[str, Any]) -> LinearDesign:
    """Put it together again from the arrays of a file; ValueError where they do not fit."""
    design = Design(schema, contrasts, fitted["flagged_"], fitted["fill_"])
    bases = bases_of(basis, schema)
    sizes, numbers = fitted["basis_sizes_"], fitted["basis_numbers_"]
    wanted = np.isin(np.arange(len(schema.columns)), [places[0] for places in bases])
    if sizes.shape != wanted.shape or ((sizes > 0) != wanted).any() or sizes.sum() != len(numbers):
        raise ValueError("its basis does not fit its columns")
    ends = np.cumsum(sizes)
    parts = {places: numbers[ends[places[0]] - sizes[places[0]] : ends[places[0]]] for places in bases}
    for places, chosen in bases.items():
        chosen.check(parts[places])
    return LinearDesign(design, bases, parts)


# What linear models share: the matrix, the coefficients with their names, answers, and the model file.


_MATRIX_ARRAYS: dict[str, LearntArray] = {
    "fill_": reals("terms without a basis"),
    "flagged_": truths("columns"),
    "basis_sizes_": wholes("columns", lowest=0),
    "basis_numbers_": reals("numbers of all bases"),
}


@declares_parameters
class LinearModel(RegressorMixin):  # type: ignore[misc]
    """What least squares and penalised least squares share beside `MatrixModel`. They give `_fit_matrix`."""

    basis: Any = parameter(
        default=None,
        takes=[str, dict, callable, "array-like", None],
        kind="str, callable, list of callables or dict",
        doc="""Functions of the columns in place of the columns: "polynomial:3", "spline:5", "bspline:6", "radial:8",
        "fourier:2,period=365", a function of yours or a list of them. One choice is for every column of numbers; a dict
        gives columns their own, by name; {("lon", "lat"): "radial:20"} is of two columns together.""",
    )
    fit_intercept: bool = parameter(default=True, takes="boolean", doc="Whether a constant is added.")
    missing: str = parameter(
        default="mean",
        takes=one_of("mean", "flag", "refuse"),
        doc="""A missing value is filled with the mean of its column (a level with the shares of the levels); "flag"
        adds a column that tells where values were missing; "refuse" takes no missing value.""",
    )
    n_jobs: int | None = parameter(
        default=None,
        doc="Taken as everywhere. Linear algebra runs on one thread, so that its sums never depend on the machine.",
    )

    _fit_targets: ClassVar[Any] = fit_one_by_one
    _fitted_arrays: ClassVar[Arrays] = {"coef_": reals("terms"), **_MATRIX_ARRAYS}
    _fitted_numbers: ClassVar[Numbers] = {"intercept_": real()}
    _contrasts = "treatment"
    _sparing = FEWER_LEVELS
    # bytes for each pair of columns of the matrix, each of its cells and each row
    _matrix_bytes: ClassVar[tuple[float, float, float]] = (40, 0, 24)

    coef_: Floats = fitted()
    intercept_: float = fitted()
    _design: LinearDesign = fitted()

    def _fit_matrix(self, matrix: Floats, truth: Target, design: LinearDesign) -> dict[str, Any]:
        """Learn from the matrix; give `coef_`, `intercept_` and what else was learnt."""
        raise NotImplementedError

    def _fit_sums(self, asked: AskedForSums, summed: Summed) -> dict[str, Any]:
        """The same from sums."""
        raise NotImplementedError

    def _sums_tell(self) -> bool:
        """Whether the model is made of sums, which no order of the rows changes."""
        return False

    # ---------------------------------------------------------------- learning and answering
    def _any_order_will_do(self, data: LaidOutRows) -> bool:
        return self._sums_tell()

    def _learn_from(self, columns: Columns, truth: Target) -> dict[str, Any]:
        if self._sums_tell():
            rows, width = MemoryRows.of(columns, truth), width_of(columns.schema, self._coding(), self.missing)
            if are_enough(rows, width):
                self._refuse_beyond_memory("fit", *rows.blocks(width))
            found = self.learn_sums(rows, columns.schema)
            if found is not None:
                return found
            ordered = LaidOutRows(columns, truth).by_content()
            columns, truth = ordered.columns, ordered.truth
        design = learn_linear_design(columns, truth.weights, self._coding(), self.missing, self.basis)
        self._refuse_beyond_memory("fit", *self._matrix_blocks(columns, len(design.names)))
        return {**self._fit_matrix(design.matrix(columns), truth, design), **design.arrays()}

    def _fit_source(self, source: Source, y: Any, sample_weight: Any = None) -> None:
        from treewright.learners.linear.fit_source import fit_source  # most fits have their rows at hand

        fit_source(self, source, y, sample_weight, self._sums_tell())

    def learn_sums(self, asked: AskedForSums, schema: Schema) -> dict[str, Any] | None:
        """Learn from sums, which no order of the rows changes; None where these are not enough."""
        summed = sum_up(asked, schema, self._coding(), self.missing, self.fit_intercept)
        if summed is None:
            return None
        return {**self._fit_sums(asked, summed), **LinearDesign(summed.design, {}, {}).arrays()}

    def _matrix_blocks(self, columns: Columns, width: int) -> list[Block]:
        """What fitting a matrix of so many columns has in memory."""
        squares, cells, per_row = self._matrix_bytes
        if columns.n_rows <= width:  # the rows themselves, and no products of columns
            return [Block(50, rows=columns.n_rows, columns=width)]
        borrowed = width == columns.numbers.shape[1] and not columns.has_holes.any()
        return [
            Block(cells if borrowed else cells + 8, rows=columns.n_rows, columns=width),
            Block(squares, columns=width, columns_=width),
            Block(per_row, rows=columns.n_rows),
        ]

    def _coding(self) -> str:
        return self._contrasts

    def _answers(self, columns: Columns) -> NDArray[Any]:
        return np.asarray(row_products(self._design.matrix(columns), self.coef_) + self.intercept_)

    # ---------------------------------------------------------------- the model file
    def _prepare(self) -> None:
        fitted = {name: getattr(self, name) for name in _MATRIX_ARRAYS}
        self._design = restore_linear_design(self.schema_, self._coding(), self.basis, fitted)

    def _check_fitted(self, schema: Schema, classes: NDArray[Any] | None, fitted: dict[str, Any]) -> None:
        design = restore_linear_design(schema, self._coding(), self.basis, fitted)
        if len(fitted["coef_"]) != len(design.names):
            raise ValueError("its coefficients do not fit its columns")
        has_basis = len(fitted["fill_"]) != len(fitted["coef_"])  # of which most functions are about 1
        check_sums(np.ones(len(design.names)) if has_basis else fitted["fill_"], fitted["coef_"])

    def _tw_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        if holds_functions(self.basis):
            raise DataError(
                "This model has functions of yours in its basis, and a model file never holds code. "
                "Use a basis with a name, such as 'spline:5', or compute the columns before you train."
            )
        header, arrays = super()._tw_state()
        return header, arrays

    # ---------------------------------------------------------------- about the model
    def __sklearn_is_fitted__(self) -> bool:
        return "coef_" in self.__dict__ or "targets_" in self.__dict__  # a parameter may end in _ too

    @property
    def coefficient_names_(self) -> tuple[str, ...]:
        """What each coefficient in `coef_` belongs to.

        Examples
        --------
        >>> import pandas as pd
        >>> import treewright as tw
        >>> X = pd.DataFrame({"age": [20, 30, 40, 50], "job": ["cook", "smith", "cook", "smith"]})
        >>> tw.LinearRegression().fit(X, [1.0, 3.0, 3.0, 5.0]).coefficient_names_
        ('age', 'job = smith')
        """
        check_is_fitted(self)
        return self._design.names
