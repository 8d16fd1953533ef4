"""Pictures: trees (`draw`), decision boundaries (`boundary`) and plots, all in one style (`style`).

A tree is drawn once, as a scene of plain shapes; SVG is written from it directly, and matplotlib paints the same shapes
for PNG and PDF. Nothing else is needed: no Graphviz, no browser, no network.
"""

from treewright.plot.boundary import boundary
from treewright.plot.class_plots import plot_calibration, plot_confusion, plot_gains, plot_roc
from treewright.plot.draw_tree import draw
from treewright.plot.pruning_plot import plot_pruning
from treewright.plot.scene import Picture
from treewright.plot.shap_plots import plot_shap, plot_shap_dependence, plot_shap_waterfall

__all__ = [
    "Picture",
    "boundary",
    "draw",
    "plot_calibration",
    "plot_confusion",
    "plot_gains",
    "plot_pruning",
    "plot_roc",
    "plot_shap",
    "plot_shap_dependence",
    "plot_shap_waterfall",
]
