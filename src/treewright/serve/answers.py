"""What a model says to the rows of a request, and how that is written: as the rows came, JSON, CSV or Arrow."""

from __future__ import annotations

import io
import json
import math
from typing import Any

import numpy as np

from treewright.errors import DataError
from treewright.serve.request_rows import ARROW, CSV, BadRequestError, Rows
from treewright.serve.shelf import ServedModel
from treewright.table.frame import frame_of_values

_WRITER = json.JSONEncoder(allow_nan=False, default=str)  # json.dumps would make one for each answer


def predict(served: ServedModel, rows: Rows, probabilities: bool) -> bytes:
    """Answer rows; with their probabilities where they are asked for."""
    model = served.model
    if rows.table is None and not probabilities:
        return _document(served, {"predictions": [_plain(model.predict_one(rows.one))]})
    if probabilities and served.classes is None:
        raise BadRequestError(f"{served.name} predicts a number, so that it has no probabilities.")
    table = _table(served, rows)
    answers = model.predict(table)
    shares = model.predict_proba(table) if probabilities else None
    if rows.kind in (CSV, ARROW):
        return _as_table(served, rows.kind, answers, shares)
    if shares is None and _is_finite(answers):
        return (f'{served.begins}"predictions": [{", ".join(_texts(answers))}]}}').encode()
    said: dict[str, Any] = {"predictions": [_plain(answer) for answer in answers.tolist()]}
    if shares is not None:
        said["probabilities"] = shares.tolist()
        said["classes"] = served.classes
    return _document(served, said)


def why(served: ServedModel, rows: Rows) -> bytes:
    """Explain the answer to one row in words."""
    if not hasattr(served.model, "why"):
        raise BadRequestError(f"{served.name} has no trees, so that it cannot say why. Ask /explain or /predict.")
    if rows.n != 1:
        raise BadRequestError(f"/why explains one row, and there are {rows.n}. Send them one by one.")
    row = rows.one if rows.table is None else _first_row(rows.table)
    return _document(served, served.model.why(row).to_dict())


def explain(served: ServedModel, rows: Rows) -> bytes:
    """Give the SHAP values of rows: what each column adds to the expected answer."""
    if not hasattr(served.model, "shap_values"):
        raise BadRequestError(f"{served.name} has no SHAP values.")
    values = served.model.shap_values(_table(served, rows))
    said = {"columns": list(served.schema.names), "expected_value": np.asarray(served.model.expected_value).tolist()}
    return _document(served, {**said, "classes": served.classes, "shap_values": values.tolist()})


def describe(served: ServedModel) -> dict[str, Any]:
    """What there is to know about a model before it is asked."""
    return {
        "model": served.name,
        "version": served.version,
        "proof": served.proof,
        "kind": type(served.model).__name__,
        "target": served.schema.target,
        "classes": served.classes,
        "columns": [
            {"name": column.name, "kind": column.kind, "holds": column.value_type, "levels": list(column.levels)}
            for column in served.schema.columns
        ],
    }


def _table(served: ServedModel, rows: Rows) -> Any:
    if rows.table is not None:
        return rows.table
    names = served.schema.names
    values = [rows.one.get(name) for name in names] if isinstance(rows.one, dict) else rows.one
    return frame_of_values(names, [values])


def _first_row(table: Any) -> dict[str, Any]:
    first = table.iloc[0].to_dict() if hasattr(table, "iloc") else table.slice(0, 1).to_pylist()[0]
    return dict(first)


def _document(served: ServedModel, said: dict[str, Any]) -> bytes:
    try:
        return (served.begins + _WRITER.encode(said)[1:]).encode()
    except ValueError:
        raise DataError("An answer is beyond all numbers.") from None


def _is_finite(answers: Any) -> bool:
    return bool(answers.dtype == np.float64 and np.isfinite(answers).all())


def _texts(numbers: Any) -> list[str]:
    """Write finite doubles so that they read back as the same; pyarrow does it in a quarter of the time."""
    try:
        import pyarrow as pa
        import pyarrow.compute as pc
    except ImportError:
        return [repr(number) for number in numbers.tolist()]
    texts = pc.cast(pa.array(numbers), pa.string()).to_pylist()
    return [text if "." in text or "e" in text else f"{text}.0" for text in texts]


def _plain(answer: Any) -> Any:
    return None if isinstance(answer, float) and not math.isfinite(answer) else answer


def _as_table(served: ServedModel, kind: str, answers: Any, shares: Any) -> bytes:
    columns: dict[str, Any] = {"prediction": answers}
    if shares is not None:
        columns |= {f"probability of {label}": shares[:, k] for k, label in enumerate(served.classes or [])}
    if kind == CSV and shares is None and _is_finite(answers):
        return "\n".join(["prediction", *_texts(answers), ""]).encode()
    if kind == CSV:
        import pandas as pd

        return pd.DataFrame(columns).to_csv(index=False).encode()
    import pyarrow as pa

    table, sink = pa.table(columns), io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()
