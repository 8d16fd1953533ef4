"""What `profile` remarks about columns, `fit`, `compare`, `tune`, `learning_curve` and `report` warn of, each once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import treewright as tw
from treewright.errors import ColumnWarning, ReadingWarning
from treewright.table import encode
from treewright.table.column_kinds import guess_kinds
from treewright.table.encode import encode_table
from treewright.table.frame import open_frame

RANDOM = np.random.default_rng(3)
N = 60
Y = np.array(["no", "yes"] * (N // 2))


def _odd_table() -> pd.DataFrame:
    written = [str(i / 4) for i in range(N - 1)]
    return pd.DataFrame(
        {
            "size": RANDOM.normal(size=N).round(2),
            "same": ["a"] * N,
            "empty": [np.nan] * N,
            "holes": [np.nan] * 40 + list(np.linspace(0, 1, 20).round(2)),
            "customer": np.arange(N) * 7 + 1,
            "day": [20200101 + i % 28 for i in range(N)],
            "weight": [*written, "unknown"],
        }
    )


def _told(work: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        work()
    return [str(one.message) for one in told if issubclass(one.category, ColumnWarning)]


def test_fit_warns_of_every_remark_of_the_profile_once() -> None:
    table = _odd_table()
    remarks = [f"Column '{report.name}': {text}." for report in guess_kinds(table) for text in report.remarks]
    assert len(remarks) == 6
    assert _told(lambda: tw.DecisionTreeClassifier().fit(table, Y)) == remarks


@pytest.mark.parametrize("model", [tw.RandomForestClassifier(n_estimators=3), tw.NaiveBayesClassifier()])
def test_every_learner_warns_once(model: Any) -> None:
    assert len(_told(lambda: model.fit(_odd_table().drop(columns=["empty"]), Y))) == 5


def test_functions_that_fit_many_models_warn_once() -> None:
    table = _odd_table().drop(columns=["empty"])
    alone = _told(lambda: tw.DecisionTreeClassifier().fit(table, Y))
    settings = {"n_jobs": 1, "random_state": 0}
    assert _told(lambda: tw.compare(table, Y, ["cart", "naive_bayes"], cv=2, **settings)) == alone
    assert _told(lambda: tw.tune(table, Y, "cart", candidates=2, cv=2, **settings)) == alone
    assert _told(lambda: tw.learning_curve(table, Y, "cart", trials=2, **settings)) == alone
    assert _told(lambda: tw.report(table, Y, algorithms=["cart"], cv=2, **settings)) == alone


def test_a_comparison_warns_of_a_column_that_gives_the_answer_away() -> None:
    table = pd.DataFrame({"size": RANDOM.normal(size=N).round(2), "paid": Y == "yes"})
    told = _told(lambda: tw.compare(table, pd.Series(Y, name="bought"), ["cart"], cv=2, n_jobs=1))
    assert len(told) == 1
    assert "Column 'paid' alone tells 'bought' in 100 % of the rows" in told[0]


def test_a_kind_that_is_decided_silences_the_warning() -> None:
    table = _odd_table()[["size", "customer"]]
    assert len(_told(lambda: tw.DecisionTreeClassifier().fit(table, Y))) == 1
    assert not _told(lambda: tw.DecisionTreeClassifier(column_kinds={"customer": "numeric"}).fit(table, Y))


def test_sound_columns_small_examples_arrays_and_few_levels_need_no_warning() -> None:
    sound = tw.datasets.load_titanic().drop(columns="survived")
    target = tw.datasets.load_titanic()["survived"]
    codes = pd.DataFrame({"zip": [f"{i % 15:05d}" for i in range(N)], "flag": ["0", "1"] * (N // 2)})
    assert not _told(lambda: tw.DecisionTreeClassifier().fit(sound, target))
    assert not _told(lambda: tw.DecisionTreeClassifier().fit(_odd_table().head(10), Y[:10]))
    assert not _told(lambda: tw.DecisionTreeClassifier().fit(np.ones((N, 2)), Y))
    assert not _told(lambda: tw.DecisionTreeClassifier().fit(codes, Y))


def test_frames_of_polars_are_looked_at_too() -> None:
    table = pl.DataFrame({"same": ["a"] * N, "hole": [float("nan")] * N, "customer": list(range(N))})
    told = _told(lambda: tw.DecisionTreeClassifier().fit(table, Y))
    assert [text.split("'")[1] for text in told] == ["same", "hole", "customer"]


def test_many_odd_columns_are_summed_up() -> None:
    table = pd.DataFrame({f"c{j}": [1.0] * N for j in range(40)})
    told = _told(lambda: tw.DecisionTreeClassifier().fit(table, Y))
    assert len(told) == 11
    assert told[-1] == "30 more remarks on columns: `treewright profile` tells them all."


def test_the_warning_points_to_the_line_of_the_user() -> None:
    with pytest.warns(ColumnWarning) as told:
        tw.compare(_odd_table()[["size", "same"]], Y, ["cart"], cv=2, n_jobs=1)
    assert {one.filename for one in told} == {__file__}


def _random_column(rng: np.random.Generator) -> pd.Series:
    """Mostly one of the few odd sorts, or next to one."""
    n, few = int(rng.integers(20, 60)), int(rng.integers(1, 4))
    numbers = rng.integers(0, few, n) if rng.random() < 0.5 else rng.permutation(n) * 7 + 1
    days = 20200101 + rng.integers(0, 28, n) + (rng.random(n) < rng.choice([0, 0.1])) * 10_000_000
    texts = np.array([str(number) for number in numbers], dtype=object)
    holes = rng.random(n) < rng.choice([0, 0.3, 0.5, 0.6, 1])
    sorts = [numbers, days, numbers.astype(np.float64), texts, numbers > 1]
    column = pd.Series(sorts[rng.integers(len(sorts))])
    types = {"i": "Int64", "b": "boolean"}
    if holes.any():
        column = column.astype(types.get(getattr(column.dtype, "kind", ""), column.dtype)).mask(holes)
    return column.astype("category") if rng.random() < 0.2 else column


def test_a_column_that_is_passed_over_as_ordinary_has_no_remark(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    tables = [pd.DataFrame({"a": _random_column(rng)}) for _ in range(150)]

    def told() -> list[list[str]]:
        return [_told(lambda table=table: encode_table(open_frame(table))) for table in tables]

    quick = told()
    for name in ("are_ordinary_numbers", "are_ordinary_levels"):
        monkeypatch.setattr(encode, name, lambda *_: False)
    assert quick == told()
    assert 30 < sum(not texts for texts in quick) < 120


def _model_of_colours() -> tuple[tw.DecisionTreeClassifier, pd.DataFrame]:
    table = pd.DataFrame({"colour": ["Red", "Blue"] * 20, "x": range(40)})
    return tw.DecisionTreeClassifier(column_kinds={"x": "numeric"}).fit(table, ["y", "n"] * 20), table


@pytest.mark.parametrize("estimator", [tw.DecisionTreeClassifier, tw.RandomForestClassifier, tw.LogisticRegression])
def test_predict_warns_once_of_a_column_whose_levels_are_mostly_unknown(estimator: type) -> None:
    _, table = _model_of_colours()
    model = estimator(column_kinds={"x": "numeric"}).fit(table, ["y", "n"] * 20)
    [told] = _told(lambda: model.predict(table.assign(colour="Purple")))
    assert told.startswith(
        "Most cells of column 'colour' are levels never seen in training (40 of 40), such as 'Purple'"
    )
    assert not _told(lambda: model.predict(table))
    assert not _told(lambda: model.predict(table.assign(colour=None)))


def test_levels_in_another_case_are_told_the_way_out() -> None:
    model, table = _model_of_colours()
    other = table.assign(colour=table["colour"].str.upper())
    [told] = _told(lambda: model.predict(other))
    assert "tw.align(table, model) matches levels that differ by case" in told
    with pytest.warns(ReadingWarning, match="'RED' is 'Red'"):
        matched = tw.align(other, model)
    assert model.predict(matched).tolist() == model.predict(table).tolist()


@pytest.mark.parametrize(
    "estimator", [tw.DecisionTreeClassifier, tw.RandomForestClassifier, tw.LogisticRegression, tw.KNeighborsClassifier]
)
def test_one_row_with_a_level_in_another_case_is_taken_as_that_level_and_told(estimator: type) -> None:
    _, table = _model_of_colours()
    model = estimator(column_kinds={"x": "numeric"}).fit(table, ["y", "n"] * 20)
    for right, other in [("Red", " red"), ("Blue", "BLUE")]:
        for as_given in (lambda level: {"x": 3, "colour": level}, lambda level: [level, 3], lambda level: (level, 3)):
            row, answers = as_given(other), []
            [told] = _told(lambda row=row, answers=answers: answers.append(model.predict_one(row)))
            assert told == (
                f"Column 'colour': {other!r} was never seen in training. It is taken as {right!r}, from which it "
                "differs by case or blanks only."
            )
            assert answers == [model.predict_one(as_given(right))]
            assert row == as_given(other), "the row of the user stays as it was"


def test_one_row_of_several_targets_matches_levels_too() -> None:
    table = pd.DataFrame({"colour": ["Red", "Blue"] * 20})
    model = tw.DecisionTreeClassifier().fit(table, pd.DataFrame({"a": ["y", "n"] * 20, "b": ["p", "q"] * 20}))
    answers: list[Any] = []
    assert len(_told(lambda: answers.append(model.predict_one({"colour": "blue"})))) == 1
    assert answers == [["n", "q"]]


def test_one_row_with_a_level_that_no_other_is_like_is_missing_without_a_word() -> None:
    model, _ = _model_of_colours()
    assert not _told(lambda: model.predict_one({"colour": "Purple", "x": 3}))
    assert not _told(lambda: model.predict_one({"colour": None, "x": 3}))
    assert not _told(lambda: model.predict_one({"x": 3}))
