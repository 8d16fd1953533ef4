"""One node of a lesson as blocks: what it holds, what every column offers, the choice."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.lesson.explain import NodeLesson
from treewright.lesson.impurity_lines import impurity_line
from treewright.lesson.measures import MEASURES, fixed, measure_text, weight_text
from treewright.lesson.methods.method import Method
from treewright.lesson.tally_text import full_text
from treewright.pages.blocks import Block, Heading, Paragraph, Table, Working
from treewright.reference.tally import ClassTally, NumberTally, Tally
from treewright.tree.format import name_text, number_text, rows_text

_CLASS_COLUMNS = 5  # so many classes get a column each
_LISTED_BRANCHES = 10
_LISTED_CLASSES = 12


def node_blocks(node: NodeLesson, method: Method) -> Iterator[Block]:
    """Write one node."""
    here = node.path[-1] if node.path else "the root"
    yield Heading(2, _title(node), f"node-{node.id}", f"Node {node.id}: {here}", len(node.path))
    yield Paragraph(_contents(node, method))
    if node.impurity is not None and method.impurity_name is not None and not node.tally.is_pure:
        yield Working((impurity_line(method.impurity_name, node.tally, node.impurity, method.unit),))
    if method.impurity_name is not None and any(candidate.branches for candidate in node.candidates):
        yield branch_table(node, method)
        lines = [line for candidate in node.candidates for line in method.lines(node.tally, candidate)]
        if lines:
            yield Working(tuple(lines))
    for candidate in node.candidates:
        yield from candidate.steps
    if any(candidate.measures for candidate in node.candidates):
        yield score_table(node, method)
    remarks = tuple(f"{candidate.test}: {candidate.remark}" for candidate in node.candidates if candidate.remark)
    if remarks:
        yield Working(remarks)
    yield Paragraph(_verdict(node))
    if node.branches:
        yield Working(tuple(f"{label} → node {child}" for label, child in node.branches))


def _title(node: NodeLesson) -> str:
    return f"Node {node.id}: " + (" and ".join(node.path) if node.path else "the root")


def _contents(node: NodeLesson, method: Method) -> str:
    if not node.tally.rows:
        return "No rows."
    rows = rows_text(node.tally.rows)
    if abs(node.tally.weight - node.tally.rows) > 1e-9:
        rows += f" of weight {weight_text(node.tally.weight)}"
    return f"{rows}: {full_text(node.tally, method.sample.classes)}."


def _verdict(node: NodeLesson) -> str:
    if node.is_leaf:
        answer = number_text(node.prediction) if isinstance(node.prediction, float) else name_text(node.prediction)
        return f"Leaf, answer {answer}: {node.why}."
    chosen = node.branches[0][0] if node.winner is None else node.candidates[node.winner].test
    return f"Chosen: {chosen}. Why: {node.why}." + (f" {node.note}" if node.note else "")


def branch_table(node: NodeLesson, method: Method) -> Table:
    """List the branches of every candidate with what they hold."""
    classes = method.sample.classes
    by_class = classes is not None and len(classes) <= _CLASS_COLUMNS
    counts = tuple(name_text(k) for k in classes or ()) if by_class else ("mean",) if classes is None else ("counts",)
    impurity = () if method.impurity_name is None else (method.impurity_name,)
    rows: list[tuple[str, ...]] = []
    for candidate in node.candidates:
        name = method.subject(candidate)
        for number, branch in enumerate(candidate.branches[:_LISTED_BRANCHES]):
            rows.append((name if not number else "", branch.label, *_fields(branch.tally, method, by_class)))
        if len(candidate.branches) > _LISTED_BRANCHES:
            more = f"… and {len(candidate.branches) - _LISTED_BRANCHES} more"
            rows.append(("", more, *[""] * (1 + len(counts) + len(impurity))))
    headings = ("column", "branch", "rows", *counts, *impurity)
    return Table(headings, tuple(rows), frozenset(range(2, len(headings))))


def _fields(tally: Tally, method: Method, by_class: bool) -> list[str]:
    fields = [weight_text(tally.weight)]
    if isinstance(tally, NumberTally):
        fields.append(number_text(tally.mean, 5) if tally.rows else "")
    elif isinstance(tally, ClassTally) and by_class:
        fields += [weight_text(count) for count in tally.counts]
    elif isinstance(tally, ClassTally) and len(tally.counts) <= _LISTED_CLASSES:
        fields.append(" : ".join(weight_text(count) for count in tally.counts))
    else:
        fields.append(full_text(tally, method.sample.classes))
    if method.impurity_name is not None:
        value = method.impurity(tally) if tally.weight > 0 else None
        if value is not None and method.impurity_name == "entropy":
            value = method.unit.show(value)
        fields.append("" if value is None else fixed(value))
    return fields


def score_table(node: NodeLesson, method: Method) -> Table:
    """Compare the candidates that have measures."""
    shown = [i for i, candidate in enumerate(node.candidates) if candidate.measures]
    has_tests = any(node.candidates[i].test != method.column_name(node.candidates[i].column) for i in shown)
    rows = []
    for i in shown:
        measures = node.candidates[i].measures
        numbers = (measure_text(m, measures[m], method.unit) if m in measures else "" for m in method.measures)
        rows.append((node.candidates[i].test, *numbers))
    headings = ("test" if has_tests else "column", *(MEASURES[name].heading for name in method.measures))
    marked = frozenset({shown.index(node.winner)}) if node.winner in shown else frozenset[int]()
    return Table(headings, tuple(rows), frozenset(range(1, len(headings))), marked)
