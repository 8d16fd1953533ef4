"""The pictures of comparisons and learning curves."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.plot.style import looks

IRIS, SPECIES = tw.datasets.load_iris(return_X_y=True)
RESULT = tw.compare(IRIS, SPECIES, ["cart", "forest", "id3"], cv=3)
CURVE = tw.learning_curve(IRIS, SPECIES, ["cart", "forest"], sizes=[10, 30, 100], trials=3)
STARTS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_pictures_are_saved_in_the_format_of_the_ending_and_are_the_same_every_time(
    tmp_path: Path, ending: str
) -> None:
    for thing, name in ((RESULT, "a"), (CURVE, "b")):
        first, second = tmp_path / f"{name}1{ending}", tmp_path / f"{name}2{ending}"
        thing.plot(first)
        thing.plot(second)
        assert first.read_bytes().startswith(STARTS[ending])
        assert first.read_bytes() == second.read_bytes()


def test_the_comparison_shows_each_learner_the_best_on_top() -> None:
    (ax,) = RESULT.plot().axes
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == [one.name for one in RESULT.learners if one.scores]
    assert "failed: id3" in ax.get_title(loc="left")
    low, high = RESULT.interval("cart")
    drawn = [line.get_xdata() for line in ax.lines]
    assert any(np.allclose(x, [low, high]) for x in drawn if len(x) == 2)
    means = [float(x[0]) for x in drawn if len(x) == 1]
    assert means == [one.mean("accuracy") for one in RESULT.learners if one.scores]
    assert "log loss (smaller is better)" in RESULT.plot(measure="log_loss").axes[0].get_xlabel()


def test_the_curve_shows_per_cent_with_a_band_for_each_learner() -> None:
    (ax,) = CURVE.plot().axes
    assert ax.get_ylabel() == "accuracy (%)"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["cart", "forest"]
    for line, learner in zip(ax.lines, CURVE.learners, strict=True):
        assert line.get_xdata().tolist() == [10, 30, 100]
        assert line.get_ydata() == pytest.approx(100 * learner.means())
    assert len(ax.collections) == 2


def test_pictures_go_into_axes_that_are_there_and_leave_settings_alone() -> None:
    from matplotlib.figure import Figure

    before = dict(matplotlib.rcParams)
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert RESULT.plot(ax=left) is figure
    assert CURVE.plot(ax=right) is figure
    assert left.lines
    assert right.lines
    assert dict(matplotlib.rcParams) == before


def test_an_ending_that_is_no_picture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"must end with \.png, \.svg, \.pdf"):
        RESULT.plot(tmp_path / "a.xls")


def test_colours_and_markers_tell_many_learners_apart() -> None:
    assert len(set(looks(40))) == 40
