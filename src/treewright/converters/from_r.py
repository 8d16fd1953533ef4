"""Trees of R's rpart as models of treewright, by the JSON that `rpart_to_json.R` writes."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.converters.r_script import SCRIPT
from treewright.converters.reading import file_bytes, refuse, source_of
from treewright.converters.rpart_nodes import rpart_core
from treewright.converters.rpart_splits import RpartTree
from treewright.learners.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.save.refusing_damage import refusing_damage
from treewright.table.schema import Column, Schema

_FORMAT, _VERSION = "rpart for treewright", 1
_CRITERIA = {"class": "gini", "anova": "squared_error", "poisson": "poisson", "exp": "poisson"}
_KINDS = {"numeric": "numeric", "factor": "nominal", "character": "nominal", "ordered": "ordinal", "logical": "nominal"}


def from_r(path: str | os.PathLike[str]) -> Any:
    """Give a tree of R's rpart as a model of treewright that answers every row the same.

    Missing values go where rpart sends them: by its surrogates, then by the majority, or they stay at the node.

    Parameters
    ----------
    path : path
        What the R script that ships with the package wrote of a fitted tree: ``rpart_to_json(fit, "tree.json")``.
        ``python -m treewright.converters.r_script`` prints where the script is. To read the file, R is not needed.

    Returns
    -------
    model
        A fitted `DecisionTreeClassifier` (``method = "class"``) or `DecisionTreeRegressor` ("anova", "poisson", "exp").

    Examples
    --------
    >>> import pathlib, tempfile
    >>> tree = pathlib.Path(tempfile.mkdtemp()) / "tree.json"
    >>> _ = tree.write_text('''{"format": "rpart for treewright", "version": 1, "method": "anova", "target": "y",
    ... "ylevels": [], "usesurrogate": 2, "columns": [{"name": "age", "class": "numeric", "levels": []}],
    ... "frame": {"node": [1, 2, 3], "var": ["age", "<leaf>", "<leaf>"], "n": [9, 5, 4], "wt": [9, 5, 4],
    ... "dev": [40, 5, 5], "yval": [7, 5, 9.5], "ncompete": [0, 0, 0], "nsurrogate": [0, 0, 0]},
    ... "splits": {"var": ["age"], "ncat": [-1], "improve": [0.75], "index": [41.5], "adj": [0]}, "csplit": []}''')
    >>> print(from_r(tree))
    y: mean 7, sd 2.108  (9 rows)
    ├─ age <= 41.5  → 5  (sd 1, 5 rows)
    └─ age > 41.5   → 9.5  (sd 1.118, 4 rows)
    """
    source = source_of(path)
    with refusing_damage({}, source):
        document = json.loads(file_bytes(path).decode("utf-8"))
        if not isinstance(document, dict) or document.get("format") != _FORMAT:
            raise ValueError("it is not what rpart_to_json writes")
        if document["version"] != _VERSION:
            refuse(source, f"it is of version {document['version']}", f"Write it with this package's {SCRIPT.name}.")
        return _model(_read(document, source))


@dataclass(frozen=True)
class _Read:
    tree: RpartTree
    schema: Schema
    classes: list[str] | None
    method: str


def _read(document: dict[str, Any], source: str) -> _Read:
    method = str(document["method"])
    if method not in _CRITERIA:
        refuse(source, f"its method is {method!r}", f"These are taken: {', '.join(_CRITERIA)}.")
    columns = tuple(_column(told, source) for told in document["columns"])
    classes = [str(level) for level in document["ylevels"]] if method == "class" else None
    frame, splits = document["frame"], document["splits"] or {}
    tree = RpartTree(frame, splits, document["csplit"], columns, int(document["usesurrogate"]))
    return _Read(tree, Schema(columns, target=str(document["target"]) or None), classes, method)


def _column(told: dict[str, Any], source: str) -> Column:
    name, kind = str(told["name"]), _KINDS.get(str(told["class"]))
    if kind is None:
        refuse(
            source,
            f"its column '{name}' is neither number, factor, text nor logical in R (its class there: {told['class']})",
            "Turn it into a number or a factor before training, such as as.numeric(day).",
        )
    if told["class"] == "logical":
        return Column(name, kind, "boolean", (False, True))
    levels = tuple(str(level) for level in told["levels"])
    return Column(name, kind) if kind == "numeric" else Column(name, kind, "text", levels)


def _model(read: _Read) -> Any:
    core = rpart_core(read.tree, None if read.classes is None else len(read.classes), read.method)
    missing = "surrogates" if read.tree.usesurrogate > 0 else "stop"
    fallback = {"surrogate_fallback": "stop"} if read.tree.usesurrogate == 1 else {}
    kind: Any = DecisionTreeRegressor if read.classes is None else DecisionTreeClassifier
    model = kind(criterion=_CRITERIA[read.method], missing=missing, **fallback)
    classes = None if read.classes is None else np.array(read.classes, dtype=object)
    return model._with_tree(core, read.schema, classes, np.array(read.schema.names, dtype=object))
