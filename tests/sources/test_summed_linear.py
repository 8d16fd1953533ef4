"""Linear regression, added up where the rows are: the bytes of the same rows in memory, and no row leaves."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import treewright as tw
from sources.engines import ENGINES
from sources.random_linear import assert_same_linear
from thorough import some
from treewright.errors import DataError


@pytest.mark.parametrize("engine", ["slow", "parquet", "folders"])
@pytest.mark.parametrize("block", some(range(10), 1))
def test_a_random_model_has_the_bytes_of_the_rows_in_memory(engine: str, block: int, tmp_path: Path) -> None:
    def open_source(table: pa.Table, parts: list[np.ndarray]) -> Any:
        return ENGINES[engine](table, parts, 1, Path(tempfile.mkdtemp(dir=tmp_path)))

    for seed in range(8 * block, 8 * block + 8):
        assert_same_linear(seed, open_source)


def source_of(engine: str, frame: pd.DataFrame, folder: Path) -> Any:
    return ENGINES[engine](pa.Table.from_pandas(frame, preserve_index=False), [np.arange(len(frame))], 10, folder)


@pytest.mark.parametrize(
    ("engine", "settings"), [("duckdb", {}), ("parquet", {"basis": "spline:3"})], ids=["SQL", "functions"]
)
def test_what_sums_do_not_tell_needs_all_rows(engine: str, settings: dict[str, Any], tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.arange(50.0), "y": np.arange(50.0) ** 2})
    with pytest.raises(DataError, match="LinearRegression needs all rows in one place"):
        tw.LinearRegression(**settings).fit(source_of(engine, frame, tmp_path), "y")


def test_infinity_is_refused_by_the_name_of_its_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.arange(50.0), "z": [np.inf, *range(49)], "y": np.arange(50.0)})
    with pytest.raises(DataError, match="Column 'z' holds infinity"):
        tw.LinearRegression().fit(source_of("parquet", frame, tmp_path), "y")


def test_no_order_of_the_rows_changes_a_bit() -> None:
    rng = np.random.default_rng(8)
    X = np.column_stack([rng.normal(size=900), 1e7 + rng.normal(size=900), rng.choice([0.0, -0.0, 1.0, np.nan], 900)])
    y, w, order = rng.normal(size=900), rng.random(900), rng.permutation(900)
    for weights in (None, w):
        first = tw.LinearRegression().fit(X, y, weights)
        other = tw.LinearRegression().fit(X[order], y[order], None if weights is None else weights[order])
        assert first._tw_bytes() == other._tw_bytes()


def test_residuals_at_a_source_have_the_quartiles_of_numpy(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"x": rng.normal(size=999)}).assign(y=lambda t: t.x + rng.normal(size=999))
    model = tw.LinearRegression().fit(source_of("parquet", frame, tmp_path), "y")
    left = frame["y"] - model.predict(frame[["x"]])
    assert model.residual_quantiles_ == pytest.approx(np.quantile(left, [0, 0.25, 0.5, 0.75, 1]), abs=1e-12)
