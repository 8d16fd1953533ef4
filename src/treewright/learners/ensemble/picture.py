"""The picture of a model of many trees: which columns matter, or one of the trees."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted


def plot(model: Any, path: Any = None, *, tree: int | None = None, **how: Any) -> Any:
    """Draw the columns by importance, or with ``tree=7`` that tree of the model.

    Parameters
    ----------
    path : path, optional
        Where to save the picture (.png, .svg or .pdf; of a tree also .html).
    tree : int, optional
        The number of a tree, from 0; left out, the importance of the columns is drawn.
    **how
        Options of `tw.draw` for a tree, such as ``max_depth``, or of `tw.importance(…).plot`, such as ``most``.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = tw.datasets.load_iris(return_X_y=True)
    >>> forest = tw.RandomForestClassifier(n_estimators=5).fit(X, y)
    >>> len(forest.plot().axes[0].get_yticklabels())
    4
    >>> forest.plot(tree=2).to_svg()[:4]
    '<svg'
    """
    import treewright  # the pictures are built on the models, so they are asked for by name

    check_is_fitted(model)
    if tree is not None:
        return treewright.draw(model, path, tree=tree, **how)
    return treewright.importance(model, kind="impurity").plot(path, **how)
