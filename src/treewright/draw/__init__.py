"""Pictures: trees (`draw`), decision boundaries (`boundary`) and plots, all in one style (`style`).

A tree is drawn once, as a scene of plain shapes; SVG is written from it directly, and matplotlib paints the same shapes for
PNG and PDF. Nothing else is needed: no Graphviz, no browser, no network.
"""

from treewright.draw.draw_tree import draw
from treewright.draw.picture import Picture

__all__ = ["Picture", "draw"]
