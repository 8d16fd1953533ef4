"""Answers of a model to the rows of a source, some rows at a time: kept in memory, or written to a file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.given_names import names_given, path_given
from treewright.sources.source import Source

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def in_batches(model: Any, source: Source, answer: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
    """What a method of a model answers to all rows of a source, in their order."""
    names = _features(model, source)
    parts = [answer(table) for table in source.batches(names)]
    if not parts:
        raise DataError(f"{source} has no rows to answer.")
    return np.concatenate(parts)


class AnsweredRows:
    """What a model answers to the rows of a source and what is true of them, read once: the order may change between.

    It is asked as the model is, for any rows: it has only these.
    """

    def __init__(self, model: Any, source: Source, target: Any) -> None:
        wanted, names = source.need(target, "target"), _features(model, source)
        truths, answers, shares = [], [], []
        for table in source.batches(list(dict.fromkeys([*names, wanted]))):
            rows = table.select(names)
            truths.append(table.column(wanted).to_numpy())
            answers.append(model.predict(rows))
            if hasattr(model, "predict_proba"):
                shares.append(model.predict_proba(rows))
        if not truths:
            raise DataError(f"{source} has no rows to evaluate. Give it some.")
        self.truth, self._answers = np.concatenate(truths), np.concatenate(answers)
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_
        if shares:
            self._shares = np.concatenate(shares)
            self.predict_proba = lambda _: self._shares

    def predict(self, _: Any) -> NDArray[Any]:
        """The answers."""
        return self._answers


def write_predictions(
    model: Any, source: Source, path: str | os.PathLike[str], *, keep: Sequence[str] = (), proba: bool = False
) -> int:
    """Write the answers to all rows of a source to a Parquet or CSV file, and give their number.

    The file appears when it is complete. Beside `prediction` it has the columns to keep and, with `proba`, a column
    ``probability_CLASS`` for each class.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     X.to_parquet(pathlib.Path(folder) / "rows.parquet")
    ...     tw.write_predictions(model, tw.source(f"{folder}/rows.parquet"), f"{folder}/answers.csv")
    81
    """
    target, keep = path_given("tw.write_predictions", path), names_given("tw.write_predictions", "keep", keep)
    if target.suffix.lower() not in (".parquet", ".csv"):
        raise DataError(f"{target}: answers are written to a .parquet or a .csv file. Choose one of these endings.")
    names = _features(model, source)
    for name in keep:
        source.need(name, "column to keep")
    handle, part = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    try:
        written = _write(_answered(model, source, names, keep, proba), part, target.suffix.lower())
        Path(part).replace(target)
    finally:
        Path(part).unlink(missing_ok=True)
    return written


def _write(tables: Iterator[pa.Table], part: str, ending: str) -> int:
    import pyarrow.csv
    import pyarrow.parquet

    kind = pyarrow.parquet.ParquetWriter if ending == ".parquet" else pyarrow.csv.CSVWriter
    writer, written = None, 0
    try:
        for table in tables:
            writer = writer or kind(part, table.schema)
            writer.write_table(table)
            written += table.num_rows
    finally:
        if writer is not None:
            writer.close()
    return written


def _answered(model: Any, source: Source, names: Sequence[str], keep: Sequence[str], proba: bool) -> Iterator[pa.Table]:
    import pyarrow as pa

    for table in source.batches(list(dict.fromkeys([*keep, *names]))):
        rows = table.select(list(names))
        columns: dict[str, Any] = {name: table.column(name) for name in keep}
        columns |= answer_table(model, rows, proba)
        columns["prediction"] = pa.array(columns["prediction"].tolist())
        yield pa.table(columns)


def answer_table(model: Any, rows: pa.Table, proba: bool) -> dict[str, NDArray[Any]]:
    """What a model answers to some rows: `prediction`, and the probabilities where they are asked for."""
    columns = {"prediction": model.predict(rows)}
    if proba:
        shares = model.predict_proba(rows)
        columns |= {f"probability_{name}": shares[:, k] for k, name in enumerate(model.classes_)}
    return columns


def answer_types(model: Any, proba: bool) -> dict[str, pd.Series]:
    """The columns of such answers, without rows."""
    import pandas as pd

    first = pd.Series(model.classes_.tolist() if hasattr(model, "classes_") else [0.0])[:0]
    names = [f"probability_{name}" for name in model.classes_] if proba else []
    return {"prediction": first, **{name: pd.Series([], dtype="float64") for name in names}}


def features_of(model: Any, source: Source) -> list[str]:
    """The columns of a source that a model asks for."""
    return _features(model, source)


def _features(model: Any, source: Source) -> list[str]:
    names = [str(name) for name in getattr(model, "feature_names_in_", ())]
    if not names:
        raise DataError("The model was trained on an array without names, so no columns of a source are its columns.")
    for name in names:
        if name not in source.names:
            raise DataError(f"{source} has no column {name!r}, which the model asks for. {nearest(name, source.names)}")
    return names
