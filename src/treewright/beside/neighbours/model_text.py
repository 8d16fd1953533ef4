"""A model of neighbours in a few lines."""

from __future__ import annotations

from typing import Any

from treewright.encode.schema import level_text


def neighbours_text(model: Any) -> str:
    """Write a fitted model for people."""
    schema, metric = model.schema_, model._search.metric
    target = f" for '{schema.target}'" if schema.target else ""
    lines = [f"{type(model).__name__} of {_count(model.n_neighbors_, 'neighbour')}{target}"]
    lines.append(f"  rows       {model.n_samples_fit_:,}")
    lines.append(f"  columns    {_kinds(schema)}")
    lines.append(f"  metric     {metric.name}{_ignored(schema, metric)}")
    lines.append(f"  votes      {'all the same' if model.weights == 'uniform' else '1/distance'}")
    if hasattr(model, "classes_"):
        lines.append(f"  classes    {_classes(model.classes_.tolist())}")
    if hasattr(model, "cv_curve_"):
        name = "wrong" if hasattr(model, "classes_") else "mean squared error"
        best = f"{name} {model.cv_curve_.min():.4g}"
        lines.append(f"  chosen     {model.n_neighbors_} of 1 to {len(model.cv_curve_)}: {best} on rows left out")
    return "\n".join(lines)


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _kinds(schema: Any) -> str:
    kinds = [column.kind for column in schema.columns]
    found = [f"{kinds.count(kind):,} {kind}" for kind in ("numeric", "ordinal", "nominal") if kind in kinds]
    return ", ".join(found)


def _ignored(schema: Any, metric: Any) -> str:
    used = len(metric.scale) + len(metric.apart)
    n_out = len(schema.columns) - used
    return f" ({_count(n_out, 'column')} left out: all values the same, or factor 0)" if n_out else ""


def _classes(classes: list[Any]) -> str:
    shown = ", ".join(level_text(label) for label in classes[:6])
    return shown + (f" and {len(classes) - 6:,} more" if len(classes) > 6 else "")
