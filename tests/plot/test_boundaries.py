"""What learners answer over two columns: the right colours in the right places, for any learner and any column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVC

import treewright as tw
from treewright.errors import DataError
from treewright.plot.style import OKABE_ITO


@pytest.fixture(scope="module")
def iris() -> tuple[pd.DataFrame, pd.Series]:
    return tw.datasets.load_iris(return_X_y=True)


def _image(figure: Any, panel: int = 0) -> tuple[Any, tuple[float, ...]]:
    image = figure.axes[panel].images[0]
    return np.asarray(image.get_array()), tuple(image.get_extent())


def _nearest_class(colour: Any, n: int) -> int:
    """Which class a mixture with white stems from: the one whose colour lies in its direction."""
    away = 1 - np.asarray(colour)
    full = np.array([1 - np.array(to_rgb(c)) for c in OKABE_ITO[:n]])
    return int(np.argmax(full @ away / np.linalg.norm(full, axis=1)))


@pytest.mark.parametrize("learner", [tw.DecisionTreeClassifier(max_depth=3), LogisticRegression(max_iter=2000), SVC()])
def test_every_point_has_the_colour_of_the_answer(learner: Any, iris: Any) -> None:
    X, t = iris
    figure = tw.boundary(learner, X, t, x="petallength", y="petalwidth", steps=40)
    colours, (left, right, bottom, top) = _image(figure)
    fitted = learner.fit(X[["petallength", "petalwidth"]], t)
    xs, ys = np.linspace(left, right, 40), np.linspace(bottom, top, 40)
    for i in range(0, 40, 7):
        for j in range(0, 40, 7):
            answer = fitted.predict(pd.DataFrame({"petallength": [xs[j]], "petalwidth": [ys[i]]}))[0]
            assert _nearest_class(colours[i, j], 3) == fitted.classes_.tolist().index(answer)


def test_the_surer_the_darker(iris: Any) -> None:
    X, t = iris
    figure = tw.boundary(tw.DecisionTreeClassifier(max_depth=1), X, t, x="petallength", y="petalwidth", steps=40)
    colours, _ = _image(figure)
    sure, unsure = colours[5, 0], colours[5, -1]  # 50 of 50 setosa; 50 of 100 versicolor
    assert sure.min() < unsure.min()


def test_the_stump_and_deeper_trees_stand_side_by_side(iris: Any, tmp_path: Path) -> None:
    X, t = iris
    trees = {f"depth {d}": tw.DecisionTreeClassifier(max_depth=d) for d in (1, 2, 12)}
    figure = tw.boundary(trees, X, t, x="sepallength", y="sepalwidth", path=tmp_path / "b.png", steps=60)
    assert [axes.get_title(loc="left") for axes in figure.axes] == list(trees)
    colours = [len(np.unique(_image(figure, k)[0].reshape(-1, 3), axis=0)) for k in range(3)]
    assert colours[0] == 2
    assert colours[0] < colours[1] < colours[2]
    assert (tmp_path / "b.png").read_bytes()[:4] == b"\x89PNG"


def test_a_fitted_model_is_asked_as_it_is_and_the_others_columns_are_held(iris: Any) -> None:
    X, t = iris
    model = tw.DecisionTreeClassifier().fit(X, t)
    before = model.fingerprint()
    figure = tw.boundary(model, X, t, x="petallength", y="petalwidth", steps=30)
    assert model.fingerprint() == before
    assert figure._suptitle.get_text() == "Held: sepallength = 5.8, sepalwidth = 3"
    colours, (_, right, _, top) = _image(figure)
    row = {"sepallength": 5.8, "sepalwidth": 3.0, "petallength": right, "petalwidth": top}
    assert _nearest_class(colours[-1, -1], 3) == model.classes_.tolist().index(model.predict_one(row))


def test_levels_stand_in_stripes_and_their_rows_are_shaken() -> None:
    X, t = tw.datasets.load_titanic(return_X_y=True)
    figure = tw.boundary(tw.DecisionTreeClassifier(max_depth=3), X, t, x="age", y="sex", steps=50)
    axes = figure.axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["female", "male"]
    assert _image(figure)[0].shape == (2, 50, 3)
    places = np.concatenate([dots.get_offsets()[:, 1] for dots in axes.collections])
    assert np.abs(places - np.round(places)).max() <= 0.32
    assert len(np.unique(places)) > 100
    assert len(places) == X["age"].notna().sum()  # a row without a place is not drawn


def test_learners_that_take_numbers_only_get_levels_as_numbers() -> None:
    X, t = tw.datasets.load_penguins(return_X_y=True)
    figure = tw.boundary(LogisticRegression(max_iter=2000), X, t, x="bill_length_mm", y="island", steps=40)
    assert _image(figure)[0].shape == (3, 40, 3)
    both = tw.boundary(SVC(), X, t, x="sex", y="island")
    assert _image(both)[0].shape == (3, 2, 3)


@pytest.mark.parametrize("learner", [tw.DecisionTreeRegressor(max_depth=3), LinearRegression()])
def test_numbers_are_drawn_from_light_to_dark(learner: Any) -> None:
    X, t = tw.datasets.load_boston(return_X_y=True)
    figure = tw.boundary(learner, X, t, x="rm", y="lstat", steps=40)
    colours, _ = _image(figure)
    assert colours[0, -1].sum() < colours[-1, 0].sum()  # many rooms and few poor: a high price


def test_dates_and_arrays_are_columns_too() -> None:
    days = pd.date_range("2020-01-01", periods=40, freq="D")
    X = pd.DataFrame({"day": days, "size": np.arange(40.0)})
    t = np.where(np.arange(40) < 20, "early", "late")
    figure = tw.boundary(tw.DecisionTreeClassifier(), X, t, x="day", y="size", steps=30)
    colours, _ = _image(figure)
    assert _nearest_class(colours[0, 0], 2) == 0
    assert _nearest_class(colours[-1, -1], 2) == 1
    array = np.column_stack([np.arange(40.0), np.arange(40.0)])
    tw.boundary(SVC().fit(array, t), array, t, x="x0", y="x1", steps=30)


def test_the_same_figure_is_the_same_bytes(iris: Any, tmp_path: Path) -> None:
    X, t = iris
    for name in ("a.png", "b.png"):
        tw.boundary(tw.DecisionTreeClassifier(), X, t, x="petallength", y="petalwidth", steps=40, path=tmp_path / name)
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_what_cannot_be_drawn_is_said(iris: Any, tmp_path: Path) -> None:
    X, t = iris
    tree = tw.DecisionTreeClassifier()
    for wrong, said in (
        ({"x": "petallenght", "y": "petalwidth"}, "no column 'petallenght'. Did you mean 'petallength'"),
        ({"x": "petalwidth", "y": "petalwidth"}, "x and y are both 'petalwidth'"),
        ({"x": "petallength", "y": "petalwidth", "steps": 3}, "steps must be a whole number from 10 to 4000"),
        ({"x": "petallength", "y": "petalwidth", "path": tmp_path / "b.gif", "steps": 10}, "must end with"),
    ):
        with pytest.raises(DataError, match=said):
            tw.boundary(tree, X, t, **wrong)
    with pytest.raises(DataError, match="takes estimators"):
        tw.boundary("cart", X, t, x="petallength", y="petalwidth")
    with pytest.raises(DataError, match="one value for each of the 150 rows"):
        tw.boundary(tree, X, t[:3], x="petallength", y="petalwidth")
    with pytest.raises(DataError, match="other columns than DecisionTreeClassifier was trained on"):
        tw.boundary(
            tw.DecisionTreeClassifier().fit(X, t), X.drop(columns="sepalwidth"), t, x="petallength", y="petalwidth"
        )
    many = X.assign(name=[f"flower {i}" for i in range(150)])
    with pytest.raises(DataError, match="'name' has 150 levels; a picture has room for 40"):
        tw.boundary(tree, many, t, x="petallength", y="name")
