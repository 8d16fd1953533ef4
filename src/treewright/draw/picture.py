"""A finished picture: shown in a notebook, saved as SVG, PNG or PDF."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.draw.scene import Scene
from treewright.draw.style import PICTURE_ENDINGS
from treewright.draw.svg import to_svg
from treewright.errors import DataError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TREE_ENDINGS = (*PICTURE_ENDINGS, ".html")  # the last is no picture but a page to look around in


class Picture:
    """A picture of a tree. In a notebook it shows itself.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.tree import example_tree
    >>> picture = tw.draw(example_tree())
    >>> picture
    <Picture of 2.6 × 3.0 inches>
    >>> picture.to_svg()[:38]
    '<svg xmlns="http://www.w3.org/2000/svg'
    """

    def __init__(self, scene: Scene, page: Callable[[], str] | None = None) -> None:
        self.scene = scene
        self._page = page

    def to_html(self) -> str:
        """Give the tree as a page that can be searched, folded and asked: one HTML file that opens offline.

        >>> import treewright as tw
        >>> tw.draw(tw.tree.example_tree()).to_html()[:15]
        '<!doctype html>'
        """
        assert self._page is not None
        return self._page()

    def to_svg(self) -> str:
        """Give the picture as the text of an SVG file."""
        return to_svg(self.scene)

    def to_bytes(self, ending: str, dpi: float = 150.0) -> bytes:
        """Give the picture as the bytes of a file with this ending: ".svg", ".png", ".pdf" or ".html".

        >>> import treewright as tw
        >>> from treewright.tree import example_tree
        >>> tw.draw(example_tree()).to_bytes(".pdf")[:4]
        b'%PDF'
        """
        if ending == ".svg":
            return self.to_svg().encode("utf-8")
        if ending == ".html":
            return self.to_html().encode("utf-8")
        from treewright.draw.paint import to_pdf, to_png  # here, because matplotlib takes its time to import

        return to_png(self.scene, dpi) if ending == ".png" else to_pdf(self.scene)

    def save(self, path: str | os.PathLike[str], dpi: float = 150.0) -> None:
        """Save the picture in the format that the ending of the name tells.

        >>> import treewright as tw
        >>> from treewright.tree import example_tree
        >>> tw.draw(example_tree()).save("tree.jpg")
        Traceback (most recent call last):
        treewright.errors.DataError: tree.jpg: the name of a picture must end with .png, .svg, .pdf, .html.
        """
        Path(path).write_bytes(self.to_bytes(picture_ending(path), dpi))

    def figure(self) -> Figure:
        """Give the picture as a figure of matplotlib."""
        from treewright.draw.paint import to_figure

        return to_figure(self.scene)

    def _repr_html_(self) -> str:
        return f'<div style="max-width:100%;overflow:auto">{self.to_svg()}</div>'

    def __repr__(self) -> str:
        return f"<Picture of {self.scene.width / 72:.1f} × {self.scene.height / 72:.1f} inches>"


def picture_ending(path: str | os.PathLike[str]) -> str:
    """Tell the format of a picture by its name.

    >>> picture_ending("Tree.SVG")
    '.svg'
    """
    ending = Path(path).suffix.lower()
    if ending not in TREE_ENDINGS:
        raise DataError(f"{os.fspath(path)}: the name of a picture must end with {', '.join(TREE_ENDINGS)}.")
    return ending
