"""A model as one SELECT: read a table, route every row, answer.

The statement is a chain of named steps: the cells as numbers, the node of every tree (a nested CASE, cut into steps
where a tree is deep, since engines take only so much nesting), the sums, the answers. Doubles are added in the order of
the trees, as the model does it, so that the answers are the same to the last bit.
"""

from __future__ import annotations

from treewright.errors import DataError
from treewright.export.formula import Formula
from treewright.export.program import Equation, NodeTable, Program
from treewright.export.sql.chain import Chain, SqlOptions, comment
from treewright.export.sql.conditions import LARGEST, Conditions
from treewright.export.sql.correction import corrected
from treewright.export.sql.links import expit, extreme, largest, softmax
from treewright.export.sql.lists import cells_as_list, last_node, listed_steps, lists
from treewright.export.sql.pieces import add_spreading_tree
from treewright.table.schema import Column
from treewright.table.sql_dialects import Dialect
from treewright.tree.stored import STOPS

# SQLite's parser takes 23 levels of CASE, SQL Server 10.
NESTED = 8
TERMS = 100  # of one sum
FEW_ENDS = 8  # of a tree that is read as a CASE; the answers of more are a list, which is planned more quickly
MOST_OF_MEDIAN = 120  # trees: a median compares every two of them


def sql_source(program: Program, dialect: Dialect, options: SqlOptions) -> str:
    """Write the statement.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.export.model_program import program_of
    >>> from treewright.table.sql_dialects import find_dialect
    >>> program = program_of(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]))
    >>> print(sql_source(program, find_dialect("sqlite"), SqlOptions("rows")))  # doctest: +ELLIPSIS
    -- DecisionTreeRegressor of 1 tree, written by treewright. The same answers as the model, to the last bit.
    ...
    WITH cells AS MATERIALIZED (
      SELECT
        "x0" AS k0,
        CAST("x0" AS REAL) AS x0
      FROM rows
    ),
    nodes_1 AS MATERIALIZED (
      SELECT
        k0,
        x0,
        CASE
          WHEN x0 > 1.5e0 THEN 2
          ELSE 1
        END AS n0
      FROM cells
    )
    SELECT
      k0 AS "x0",
      n0 AS node,
      CASE n0 WHEN 1 THEN 10.0e0 WHEN 2 THEN 20.0e0 END AS prediction
    FROM nodes_1;
    <BLANKLINE>
    """
    statement = _Statement(program, dialect, options)
    statement.add_cells()
    if program.link == "node" and not program.spreads:
        statement.add_nodes([0])
        final = ["n0 AS node", *statement.node_answers()]
    else:
        statement.add_sums()
        final = statement.sum_answers()
    return f"{comment(program, dialect)}\n{statement.text(final)}\n"


class _Statement(Chain):
    """The statement of a model with trees."""

    def __init__(self, program: Program, dialect: Dialect, options: SqlOptions) -> None:
        super().__init__([program.columns[place].name for place in program.used], dialect, options)
        self.program = program
        self.listed = listed_steps(program) if dialect.lists_of_steps else {}
        self.conditions = Conditions(program, dialect, all_coded=bool(self.listed))
        self.cells = [f"x{column}" for column in program.used]
        self.found: list[str] = []  # what is known already and handed on

    # ---------------------------------------------------------------- steps
    def add_cells(self) -> None:
        kept = self.kept_columns()
        cells = [f"{self.conditions.cell(column)} AS x{column}" for column in self.program.used]
        self.step("cells", [*kept, *cells] or ["1 AS unasked"])

    def add_nodes(self, trees: list[int], also: list[str] | None = None) -> None:
        """Add the steps that find the nodes of some trees; `also` is handed on."""
        carried = [*self.kept, *self.cells, *(also or ()), *self.found]
        listed = [tree for tree in trees if tree in self.listed]
        if listed:
            made = [column for tree in listed for column in lists(self.program, tree, self.listed[tree])]
            self.step(f"lists_{len(self.steps)}", [*carried, cells_as_list(self.program), *made])
            nodes = [f"{last_node(tree, self.listed[tree])} AS n{tree}" for tree in listed]
            self.step(f"nodes_{len(self.steps)}", [*carried, *nodes])
            carried += [f"n{tree}" for tree in listed]
        waiting = {tree: [0] for tree in trees if tree not in self.listed}
        while any(waiting.values()):
            columns = []
            for tree, roots in waiting.items():
                expression, waiting[tree] = self._stage(self.program.trees[tree], roots, f"n{tree}")
                columns.append(f"{expression} AS n{tree}")
            self.step(f"nodes_{len(self.steps)}", [*carried, *columns])

    def _stage(self, table: NodeTable, roots: list[int], name: str) -> tuple[str, list[int]]:
        if not roots:
            return name, []
        reached: list[int] = []
        parts = {root: self._nested(table, root, NESTED, reached) for root in roots}
        if roots == [0]:
            return parts[0], list(dict.fromkeys(reached))
        cases = " ".join(f"WHEN {root} THEN {part}" for root, part in parts.items())
        return f"CASE {name} {cases} ELSE {name} END", list(dict.fromkeys(reached))

    def _nested(self, table: NodeTable, node: int, depth: int, reached: list[int]) -> str:
        """The node at which a row arrives from here; nodes that are too far down are left to the next step."""
        if not table.rules(node):
            return str(node)
        if depth == 0:
            reached.append(node)
            return str(node)
        rules, fallback = self.conditions.rules(table, node), table.fallback[node]
        stops = fallback == STOPS
        ways = [*(child for _, child in rules), *([] if stops else [fallback])]
        asked = ""
        if depth > 1 and any(ways.count(child) > 1 and table.rules(child) for child in set(ways)):
            # Surrogates lead to a child by several rules. Its text is to stand there once, so that it is found first.
            found = " ".join(f"WHEN {condition} THEN {child}" for condition, child in rules)
            last = node if stops else fallback
            asked = f" CASE {found} ELSE {last} END"
            rules = [(str(child), child) for child in dict.fromkeys(ways) if child != last]
        cases = [
            f"WHEN {condition} THEN {self._nested(table, child, depth - 1, reached)}" for condition, child in rules
        ]
        other = str(node) if stops else self._nested(table, fallback, depth - 1, reached)
        if not cases:
            return other
        # Every branch on a line of its own, as deep as it is in the tree, so that the tree can be read.
        start = "\n" + " " * (4 + 2 * (NESTED - depth + 1))
        return f"CASE{asked}{start.join(['', *cases, f'ELSE {other}'])}{start[:-2]}END"

    def add_sums(self) -> None:
        """Add up what the trees say, some trees at a time, in their order."""
        program = self.program
        sums = [self.dialect.number(number) for number in program.start]
        names = [f"s{i}" for i in range(program.n_outputs)]
        at_once = min(TERMS // (1 if program.n_outputs == 1 else 2), self.dialect.trees_at_once)
        place = 0
        while place < len(program.trees):
            before = [] if place == 0 else names
            if program.trees[place].pieces:
                sums = add_spreading_tree(self, place, sums, before)
                place += 1
            else:
                last = place
                while last < len(program.trees) and last - place < at_once and not program.trees[last].pieces:
                    last += 1
                self.add_nodes(list(range(place, last)), before)
                sums = self._added(range(place, last), sums)
                place = last
            self.hand_on(sums)
            sums = names

    def hand_on(self, sums: list[str]) -> None:
        """Add a step with the sums so far; the nodes are dropped unless they are asked for."""
        names = [f"{total} AS s{i}" for i, total in enumerate(sums)]
        self.step(f"sums_{len(self.steps)}", [*self.kept, *self.cells, *self.found, *names])

    def _added(self, trees: range, sums: list[str]) -> list[str]:
        sums = list(sums)
        for tree in trees:
            table = self.program.trees[tree]
            if table.answers.shape[1] == 1:
                at = tree % self.program.n_outputs
                sums[at] = f"{sums[at]} + {self.looked_up(table, tree, 0)}"
            else:
                sums = [f"{total} + {self.looked_up(table, tree, output)}" for output, total in enumerate(sums)]
        return sums

    def looked_up(self, table: NodeTable, tree: int, output: int) -> str:
        """What the node of a tree says."""
        ends = _ends(table)
        if self.dialect.list_of_doubles and len(ends) > FEW_ENDS and not table.equations:
            said = [0.0] * table.n_nodes
            for node in ends:
                said[node] = float(table.answers[node, output])
            return self.dialect.one_of(said, f"n{tree}")
        cases = [f"WHEN {node} THEN {self.said(table, node, output)}" for node in ends]
        return f"CASE n{tree} {' '.join(cases)} END"

    def said(self, table: NodeTable, node: int, output: int) -> str:
        """What a node says: a number, or its equation."""
        equation = table.equations.get(node)
        if equation is None:
            return self.dialect.number(float(table.answers[node, output]))
        return self._equation(equation)

    def _equation(self, equation: Equation) -> str:
        total = " + ".join([self.dialect.number(equation.intercept), *map(self.conditions.finite_term, equation.terms)])
        if equation.lowest != equation.lowest:
            return f"({total})"
        low, high = self.dialect.number(equation.lowest), self.dialect.number(equation.highest)
        return f"CASE WHEN {total} < {low} THEN {low} WHEN {total} > {high} THEN {high} ELSE {total} END"

    # ---------------------------------------------------------------- answers
    def node_answers(self) -> list[str]:
        program, table = self.program, self.program.trees[0]
        if program.labels is None:
            return [f"{self.looked_up(table, 0, 0)} AS prediction"]
        assert table.labels is not None
        named = [self.dialect.literal(label) for label in program.labels]
        if self.listed:
            codes = self.dialect.one_of(table.labels.astype(float).tolist(), "n0")
            which = f"{codes} " + " ".join(f"WHEN {float(code)}e0 THEN {name}" for code, name in enumerate(named))
        else:
            which = "n0 " + " ".join(f"WHEN {node} THEN {named[table.labels[node]]}" for node in _ends(table))
        shares = [
            f"{self.looked_up(table, 0, output)} AS {self.probability(label)}"
            for output, label in enumerate(program.labels)
        ]
        return [f"CASE {which} END AS prediction", *shares]

    def sum_answers(self) -> list[str]:
        """The answers from the sums, in steps of their own where a link needs them."""
        program = self.program
        if program.labels is None:
            return [f"{_LINKS[program.link](self)[0]} AS prediction"]
        answers = _LINKS[program.link](self)
        names = [f"p{i}" for i in range(len(answers))]
        sums = [f"s{i}" for i in range(program.n_outputs)]
        told = [f"{answer} AS {name}" for answer, name in zip(answers, names, strict=True)]
        self.step(f"answers_{len(self.steps)}", [*self.kept, *sums, *self.found, *told])
        shares = [f"p{i} AS {self.probability(name)}" for i, name in enumerate(program.labels)]
        label = self._label(names, sums)
        if program.correction is not None:
            self.numbered_step("told", [*self.kept, f"{label} AS told", *names])
            label, carried = "told", [*self.kept, "told"]
            made = zip(corrected(self, program.correction, carried, names), names, strict=True)
            self.numbered_step("corrected", [*carried, *(f"{share} AS {name}" for share, name in made)])
        return [f"{label} AS prediction", *shares]

    def _label(self, answers: list[str], sums: list[str]) -> str:
        labels = [self.dialect.literal(label) for label in self.program.labels or ()]
        if self.program.label_by == "sign":
            return f"CASE WHEN s0 > 0 THEN {labels[1]} ELSE {labels[0]} END"
        by_size = largest(sums if self.program.label_by == "sums" else answers, labels)
        return f"COALESCE(label, {by_size})" if self.program.label_by == "node" else by_size


def _ends(table: NodeTable) -> list[int]:
    """The nodes in which a row may end."""
    return [node for node in range(table.n_nodes) if table.fallback[node] == STOPS]


# ---------------------------------------------------------------- links


def _mean(statement: _Statement) -> list[str]:
    n_trees = statement.dialect.number(float(len(statement.program.trees)))
    return [f"s{i} / {n_trees}" for i in range(statement.program.n_outputs)]


def _identity(statement: _Statement) -> list[str]:
    return [f"s{i}" for i in range(statement.program.n_outputs)]


def _exp(statement: _Statement) -> list[str]:
    return ["exp(s0)"]


def _logistic(statement: _Statement) -> list[str]:
    second = expit(statement.dialect, "s0")
    return [f"{statement.dialect.number(1.0)} - ({second})", second]


def _softmax(statement: _Statement) -> list[str]:
    return _softmax_of(statement, [f"s{i}" for i in range(statement.program.n_outputs)])


def _samme(statement: _Statement) -> list[str]:
    n, number = len(statement.program.labels or ()), statement.dialect.number
    if n == 1:
        return [number(1.0)]
    votes = f"{number(float(n))} / {number(statement.program.all_votes)} - {number(1.0)}) / {number(float(n - 1))}"
    decisions = [f"((s{i} * {votes})" for i in range(n)]
    if n == 2:
        ahead = f"({decisions[1]} - {decisions[0]})"
        return _softmax_of(statement, [f"-{ahead} / {number(2.0)}", f"{ahead} / {number(2.0)}"])
    return _softmax_of(statement, [f"{decision} / {number(float(n - 1))}" for decision in decisions])


def _softmax_of(statement: _Statement, scores: list[str]) -> list[str]:
    sums = [f"s{i}" for i in range(statement.program.n_outputs)]
    return softmax(statement, [*statement.kept, *sums, *statement.found], scores)


def _median(statement: _Statement) -> list[str]:
    """The least of the numbers up to which trees have half of all say; says are whole numbers, so sums are exact."""
    says, number = statement.program.says, statement.dialect.number
    numbers = [f"s{i}" for i in range(len(says))]
    below = [f"b{i}" for i in range(len(says))]
    for start in range(0, len(says), TERMS):
        part = range(start, min(start + TERMS, len(says)))
        columns = []
        for name, mine in zip(below, numbers, strict=True):
            cases = [f"CASE WHEN s{j} <= {mine} THEN {number(says[j])} ELSE {number(0.0)} END" for j in part]
            columns.append(f"{' + '.join([*([name] if start else []), *cases])} AS {name}")
        statement.numbered_step("says", [*statement.kept, *numbers, *columns])
    half = number(0.5 * sum(says))
    enough = [
        f"CASE WHEN {name} >= {half} THEN {mine} ELSE {number(LARGEST)} END"
        for name, mine in zip(below, numbers, strict=True)
    ]
    return [extreme(statement.dialect, "least", enough)]


_LINKS = {
    "node": _identity,
    "mean": _mean,
    "identity": _identity,
    "exp": _exp,
    "logistic": _logistic,
    "softmax": _softmax,
    "samme": _samme,
    "median": _median,
}


def refuse_what_sql_cannot_say(program: Program | Formula, dialect: Dialect) -> None:
    """Refuse a model with columns that the dialect cannot read as the model does."""
    if isinstance(program, Program) and program.link == "median" and len(program.trees) > MOST_OF_MEDIAN:
        raise DataError(
            f"This {program.title} answers with a weighted median over {len(program.trees):,} trees, for which a "
            f"SELECT compares every two of them, and statements are written for up to {MOST_OF_MEDIAN}. Export C, "
            "JavaScript, Python or ONNX, or train it with fewer trees."
        )
    known = dict(dialect.dates)
    for place in program.used:
        column = program.columns[place]
        if column.kind == "numeric" and column.value_type != "number" and column.value_type not in known:
            raise DataError(
                f"Column {column.name!r} holds values of the type {column.value_type}, which {dialect.name} "
                "has no sure way to write as numbers. Export Python, JavaScript or C."
            )
        _refuse_two_types(column)
        told_apart = {str(level).rstrip(" ") for level in column.levels}
        if dialect.name == "sqlserver" and len(told_apart) < len(column.levels):
            raise DataError(
                f"Column {column.name!r} has levels that differ by blanks at their ends alone, which SQL Server does "
                "not tell apart. Export SQL for another engine, Python, JavaScript or C."
            )


def refuse_names_alike(names: list[str], dialect: Dialect) -> None:
    """Refuse columns whose names differ in capitals alone, where they are one column to the engine."""
    known: dict[str, str] = {}
    for name in names:
        other = known.setdefault(name if dialect.tells_capitals else name.lower(), name)
        if other != name:
            raise DataError(
                f"The columns {other!r} and {name!r} differ in capitals alone, and to {dialect.name} they are one. "
                "Rename one, or export SQL for PostgreSQL or Snowflake, Python, JavaScript or C."
            )


def _refuse_two_types(column: Column) -> None:
    """A column of a database holds texts, truth values or numbers; one of a frame of Python's objects may hold all."""
    examples: dict[str, object] = {}
    for level in column.levels:
        kind = "text" if isinstance(level, str) else "a truth value" if isinstance(level, bool) else "a number"
        examples.setdefault(kind, level)
    if len(examples) > 1:
        told = " and ".join(f"{level!r}, which is {kind}" for kind, level in examples.items())
        raise DataError(
            f"Column {column.name!r} has the levels {told}; a column of a database has one type. Make it one type "
            "before training, or export Python or JavaScript."
        )
