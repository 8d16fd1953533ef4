"""A statement as a chain of named steps, each reading the one before."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.export.code.head import head_lines
from treewright.export.formula import Formula
from treewright.export.program import Program
from treewright.table.sql_dialects import Dialect


@dataclass(frozen=True)
class SqlOptions:
    """What a statement reads and what it hands on.

    Attributes
    ----------
    table : str
        The table, as the user writes it.
    keep : tuple of str
        Columns that are handed on beside the answers and the columns that the model asks for.
    """

    table: str
    keep: tuple[str, ...] = ()


class Chain:
    """The steps so far, and the columns that the last one hands on under the names k0, k1, …"""

    def __init__(self, asked: list[str], dialect: Dialect, options: SqlOptions) -> None:
        self.dialect, self.options = dialect, options
        self.handed_on = [*asked, *(name for name in options.keep if name not in asked)]
        self.kept = [f"k{i}" for i in range(len(self.handed_on))]
        self.steps: list[tuple[str, list[str], str]] = []

    def step(self, name: str, columns: list[str]) -> None:
        """Add a step that reads the one before."""
        source = self.steps[-1][0] if self.steps else self.options.table
        self.steps.append((name, columns, source))

    def numbered_step(self, name: str, columns: list[str]) -> None:
        """Add a step whose name no other has."""
        self.step(f"{name}_{len(self.steps)}", columns)

    def kept_columns(self) -> list[str]:
        """The columns that are handed on, as the first step names them."""
        return [f"{self.dialect.identifier(name)} AS k{i}" for i, name in enumerate(self.handed_on)]

    def probability(self, label: object) -> str:
        """The column of the probability of a class."""
        return self.dialect.identifier(f"probability of {label}")

    def text(self, final: list[str]) -> str:
        """The whole statement; `final` is told behind the columns that are handed on."""
        kept = [f"k{i} AS {self.dialect.identifier(name)}" for i, name in enumerate(self.handed_on)]
        named = [
            f"{name} AS {self.dialect.materialized}(\n  SELECT\n    {_listed(columns, 4)}\n  FROM {source}\n)"
            for name, columns, source in self.steps
        ]
        steps = ",\n".join(named)
        return f"WITH {steps}\nSELECT\n  {_listed([*kept, *final], 2)}\nFROM {self.steps[-1][0]};"


def _listed(columns: list[str], indent: int) -> str:
    return f",\n{' ' * indent}".join(columns)


def comment(program: Program | Formula, dialect: Dialect) -> str:
    """What the statement is, and of an engine that cannot be started here, that nobody has run it."""
    lines = head_lines(program)
    if not dialect.proven:
        lines.insert(1, f"Written to the documented rules of {dialect.name}, not proven there.")
    return "\n".join(f"-- {line}" for line in lines)
