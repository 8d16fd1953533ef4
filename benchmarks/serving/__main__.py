"""Requests of one row a second by wrk, both servers by turns; and batches of 10,000 rows beside `predict` itself."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import treewright as tw

ROUNDS, SECONDS, BATCH = 3, 5, 10_000
ARROW = {"Content-Type": "application/vnd.apache.arrow.stream"}
BODY = '{"row": {"sex": "female", "age": 30, "passengerClass": "1st"}}'


def main() -> None:
    """Print both tables."""
    if shutil.which("wrk") is None:
        sys.exit("This needs wrk (Debian: apt install wrk).")
    folder = Path(tempfile.mkdtemp())
    X, y = tw.datasets.load_titanic(return_X_y=True)
    tw.save(tw.GradientBoostingClassifier(n_estimators=100).fit(X, y), folder / "titanic.tw")
    levels = make_column_transformer((OrdinalEncoder(), ["sex", "passengerClass"]), remainder="passthrough")
    joblib.dump(make_pipeline(levels, HistGradientBoostingClassifier()).fit(X, y), folder / "pipeline.joblib")
    with _treewright(folder / "titanic.tw") as ours, _fastapi(folder / "pipeline.joblib") as theirs:
        servers = {"treewright serve": (ours, BODY), "FastAPI + scikit-learn": (theirs, BODY[8:-1])}
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in servers}
        for _ in range(ROUNDS):
            for name, (address, body) in servers.items():
                found[name].append(_wrk(address, body, folder))
        for name, rounds in found.items():
            most, slowest = max(n for n, _ in rounds), min(p for _, p in rounds)
            print(f"{name:<24} {most:8,.0f} requests a second, 99 % in {slowest:6.1f} ms")
    _batches(folder)


def _batches(folder: Path) -> None:
    """Rows of ten numbers through 300 trees, as an Arrow stream and by `predict`, by turns."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(BATCH, 10)), columns=[f"x{j}" for j in range(10)])
    model = tw.GradientBoostingRegressor(n_estimators=300).fit(table, table.sum(axis=1) + rng.normal(size=BATCH))
    tw.save(model, folder / "batch.tw")
    arrow, sink = pa.Table.from_pandas(table, preserve_index=False), io.BytesIO()
    with pa.ipc.new_stream(sink, arrow.schema) as stream:
        stream.write_table(arrow)
    own, served = [], []
    with _treewright(folder / "batch.tw") as address:
        for _ in range(4 * ROUNDS):
            begun = time.perf_counter()
            expected = model.predict(table)
            own.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            with urllib.request.urlopen(urllib.request.Request(f"{address}/predict", sink.getvalue(), ARROW)) as reply:
                answers = pa.ipc.open_stream(reply.read()).read_all()
            served.append(time.perf_counter() - begun)
            assert (answers["prediction"].to_numpy() == expected).all()
    share = min(own) / min(served)
    took = f"predict {1000 * min(own):.1f} ms, served {1000 * min(served):.1f} ms"
    print(f"{BATCH:,} rows: {took}: {share:.0%} of its speed")


def _wrk(address: str, body: str, folder: Path) -> tuple[float, float]:
    """Requests a second, and the time within which 99 % are answered, in milliseconds."""
    script = folder / "post.lua"
    script.write_text(f"wrk.method='POST'\nwrk.headers['Content-Type']='application/json'\nwrk.body='{body}'\n")
    command = ["wrk", "-t1", "-c8", f"-d{SECONDS}s", "--latency", "-s", str(script), f"{address}/predict"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in said, said
    slowest = re.search(r"99%\s+([\d.]+)(us|ms|s)", said)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)
    assert slowest, said
    assert rate, said
    return float(rate[1]), float(slowest[1]) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[slowest[2]]


@contextlib.contextmanager
def _started(command: list[str], address: str, **environment: str) -> Iterator[str]:
    with subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.DEVNULL) as process:
        try:
            yield _when_up(address)
        finally:
            process.terminate()


def _when_up(address: str) -> str:
    for _ in range(600):
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/openapi.json"):
            return address
        time.sleep(0.1)
    sys.exit(f"{address} does not answer.")


def _treewright(model: Path) -> Any:
    port = _free_port()
    command = [sys.executable, "-m", "treewright", "serve", str(model), "--port", str(port)]
    return _started(command, f"http://127.0.0.1:{port}")


def _fastapi(pipeline: Path) -> Any:
    port = _free_port()
    command = [sys.executable, "-m", "uvicorn", "benchmarks.serving.fastapi_app:make_app", "--factory"]
    address = f"http://127.0.0.1:{port}"
    return _started([*command, "--port", str(port), "--no-access-log"], address, SERVED_PIPELINE=str(pipeline))


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


if __name__ == "__main__":
    main()
