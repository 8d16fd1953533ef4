"""The lines of logistic regression and the perceptron: CPU seconds of a fit."""

from __future__ import annotations

from benchmarks.lines import CPU, Ahead, Line, Task

LOGISTIC, PERCEPTRON = "treewright logistic", "treewright perceptron"
SCIKIT_LOGISTIC = ("scikit-learn logistic, lbfgs", "scikit-learn logistic, newton-cholesky")
INTEL = "scikit-learn-intelex logistic"


def _logistic(title: str, data: str, *more: str) -> Line:
    bars = tuple(Ahead(peer, 1) for peer in SCIKIT_LOGISTIC)
    return Line("beside", title, Task(data), CPU, (LOGISTIC, *SCIKIT_LOGISTIC, INTEL, *more), bars, ours=LOGISTIC)


LOGISTIC_LINES = [
    _logistic("logistic regression, 100,000 × 20", "num:100000:20", "glum logistic"),
    _logistic("logistic regression, 7 classes, 100,000 × 20", "classes:100000:20"),
    Line(
        "beside",
        "perceptron, 100,000 × 20",
        Task("num:100000:20"),
        CPU,
        (PERCEPTRON, "scikit-learn perceptron"),
        (Ahead("scikit-learn perceptron", 1),),
        ours=PERCEPTRON,
    ),
]
