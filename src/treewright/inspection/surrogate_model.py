"""A small tree that stands for any model: grown from the model's answers, with how faithful it is to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from treewright.errors import DataError
from treewright.inspection.support import wilson_interval
from treewright.learners.base.content_order import order_of_table
from treewright.learners.base.folds import Units
from treewright.learners.trees.decision_tree import DecisionTreeClassifier, DecisionTreeRegressor
from treewright.pages.blocks import Block, Paragraph, Verbatim
from treewright.pages.page import Page
from treewright.renamed import warn_renamed
from treewright.tree.format import rows_text, share_text


class Surrogate(Page):
    """A tree that stands for a model.

    Attributes
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        The fitted tree. It has `why`, `rules`, `predict` and all the rest.
    fidelity : float
        How well it agrees with the model on the rows that it was grown from: the share of equal answers, or for numbers
        the share of the variance of the model's answers that it explains (R²).
    fidelity_held_out : float
        The same on rows that had no part in growing (cross-validation).
    """

    def __init__(
        self,
        tree: Any,
        answers: NDArray[Any],
        grown: NDArray[Any],
        held_out: NDArray[Any],
    ) -> None:
        self.tree = tree
        self.is_class = is_classifier(tree)
        self.n_rows = len(answers)
        self.fidelity = _agreement(answers, grown, self.is_class)
        self.fidelity_held_out = _agreement(answers, held_out, self.is_class)

    @property
    def title(self) -> str:
        """The heading of the page."""
        return "Surrogate tree: it answers as the model does"

    @property
    def summary(self) -> str:
        """How faithful the tree is, in a sentence."""
        leaves = f"{self.tree.get_n_leaves():,} leaves, {rows_text(self.n_rows)}"
        if not self.is_class:
            return f"R² {self.fidelity:.3f} of the model's answers, {self.fidelity_held_out:.3f} held out ({leaves})."
        low, high = wilson_interval(self.fidelity_held_out * self.n_rows, self.n_rows)
        interval = f"95 % confidence interval {share_text(low)} to {share_text(high)}"
        held_out = f"{share_text(self.fidelity_held_out)} held out ({interval})"
        return f"Answers as the model in {share_text(self.fidelity)} of the rows, {held_out}; {leaves}."

    def blocks(self) -> Iterator[Block]:
        """Give what is said as blocks, whatever it will be written as."""
        yield Paragraph(self.summary)
        yield Verbatim(self.tree.tree_.to_text(width=self._width))

    def to_dict(self) -> dict[str, Any]:
        """Give the fidelity and the tree as plain values."""
        return {
            "fidelity": self.fidelity,
            "fidelity_held_out": self.fidelity_held_out,
            "n_rows": self.n_rows,
            "tree": self.tree.tree_.to_dict(),
        }

    def __repr__(self) -> str:
        return f"<Surrogate: {self.summary}>"


def surrogate_model(model: Any, X: Any, max_leaves: int = 8, *, cv: int = 5, **settings: Any) -> Surrogate:
    """Grow a small tree that answers as another model does, to see what that model has learnt.

    Parameters
    ----------
    model : fitted model with `predict`
        Any: of treewright, of scikit-learn, or your own.
    X : table
        Rows that the model can answer. Their truth is not needed.
    max_leaves : int, default 8
        Leaves that the tree may have.
    cv : int, default 5
        Folds of the cross-validation that measures the fidelity on held-out rows.
    **settings
        Other parameters of the tree, such as `min_samples_leaf=20`.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_titanic(return_X_y=True)
    >>> forest = tw.RandomForestClassifier(100, random_state=0).fit(X, y)
    >>> print(tw.surrogate_model(forest, X, max_leaves=4))
    Answers as the model in 89 % of the rows, 89 % held out (95 % confidence interval 87 % to 91 %); 4
    leaves, 1,309 rows.
    <BLANKLINE>
    no 64 %, yes 36 %  (1,309 rows)
    ├─ sex is male                           no    91 %  (769 of 843)
    │  ├─ age <= 13.5                      → no    51 %  (27 of 53)
    │  └─ age > 13.5 or missing              no    94 %  (742 of 790)
    │     ├─ passengerClass is 2nd or 3rd  → no   >99 %  (614 of 616)
    │     └─ passengerClass is 1st         → no    74 %  (128 of 174)
    └─ sex is female                       → yes   85 %  (397 of 466)
    """
    if "folds" in settings:
        warn_renamed("tw.surrogate_model(folds=…)", "cv=…")
        cv = settings.pop("folds")
    for name, value in (("max_leaves", max_leaves), ("cv", cv)):
        if not isinstance(value, int) or not 2 <= value < 2**31:
            raise DataError(f"'{name}' must be a whole number of at least 2. Got {value!r} instead.")
    if not hasattr(model, "predict"):
        raise DataError(f"tw.surrogate_model needs a fitted model with predict(X). Got {model!r} instead.")
    answers = np.asarray(model.predict(X))
    is_class = is_classifier(model) or answers.dtype.kind != "f"
    kind = DecisionTreeClassifier if is_class else DecisionTreeRegressor
    tree = kind(max_leaf_nodes=max_leaves, **settings).fit(X, answers)
    held_out = np.empty_like(answers)
    # Rows of weight 0 are not there: no table has to be cut, whatever kind it is.
    order, fold = order_of_table(X, answers), np.empty(len(answers), dtype=np.int64)
    fold[order] = Units(order, None).folds(cv, seed=0)
    for k in range(min(cv, len(answers))):
        part = kind(max_leaf_nodes=max_leaves, **settings).fit(X, answers, sample_weight=(fold != k).astype(float))
        held_out[fold == k] = part.predict(X)[fold == k]
    return Surrogate(tree, answers, tree.predict(X), held_out)


def _agreement(answers: NDArray[Any], said: NDArray[Any], is_class: bool) -> float:
    if is_class:
        return float(np.mean([a == b for a, b in zip(answers.tolist(), said.tolist(), strict=True)]))
    spread = float(np.var(answers))
    error = float(np.mean((answers - said) ** 2))
    return 1.0 - error / spread if spread > 0 else float(error == 0)
