"""The plots of classifiers: ROC, gains, calibration, confusion."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from treewright.errors import DataError, nearest
from treewright.inspection.support import wilson_interval
from treewright.model_selection.gains import gains_table
from treewright.model_selection.measures import alike_scores, score_classes
from treewright.plot.style import GREY, ink_on, looks, new_figure, number_colour, plain, save_figure, treewright_style
from treewright.tree.format import clip, name_text, share_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


LONGEST_NAME = 40  # characters: a legend must leave room for the picture

# One learner or several, each under a name for the legend.


def named_models(models: Any, owner: str) -> dict[str, Any]:
    """Give every learner a name: its own in a dict, or how it is written; where that is long, its class alone.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> list(named_models([GaussianNB(), GaussianNB()], "tw.boundary"))
    ['GaussianNB()', 'GaussianNB() (2)']
    >>> list(named_models(GaussianNB(priors=[0.25, 0.25, 0.5], var_smoothing=1e-12), "tw.boundary"))
    ['GaussianNB']
    """
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        named = {}
        for model in models if isinstance(models, list | tuple) else [models]:
            name = " ".join(repr(model).split())
            name = name if len(name) <= LONGEST_NAME else type(model).__name__
            named[name if name not in named else f"{name} ({len(named) + 1})"] = model
    for model in named.values():
        if not hasattr(model, "predict") or isinstance(model, type):
            raise DataError(f"{owner} takes estimators. Got {model!r}.")
    if not named:
        raise DataError(f"{owner} got no learner. Pass an estimator, or several.")
    return named


# What plots of classifiers work on: the truth of a class, and how sure each model is of it.


Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassScores:
    """One line of a plot: its label, which rows are of the class, and the probability that each was given."""

    label: str
    is_class: NDArray[np.bool_]
    scores: Floats


def class_scores(models: Any, X: Any, y: Any, positive: Any, owner: str) -> tuple[list[ClassScores], str]:
    """Ask fitted models for probabilities; give a line for each model and class, and the name of the class, if one.

    Two classes, or a class that is named, give one line a model. One model and more classes give a line a class.
    """
    truth = np.asarray(y)
    named = named_models(models, owner)
    asked = {name: (_classes(model, owner), np.asarray(model.predict_proba(X))) for name, model in named.items()}
    if any(len(truth) != len(shares) for _, shares in asked.values()):
        raise DataError(f"{owner}: X and y must have the same number of rows.")
    classes = next(iter(asked.values()))[0]
    wanted = _wanted(classes, positive, len(named), owner)
    lines = []
    for name, (own, shares) in asked.items():
        for label in wanted:
            shown = str(label) if len(wanted) > 1 else name
            lines.append(ClassScores(plain(shown), truth == label, alike_scores(shares[:, own.index(label)])))
    for line in lines:
        if line.is_class.all() or not line.is_class.any():
            raise DataError(f"{owner} needs rows of the class and rows of others. Here {_which(line)}.")
    return lines, plain(wanted[0]) if len(wanted) == 1 else ""


def _which(line: ClassScores) -> str:
    return "all rows are of it" if line.is_class.all() else "no row is of it"


def _classes(model: Any, owner: str) -> list[Any]:
    check_is_fitted(model)
    if not hasattr(model, "predict_proba"):
        raise DataError(f"{owner} needs probabilities, and {type(model).__name__} has no predict_proba.")
    classes: list[Any] = np.asarray(model.classes_).tolist()
    return classes


def _wanted(classes: list[Any], positive: Any, n_models: int, owner: str) -> list[Any]:
    if positive is not None:
        if positive not in classes:
            raise DataError(
                f"positive={positive!r} is no class of the model. {nearest(str(positive), map(str, classes))}"
            )
        return [positive]
    if len(classes) <= 2:
        return classes[-1:]
    if n_models > 1:
        raise DataError(f"{owner}: several models and {len(classes)} classes are too many lines. Say positive=.")
    return classes


# `tw.plot_roc`: how many rows of a class are found at which price of false alarms.


def plot_roc(
    models: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    positive: Any = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw the receiver operating characteristic with the area under it.

    Parameters
    ----------
    models : fitted classifier, list of them, or dict of them by name
    X, y : table and column
        Rows whose class is known; take rows that the models were not trained on.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    positive : class, optional
        The class that is looked for. Of two classes it is the last by default; of more each is drawn against the rest.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> figure = tw.plot_roc({"depth 3": tw.DecisionTreeClassifier(max_depth=3).fit(X, y)}, X, y)
    >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    ['depth 3: AUC 0.843']
    """
    from sklearn.metrics import auc, roc_curve

    lines, positive_name = class_scores(models, X, y, positive, "tw.plot_roc")
    with treewright_style():
        figure, ax = new_figure(4.8, 4.6, ax)
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
        for line, (colour, _) in zip(lines, looks(len(lines)), strict=True):
            false_alarms, found, _ = roc_curve(line.is_class, line.scores)
            label = f"{line.label}: AUC {auc(false_alarms, found):.3f}"
            ax.plot(false_alarms, found, color=colour, linewidth=1.7, label=label)
        ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        ax.set(
            xlabel="false positive rate (false alarms among the others)",
            ylabel="true positive rate (found of the class)",
        )
        ax.set_title(f"ROC: finding '{positive_name}'" if positive_name else "ROC: each class against the others")
        ax.legend(loc="lower right", fontsize=8.5)
        if path is not None:
            save_figure(figure, path)
    return figure


# `tw.plot_gains`: how many rows of a class are reached when those with the highest scores are taken first.


def plot_gains(
    models: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    positive: Any = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw the share of a class that is reached over the share of all rows that is taken.

    Parameters
    ----------
    models : fitted classifier, list of them, or dict of them by name
    X, y : table and column
        Rows whose class is known; take rows that the models were not trained on.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    positive : class, optional
        The class that is looked for. Of two classes it is the last by default; of more each is drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> tw.plot_gains(tw.DecisionTreeClassifier(max_depth=3).fit(X, y), X, y).axes[0].get_title(loc="left")
    "Gains: reaching 'yes' first"
    """
    lines, positive_name = class_scores(models, X, y, positive, "tw.plot_gains")
    with treewright_style():
        figure, ax = new_figure(5.2, 4.4, ax)
        ax.plot([0, 100], [0, 100], color=GREY, linewidth=0.9, linestyle=(0, (4, 3)), label="random order")
        if positive_name:
            share = 100 * float(lines[0].is_class.mean())
            ax.plot([0, share, 100], [0, 100, 100], color=GREY, linewidth=0.9, linestyle=":", label="perfect order")
        for line, (colour, _) in zip(lines, looks(len(lines)), strict=True):
            table = gains_table(line.is_class, line.scores, positive=True)
            ax.plot(
                [0, *100 * table["reached"]], [0, *100 * table["gain"]], color=colour, linewidth=1.7, label=line.label
            )
        ax.set(xlim=(-1, 101), ylim=(-1, 101))
        ax.set(xlabel="rows taken, highest scores first (%)", ylabel="true positive rate: found of the class (%)")
        ax.set_title(f"Gains: reaching '{positive_name}' first" if positive_name else "Gains of each class")
        ax.legend(loc="lower right", fontsize=8.5)
        if path is not None:
            save_figure(figure, path)
    return figure


# `tw.plot_calibration`: does it rain on 70 % of the days with a chance of 70 %?


def plot_calibration(
    models: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    positive: Any = None,
    groups: int = 10,
    ax: Axes | None = None,
) -> Figure:
    """Draw the true share of a class over the probability that was given, in groups of equal size.

    Parameters
    ----------
    models : fitted classifier, list of them, or dict of them by name
    X, y : table and column
        Rows whose class is known; take rows that the models were not trained on.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    positive : class, optional
        The class that is looked for. Of two classes it is the last by default; of more each is drawn.
    groups : int, default 10
        How many groups at most. Rows with the same probability stay together, so a small tree has fewer.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> model = tw.DecisionTreeClassifier(max_depth=3).fit(X[::2], y[::2])
    >>> tw.plot_calibration(model, X[1::2], y[1::2]).axes[0].get_xlabel()
    'predicted probability'
    """
    lines, positive_name = class_scores(models, X, y, positive, "tw.plot_calibration")
    with treewright_style():
        figure, ax = new_figure(4.8, 4.6, ax)
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.9, linestyle=(0, (4, 3)))
        for line, (colour, marker) in zip(lines, looks(len(lines)), strict=True):
            given, true, low, high = calibration_groups(line, groups)
            ax.vlines(given, low, high, color=colour, linewidth=1, alpha=0.5)
            ax.plot(given, true, color=colour, marker=marker, markersize=5, linewidth=1.3, label=line.label)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
        ax.set(xlabel="predicted probability", ylabel="observed frequency, 95 % confidence interval")
        ax.set_title(f"Calibration of '{positive_name}'" if positive_name else "Calibration of each class")
        if len(lines) > 1:
            ax.legend(loc="upper left", fontsize=8.5)
        if path is not None:
            save_figure(figure, path)
    return figure


def calibration_groups(line: ClassScores, groups: int) -> NDArray[np.float64]:
    """Give, for each group, the mean probability, the true share and its range: four rows of numbers.

    >>> line = ClassScores("a", np.array([True, False, True, True]), np.array([0.5, 0.5, 0.9, 0.9]))
    >>> calibration_groups(line, 10)[:2].tolist()
    [[0.5, 0.9], [0.5, 1.0]]
    """
    order = np.argsort(line.scores, kind="stable")
    scores, hits = line.scores[order], line.is_class[order]
    wanted = np.arange(1, groups) * len(order) // groups
    cuts = np.unique(np.searchsorted(scores, scores[wanted], side="left"))  # rows of the same score stay together
    kept: list[int] = []
    for cut in cuts.tolist():  # a group of a few rows says nothing: it goes with the next
        if min(cut - (kept[-1] if kept else 0), len(order) - cut) >= len(order) / (2 * groups):
            kept.append(cut)
    table = []
    for part in np.split(np.arange(len(order)), kept):
        right, n = int(hits[part].sum()), len(part)
        table.append((float(scores[part].mean()), right / n, *wilson_interval(right, n)))
    return np.array(table).T


# `tw.plot_confusion`: what is taken for what.


MOST_CLASSES = 40  # of a confusion matrix that can be read


def plot_confusion(
    model: Any, X: Any, y: Any, path: str | os.PathLike[str] | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw the table of true and predicted classes; the darker a cell, the larger its share of the true class.

    Parameters
    ----------
    model : fitted classifier
        Of treewright or scikit-learn.
    X, y : table and column
        Rows whose class is known; take rows that the model was not trained on.
    path : str, optional
        Where to save the figure (.png, .svg or .pdf).
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> figure = tw.plot_confusion(tw.DecisionTreeClassifier(max_depth=2).fit(X, y), X, y)
    >>> figure.axes[0].get_xlabel()
    'predicted'
    """
    check_is_fitted(model)
    if not hasattr(model, "classes_"):
        raise DataError(f"{type(model).__name__} predicts numbers; a table of confusions is for classes.")
    scores = score_classes(np.asarray(y).tolist(), np.asarray(model.predict(X)).tolist())
    counts = np.array(scores.confusion)
    n = len(scores.classes)
    if n > MOST_CLASSES:
        raise DataError(f"A table of {n:,} classes is too large to be read; {MOST_CLASSES} is the most.")
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    with treewright_style():
        figure, ax = new_figure(1.9 + 0.62 * min(n, 14), 1.5 + 0.5 * min(n, 14), ax)
        _cells(ax, counts, shares)
        names = [plain(clip(name_text(label), 22)) for label in scores.classes]
        ax.set_xticks(range(n), names, rotation=0 if sum(map(len, names)) < 9 * n and n <= 6 else 40)
        if ax.get_xticklabels()[0].get_rotation():
            for label in ax.get_xticklabels():
                label.set_horizontalalignment("right")
        ax.set_yticks(range(n), names)
        ax.set(xlabel="predicted", ylabel="true", xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
        ax.grid(False)
        ax.tick_params(length=0)
        ax.set_title(f"{share_text(scores.accuracy)} of {scores.n_rows:,} rows right")
        if path is not None:
            save_figure(figure, path)
    return figure


def _cells(ax: Axes, counts: Any, shares: Any) -> None:
    from matplotlib.patches import Rectangle

    n = len(counts)
    for row in range(n):
        for column in range(n):
            colour = number_colour(shares[row, column]) if counts[row, column] else "#ffffff"
            ax.add_patch(
                Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, edgecolor="#e6e6e6", linewidth=0.6)
            )
            if counts[row, column]:
                size = 9 if n <= 8 else 7 if n <= 16 else 4.5
                text = f"{counts[row, column]:,}"
                ax.text(column, row, text, ha="center", va="center", size=size, color=ink_on(colour))
