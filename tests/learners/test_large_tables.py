"""Columns with tens of thousands of levels, and with a million, are learnt, saved and answered like any other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from thorough import some
from treewright.save.persist import load_bytes

Customers = tuple[pd.DataFrame, np.ndarray]


@pytest.fixture(scope="module", params=some([70_000, 1_000_000], 1))  # the first is more than two bytes can count
def customers(request: pytest.FixtureRequest) -> Customers:
    rng = np.random.default_rng(0)
    number = rng.permutation(request.param)
    names = pl.Series("who", number).cast(pl.String).str.zfill(7)
    return pl.DataFrame([("c" + names).alias("who")]).to_pandas(), number % 3 == 0


def test_many_levels_are_learnt_saved_and_answered(customers: Customers) -> None:
    X, y = customers
    n = len(X)
    model = tw.DecisionTreeClassifier(max_depth=3).fit(X, y)
    assert len(model.tree_.schema.columns[0].levels) == n
    assert model.tree_.schema.columns[0].levels[:2] == ("c0000000", "c0000001")
    assert (model.predict(X) == y).all()
    assert [model.predict_one([f"c{i:07d}"]) for i in (0, 1, 3, n - 1)] == [True, False, True, True]
    loaded = load_bytes(model._tw_bytes())
    assert (loaded.predict(X[:1000]) == y[:1000]).all()
    assert f"and {n // 3:,}"[:-2] in str(model) or "levels)" in str(model)


def test_many_levels_are_averaged(customers: Customers) -> None:
    X, y = customers
    model = tw.DecisionTreeRegressor(max_depth=2).fit(X, y.astype(float) * 7)
    assert model.predict(X[:5]).tolist() == (y[:5] * 7.0).tolist()
