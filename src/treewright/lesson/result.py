"""What `tw.lesson` gives: the whole working, as text, Markdown, HTML, JSON or plain values."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from treewright.lesson.explain import NodeLesson
from treewright.lesson.hypothesis_space import HypothesisSpace, space_lines
from treewright.lesson.measures import plain_measures
from treewright.lesson.methods.candidate import Candidate
from treewright.lesson.methods.method import Method
from treewright.lesson.node_page import node_blocks
from treewright.lesson.pruning.section import PruningLesson
from treewright.pages.blocks import Block, Heading, Paragraph, Verbatim, Working
from treewright.pages.html_page import write_html
from treewright.pages.markdown_page import write_markdown
from treewright.pages.text_page import write_text
from treewright.reference.tally import Tally
from treewright.tree.format import name_text, rows_text


@dataclass(frozen=True)
class Lesson:
    """The working of an algorithm on a table, node by node. Print it, or take it in another form.

    Attributes
    ----------
    model : estimator
        The fitted estimator, pruned where its parameters ask for it.
    nodes : tuple of NodeLesson
        The nodes that are explained, parents before children.
    space : HypothesisSpace or None
        How many hypotheses there are; None for a numeric target or without columns of levels.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_tennis(return_X_y=True)
    >>> lesson = tw.lesson(X, y, "cart", max_depth=1)
    >>> lesson
    <Lesson in CART: EnjoyTennis, 3 of 3 nodes>
    >>> print(lesson.text[:31])
    CART, step by step: EnjoyTennis
    """

    model: Any
    method: Method
    nodes: tuple[NodeLesson, ...]
    n_nodes: int
    grown: Any
    pruning: PruningLesson | None
    space: HypothesisSpace | None

    @property
    def title(self) -> str:
        """The algorithm, and what it learns."""
        target = self.grown.tree_.schema.target
        return f"{self.method.title}, step by step" + (f": {name_text(target)}" if target else "")

    @property
    def text(self) -> str:
        """The lesson as plain text, 80 characters wide."""
        return self.to_text()

    def to_text(self, width: int = 80, ascii: bool = False) -> str:
        """Write plain text with aligned columns; `ascii=True` for a terminal that knows nothing else."""
        return write_text(self.blocks(), width, ascii)

    def markdown(self) -> str:
        """Write Markdown, with tables as GitHub and notebooks read them."""
        return write_markdown(self.blocks())

    def html(self) -> str:
        """Write one HTML page that needs no other file."""
        return write_html(self.blocks(), self.title)

    def blocks(self) -> Iterator[Block]:
        """Give the page as blocks, whatever it will be written as."""
        yield Heading(1, self.title)
        yield Paragraph(self._about())
        for text in self.method.introduction():
            yield Paragraph(text)
        for node in self.nodes:
            yield from node_blocks(node, self.method)
        if len(self.nodes) < self.n_nodes:
            yield Paragraph(
                f"Explained so far: {len(self.nodes):,} of {self.n_nodes:,} nodes. A larger max_nodes explains more."
            )
        yield Heading(2, "The tree", "tree")
        yield Verbatim(self.grown.tree_.to_text(width=80))
        if self.pruning is not None:
            yield Heading(2, "Pruning", "pruning")
            yield from self.pruning.blocks
        if self.space is not None:
            yield Heading(2, "How many hypotheses there are", "hypotheses")
            yield Working(tuple(space_lines(self.space)))

    def _about(self) -> str:
        sample = self.method.sample
        names = ", ".join(map(name_text, sample.schema.names[:12])) + (" …" if sample.n_columns > 12 else "")
        unit = f" Information is in {self.method.unit.name}." if self._has_information() else ""
        rows = rows_text(len(sample.table.target))
        columns = "1 column" if sample.n_columns == 1 else f"{sample.n_columns} columns"
        return f"{rows}, {columns}: {names}.{unit}"

    def _has_information(self) -> bool:
        return self.method.impurity_name == "entropy" or "saved" in self.method.measures

    def to_dict(self) -> dict[str, Any]:
        """Give the working as plain values: every node with its counts, candidates, measures, winner and reason."""
        sample = self.method.sample
        return {
            "format": "treewright lesson",
            "version": 1,
            "algorithm": self.method.title,
            "target": sample.schema.target,
            "classes": None if sample.classes is None else [str(label) for label in sample.classes],
            "columns": list(sample.schema.names),
            "n_rows": len(sample.table.target),
            "information_unit": self.method.unit.name,
            "n_nodes": self.n_nodes,
            "nodes": [self._node_dict(node) for node in self.nodes],
            "tree": self.grown.tree_.to_dict(),
            "pruning": None if self.pruning is None else self.pruning.facts,
            "hypotheses": None if self.space is None else self.space.to_dict(),
        }

    def to_json(self, indent: int | None = None) -> str:
        """Write `to_dict()` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False, default=str)

    def _node_dict(self, node: NodeLesson) -> dict[str, Any]:
        names = self.method.sample.schema.names
        return {
            "id": node.id,
            "path": list(node.path),
            **self._tally_dict(node.tally, node.impurity),
            "candidates": [self._candidate_dict(candidate) for candidate in node.candidates],
            "winner": None if node.winner is None else names[node.candidates[node.winner].column],
            "why": node.why,
            "is_leaf": node.is_leaf,
            "prediction": node.prediction,
            "branches": [{"label": label, "node": child} for label, child in node.branches],
        }

    def _tally_dict(self, tally: Tally, impurity: float | None) -> dict[str, Any]:
        found = tally.to_dict(self.method.sample.classes)
        if impurity is not None and self.method.impurity_name is not None:
            is_information = self.method.impurity_name == "entropy"
            found[self.method.impurity_name] = self.method.unit.show(impurity) if is_information else impurity
        return found

    def _candidate_dict(self, candidate: Candidate) -> dict[str, Any]:
        return {
            "column": self.method.sample.schema.names[candidate.column],
            "test": candidate.test,
            "branches": [
                {"label": b.label, **self._tally_dict(b.tally, self.method.impurity(b.tally))}
                for b in candidate.branches
            ],
            "measures": plain_measures(candidate.measures, self.method.unit),
            "remark": candidate.remark,
        }

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        target = self.grown.tree_.schema.target or "no name"
        return f"<Lesson in {self.method.title}: {target}, {len(self.nodes)} of {self.n_nodes} nodes>"

    def _repr_markdown_(self) -> str:
        return self.markdown()
