"""Runs PMML in JPMML-Evaluator, the reference implementation, where its Python package and a Java are installed."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from treewright.errors import DataError
from treewright.export.expected import Answers
from treewright.export.runtimes import NotHereError, Questions, Runtime


class JpmmlRuntime(Runtime):
    """JPMML-Evaluator, in a Java that ends with this process."""

    units = 8
    keeps_bits = ("numbers",)  # probabilities are rescaled so that they sum to 1

    def version(self) -> str:
        if shutil.which("java") is None:
            raise NotHereError("no java here")
        try:
            import jpmml_evaluator.py4j  # noqa: F401

            return f"JPMML-Evaluator (jpmml_evaluator {importlib.metadata.version('jpmml_evaluator')})"
        except ImportError:
            raise NotHereError("no jpmml_evaluator here") from None

    def run(self, path: Path, asked: Questions) -> Answers:
        from jpmml_evaluator import make_evaluator
        from jpmml_evaluator.py4j import Py4JBackend

        try:
            evaluator = make_evaluator(path, backend=Py4JBackend(_gateway()))
            evaluator.verify()  # the rows with known answers in the file itself
            return _answers(evaluator, asked)
        except DataError:
            raise
        except Exception as problem:
            raise DataError(f"JPMML-Evaluator failed: {str(problem).splitlines()[0][:300]}") from problem


@cache
def _gateway() -> Any:
    """Start a Java, which takes longer than all questions; the deep stack is for deep trees."""
    from jpmml_evaluator import _classpath
    from py4j.java_gateway import JavaGateway

    return JavaGateway.launch_gateway(classpath=os.pathsep.join(_classpath([])), javaopts=["-Xss64m"], die_on_exit=True)


def _answers(evaluator: Any, asked: Questions) -> Answers:
    names = [column["name"] for column in asked.columns]
    told = evaluator.evaluateAll(pd.DataFrame(asked.rows, columns=names, dtype=object), parallelism=1)
    if "errors" in told and told["errors"].notna().any():
        raise DataError(f"JPMML-Evaluator failed: {told['errors'].dropna().iloc[0]}")
    target = evaluator.getTargetFields()[0].getName()
    outputs = [field.getName() for field in evaluator.getOutputFields()]
    nodes = [[int(node)] for node in told["node"]] if outputs[-1:] == ["node"] else [[] for _ in asked.rows]
    if asked.labels is None:
        return Answers(nodes, [[float(number)] for number in told[target]], None)
    numbers = told[outputs[: len(asked.labels)]].astype(float).to_numpy().tolist()
    return Answers(nodes, numbers, told[target].tolist())
