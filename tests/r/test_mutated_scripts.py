"""The proof of a script of R can fail: scripts with one cut, branch, level or answer changed are caught by Rscript."""

from __future__ import annotations

import random
import shutil
from functools import partial
from pathlib import Path

import pytest

from export.mutations import Known, assert_caught, known_model, models_for, mutants_of, shares
from thorough import THOROUGH
from treewright.export.code import r_runtime
from treewright.export.code.r_runtime import RRuntime
from treewright.export.code.r_script import r_source
from treewright.export.expected import Answers
from treewright.export.runtimes import run_program

# All mutants of a model in one session, which takes longer to start than to answer.
ASK_ALL = """
for (path in commandArgs(TRUE)) {
  source(path)
  numbers <- predict(m, rows, "prob")
  nodes <- predict(m, rows, "node")
  label <- if (is.null(m$labels)) rep(0L, nrow(nodes)) else match(predict(m, rows), m$labels)
  numbers <- apply(numbers, 1, function(row) paste(sprintf("%a", row), collapse = " "))
  writeLines(c(paste(label, ";", apply(nodes, 1, paste, collapse = " "), ";", numbers), "next"))
}
"""


def answers_of(known: Known, scripts: list[str], folder: Path) -> list[Answers]:
    paths = [folder / f"{i}.R" for i in range(len(scripts))]
    for path, script in zip(paths, scripts, strict=True):
        path.write_text(script)
    (folder / "ask.R").write_text(r_runtime._rows(known.asked) + ASK_ALL)
    text = run_program([str(shutil.which("Rscript")), "--vanilla", str(folder / "ask.R"), *map(str, paths)])
    return [r_runtime._answers(part, known.asked.labels) for part in text.split("next\n")[: len(paths)]]


@pytest.mark.random_examples
@pytest.mark.timeout(3000)
def test_nearly_every_mutation_of_a_script_of_r_is_caught(tmp_path: Path) -> None:
    rng, tried = random.Random(6), []
    models = models_for()[:: 3 if THOROUGH else 12]
    for model, n in zip(models, shares(80 if THOROUGH else 8, len(models)), strict=True):
        known = known_model(model, 20_000)
        mutants = list(mutants_of(known, n, rng, partial(r_source, name="m")))
        found = answers_of(known, [script for _, _, script in mutants], tmp_path)
        for (mutant, what, _), said in zip(mutants, found, strict=True):
            tried.append((known, mutant, what, known.differs(said, RRuntime)))
    assert_caught(tried)
