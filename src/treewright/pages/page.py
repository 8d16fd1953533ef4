"""What is written as blocks can be read as plain text, as an HTML page, and in a notebook."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from treewright.pages.blocks import Block, Heading
from treewright.pages.html_page import write_fragment, write_html
from treewright.pages.text_page import write_text


class Page:
    """A subclass gives its title, its blocks and its plain values; the forms are the same for all.

    Examples
    --------
    >>> from treewright.pages.blocks import Paragraph
    >>> class Greeting(Page):
    ...     title = "Greeting"
    ...     def blocks(self):
    ...         yield Paragraph("Good morning.")
    >>> print(Greeting())
    Good morning.
    >>> "<h1>Greeting</h1>" in Greeting().to_html()
    True
    """

    _width = 100  # characters in a line of text, where nothing else is asked for

    @property
    def title(self) -> str:
        """The heading of the page."""
        raise NotImplementedError

    def blocks(self) -> Iterator[Block]:
        """Give what is said as blocks, whatever it will be written as."""
        raise NotImplementedError

    def to_dict(self) -> Any:
        """Give what is said as plain values."""
        raise NotImplementedError

    def to_text(self, width: int | None = None, ascii: bool = False) -> str:
        """Write plain text; `ascii=True` for a terminal that knows nothing else."""
        return write_text(self.blocks(), self._width if width is None else width, ascii)

    def to_html(self) -> str:
        """Write one HTML page that needs no other file."""
        return write_html([Heading(1, self.title), *self.blocks()], self.title)

    def to_json(self, indent: int | None = None) -> str:
        """Write `to_dict()` as JSON."""
        return json.dumps(self.to_dict(), indent=indent, default=str)

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return write_fragment(self.blocks())
