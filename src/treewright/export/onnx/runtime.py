"""Runs an ONNX file in onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import DataError
from treewright.export.arriving_rows import Cell
from treewright.export.expected import Answers
from treewright.export.runtimes import NotHereError, Questions, Runtime

_NO_LEVEL = "\ue000"  # a tensor of texts has no holes; what is no level counts as missing


class OnnxRuntime(Runtime):
    """onnxruntime, on the processor."""

    most_cells = 4_000_000

    def version(self) -> str:
        return f"onnxruntime {_package().__version__}"

    def run(self, path: Path, asked: Questions) -> Answers:
        try:
            session = _package().InferenceSession(str(path), providers=["CPUExecutionProvider"])
            given = {
                column["name"]: _tensor(column["holds"], [row[at] for row in asked.rows])
                for at, column in enumerate(asked.columns)
            }
            told = session.run(None, given)
        except Exception as problem:  # its errors have no class of their own in common
            raise DataError(f"onnxruntime failed: {str(problem).splitlines()[0][:300]}") from problem
        labels = None if asked.labels is None else told.pop(0).tolist()
        numbers = told.pop(0).reshape(len(asked.rows), -1).tolist()
        scores = told.pop(0).tolist() if asked.n_scores else None
        return Answers(told.pop(0).tolist() if told else [[] for _ in asked.rows], numbers, labels, scores)


def _package() -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise NotHereError("no onnxruntime here") from None
    return onnxruntime


def _tensor(holds: str, cells: list[Cell]) -> Any:
    """A column as rows × 1."""
    if holds == "text":
        return np.array([[_NO_LEVEL if cell is None else cell] for cell in cells], dtype=object)
    return np.array([[np.nan if cell is None else float(cell)] for cell in cells], dtype=np.float64)
