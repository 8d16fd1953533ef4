"""Levels that a frame declares count even where no row has them, as in Weka and R."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw
from treewright.table.encode import encode_table, lay_out
from treewright.table.frame import open_frame

LEVELS = ["sunny", "hail", "rainy", "overcast"]  # "hail" has no row
# What they learn does not hang on levels without rows, as in rpart and ctree, which leave them out of every test.
UNMOVED = [
    tw.DecisionTreeClassifier(),
    tw.DecisionTreeClassifier(missing="surrogates"),
    tw.DecisionTreeClassifier(criterion="gain_ratio"),
    tw.CHAIDClassifier(alpha_split=0.5, min_samples_split=4, min_samples_leaf=2),
    tw.ConditionalTreeClassifier(alpha=0.5),
    tw.ObliqueTreeClassifier(),
    tw.RandomForestClassifier(5),
    tw.ExtraTreesClassifier(5),
    tw.GradientBoostingClassifier(n_estimators=5, min_samples_leaf=2),
    tw.BaggingTreesClassifier(n_estimators=5),
    tw.AdaBoostClassifier(n_estimators=5),
]


def weather() -> tuple[pd.DataFrame, pd.Series]:
    X, y = tw.datasets.load_weather_nominal(return_X_y=True)
    return X.assign(outlook=pd.Categorical(X["outlook"].astype(str), categories=LEVELS)), y


def frames() -> dict[str, Any]:
    X, _ = weather()
    others = {name: X[name].astype(str).tolist() for name in X.columns[1:]}
    codes = X["outlook"].cat.codes.tolist()
    factor = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(LEVELS))
    return {
        "pandas": X.assign(**others),
        "pandas over arrow": pd.DataFrame({"outlook": pd.Series(pd.Categorical.from_codes(codes, LEVELS)), **others}),
        "polars": pl.DataFrame({"outlook": pl.Series(X["outlook"].tolist(), dtype=pl.Enum(LEVELS)), **others}),
        "pyarrow": pa.table({"outlook": factor, **others}),
    }


@pytest.mark.parametrize("kind", [tw.C45Classifier, tw.ID3Classifier])
def test_a_declared_level_without_rows_has_a_branch_that_answers_as_its_parent(kind: Any) -> None:
    X, y = weather()
    model = kind().fit(X, y)
    plain = kind().fit(X.assign(outlook=X["outlook"].astype(str)), y)
    root = model.tree_.root
    assert root.test.column == "outlook"
    assert next((leaf.n, leaf.is_leaf) for leaf in root.children) == (0, True)  # levels are sorted: hail is the first
    assert len(root.children) == len(plain.tree_.root.children) + 1
    row = {"outlook": "hail", "temperature": "hot", "humidity": "high", "windy": "TRUE"}
    assert model.predict_one(row) == "yes"
    others = [line for line in str(model).splitlines() if "hail" not in line]
    assert [line.split() for line in others] == [line.split() for line in str(plain).splitlines()]


@pytest.mark.parametrize("kind", [tw.C45Classifier, tw.ID3Classifier, tw.DecisionTreeClassifier])
def test_every_kind_of_frame_declares_the_same(kind: Any) -> None:
    _, y = weather()
    prints = {name: kind().fit(frame, y).fingerprint() for name, frame in frames().items()}
    assert len(set(prints.values())) == 1, prints


def test_arff_declares_its_levels(tmp_path: Any) -> None:
    (tmp_path / "w.arff").write_text(
        "@relation w\n@attribute outlook {sunny,hail,rainy}\n@attribute play {no,maybe,yes}\n@data\n"
        + "sunny,no\nsunny,no\nrainy,yes\nrainy,yes\n",
        encoding="utf-8",
    )
    table = tw.read(tmp_path / "w.arff")
    model = tw.ID3Classifier().fit(table[["outlook"]], table["play"])
    assert [child.n for child in model.tree_.root.children] == [0, 2, 2]
    assert model.classes_.tolist() == ["no", "yes"]  # of the target, those that occur, as scikit-learn counts them


def test_levels_of_text_and_of_a_polars_categorical_are_those_that_occur() -> None:
    X, y = weather()
    text = tw.ID3Classifier().fit(X.assign(outlook=X["outlook"].astype(str)), y)
    loose = pl.DataFrame({name: X[name].astype(str).tolist() for name in X.columns})
    kept = loose.with_columns(pl.col("outlook").cast(pl.Categorical))
    assert len(text.tree_.root.children) == 3
    assert tw.ID3Classifier().fit(kept, y).fingerprint() == tw.ID3Classifier().fit(loose, y).fingerprint()


def test_rows_that_were_left_out_leave_their_levels() -> None:
    X, y = weather()
    part = X["outlook"] != "rainy"
    model = tw.C45Classifier(min_samples_leaf=1).fit(X[part], y[part])
    assert model.tree_.schema.columns[0].levels == ("hail", "overcast", "rainy", "sunny")


def test_the_order_of_an_ordered_categorical_is_the_ordinal_order() -> None:
    sizes = ["S", "M", "L", "XL"]
    X = pd.DataFrame({"size": pd.Categorical(["S", "L", "XL", "S"], categories=sizes, ordered=True)})
    table = encode_table(open_frame(X))  # declared or not
    assert table.schema.columns[0].kind == "ordinal"
    assert table.schema.columns[0].levels == tuple(sizes)
    model = tw.DecisionTreeClassifier().fit(X, ["a", "b", "b", "a"])
    assert model.predict_one({"size": "XL"}) == "b"


def test_learners_without_trees_code_the_levels_that_occur_as_r_does_in_lm() -> None:
    X, _ = weather()
    assert lay_out(open_frame(X)).schema.columns[0].levels == ("overcast", "rainy", "sunny")
    assert lay_out(open_frame(X), declared=True).schema.columns[0].levels == tuple(sorted(LEVELS))


def test_naive_bayes_counts_declared_levels_among_those_that_it_smooths_over() -> None:
    X, y = weather()
    declared = tw.NaiveBayesClassifier(alpha=1.0).fit(X[["outlook"]], y)
    # P(sunny | yes) = (2 + 1) / (9 + 4), P(sunny | no) = (3 + 1) / (5 + 4): four levels are declared
    yes, no = 9 / 14 * 3 / 13, 5 / 14 * 4 / 9
    assert declared.predict_proba(pd.DataFrame({"outlook": ["sunny"]}))[0, 1] == pytest.approx(yes / (yes + no))


@pytest.mark.parametrize("model", UNMOVED, ids=lambda model: type(model).__name__)
def test_other_trees_are_the_same_with_and_without_such_levels(model: Any) -> None:
    draw = np.random.default_rng(7)
    for _ in range(3):
        texts = pd.DataFrame(draw.choice(list("abcde"), size=(60, 3)), columns=["p", "q", "r"]).assign(
            n=draw.normal(size=60)
        )
        y = np.where(texts["p"].isin(["a", "b"]) ^ (draw.random(60) < 0.2), "yes", "no")
        extra = ["aa", *"abcde", "z"]
        declared = texts.assign(**{name: pd.Categorical(texts[name], categories=extra) for name in "pqr"})
        one, other = model.fit(declared, y), type(model)(**model.get_params()).fit(texts, y)
        assert one.fingerprint() == other.fingerprint()
