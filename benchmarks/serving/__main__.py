"""Requests of one row a second by wrk, both servers by turns; and batches of 10,000 rows beside `predict` itself.

About 45 s. Beside requests a second, which other work on the machine takes away, stands what a request takes of a
processor. `PEER_PYTHON` names a Python that has FastAPI, uvicorn, pandas and scikit-learn; without it this one is used.
"""

from __future__ import annotations

import contextlib
import http.client
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
from dataclasses import dataclass
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
        found: dict[str, list[Round]] = {name: [] for name in servers}
        for _ in range(ROUNDS):
            for name, (server, body) in servers.items():
                found[name].append(_wrk(server, body, folder))
        for name, rounds in found.items():
            best = max(rounds, key=lambda one: one.rate)
            took = min(one.processor for one in rounds)
            told = f"99 % in {best.slowest:6.1f} ms, {1e6 * took:6.0f} µs of a processor each"
            print(f"{name:<24} {best.rate:8,.0f} requests a second, {told}")
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
    own, served, of_own = [], [], 0.0
    with _treewright(folder / "batch.tw") as server, _kept_open(server) as connection:
        _asked(connection, sink.getvalue())  # the first one loads what reads Arrow
        before = server.processor_seconds()
        for _ in range(4 * ROUNDS):
            begun, used = time.perf_counter(), time.process_time()
            expected = model.predict(table)
            own.append(time.perf_counter() - begun)
            of_own += time.process_time() - used
            begun = time.perf_counter()
            answers = _asked(connection, sink.getvalue())
            served.append(time.perf_counter() - begun)
            assert (answers["prediction"].to_numpy() == expected).all()
        of_server = server.processor_seconds() - before
    share = min(own) / min(served)
    took = f"predict {1000 * min(own):.1f} ms, served {1000 * min(served):.1f} ms"
    print(f"{BATCH:,} rows: {took}: {share:.0%} of its speed, by processor time {of_own / of_server:.0%}")


def _kept_open(server: Server) -> contextlib.closing[http.client.HTTPConnection]:
    """One connection for all batches, as a client that sends many has it, and as wrk does with single rows."""
    return contextlib.closing(http.client.HTTPConnection(server.address.removeprefix("http://")))


def _asked(connection: http.client.HTTPConnection, body: bytes) -> Any:
    connection.request("POST", "/predict", body, ARROW)
    with connection.getresponse() as reply:
        return pa.ipc.open_stream(reply.read()).read_all()


@dataclass(frozen=True)
class Server:
    address: str
    process: int

    def processor_seconds(self) -> float:
        """What the process has taken of the processors so far."""
        fields = Path(f"/proc/{self.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Round:
    """Requests a second, the time within which 99 % are answered in ms, and processor seconds of a request."""

    rate: float
    slowest: float
    processor: float


def _wrk(server: Server, body: str, folder: Path) -> Round:
    script = folder / "post.lua"
    script.write_text(f"wrk.method='POST'\nwrk.headers['Content-Type']='application/json'\nwrk.body='{body}'\n")
    command = ["wrk", "-t1", "-c8", f"-d{SECONDS}s", "--latency", "-s", str(script), f"{server.address}/predict"]
    before = server.processor_seconds()
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in said, said
    slowest = re.search(r"99%\s+([\d.]+)(us|ms|s)", said)
    rate, n = re.search(r"Requests/sec:\s+([\d.]+)", said), re.search(r"(\d+) requests in", said)
    assert slowest, said
    assert rate, said
    assert n, said
    took = (server.processor_seconds() - before) / int(n[1])
    return Round(float(rate[1]), float(slowest[1]) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[slowest[2]], took)


@contextlib.contextmanager
def _started(command: list[str], address: str, **environment: str) -> Iterator[Server]:
    with subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.DEVNULL) as process:
        try:
            yield Server(_when_up(address), process.pid)
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
    command = [
        os.environ.get("PEER_PYTHON", sys.executable),
        "-m",
        "uvicorn",
        "benchmarks.serving.fastapi_app:make_app",
        "--factory",
    ]
    address = f"http://127.0.0.1:{port}"
    return _started([*command, "--port", str(port), "--no-access-log"], address, SERVED_PIPELINE=str(pipeline))


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


if __name__ == "__main__":
    main()
