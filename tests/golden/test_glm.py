"""Logistic regression without a penalty is R's glm: coefficients, standard errors, p-values, deviances, AIC."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import treewright as tw

HERE = Path(__file__).parent / "glm"
COEFFICIENTS, FITS = pd.read_csv(HERE / "coefficients.csv"), pd.read_csv(HERE / "fits.csv").set_index("fit")
TARGETS = {"kyphosis": "Kyphosis", "titanic": "survived", "credit_g": "class", "heart_c": "num"}


def fitted(name: str) -> tw.LogisticRegression:
    """Our model of the same rows, with sorted levels as R had them."""
    table = name.removesuffix(" weighted")
    frame = pd.read_csv(tw.datasets.path(table)).dropna()
    target = TARGETS[table]
    for column in frame.columns.drop(target):
        if not pd.api.types.is_numeric_dtype(frame[column]):
            frame[column] = pd.Categorical(frame[column], sorted(frame[column].unique()))
    weights = np.arange(1, len(frame) + 1) % 3 + 1.0 if name.endswith("weighted") else None
    return tw.LogisticRegression(penalty=None).fit(frame.drop(columns=target), frame[target], weights)


@pytest.mark.parametrize("name", list(FITS.index))
def test_coefficients_errors_and_p_values_are_those_of_glm(name: str) -> None:
    ours, theirs = fitted(name).summary().to_frame(), COEFFICIENTS[COEFFICIENTS.fit == name]
    plain = [label.replace(" = ", "").replace("(intercept)", "(Intercept)") for label in ours.index]
    assert plain == [label.replace("`", "") for label in theirs.coefficient]
    for column, tolerance in (("estimate", 1e-7), ("std_error", 1e-7), ("z_value", 1e-6), ("p_value", 1e-6)):
        np.testing.assert_allclose(ours[column], theirs[column], rtol=tolerance, atol=1e-12, err_msg=column)


@pytest.mark.parametrize("name", list(FITS.index))
def test_deviances_and_aic_are_those_of_glm(name: str) -> None:
    summary, theirs = fitted(name).summary(), FITS.loc[name]
    assert summary.deviance == pytest.approx(theirs.deviance, rel=1e-10)
    assert summary.null_deviance == pytest.approx(theirs.null_deviance, rel=1e-10)
    assert summary.aic == pytest.approx(theirs.aic, rel=1e-10)
    assert summary.degrees_of_freedom == theirs.freedom
    assert f"on {theirs.null_freedom:,.0f} degrees of freedom" in str(summary).split("null deviance")[1].split("\n")[0]
