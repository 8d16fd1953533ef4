"""The rules of a tree: one a leaf, with numbers that can be checked by hand, in every form."""

from __future__ import annotations

import builtins
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.inspection.support import wilson_interval


@pytest.fixture(scope="module")
def titanic() -> Any:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    return X, y, tw.DecisionTreeClassifier(max_depth=4).fit(X, y)


def test_numbers_are_those_of_the_rows_in_the_leaf(titanic: Any) -> None:
    X, y, model = titanic
    ends = model.apply(X)
    for rule in model.rules():
        here = y[ends == rule.node]
        hits = (here == rule.prediction).sum()
        assert rule.n_rows == len(here)
        assert rule.support == pytest.approx(len(here) / len(y))
        assert rule.confidence == pytest.approx(hits / len(here))
        assert rule.lift == pytest.approx(rule.confidence / (y == rule.prediction).mean())
        assert (rule.low, rule.high) == pytest.approx(wilson_interval(int(hits), len(here)))


def test_costs_are_told_where_the_model_has_them() -> None:
    X, y = tw.datasets.load_kyphosis(return_X_y=True)
    model = tw.DecisionTreeClassifier(max_depth=2, costs={("present", "absent"): 5}).fit(X, y)
    ends = model.apply(X)
    for rule in model.rules():
        here = y[ends == rule.node]
        wrong = 5 * (here == "present").sum() if rule.prediction == "absent" else (here == "absent").sum()
        assert rule.cost == pytest.approx(wrong / len(here))
    assert "cost" in model.rules().to_frame()
    assert "cost" not in tw.DecisionTreeClassifier(max_depth=2).fit(X, y).rules().to_frame()


def test_rules_are_sorted_and_selected(titanic: Any) -> None:
    rules = titanic[2].rules()
    assert [r.support for r in rules.sorted("support")] == sorted((r.support for r in rules), reverse=True)
    assert [r.node for r in rules.sorted("lift").sorted("tree")] == [r.node for r in rules]
    assert all(r.confidence >= 0.9 for r in rules.select(min_confidence=0.9))
    assert {r.prediction for r in rules.select(classes=["yes"])} == {"yes"}
    assert len(rules.select(min_rows=10**6)) == 0
    with pytest.raises(DataError, match=r"Rules cannot be sorted by 'luft'\. Did you mean 'lift'"):
        rules.sorted("luft")
    with pytest.raises(DataError, match=r"There is no class 'yess'\. Did you mean 'yes'"):
        rules.select(classes=["yess"])


def test_a_frame_has_a_row_a_rule(titanic: Any) -> None:
    frame = titanic[2].rules().to_frame()
    assert list(frame) == [
        "node", "if", "then", "n_rows", "weight", "support", "confidence", "low", "high", "lift"
    ]  # fmt: skip
    assert frame["n_rows"].sum() == 1309
    json.dumps(titanic[2].rules().to_dict())


def test_numbers_and_equations_have_rules_too() -> None:
    X, y = tw.datasets.load_auto_mpg(return_X_y=True)
    rules = tw.DecisionTreeRegressor(max_depth=2).fit(X, y).rules()
    assert all(np.isnan(rule.confidence) and rule.spread >= 0 for rule in rules)
    assert rules.sorted("prediction")[0].prediction == min(rule.prediction for rule in rules)
    frame = tw.ModelTreeRegressor().fit(X, y).rules().to_frame()
    assert frame["equation"].str.contains("·").all()


def test_stops_have_rules_when_asked_for() -> None:
    X = pd.DataFrame({"a": [1.0, 2, 3, 4, 5]})
    model = tw.DecisionTreeClassifier(missing="stop").fit(X, list("xxxyy"))
    assert len(model.rules()) == 2
    assert model.rules(stops=True)[0].text() == "IF a is missing or new THEN x"


def test_missing_values_are_told_of_columns_with_holes_and_of_others_when_asked_for(titanic: Any) -> None:
    rules = titanic[2].rules()
    assert "age > 8 or missing THEN yes" in str(rules)
    assert "male or missing" not in str(rules)  # no row of the table lacks its sex
    assert "sex is male or missing" in rules.to_text(missing=True)
    assert "or missing" not in rules.to_text(missing=False)
    assert list(rules.to_frame()["if"]) == [row[0] for row in rules.table().rows] == [rule.when() for rule in rules]


def test_rules_are_silent_where_rows_without_a_value_go_several_ways(titanic: Any) -> None:
    X, y, _ = titanic
    for model in (tw.C45Classifier(), tw.DecisionTreeClassifier(max_depth=3, missing="surrogates")):
        assert "missing" not in str(model.fit(X, y).rules())


def test_an_excel_sheet_holds_texts_and_numbers(tmp_path: Path) -> None:
    from openpyxl import load_workbook

    X = pd.DataFrame({"=1+1": [1.0, 2.0, 3.0], "b\x07": ["u", "v", "v"]})
    tw.DecisionTreeClassifier().fit(X, ["=A1", "b", "b"]).rules().to_excel(tmp_path / "rules.xlsx")
    sheet = load_workbook(tmp_path / "rules.xlsx").active
    cells = list(sheet.iter_rows())
    assert [cell.value for cell in cells[0]][:4] == ["node", "if", "then", "n_rows"]
    assert cells[1][1].value.startswith("=1+1 <= ")
    assert cells[1][1].data_type == cells[1][2].data_type == "s"
    assert cells[1][3].value == 1


def test_without_openpyxl_a_sentence_says_what_to_install(
    titanic: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def no_excel(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("openpyxl"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", no_excel)
    monkeypatch.delitem(sys.modules, "openpyxl", raising=False)
    with pytest.raises(DataError, match=r'pip install "treewright\[excel\]"'):
        titanic[2].rules().to_excel(tmp_path / "rules.xlsx")


def test_classes_that_are_numbers_are_written_as_the_tree_writes_them() -> None:
    model = tw.DecisionTreeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0])
    assert "→ 0.0" in str(model.tree_)
    assert [rule.then() for rule in model.rules()] == ["0.0", "1.0"]
    why = model.why([0.0])
    assert str(why).startswith("0.0, because ")
    assert "It would be 1.0 if " in str(why)
    numbers = tw.DecisionTreeRegressor().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 0.0, 1.0, 1.0])
    assert [rule.then() for rule in numbers.rules()] == ["0", "1"]
