"""The cells of a table and the rules of a node as SQL. A comparison with NULL never holds, as a rule has to be."""

from __future__ import annotations

from treewright.export.program import (
    ABOVE,
    BELOW,
    HALF,
    KNOWN,
    MEMBER,
    SUM_ABOVE,
    SUM_BELOW,
    NodeTable,
    Program,
    Term,
)
from treewright.table.schema import Column
from treewright.table.sql_dialects import Dialect
from treewright.tree.stored import STOPS

LARGEST = 1.7976931348623157e308


class Conditions:
    """Writes cells and rules of one program in one dialect.

    Levels are asked for by name, so that people can read the rules; only where their order or their being known counts
    (ordinal columns, weighted sums) a column is turned into the codes of its levels first.
    """

    def __init__(self, program: Program, dialect: Dialect, all_coded: bool = False) -> None:
        self.columns, self.dialect = program.columns, dialect
        self.coded = {place for place in program.used if program.columns[place].kind == "ordinal"}
        for tree in program.trees:
            asked = zip(tree.rule_kind, tree.rule_column, strict=True)
            self.coded |= {column for kind, column in asked if kind in (KNOWN, BELOW, ABOVE)}
            terms = [
                *(t for summed, _ in tree.sums for t in summed),
                *(t for e in tree.equations.values() for t in e.terms),
            ]
            self.coded |= {term.column for term in terms} | set(program.used if all_coded else ())

    def cell(self, place: int) -> str:
        """A column of the table as the rules ask for it."""
        column = self.columns[place]
        if column.kind == "numeric" or place in self.coded:
            return coded_cell(self.dialect, column)
        return self.dialect.as_level(column, self.dialect.identifier(column.name))

    def rules(self, table: NodeTable, node: int) -> list[tuple[str, int]]:
        """The conditions of a node in order, each with where it leads; what the fallback says anyway is left out."""
        rules = list(table.rules(node))
        fallback = table.fallback[node]
        if fallback != STOPS:
            if _exclude_each_other(table, rules):
                rules = [rule for rule in rules if table.rule_child[rule] != fallback]
            while rules and table.rule_child[rules[-1]] == fallback:
                rules.pop()
        return [(self.condition(table, rule), table.rule_child[rule]) for rule in rules]

    def condition(self, table: NodeTable, rule: int) -> str:
        kind, number = table.rule_kind[rule], table.rule_number[rule]
        if kind in (SUM_BELOW, SUM_ABOVE):
            return self._sum(*table.sums[int(number)], kind == SUM_BELOW)
        column = table.rule_column[rule]
        if kind == KNOWN:
            return f"x{column} IS NOT NULL"
        if kind == MEMBER:
            codes = table.sets[int(number)]
            levels = [str(code) if column in self.coded else self._level(column, code) for code in codes]
            return f"x{column} = {levels[0]}" if len(levels) == 1 else f"x{column} IN ({', '.join(levels)})"
        return f"x{column} {'<=' if kind == BELOW else '>'} {self.dialect.number(number)}"

    def _level(self, column: int, code: int) -> str:
        return self.dialect.literal(self.columns[column].levels[code - 1])

    def _sum(self, terms: tuple[Term, ...], cut: float, below: bool) -> str:
        number = self.dialect.number
        zero = number(0.0)
        total = " + ".join([zero, *map(self.term, terms)])
        unknown = " + ".join(
            [zero, *(f"CASE WHEN x{term.column} IS NULL THEN {number(term.share)} ELSE {zero} END" for term in terms)]
        )
        return f"({unknown} <= {number(HALF)} AND {total} {'<=' if below else '>'} {number(cut)})"

    def term(self, term: Term) -> str:
        """A summand, its filler where there is no value."""
        number = self.dialect.number
        if term.level == 0:
            return f"COALESCE({number(term.weight)} * x{term.column}, {number(term.filler)})"
        weight, filler, zero = number(term.weight), number(term.filler), number(0.0)
        cell = f"x{term.column}"
        return f"CASE WHEN {cell} = {term.level} THEN {weight} WHEN {cell} IS NULL THEN {filler} ELSE {zero} END"

    def finite_term(self, term: Term) -> str:
        """The same where a number that is not finite counts as none."""
        if term.level:
            return self.term(term)
        number, cell = self.dialect.number, f"x{term.column}"
        finite = f"{cell} BETWEEN {number(-LARGEST)} AND {number(LARGEST)}"
        return f"CASE WHEN {finite} THEN {number(term.weight)} * {cell} ELSE {number(term.filler)} END"


def coded_cell(dialect: Dialect, column: Column) -> str:
    """A column of the table as a number or the codes of its levels; NULL for what is no level.

    >>> from treewright.table.sql_dialects import find_dialect
    >>> print(coded_cell(find_dialect("sqlite"), Column("job", "nominal", "text", ("cook", "smith"))))
    CASE "job" WHEN 'cook' THEN 1 WHEN 'smith' THEN 2 END
    """
    name = dialect.identifier(column.name)
    if column.kind == "numeric":
        return dialect.as_number(column, name)
    cases = (f"WHEN {dialect.literal(level)} THEN {code}" for code, level in enumerate(column.levels, start=1))
    return f"CASE {dialect.as_level(column, name)} {' '.join(cases)} END"


def _exclude_each_other(table: NodeTable, rules: list[int]) -> bool:
    """Say whether at most one of the rules can hold, so that their order does not matter."""
    kinds = [table.rule_kind[rule] for rule in rules]
    if len({table.rule_column[rule] for rule in rules}) > 1:
        return False
    if kinds == [BELOW, ABOVE]:
        return table.rule_number[rules[0]] == table.rule_number[rules[1]]
    return set(kinds) == {MEMBER} and len({c for r in rules for c in table.sets[int(table.rule_number[r])]}) == sum(
        len(table.sets[int(table.rule_number[rule])]) for rule in rules
    )
