"""What "auto" stands for in gradient boosting, and the mean of several models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import treewright as tw
from treewright.errors import DataError

X_CAR, MPG = tw.datasets.load_auto_mpg(return_X_y=True)
X_SHIP, SURVIVED = tw.datasets.load_titanic(return_X_y=True)


def few(**settings: Any) -> tw.GradientBoostingRegressor:
    return tw.GradientBoostingRegressor(n_models=3, learning_rate=0.3, **settings)


def test_what_auto_stood_for_is_shown_after_fit_and_the_parameters_stay_as_they_were() -> None:
    model = tw.GradientBoostingRegressor().fit(X_CAR, MPG)
    assert (model.n_models_, model.learning_rate_, model.max_leaf_nodes_, model.min_samples_leaf_) == (8, 0.05, 16, 2)
    assert (model.l2_regularization_, model.subsample_, model.level_charge_) == (0.5, 0.8, 0.3)
    assert model.max_features_ == round(0.8 * X_CAR.shape[1])
    assert model.learning_rate == model.n_estimators == "auto"


def test_a_given_setting_is_kept_and_the_others_are_still_chosen() -> None:
    model = tw.GradientBoostingRegressor(learning_rate=0.3, max_leaf_nodes=4).fit(X_CAR, MPG)
    assert (model.learning_rate_, model.max_leaf_nodes_, model.n_models_) == (0.3, 4, 8)
    assert max(tree.n_leaves for tree in model.trees_) <= 4


@pytest.mark.parametrize("given", [{"n_estimators": 20}, {"preset": "lightgbm", "n_estimators": 20}])
def test_a_given_number_of_rounds_is_boosted_with_the_settings_of_lightgbm(given: dict[str, Any]) -> None:
    model = tw.GradientBoostingRegressor(**given).fit(X_CAR, MPG)
    plain = tw.GradientBoostingRegressor(
        n_estimators=20, learning_rate=0.1, max_leaf_nodes=31, min_samples_leaf=20, l2_regularization=0.0,
        subsample=1.0, max_features=None, level_charge=1.0, early_stopping=False, n_models=1,
    ).fit(X_CAR, MPG)  # fmt: skip
    assert (model.predict(X_CAR) == plain.predict(X_CAR)).all()
    assert (model.n_estimators_, model.n_models_) == (20, 1)
    assert not hasattr(model, "loss_curve_")


def test_the_preset_takes_a_hundred_rounds() -> None:
    assert tw.GradientBoostingRegressor(preset="lightgbm").fit(X_CAR, MPG).n_estimators_ == 100


def test_a_table_too_small_for_folds_is_boosted_as_one_model() -> None:
    model = tw.GradientBoostingClassifier(min_samples_leaf=1).fit([[1], [2]], ["a", "b"])
    assert (model.n_models_, model.n_estimators_) == (1, 100)


def test_an_averaged_model_is_the_mean_of_models_that_each_leave_out_a_fold() -> None:
    """Each member is refitted by hand: its fold judges, and its raw scores are averaged with the others'."""
    from treewright.learners.base.folds import Units

    model = few(subsample=1.0, max_features=None, random_state=4).fit(X_CAR, MPG)
    training = model._encode(model._rows(X_CAR), MPG, None)
    units = Units.of_training(training)
    answers, rounds = [], 0
    for sides in units.sides(units.folds(3, 4), len(MPG)):
        kept, held = np.sort(sides.kept), np.sort(sides.held)
        alone = few(subsample=1.0, max_features=None, early_stopping=True).set_params(n_models=1)
        alone.fit(X_CAR.iloc[kept], MPG.iloc[kept], X_val=X_CAR.iloc[held], y_val=MPG.iloc[held])
        answers.append(alone.predict(X_CAR))
        rounds += alone.n_estimators_
    assert model.n_estimators_ == rounds
    assert np.allclose(model.predict(X_CAR), np.mean(answers, axis=0), rtol=1e-9)


def test_the_rounds_of_the_models_stand_side_by_side_so_that_every_stage_is_a_mean() -> None:
    model = few(subsample=1.0).fit(X_CAR, MPG)
    errors = [float(np.mean((stage - MPG) ** 2)) for stage in model.staged_predict(X_CAR)]
    assert len(errors) == model.n_estimators_
    assert errors[0] < np.var(MPG)
    assert errors[30] < errors[3] / 4, "the first rounds of all models come before the last ones of the first"


def test_averaged_models_have_the_same_bytes_whatever_the_order_of_the_rows() -> None:
    order = np.random.default_rng(0).permutation(len(SURVIVED))
    model = tw.GradientBoostingClassifier(n_models=3, learning_rate=0.3)
    one, other = (model.fit(X_SHIP.iloc[o], SURVIVED.iloc[o]).fingerprint() for o in (order, np.sort(order)))
    assert one == other


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_a_whole_weight_is_so_many_rows_for_the_folds_and_the_judges_too(kind: str) -> None:
    weights = np.arange(len(MPG)) % 4
    rows = np.repeat(np.arange(len(MPG)), weights)
    y = MPG > 23 if kind == "Classifier" else MPG
    model = getattr(tw, f"GradientBoosting{kind}")(
        n_models=3, learning_rate=0.3, min_samples_leaf=1, max_bins=None, random_state=2
    )
    weighted = clone(model).fit(X_CAR, y, sample_weight=weights)
    doubled = model.fit(X_CAR.iloc[rows], y.iloc[rows])
    assert weighted.n_estimators_ == doubled.n_estimators_
    assert weighted.loss_curve_.tolist() == pytest.approx(doubled.loss_curve_.tolist(), rel=1e-12)
    answers = [m.predict_proba(X_CAR) if kind == "Classifier" else m.predict(X_CAR) for m in (weighted, doubled)]
    assert np.allclose(*answers, rtol=0, atol=1e-12)


def test_averaged_models_are_saved_loaded_and_explained_like_others(tmp_path: Any) -> None:
    model = few().fit(X_CAR, MPG)
    tw.save(model, tmp_path / "m.tw")
    again = tw.load(tmp_path / "m.tw")
    assert (again.predict(X_CAR) == model.predict(X_CAR)).all()
    assert (again.learning_rate_, again.n_models_, again.n_models) == (0.3, 3, 3)
    shap = model.shap_values(X_CAR.iloc[:5])
    assert np.allclose(shap.sum(axis=1) + model.expected_value, model.predict(X_CAR.iloc[:5]))


def test_a_class_of_one_row_is_learnt_from_by_every_model() -> None:
    y = np.where(np.arange(len(MPG)) == 7, "rare", np.where(MPG > 23, "high", "low"))
    model = tw.GradientBoostingClassifier(n_models=3, learning_rate=0.3).fit(X_CAR, y)
    assert model.classes_.tolist() == ["high", "low", "rare"]
    assert np.isfinite(model.predict_log_proba(X_CAR)).all()


def test_the_weight_of_a_row_that_is_dealt_to_both_sides_is_parted() -> None:
    from treewright.learners.base.folds import Units
    from treewright.table.frame import open_frame

    weights = np.where(np.arange(len(MPG)) < 60, 2.0, 1.0)
    training = few()._encode(open_frame(X_CAR), MPG, weights)
    units = Units.of_training(training)
    sides = [training.side(sides) for sides in units.sides(units.folds(3, 0), len(MPG))]
    assert any(each.counts[each.held_out].any() for each in sides), "of a row of weight 2 each side may have one"
    for each in sides:
        judging = np.zeros(len(MPG))
        judging[each.held_out] = each.held_out_weights[each.held_out]
        assert (each.weights + judging == weights).all()
    assert sum(each.judging_weight for each in sides) == weights.sum()


def test_rows_that_judge_are_refused_for_several_models_and_so_is_a_loss_that_nobody_knows() -> None:
    with pytest.raises(DataError, match="n_models=3 are judged by their folds"):
        few(early_stopping=True).fit(X_CAR, MPG, X_val=X_CAR, y_val=MPG)
    with pytest.raises(DataError, match="a loss of your own gives gradients only"):
        few(loss=lambda y, raw: (raw - y, np.ones_like(y))).fit(X_CAR, MPG)


def test_monotone_columns_stay_monotone_in_the_mean() -> None:
    model = few(monotonic_cst={"weight": -1}).fit(X_CAR, MPG)
    ladder = X_CAR.iloc[[0] * 40].assign(weight=np.linspace(1600, 5000, 40))
    assert (np.diff(model.predict(ladder)) <= 1e-12).all()
