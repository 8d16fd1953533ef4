"""A proof must be able to fail: exports with one number, branch, level or answer changed are caught."""

from __future__ import annotations

import math
import os
import random
from typing import Any

import pytest

from export.exported import fitted_models
from export.mutations import mutate, tells
from treewright.export.code.python_file import python_source
from treewright.export.expected import Answers, expected_answers
from treewright.export.model_program import program_of
from treewright.export.probes import probes
from treewright.export.program import Program
from treewright.export.proof import first_difference
from treewright.export.runtimes import Questions

MUTATIONS = 4_000 if os.environ.get("TREEWRIGHT_THOROUGH") else 250


def asked_in_this_process(program: Program, asked: Questions) -> Answers:
    """Run the text of the export as `runtimes.PythonRuntime` does, without a process for each of thousands."""
    written: dict[str, Any] = {}
    exec(python_source(program), written)
    labels = [written["predict"](row) for row in asked.rows] if asked.labels is not None else None
    numbers = [written["predict_proba"](row) for row in asked.rows]
    return Answers([written["nodes"](row) for row in asked.rows], numbers, labels)


@pytest.mark.random_examples
@pytest.mark.timeout(3000)
def test_nearly_every_mutation_of_an_export_is_caught() -> None:
    rng, tried, missed = random.Random(7), 0, []
    models = dict(fitted_models())
    known = {}
    for name, model in models.items():
        program = program_of(model)
        rows = probes(program)
        asked = Questions([], rows, program.labels)
        known[name] = (program, asked, expected_answers(model, program, rows))
    while tried < MUTATIONS:
        name = rng.choice(list(known))
        program, asked, expected = known[name]
        mutant = mutate(program, rng)
        if mutant is None or python_source(mutant[0]) == python_source(program):
            continue
        tried += 1
        found = asked_in_this_process(mutant[0], asked)
        is_caught = first_difference(asked, expected, found, 0 if program.is_exact else 2) is not None
        # A change that no row shows is none.
        if not is_caught and tells(program, mutant[0]):
            missed.append((name, mutant[1]))
    assert len(missed) <= tried // 1000, missed


def test_the_first_of_two_shares_may_move_only_with_the_second() -> None:
    def differ(expected: list[float], found: list[float], units: int) -> bool:
        one = Answers([[]], [expected], None), Answers([[]], [found], None)
        return first_difference(Questions([], [[0.0]], None), *one, units) is not None

    second, next_one = 0.9515393461554046, math.nextafter(0.9515393461554046, 0)
    assert not differ([1 - second, second], [1 - next_one, next_one], 2)
    assert differ([1 - second, second], [1 - next_one, next_one], 0)
    assert differ([1 - second, second], [1 - next_one, second], 2)
    assert differ([1 - second, second], [1 - 0.95, 0.95], 2)
