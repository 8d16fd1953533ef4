"""A real Dask cluster with worker processes and a real Spark session, wherever the packages are installed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from treewright import _core

_REQUIRED = "TREEWRIGHT_ENGINES" in os.environ  # as in .ci/run: to have none is then a failure
_DASK = importlib.util.find_spec("distributed") is not None
_SPARK = importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None
HERE = {
    "test_dask": _DASK,
    "test_dask_boosting": _DASK,
    "test_dask_forests": _DASK,
    "test_spark": _SPARK,
    "test_spark_forests": _SPARK,
}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Without an engine there is nothing to run; `make test` says so."""
    return True if not HERE.get(collection_path.stem, True) and not _REQUIRED else None


@pytest.fixture(scope="session")
def dask_cluster() -> Iterator[Callable[[int], Any]]:
    """Give the client of a cluster with so many workers, each a process of its own."""
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        clients: dict[int, Any] = {}

        def client_of(n_workers: int) -> Any:
            if n_workers not in clients:
                cluster = LocalCluster(
                    n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
                )
                stack.enter_context(cluster)
                clients[n_workers] = stack.enter_context(Client(cluster, set_as_default=False))
            return clients[n_workers]

        yield client_of


@pytest.fixture
def two_workers(dask_cluster: Callable[[int], Any]) -> Iterator[Any]:
    """A cluster of two workers, in use."""
    client = dask_cluster(2)
    client.wait_for_workers(1)  # the other may be on its way, if a test has killed it
    with client.as_current():
        yield client


@pytest.fixture
def workers_to_kill() -> Iterator[Any]:
    """A cluster of two workers for one test, which may leave it with one."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0) as made,
        Client(made) as client,
    ):
        yield client


@pytest.fixture
def no_tree_is_grown_from_now_on(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Give what makes a forest fail that is grown in this process and not by workers."""

    def never(*given: Any) -> Any:
        raise AssertionError("a tree is grown here")

    return lambda: monkeypatch.setattr(_core, "grow_forest", never)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on this machine with two threads, whose tasks are tried four times."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyspark's own, of newer versions of pandas
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2,4]")
        settings = {
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "512m",
            "spark.sql.timestampType": "TIMESTAMP_NTZ",  # moments without a zone stay without one
            "spark.sql.adaptive.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "OFF",
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        running = SparkSession.getActiveSession()  # one that proved exports in this process has other settings
        if running is not None:
            running.stop()
        session = builder.getOrCreate()
    yield session
    session.stop()
