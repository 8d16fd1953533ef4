"""All changes of all formats: `make mutations`, or `python -m export.mutation_runs onnx pmml --each 10000`.

A line a format: how many were tried and caught, how many are shown to change nothing, and what was missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from export import mutated_files, mutated_models
from export.exported_formulas import fitted_formulas, narrow_bayes
from export.mutations import Outcome
from export.test_formula_mutations import known_formula, outcomes


def formulas(n: int, _folder: Path, one_of: int = 1) -> Outcome:
    """Of models without trees: what no probe shows but what is not shown to be nothing is missed."""
    models = [("narrow bayes", narrow_bayes()), *fitted_formulas()][::one_of]
    found = outcomes({name: known_formula(model) for name, model in models}, n, 7)
    none = sum(times for key, times in found.items() if key[0] == "none")
    missed = [(f"{word}: {name}", change) for word, name, change in found.elements() if word not in ("caught", "none")]
    return Outcome(n, none, missed)


FORMATS: dict[str, Callable[[int, Path], Outcome]] = {
    "python": mutated_files.python_files,
    "c": mutated_files.c_files,
    "javascript": mutated_files.javascript_modules,
    "formulas": formulas,
    "sql": mutated_files.sql_statements,
    "onnx": mutated_files.onnx_files,
    "pmml": mutated_files.pmml_files,
    "r": mutated_files.r_scripts,
    "excel": mutated_files.workbooks,
    "json": mutated_models.json_documents,
    "scikit-learn": mutated_models.estimators,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="export.mutation_runs", description=__doc__)
    parser.add_argument("formats", nargs="*", choices=[*FORMATS, []], help="all without any")
    parser.add_argument("--each", type=int, default=10_000, help="changes of a format")
    asked = parser.parse_args()
    failed = False
    for name in asked.formats or FORMATS:
        begun = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            outcome = FORMATS[name](asked.each, Path(folder))
        print(f"{name}: {outcome} ({time.process_time() - begun:.0f} s of this process)", flush=True)
        for what, times in Counter(outcome.missed).most_common(20):
            print(f"    missed {times} times: {' of '.join(reversed(what))}", flush=True)
        failed |= not outcome.nearly_all
    sys.exit(failed)


if __name__ == "__main__":
    main()
