"""The measures that learners are compared by: their names, which way is better, and their values on one set of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError, nearest
from treewright.inspection.support import wilson_interval
from treewright.tree.format import measured_text

# Scores that are equal but for their last bits, made equal.


_LAST_BITS = 1e-14  # of a score


def alike_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give alike scores one number, so that their rows are tied, whatever the processor.

    A product of matrices may give rows that are the same in all columns scores that differ in the last bits, by where
    they stand in the table. No order of rows, and no area under a curve, may come from these bits.

    Examples
    --------
    >>> alike_scores(np.array([0.3, 0.5, 0.1 + 0.2])).tolist()
    [0.3, 0.5, 0.3]
    """
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    reach = np.where(np.isfinite(ordered), _LAST_BITS * np.abs(ordered), 0.0)
    with np.errstate(invalid="ignore"):
        is_new = ~(np.diff(ordered, prepend=-np.inf) <= reach)
    made = np.empty_like(ordered)
    made[order] = ordered[is_new][np.cumsum(is_new) - 1]
    return made


# One model on one table: how often right, how far off.


SMALLEST_PROBABILITY = 1e-15


@dataclass(frozen=True)
class ClassificationScores:
    """What a classifier got right on a table.

    Examples
    --------
    >>> scores = score_classes(["a", "a", "b"], ["a", "b", "b"])
    >>> round(scores.accuracy, 3), scores.balanced_accuracy, scores.log_loss
    (0.667, 0.75, None)
    """

    n_rows: int
    accuracy: float
    accuracy_interval: tuple[float, float]  # Wilson, 95 %
    balanced_accuracy: float  # mean share of right answers over the classes that occur
    log_loss: float | None  # None without probabilities
    classes: tuple[Any, ...]
    confusion: tuple[tuple[int, ...], ...]  # a row for each true class, a column for each predicted one

    def measures(self) -> dict[str, float]:
        """Give the numbers a quality gate can be set on."""
        named = {"accuracy": self.accuracy, "balanced_accuracy": self.balanced_accuracy}
        return named if self.log_loss is None else {**named, "log_loss": self.log_loss}


@dataclass(frozen=True)
class RegressionScores:
    """How far off a regressor was on a table.

    Examples
    --------
    >>> score_numbers([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]).measures()["mae"]
    0.3333333333333333
    """

    n_rows: int
    rmse: float
    mae: float
    r2: float

    def measures(self) -> dict[str, float]:
        """Give the numbers a quality gate can be set on."""
        return {"rmse": self.rmse, "mae": self.mae, "r2": self.r2}


def score_classes(
    truth: Any, predicted: Any, probabilities: Any = None, model_classes: Any = None
) -> ClassificationScores:
    """Compare true and predicted classes, and the probabilities given to the true ones.

    Parameters
    ----------
    truth, predicted : arrays of n classes
        At least one row.
    probabilities : array (n, number of classes) or None
        Columns in the order of `model_classes`.
    model_classes : array or None
        The classes the model knows; a class of `truth` may be missing from them.

    Examples
    --------
    >>> scores = score_classes(["a", "b"], ["a", "a"], [[0.5, 0.5], [0.5, 0.5]], ["a", "b"])
    >>> round(scores.log_loss, 4), scores.confusion
    (0.6931, ((1, 0), (1, 0)))
    """
    true_class, answer = np.asarray(truth, dtype=object), np.asarray(predicted, dtype=object)
    _refuse_no_rows(true_class)
    known = [] if model_classes is None else list(np.asarray(model_classes, dtype=object))
    classes = sorted({*known, *true_class, *answer}, key=lambda value: (str(type(value)), value))
    number = {value: index for index, value in enumerate(classes)}
    confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
    np.add.at(confusion, ([number[v] for v in true_class], [number[v] for v in answer]), 1)
    right, occurring = np.diag(confusion), confusion.sum(axis=1) > 0
    recalls = right[occurring] / confusion.sum(axis=1)[occurring]
    return ClassificationScores(
        n_rows=len(true_class),
        accuracy=float(right.sum() / len(true_class)),
        accuracy_interval=wilson_interval(int(right.sum()), len(true_class)),
        balanced_accuracy=float(recalls.mean()),
        log_loss=None if probabilities is None else log_loss(true_class, probabilities, known),
        classes=tuple(classes),
        confusion=tuple(tuple(int(n) for n in row) for row in confusion),
    )


def score_numbers(truth: Any, predicted: Any) -> RegressionScores:
    """Compare true and predicted numbers.

    Examples
    --------
    >>> score_numbers([0.0, 10.0], [1.0, 9.0]).rmse
    1.0
    """
    target, answer = np.asarray(truth, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    _refuse_no_rows(target)
    return RegressionScores(
        n_rows=len(target),
        rmse=root_mean_squared_error(target, answer),
        mae=float(np.mean(np.abs(target - answer))),
        r2=r_squared(target, answer),
    )


def log_loss(truth: Any, probabilities: Any, model_classes: Any) -> float:
    """Average −log of the probability that was given to what came true.

    Examples
    --------
    >>> round(log_loss(["yes", "no"], [[0.5, 0.5], [0.8, 0.2]], ["no", "yes"]), 4)
    0.4581
    """
    column = {value: index for index, value in enumerate(model_classes)}
    columns = np.array([column.get(value, -1) for value in truth])
    given = np.asarray(probabilities, dtype=np.float64)[np.arange(len(columns)), columns]
    given = np.where(columns < 0, 0.0, given)
    return float(-np.mean(np.log(np.maximum(given, SMALLEST_PROBABILITY))))


def root_mean_squared_error(truth: Any, predicted: Any) -> float:
    """Give the size of a typical error, large errors counting more, in the target's own unit.

    Examples
    --------
    >>> root_mean_squared_error([0.0, 0.0], [3.0, -3.0])
    3.0
    """
    return float(np.sqrt(np.mean((np.asarray(truth, dtype=float) - np.asarray(predicted, dtype=float)) ** 2)))


def r_squared(truth: Any, predicted: Any) -> float:
    """Give the share of the target's variance that the predictions explain; below 0 is worse than the mean.

    On a constant target there is nothing to explain: 1 if every prediction is exact, else 0.

    Examples
    --------
    >>> r_squared([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), r_squared([1.0, 2.0, 3.0], [2.0, 2.0, 2.0])
    (1.0, 0.0)
    """
    target = np.asarray(truth, dtype=np.float64)
    error = float(np.sum((target - np.asarray(predicted, dtype=np.float64)) ** 2))
    variation = float(np.sum((target - target.mean()) ** 2))
    if variation == 0:
        return 1.0 if error == 0 else 0.0
    return 1 - error / variation


def _refuse_no_rows(truth: NDArray[Any]) -> None:
    if len(truth) == 0:
        raise ValueError("There are no rows to score. Pass a table with at least one row whose target is known.")


@dataclass(frozen=True)
class Measure:
    """One way to say how good answers are."""

    name: str
    title: str
    task: str
    larger_is_better: bool = True
    needs_scores: bool = False  # of how sure an answer is, beside the answer
    compared: bool = True  # whether learners are put in order by it
    has_unit: bool = False  # in the unit of the target, so that no fixed number of digits fits
    in_full: str = ""  # the title where there is room; left out, the same

    @property
    def long_title(self) -> str:
        """The name as a text has it."""
        return self.in_full or self.title

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest value that it can have.

        Examples
        --------
        >>> MEASURES["auc"].limits, MEASURES["rmse"].limits, MEASURES["r2"].limits
        ((0.0, 1.0), (0.0, inf), (-inf, 1.0))
        """
        return -np.inf if self.name == "r2" else 0.0, 1.0 if self.larger_is_better else np.inf

    def show(self, value: float) -> str:
        """Write a value with the digits that tell something.

        Examples
        --------
        >>> MEASURES["accuracy"].show(0.75), MEASURES["rmse"].show(12345.678)
        ('0.750', '12,346')
        """
        if value != value:
            return "-"
        if not self.has_unit:
            return f"{round(value, 3) + 0.0:.3f}"  # no minus before zero
        return measured_text(value)

    def show_spread(self, value: float) -> str:
        """Write how much a value varies, with fewer digits where the value has a unit.

        Examples
        --------
        >>> MEASURES["accuracy"].show_spread(0.02), MEASURES["rmse"].show_spread(0.1234)
        ('0.020', '0.12')
        """
        return measured_text(value, 2) if self.has_unit and value == value else self.show(value)


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("accuracy", "accuracy", "classification"),
        Measure("balanced_accuracy", "balanced", "classification", in_full="balanced accuracy"),
        Measure("log_loss", "log loss", "classification", larger_is_better=False, needs_scores=True),
        Measure("auc", "AUC", "classification", needs_scores=True),
        Measure("f1", "F1", "classification"),
        Measure("rmse", "RMSE", "regression", larger_is_better=False, has_unit=True),
        Measure("mae", "MAE", "regression", larger_is_better=False, has_unit=True),
        Measure("r2", "R²", "regression"),
        Measure("precision", "precision", "classification", compared=False),
        Measure("recall", "recall", "classification", compared=False),
        Measure("brier", "Brier score", "classification", larger_is_better=False, needs_scores=True, compared=False),
    )
}


@dataclass(frozen=True)
class Answers:
    """What a classifier said of some rows. `scores` grow with how sure it is; a column a class."""

    classes: NDArray[Any]
    predicted: NDArray[Any]
    probabilities: NDArray[np.float64] | None = None
    scores: NDArray[np.float64] | None = None


def find_measure(name: str | None, task: str) -> Measure:
    """Give the measure of a name; without a name accuracy, or RMSE for numbers.

    Examples
    --------
    >>> find_measure(None, "regression").name
    'rmse'
    >>> find_measure("acuracy", "classification")
    Traceback (most recent call last):
    treewright.errors.DataError: There is no measure 'acuracy' for classification. Did you mean 'accuracy'?
    """
    of_task = measures_of(task)
    if name is None:
        return of_task[0]
    for measure in of_task:
        if isinstance(name, str) and measure.name == name:
            return measure
    raise DataError(f"There is no measure '{name}' for {task}. {nearest(name, [each.name for each in of_task])}")


def measures_of(task: str) -> list[Measure]:
    """List the measures of a task, the usual one first.

    Examples
    --------
    >>> [measure.name for measure in measures_of("regression")]
    ['rmse', 'mae', 'r2']
    """
    return [measure for measure in MEASURES.values() if measure.task == task and measure.compared]


def measure_numbers(truth: Any, predicted: Any) -> dict[str, float]:
    """Measure predicted numbers.

    Examples
    --------
    >>> measure_numbers([0.0, 2.0], [1.0, 3.0])
    {'rmse': 1.0, 'mae': 1.0, 'r2': 0.0}
    """
    return score_numbers(truth, predicted).measures()


def measure_classes(truth: Any, answers: Answers, positive: Any = None) -> dict[str, float]:
    """Measure predicted classes; what the answers do not allow is NaN.

    F1 is that of the `positive` class or, without one, the mean over the classes. AUC is the area under the ROC curve;
    for more than two classes the mean over each class against the rest, where rows of both are there.

    Examples
    --------
    >>> sure = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]])
    >>> answers = Answers(np.array(["a", "b"]), np.array(["a", "b", "b"]), sure)
    >>> {name: round(value, 3) for name, value in measure_classes(["a", "b", "a"], answers).items()}
    {'accuracy': 0.667, 'balanced_accuracy': 0.75, 'log_loss': 0.415, 'auc': 1.0, 'f1': 0.667}
    """
    found = score_classes(truth, answers.predicted, answers.probabilities, answers.classes)
    scores = answers.probabilities if answers.scores is None else answers.scores
    return {
        "accuracy": found.accuracy,
        "balanced_accuracy": found.balanced_accuracy,
        "log_loss": float("nan") if found.log_loss is None else found.log_loss,
        "auc": float("nan") if scores is None else mean_area(np.asarray(truth), scores, answers.classes),
        "f1": _f1(found.classes, np.asarray(found.confusion), positive),
    }


def mean_area(truth: NDArray[Any], scores: NDArray[np.float64], classes: NDArray[Any]) -> float:
    """Give the area under the ROC curve, each class against the rest; NaN where all rows are of one class.

    Examples
    --------
    >>> mean_area(np.array([0, 1, 1]), np.array([[0.6, 0.4], [0.7, 0.3], [0.1, 0.9]]), np.array([0, 1]))
    0.5
    """
    column = {value: number for number, value in enumerate(classes.tolist())}
    known = sorted({*truth.tolist()} | {*column}, key=str)
    areas = []
    for value in known[-1:] if len(known) == 2 else known:
        of_class = np.array([each == value for each in truth.tolist()])
        if of_class.any() and not of_class.all():
            areas.append(_area(of_class, scores[:, column[value]] if value in column else np.zeros(len(truth))))
    return float(np.mean(areas)) if areas else float("nan")


def _area(is_positive: NDArray[np.bool_], score: NDArray[np.float64]) -> float:
    """The share of pairs of a positive and another row that the scores put in the right order; ties count half."""
    from scipy.stats import rankdata

    positives = int(is_positive.sum())
    above = float(rankdata(alike_scores(score))[is_positive].sum()) - positives * (positives + 1) / 2
    return above / (positives * (len(score) - positives))


def _f1(classes: tuple[Any, ...], confusion: NDArray[np.int64], positive: Any) -> float:
    each = [rates["f1"] for rates in class_rates(classes, confusion).values()]
    if positive is None:
        return float(np.nanmean(each))
    known = positive in classes
    return float(np.nan_to_num(each[classes.index(positive)])) if known else 0.0


def class_rates(classes: tuple[Any, ...], confusion: NDArray[np.int64]) -> dict[Any, dict[str, float]]:
    """Give precision, recall and F1 of each class; NaN where there is nothing to count.

    Precision: the share of the answers "this class" that are right. Recall: the share of the class that is found. F1:
    their harmonic mean.

    Examples
    --------
    >>> class_rates(("a", "b"), np.array([[8, 2], [0, 0]]))["a"]["recall"]
    0.8
    """
    right, true, said = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    with np.errstate(invalid="ignore"):
        precision, recall, f1 = right / said, right / true, 2 * right / (true + said)
    return {
        label: {"precision": float(precision[k]), "recall": float(recall[k]), "f1": float(f1[k])}
        for k, label in enumerate(classes)
    }


def brier_score(truth: Any, probabilities: Any, model_classes: Any) -> float:
    """Give the mean squared distance of the probabilities from what came true: 0 is perfect.

    Of two classes the distance of the second one's is taken, as is usual; of more the sum over the classes.

    Examples
    --------
    >>> brier_score(["yes", "no"], [[0.5, 0.5], [1.0, 0.0]], ["no", "yes"])
    0.125
    """
    classes, shares = list(model_classes), np.asarray(probabilities, dtype=np.float64)
    came_true = np.array([[value == label for label in classes] for value in truth], dtype=np.float64)
    squares = (shares - came_true) ** 2
    return float(np.mean(squares[:, 1] if len(classes) == 2 else squares.sum(axis=1)))
