"""One learner or several, each under a name for the legend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from treewright.errors import DataError


def named_models(models: Any, owner: str) -> dict[str, Any]:
    """Give every learner a name: its own in a dict, or how it is written.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> list(named_models([GaussianNB(), GaussianNB()], "tw.boundary"))
    ['GaussianNB()', 'GaussianNB() (2)']
    """
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        named = {}
        for model in models if isinstance(models, list | tuple) else [models]:
            name = " ".join(repr(model).split())
            named[name if name not in named else f"{name} ({len(named) + 1})"] = model
    for model in named.values():
        if not hasattr(model, "predict") or isinstance(model, type):
            raise DataError(f"{owner} takes estimators. Got {model!r}.")
    if not named:
        raise DataError(f"{owner} got no learner. Pass an estimator, or several.")
    return named
