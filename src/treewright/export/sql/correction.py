"""Probabilities that were corrected after training, as SQL."""

from __future__ import annotations

from treewright.export.correction import Correction
from treewright.export.sql.chain import Chain
from treewright.export.sql.links import softmax
from treewright.learners.base.calibration import SMALLEST


def corrected(chain: Chain, correction: Correction, carried: list[str], names: list[str]) -> list[str]:
    """Add the steps of a correction; gives the probabilities. `carried` are the columns that are needed afterwards."""
    number = chain.dialect.number
    if correction.kind == "softmax":
        kept, least = number(correction.kept), number(SMALLEST)
        mixed = [f"{kept} * {name} + {number(more)}" for name, more in zip(names, correction.added, strict=True)]
        chain.numbered_step("mixed", [*carried, *(f"{part} AS m{i}" for i, part in enumerate(mixed))])
        log = "LOG" if chain.dialect.name == "sqlserver" else "ln"
        scores = [
            f"{number(correction.slope)} * {log}(CASE WHEN m{i} < {least} THEN {least} ELSE m{i} END) + {number(bias)}"
            for i, bias in enumerate(correction.bias)
        ]
        return softmax(chain, carried, scores)
    if len(correction.start) == 2:
        chain.numbered_step("lines", [*carried, f"{_line(chain, correction, 0, names[1])} AS q1"])
        return [f"{number(1.0)} - q1", "q1"]
    lines = [f"{_line(chain, correction, k, name)} AS q{k}" for k, name in enumerate(names)]
    chain.numbered_step("lines", [*carried, *names, *lines])
    whole = " + ".join(f"q{k}" for k in range(len(names)))
    parts = [f"q{k}" for k in range(len(names))]
    chain.numbered_step("lines", [*carried, *names, *parts, f"{whole} AS whole_of_parts"])
    return [
        f"CASE WHEN whole_of_parts > {number(0.0)} THEN q{k} / whole_of_parts ELSE {name} END"
        for k, name in enumerate(names)
    ]


def _line(chain: Chain, correction: Correction, k: int, name: str) -> str:
    """A line from point to point, the last point that is not above first; before the first point it is level."""
    number, given, answer = chain.dialect.number, correction.given, correction.answer
    first, last = correction.start[k], correction.start[k + 1] - 1
    cases = [f"WHEN {name} >= {number(given[last])} THEN {number(answer[last])}"]
    for at in range(last - 1, first - 1, -1):
        if given[at] == given[at + 1]:
            continue  # the later of equal points counts
        slope = (answer[at + 1] - answer[at]) / (given[at + 1] - given[at])
        line = f"{number(slope)} * ({name} - {number(given[at])}) + {number(answer[at])}"
        cases.append(f"WHEN {name} >= {number(given[at])} THEN {line if slope else number(answer[at])}")
    return f"CASE {' '.join(cases)} ELSE {number(answer[first])} END"
