"""Autoencoders: principal components, codes and tables, tied weights, layers one by one, masks, sparse codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.linalg import subspace_angles
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

import treewright as tw


def curve(n_rows: int, seed: int = 0) -> np.ndarray:
    """Points on a bent line in space: one number tells where, and no plane holds them."""
    rng = np.random.default_rng(seed)
    place = rng.uniform(-1.5, 1.5, n_rows)
    X = np.column_stack([place, place**2, np.sin(2 * place)])
    return X + 0.02 * rng.normal(size=X.shape)


def animals() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    large = rng.integers(0, 2, 60).astype(bool)
    return pd.DataFrame(
        {
            "weight": np.where(large, 300.0, 0.1) * rng.uniform(0.8, 1.2, 60),
            "kind": np.where(large, "elk", "ant"),
            "grade": pd.Categorical(np.where(large, "high", "low"), ["low", "mid", "high"], ordered=True),
            "seen": pd.to_datetime(np.where(large, "2020-01-01", "2010-01-01")),
            "tame": large,
        }
    )


@pytest.mark.parametrize("tied", [False, True])
def test_a_linear_autoencoder_spans_what_the_principal_components_span(tied: bool) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 2)) @ rng.normal(size=(2, 5)) + 0.3 * rng.normal(size=(200, 5))
    model = tw.Autoencoder(2, "linear", solver="lbfgs", scaling="none", tied=tied, max_iter=2000, tol=1e-9).fit(X)
    pca = PCA(2).fit(X)
    assert subspace_angles(model.coefs_[1].T, pca.components_.T).max() < 1e-3
    back = pca.inverse_transform(pca.transform(X))
    np.testing.assert_allclose(model.reconstruct(X), back, atol=1e-3)
    assert model.reconstruction_error(X).mean() == pytest.approx(np.square(X - back).mean(), rel=1e-6)


def test_a_deep_autoencoder_follows_a_curve_that_principal_components_cannot() -> None:
    X = curve(300)
    model = tw.Autoencoder((8, 1), solver="lbfgs", code_activation="linear", max_iter=1000).fit(X)
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    pca = PCA(1).fit(scaled)
    plane = np.square(scaled - pca.inverse_transform(pca.transform(scaled))).mean()
    assert model.reconstruction_error(X).mean() < plane / 20
    assert model.reconstruction_error(curve(100, seed=1)).mean() < plane / 20


def test_tied_weights_are_half_as_many() -> None:
    X = curve(100)
    free = tw.Autoencoder((4, 2), max_iter=2).fit(X)
    tied = tw.Autoencoder((4, 2), max_iter=2, tied=True).fit(X)
    n_biases = 4 + 2 + 4 + 3
    assert len(free.all_weights_) - n_biases == 2 * (len(tied.all_weights_) - n_biases)
    np.testing.assert_array_equal(tied.coefs_[3], tied.coefs_[0].T)
    np.testing.assert_array_equal(tied.coefs_[2], tied.coefs_[1].T)


def test_training_layer_by_layer_first_gives_a_better_start() -> None:
    X = curve(300)
    settings: dict[str, Any] = {"hidden_layer_sizes": (12, 6, 1), "solver": "sgd", "learning_rate_init": 0.02}
    plain = tw.Autoencoder(**settings, max_iter=20).fit(X)
    layered = tw.Autoencoder(**settings, max_iter=20, pretrain=True).fit(X)
    assert layered.loss_curve_[0] < plain.loss_curve_[0]
    assert layered.n_iter_ == plain.n_iter_


def test_masked_inputs_are_filled_from_the_others() -> None:
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(400, 1)), 4, axis=1)  # each column tells all others
    settings: dict[str, Any] = {"hidden_layer_sizes": 4, "activation": "linear", "max_iter": 60}
    plain = tw.Autoencoder(**settings, learning_rate_init=0.02).fit(X)
    masked = tw.Autoencoder(**settings, learning_rate_init=0.02, mask=0.5).fit(X)
    damaged = X.copy()
    damaged[:, 0] = 0.0
    errors = [np.square(model.reconstruct(damaged)[:, 0] - X[:, 0]).mean() for model in (plain, masked)]
    assert errors[1] < 0.7 * errors[0]


def test_sparse_codes_are_less_active() -> None:
    X = curve(200)
    settings: dict[str, Any] = {"hidden_layer_sizes": 6, "activation": "sigmoid", "solver": "lbfgs"}
    dense = tw.Autoencoder(**settings).fit(X).encode(X).mean()
    sparse = tw.Autoencoder(**settings, sparsity=1.0, active_share=0.1).fit(X).encode(X).mean()
    assert sparse < 0.2 < dense


def test_outputs_between_0_and_1_are_learnt_with_log_loss() -> None:
    things = np.eye(8)
    settings: dict[str, Any] = {"output_activation": "sigmoid", "loss": "log_loss", "scaling": "unit"}
    model = tw.Autoencoder(3, "sigmoid", **settings, learning_rate_init=0.05, max_iter=600, tol=0).fit(things)
    np.testing.assert_allclose(model.reconstruct(things), things, atol=0.05)


def test_rows_come_back_as_a_table_of_the_same_kinds() -> None:
    table = animals()
    model = tw.Autoencoder((4, 1), solver="lbfgs", max_iter=300).fit(table)
    back = model.inverse_transform(model.transform(table))
    assert back.columns.tolist() == table.columns.tolist()
    for name in ("kind", "grade", "tame"):
        assert back[name].tolist() == table[name].tolist()
    assert abs(back["seen"] - table["seen"]).max() < pd.Timedelta(days=365)
    assert abs(back["weight"] - table["weight"]).max() < 80
    assert model.encode(table.iloc[:3]).shape == (3, 1)


def test_holes_come_back_filled() -> None:
    table = animals()
    table.loc[3, "weight"] = np.nan
    table.loc[4, "kind"] = None
    model = tw.Autoencoder((4, 1), solver="lbfgs", missing="flag").fit(table)
    back = model.reconstruct(table)
    assert back.columns.tolist() == table.columns.tolist()
    assert not back.isna().any().any()


def test_an_unusual_row_has_a_large_error() -> None:
    X = curve(300)
    model = tw.Autoencoder((8, 1), solver="lbfgs", max_iter=500).fit(X)
    usual = model.reconstruction_error(X)
    assert model.reconstruction_error([[0.0, 2.0, -1.0]])[0] > 5 * usual.max()
    assert model.score(X) == pytest.approx(-usual.mean())


def test_codes_feed_a_tree_in_a_pipeline() -> None:
    X, y = tw.datasets.load_iris(return_X_y=True)
    codes = tw.Autoencoder(2, solver="lbfgs").set_output(transform="pandas")
    model = make_pipeline(codes, tw.DecisionTreeClassifier(max_depth=3)).fit(X, y)
    assert model.score(X, y) > 0.85
    assert model[-1].feature_names_in_.tolist() == ["autoencoder0", "autoencoder1"]


def test_a_saved_autoencoder_gives_the_same_codes(tmp_path: Any) -> None:
    table = animals()
    model = tw.Autoencoder((3, 2), max_iter=5, tied=True).fit(table)
    tw.save(model, tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    np.testing.assert_array_equal(again.encode(table), model.encode(table))
    assert again.fingerprint() == model.fingerprint()
    assert str(again) == str(model)


def test_wrong_choices_are_answered_with_a_sentence() -> None:
    X = curve(20)
    with pytest.raises(ValueError, match="must lie between 0 and 1"):
        tw.Autoencoder(loss="log_loss").fit(X)
    with pytest.raises(ValueError, match="sparsity needs codes between 0 and 1"):
        tw.Autoencoder(sparsity=1.0).fit(X)
    with pytest.raises(ValueError, match="leaves no layer for the code"):
        tw.Autoencoder(()).fit(X)
    with pytest.raises(ValueError, match="activation='threshold' has no gradient"):
        tw.Autoencoder(code_activation="threshold").fit(X)
    with pytest.raises(ValueError, match=r"which solver='lbfgs' cannot use"):
        tw.Autoencoder(solver="lbfgs", mask=0.1).fit(X)
    model = tw.Autoencoder(max_iter=1).fit(X)
    with pytest.raises(ValueError, match="These codes have 3 columns, but the code has 2 units"):
        model.decode(X)
    with pytest.raises(AttributeError, match="no target to predict"):
        model.predict(X)
