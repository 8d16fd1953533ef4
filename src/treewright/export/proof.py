"""The proof that goes with an export: probes, what the model answers, what the export answered where it runs.

A proof is a JSON file beside the export. `verify` runs it again, on the runtime of that day, without the model.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treewright.errors import DataError
from treewright.export.arriving_rows import Cell
from treewright.export.expected import Answers, expected_answers
from treewright.export.formula import Formula
from treewright.export.formula_probes import codes_of, formula_probes
from treewright.export.probes import probes, probes_of_all_nodes, row_key
from treewright.export.program import Program
from treewright.export.runtimes import NotHereError, Questions, Runtime
from treewright.export.sql.chain import SqlOptions
from treewright.export.telling_rows import telling_rows
from treewright.table.schema import Column

ENDING = ".proof.json"
FORMAT = 1
_MOST_CELLS = 400_000  # probes × trees: those with strange cells
_MOST_ROWS = 60_000  # of all nodes
_NO_SHARE = 1e-300  # a smaller share counts as none: some engines have no exp of so little
NO_SQL = SqlOptions("")
_REALS = ("numbers", "scores", "slack", "number_slack")  # of answers: doubles, which the file holds in hexadecimal


@dataclass(frozen=True)
class Verdict:
    """What came of a proof.

    Attributes
    ----------
    proven : bool
        Whether the export ran and every answer was that of the model.
    text : str
        The same in a sentence.
    """

    proven: bool
    text: str


@dataclass(frozen=True)
class Difference:
    """The first answer that is another."""

    row: list[Cell]
    expected: Any
    found: Any


def write_proof(
    path: Path,
    model: Any,
    program: Program | Formula,
    runtime: Runtime,
    rows: list[list[Cell]] | None = None,
    sql: SqlOptions = NO_SQL,
) -> Verdict:
    """Run an export on its probes and write the proof beside it; an export that answers otherwise is refused.

    `rows` are the probes of a format that holds its own, `sql` says what a statement reads and hands on.

    Raises
    ------
    DataError
        Where the export does not answer as the model does. It is a fault of ours, and the file must not be used.
    """
    share = 1.0
    if rows is None:
        rows, share = chosen_probes(program, runtime.most_cells)
    asked = Questions(
        [_asked_column(program.columns[at]) for at in program.used],
        rows,
        program.labels,
        sql.table,
        0 if isinstance(program, Program) or program.labels is None else len(program.outputs),
        sql.keep,
    )
    expected = expected_answers(model, program, rows)
    if isinstance(program, Formula):
        answered = _answered(program, rows, expected)
        if len(answered) < len(rows):
            rows, asked = answered, replace(asked, rows=answered)
            expected = expected_answers(model, program, rows)
    what = "numbers" if program.labels is None else "classes"
    exact = program.is_exact and what in runtime.keeps_bits
    verdict = judge(path, runtime, asked, expected, exact, share)
    proof = {
        "format": FORMAT,
        "model": program.fingerprint,
        "export": path.name,
        "sha256": digest(path),
        "runtime": type(runtime).__name__,
        "exact": exact,
        "share": share,
        "questions": {**vars(asked), "rows": [[_to_json(cell) for cell in row] for row in rows]},
        "expected": {
            **vars(expected),
            **{name: _hex(getattr(expected, name)) for name in _REALS},
            "nodes": folded(expected.nodes),
        },
        "verdict": verdict.text,
        "proven": verdict.proven,
    }
    (path.parent / (path.name + ENDING)).write_text(json.dumps(proof, ensure_ascii=False), encoding="utf-8")
    return verdict


def _answered(formula: Formula, rows: list[list[Cell]], expected: Answers) -> list[list[Cell]]:
    """The rows that the model answers: where sums go beyond the largest double there is nothing to be equal to."""
    found = [row for row, numbers in zip(rows, expected.numbers, strict=True) if not any(map(math.isnan, numbers))]
    if rows and not found:
        raise DataError(
            f"This {formula.title} answers no row: its sums go beyond the largest number. Train it on columns of a "
            "smaller scale."
        )
    return found


def chosen_probes(program: Program | Formula, most_cells: int) -> tuple[list[list[Cell]], float]:
    """Give the rows of a proof, and the share of all tests of trees that they try: 1 but for very large models."""
    if isinstance(program, Formula):
        rows = formula_probes(program)
        return [*rows, *telling_rows(program, codes_of(program, rows))], 1.0
    n_trees = max(1, len(program.trees))
    strange = probes(program, max(500, min(20_000, _MOST_CELLS // n_trees)))
    more, share = probes_of_all_nodes(program, max(500, min(_MOST_ROWS, most_cells // n_trees)))
    return list({row_key(row): row for row in (*strange, *more)}.values()), share


def judge(
    path: Path, runtime: Runtime, asked: Questions, expected: Answers, exact: bool, share: float = 1.0
) -> Verdict:
    """Run the export and compare every answer; `share`: of all tests, what the rows try."""
    try:
        version = runtime.version()
    except NotHereError as reason:
        return Verdict(False, f"written, not proven: {reason}")
    units = units_allowed(asked, expected, exact, runtime.units)
    found = runtime.run(path, asked)
    if any(isinstance(row, str) for row in expected.nodes):  # as a file of a proof has them
        found = replace(found, nodes=folded(found.nodes))
    difference = first_difference(asked, expected, found, units)
    if difference is not None:
        raise DataError(
            f"{path.name} does not answer as the model does in {version}: to {difference.row} it says "
            f"{difference.found!r}, the model {difference.expected!r}. Please report this with the model."
        )
    closeness = "equal to the last bit" if exact else f"equal but for {units} units in the last place"
    if expected.slack is not None or expected.number_slack is not None:
        most = max(_largest_share_of_slack(expected, place) for place in range(len(asked.rows)))
        closeness = f"equal but for {most:.1e} at most, as far as exp, log and tanh of two libraries may lead"
    part = "" if share == 1.0 else f" that try {math.floor(100 * share)} % of the tests"
    return Verdict(True, f"proven in {version}: {len(asked.rows):,} probes{part}, all answers {closeness}")


def folded(nodes: list[list[int]]) -> list[Any]:
    """Give the nodes of many trees as a short text each: a file of a proof would be hundreds of megabytes of numbers.

    >>> folded([[3], [], [1, 4]])
    [[3], [], '9a2e8867ac3d']
    """
    return [_folded(row) if len(row) > 1 else row for row in nodes]


def _folded(row: list[int]) -> str:
    return hashlib.blake2b(json.dumps(row).encode(), digest_size=6).hexdigest()


def units_allowed(asked: Questions, expected: Answers, exact: bool, units: int) -> int:
    """Give by how many units in the last place answers may differ, beside a bound that is known for each."""
    is_bounded_sum = asked.labels is None and expected.slack is not None
    return 0 if exact or is_bounded_sum else units


def first_difference(asked: Questions, expected: Answers, found: Answers, units: int) -> Difference | None:
    """Give the first row that is answered otherwise, by more than so many units in the last place; None if none is."""
    if len(found.numbers) != len(expected.numbers):
        return Difference([], f"{len(expected.numbers)} answers", f"{len(found.numbers)} answers")
    for place, row in enumerate(asked.rows):
        slack = _slack_of_numbers(expected, place)
        same = _same_numbers(expected.numbers[place], found.numbers[place], units, slack)
        if expected.scores is not None and found.scores is not None:
            scores = expected.scores[place], found.scores[place]
            same = same and _near(
                *scores, 0, [0.0] * len(scores[0]) if expected.slack is None else expected.slack[place]
            )
        if found.nodes[place] and expected.nodes[place]:
            same = same and found.nodes[place] == expected.nodes[place]
        if expected.labels is not None and found.labels is not None:
            same = same and found.labels[place] == expected.labels[place]
        if not same:
            return Difference(row, _told(expected, place), _told(found, place))
    return None


def _largest_share_of_slack(expected: Answers, place: int) -> float:
    """By how much answers may be off; of answers beyond 1 as a share of them."""
    slack = zip(_slack_of_numbers(expected, place), expected.numbers[place], strict=True)
    return max(more / max(1.0, abs(number)) for more, number in slack)


def _slack_of_numbers(expected: Answers, place: int) -> list[float]:
    """By how much answers may be off beside their units: of a share as much as twice the most that a score may."""
    numbers = expected.numbers[place]
    if expected.number_slack is not None:
        return expected.number_slack[place]
    if expected.slack is None:
        return [0.0] * len(numbers)
    most = max(expected.slack[place])
    return [most] if expected.labels is None else [2.0 * most * share for share in numbers]


def _same_numbers(expected: list[float], found: list[float], most: int, slack: list[float]) -> bool:
    """Compare in units; the first of two shares is what the other leaves of 1, whose units are larger than its own."""
    if most and len(expected) == len(found) == 2 and _is_rest(expected) and _is_rest(found):
        return _near(expected[1:], found[1:], most, slack[1:])
    return _near(expected, found, most, slack)


def _near(expected: list[float], found: list[float], most: int, slack: list[float]) -> bool:
    return len(expected) == len(found) and all(
        units_between(a, b) <= most
        or abs(a - b) <= more + most * math.ulp(a)
        or (most > 0 and max(abs(a), abs(b)) < _NO_SHARE)
        for a, b, more in zip(expected, found, slack, strict=True)
    )


def _is_rest(shares: list[float]) -> bool:
    return shares[0] == 1.0 - shares[1]


def units_between(first: float, second: float) -> int:
    """Count the doubles from one number to another.

    >>> units_between(1.0, 1.0000000000000002), units_between(0.0, -0.0), units_between(1.0, 2.0) > 10**9
    (1, 0, True)
    """
    if first == second or (math.isnan(first) and math.isnan(second)):
        return 0
    if math.isnan(first) or math.isnan(second):
        return 2**63
    return abs(_ordered(first) - _ordered(second))


def _ordered(number: float) -> int:
    bits: int = struct.unpack("<q", struct.pack("<d", number))[0]
    return bits if bits >= 0 else -(2**63) - bits


def _told(answers: Answers, place: int) -> dict[str, Any]:
    labels = None if answers.labels is None else answers.labels[place]
    scores = {} if answers.scores is None else {"scores": answers.scores[place]}
    return {"nodes": answers.nodes[place][:5], "numbers": answers.numbers[place], "label": labels, **scores}


def _asked_column(column: Column) -> dict[str, str]:
    """Dates are numbers to most runtimes; a database has types of its own for them."""
    asked = {"name": column.name, "holds": holds(column)}
    is_date = column.kind == "numeric" and column.value_type != "number"
    return {**asked, "value_type": column.value_type} if is_date else asked


def holds(column: Column) -> str:
    """Say what the cells of a column are to a runtime.

    >>> holds(Column("age", "numeric")), holds(Column("job", "nominal", "text", ("cook",)))
    ('number', 'text')
    """
    if column.kind == "numeric":
        return "number"
    if any(isinstance(level, str) for level in column.levels):
        return "text"
    return "boolean" if any(isinstance(level, bool) for level in column.levels) else "number"


def digest(path: Path) -> str:
    """The sha256 of an export, its header included where it has one."""
    parts = [path, path.with_suffix(".h")] if path.suffix == ".c" else [path]
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()


def read_proof(path: Path) -> tuple[dict[str, Any], Questions, Answers]:
    """Read the proof of an export."""
    proof_path = path.parent / (path.name + ENDING)
    try:
        proof = json.loads(proof_path.read_text(encoding="utf-8"))
        asked, told = proof["questions"], proof["expected"]
        rows = [[_from_json(cell) for cell in row] for row in asked["rows"]]
        reals = {name: _from_hex(told.get(name)) for name in _REALS}
        more = asked["table"], asked.get("n_scores", 0), tuple(asked.get("keep", ()))
        questions = Questions(asked["columns"], rows, asked["labels"], *more)
        return proof, questions, Answers(told["nodes"], labels=told["labels"], **reals)
    except FileNotFoundError:
        raise DataError(f"{path} has no proof: {proof_path.name} is not beside it. Export the model again.") from None
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as problem:
        raise DataError(f"{proof_path} is damaged ({problem}). Export the model again.") from None


def _hex(rows: list[list[float]] | None) -> list[list[str]] | None:
    return None if rows is None else [[number.hex() for number in row] for row in rows]


def _from_hex(rows: list[list[str]] | None) -> Any:
    return None if rows is None else [[float.fromhex(number) for number in row] for row in rows]


def _to_json(cell: Cell) -> Any:
    """JSON writes doubles with all their bits, but for infinities."""
    return {"double": cell.hex()} if isinstance(cell, float) and not math.isfinite(cell) else cell


def _from_json(cell: Any) -> Cell:
    return float.fromhex(cell["double"]) if isinstance(cell, dict) else cell
