"""The lines of linear models: CPU seconds of a fit at 100,000 × 20."""

from __future__ import annotations

from benchmarks.lines import CPU, Ahead, Line, Task

ROWS = Task("regression:100000:20")


def _line(title: str, name: str, *more: str) -> Line:
    ours, theirs = f"treewright {name}", f"scikit-learn {name}"
    return Line("beside", title, ROWS, CPU, (ours, theirs, *more), (Ahead(theirs, 1),), ours=ours)


LINEAR = [
    _line("least squares, 100,000 × 20", "linear", "scikit-learn-intelex linear"),
    _line("ridge, 100,000 × 20", "ridge", "scikit-learn ridge, 32 bits", "scikit-learn-intelex ridge", "glum ridge"),
    _line("lasso, 100,000 × 20", "lasso", "glum lasso"),
    _line("elastic net, 100,000 × 20", "elastic net", "glum elastic net"),
    _line("lasso, 100 alphas, 5 folds, 100,000 × 20", "lasso path"),
]
