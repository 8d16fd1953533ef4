"""The table of docs/export.md is made by machine: which kind of model is written in which format, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from export.exported import fitted_models
from export.exported_formulas import fitted_formulas
from treewright.errors import DataError
from treewright.export.expected import expected_answers
from treewright.export.export import FORMATS, Wanted
from treewright.export.model_formula import formula_of
from treewright.export.model_program import program_of

PAGE = Path(__file__).parents[2] / "docs" / "export.md"
ENDINGS = (".sql", ".c", ".js", ".py", ".onnx", ".R", ".pmml", ".xlsx")
KINDS = {
    "CART": "cart of classes, cart of numbers, larger of classes",
    "CART with a branch for missing values": "branch of classes",
    "CART with surrogates": "surrogates of classes",
    "CART with rows in pieces": "fractional of classes",
    "C4.5": "c45 of classes",
    "C4.5 with Laplace's estimate": "laplace of classes",
    "CHAID": "chaid of classes, chaid of numbers",
    "conditional trees": "ctree of classes",
    "oblique trees": "oblique of classes, oblique of numbers",
    "model trees": "model tree of numbers",
    "random forests and extra trees": "forest of classes, forest of numbers, votes of classes, extra of classes",
    "bagging of C4.5": "bagged of classes",
    "bagging of model trees": "bagged of numbers",
    "AdaBoost": "adaboost of classes",
    "gradient boosting": "boosting of classes, boosting of numbers, poisson of numbers",
    "linear and regularized regression": "linear of numbers, lasso of numbers, ridge of numbers, spline of numbers",
    "logistic regression": "logistic of two classes, logistic of three classes",
    "naive Bayes": "bayes of three classes, kernel bayes of three classes",
    "perceptrons of sigmoid neurons": "perceptron of two classes, perceptron of three classes",
    "networks": "network of numbers, network of two classes, network of three classes",
}


def is_written(model: Any, program: Any, ending: str) -> bool:
    wanted = Wanted(
        "sqlite", "rows", (), lambda: model.rules().to_frame(), lambda rows: expected_answers(model, program, rows)
    )
    try:
        return bool(FORMATS[ending](program, Path(f"m{ending}"), wanted).files)
    except DataError:
        return False


@pytest.fixture(scope="module")
def lines() -> list[str]:
    programs = {name: (model, program_of(model)) for name, model in fitted_models()}
    programs |= {name: (model, formula_of(model)) for name, model in fitted_formulas()}
    found = ["| | " + " | ".join(f"`{ending}`" for ending in ENDINGS) + " |", "|---" * (len(ENDINGS) + 1) + "|"]
    for kind, names in KINDS.items():
        cells = []
        for ending in ENDINGS:
            told = {is_written(*programs[name], ending) for name in names.split(", ")}
            assert len(told) == 1, (kind, ending)
            cells.append("yes" if told.pop() else "–")
        found.append(f"| {kind} | " + " | ".join(cells) + " |")
    return found


@pytest.mark.thorough
def test_the_page_shows_what_is_written_and_what_is_refused(lines: list[str]) -> None:
    assert "\n".join(lines) in PAGE.read_text(encoding="utf-8"), "\n" + "\n".join(lines)
