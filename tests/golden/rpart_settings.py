"""The cases of `rpart/settings.R`, as the numbers of the slow definition and of our estimators."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any

import pandas as pd

from golden.rpart_oracle import Named, exact
from golden.rpart_tree import HERE, Seen, send_down
from oracle.rpart.classes import Classes
from oracle.rpart.lesson import Control, Method
from oracle.rpart.means import Means
from oracle.rpart.rates import Rates
from treewright import datasets

ONE_FOR_FOUR = [[0, 1], [4, 0]]
MANY = [
    [0, 1, 1, 1, 1, 2],
    [1, 0, 3, 1, 1, 1],
    [2, 1, 0, 1, 4, 1],
    [1, 1, 1, 0, 1, 1],
    [5, 1, 1, 2, 0, 1],
    [1, 1, 1, 1, 1, 0],
]


@dataclass(frozen=True)
class Case:
    """One fit: the table, rpart's numbers that are not its defaults, and what the target means."""

    table: str
    target: str
    cp: str = "0.01"
    min_samples_split: int = 20
    use: int = 2
    style: int = 0
    criterion: str = "gini"
    priors: tuple[float, ...] | None = None
    losses: list[list[int]] | None = None
    weights: tuple[int, ...] | None = None
    shrink: float | None = None
    exposure: str | None = None
    drop: tuple[str, ...] = field(default=())

    @property
    def control(self) -> Control:
        """The definition's numbers; rpart's smallest leaf is a third of its smallest split."""
        return Control(
            min_samples_split=self.min_samples_split,
            min_samples_leaf=max(1, round(self.min_samples_split / 3)),
            use_surrogates=self.use > 0,
            no_value_stops=self.use < 2,
            count_both_known=self.style == 1,
        )


EVEN = tuple([1 / 6] * 6)
CASES = {
    "kyphosis": Case("kyphosis", "Kyphosis"),
    "kyphosis_priors": Case("kyphosis", "Kyphosis", priors=(0.65, 0.35)),
    "kyphosis_losses": Case("kyphosis", "Kyphosis", losses=ONE_FOR_FOUR),
    "kyphosis_both": Case("kyphosis", "Kyphosis", priors=(0.65, 0.35), losses=ONE_FOR_FOUR, criterion="entropy"),
    "kyphosis_weights": Case("kyphosis", "Kyphosis", weights=(1, 2, 3) * 27),
    "heart_stop": Case("heart_c", "num", use=0),
    "heart_known_only": Case("heart_c", "num", use=1),
    "heart_both_known": Case("heart_c", "num", style=1),
    "labor_stop": Case("labor", "class", use=0, cp="0", min_samples_split=4),
    "labor_known_only": Case("labor", "class", use=1, cp="0", min_samples_split=4),
    "labor_both_known": Case("labor", "class", style=1, cp="0", min_samples_split=4),
    "glass_priors": Case("glass", "Type", priors=EVEN, cp="0.02"),
    "glass_losses": Case("glass", "Type", losses=MANY, cp="0.02"),
    "penguins_priors": Case("penguins", "species", priors=(0.2, 0.5, 0.3), cp="0", min_samples_split=5),
    "cars": Case("car_test_frame", "Mileage"),
    "cars_weights": Case("car_test_frame", "Mileage", weights=(1, 2, 5, 3) * 15, min_samples_split=10),
    "cu_known_only": Case("cu_summary", "Price", use=1, min_samples_split=10),
    "cu_both_known": Case("cu_summary", "Price", style=1, min_samples_split=10),
    "airquality": Case("airquality", "Ozone", min_samples_split=10),
    "hardly_pays": Case("hardly_pays", "y"),
    "claims": Case("claims", "claims", shrink=1, exposure="years"),
    "claims_full": Case("claims", "claims", shrink=1, exposure="years", cp="0", min_samples_split=10),
    "claims_no_shrink": Case("claims", "claims", shrink=0, exposure="years", cp="0.005"),
    "claims_half_shrink": Case("claims", "claims", shrink=0.5, exposure="years", cp="0.005"),
    "claims_no_exposure": Case("claims", "claims", shrink=1, cp="0.005", drop=("years",)),
}


@cache
def answers() -> dict[str, dict[str, Any]]:
    """What rpart answered, by case."""
    return {case["case"]: case for case in json.loads((HERE / "settings.json").read_text(encoding="utf-8"))}


def folds(n_rows: int) -> list[int]:
    """The folds of the cases: row i, counted from 1, is in fold 7 i mod 10."""
    return [7 * i % 10 for i in range(1, n_rows + 1)]


@dataclass(frozen=True)
class Loaded:
    """A case with its rows and rpart's answer."""

    case: Case
    X: pd.DataFrame
    y: pd.Series
    exposure: pd.Series | None
    answer: dict[str, Any]

    @property
    def classes(self) -> list[Any] | None:
        """The classes, sorted, or None for numbers."""
        return None if pd.api.types.is_numeric_dtype(self.y) else sorted(set(self.y))

    @property
    def kinds(self) -> dict[str, str]:
        """Text is nominal, numbers are numeric."""
        return {n: "numeric" if pd.api.types.is_numeric_dtype(self.X[n]) else "nominal" for n in self.X.columns}

    def tree(self) -> Seen:
        """rpart's tree."""
        nodes = {node["id"]: {**node, "use": self.case.use} for node in self.answer["nodes"]}
        return send_down(nodes, self.X, self.case.weights or [1.0] * len(self.X))

    def named(self) -> Named:
        """The rows for the slow definition."""
        more: dict[str, Any] = {"weights": self.case.weights} if self.case.weights else {}
        if self.exposure is not None:
            more["exposure"] = tuple(map(exact, self.exposure))
        return Named(self.X, list(self.y), self.kinds, self.classes, **more)

    def method(self, named: Named, rows: Sequence[int] = ()) -> Method:
        """The slow definition's method; the rate of counts is that of the rows which a tree is grown from."""
        case = self.case
        if case.shrink is not None:
            return Rates(named.lesson, exact(case.shrink), rows)
        if self.classes is None:
            return Means(named.lesson)
        priors = None if case.priors is None else [Decimal(p) for p in case.priors]
        losses = None if case.losses is None else [[Decimal(cost) for cost in row] for row in case.losses]
        return Classes(named.lesson, case.criterion, priors, losses)


def load_case(name: str) -> Loaded:
    """Read the table of a case and rpart's answer."""
    case = CASES[name]
    own = HERE.parent / "tables" / f"{case.table}.csv"
    frame = pd.read_csv(own if own.exists() else datasets.path(case.table), keep_default_na=False, na_values=[""])
    y = frame.pop(case.target)
    exposure = None if case.exposure is None else frame.pop(case.exposure)
    return Loaded(case, frame.drop(columns=list(case.drop)), y, exposure, answers()[name])
