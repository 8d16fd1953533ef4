"""Why a row gets its answer: the sentence, the path with counts, what was missing, and the smallest change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from treewright.inspection.change import GIVEN, SPAN_OF_CUTS, Change, all_scales, check_scale, column_index
from treewright.inspection.conditions import LISTED, Condition, LevelSet, conditions_of, merge_path
from treewright.inspection.counterfactual import Counterfactual, CounterfactualSearch, DesiredOutcome, read_wanted
from treewright.inspection.decision_path import DecisionPath, RowValues, Step, read_row, walk
from treewright.inspection.split_candidates import entries, one_test
from treewright.inspection.support import HeldOut, answer_text, support_text
from treewright.pages.blocks import Block, Paragraph, Table
from treewright.pages.page import Page
from treewright.table.encode import RowEncoder
from treewright.tree.format import name_text, share_text
from treewright.tree.node import Node, NodeText
from treewright.tree.stored import HYPERPLANE, SPREADS, STOPS
from treewright.tree.test import read_test
from treewright.tree.tree import Tree

# What happened to one row on its way, in words: the branch it took, or where it was sent without a value.


_PLACES = 4  # nodes that are named


def facts_of(tree: Tree, row: RowValues, steps: list[Step]) -> list[str]:
    """Give what holds for the row, merged: conditions of tests, and columns without a value.

    >>> from treewright.table.encode import RowEncoder
    >>> from treewright.inspection.decision_path import read_row
    >>> from treewright.inspection.decision_path import walk
    >>> from treewright.tree import example_tree
    >>> tree = example_tree()
    >>> row = read_row(RowEncoder(tree.schema), {"outlook": "rain"})
    >>> facts_of(tree, row, walk(tree, row.numbers)[0])
    ['outlook is sunny or rain', 'humidity is missing']
    """
    merged = merge_path(tree, [(step.node, step.branch) for step in steps if step.by == "test"])
    lacking = dict.fromkeys(int(tree.arrays["column"][step.node]) for step in steps if step.by != "test")
    return [*(_fact(row, c) for c in merged.values()), *(lack_of(row, column) for column in lacking)]


def _fact(row: RowValues, condition: Condition) -> str:
    """Write a condition; of a long list of levels the one that the row has."""
    said = condition.text()
    if isinstance(condition.allowed, LevelSet) and len(condition.allowed.codes) > LISTED and "…" in said:
        name = name_text(row.schema.columns[condition.column].name)
        return f"{name} is {row.shown(condition.column)} (one of {len(condition.allowed.codes):,} levels)"
    return said


def lack_of(row: RowValues, column: int) -> str:
    """Say that the row has no value in a column, or one that tells nothing."""
    name = name_text(row.schema.columns[column].name)
    if row.is_missing(column):
        return f"{name} is missing"
    what = "a level never seen in training" if row.is_new(column) else "a level that no training row had here"
    return f"{name} is {row.shown(column)} ({what})"


def sent_texts(tree: Tree, row: RowValues, steps: list[Step]) -> list[str]:
    """Say of each column without a value where that sent the row, and by what; one text a column.

    >>> from treewright.table.encode import RowEncoder
    >>> from treewright.inspection.decision_path import read_row
    >>> from treewright.inspection.decision_path import walk
    >>> from treewright.tree import example_tree
    >>> tree = example_tree()
    >>> row = read_row(RowEncoder(tree.schema), {"outlook": "rain"})
    >>> sent_texts(tree, row, walk(tree, row.numbers)[0])
    ["humidity is missing: node 2 sends it to 'humidity > 82.5'"]
    """
    by_lack: dict[str, list[str]] = {}
    for step in steps:
        if step.by != "test":
            lack = lack_of(row, int(tree.arrays["column"][step.node]))
            if tree.arrays["kind"][step.node] == HYPERPLANE:
                lack = "most of what a weighted sum needs is missing"
            by_lack.setdefault(lack, []).append(_where(tree, step))
    return [f"{lack}: {_few(places)}" for lack, places in by_lack.items()]


def _few(places: list[str]) -> str:
    more = len(places) - _PLACES
    return ", ".join(places[:_PLACES]) + (f" … and {more:,} nodes more" if more > 0 else "")


def _where(tree: Tree, step: Step) -> str:
    if step.branch == STOPS:
        return f"the row stops at node {step.node} and gets its answer"
    if step.branch == SPREADS:
        return f"at node {step.node} the row goes down every branch, in pieces as large as the branches"
    label = read_test(tree.arrays, step.node, tree.schema.columns).branches[step.branch].label
    if step.by == "surrogate":
        return f"at node {step.node} {surrogate_text(tree, step)} stands in and sends it to '{label}'"
    if label.endswith(" is missing"):
        return f"node {step.node} has a branch for it"
    return f"node {step.node} sends it to '{label}'"


def surrogate_text(tree: Tree, step: Step) -> str:
    """Say which test stood in, and how often it agrees with the one it stands for."""
    test = one_test(tree.arrays, "surrogate", step.node, step.surrogate)
    flip = bool(test["flip"][0])
    label = read_test(test, 0, tree.schema.columns).branches[step.branch ^ flip].label
    return f"'{label}' (agrees in {share_text(float(tree.arrays['surrogate_agreement'][step.surrogate]))})"


def runner_up(tree: Tree, node: int) -> tuple[str, float] | None:
    """Give the best test of another column at a node and how good it is beside the one taken, if it was kept."""
    kept = entries(tree.arrays, "candidate", node)
    if not len(kept):
        return None
    test = read_test(one_test(tree.arrays, "candidate", node, kept.start), 0, tree.schema.columns)
    taken = float(tree.arrays["improvement"][node])
    worth = float(tree.arrays["candidate_improvement"][kept.start])
    share = worth / taken if taken > 0 else 0.0
    return test.text, max(min(share, 1.0), 0.0)  # the best one was taken, whatever a file says


_SHOWN_STEPS = 40  # a longer path shows its last steps


@dataclass(frozen=True)
class Question:
    """What is asked beside "why": which other answer, which columns may not change, what a change is measured in."""

    wanted: DesiredOutcome | None
    fixed: frozenset[int]
    scale: Mapping[int, float]


class Why(Page):
    """Why one row gets its answer. Print it, or take it apart.

    Made by `model.why(row)`. What takes time (the smallest change) is computed when it is first asked for.

    Attributes
    ----------
    prediction : class or number
        The answer.
    sentence : str
        The answer and why, in one sentence.
    node : int
        The node where the row ends.
    ends : list of (node, share)
        Where all of it ends, if missing values spread it over several nodes.
    conditions : list of Condition
        What leads to this node, conditions on the same column merged.
    missing : list of str
        What was missing or never seen, and where it was sent.
    held_out : HeldOut or None
        What held-out rows of the same node were, if some were given.
    change : Change or None
        The smallest change that gives another answer (or the one asked for); None where there is none.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_fruit(return_X_y=True)
    >>> why = tw.ID3Classifier().fit(X, y).why({"shape": "round", "color": "yellow", "leaf": "yes", "taste": "sour"})
    >>> why.sentence
    'lemon, because shape is round and color is yellow; the only training row like it was lemon.'
    >>> why.change.columns
    {'shape': ('round', 'curved')}
    """

    def __init__(
        self, tree: Tree, row: RowValues, way: DecisionPath, question: Question, held_out: HeldOut | None = None
    ) -> None:
        self.tree = tree
        self.row = row
        self.prediction, self.steps, self.node, self.ends = way.answer, way.steps, way.node, way.ends
        self.held_out = held_out
        self._question = question

    # ---------------------------------------------------------------- the parts
    @cached_property
    def sentence(self) -> str:
        """The answer and why, in one sentence."""
        facts = facts_of(self.tree, self.row, self.steps)
        because = f", because {' and '.join(facts)}" if facts else ", whatever the row holds"
        equation = Node(self.tree, self.node).equation
        by = f" by the equation {equation}" if equation is not None and len(self.ends) == 1 else ""
        return f"{answer_text(self.prediction, self.tree.classes is not None)}{by}{because}; {self._support()}."

    def _support(self) -> str:
        if len(self.ends) == 1:
            return support_text(Node(self.tree, self.node), self.prediction)
        shares = sorted((share for _, share in self.ends), reverse=True)
        return f"it is spread over {len(shares)} leaves, {share_text(shares[0])} of it in the largest"

    @property
    def conditions(self) -> list[Condition]:
        """What leads to the node, conditions on the same column merged."""
        return conditions_of(self.tree, self.node)

    @property
    def missing(self) -> list[str]:
        """What was missing or never seen on the way, and where it was sent."""
        return sent_texts(self.tree, self.row, self.steps)

    @cached_property
    def change(self) -> Change | None:
        """The smallest change that gives another answer; None where there is none, or none was asked for."""
        question = self._question
        if question.wanted is None:
            return None
        scales = all_scales(self.tree, self.row.numbers, question.scale)
        search = CounterfactualSearch(self.tree, self.row.numbers, set(question.fixed), scales)
        found: Counterfactual | None = search.find(question.wanted)
        return None if found is None else Change(self.tree, self.row, found, GIVEN if question.scale else SPAN_OF_CUTS)

    @property
    def change_text(self) -> str:
        """The smallest change as a sentence; empty where none was asked for."""
        wanted = self._question.wanted
        if wanted is None:
            return ""
        if self.change is None:
            fixed = " that may change" if self._question.fixed else ""
            return f"No change of the columns{fixed} gives {wanted.words}."
        ask = f"Why not {wanted.words}? " if wanted.kind != "other" else ""
        return ask + self.change.text

    # ---------------------------------------------------------------- as a page
    @property
    def title(self) -> str:
        """The heading of the page."""
        return f"Why {answer_text(self.prediction, self.tree.classes is not None)}?"

    def blocks(self) -> Iterator[Block]:
        """Give the explanation as blocks, whatever it will be written as."""
        yield Paragraph(self.sentence)
        yield self._path()
        for text in self.missing:
            yield Paragraph(f"{text[0].upper()}{text[1:]}.")
        if self.held_out is not None:
            yield Paragraph(f"{self.held_out.text[0].upper()}{self.held_out.text[1:]}.")
        if self.change_text:
            yield Paragraph(self.change_text)

    def _path(self) -> Table:
        words = NodeText(self.tree, 6, "")
        nodes = [Node(self.tree, i) for i in self.path]
        rows = [(*self._asked(step), f"{node.n:,}", words.summary(node)) for step, node in self._shown(nodes)]
        runners = [self._runner_up(node) for node in nodes[-len(rows) :]]
        headings = ("on the way", "this row", "rows", "what they are")
        if not any(test for test, _ in runners):
            return Table(headings, tuple(rows), frozenset({2}))
        with_runners = tuple((*row, *runner) for row, runner in zip(rows, runners, strict=True))
        return Table((*headings, "next best test", "as good"), with_runners, frozenset({2, 5}))

    @property
    def path(self) -> list[int]:
        """The nodes from the root to the end."""
        nodes = [step.node for step in self.steps]
        return nodes if nodes and nodes[-1] == self.node else [*nodes, self.node]

    def _shown(self, nodes: list[Node]) -> list[tuple[Step | None, Node]]:
        """Pair each node with the step that led to it."""
        led: list[Step | None] = [None, *self.steps]
        return list(zip(led, nodes, strict=False))[-_SHOWN_STEPS:]

    def _asked(self, step: Step | None) -> tuple[str, str]:
        if step is None:
            return "all training rows", ""
        arrays = self.tree.arrays
        test = read_test(arrays, step.node, self.tree.schema.columns)
        branch = step.branch if step.branch >= 0 else self.tree.child_ids(step.node).index(self._after(step))
        value = "" if arrays["kind"][step.node] == HYPERPLANE else self.row.shown(test.column_index)
        return test.branches[branch].label, value

    def _after(self, step: Step) -> int:
        return self.path[self.steps.index(step) + 1]

    def _runner_up(self, node: Node) -> tuple[str, str]:
        found = runner_up(self.tree, node.id) if not node.is_leaf else None
        return ("", "") if found is None else (found[0], share_text(found[1]))

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values."""
        return {
            "prediction": self.prediction,
            "sentence": self.sentence,
            "node": self.node,
            "conditions": [condition.to_dict() for condition in self.conditions],
            "path": self._path_dicts(),
            "missing": self.missing,
            "held_out": None if self.held_out is None else self.held_out.to_dict(),
            "change": None if self.change is None else self.change.to_dict(),
        }

    def _path_dicts(self) -> list[dict[str, Any]]:
        plain = []
        for step, node in zip([None, *self.steps], (Node(self.tree, i) for i in self.path), strict=False):
            asked, value = self._asked(step)
            runner = runner_up(self.tree, node.id) if not node.is_leaf else None
            counts = {name_text(label): weight for label, weight in (node.counts or {}).items()}
            plain.append(
                {
                    "node": node.id,
                    "condition": asked if step is not None else None,
                    "value": value if step is not None else None,
                    "by": None if step is None else step.by,
                    "n_rows": node.n,
                    "weight": node.weight,
                    **({"value_here": node.prediction} if self.tree.classes is None else {"counts": counts}),
                    "next_best": None if runner is None else {"test": runner[0], "share": runner[1]},
                }
            )
        return plain

    def __repr__(self) -> str:
        return f"<Why: {self.sentence}>"


# The door to `Why` for a stored tree: read the row, check what was asked, put both together.


@dataclass(frozen=True)
class Asked:
    """What a user asked beside the row; see `model.why`."""

    not_class: Any = None
    below: float | None = None
    above: float | None = None
    fixed: Iterable[str] = ()
    scale: Mapping[str, float] | None = field(default=None)


def why_row(tree: Tree, row: Any, asked: Asked | None = None, encoder: RowEncoder | None = None) -> Why:
    """Explain the answer of a tree to one row.

    Parameters
    ----------
    tree : Tree
        Any stored tree, such as `model.tree_` or one of `forest.trees_`.
    row : list, tuple, dict, Series or table of one row
        The row.
    asked : Asked, optional
        What is asked beside it.
    encoder : RowEncoder, optional
        Made anew where none is given.

    Examples
    --------
    >>> from treewright.tree import example_tree
    >>> why_row(example_tree(), {"outlook": "rain", "humidity": 70}).sentence
    'yes, because outlook is sunny or rain and humidity <= 82.5; 4 of 5 training rows like it were yes.'
    """
    return explain(tree, read_row(encoder or RowEncoder(tree.schema), row), asked or Asked())


def explain(tree: Tree, row: RowValues, asked: Asked, held_out: Sequence[Any] | None = None) -> Why:
    """Explain the answer to a row that was read already; `held_out` are the truths of held-out rows of its node."""
    way = DecisionPath.of(tree, row.numbers)
    found = way.answer
    wanted = read_wanted(tree.classes, found, asked.not_class, asked.below, asked.above)
    fixed = frozenset(column_index(tree.schema.names, name, "fixed") for name in asked.fixed)
    question = Question(wanted, fixed, check_scale(tree, asked.scale))
    others = None if held_out is None else HeldOut.of(held_out, found, tree.classes is not None)
    return Why(tree, row, way, question, others)


def end_of(tree: Tree, row: RowValues) -> int:
    """Give the node where a row ends, to find others that end there."""
    return walk(tree, row.numbers)[1]
