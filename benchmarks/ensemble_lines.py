"""The lines of ensembles: forests, boosting, bagging; speed, memory, size, growth, and how good they are."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.lines import (
    ACCURACY,
    BYTES,
    CPU,
    ERROR,
    EXPLAIN,
    PEAK,
    PREDICT,
    PREDICT_ONE,
    WALL,
    Ahead,
    AsAccurate,
    AsGood,
    AtMost,
    Bar,
    Line,
    Measure,
    Slope,
    Task,
)

FOREST, EXTRA, BOOSTING = "treewright forest", "treewright extra trees", "treewright boosting"
BOOSTERS = ("LightGBM boosting", "LightGBM boosting, quantised", "scikit-learn boosting", "XGBoost boosting")
BOOSTERS_AND_CATBOOST = (*BOOSTERS, "CatBoost boosting")
BEST_BOOSTERS = ("LightGBM boosting", "XGBoost boosting", "scikit-learn boosting")
FOREST_PEERS = ("scikit-learn forest", "YDF forest", "scikit-learn-intelex forest")


def _line(title: str, task: Task, measure: Measure, ours: str, peers: tuple[str, ...], *bars: Bar) -> Line:
    return Line("ensembles", title, task, measure, (ours, *peers), bars, ours=ours)


def _ahead(times: float, *peers: str) -> tuple[Ahead, ...]:
    return tuple(Ahead(peer, times) for peer in peers)


def _boosted(data: str, trees: int, leaves: int) -> Task:
    return Task(data, min_samples_leaf=20, trees=trees, leaves=leaves)


def _deep(data: str, trees: int) -> Task:
    return Task(data, min_samples_leaf=5, trees=trees)


FULL_FOREST = Task("num:100000:50", trees=100)
FLIGHTS = Task("flights", max_depth=16, trees=10)
BOOSTED = _boosted("num:100000:50", 100, 64)
BOOSTED_MILLION = _boosted("num:1000000:20", 50, 64)
BOOSTED_LEVELS = _boosted("cat:200000:10000", 100, 31)
PREDICT_BOOSTED = Task("num:100000:50", max_depth=6, min_samples_leaf=20, predict_rows=200_000, trees=200, leaves=64)
PREDICT_FOREST = replace(FULL_FOREST, predict_rows=50_000)
PREDICT_PEERS = (
    "CatBoost boosting",
    "lleaves",
    "XGBoost boosting",
    "YDF boosting",
    "scikit-learn boosting",
    "LightGBM boosting",
    "ONNX runtime boosting",
)

SPEED = [
    _line(
        "forest of 100 full trees, 100,000 × 50",
        FULL_FOREST,
        CPU,
        FOREST,
        FOREST_PEERS,
        Ahead("scikit-learn forest", 12),
        Ahead("YDF forest", 8),
    ),
    _line(
        "100 extra trees, 100,000 × 50",
        FULL_FOREST,
        CPU,
        EXTRA,
        ("scikit-learn extra trees", "scikit-learn-intelex extra trees"),
        Ahead("scikit-learn extra trees", 5),
    ),
    _line(
        "forest of 10 trees of depth 16, flights",
        FLIGHTS,
        CPU,
        FOREST,
        (*FOREST_PEERS, "XGBoost forest"),
        Ahead("scikit-learn forest", 5),
    ),
    _line(
        "boosting, 100 trees × 64 leaves, 100,000 × 50",
        BOOSTED,
        CPU,
        BOOSTING,
        (*BOOSTERS_AND_CATBOOST, "Perpetual, its own settings"),
        Ahead("LightGBM boosting", 2.5),
        *_ahead(2, *BOOSTERS_AND_CATBOOST[1:]),
    ),
    _line(
        "boosting, 50 trees, 1,000,000 × 20, two threads",
        BOOSTED_MILLION,
        WALL,
        f"{BOOSTING}, 2 threads",
        tuple(f"{peer}, 2 threads" for peer in BOOSTERS_AND_CATBOOST),
        *_ahead(2, *(f"{peer}, 2 threads" for peer in BOOSTERS_AND_CATBOOST)),
    ),
    _line(
        "boosting, 100 trees, 200,000 mixed rows",
        _boosted("mixed:200000", 100, 31),
        CPU,
        BOOSTING,
        BOOSTERS_AND_CATBOOST,
        Ahead("LightGBM boosting", 1.5),
    ),
    _line(
        "boosting, 200 trees, 10,000 × 20",
        _boosted("num:10000:20", 200, 31),
        CPU,
        BOOSTING,
        BOOSTERS,
        *_ahead(2, *BOOSTERS),
    ),
    _line(
        "boosting, a column of 10,000 levels",
        BOOSTED_LEVELS,
        CPU,
        BOOSTING,
        BOOSTERS_AND_CATBOOST,
        Ahead("LightGBM boosting", 1),
    ),
    _line(
        "bagging of 5 full trees, 100,000 × 50",
        Task("num:100000:50", trees=5),
        CPU,
        "treewright bagging",
        ("scikit-learn bagging",),
        Ahead("scikit-learn bagging", 1),
    ),
    _line(
        "AdaBoost, 50 stumps, 100,000 × 50",
        Task("num:100000:50", max_depth=1, trees=50),
        CPU,
        "treewright AdaBoost",
        ("scikit-learn AdaBoost",),
        Ahead("scikit-learn AdaBoost", 1),
    ),
]

PREDICTION = [
    _line(
        "predict 200,000 rows, 200 boosted trees of depth 6",
        PREDICT_BOOSTED,
        PREDICT,
        BOOSTING,
        PREDICT_PEERS,
        Ahead("XGBoost boosting", 5),
    ),
    _line(
        "predict 50,000 rows, 100 deep trees",
        PREDICT_FOREST,
        PREDICT,
        FOREST,
        (*FOREST_PEERS, "ONNX runtime forest"),
        Ahead("scikit-learn forest", 4),
    ),
    _line(
        "one row through 200 boosted trees",
        PREDICT_BOOSTED,
        PREDICT_ONE,
        BOOSTING,
        tuple(peer for peer in PREDICT_PEERS if peer != "lleaves"),
        AtMost(10.0),
    ),
]

EXPLANATION = [
    _line(
        f"SHAP values of 10,000 rows, 100 boosted trees × {leaves} leaves, {columns} columns",
        replace(_boosted(f"num:100000:{columns}", 100, leaves), explain_rows=10_000),
        EXPLAIN,
        BOOSTING,
        ("LightGBM boosting", "shap, of scikit-learn boosting"),
        Ahead("LightGBM boosting", 1),
        Ahead("shap, of scikit-learn boosting", 5),
    )
    for leaves, columns in ((31, 20), (64, 50))
]

SIZE = [
    _line(
        "peak memory of a forest, 100,000 × 50",
        FULL_FOREST,
        PEAK,
        FOREST,
        FOREST_PEERS,
        Ahead("scikit-learn forest", 1),
    ),
    _line(
        "peak memory of boosting, 1,000,000 × 20",
        BOOSTED_MILLION,
        PEAK,
        BOOSTING,
        ("LightGBM boosting",),
        Ahead("LightGBM boosting", 1),
    ),
    _line("size of a forest on disk", FULL_FOREST, BYTES, FOREST, (), AtMost(30)),
    _line("size of a booster on disk", BOOSTED, BYTES, BOOSTING, (), AtMost(30)),
]


def _good(what: str, task: Task, ours: str, peers: tuple[str, ...], measure: Measure = ACCURACY) -> Line:
    return _line(f"how good: {what}", task, measure, ours, peers, *(AsGood(peer) for peer in peers))


QUALITY = [
    _good("forest, adult", _deep("adult", 100), FOREST, FOREST_PEERS),
    _good("forest, 500,000 mixed rows", _deep("mixed:500000", 20), FOREST, FOREST_PEERS),
    _good("forest, 7 classes, 200,000 × 40", _deep("classes:200000:40", 20), FOREST, FOREST_PEERS),
    _good("forest, regression, 500,000 × 20", _deep("regression:500000:20", 10), FOREST, FOREST_PEERS, ERROR),
    _good("boosting, adult", _boosted("adult", 100, 31), BOOSTING, BEST_BOOSTERS),
    _good("boosting, 500,000 mixed rows", _boosted("mixed:500000", 100, 31), BOOSTING, BEST_BOOSTERS),
    _good("boosting, 7 classes, 200,000 × 40", _boosted("classes:200000:40", 50, 31), BOOSTING, BEST_BOOSTERS),
    _good(
        "boosting, regression, 500,000 × 20", _boosted("regression:500000:20", 100, 31), BOOSTING, BEST_BOOSTERS, ERROR
    ),
    _line(
        "how good: boosting, a column of 10,000 levels",
        BOOSTED_LEVELS,
        ACCURACY,
        BOOSTING,
        ("CatBoost boosting", "XGBoost boosting", "LightGBM boosting"),
        *(AsAccurate(peer) for peer in ("CatBoost boosting", "XGBoost boosting", "LightGBM boosting")),
    ),
]

GROWTH = [
    Slope(
        "ensembles",
        f"{what} ({title})",
        tuple((size, task) for size, task in steps),
        limit=1.1,
        contestants=(ours,),
    )
    for ours, what, title, steps in (
        (
            FOREST,
            "rows",
            "forest of 10 full trees, 10,000 to 1,000,000 × 20",
            [(rows, Task(f"num:{rows}:20", trees=10)) for rows in (10_000, 100_000, 1_000_000)],
        ),
        (
            BOOSTING,
            "rows",
            "boosting, 50 trees, 10,000 to 1,000,000 × 20",
            [(rows, _boosted(f"num:{rows}:20", 50, 64)) for rows in (10_000, 100_000, 1_000_000)],
        ),
        (
            FOREST,
            "trees",
            "forest of 5 to 80 full trees, 100,000 × 20",
            [(trees, Task("num:100000:20", trees=trees)) for trees in (5, 20, 80)],
        ),
        (
            BOOSTING,
            "trees",
            "boosting, 50 to 800 trees, 100,000 × 20",
            [(trees, _boosted("num:100000:20", trees, 31)) for trees in (50, 200, 800)],
        ),
    )
]

ENSEMBLES: list[Line | Slope] = [*SPEED, *PREDICTION, *EXPLANATION, *SIZE, *QUALITY, *GROWTH]
