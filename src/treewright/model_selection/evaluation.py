"""`tw.evaluate`: how good the answers of a model are on rows whose truth is known, by every usual measure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.base.options import option
from treewright.model_selection.cut_off import CutOff, answers_at, find_positive, least_cost
from treewright.model_selection.measures import (
    MEASURES,
    Answers,
    brier_score,
    class_rates,
    measure_classes,
    measure_numbers,
    score_classes,
)
from treewright.pages.plain_table import plain_table
from treewright.sources.answers import AnsweredRows
from treewright.sources.source import Source
from treewright.tree.format import measured_text

_WIDEST = 12  # classes of a confusion table that is printed


@dataclass(frozen=True)
class Evaluation:
    """What a model is worth on some rows. `measures` has every number by its name.

    Attributes
    ----------
    task : str
        "classification" or "regression".
    n_rows : int
    measures : dict
        Measure → value: accuracy, balanced_accuracy, auc, precision, recall, f1, log_loss and brier (what the model
        allows); or rmse, mae and r2.
    positive : class or None
        Whose precision, recall and F1 these are; None: their means over the classes.
    cut_off : float or None
        The probability from which on the positive class is answered; None: the likelier class.
    accuracy_interval : tuple
        The 95 % confidence interval of the accuracy (Wilson).
    classes, confusion : tuples
        A row for each true class, a column for each predicted one.
    rates : dict
        Class → its precision, recall and F1.
    best_cut_off : CutOff or None
        Where the answers cost least, if costs were given.
    """

    task: str
    n_rows: int
    measures: dict[str, float]
    positive: Any = None
    cut_off: float | None = None
    accuracy_interval: tuple[float, float] | None = None
    classes: tuple[Any, ...] = ()
    confusion: tuple[tuple[int, ...], ...] = ()
    rates: dict[Any, dict[str, float]] | None = None
    best_cut_off: CutOff | None = None

    def lines(self) -> list[str]:
        """Write the measures, a line each."""
        of = "" if self.positive is None else f" of '{self.positive}'"
        written = []
        for name, value in self.measures.items():
            title = MEASURES[name].long_title + (of if name in ("precision", "recall", "f1") else "")
            written.append((title, MEASURES[name].show(value), self._beside(name)))
        width = max(len(title) for title, _, _ in written)
        figures = max(len(figure) for _, figure, _ in written)
        return [f"  {title:<{width}}  {figure:>{figures}}{beside}".rstrip() for title, figure, beside in written]

    def _beside(self, name: str) -> str:
        if name != "accuracy" or self.accuracy_interval is None:
            return ""
        low, high = self.accuracy_interval
        return f"   (95 % confidence interval: {low:.3f} to {high:.3f})"

    def confusion_table(self) -> str:
        """Write what was true against what was said, with each class's recall and precision."""
        if len(self.classes) > _WIDEST:
            return f"The table of {len(self.classes)} classes is too wide to print; --json and .confusion have it."
        names = [str(name) for name in self.classes]
        rates = self.rates or {}
        show = MEASURES["recall"].show
        rows = [
            [name, *(f"{n:,}" for n in row), show(rates[label]["recall"])]
            for name, label, row in zip(names, self.classes, self.confusion, strict=True)
        ]
        rows.append(["precision", *(show(rates[label]["precision"]) for label in self.classes), ""])
        headings = ["", *names, "recall"]
        return "True class (rows), predicted class (columns)\n\n" + plain_table(headings, rows, headings[1:])

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values; measures stand at the top."""
        told: dict[str, Any] = {"task": self.task, "n_rows": self.n_rows, **self.measures}
        if self.task == "regression":
            return told
        told |= {"accuracy_interval": self.accuracy_interval, "positive": self.positive, "cut_off": self.cut_off}
        told |= {"classes": list(self.classes), "confusion": [list(row) for row in self.confusion]}
        told["rates"] = {str(label): found for label, found in (self.rates or {}).items()}
        best = self.best_cut_off
        told["best_cut_off"] = None if best is None else best.__dict__
        return told

    def __str__(self) -> str:
        rows = "1 row" if self.n_rows == 1 else f"{self.n_rows:,} rows"
        at = "" if self.cut_off is None else f", '{self.positive}' from a probability of {self.cut_off:g} on"
        parts = [f"{rows}{at}", *self.lines()]
        if self.confusion:
            parts += ["", self.confusion_table()]
        if self.best_cut_off is not None:
            parts += ["", *self._costs()]
        return "\n".join(parts)

    def _costs(self) -> list[str]:
        best = self.best_cut_off
        assert best is not None
        return [
            f"Least cost on these rows: cut-off {best.cut_off:.3g}, {measured_text(best.cost)} a row (at 0.5: "
            f"{measured_text(best.usual_cost)}).",
            f"Where the probabilities are true it is {best.by_rule:.3g}. A cut-off that is chosen on the rows that it "
            "is judged by looks better than it is.",
        ]


def evaluate(
    model: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    cut_off: float | None = None,
    costs: Mapping[str, float] | None = None,
) -> Evaluation:
    """Measure a fitted model on rows whose truth is known.

    Parameters
    ----------
    model : fitted classifier or regressor
    X, y : table and column
        The rows, and what is true of them; or a source (`tw.source`) and the name of its column.
    positive : class, optional
        Whose precision, recall and F1 are told. Left out: of two classes the second, of more the mean over all.
    cut_off : float, optional
        Answer the positive class from this probability on, in place of the likelier class.
    costs : dict, optional
        ``{"false_positive": 1, "false_negative": 5}``: also find the cut-off that costs least.

    Returns
    -------
    Evaluation
        Print it, or use `measures`, `confusion`, `rates`, `best_cut_off`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_kyphosis(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_depth=2).fit(X[:60], y[:60])
    >>> print(tw.evaluate(model, X[60:], y[60:], cut_off=0.3))
    21 rows, 'present' from a probability of 0.3 on
      accuracy                0.762   (95 % confidence interval: 0.549 to 0.894)
      balanced accuracy       0.662
      AUC                     0.713
      precision of 'present'  0.400
      recall of 'present'     0.500
      F1 of 'present'         0.444
      log loss                1.964
      Brier score             0.161
    <BLANKLINE>
    True class (rows), predicted class (columns)
    <BLANKLINE>
               absent  present  recall
    absent         14        3   0.824
    present         2        2   0.500
    precision   0.875    0.400
    """
    cut_off = option("tw.evaluate", "cut_off", cut_off, Real, None)
    costs = option("tw.evaluate", "costs", costs, Mapping, None)
    if isinstance(X, Source):
        model = AnsweredRows(model, X, y)
        y = model.truth
    truth = np.asarray(y)
    if len(truth) == 0:
        raise DataError("There are no rows to evaluate. Pass a table with at least one row whose truth is known.")
    if not hasattr(model, "classes_"):
        if positive is not None or cut_off is not None or costs is not None:
            raise DataError("positive, cut_off and costs are for classes, and this model predicts numbers.")
        return Evaluation("regression", len(truth), measure_numbers(truth, model.predict(X)))
    return _of_classes(model, X, truth, positive, cut_off, costs)


def _of_classes(
    model: Any, X: Any, truth: NDArray[Any], positive: Any, cut_off: float | None, costs: Mapping[str, float] | None
) -> Evaluation:
    classes = np.asarray(model.classes_)
    shares = np.asarray(model.predict_proba(X)) if hasattr(model, "predict_proba") else None
    if shares is None and (cut_off is not None or costs is not None):
        raise DataError(f"A cut-off needs probabilities, and {type(model).__name__} has none.")
    chosen = find_positive(classes, positive) if positive is not None or len(classes) == 2 else None
    label = None if chosen is None else classes[chosen]
    predicted = np.asarray(model.predict(X))
    if cut_off is not None:
        assert shares is not None
        predicted = answers_at(shares, classes, find_positive(classes, positive), cut_off)
    found = score_classes(truth, predicted, shares, classes)
    rates = class_rates(found.classes, np.asarray(found.confusion))
    told = measure_classes(truth, Answers(classes, predicted, shares, _scores(model, X, shares)), label)
    measures = {name: told[name] for name in ("accuracy", "balanced_accuracy", "auc")}
    measures |= {name: _rate(rates, label, name) for name in ("precision", "recall", "f1")}
    measures |= {"log_loss": told["log_loss"]}
    measures |= {} if shares is None else {"brier": brier_score(truth, shares, classes)}
    best = None
    if costs is not None and shares is not None:
        answers_at(shares, classes, int(chosen or 0), 0.5)  # refuses more than two classes
        best = least_cost(np.asarray(truth == label), shares[:, int(chosen or 0)], costs)
    return Evaluation(
        "classification", len(truth), {name: value for name, value in measures.items() if value == value},
        label.item() if isinstance(label, np.generic) else label, cut_off, found.accuracy_interval, found.classes,
        found.confusion, rates, best,
    )  # fmt: skip


def _scores(model: Any, X: Any, shares: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    """How sure the model is of each class, where it has no probabilities but a distance from its border."""
    if shares is not None or not hasattr(model, "decision_function"):
        return shares
    found = np.asarray(model.decision_function(X))
    return np.column_stack([-found, found]) if found.ndim == 1 else found


def _rate(rates: Mapping[Any, Mapping[str, float]], label: Any, name: str) -> float:
    if label is not None:
        return float(np.nan_to_num(rates[label][name])) if label in rates else 0.0
    return float(np.nanmean([found[name] for found in rates.values()]))
