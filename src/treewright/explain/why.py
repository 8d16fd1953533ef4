"""Why a row gets its answer: the sentence, the path with counts, what was missing, and the smallest change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treewright.explain.change import Change
from treewright.explain.column_scales import GIVEN, SPAN_OF_CUTS, all_scales
from treewright.explain.conditions import Condition, conditions_of
from treewright.explain.flip import Flip, FlipSearch
from treewright.explain.row_values import RowValues
from treewright.explain.row_words import facts_of, runner_up, sent_texts
from treewright.explain.support import HeldOut, answer_text, support_text
from treewright.explain.walk import Step
from treewright.explain.wanted import Wanted
from treewright.explain.way import Way
from treewright.pages.blocks import Block, Paragraph, Table
from treewright.pages.page import Page
from treewright.tree.node import Node
from treewright.tree.node_text import NodeText
from treewright.tree.stored import HYPERPLANE
from treewright.tree.test import read_test
from treewright.tree.tree import Tree
from treewright.tree.wording import name_text, share_text

_SHOWN_STEPS = 40  # a longer path shows its last steps


@dataclass(frozen=True)
class Question:
    """What is asked beside "why": which other answer, which columns may not change, what a change is measured in."""

    wanted: Wanted | None
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
        self, tree: Tree, row: RowValues, way: Way, question: Question, held_out: HeldOut | None = None
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
        return f"{answer_text(self.prediction)}{by}{because}; {self._support()}."

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
        search = FlipSearch(self.tree, self.row.numbers, set(question.fixed), scales)
        found: Flip | None = search.find(question.wanted)
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
        return f"Why {answer_text(self.prediction)}?"

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
        if not any(runners):
            return Table(headings, tuple(rows), frozenset({2}))
        with_runners = tuple((*row, text) for row, text in zip(rows, runners, strict=True))
        return Table((*headings, "next best test"), with_runners, frozenset({2}))

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

    def _runner_up(self, node: Node) -> str:
        found = runner_up(self.tree, node.id) if not node.is_leaf else None
        return "" if found is None else f"{found[0]} ({share_text(found[1])} as good)"

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
