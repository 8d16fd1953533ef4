"""Dates with a zone are moments, dates without one are what a clock shows: a model takes those that it has learnt."""

from __future__ import annotations

import datetime
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.table.schema import Column

HOURS = pd.date_range("2024-03-01", periods=200, freq="7h")
WITHOUT = pd.DataFrame({"when": HOURS, "x": np.arange(200.0) % 7})
WITH = WITHOUT.assign(when=HOURS.tz_localize("Europe/Vienna"))
TARGET = np.where(HOURS.day > 15, "late", "early")


def learners() -> list[Any]:
    return [tw.DecisionTreeClassifier(), tw.KNeighborsClassifier(), tw.RandomForestClassifier(3, random_state=0)]


def ways_to_ask(model: Any, X: pd.DataFrame) -> list[Any]:
    row = X.iloc[3].to_dict()
    return [
        lambda: model.predict(X),
        lambda: model.predict_proba(X),
        lambda: model.predict_one(row),
        lambda: model.score(X, TARGET),
        lambda: model.why(row),
    ]


@pytest.mark.parametrize("model", learners(), ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("learnt", "asked", "cure"),
    [(WITHOUT, WITH, "tz_localize(None)"), (WITH, WITHOUT, "tz_localize('Europe/Vienna')")],
    ids=["without, then with", "with, then without"],
)
def test_dates_of_the_other_kind_are_refused_with_what_to_do(model: Any, learnt: Any, asked: Any, cure: str) -> None:
    model.fit(learnt, TARGET)
    for ask in ways_to_ask(model, learnt):
        ask()
    for ask in ways_to_ask(model, asked):
        with pytest.raises(DataError, match="Column 'when' holds dates with") as refused:
            ask()
        assert cure in str(refused.value)


@pytest.mark.parametrize("learnt", [WITHOUT, WITH], ids=["without", "with"])
def test_a_saved_and_a_pickled_model_remember_whether_dates_had_a_zone(learnt: Any, tmp_path: Any) -> None:
    model = tw.DecisionTreeClassifier().fit(learnt, TARGET)
    tw.save(model, tmp_path / "dates.tw")
    for again in (tw.load(tmp_path / "dates.tw"), pickle.loads(pickle.dumps(model))):
        assert (again.predict(learnt) == model.predict(learnt)).all()
        with pytest.raises(DataError, match="time zone"):
            again.predict(WITH if learnt is WITHOUT else WITHOUT)


def test_a_model_of_an_older_version_does_not_know_and_takes_both() -> None:
    column = Column.from_json({"name": "when", "kind": "numeric", "face": "datetime", "levels": []})
    assert column.zoned is None
    assert "zoned" not in column.to_json()


def test_another_zone_of_the_same_moment_gives_the_same_answer() -> None:
    model = tw.DecisionTreeClassifier().fit(WITH, TARGET)
    elsewhere = WITH.assign(when=WITH["when"].dt.tz_convert("Asia/Tokyo"))
    assert (model.predict(elsewhere) == model.predict(WITH)).all()


def test_text_with_a_zone_is_refused_by_a_model_without_and_text_without_one_is_utc() -> None:
    without, with_zone = (tw.DecisionTreeClassifier().fit(X, TARGET) for X in (WITHOUT, WITH))
    assert without.predict_one(["2024-03-02 10:00", 1.0]) == "early"
    with pytest.raises(DataError, match="without a time zone in the model"):
        without.predict_one(["2024-03-02T10:00:00+02:00", 1.0])
    assert with_zone.predict_one(["2024-03-02 10:00", 1.0]) == with_zone.predict_one(["2024-03-02T10:00:00Z", 1.0])


def test_a_date_that_is_missing_or_has_no_time_of_day_is_taken() -> None:
    without = tw.DecisionTreeClassifier().fit(WITHOUT, TARGET)
    assert without.predict_one([datetime.date(2024, 3, 2), 1.0]) == "early"
    nothing = WITH.assign(when=pd.Series([pd.NaT] * 200, dtype="datetime64[ns, UTC]"))
    assert len(without.predict(nothing)) == 200
