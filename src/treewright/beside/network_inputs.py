"""From the columns of a table to the inputs of a network, and back: coded, filled, on one scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.beside.columns import Columns, Floats
from treewright.beside.design import Design, learn_design
from treewright.beside.network.activations import Array
from treewright.beside.scaling import learn_scaling
from treewright.encode.schema import Schema

INPUT_ARRAYS = ("fill_", "flagged_", "center_", "scale_")


@dataclass(frozen=True)
class Inputs:
    """How rows of a table become inputs: the design matrix, each column less its centre, divided by its scale."""

    design: Design
    center: Floats
    scale: Floats
    dtype: np.dtype[Any]

    def __post_init__(self) -> None:
        """Check that the parts belong together, so that a damaged file is found."""
        shape = (len(self.design.names),)
        if self.center.shape != shape or self.scale.shape != shape:
            raise ValueError("its scales do not fit its columns")
        if not np.isfinite(self.center).all() or not np.isfinite(self.scale).all() or not (self.scale > 0).all():
            raise ValueError("its scales are no numbers to divide by")

    def rows(self, columns: Columns) -> Array:
        """Give the inputs of each row."""
        matrix = self.design.matrix(columns)
        if self.center.any() or (self.scale != 1).any():
            matrix = (matrix - self.center) / self.scale
        return np.ascontiguousarray(matrix, dtype=self.dtype)

    def back(self, rows: Array) -> Floats:
        """Give the rows of the design matrix that have such inputs."""
        return np.asarray(rows * self.scale + self.center, dtype=np.float64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is kept in a model file."""
        return {
            "fill_": self.design.fill,
            "flagged_": self.design.flagged,
            "center_": self.center,
            "scale_": self.scale,
        }


def learn_inputs(
    columns: Columns,
    weights: Floats | None,
    contrasts: str,
    missing: str,
    scaling: str,
    precision: str,
) -> Inputs:
    """Learn how the rows of a table become inputs."""
    design = learn_design(columns, weights, contrasts, missing)
    center, scale = np.zeros(len(design.names)), np.ones(len(design.names))
    if scaling != "none":
        center, scale = learn_scaling(design, design.matrix(columns), weights, scaling)
    return Inputs(design, center, scale, dtype_of(precision))


def restored_inputs(schema: Schema, contrasts: str, learnt: dict[str, Any], precision: str) -> Inputs:
    """The inputs of a model, out of what was learnt; ValueError if its parts do not fit."""
    design = Design(schema, contrasts, learnt["flagged_"], learnt["fill_"])
    return Inputs(design, learnt["center_"], learnt["scale_"], dtype_of(precision))


def dtype_of(precision: str) -> np.dtype[Any]:
    """The type of the numbers that a network computes with.

    Examples
    --------
    >>> dtype_of("single")
    dtype('float32')
    """
    return np.dtype(np.float32 if precision == "single" else np.float64)
