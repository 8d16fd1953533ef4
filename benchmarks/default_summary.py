"""The losses that `default_settings` has measured, put together: `python -m benchmarks.default_summary`.

A contestant's loss on a table is the mean over the folds that all contestants of the summary have. Ratios are geometric
means over tables; log losses below 0.02 count as 0.02. Ranks are means over tables of the place among the contestants.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.default_settings import CACHE, LEAST_LOSS


def losses_by_table(measured: pd.DataFrame, contestants: list[str]) -> pd.DataFrame:
    """Mean losses: a row for each table, a column for each contestant; only folds that all of them have.

    >>> lines = [("classes", "t", 0, "a", 0.01), ("classes", "t", 0, "b", 0.5), ("classes", "t", 1, "a", 0.7)]
    >>> measured = pd.DataFrame(lines, columns=["task", "table", "fold", "contestant", "loss"])
    >>> losses_by_table(measured, ["a", "b"]).to_dict("list")
    {'a': [0.02], 'b': [0.5]}
    """
    chosen = measured[measured.contestant.isin(contestants)]
    folds = chosen.pivot_table(index=["task", "table", "fold"], columns="contestant", values="loss").dropna()
    tables = folds.reindex(columns=contestants).groupby(level=["task", "table"]).mean()
    is_classes = tables.index.get_level_values("task") == "classes"
    return tables.mask(is_classes[:, None] & (tables < LEAST_LOSS), LEAST_LOSS)


def summary(measured: pd.DataFrame, contestants: list[str], beside: list[str]) -> pd.DataFrame:
    """A row for each contestant: ratios to those in `beside`, on how many tables it is better, rank, CPU seconds."""
    losses = losses_by_table(measured, contestants)
    cpu = measured.pivot_table(index=["task", "table", "fold"], columns="contestant", values="cpu")
    cpu = cpu[contestants].dropna().sum()
    ranks = losses.rank(axis=1).mean()
    columns = {f"loss / {other}": np.exp(np.log(losses.div(losses[other], axis=0)).mean()) for other in beside}
    better = {f"better than {other}": losses.lt(losses[other], axis=0).mean() for other in beside}
    return pd.DataFrame({**columns, **better, "mean rank": ranks, "CPU s": cpu}).sort_values("mean rank")


def markdown(table: pd.DataFrame) -> str:
    """Give a table as Markdown.

    >>> print(markdown(pd.DataFrame({"loss / x": [0.5]}, index=["y"])))
    | | loss / x |
    |---|---|
    | y | 0.500 |
    """
    rows = [[str(name), *(_written(column, value) for column, value in row.items())] for name, row in table.iterrows()]
    return (
        "\n".join(
            f"| {' | '.join(cells)} |".replace("|  |", "| |", 1)
            for cells in [["", *table.columns], ["---"] * (len(table.columns) + 1), *rows]
        )
        .replace("| --- | --- ", "|---|---")
        .replace(" | --- ", "|---")
        .replace("--- |", "---|")
    )


def _written(column: str, value: float) -> str:
    if column.startswith("better"):
        return f"{value:.0%}"
    return f"{value:.1f}" if column == "CPU s" else f"{value:.3f}"


def main(cache: Path = CACHE) -> None:
    """Print a summary of each half and task for the contestants that are given, or for all."""
    measured = pd.read_csv(cache)
    asked = sys.argv[1:]
    for (part, task), found in measured.groupby(["part", "task"]):
        contestants = [name for name in (asked or list(found.contestant.unique())) if name in set(found.contestant)]
        beside = [name for name in ("LightGBM", "CatBoost", "scikit-learn forest") if name in contestants]
        tables = losses_by_table(found, contestants)
        print(f"\n{part}, {task}: {len(tables)} tables\n{markdown(summary(found, contestants, beside))}")


if __name__ == "__main__":
    main()
