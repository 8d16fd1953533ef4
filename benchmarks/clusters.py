"""Boosting on a Dask cluster of this machine, beside XGBoost and LightGBM: `python -m benchmarks.clusters`.

Workers are processes of one thread. Rows lie in their memory before the clock starts; 50 trees of 31 leaves, rate 0.1,
255 bins, numbers of single precision. Seconds by the clock need a quiet machine with a processor for each worker;
those of the processors of all workers stand beside them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

TREES, PARTS, COLUMNS = 50, 8, 20
NAMES = [f"x{j}" for j in range(COLUMNS)]
Predict = Callable[[pd.DataFrame], Any]


def rows_of_part(number: int, n_rows: int) -> pd.DataFrame:
    """Friedman's function of five of twenty columns, with noise.

    >>> rows_of_part(0, 3).shape
    (3, 21)
    """
    rng = np.random.default_rng(number)
    x = rng.random((n_rows, COLUMNS), dtype=np.float32)
    y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return pd.DataFrame(x, columns=NAMES).assign(y=y + rng.normal(size=n_rows))


def fit_treewright(_client: Any, frame: Any) -> Predict:
    import treewright as tw

    model = tw.GradientBoostingRegressor(n_estimators=TREES, n_jobs=1).fit(tw.source(frame), "y")
    return lambda rows: model.predict(rows)


def fit_lightgbm(client: Any, frame: Any) -> Predict:
    import lightgbm

    settings = {"num_leaves": 31, "learning_rate": 0.1, "min_child_samples": 20, "max_bin": 255, "n_jobs": 1}
    model = lightgbm.DaskLGBMRegressor(client=client, n_estimators=TREES, verbosity=-1, tree_learner="data", **settings)
    local = model.fit(frame[NAMES], frame["y"]).to_local()
    return lambda rows: local.predict(rows)


def fit_xgboost(client: Any, frame: Any) -> Predict:
    import xgboost.dask

    settings = {"tree_method": "hist", "max_bin": 256, "eta": 0.1, "max_depth": 0, "max_leaves": 31, "nthread": 1}
    settings |= {"grow_policy": "lossguide", "lambda": 0, "min_child_weight": 20}
    rows = xgboost.dask.DaskQuantileDMatrix(client, frame[NAMES], frame["y"], max_bin=256)
    booster = xgboost.dask.train(client, settings, rows, num_boost_round=TREES)["booster"]
    return lambda rows: booster.inplace_predict(rows)


CONTESTANTS: dict[str, Callable[[Any, Any], Predict]] = {
    "treewright": fit_treewright,
    "LightGBM": fit_lightgbm,
    "XGBoost": fit_xgboost,
}


def measure(title: str, workers: int, n_rows: int) -> dict[str, Any]:
    """Start a cluster, fit, and tell the seconds and how good the model is on rows of its own."""
    import dask.dataframe
    from distributed import Client, LocalCluster, wait

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        parts = dask.dataframe.from_map(rows_of_part, range(PARTS), n_rows=n_rows // PARTS, meta=rows_of_part(0, 2))
        frame = parts.persist()
        wait(frame)
        before, begun = client.run(time.process_time), time.perf_counter()
        predict = CONTESTANTS[title](client, frame)
        seconds = time.perf_counter() - begun
        spent = [after - before[worker] for worker, after in client.run(time.process_time).items()]
    test = rows_of_part(PARTS, 100_000)
    rmse = float(np.sqrt(np.mean((np.asarray(predict(test[NAMES])) - test["y"]) ** 2)))
    told = {"seconds": round(seconds, 2), "processors": round(sum(spent), 2), "RMSE": round(rmse, 4)}
    return {"contestant": title, "workers": workers, "rows": n_rows, **told}


def main() -> None:
    """Measure one contestant here, or all of them by turns, each in a process of its own."""
    parser = argparse.ArgumentParser("python -m benchmarks.clusters", description="Boosting on a Dask cluster.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", choices=CONTESTANTS)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    if asked.only:
        print(json.dumps(measure(asked.only, asked.workers, asked.rows)), flush=True)
        return
    works = [("treewright", 1), *((title, asked.workers) for title in CONTESTANTS)]
    for title, workers in works:
        command = [sys.executable, "-m", "benchmarks.clusters", "--only", title, "--workers", str(workers)]
        subprocess.run([*command, "--rows", str(asked.rows)], check=False)


if __name__ == "__main__":
    main()
