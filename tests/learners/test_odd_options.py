"""Options of functions at the ends of their types, and values that none takes: an answer, or a sentence.

As `test_odd_parameters` has it for estimators: never the words of the layers below, never a fit without end.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from learners.test_odd_parameters import (
    SECONDS,
    WORDS_BELOW,
    NoEnd,
    Thing,
    no_fit_is_without_end,  # noqa: F401 (a fixture)
)
from treewright.errors import TreewrightError

ODD = [
    -1, 0.5, 2**63, 10**400, np.nan, np.inf, np.int64(3), np.float32(0.5), np.bool_(True), None, "x", "", b"x", [], [1],
    [10**400], {"a": 1}, (1, 2), np.array([1.0, 2.0]), pd.Series([1]), Thing(), 1j,
]  # fmt: skip
N = 40
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {"a": RNG.normal(size=N).round(2), "b": RNG.choice(list("xyz"), N), "c": RNG.integers(0, 5, N).astype(float)}
)
VALUES = (X["a"] * 2 + RNG.normal(size=N)).round(2).to_numpy()
CLASSES = np.where(VALUES > 0, "p", "n")


def _tree() -> Any:
    return tw.DecisionTreeClassifier(max_depth=3).fit(X, CLASSES)


def _line() -> Any:
    return tw.LinearRegression().fit(X[["a", "c"]], VALUES)


_FOLDS = "cv sample_weight groups random_state"
CALLS: dict[str, tuple[str, Callable[[Path], Callable[..., Any]]]] = {
    "conformal": (_FOLDS, lambda _: lambda **o: tw.conformal(_line(), X[["a", "c"]], VALUES, **{"cv": 3, **o})),
    "calibrate": (f"method {_FOLDS}", lambda _: lambda **o: tw.calibrate(_tree(), X, CLASSES, **{"cv": 3, **o})),
    "predict_interval": (
        "coverage",
        lambda _: tw.conformal(_line(), X[["a", "c"]], VALUES, cv=3).predict_interval,
    ),
    "predict_set": ("coverage", lambda _: tw.conformal(_tree(), X, CLASSES, cv=3).predict_set),
    "importance": (
        "kind scoring n_repeats sample_weight random_state",
        lambda _: lambda **o: tw.importance(_tree(), X, CLASSES, **{"n_repeats": 2, **o}),
    ),
    "partial_dependence": (
        "columns kind grid_points max_levels response sample_weight",
        lambda _: lambda **o: tw.partial_dependence(_tree(), X, **{"columns": ["a"], **o}),
    ),
    "evaluate": ("positive cut_off costs", lambda _: lambda **o: tw.evaluate(_tree(), X, CLASSES, **o)),
    "gains_table": (
        "positive groups benefit cost sample_weight",
        lambda _: lambda **o: tw.gains_table(CLASSES, np.arange(N) / N, **{"positive": "p", **o}),
    ),
    "surrogate_model": ("max_leaves cv", lambda _: lambda **o: tw.surrogate_model(_tree(), X, **{"cv": 2, **o})),
    "draw": (
        "path max_depth highlight tree direction leaves",
        lambda folder: lambda **o: tw.draw(_tree(), **{"path": folder / "tree.svg", **o}),
    ),
    "export": (
        "path dialect table keep",
        lambda folder: lambda **o: tw.export(_tree(), **{"path": folder / "tree.sql", **o}),
    ),
    "write_predictions": (
        "path keep",
        lambda folder: lambda **o: tw.write_predictions(_tree(), tw.source(X), **{"path": folder / "answers.csv", **o}),
    ),
    "compare_missing": (
        "cv random_state",
        lambda _: lambda **o: tw.compare_missing(X.assign(a=X["a"].where(X["a"] > -1)), CLASSES, **{"cv": 2, **o}),
    ),
    "stability": (
        "replicates random_state sample_weight",
        lambda _: lambda **o: _tree().stability(X, CLASSES, **{"replicates": 2, **o}),
    ),
}


def what_is_wrong(call: Callable[..., Any], name: str, value: Any) -> str | None:
    """Call with one odd option; None where it is answered, or refused in a sentence."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        call(**{name: value})
    except NoEnd:
        return "no end"
    except (TreewrightError, ValueError) as refusal:
        said = str(refusal)
        is_sentence = said.rstrip().endswith((".", "?")) and len(said.split()) > 4
        is_ours = isinstance(refusal, TreewrightError) or "parameter of" in said
        return None if is_sentence and is_ours and not any(words in said for words in WORDS_BELOW) else said
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_every_value_of_every_option_is_answered_or_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    options, made = CALLS[name]
    call, wrong = made(tmp_path), {}
    if name.startswith("predict_"):
        rows, answer = X[["a", "c"]] if name == "predict_interval" else X, call
        call = partial(answer, rows)
    for option in options.split():
        for value in ODD:
            problem = what_is_wrong(call, option, value)
            if problem is not None:
                wrong[f"{option}={value!r}"] = problem[:120]
    assert not wrong
