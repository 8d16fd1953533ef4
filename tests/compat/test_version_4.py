"""Networks of files that were written before their defaults changed: they load, answer the same, and say the same."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import treewright as tw
from compat.make_version_1 import small_table

FOLDER = Path(__file__).parent / "version_4"


@pytest.mark.parametrize("name", ["network", "network_of_numbers", "autoencoder"])
def test_an_old_network_answers_as_it_did(name: str) -> None:
    X, _, _ = small_table()
    model = tw.load(FOLDER / f"{name}.tw")
    told = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    ask = model.encode if name == "autoencoder" else getattr(model, "predict_proba", None) or model.predict
    # exp and tanh of two libraries differ in their last digits
    np.testing.assert_allclose(ask(X), told["answers"], rtol=1e-12)
    assert str(model) == told["text"]


def test_an_old_network_learns_anew_as_it_did() -> None:
    X, risk, _ = small_table()
    old = tw.load(FOLDER / "network.tw")
    weights = old.all_weights_.copy()
    np.testing.assert_allclose(old.fit(X, risk).all_weights_, weights, rtol=1e-9)
