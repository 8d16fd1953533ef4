"""Learners that need all rows in one place, fitted to a source: the rows are gathered where they fit, and then learnt.

The model is that of the same rows in memory because it is made by the same steps, and no step depends on their order.
"""

from __future__ import annotations

from typing import Any

from treewright.errors import DataError
from treewright.sources.gather import count_rows, gather
from treewright.sources.source import Source

_MOST_BYTES_A_CELL = 8  # of a number; most are narrower


_ASK_FOR_ORDER = {
    "shuffle": (False, "shuffle=False takes the rows in their order, and a source has none"),
    "keep_trace": (True, "keep_trace=True names rows by their place, and in a source they have none"),
    "reduced_error": (True, "reduced_error=True keeps back rows by their place, and in a source they have none"),
}


def fit_gathered(
    model: Any, source: Source, y: Any, sample_weight: Any = None, *others: Any, who: str | None = None
) -> None:
    """Fit a model to the rows of a source, brought together; as many as `fetch_rows` says, and no more.

    `who` needs them all: the model, if nothing else is said.
    """
    model._fit(*gathered_table(model, source, y, sample_weight, *others, who=who))


def gathered_table(
    model: Any, source: Source, y: Any, sample_weight: Any = None, *others: Any, who: str | None = None
) -> tuple[Any, Any, Any]:
    """Bring together what a model learns from: the columns, the target, the weights."""
    model._validate_params()
    _refuse_order(model)
    target = source.need(y, "target")
    weight = None if sample_weight is None else source.need(sample_weight, "sample_weight")
    if any(other is not None for other in others):
        raise DataError(
            f"With a source {type(model).__name__}.fit takes a target and sample_weight, nothing beside them. Read the "
            "rows with tw.read and fit them in memory."
        )
    features = [name for name in source.names if name not in (target, weight, *source.left_out)]
    if not features:
        raise DataError(f"{source} has no column to learn from beside the target. Give it some.")
    with source.session():
        _refuse_too_many(who or type(model).__name__, source, len(features))
        table = gather(source, features, [target] if weight is None else [target, weight])
    if table.num_rows == 0:
        raise DataError(f"{source} has no rows. Give it some.")
    truth = table.column(target).to_pandas()
    truth.name = target
    weights = None if weight is None else table.column(weight).to_pandas()
    return table.select(features), truth, weights


def _refuse_order(model: Any) -> None:
    """Refuse what is made by the order of the rows."""
    asked = [
        _ASK_FOR_ORDER[last][1]
        for last, value in ((name.rpartition("__")[2], value) for name, value in model.get_params().items())
        if last in _ASK_FOR_ORDER and value is _ASK_FOR_ORDER[last][0]
    ]
    reason = model._why_no_source or next(iter(asked), None)
    if reason is not None:
        raise DataError(
            f"{type(model).__name__} does not learn from a source: {reason}. Read the rows with tw.read and fit them "
            "in memory."
        )


def _refuse_too_many(who: str, source: Source, n_features: int) -> None:
    """Refuse more rows than may be fetched, with what to set."""
    n_rows = count_rows(source)
    if n_rows <= source.fetch_rows:
        return
    gigabytes = n_rows * (n_features + 1) * _MOST_BYTES_A_CELL / 2**30
    raise DataError(
        f"{who} needs all rows in one place, and {source} has {n_rows:,}, more than the {source.fetch_rows:,} that may "
        f"be fetched. If there is memory for them (at most {gigabytes:,.1f} GB, and what fitting takes) say so: "
        f"tw.source(…, fetch_rows={n_rows}). DecisionTreeClassifier and DecisionTreeRegressor count the rows where "
        "they are, however many."
    )
