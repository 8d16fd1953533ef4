"""Proofs of ensembles of many trees try every test of every tree, or say which share of them."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest

import treewright as tw
from export.mutations import known_model, mutants_of, outcome_of
from treewright.export.code.javascript_module import javascript_source
from treewright.export.export import verify_export
from treewright.export.model_program import program_of
from treewright.export.proof import chosen_probes
from treewright.export.runtimes import NodeRuntime, PythonRuntime
from treewright.export.sql.chain import SqlOptions
from treewright.export.sql.statement import sql_source
from treewright.table.sql_dialects import find_dialect

X, y = tw.datasets.load_titanic(return_X_y=True)
MODELS = {
    "forest": tw.RandomForestClassifier(100, random_state=0).fit(X, y),
    "boosting": tw.GradientBoostingClassifier(n_estimators=100, early_stopping=False).fit(X, y),
}

if shutil.which("node"):

    @pytest.mark.random_examples
    @pytest.mark.parametrize("name", MODELS)
    def test_every_mutation_of_one_of_a_hundred_trees_is_caught(name: str) -> None:
        known = known_model(MODELS[name], 0, lambda program: chosen_probes(program, NodeRuntime.most_cells)[0])
        mutants = list(mutants_of(known, 12, random.Random(3), javascript_source))
        found = NodeRuntime().run_all([module.encode() for _, _, module in mutants], known.asked)
        caught = [known.differs(answers, NodeRuntime) for answers in found]
        outcome = outcome_of([(known, *mutant[:2], seen) for mutant, seen in zip(mutants, caught, strict=True)])
        assert not outcome.missed
        assert sum(caught) > 6


def test_duckdb_is_asked_for_twenty_trees_a_step(tmp_path: Path) -> None:
    program = program_of(MODELS["forest"])
    for engine, most in {"duckdb": 20, "sqlite": 50}.items():
        steps = sql_source(program, find_dialect(engine), SqlOptions("rows")).split("MATERIALIZED (")
        assert max(len(re.findall(r"END AS n\d+", step)) for step in steps) == most
    forest = tw.RandomForestClassifier(45, max_depth=3, random_state=0).fit(X, y)
    assert forest.export(tmp_path / "m.sql", dialect="duckdb").proven


def test_a_part_of_the_tests_is_said_to_be_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert chosen_probes(program_of(MODELS["forest"]), 4_000_000)[1] == 1.0
    monkeypatch.setattr(PythonRuntime, "most_cells", 1)
    verdict = MODELS["forest"].export(tmp_path / "m.py")
    assert re.search(r"probes that try \d+ % of the tests", verdict.text), verdict.text
    assert verify_export(tmp_path / "m.py").text == verdict.text


def test_the_proof_of_many_trees_is_shorter_than_the_numbers_of_their_nodes(tmp_path: Path) -> None:
    assert MODELS["forest"].export(tmp_path / "m.tw").proven
    assert (tmp_path / "m.tw.proof.json").stat().st_size < 300_000
    assert verify_export(tmp_path / "m.tw").proven
