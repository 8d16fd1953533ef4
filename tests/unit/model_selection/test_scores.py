import numpy as np
import pytest
import sklearn.metrics

from treewright.model_selection.measures import score_classes, score_numbers


def test_scores_of_classes_are_those_of_scikit_learn() -> None:
    random = np.random.RandomState(7)
    truth, predicted = random.choice(["a", "b", "c"], 200), random.choice(["a", "b", "c"], 200)
    probabilities = random.dirichlet([1, 1, 1], 200)
    scores = score_classes(truth, predicted, probabilities, ["a", "b", "c"])
    assert scores.accuracy == pytest.approx(sklearn.metrics.accuracy_score(truth, predicted))
    assert scores.balanced_accuracy == pytest.approx(sklearn.metrics.balanced_accuracy_score(truth, predicted))
    assert scores.log_loss == pytest.approx(sklearn.metrics.log_loss(truth, probabilities))
    assert np.array_equal(scores.confusion, sklearn.metrics.confusion_matrix(truth, predicted))


def test_scores_of_numbers_are_those_of_scikit_learn() -> None:
    random = np.random.RandomState(7)
    truth, predicted = random.normal(size=100), random.normal(size=100)
    scores = score_numbers(truth, predicted)
    assert scores.rmse == pytest.approx(sklearn.metrics.root_mean_squared_error(truth, predicted))
    assert scores.mae == pytest.approx(sklearn.metrics.mean_absolute_error(truth, predicted))
    assert scores.r2 == pytest.approx(sklearn.metrics.r2_score(truth, predicted))


def test_a_class_the_model_never_saw_counts_as_wrong_and_keeps_log_loss_finite() -> None:
    scores = score_classes(["new", "a"], ["a", "a"], [[1.0, 0.0], [1.0, 0.0]], ["a", "b"])
    assert scores.accuracy == 0.5
    assert scores.classes == ("a", "b", "new")
    assert scores.confusion == ((1, 0, 0), (0, 0, 0), (1, 0, 0))
    assert scores.log_loss == pytest.approx(-np.log(1e-15) / 2)


def test_balanced_accuracy_leaves_out_classes_that_do_not_occur() -> None:
    assert score_classes(["a", "a"], ["a", "b"], model_classes=["a", "b", "c"]).balanced_accuracy == 0.5


def test_a_constant_target_has_nothing_to_explain() -> None:
    assert score_numbers([2.0, 2.0], [2.0, 2.0]).r2 == 1.0
    assert score_numbers([2.0, 2.0], [2.0, 3.0]).r2 == 0.0


def test_no_rows_cannot_be_scored() -> None:
    with pytest.raises(ValueError, match="at least one row"):
        score_classes([], [])
    with pytest.raises(ValueError, match="at least one row"):
        score_numbers([], [])
