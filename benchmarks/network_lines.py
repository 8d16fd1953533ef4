"""The lines of multilayer perceptrons: CPU seconds of five epochs, and how good they are then."""

from __future__ import annotations

from benchmarks.lines import CPU, Ahead, Line, Task

ROWS = Task("num:100000:20")

NETWORKS = [
    Line(
        "beside",
        "MLP of 100 units, 5 epochs, 100,000 × 20",
        ROWS,
        CPU,
        ("treewright MLP", "treewright MLP, 32 bits", "scikit-learn MLP", "torch MLP, 32 bits"),
        (Ahead("scikit-learn MLP", 1.5),),
        ours="treewright MLP",
    ),
    Line(
        "beside",
        "MLP of 50 and 50 units, 5 epochs, 100,000 × 20",
        ROWS,
        CPU,
        ("treewright MLP, two layers", "scikit-learn MLP, two layers"),
        (Ahead("scikit-learn MLP, two layers", 1.5),),
        ours="treewright MLP, two layers",
    ),
    Line(
        "beside",
        "MLP of 100 units for numbers, 5 epochs, 100,000 × 20",
        Task("regression:100000:20"),
        CPU,
        ("treewright MLP", "treewright MLP, 32 bits", "scikit-learn MLP", "torch MLP, 32 bits"),
        (Ahead("scikit-learn MLP", 1.5),),
        ours="treewright MLP",
    ),
]
