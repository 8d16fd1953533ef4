"""Losses of default settings on real tables, ours beside other libraries'.

    python -m benchmarks.default_settings run treewright LightGBM …   # fits what the cache does not hold yet
    python -m benchmarks.default_settings summary                     # losses, ratios and ranks, as Markdown

Five folds, one thread, nothing but defaults. Losses are log loss and root mean squared error; the cache is
`benchmarks/cache/default_settings.csv`, a line for each contestant, table and fold. To measure a changed treewright
give it a new name: `run treewright=after`. "check" or "choose" takes one list alone, "small" its tables of up to
3,000 rows and 60 inputs, on which networks were chosen and checked, `folds=1` one fold.
"""

from __future__ import annotations

import csv
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.real_tables import N_FOLDS, RealTable, real_tables

CACHE = Path(__file__).parent / "cache" / "default_settings.csv"
FIELDS = ("contestant", "part", "task", "table", "fold", "loss", "accuracy", "cpu")
LEAST_LOSS = 0.02  # smaller log losses count as this
Answer = Callable[[pd.DataFrame], np.ndarray]


# ---------------------------------------------------------------- contestants
def treewright_boosting(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    import treewright as tw

    return _scikit(
        tw.GradientBoostingClassifier if classes else tw.GradientBoostingRegressor,
        X,
        y,
        classes,
        {"n_jobs": 1, **settings},
    )


def treewright_forest(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    import treewright as tw

    return _scikit(
        tw.RandomForestClassifier if classes else tw.RandomForestRegressor, X, y, classes, {"n_jobs": 1, **settings}
    )


def treewright_extra_trees(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    import treewright as tw

    return _scikit(
        tw.ExtraTreesClassifier if classes else tw.ExtraTreesRegressor, X, y, classes, {"n_jobs": 1, **settings}
    )


def forest_of_train(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    return _as_train("forest", X, y, classes, settings)


def extra_trees_of_train(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    return _as_train("extra_trees", X, y, classes, settings)


def _as_train(name: str, X: pd.DataFrame, y: np.ndarray, classes: bool, settings: dict[str, Any]) -> Answer:
    """What `treewright train` and `tw.compare` begin with."""
    from treewright.model_selection.task import named_estimator

    model = named_estimator(name, "classification" if classes else "regression", n_jobs=1, **settings).fit(X, y)
    ask = model.predict_proba if classes else model.predict
    return lambda rows: np.asarray(ask(rows))


def treewright_network(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    import treewright as tw

    return _scikit(tw.MLPClassifier if classes else tw.MLPRegressor, X, y, classes, settings)


def treewright_network_before(X: pd.DataFrame, y: np.ndarray, classes: bool) -> Answer:
    return treewright_network(X, y, classes, preset="scikit-learn")


def scikit_network(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    """Levels as 0 and 1, holes filled by the mean, numbers and a numeric target on one scale; the rest is default."""
    from sklearn.compose import TransformedTargetRegressor, make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    coded = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="category")),
        (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_exclude="category")),
    )
    if classes:
        return make_pipeline(coded, MLPClassifier(random_state=0, **settings)).fit(X, y).predict_proba
    network = TransformedTargetRegressor(MLPRegressor(random_state=0, **settings), transformer=StandardScaler())
    return make_pipeline(coded, network).fit(X, y).predict


def lightgbm(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMClassifier if classes else LGBMRegressor
    return _scikit(kind, X, y, classes, {"n_jobs": 1, "verbosity": -1, **settings})


def xgboost(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    from xgboost import XGBClassifier, XGBRegressor

    kind = XGBClassifier if classes else XGBRegressor
    return _scikit(kind, X, y, classes, {"n_jobs": 1, "enable_categorical": True, **settings})


def hist_gradient_boosting(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    return _scikit(
        HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor, X, y, classes, settings
    )


def catboost(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    from catboost import CatBoostClassifier, CatBoostRegressor

    levels = [name for name in X if X[name].dtype == "category"]

    def as_text(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(**{name: frame[name].astype(object).fillna("(missing)").astype(str) for name in levels})

    model = (CatBoostClassifier if classes else CatBoostRegressor)(
        thread_count=1, verbose=False, allow_writing_files=False, **settings
    )
    model.fit(as_text(X), y, cat_features=levels)
    ask = model.predict_proba if classes else model.predict
    return lambda rows: np.asarray(ask(as_text(rows)))


def ydf(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    import ydf as decision_forests

    decision_forests.verbose(0)
    names = {name: f"c{i}" for i, name in enumerate(X.columns)}  # its names may not hold every sign
    task = decision_forests.Task.CLASSIFICATION if classes else decision_forests.Task.REGRESSION
    learner = decision_forests.GradientBoostedTreesLearner(label="y", task=task, num_threads=1, **settings)
    model = learner.train(_for_ydf(X, names).assign(y=y))
    n_classes = int(y.max()) + 1 if classes else 0

    def ask(rows: pd.DataFrame) -> np.ndarray:
        found = np.asarray(model.predict(_for_ydf(rows, names)))
        if not classes:
            return found
        if found.ndim == 1:
            found = np.column_stack([1 - found, found])
        places = [int(name) for name in model.label_classes()]
        whole = np.zeros((len(rows), n_classes))
        whole[:, places] = found
        return whole

    return ask


def _for_ydf(X: pd.DataFrame, names: dict[Any, str]) -> pd.DataFrame:
    columns = {names[n]: X[n].astype(object).fillna("").astype(str) if X[n].dtype == "category" else X[n] for n in X}
    return pd.DataFrame(columns)


def scikit_forest(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    return _on_codes(RandomForestClassifier if classes else RandomForestRegressor, X, y, classes, settings)


def scikit_extra_trees(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor

    return _on_codes(ExtraTreesClassifier if classes else ExtraTreesRegressor, X, y, classes, settings)


def explainable_boosting(X: pd.DataFrame, y: np.ndarray, classes: bool, **settings: Any) -> Answer:
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    kind = ExplainableBoostingClassifier if classes else ExplainableBoostingRegressor
    return _scikit(
        kind, X.astype({n: object for n in X if X[n].dtype == "category"}), y, classes, {"n_jobs": 1, **settings}
    )


def _on_codes(kind: Any, X: pd.DataFrame, y: np.ndarray, classes: bool, settings: dict[str, Any]) -> Answer:
    """Levels as numbers: what scikit-learn's forests take."""
    model = kind(random_state=0, **settings).fit(_codes(X), y)
    ask = model.predict_proba if classes else model.predict
    return lambda rows: np.asarray(ask(_codes(rows)))


def _codes(X: pd.DataFrame) -> np.ndarray:
    as_codes = {n: X[n].cat.codes.where(X[n].notna(), np.nan) if X[n].dtype == "category" else X[n] for n in X}
    return pd.DataFrame(as_codes).to_numpy(dtype=np.float64)


def _scikit(kind: Any, X: pd.DataFrame, y: np.ndarray, classes: bool, settings: dict[str, Any]) -> Answer:
    model = kind(random_state=0, **settings).fit(X, y)
    ask = model.predict_proba if classes else model.predict
    return lambda rows: np.asarray(ask(rows))


CONTESTANTS: dict[str, Callable[..., Answer]] = {
    "treewright": treewright_boosting,
    "treewright forest": treewright_forest,
    "treewright extra trees": treewright_extra_trees,
    "treewright train forest": forest_of_train,
    "treewright train extra trees": extra_trees_of_train,
    "treewright network": treewright_network,
    "treewright network before": treewright_network_before,
    "scikit-learn network": scikit_network,
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
    "HistGradientBoosting": hist_gradient_boosting,
    "CatBoost": catboost,
    "YDF": ydf,
    "scikit-learn forest": scikit_forest,
    "scikit-learn extra trees": scikit_extra_trees,
    "EBM": explainable_boosting,
}


# ---------------------------------------------------------------- measuring
def measure(fit: Callable[..., Answer], table: RealTable, fold: int, **settings: Any) -> dict[str, float]:
    """Loss and accuracy on the rows of one fold, and the CPU seconds of learning from the others."""
    X, y = table.load()
    train, test = list(table.folds(y))[fold]
    classes = table.task == "classes"
    rows, judged = X.iloc[train].reset_index(drop=True), X.iloc[test].reset_index(drop=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        answer = fit(rows, y[train], classes, **settings)
        cpu = time.process_time() - start
        found = answer(judged)
    if not classes:
        return {"loss": float(np.sqrt(np.mean((found - y[test]) ** 2))), "accuracy": float("nan"), "cpu": cpu}
    shares = np.clip(found[np.arange(len(test)), y[test]], 1e-15, 1)
    return {"loss": float(-np.log(shares).mean()), "accuracy": float((found.argmax(1) == y[test]).mean()), "cpu": cpu}


def run(names: list[str], parts: list[str], n_folds: int = N_FOLDS, small: bool = False, cache: Path = CACHE) -> None:
    """Measure what the cache does not hold; `treewright=after` is treewright under another name."""
    known = set() if not cache.exists() else {tuple(r[f] for f in FIELDS[:5]) for r in csv.DictReader(cache.open())}
    cache.parent.mkdir(parents=True, exist_ok=True)
    wanted = [
        (fold, table, name)
        for fold in range(n_folds)
        for p in parts
        for table in real_tables(p)
        if not small or table.is_small
        for name in names
    ]
    for fold, table, name in wanted:
        kind, _, title = name.partition("=")
        key = (title or kind, table.part, table.task, table.name, str(fold))
        if key not in known:
            _append(cache, {**dict(zip(FIELDS, key, strict=False)), **measure(CONTESTANTS[kind], table, fold)})


def _append(cache: Path, line: dict[str, Any]) -> None:
    new = not cache.exists()
    with cache.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()
        writer.writerow({n: round(v, 6) if isinstance(v, float) else v for n, v in line.items()})


if __name__ == "__main__":
    arguments = sys.argv[1:]
    folds = [int(a.removeprefix("folds=")) for a in arguments if a.startswith("folds=")]
    chosen = [a for a in arguments[1:] if a not in ("choose", "check", "small") and not a.startswith("folds=")]
    parts_asked = [a for a in arguments if a in ("choose", "check")] or ["check", "choose"]
    run(chosen, parts_asked, *(folds or [N_FOLDS]), small="small" in arguments)
