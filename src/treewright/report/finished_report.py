"""A finished report: the models and numbers behind it, and the page."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.compare import Comparison
from treewright.pages.blocks import Block
from treewright.pages.html_page import write_html
from treewright.pages.markdown_page import write_markdown


@dataclass(frozen=True)
class Report:
    """What `tw.report` found. Save it as a page, or look at its parts.

    Attributes
    ----------
    title : str
        The heading of the page.
    tree : fitted model
        The tree that is drawn, grown from the training rows.
    best : fitted model
        The learner that did best in the comparison, trained on the same rows.
    comparison : Comparison
        All learners on the folds of the training rows.
    held_out : dict
        What the two models score on the rows that were held out: model → measure → value.
    blocks : tuple
        The page in parts.
    """

    title: str
    tree: Any
    best: Any
    comparison: Comparison
    held_out: dict[str, dict[str, float]]
    blocks: tuple[Block, ...]

    def to_html(self) -> str:
        """Give the report as one HTML page: pictures inside, no script, no request to anywhere."""
        return write_html(self.blocks, self.title)

    def to_markdown(self) -> str:
        """Give the report as Markdown, without its pictures."""
        return write_markdown(self.blocks)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the page."""
        Path(path).write_text(self.to_html(), encoding="utf-8")

    def _repr_html_(self) -> str:
        from treewright.pages.html_page import write_fragment

        return write_fragment(self.blocks)

    def __repr__(self) -> str:
        return f"<Report '{self.title}': best {self.comparison.best} of {len(self.comparison.learners)} learners>"
