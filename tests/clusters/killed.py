"""Workers of clusters that are killed while something else goes on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def a_worker_dies(client: Any, moment: int, took: float) -> Iterator[None]:
    """One worker of Dask, drawn by `moment`, is killed at a time that is drawn, too, within `took` seconds."""
    workers = client.run(os.getpid)
    victim = workers[random.Random(moment).choice(sorted(workers))]
    killer = threading.Timer(took * random.Random(moment).random(), os.kill, (victim, signal.SIGKILL))
    killer.start()
    try:
        yield
    finally:
        killer.join()


@contextmanager
def a_python_worker_dies(after: float) -> Iterator[None]:
    """The first Python worker of Spark that is there after so many seconds is killed; there must have been one."""
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        time.sleep(after)
        while not killed and not over.is_set():
            for pid in python_workers()[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        over.set()
        killer.join()
    assert killed


def python_workers() -> list[int]:
    """The processes in which Spark runs functions of Python."""
    listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    known = {int(line.split()[0]): (int(line.split()[1]), line) for line in listed.splitlines()[1:]}
    ours = {os.getpid()}
    while True:  # what this process started, and what that started
        more = {pid for pid, (parent, _) in known.items() if parent in ours} - ours
        if not more:
            break
        ours |= more
    daemons = {pid for pid in ours if pid in known and "pyspark.daemon" in known[pid][1]}
    return [pid for pid in daemons if known[pid][0] in daemons]  # the first one only starts the others
