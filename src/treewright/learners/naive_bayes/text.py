"""A naive Bayes model as a table: the classes side by side, a line a column or level."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.learners.naive_bayes.state import level_starts
from treewright.table.schema import level_text
from treewright.tree.format import estimate_text
from treewright.wording import most_lines, rest_of_model_words

_MOST_CLASSES, _MOST_LINES, _WIDTH = 6, 40, 30


def bayes_text(model: Any) -> str:
    """Write a fitted model for people."""
    schema = model.schema_
    target = f" for '{schema.target}'" if schema.target else ""
    labels = [level_text(label) for label in model.classes_.tolist()]
    shown = labels[:_MOST_CLASSES]
    more = f" (the first {_MOST_CLASSES} of {len(labels)} classes)" if len(labels) > len(shown) else ""
    first = f"{type(model).__name__}{target}: {model.class_count_.sum():,.6g} rows, {len(labels)} classes{more}"
    lines = [("", shown), ("share of rows", [f"{prior:.3f}" for prior in model.class_prior_[: len(shown)]])]
    lines += _columns(model, len(shown))
    all_lines, lines = len(lines), lines[: most_lines(_MOST_LINES)]
    name_width = max(len(name) for name, _ in lines)
    widths = [max(len(cells[k]) for _, cells in lines) for k in range(len(shown))]
    text = [first]
    for name, cells in lines:
        row = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        text.append(f"  {name:<{name_width}}  {row}".rstrip())
    if all_lines > len(lines):
        text.append(f"  … {all_lines - len(lines):,} more lines{rest_of_model_words()}")
    return "\n".join(text)


def _columns(model: Any, n_shown: int) -> list[tuple[str, list[str]]]:
    """One line for each number (mean ± standard deviation) and for each level (its share)."""
    lines: list[tuple[str, list[str]]] = []
    starts, n_numeric, n_levelled = level_starts(model.schema_), 0, 0
    for column in model.schema_.columns:
        name = column.name[:_WIDTH]
        if column.kind == "numeric":
            deviation = np.sqrt(model.var_[:, n_numeric])
            both = zip(model.theta_[:n_shown, n_numeric], deviation, strict=False)
            lines.append((name, [f"{estimate_text(mean)} ± {estimate_text(sd, 3)}" for mean, sd in both]))
            n_numeric += 1
            continue
        shares = np.exp(model._level_logs[n_levelled][1:])
        for code in range(starts[n_levelled + 1] - starts[n_levelled]):
            label = f"{name} = {level_text(column.levels[code])[:_WIDTH]}"
            lines.append((label, [f"{share:.3f}" for share in shares[code, :n_shown]]))
        n_levelled += 1
    return lines
