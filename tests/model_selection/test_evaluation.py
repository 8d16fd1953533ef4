"""`tw.evaluate` against scikit-learn's measures and against trying every cut-off, one by one."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import treewright as tw
from treewright.errors import DataError
from treewright.model_selection.cut_off import least_cost
from treewright.tree.format import measured_text


class Known:
    """A classifier whose probabilities are given."""

    def __init__(self, shares: np.ndarray, classes: list[str]) -> None:
        self.shares, self.classes_ = shares, np.array(classes, dtype=object)

    def predict_proba(self, X: object) -> np.ndarray:
        return self.shares

    def predict(self, X: object) -> np.ndarray:
        return self.classes_[self.shares.argmax(axis=1)]


def _drawn(seed: int, n_classes: int) -> tuple[Known, np.ndarray]:
    draw = np.random.default_rng(seed)
    shares = np.round(draw.dirichlet(np.ones(n_classes), 40), 2) + 0.01
    shares /= shares.sum(axis=1, keepdims=True)
    names = ["ab", "b", "c"][:n_classes]
    truth = np.array(names, dtype=object)[np.concatenate([np.arange(n_classes), draw.integers(0, n_classes, 37)])[:40]]
    return Known(shares[: len(truth)], names), truth


@pytest.mark.parametrize("seed", range(8))
def test_the_measures_of_two_classes_are_those_of_scikit_learn(seed: int) -> None:
    model, truth = _drawn(seed, 2)
    found = tw.evaluate(model, None, truth, positive="ab").measures
    said, score = model.predict(None), model.shares[:, 0]
    assert found == pytest.approx(
        {
            "accuracy": metrics.accuracy_score(truth, said),
            "balanced_accuracy": metrics.balanced_accuracy_score(truth, said),
            "auc": metrics.roc_auc_score(truth == "ab", score),
            "precision": metrics.precision_score(truth, said, pos_label="ab"),
            "recall": metrics.recall_score(truth, said, pos_label="ab"),
            "f1": metrics.f1_score(truth, said, pos_label="ab"),
            "log_loss": metrics.log_loss(truth, model.shares),
            "brier": metrics.brier_score_loss(truth == "ab", score),
        }
    )


@pytest.mark.parametrize("seed", range(4))
def test_of_three_classes_precision_recall_and_f1_are_means_over_the_classes(seed: int) -> None:
    model, truth = _drawn(seed, 3)
    found = tw.evaluate(model, None, truth)
    said = model.predict(None)
    assert found.positive is None
    for name, function in (
        ("precision", metrics.precision_score), ("recall", metrics.recall_score), ("f1", metrics.f1_score),
    ):  # fmt: skip
        assert found.measures[name] == pytest.approx(function(truth, said, average="macro"))
        each = function(truth, said, average=None, labels=model.classes_)
        assert [found.rates[label][name] for label in model.classes_] == pytest.approx(each.tolist())


@pytest.mark.parametrize("seed", range(6))
def test_no_other_cut_off_costs_less_on_these_rows(seed: int) -> None:
    model, truth = _drawn(seed, 2)
    costs = {"false_positive": 1.0, "false_negative": 3.0}
    found = tw.evaluate(model, None, truth, costs=costs).best_cut_off
    is_positive, score = truth == "b", model.shares[:, 1]

    def cost(cut: float) -> float:
        said = score >= cut
        return float((said & ~is_positive).sum() + 3 * (~said & is_positive).sum()) / len(truth)

    assert found is not None
    assert found.cost == pytest.approx(cost(found.cut_off))
    assert found.cost <= min(cost(cut) for cut in np.linspace(0, 1, 1001)) + 1e-12
    assert found.usual_cost == pytest.approx(cost(0.5))
    assert found.by_rule == 0.25


def test_a_cut_off_moves_the_answers_and_nothing_that_is_measured_on_probabilities() -> None:
    model, truth = _drawn(3, 2)
    usual, low = tw.evaluate(model, None, truth), tw.evaluate(model, None, truth, cut_off=0.1)
    assert low.measures["recall"] > usual.measures["recall"]
    assert low.measures["recall"] == metrics.recall_score(truth == "b", model.shares[:, 1] >= 0.1)
    for name in ("auc", "log_loss", "brier"):
        assert low.measures[name] == usual.measures[name]


def test_numbers_are_measured_in_the_unit_of_the_target() -> None:
    X = pd.DataFrame({"x": range(8)})
    model = tw.DecisionTreeRegressor(max_depth=1).fit(X, [10_000.0] * 4 + [90_000.0] * 4)
    found = tw.evaluate(model, X, [10_000.0] * 4 + [20_000.0] * 4)
    assert found.measures["mae"] == 35_000
    assert "49,497" in str(found)
    assert "e+" not in str(found)


@pytest.mark.parametrize(
    ("model", "asked", "told"),
    [
        (_drawn(0, 3)[0], {"cut_off": 0.3}, "A cut-off divides two classes, and the model has 3"),
        (_drawn(0, 2)[0], {"cut_off": 1.3}, "between 0 and 1"),
        (_drawn(0, 2)[0], {"positive": "bb"}, "Did you mean 'b'"),
        (_drawn(0, 2)[0], {"costs": {"false_postive": 2}}, "Did you mean 'false_positive'"),
        (_drawn(0, 2)[0], {"costs": {"false_positive": 0}}, "above 0"),
    ],
)
def test_what_cannot_be_evaluated_is_refused_with_a_sentence(model: Known, asked: dict, told: str) -> None:
    truth = np.array(["ab", "b"] * 20, dtype=object)
    with pytest.raises(DataError, match=told):
        tw.evaluate(model, None, truth[: len(model.shares)], **asked)


def test_the_least_cost_of_rows_of_one_class_is_nothing() -> None:
    assert least_cost(np.array([True, True]), np.array([0.2, 0.9]), {}).cost == 0
    assert least_cost(np.array([False, False]), np.array([0.2, 0.9]), {}).cost == 0


def test_what_was_measured_is_written_without_e_between_a_ten_thousandth_and_a_billiard() -> None:
    for power in range(-3, 15):
        for first in (1.0, 9.99996, 4.5):
            text = measured_text(first * 10.0**power)
            assert "e" not in text
            assert float(text.replace(",", "")) == pytest.approx(first * 10.0**power, rel=6e-4)
