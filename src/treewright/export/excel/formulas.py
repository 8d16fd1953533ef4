"""The formulas that send a row of a sheet through a tree: one cell a step, with lookups in the sheet of steps.

Nested IFs would end at 64; a node table and one column a step have no such end.
"""

from __future__ import annotations

from dataclasses import dataclass

from openpyxl.utils import get_column_letter

from treewright.export.program import Program
from treewright.export.steps import Steps


@dataclass(frozen=True)
class Layout:
    """Where things stand: the columns of a sheet of rows, and the ranges of the sheets that it looks into.

    A sheet has the values of the columns, then what they are to the tree (numbers, codes of levels), a cell a step,
    then node and answers.
    """

    program: Program
    steps: Steps
    n_steps: int

    @property
    def n_columns(self) -> int:
        return len(self.program.used)

    def letter(self, place: int) -> str:
        """The letter of a column of the sheet, counted from 0."""
        return str(get_column_letter(place + 1))

    @property
    def first_step(self) -> int:
        return 2 * self.n_columns

    @property
    def node(self) -> int:
        return self.first_step + self.n_steps + 1

    def value(self, place: int, row: int) -> str:
        """What a cell is to the tree: a number, the code of its level, or "" where it has no value."""
        cell, column = f"{self.letter(place)}{row}", self.program.columns[self.program.used[place]]
        if column.kind == "numeric":
            return f'=IF(ISNUMBER({cell}),{cell},"")'
        letter, last = self.letter(place), len(column.levels) + 1
        levels = f"Levels!${letter}$2:${letter}${last}"
        same = (
            f"EXACT({levels},{cell})"
            if any(isinstance(level, str) for level in column.levels)
            else f"({levels}={cell})"
        )
        code = f"SUMPRODUCT({same}*(ROW({levels})-1))"
        return f'=IF(ISBLANK({cell}),"",IF({code}=0,"",{code}))'

    def step(self, number: int, row: int) -> str:
        """The step that follows step `number` of a row."""
        at = f"{self.letter(self.first_step + number)}{row}"
        first, last = self.letter(self.n_columns), self.letter(2 * self.n_columns - 1)
        x = f"INDEX(${first}{row}:${last}{row},{self.of_step('B', at)})"
        below = f"{x}<={self.of_step('C', at)}"
        if self.has_sets:
            which = self.of_step("D", at)
            sets = f"Sets!$B$2:${get_column_letter(self.most_sets + 1)}${self.most_levels + 1}"
            below = f"IF({which}=0,{below},INDEX({sets},{x},{which})=1)"
        ways = f"IF({below},{self.of_step('E', at)},{self.of_step('F', at)})"
        return f'=IF({x}="",{self.of_step("G", at)},{ways})'

    def of_step(self, letter: str, at: str) -> str:
        """A cell of the row of a step in the sheet of steps."""
        return f"INDEX(Steps!${letter}$2:${letter}${len(self.steps.ends) + 1},{at})"

    @property
    def has_sets(self) -> bool:
        return any(codes is not None for codes in self.steps.codes)

    @property
    def most_sets(self) -> int:
        return sum(codes is not None for codes in self.steps.codes)

    @property
    def most_levels(self) -> int:
        return max((len(self.program.columns[place].levels) for place in self.program.used), default=0)

    def answer(self, number: int, row: int) -> str:
        """Column `number` of the sheet of answers for the node of a row."""
        letter, n_nodes = get_column_letter(number + 2), self.program.trees[0].n_nodes
        return f"=INDEX(Answers!${letter}$2:${letter}${n_nodes + 1},{self.letter(self.node)}{row}+1)"

    def node_formula(self, row: int) -> str:
        """The node in which a row ends."""
        return "=" + self.of_step("H", f"{self.letter(self.first_step + self.n_steps)}{row}")
