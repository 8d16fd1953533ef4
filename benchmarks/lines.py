"""What a line of the final table is (a work, a measure, contestants, bars), and the lines of single trees."""

from __future__ import annotations

from dataclasses import dataclass, replace

from benchmarks.data import shrink

OURS, OURS_BY_ENTROPY = "treewright", "treewright, entropy"


@dataclass(frozen=True)
class Task:
    """What a worker does with a contestant: fit it on a table, or fit it and predict or explain rows with it.

    `trees` and `leaves` are those of an ensemble; a single tree has one tree, and as many leaves as it likes.
    """

    data: str
    max_depth: int | None = None
    min_samples_leaf: int = 1
    predict_rows: int = 0
    trees: int = 1
    leaves: int | None = None
    explain_rows: int = 0

    def small(self) -> Task:
        """Give the same work on a small table, to see whether everything runs."""
        return replace(
            self,
            data=shrink(self.data),
            predict_rows=min(self.predict_rows, 20_000),
            explain_rows=min(self.explain_rows, 500),
        )


@dataclass(frozen=True)
class Measure:
    """One of the numbers a worker reports (`key`), with its unit and how many digits are worth printing."""

    key: str
    unit: str
    digits: int = 3


CPU = Measure("fit_cpu", "CPU s")
WALL = Measure("fit_wall", "wall s")
PREDICT = Measure("predict_cpu", "CPU s")
EXPLAIN = Measure("explain_cpu", "CPU s")
PREDICT_ONE = Measure("predict_one_us", "µs a call", 2)
MEMORY = Measure("peak_share", "× the input", 2)
ACCURACY = Measure("accuracy", "accuracy", 4)
ERROR = Measure("rmse", "RMSE", 4)
PEAK = Measure("peak_mib", "MiB above the input", 1)
BYTES = Measure("bytes_a_node", "bytes a node", 1)


@dataclass(frozen=True)
class Ahead:
    """A bar: the number of this contestant is at least so many times that of ours, at no worse an accuracy."""

    of: str
    times: float


@dataclass(frozen=True)
class AtMost:
    """A bar: our number is not above the limit."""

    limit: float


@dataclass(frozen=True)
class AsAccurate:
    """A bar: our accuracy is at least that of this contestant."""

    of: str


@dataclass(frozen=True)
class AsGood:
    """A bar: we are not less accurate than this contestant by more than noise."""

    of: str


Bar = Ahead | AtMost | AsAccurate | AsGood


@dataclass(frozen=True)
class Line:
    """One work, measured in one way, for several contestants."""

    group: str
    title: str
    task: Task
    measure: Measure
    contestants: tuple[str, ...]
    bars: tuple[Bar, ...]
    ours: str = OURS

    def tasks(self) -> list[Task]:
        return [self.task]

    def small(self) -> Line:
        return replace(self, task=self.task.small())


@dataclass(frozen=True)
class Slope:
    """How the cost of our fit grows: the log-log slope over tasks of growing size."""

    group: str
    title: str
    steps: tuple[tuple[int, Task], ...]
    limit: float | None = None
    contestants: tuple[str, ...] = (OURS,)

    def tasks(self) -> list[Task]:
        return [task for _, task in self.steps]

    def small(self) -> Slope:
        return replace(self, steps=tuple((size, task.small()) for size, task in self.steps))


def _ahead_of_all(*peers: str) -> tuple[Ahead, ...]:
    return tuple(Ahead(peer, 1.0) for peer in peers)


def _shallow(data: str) -> Task:
    return Task(data, max_depth=6, min_samples_leaf=20)


FULL_MILLION = Task("num:1000000:20")
PREDICT_MILLION = replace(FULL_MILLION, predict_rows=1_000_000)
FULL_PEERS = ("scikit-learn", "YDF", "LightGBM")
BOTH_OURS = (OURS, OURS_BY_ENTROPY)
ALL_PEERS = ("scikit-learn", "LightGBM", "XGBoost exact", "YDF")
PREDICT_PEERS = ("scikit-learn", "ONNX runtime", "XGBoost", "LightGBM")

TREES = [
    Line(
        "tree",
        "fully grown, 1,000,000 × 20 continuous",
        FULL_MILLION,
        CPU,
        (*BOTH_OURS, *FULL_PEERS),
        (Ahead("scikit-learn", 45), Ahead("YDF", 15)),
    ),
    Line(
        "tree",
        "fully grown, 100,000 × 50 continuous",
        Task("num:100000:50"),
        CPU,
        (*BOTH_OURS, *FULL_PEERS),
        (Ahead("scikit-learn", 35), Ahead("YDF", 14)),
    ),
    Line(
        "tree",
        "fully grown, 10,000 × 20 continuous",
        Task("num:10000:20"),
        CPU,
        (*BOTH_OURS, *FULL_PEERS),
        (Ahead("scikit-learn", 20), Ahead("YDF", 10)),
    ),
    Line(
        "tree",
        "depth 6, leaf ≥ 20, 1,000,000 × 20",
        _shallow("num:1000000:20"),
        CPU,
        (*BOTH_OURS, *ALL_PEERS),
        (Ahead("scikit-learn", 35), Ahead("XGBoost exact", 9)),
    ),
    Line("tree", "depth 6, flights", _shallow("flights"), CPU, (*BOTH_OURS, *ALL_PEERS), _ahead_of_all(*ALL_PEERS)),
    Line(
        "tree",
        "depth 6, flights, two threads",
        _shallow("flights"),
        WALL,
        ("treewright, 2 threads", OURS),
        (Ahead(OURS, 1.7),),
        ours="treewright, 2 threads",
    ),
    Line(
        "tree", "depth 6, adult as it is", _shallow("adult"), CPU, (*BOTH_OURS, *ALL_PEERS), _ahead_of_all(*ALL_PEERS)
    ),
    Line(
        "tree", "fully grown, adult as it is", Task("adult"), CPU, (*BOTH_OURS, *FULL_PEERS), _ahead_of_all(*FULL_PEERS)
    ),
    Line(
        "tree",
        "depth 6, 500,000 mixed rows",
        _shallow("mixed:500000"),
        CPU,
        (*BOTH_OURS, *ALL_PEERS),
        _ahead_of_all(*ALL_PEERS),
    ),
]

OTHERS: list[Line | Slope] = [
    Line(
        "predict",
        "predict 1,000,000 rows, fully grown tree",
        PREDICT_MILLION,
        PREDICT,
        (OURS, *PREDICT_PEERS),
        tuple(Ahead(peer, 4) for peer in PREDICT_PEERS),
    ),
    Line(
        "predict",
        "predict one row, a Python call",
        PREDICT_MILLION,
        PREDICT_ONE,
        (OURS, *PREDICT_PEERS),
        (AtMost(2.0),),
    ),
    Line("memory", "peak memory in fit, 1,000,000 × 20", FULL_MILLION, MEMORY, (OURS, *FULL_PEERS), (AtMost(1.5),)),
    Line(
        "levels",
        "depth 6, a column of 1,000 levels",
        _shallow("cat:200000:1000"),
        ACCURACY,
        (OURS, "XGBoost", "LightGBM", "YDF", "scikit-learn"),
        (AsAccurate("XGBoost"),),
    ),
    Slope(
        "scaling",
        "rows (10,000 to 1,000,000 × 20, depth 6)",
        tuple((rows, _shallow(f"num:{rows}:20")) for rows in (10_000, 100_000, 1_000_000)),
        limit=1.1,
    ),
    Slope(
        "scaling",
        "rows (10,000 to 1,000,000 × 20, fully grown)",
        tuple((rows, Task(f"num:{rows}:20")) for rows in (10_000, 100_000, 1_000_000)),
        limit=1.1,
    ),
    Slope(
        "scaling",
        "columns (100,000 × 10 to 160, fully grown)",
        tuple((columns, Task(f"num:100000:{columns}")) for columns in (10, 40, 160)),
    ),
    Slope(
        "scaling",
        "levels (10 to 100,000 in 200,000 rows, depth 6)",
        tuple((levels, _shallow(f"cat:200000:{levels}")) for levels in (10, 100, 1_000, 10_000, 100_000)),
    ),
]

CLASSIC = [
    Line(
        "classic",
        "C4.5 with pruning, adult",
        Task("adult factors"),
        CPU,
        ("treewright C4.5", "Weka J48"),
        (Ahead("Weka J48", 20),),
        ours="treewright C4.5",
    ),
    Line(
        "classic",
        "conditional tree, adult",
        Task("adult narrow"),
        CPU,
        ("treewright ctree", "partykit ctree"),
        (Ahead("partykit ctree", 20),),
        ours="treewright ctree",
    ),
    Line(
        "classic",
        "conditional tree, letter",
        Task("letter"),
        CPU,
        ("treewright ctree", "partykit ctree"),
        (Ahead("partykit ctree", 50),),
        ours="treewright ctree",
    ),
    Line(
        "classic",
        "CART, cp 0, minsplit 2, adult",
        Task("adult factors"),
        CPU,
        ("treewright, as rpart", "rpart"),
        (Ahead("rpart", 10),),
        ours="treewright, as rpart",
    ),
    Line(
        "classic",
        "CART with 5 surrogates, adult",
        Task("adult factors"),
        CPU,
        ("treewright, 5 surrogates", "treewright, 0 surrogates"),
        (Ahead("treewright, 0 surrogates", 1 / 3),),
        ours="treewright, 5 surrogates",
    ),
    Line(
        "classic",
        "CHAID, 100,000 × 20 nominal",
        Task("nominal:100000:20"),
        CPU,
        ("treewright CHAID",),
        (AtMost(1.0),),
        ours="treewright CHAID",
    ),
    Line(
        "classic",
        "oblique tree, 100,000 × 50",
        Task("num:100000:50"),
        CPU,
        ("treewright oblique", OURS),
        (Ahead(OURS, 1 / 20),),
        ours="treewright oblique",
    ),
]
