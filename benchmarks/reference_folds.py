"""Our ensembles beside ranger, Weka and gbm on small tables with given folds: `python -m benchmarks.reference_folds`.

The numbers of those programs were taken once and come as a file. A folder named in TREEWRIGHT_BENCH_REFERENCE holds
`summary.csv` (a row a table, a column a program) and `folds/NAME.csv` (the fold of each row); the tables are NAME.csv
with their kinds in NAME.json, in the folder that TREEWRIGHT_BENCH_DATA names. Scores are those of all rows, each
answered by a model that did not see it: accuracy, or the root of the mean squared error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

N_FOLDS = 10


@dataclass(frozen=True)
class Match:
    """One of our models, and the columns of the programs that it stands beside."""

    title: str
    peers: tuple[str, ...]
    make: Callable[[Any, str], Any]  # from the package and the task to an estimator
    # Bars are set for these; the others are shown beside.
    must_reach: bool = True


def _forest(tw: Any, task: str) -> Any:
    kind = tw.RandomForestRegressor if task == "reg" else tw.RandomForestClassifier
    return kind(n_estimators=500, random_state=0)  # as many trees as ranger; all else as each of them has it


def _boosting(tw: Any, task: str) -> Any:
    kind = tw.GradientBoostingRegressor if task == "reg" else tw.GradientBoostingClassifier
    settings = {"n_estimators": 300, "max_leaf_nodes": 4, "learning_rate": 0.05, "subsample": 0.5}
    return kind(**settings, min_samples_leaf=10, early_stopping=False, random_state=0)


@dataclass
class WithoutOrder:
    """A model that sees ordinal columns as nominal ones."""

    model: Any

    def fit(self, X: pd.DataFrame, y: Any) -> WithoutOrder:
        self.model.fit(self._plain(X), y)
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        return np.asarray(self.model.predict(self._plain(X)))

    def _plain(self, X: pd.DataFrame) -> pd.DataFrame:
        is_levelled = [name for name in X.columns if isinstance(X[name].dtype, pd.CategoricalDtype)]
        return X.assign(**{name: X[name].cat.as_unordered() for name in is_levelled})


def _stump(tw: Any) -> Any:
    return tw.DecisionTreeClassifier(criterion="entropy", max_depth=1)


def _neighbours(k: int) -> Callable[[Any, str], Any]:
    return lambda tw, task: (tw.KNeighborsRegressor if task == "reg" else tw.KNeighborsClassifier)(k)


# The learners beside the trees that look at near rows, or at one column at a time.
NEAR_MATCHES = (
    Match("treewright, nearest neighbour", ("IB1_cv",), _neighbours(1)),
    Match("treewright, 5 neighbours", ("IB5_cv",), _neighbours(5)),
    Match(
        "treewright naive Bayes",
        ("NaiveBayes_cv",),
        lambda tw, task: None if task == "reg" else tw.NaiveBayesClassifier(),
    ),
)

MATCHES = (
    Match("treewright forest", ("ranger_cv", "RandomForest100_cv"), _forest),
    Match("treewright boosting", ("gbm_cv",), _boosting),
    Match(
        "treewright AdaBoost, 10 stumps",
        ("AdaBoostM1_stump_cv",),
        lambda tw, task: None if task == "reg" else tw.AdaBoostClassifier(_stump(tw), n_estimators=10),
        must_reach=False,
    ),
    Match(
        "treewright AdaBoost, 10 C4.5 trees",
        ("AdaBoostM1_J48_cv",),
        lambda tw, task: None if task == "reg" else tw.AdaBoostClassifier(tw.C45Classifier(), n_estimators=10),
        must_reach=False,
    ),
    Match(
        "treewright bagging, 10 C4.5 trees",
        ("Bagging_J48_cv",),
        lambda tw, task: None if task == "reg" else tw.BaggingTreesClassifier(tw.C45Classifier(), n_estimators=10),
        must_reach=False,
    ),
)

# Weka's Logistic knows no order: its columns of levels are a column of 0 and 1 a level.
MATCHES += (
    Match(
        "treewright logistic regression",
        ("Logistic_cv",),
        lambda tw, task: None if task == "reg" else WithoutOrder(tw.LogisticRegression()),
    ),
)


def main() -> None:
    """Print one table a match: every data set, and the mean over those where all have a number."""
    places = [os.environ.get(name) for name in ("TREEWRIGHT_BENCH_REFERENCE", "TREEWRIGHT_BENCH_DATA")]
    if not all(places):
        print(
            "The reference folds are left out: name their folders in TREEWRIGHT_BENCH_REFERENCE and in "
            "TREEWRIGHT_BENCH_DATA."
        )
        return
    reference, tables = (Path(str(place)) for place in places)
    summary = pd.read_csv(reference / "summary.csv")
    for match in MATCHES + NEAR_MATCHES:
        print(_report(match, summary, reference, tables), flush=True)


def _report(match: Match, summary: pd.DataFrame, reference: Path, tables: Path) -> str:
    import treewright as tw

    found = []
    for row in summary.itertuples():
        numbers = [getattr(row, peer) for peer in match.peers]
        try:
            model = match.make(tw, row.task)
        except AttributeError as absent:
            return f"{match.title}: left out, {absent}\n"
        if model is None or all(np.isnan(numbers)):
            continue
        print(f"{match.title}, {row.data} …", file=sys.stderr)
        score = cross_validated(model, row.task, tables / row.data, reference / "folds" / f"{row.data}.csv")
        found.append((row.task, row.data, score, *numbers))
    frame = pd.DataFrame(found, columns=["task", "table", match.title, *match.peers])
    return "\n".join(_of_task(match, frame[frame.task == task], task) for task in ("cls", "reg"))


def cross_validated(model: Any, task: str, table: Path, folds: Path) -> float:
    """Answer every row by a model of the other folds, and score all answers together."""
    about = json.loads(table.with_suffix(".json").read_text())
    texts = {column["name"]: "string" for column in about["columns"] if column["type"] != "numeric"}
    frame = pd.read_csv(table.with_suffix(".csv"), dtype=texts)  # TRUE is a level here, not a truth value
    fold = pd.read_csv(folds)["fold"].to_numpy()
    for column in about["columns"]:
        if column["type"] != "numeric":
            levels = pd.CategoricalDtype(column["levels"], ordered=column["type"] == "ordinal")
            frame[column["name"]] = frame[column["name"]].astype(levels)
    y = frame.pop(about["target"])
    y = y.astype(float) if task == "reg" else y.astype(str)
    answers = np.empty(len(y), dtype=float if task == "reg" else object)
    for number in range(N_FOLDS):
        held = fold == number
        answers[held] = model.fit(frame[~held], y[~held]).predict(frame[held])
    if task == "reg":
        return float(np.sqrt(np.mean((answers - y.to_numpy()) ** 2)))
    return float((answers == y.to_numpy()).mean())


def _of_task(match: Match, frame: pd.DataFrame, task: str) -> str:
    """The table of one task, with the mean accuracy, or the mean ratio of errors (ours to theirs)."""
    if frame.empty:
        return ""
    lines = [frame.drop(columns="task").to_string(index=False, float_format=lambda x: f"{x:.4f}")]
    for peer in match.peers:
        both = frame.dropna(subset=[peer])
        if both.empty:
            continue
        if task == "cls":
            own, other = both[match.title].mean(), both[peer].mean()
            told, reached = f"mean accuracy {own:.4f}, {peer} {other:.4f}", own >= other
        else:
            ratio = float(np.exp(np.log(both[match.title] / both[peer]).mean()))
            told, reached = f"mean ratio of errors to {peer} {ratio:.4f}", ratio <= 1
        verdict = f": {'reached' if reached else 'MISSED'}" if match.must_reach else ""
        lines.append(f"  {told} ({len(both)} tables){verdict}")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
