"""The models that a server answers with: loaded from their files, and replaced when a file is replaced."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from treewright.errors import DataError, ModelFileError, TreewrightError, nearest
from treewright.export.model_file import check_proof
from treewright.export.proof import ENDING
from treewright.save.persist import load
from treewright.table.schema import Schema

_Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class ServedModel:
    """One loaded model under its name. A request keeps the one that it began with, whatever is loaded meanwhile."""

    name: str
    path: Path
    model: Any
    version: str
    stamp: _Stamp
    proof: str | None = None  # what came of the proof beside the file; None where there is none

    @cached_property
    def begins(self) -> str:
        """How every answer of it begins, up to what it says."""
        return json.dumps({"model": self.name, "version": self.version})[:-1] + ", "

    @property
    def schema(self) -> Schema:
        """The columns that it takes."""
        schema: Schema = self.model._lookup.schema
        return schema

    @property
    def classes(self) -> list[Any] | None:
        """The class labels; None for numbers."""
        classes = getattr(self.model, "classes_", None)
        return None if classes is None else classes.tolist()


@dataclass
class Shelf:
    """Models by name. `refresh` looks whether files changed; a file that does not load leaves the old model in place.

    A proof beside a file is run when the file is loaded, and a model that fails it is not taken. With `require_proof` a
    file without one is not taken either.

    Examples
    --------
    >>> import tempfile
    >>> import treewright as tw
    >>> path = Path(tempfile.mkdtemp()) / "tiny.tw"
    >>> tw.save(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 20]), path)
    >>> shelf = Shelf.open([f"small={path}"])
    >>> shelf.find(None).model.predict_one([2])
    20.0
    >>> tw.save(tw.DecisionTreeRegressor().fit([[1], [2]], [10, 30]), path)
    >>> shelf.refresh(), shelf.find("small").model.predict_one([2])
    ([], 30.0)
    """

    models: dict[str, ServedModel] = field(default_factory=dict)
    require_proof: bool = False
    reloads: int = 0
    failures: int = 0
    refused: dict[str, tuple[_Stamp, _Stamp]] = field(default_factory=dict)  # files as they were when they did not load

    @classmethod
    def open(cls, sources: Iterable[str], require_proof: bool = False) -> Shelf:
        """Load models from paths, or NAME=PATH; without a name the file's is taken."""
        shelf = cls(require_proof=require_proof)
        for source in sources:
            name, said, path = source.rpartition("=")
            if not said or Path(source).exists():
                name, path = "", source
            model = _load(name or Path(path).stem, Path(path), require_proof)
            if model.name in shelf.models:
                raise DataError(
                    f"Two models are called {model.name!r}. Give one another name: treewright serve other={path}"
                )
            shelf.models[model.name] = model
        return shelf

    def find(self, name: str | None) -> ServedModel:
        """The model of a name, or the only one; KeyError with a sentence where there is none."""
        if name is None and len(self.models) == 1:
            return next(iter(self.models.values()))
        if name is None:
            raise KeyError(f"There are {len(self.models)} models; say which by ?model=NAME. {nearest('', self.models)}")
        if name not in self.models:
            raise KeyError(f"There is no model {name!r}. {nearest(name, self.models)}")
        return self.models[name]

    def refresh(self) -> list[str]:
        """Load what changed; give a sentence for each file that could not be loaded and keeps its old model."""
        problems = []
        for name, old in list(self.models.items()):
            seen = _stamp(old.path), _stamp(old.path.with_name(old.path.name + ENDING))
            if seen[0] == old.stamp or seen == self.refused.get(name):  # of a bad file is told once
                continue
            try:
                self.models[name] = _load(name, old.path, self.require_proof)
                self.reloads += 1
            except (TreewrightError, OSError) as problem:
                self.failures += 1
                self.refused[name] = seen
                problems.append(f"{name} stays as it was: {problem}")
        return problems


def _load(name: str, path: Path, require_proof: bool) -> ServedModel:
    stamp = _stamp(path)
    model = load(path)
    if "targets_" in model.__dict__:
        raise ModelFileError(
            f"{path} holds a model of several targets, and the server answers for one. Save them apart."
        )
    model._lookup.answer_one  # noqa: B018  made now, so that the first request does not wait for it
    return ServedModel(name, path, model, model.fingerprint(), stamp, _proof_of(model, path, require_proof))


def _proof_of(model: Any, path: Path, required: bool) -> str | None:
    try:
        verdict = check_proof(model, path)
    except DataError as problem:
        raise ModelFileError(f"{path} is not served, because its proof fails: {problem}") from problem
    if verdict is None and required:
        raise ModelFileError(
            f"{path} is not served, because it has no proof beside it. Write it with one: tw.export(model, 'm.tw'), or "
            "treewright export old.tw new.tw."
        )
    return None if verdict is None else verdict.text


def _stamp(path: Path) -> _Stamp:
    """What tells a file from the one that was there before; zeros where there is none."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0, 0
    return status.st_mtime_ns, status.st_size, status.st_ino
