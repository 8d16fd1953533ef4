"""Random small models of every algorithm, with rows to explain: missing values and levels never seen are common."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import pandas as pd
from hypothesis import strategies as st

import treewright as tw

CLASSIFIERS = {
    "cart learn": lambda: tw.DecisionTreeClassifier(),
    "cart larger": lambda: tw.DecisionTreeClassifier(missing="larger", max_depth=4),
    "cart branch": lambda: tw.DecisionTreeClassifier(missing="branch"),
    "cart stop": lambda: tw.DecisionTreeClassifier(missing="stop"),
    "id3": lambda: tw.ID3Classifier(missing="branch"),
    "chaid": lambda: tw.CHAIDClassifier(
        alpha_split=0.99, alpha_merge=0.3, min_samples_split=2, min_samples_leaf=1, max_depth=4
    ),
    "ctree": lambda: tw.ConditionalTreeClassifier(alpha=0.99, min_samples_split=2, min_samples_leaf=1),
}
OTHERS = {
    "cart surrogates": lambda: tw.DecisionTreeClassifier(missing="surrogates"),
    "cart fractional": lambda: tw.DecisionTreeClassifier(missing="fractional"),
    "c45": lambda: tw.C45Classifier(min_samples_leaf=1, prune=False),
    "c45 subsets": lambda: tw.C45Classifier(min_samples_leaf=1, subsets=True, confidence=0.9),
    "oblique": lambda: tw.ObliqueTreeClassifier(prune=None),
}
REGRESSORS = {
    "cart": lambda: tw.DecisionTreeRegressor(min_samples_leaf=2),
    "cart median": lambda: tw.DecisionTreeRegressor(criterion="absolute_error", missing="branch"),
    "model tree": lambda: tw.ModelTreeRegressor(min_samples_leaf=2),
    "oblique": lambda: tw.ObliqueTreeRegressor(prune=None),
}
GRADES = ["low", "middle", "high", "top"]


@dataclass
class Explained:
    """A model, fitted when it is first asked for, its table, and rows to explain."""

    kind: str
    make: Callable[[], Any]
    X: pd.DataFrame
    y: pd.Series
    rows: pd.DataFrame

    @cached_property
    def model(self) -> Any:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Column .* has only one value")
            kinds = {"colour": "nominal", **({"number": "nominal"} if self.kind == "id3" else {})}
            return self.make().set_params(column_kinds=kinds).fit(self.X, self.y)


@st.composite
def explained_models(draw: st.DrawFn, kinds: dict[str, Any], numbers: bool = False) -> Explained:
    """A model of one of these kinds on a random table of numbers, ordered levels and colours."""
    kind = draw(st.sampled_from(sorted(kinds)))
    cells = Random(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(2, 24))
    holes = draw(st.sampled_from([0.0, 0.2]))
    X = _table(cells, n_rows, holes, ["red", "green", "blue", "grey"][: draw(st.integers(1, 4))])
    labels = [cells.randint(0, 20) / 2 if numbers else cells.choice("abc") for _ in range(n_rows)]
    y = pd.Series(labels, name="answer")
    rows = _table(cells, 4, 0.3, ["red", "green", "blue", "grey", "pink"])
    return Explained(kind, kinds[kind], X, y, rows)


def _table(cells: Random, n_rows: int, holes: float, colours: list[str]) -> pd.DataFrame:
    def hole(value: Any) -> Any:
        return None if cells.random() < holes else value

    number = pd.Series([hole(cells.randint(0, 7) / 2) for _ in range(n_rows)], dtype=float)
    grade = pd.Categorical([hole(cells.choice(GRADES)) for _ in range(n_rows)], GRADES, ordered=True)
    colour = pd.Series([hole(cells.choice(colours)) for _ in range(n_rows)], dtype=object)
    return pd.DataFrame({"number": number, "grade": grade, "colour": colour})
