"""Exports run on a real PostgreSQL server."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from export.exported import fitted_models
from export.exported_formulas import fitted_formulas
from treewright.export.sql import databases

MODELS = {**dict(fitted_models()), **dict(fitted_formulas())}
NAMES = [
    *(f"{name} of classes" for name in ("cart", "c45", "forest", "boosting")),
    *(f"{name} of numbers" for name in ("model tree", "poisson")),
    "logistic of three classes",
]


def test_a_server_is_made_for_the_proof_of_an_export(tmp_path: Path) -> None:
    assert MODELS["cart of classes"].export(tmp_path / "m.sql", dialect="postgresql").proven


@pytest.fixture
def one_server(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database of its own for every proof, on one server: to make a server takes longer than most proofs."""

    @contextmanager
    def new_database() -> Iterator[str]:
        name = f"proof_{uuid.uuid4().hex}"
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        yield postgres.replace("/postgres?", f"/{name}?")

    monkeypatch.setattr(databases, "temporary_server", new_database)


@pytest.mark.usefixtures("one_server")
@pytest.mark.parametrize("name", NAMES)
def test_an_export_is_proven_on_the_server(name: str, tmp_path: Path) -> None:
    verdict = MODELS[name].export(tmp_path / "m.sql", dialect="postgresql", table="sales.rows")
    assert verdict.proven, verdict.text


@pytest.mark.thorough
@pytest.mark.usefixtures("one_server")
@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_proven_on_the_server(name: str, tmp_path: Path) -> None:
    assert MODELS[name].export(tmp_path / "m.sql", dialect="postgresql").proven
