"""Many hostile files in worker processes with limits, so that a hang, a crash or a memory bomb is found and named.

A worker tells what became of each file by a byte in memory that it shares with its parent, and keeps each file that
went wrong at once; so nothing is lost when it dies. Its parent then writes down the file it died of and goes on.
"""

from __future__ import annotations

import gc
import mmap
import os
import resource
import signal
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.attempt import Outcome, address_bytes, attempt_of, try_it
from fuzz.grammar import array_names, words
from fuzz.models import MODELS, model_bytes
from fuzz.verbs import verbs
from treewright.save.persist import load_bytes

LONGEST = 10.0  # seconds of processor time for one file with all questions, then the kernel ends the worker
MOST_MEMORY = 768 * 2**20  # bytes of address space beyond what the worker starts with
A_WORKER = 2_000  # files, then a fresh process
_NOT_TRIED, _REFUSED, _LOADED, _WRONG, _BEGUN = range(5)


@dataclass
class Findings:
    """What became of all files."""

    refused: int = 0
    loaded: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)  # of what went wrong, an example

    def add(self, number: int, outcome: Outcome) -> None:
        kind = f"{outcome.kind} ({outcome.detail.split(': ')[0]})" if outcome.detail else outcome.kind
        self.wrong[kind] += 1
        self.first.setdefault(kind, f"file {number}: {outcome.detail}")

    def lines(self) -> list[str]:
        """The report."""
        total = self.refused + self.loaded + self.wrong.total()
        counts = f"{total:,} files: {self.refused:,} refused, {self.loaded:,} loaded and answered everything, "
        return [counts + f"{self.wrong.total():,} went wrong"] + [
            f"{n:>8,}  {kind}\n          {self.first[kind]}" for kind, n in self.wrong.most_common()
        ]


def run(n: int, seed: int, keep: Path, told: Callable[[str], None] = lambda _: None) -> Findings:
    """Try n files; those that go wrong are kept in a folder."""
    words(), array_names()  # before the workers start: every model is made once
    _warm_up()
    states = mmap.mmap(-1, max(n, 1))
    keep.mkdir(parents=True, exist_ok=True)
    findings, start = Findings(), 0
    while start < n:
        end = min(start + A_WORKER, n)
        status = _in_a_worker(states, range(start, end), seed, keep)
        begun = states.find(bytes([_BEGUN]), start, end)
        if begun >= 0:
            _keep(keep, seed, begun, Outcome(_death(status)))
            states[begun] = _WRONG
            end = begun + 1
        elif status:
            raise RuntimeError(f"a worker ended with {status} between two files")
        start = end
        told(f"{start:,} of {n:,}")
    for number in range(n):
        findings.refused += states[number] == _REFUSED
        findings.loaded += states[number] == _LOADED
        if states[number] == _WRONG:
            kind, _, detail = (keep / f"{seed}-{number}.txt").read_text(encoding="utf-8").partition("\n")
            findings.add(number, Outcome(kind, detail))
    return findings


def _warm_up() -> None:
    """Ask every honest model everything: what is loaded when it is first used is no cost of a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in MODELS:
            for _, ask in verbs(load_bytes(model_bytes(name))):
                ask()


def _in_a_worker(states: mmap.mmap, numbers: range, seed: int, keep: Path) -> int:
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        warnings.simplefilter("ignore")
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_AS, (address_bytes() + MOST_MEMORY, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        gc.freeze()
        for number in numbers:
            states[number] = _BEGUN
            signal.setitimer(signal.ITIMER_PROF, LONGEST)
            outcome = try_it(attempt_of(seed, number))
            if not outcome.is_right:
                _keep(keep, seed, number, outcome)
            states[number] = {"refused": _REFUSED, "loaded": _LOADED}.get(outcome.kind, _WRONG)
    finally:
        os._exit(0)
    return 0


def _keep(folder: Path, seed: int, number: int, outcome: Outcome) -> None:
    (folder / f"{seed}-{number}.tw").write_bytes(attempt_of(seed, number).data)
    text = f"{outcome.kind}\n{outcome.detail}".encode("utf-8", "replace")
    (folder / f"{seed}-{number}.txt").write_bytes(text)


def _death(status: int) -> str:
    return "hang" if status == -signal.SIGPROF else f"crash with status {status}"
