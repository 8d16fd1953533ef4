"""Run scikit-learn's own tests on our estimators, and tell which pass.

The tests are those of the installed scikit-learn; `exchange.py` gives them our classes. From the folder `tests`:

    python -m scikit_learn.run                      # every file: passed, failed, and what differs from differences.json
    python -m scikit_learn.run forest bagging       # some files
    python -m scikit_learn.run forest --errors      # with the first line of every error

What fails is listed with its reason in `differences.json`, which `docs/scikit_learn_tests.md` shows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

FILES = {
    "tree": "sklearn.tree.tests.test_tree",
    "monotonic": "sklearn.tree.tests.test_monotonic_tree",
    "forest": "sklearn.ensemble.tests.test_forest",
    "bagging": "sklearn.ensemble.tests.test_bagging",
    "adaboost": "sklearn.ensemble.tests.test_weight_boosting",
    "gradient_boosting": "sklearn.ensemble.tests.test_gradient_boosting",
    "hist_gradient_boosting": "sklearn.ensemble._hist_gradient_boosting.tests.test_gradient_boosting",
    "neighbors": "sklearn.neighbors.tests.test_neighbors",
}
HERE = Path(__file__).parent
DIFFERENCES = HERE / "differences.json"
SECONDS_A_TEST = 300


@dataclass(frozen=True)
class Outcome:
    """The tests of one file that passed, and those that failed with the first line of the error."""

    passed: frozenset[str]
    failed: dict[str, str] = field(default_factory=dict)


def run(name: str) -> Outcome:
    """Run the tests of one file in processes of their own: scikit-learn is changed there."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-c", os.devnull, f"--rootdir={folder}", "-q", "--tb=line"]
        command += ["-p", "no:cacheprovider", "-p", "scikit_learn.exchange", f"--timeout={SECONDS_A_TEST}"]
        command += ["-n", "2", "--pyargs", FILES[name], f"--junitxml={report}", "-W", "ignore"]
        paths = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True)
        if not report.exists():
            raise RuntimeError(f"The tests of {FILES[name]} did not run:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return _read(ElementTree.parse(report))


def _read(report: ElementTree.ElementTree[Any]) -> Outcome:
    passed, failed = set(), {}
    for case in report.iter("testcase"):
        problem = case.find("failure") if case.find("failure") is not None else case.find("error")
        if problem is not None:
            failed[case.get("name") or ""] = (problem.get("message") or "").split("\n")[0][:200]
        elif case.find("skipped") is None:
            passed.add(case.get("name") or "")
    return Outcome(frozenset(passed), failed)


@dataclass(frozen=True)
class Difference:
    """Tests that fail for one reason. A name without brackets stands for the test with all of its parameters."""

    file: str
    tests: tuple[str, ...]
    why: str

    def covers(self, test: str) -> bool:
        """Whether a test is one of these."""
        return any(test == name or ("[" not in name and test.partition("[")[0] == name) for name in self.tests)


def differences() -> list[Difference]:
    """What is documented."""
    rows = json.loads(DIFFERENCES.read_text(encoding="utf-8"))
    return [Difference(row["file"], tuple(row["tests"]), row["why"]) for row in rows]


def untold(name: str, outcome: Outcome) -> list[str]:
    """Tests that fail and are in no row; `untrue` are those in a row that pass, or are not there."""
    rows = [row for row in differences() if row.file == name]
    return sorted(test for test in outcome.failed if not any(row.covers(test) for row in rows))


def untrue(name: str, outcome: Outcome) -> list[str]:
    """Tests of rows that pass, and names in rows that no test has."""
    rows = [row for row in differences() if row.file == name]
    passing = {test for test in outcome.passed if any(row.covers(test) for row in rows)}
    tests = {*outcome.passed, *outcome.failed}
    absent = {
        one for row in rows for one in row.tests if not any(Difference(name, (one,), "").covers(test) for test in tests)
    }
    return sorted(passing | absent)


def table() -> str:
    """The rows as the page of the documentation has them."""
    lines = []
    for name in FILES:
        rows = [row for row in differences() if row.file == name]
        lines += ["", f"## {name.replace('_', ' ')}", f"`{FILES[name]}`", "", "| test | why it fails |", "|---|---|"]
        lines += [f"| {_shown(row.tests)} | {row.why} |" for row in rows]
    return "\n".join(lines) + "\n"


def _shown(tests: tuple[str, ...]) -> str:
    """The tests of a row; of many sets of parameters only how many they are."""
    if len(tests) > 2 and len({test.partition("[")[0] for test in tests}) == 1:
        return f"`{tests[0].partition('[')[0]}` ({len(tests)} sets of parameters)"
    return ", ".join(f"`{test}`".replace("|", "\\|") for test in tests)


def main(arguments: list[str]) -> int:
    """Run the files that are named, or all; tell the counts beside what is documented."""
    wrong = 0
    for name in [each for each in arguments if not each.startswith("-")] or list(FILES):
        outcome = run(name)
        rows = [row for row in differences() if row.file == name]
        missing, false = untold(name, outcome), untrue(name, outcome)
        wrong += len(missing) + len(false)
        total = len(outcome.passed) + len(outcome.failed)
        print(f"{name}: {len(outcome.passed)} of {total} passed; {len(outcome.failed)} failed, in {len(rows)} rows")
        for test in missing:
            print(f"  no row: {test}: {outcome.failed[test]}" if "--errors" in arguments else f"  no row: {test}")
        for test in false:
            print(f"  a row, but no failure: {test}")
        sys.stdout.flush()
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
