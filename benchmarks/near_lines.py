"""The lines of nearest neighbours and naive Bayes: CPU seconds of questions, and of learning where there is any."""

from __future__ import annotations

from benchmarks.lines import CPU, PREDICT, Ahead, Line, Task

_NEIGHBOURS = ("treewright, neighbours", "scikit-learn, neighbours")
_OTHERS = ("scikit-learn-intelex, neighbours", "faiss, neighbours")
_BAYES = ("treewright naive Bayes", "scikit-learn GaussianNB")

NEAR = [
    Line(
        "beside",
        "5 neighbours of 20,000 rows among 100,000 × 3",
        Task("num:100000:3", predict_rows=20_000),
        PREDICT,
        (*_NEIGHBOURS, "scikit-learn, ball tree", *_OTHERS),
        (Ahead(_NEIGHBOURS[1], 1.0), Ahead("scikit-learn, ball tree", 1.0)),
        ours=_NEIGHBOURS[0],
    ),
    Line(
        "beside",
        "5 neighbours of 20,000 rows among 100,000 × 20",
        Task("num:100000:20", predict_rows=20_000),
        PREDICT,
        (*_NEIGHBOURS, *_OTHERS),
        (Ahead(_NEIGHBOURS[1], 1.0),),
        ours=_NEIGHBOURS[0],
    ),
    Line(
        "beside",
        "naive Bayes, 100,000 × 20",
        Task("num:100000:20"),
        CPU,
        _BAYES,
        (Ahead(_BAYES[1], 1.0),),
        ours=_BAYES[0],
    ),
    Line(
        "beside",
        "naive Bayes, predict 100,000 × 20",
        Task("num:100000:20", predict_rows=100_000),
        PREDICT,
        _BAYES,
        (Ahead(_BAYES[1], 1.0),),
        ours=_BAYES[0],
    ),
]
