"""treewright itself as a runtime: a model file answers its proof on the machine and the packages of that day."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import treewright
from treewright.errors import DataError
from treewright.export.expected import Answers, expected_answers
from treewright.export.formula import Formula
from treewright.export.model_formula import exported_of
from treewright.export.probes import some_cell
from treewright.export.program import Program
from treewright.export.proof import ENDING, Verdict, digest, judge, read_proof, units_between
from treewright.export.runtimes import Questions, Runtime
from treewright.save.persist import load

MODEL_FILE = ".tw"


class ModelFileRuntime(Runtime):
    """Answers by the model of a file: as a table and row by row, which are two ways through the core.

    Parameters
    ----------
    model : fitted model, optional
        What was loaded from the file; without it the file is loaded.
    """

    most_cells = 1_000_000

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def version(self) -> str:
        return f"treewright {treewright.__version__}"

    def run(self, path: Path, asked: Questions) -> Answers:
        model = load(path) if self.model is None else self.model
        program = exported_of(model)
        used = [program.columns[at].name for at in program.used]
        if used != [column["name"] for column in asked.columns]:
            raise DataError(f"The proof of {path.name} asks for other columns than the model has. Export it again.")
        answers = expected_answers(model, program, asked.rows)
        _compare_single_rows(model, program, asked, answers)
        return answers


def check_proof(model: Any, path: Path) -> Verdict | None:
    """Run the proof that lies beside a model file on the model that was loaded from it; None where there is none.

    Raises
    ------
    DataError
        Where the proof is of another file, is damaged, or some answer is another one.

    Examples
    --------
    >>> import tempfile
    >>> import treewright as tw
    >>> place = Path(tempfile.mkdtemp()) / "tiny.tw"
    >>> model = tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20])
    >>> tw.save(model, place)
    >>> check_proof(tw.load(place), place) is None
    True
    >>> _ = tw.export(model, place)
    >>> check_proof(tw.load(place), place).proven
    True
    """
    if not (path.parent / (path.name + ENDING)).exists():
        return None
    proof, asked, expected = read_proof(path)
    if digest(path) != proof.get("sha256"):
        raise DataError(f"{path} is not the file that was proven: its sha256 is another. Export the model again.")
    try:
        exact, share = bool(proof.get("exact", True)), float(proof.get("share", 1.0))
        return judge(path, ModelFileRuntime(model), asked, expected, exact, share)
    except (ValueError, TypeError, LookupError) as problem:  # of lists that do not fit each other
        if isinstance(problem, DataError):
            raise
        raise DataError(f"The proof of {path} is damaged ({problem}). Export the model again.") from problem


def _compare_single_rows(model: Any, program: Program | Formula, asked: Questions, answers: Answers) -> None:
    """A server answers single rows by another door than tables; both must say the same."""
    if any(column.kind == "numeric" and column.value_type != "number" for column in program.columns):
        return  # dates have one door
    rest = {} if program.takes_missing else {column.name: some_cell(column) for column in program.columns}
    names = [column["name"] for column in asked.columns]
    units = 0 if program.is_exact else Runtime.units
    for place, row in enumerate(asked.rows):
        said = model.predict_one({**rest, **dict(zip(names, row, strict=True))})
        wanted = answers.numbers[place][0] if answers.labels is None else answers.labels[place]
        if said != wanted if answers.labels is not None else units_between(said, wanted) > units:
            raise DataError(
                f"The model answers {row} with {said!r} as a single row and with {wanted!r} in a table. Please report "
                "this with the model."
            )
