"""The picture of a model without trees: its coefficients, its classes, or the course of its training."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.learners.naive_bayes.state import level_starts
from treewright.plot.style import GREY, PALETTE, looks, new_figure, plain, save_figure, shortened, treewright_style
from treewright.table.schema import level_text
from treewright.tree.format import largest_first

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

_MOST_CLASSES = 7
_PRINTED_DIGITS = 4


def plot_plain_model(
    model: Any, path: str | os.PathLike[str] | None = None, *, most: int = 20, ax: Axes | None = None
) -> Figure:
    """Draw what a fitted model without trees has to show of itself.

    Parameters
    ----------
    model : fitted learner
        Linear, regularized and logistic regression and perceptrons show their coefficients, naive Bayes its classes,
        networks the course of their training, neighbours and local regression what their size was chosen by.
    path : path, optional
        Save the picture: .png, .svg or .pdf.
    most : int, default 20
        How many coefficients or columns are drawn, the strongest first.
    ax : matplotlib axes, optional
        Draw there.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> figure = plot_plain_model(tw.NaiveBayesClassifier().fit(X, y))
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['petallength', 'petalwidth', 'sepallength', 'sepalwidth']
    """
    if "targets_" in model.__dict__:
        raise DataError(
            f"This model has learnt {len(model.targets_)} targets. Say whose picture is meant: "
            "model.targets_[0].plot() is that of the first of them."
        )
    with treewright_style():
        figure = _draw(model, most, ax)
        if path is not None:
            save_figure(figure, path)
    return figure


def _draw(model: Any, most: int, ax: Axes | None) -> Figure:
    if hasattr(model, "coef_") and not hasattr(model, "layer_sizes_"):
        return _coefficients(model, most, ax)
    if hasattr(model, "theta_"):
        return _classes(model, most, ax)
    if hasattr(model, "layer_sizes_"):
        return _training(model, ax)
    if hasattr(model, "cv_curve_"):
        sizes = np.arange(1, len(model.cv_curve_) + 1)
        return _chosen(sizes, model.cv_curve_, model.n_neighbors_, "neighbours", ax)
    if hasattr(model, "loo_errors_") and len(model.loo_errors_):
        return _chosen(model.bandwidths_, model.loo_errors_, model.bandwidth_, "bandwidth", ax)
    raise DataError(
        f"{type(model).__name__} has nothing of its own to draw: it answers from its rows. tw.importance(model, X, "
        "y).plot() draws which columns matter, tw.partial_dependence(model, X, column).plot() what a column does, "
        "tw.boundary(model, X, y) the answers over two columns."
    )


# Coefficients: how far the answer moves for one spread of a column, so that they can be compared.


def _coefficients(model: Any, most: int, ax: Axes | None) -> Figure:
    names = model.coef_names_ if hasattr(model, "coef_names_") else model.coefficient_names_
    spread = model.spread_ if hasattr(model, "spread_") else model.scales_
    moved = np.nan_to_num(np.atleast_2d(model.coef_) * spread)
    classes = [level_text(label) for label in model.classes_.tolist()] if hasattr(model, "classes_") else []
    if not classes:
        target, unit = model.schema_.target, "prediction"
        unit = f"change of {'the prediction' if target is None else shortened(target, 24)}"
    else:
        of = f" of {shortened(classes[-1], 24)}" if len(moved) == 1 else ""
        unit = f"change of the {'log odds' if hasattr(model, 'deviance_') else 'weighted sum'}{of}"
    figure, shown = _marks(moved.T, names, classes if len(moved) > 1 else [], most, ax)
    axes = figure.axes[0] if ax is None else ax
    axes.set_xlabel(f"{unit} for one standard deviation of the column")
    axes.set_title("Coefficients" + _how_many(shown, len(names)))
    return figure


def _classes(model: Any, most: int, ax: Axes | None) -> Figure:
    """Each class's mean or share of a level, in standard deviations from the mean of all rows."""
    names, away = _class_means(model)
    classes = [level_text(label) for label in model.classes_.tolist()]
    figure, shown = _marks(away, names, classes, most, ax)
    axes = figure.axes[0] if ax is None else ax
    axes.set_xlabel("mean of the class, in standard deviations from the mean of all rows")
    axes.set_title("Classes" + _how_many(shown, len(names)))
    return figure


def _class_means(model: Any) -> tuple[list[str], Floats]:
    """Give the names of numbers and levels, and for each how far each class is away from the mean of all rows."""
    priors = model.class_prior_
    names, away = [], []
    starts, n_numeric, n_levelled = level_starts(model.schema_), 0, 0
    for column in model.schema_.columns:
        if column.kind == "numeric":
            means, variances = model.theta_[:, n_numeric], model.var_[:, n_numeric]
            names.append(column.name)
            away.append(_standardised(means, variances, priors))
            n_numeric += 1
            continue
        shares = np.exp(model._level_logs[n_levelled][1:])
        for code in range(starts[n_levelled + 1] - starts[n_levelled]):
            names.append(f"{column.name} = {level_text(column.levels[code])}")
            away.append(_standardised(shares[code], shares[code] * (1 - shares[code]), priors))
        n_levelled += 1
    return names, np.array(away).reshape(len(names), len(priors))


def _standardised(means: Floats, variances: Floats, priors: Floats) -> Floats:
    """Means of classes as distances from the mean of all rows, in standard deviations of all rows."""
    centre = float(priors @ means)
    spread = float(np.sqrt(priors @ (variances + (means - centre) ** 2)))
    away: Floats = np.nan_to_num((means - centre) / spread) if spread > 0 else np.zeros(len(means))
    return away


def _marks(numbers: Floats, names: Any, classes: list[str], most: int, ax: Axes | None) -> tuple[Figure, int]:
    """A line for each name, the strongest on top: a bar, or a mark for each of the first classes."""
    strength = np.abs(numbers).max(axis=1, initial=0.0)
    shown = [j for j in largest_first(strength, _PRINTED_DIGITS) if strength[j] > 0][:most]
    figure, ax = new_figure(6.5, 1.3 + 0.3 * max(len(shown), 1), ax)
    places = range(len(shown))
    if classes:
        for k, (colour, marker) in enumerate(looks(min(len(classes), _MOST_CLASSES))):
            ax.plot(
                numbers[shown, k],
                places,
                linestyle="none",
                marker=marker,
                color=colour,
                label=shortened(classes[k], 20),
            )
        more = len(classes) - _MOST_CLASSES
        title = f"the first {_MOST_CLASSES} of {len(classes)} classes" if more > 0 else None
        ax.legend(title=title, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize="small")
    else:
        colours = [PALETTE[0] if number > 0 else PALETTE[1] for number in numbers[shown, 0]]
        ax.barh(places, numbers[shown, 0], height=0.62, color=colours, alpha=0.85)
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.set_yticks(places, [shortened(names[j], 32) for j in shown])
    ax.set_ylim(max(len(shown), 1) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    return figure, len(shown)


def _how_many(shown: int, of: int) -> str:
    return f", the {shown:,} strongest of {of:,}" if 0 < shown < of else ""


# Curves: the loss while a network was trained, and errors by which a size was chosen.


def _training(model: Any, ax: Axes | None) -> Figure:
    if not len(getattr(model, "loss_curve_", ())):
        raise DataError(
            f"This {type(model).__name__} keeps no losses of its training, so there is no curve to draw. "
            "tw.importance(model, X, y).plot() draws which columns matter."
        )
    figure, ax = new_figure(6.5, 4, ax)
    ax.plot(np.arange(1, len(model.loss_curve_) + 1), model.loss_curve_, color=PALETTE[0], label="training rows")
    held_out = getattr(model, "validation_loss_curve_", None)
    if held_out is not None and len(held_out):
        epochs = np.arange(1, len(held_out) + 1)
        ax.plot(epochs, held_out, color=PALETTE[1], label="held-out rows")
        ax.axvline(int(np.nanargmin(held_out)) + 1, color=GREY, linewidth=0.8, linestyle="--", label="best epoch")
    ax.legend()
    ax.set_xlabel("epoch")
    ax.set_ylabel("loss")
    ax.set_title(f"Training of {plain(type(model).__name__)}")
    return figure


def _chosen(sizes: Any, errors: Any, chosen: float, called: str, ax: Axes | None) -> Figure:
    figure, ax = new_figure(6.5, 4, ax)
    ax.plot(sizes, errors, color=PALETTE[0], marker="o", markersize=3)
    ax.axvline(chosen, color=GREY, linewidth=0.8, linestyle="--")
    if called == "bandwidth":
        ax.set_xscale("log")
    ax.set_xlabel(called)
    ax.set_ylabel("error on rows left out")
    ax.set_title(f"How the {'number of ' if called == 'neighbours' else ''}{called} was chosen: {chosen:.4g}")
    return figure
