"""Puts a formula together: inputs and units as they come, units being numbered behind all inputs at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from treewright.export.formula import ONE, Input, Unit


class FormulaWriter:
    """Inputs by their numbers, the constant first; a unit is -1, -2, … until the number of inputs is known.

    Examples
    --------
    >>> writer = FormulaWriter()
    >>> x = writer.add_input(Input(0))
    >>> total = writer.add_unit([(x, 2.0), (0, 1.0)])
    >>> writer.finished()[0].terms, writer.place(total)
    (((1, 2.0), (0, 1.0)), 2)
    """

    def __init__(self) -> None:
        self.inputs = [Input(ONE, fill=1.0)]
        self.units: list[Unit] = []
        self.factors: list[int | None] = []

    def add_input(self, entry: Input) -> int:
        """Add an input and give its number."""
        self.inputs.append(entry)
        return len(self.inputs) - 1

    def add_unit(
        self, terms: list[tuple[int, float]], shape: str = "linear", times: int | None = None, **how: Any
    ) -> int:
        """Add a unit and give its number, below 0."""
        self.units.append(Unit(tuple(terms), shape, **how))
        self.factors.append(times)
        return -len(self.units)

    def place(self, source: int) -> int:
        """The number of an input or unit in the formula."""
        return source if source >= 0 else len(self.inputs) - 1 - source

    def finished(self) -> list[Unit]:
        """The units with the numbers that their sources have behind all inputs."""
        return [
            replace(
                unit,
                terms=tuple((self.place(source), weight) for source, weight in unit.terms),
                times=-1 if factor is None else self.place(factor),
            )
            for unit, factor in zip(self.units, self.factors, strict=True)
        ]
