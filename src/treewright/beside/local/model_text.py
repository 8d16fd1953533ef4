"""A model of local regressions in a few lines."""

from __future__ import annotations

from typing import Any

_SHAPES = {"gaussian": "exp(-u²/2)", "tricube": "(1 - u³)³", "epanechnikov": "1 - u²"}


def local_text(model: Any) -> str:
    """Write a fitted model for people."""
    schema = model.schema_
    target = f" for '{schema.target}'" if schema.target else ""
    fit = "straight lines" if model.degree else "weighted means"
    lines = [f"{type(model).__name__}{target}: {fit} through near rows"]
    lines.append(f"  rows       {model.n_samples_fit_:,}")
    lines.append(f"  kernel     {model.kernel}, {_SHAPES[model.kernel]}")
    lines.append(f"  metric     {model.metric}")
    if model.span is not None:
        lines.append(f"  bandwidth  as far as {100 * model.span:g} % of the rows")
    else:
        lines.append(f"  bandwidth  {model.bandwidth_:.4g}")
    if hasattr(model, "loo_errors_"):
        tried = f"{len(model.bandwidths_)} from {model.bandwidths_[-1]:.3g} to {model.bandwidths_[0]:.3g}"
        lines.append(f"  chosen     of {tried}: mean squared error {model.loo_errors_.min():.4g} on rows left out")
    return "\n".join(lines)
