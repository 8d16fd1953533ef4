"""Pictures: trees (`draw`), decision boundaries (`boundary`) and plots, all in one style (`style`).

A tree is drawn once, as a scene of plain shapes; SVG is written from it directly, and matplotlib paints the same shapes
for PNG and PDF. Nothing else is needed: no Graphviz, no browser, no network.
"""

from treewright.draw.calibration_plot import plot_calibration
from treewright.draw.confusion_plot import plot_confusion
from treewright.draw.draw_boundary import boundary
from treewright.draw.draw_tree import draw
from treewright.draw.gains_plot import plot_gains
from treewright.draw.picture import Picture
from treewright.draw.pruning_plot import plot_pruning
from treewright.draw.roc_plot import plot_roc

__all__ = [
    "Picture",
    "boundary",
    "draw",
    "plot_calibration",
    "plot_confusion",
    "plot_gains",
    "plot_pruning",
    "plot_roc",
]
