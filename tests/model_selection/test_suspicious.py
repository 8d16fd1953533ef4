"""Columns that give the target away and strange targets are told; the tables that ship raise no alarm."""

import warnings

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import ColumnWarning
from treewright.model_selection.suspicious import target_notes
from treewright.model_selection.task import is_target_of_classes
from treewright.wording import command_line_words

RNG = np.random.default_rng(0)
N = 300
Y = pd.Series(np.where(RNG.random(N) < 0.4, "yes", "no"), name="y")
NOISE = pd.Series(RNG.normal(size=N))


def notes(y: "pd.Series", **columns: object) -> str:
    return " ".join(target_notes(pd.DataFrame({"noise": NOISE, **columns}), y, is_target_of_classes(y)))


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (Y, "Column 'x' alone tells 'y' in 100 % of the rows"),
        ((Y == "yes").astype(int), "alone tells 'y' in 100 %"),
        (pd.Timestamp("2020-01-01") + pd.to_timedelta((Y == "yes") * 500 + np.arange(N), "D"), "alone tells 'y' in"),
        ((Y == "yes") * 50.0 + NOISE, "alone tells 'y' in 100 %"),
        (Y.map({"yes": "paid", "no": "open"}).where(NOISE < 2.5), "alone tells 'y' in"),
        (NOISE.where(Y == "yes"), "is known only where 'y' is yes"),
    ],
)
def test_a_column_that_gives_the_class_away_is_told(column: "pd.Series", said: str) -> None:
    told = notes(Y, x=column)
    assert said in told
    assert "drop(columns='x') leaves it out" in told
    assert "'noise'" not in told


def test_a_column_that_is_the_target_in_other_units_is_told() -> None:
    price = pd.Series(RNG.normal(100, 10, N), name="price")
    assert "is 'price' in other units" in notes(price, euros=price * 0.9 + 3)
    assert notes(price, other=price + 3 * NOISE) == ""


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (pd.Series(["a"] * N, name="y"), "the same value in every row"),
        (pd.Series([1.5] * N, name="y"), "the same value in every row"),
        (pd.Series([f"n{i}" for i in range(N)], name="y"), "hardly a class is there twice"),
        (pd.Series([f"n{i % 71}" for i in range(N)], name="y"), "71 classes, 55 of them in fewer than 5 rows"),
        (pd.Series([0.5, 1.0, 1.5] * 100, name="y"), "has only the values 0.5, 1, 1.5. If these are classes: task='cl"),
        (pd.Series([f"n{i % 60}" for i in range(N)], name="y"), "has 60 classes. Is it the right column? Group the cl"),
        (pd.Series([0.5, 1.0] * 150), "The target is learnt as a number, but has only the values 0.5, 1."),
    ],
)
def test_a_strange_target_is_told(y: "pd.Series", said: str) -> None:
    assert said in notes(y)


def test_on_the_command_line_a_strange_target_is_told_in_its_words() -> None:
    with command_line_words():
        assert notes(pd.Series([0.5, 1.0] * 150)).endswith("If these are classes: --task classification.")


def test_a_target_of_numbers_is_told_by_its_name() -> None:
    price = pd.Series([0.5, 1.0, 1.5] * 100, name="price")
    with pytest.warns(ColumnWarning, match="The target 'price' is learnt as a number, but has only the values"):
        tw.compare(NOISE.to_frame("noise"), price, ["cart"], cv=2, n_jobs=1)


def test_noise_holes_and_lopsided_classes_are_no_alarm() -> None:
    rare = pd.Series(np.where(np.arange(N) < 5, "yes", "no"), name="y")
    assert notes(rare, x=(rare == "yes").astype(int) * (np.arange(N) < 4)) == ""
    lonely = pd.Series(np.where(np.arange(N) == 7, "yes", "no"), name="y")
    assert notes(lonely, x=NOISE * NOISE) == ""
    assert "alone tells 'y' in 100 %" in notes(rare, x=(rare == "yes").astype(int))
    assert notes(Y, x=NOISE.where(NOISE > 0), name=[f"row {i}" for i in range(N)]) == ""


def test_a_column_that_nearly_gives_the_class_away_is_told_if_it_does_so_for_rows_not_seen() -> None:
    slips = RNG.random(N) < 0.06
    nearly = Y.where(~slips, "no")
    told = notes(Y, x=nearly)
    assert "Column 'x' alone tells 'y' in 9" in told
    assert "% of rows that were held out" in told
    assert notes(Y, x=Y.where(RNG.random(N) >= 0.1, "no").where(RNG.random(N) >= 0.1, "yes")) == ""
    heart = pd.Series([f"p{i // 5}" for i in range(N)])  # of patients with five rows each most have one class
    mixed = pd.Series(np.where((np.arange(N) // 5) % 2 == 0, "yes", "no"), name="y")
    assert "'x' alone tells" in notes(mixed, x=heart)
    lonely = pd.Series(np.where(RNG.random(N) < 0.5, "yes", "no"), name="y")
    assert notes(lonely, x=pd.Series(RNG.permutation([f"p{i // 5}" for i in range(N)]))) == ""


def test_what_is_told_of_a_column_does_not_depend_on_the_order_of_the_rows() -> None:
    nearly = Y.where(RNG.random(N) >= 0.03, "no")
    order = RNG.permutation(N)
    frame = pd.DataFrame({"x": nearly})
    again = target_notes(frame.iloc[order], Y.iloc[order], is_class=True)
    assert target_notes(frame, Y, is_class=True) == again


@pytest.mark.parametrize("name", [each for each in dir(tw.datasets) if each.startswith("load_")])
def test_the_tables_that_ship_raise_no_alarm(name: str) -> None:
    X, y = getattr(tw.datasets, name)(return_X_y=True)
    assert target_notes(X, y, is_target_of_classes(y)) == []


def test_three_whole_numbers_are_taken_as_classes_and_that_is_said() -> None:
    table = pd.DataFrame({"x": np.arange(60) * 7 % 61, "y": np.arange(60) % 3})
    words = "holds 3 different integers: taken as classes. To learn it as a number: task='regression'"
    with pytest.warns(ColumnWarning, match=words):
        tw.compare(table[["x"]], table["y"], ["cart"], cv=2, n_jobs=1)
    for task, target in (("classification", table["y"]), (None, table["y"] % 2)):
        with warnings.catch_warnings(record=True, action="always") as told:
            tw.compare(table[["x"]], target, ["cart"], cv=2, n_jobs=1, task=task)
        assert not [one for one in told if words in str(one.message)]
