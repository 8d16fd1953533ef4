"""What the header of a model may say, and the last net: whatever a damaged file raises is a ModelFileError."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from typing import Any

from treewright.errors import ModelFileError
from treewright.save.header import damaged

# What the header of a model may say, and as what. What is not here is of a later version, and not read.
_FIELDS: dict[str, type[Any] | types.UnionType] = {
    "estimator": str,
    "params": dict,
    "schema": dict,
    "has_names": bool,
    "classes": list | None,
    "classes_dtype": str | None,
    "n_columns": int,
    "n_classes": int,
    "learnt": dict,
    "tree_arrays": list,
    "prices": dict | None,
    "targets": list,
    "shared": list,
    "calibration": dict,
    "conformal": dict,
}


@contextlib.contextmanager
def refusing_damage(header: dict[str, Any], source: str) -> Iterator[None]:
    """Check the fields of a header; what is then raised while a model is made of it becomes a ModelFileError.

    The checks of each kind of model raise a ValueError with a sentence. Anything else that is raised is a check that is
    not there: the file is refused all the same, and what was raised is the cause of the error.
    """
    targets = header.get("targets")
    for said in [header, *(targets if isinstance(targets, list) else [])]:
        _check_fields(said, source)
    try:
        yield
    except ModelFileError:
        raise
    except ValueError as problem:
        raise ModelFileError(damaged(source, str(problem).removesuffix("."))) from problem
    except Exception as problem:
        what = f"its parts do not fit each other ({type(problem).__name__}: {problem})"
        raise ModelFileError(damaged(source, what)) from problem


def _check_fields(header: Any, source: str) -> None:
    if not isinstance(header, dict):
        raise ModelFileError(damaged(source, f"one of its targets is a {type(header).__name__}"))
    for name, kind in _FIELDS.items():
        if name in header and not isinstance(header[name], kind):
            raise ModelFileError(damaged(source, f"its {name} is a {type(header[name]).__name__}"))
