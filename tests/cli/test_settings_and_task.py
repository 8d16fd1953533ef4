import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

from cli.terminal import Run, write_csv
from treewright.cli.inputs import decide_task
from treewright.cli.options import split_kinds, split_pairs
from treewright.cli.screen import cut_lines
from treewright.cli.settings import parse_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("3", 3), ("-2", -2), (".5", 0.5), ("1,5", (1, 5)), ("{'a': 1}", {"a": 1})],
        *[("TRUE", True), ("False", False), ("none", None), ("null", None)],
        *[("gini", "gini"), ("'3'", "3"), ("a b", "a b"), ("", ""), ("__import__('os')", "__import__('os')")],
    ],
)
def test_values_are_read_as_numbers_words_or_text_and_never_run(text: str, value: object) -> None:
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)


@pytest.mark.parametrize("pair", ["max_depth", "=3", ""])
def test_a_pair_needs_a_name_and_an_equals_sign(pair: str) -> None:
    with pytest.raises(click.UsageError, match="name=value"):
        split_pairs([pair], "--set")


@pytest.mark.parametrize("pair", ["zip", "zip=text", "=nominal"])
def test_a_kind_needs_a_column_and_one_of_the_kinds(pair: str) -> None:
    with pytest.raises(click.UsageError, match="numeric, nominal, ordinal"):
        split_kinds([pair])


@pytest.mark.parametrize(
    ("target", "task"),
    [
        (pd.Series(["a", "b"]), "classification"),
        (pd.Series([True, False]), "classification"),
        (pd.Series(["a", "b"], dtype="category"), "classification"),
        (pd.Series([1, 2, 2]), "classification"),
        (pd.Series([1.0, 2.0, np.nan]), "classification"),
        (pd.Series(range(10)), "classification"),
        (pd.Series(range(11)), "regression"),
        (pd.Series([0.5, 1.0]), "regression"),
    ],
)
def test_the_target_tells_the_task(target: pd.Series, task: str) -> None:
    assert decide_task(target, None)[0] == task


def test_a_text_is_cut_only_where_it_saves_lines() -> None:
    assert cut_lines("a\nb\nc\nd\n", 2) == ("a\nb\nc\nd", 0)
    assert cut_lines("a\nb\nc\nd\ne\n", 2) == ("a\nb", 3)


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ("max_depth=9223372036854775808", "max_depth"),
        ("max_depth=2.5", "max_depth"),
        ("min_samples_leaf=-1", "min_samples_leaf"),
        ("min_impurity_decrease=1e309", "min_impurity_decrease"),
        ("class_weight={'a': 'x'}", "class_weight"),
        ("prune=cost_complexity(alpha=nan)", "alpha"),
        ("prune=pessimistic(confidence=1e400)", "confidence"),
        ("n_jobs=2147483648", "n_jobs"),
    ],
)
def test_a_setting_at_the_end_of_its_type_is_refused_by_name(setting: str, word: str, run: Run, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "table.csv", {"x": [1, 2, 3, 4], "y": ["a", "b", "a", "b"]})
    said = run("train", str(table), "--target", "y", "--set", setting, "--out", str(tmp_path / "model.tw"))
    assert said.code in (2, 3)
    assert word in said.err
    assert "std::" not in said.err
    assert not (tmp_path / "model.tw").exists()


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("prune=cost_complexty", "readable, one with numbers such as reduced_error(share=0.3) or None. Did you mean"),
        ("max_depth=deep", "--set max_depth=deep: it takes a whole number from 1 on or None."),
        ("min_samples_leaf=0", "it takes a whole number from 1 on or a number above 0 and below 1."),
        ("splitter=randm", "--set splitter=randm: it takes one of best, random. Did you mean 'random'?"),
        ("class_weight=balancd", "a list such as [1,0], balanced or None. Did you mean 'balanced'?"),
    ],
)
def test_a_wrong_value_is_answered_without_the_words_of_python(
    run: Run, titanic: Path, setting: str, words: str
) -> None:
    said = run("train", titanic, "--target", "survived", "--cv", 0, "--set", setting)
    assert said.code == 2
    assert words in said.err
    assert not any(word in said.err for word in ("a str among", "an int in", "an instance of", "array-like"))


@pytest.mark.parametrize("setting", ["boosting init=logistic", "bagging estimator=c45", "adaboost estimator=chaid"])
def test_another_learner_is_set_by_its_name_and_its_file_is_read_by_a_new_process(
    run: Run, titanic: Path, tmp_path: Path, setting: str
) -> None:
    """A new process has not imported the other learner's class, which it finds by its name."""
    algorithm, value = setting.split()
    given = ["--algorithm", algorithm, "--set", value, "--set", "n_estimators=3", "--cv", 0, "--out", "m.tw"]
    assert run("train", titanic, "--target", "survived", *given).code == 0
    code = f"import treewright as tw; print(tw.load({str(tmp_path / 'm.tw')!r}).n_features_in_)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.strip().isdigit(), done.stderr) == (True, "")


def test_a_learner_that_is_none_or_cannot_do_the_task_is_named(run: Run, titanic: Path) -> None:
    given = ["train", titanic, "--target", "survived", "--algorithm", "boosting", "--cv", 0]
    assert (
        "--set init=forrest: there is no such algorithm for classification. Did you mean 'forest'?"
        in run(*given, "--set", "init=forrest").err
    )
    assert run(*given, "--set", "init=linear").code == 2
    assert run(*given, "--set", "init=zero", "--set", "n_estimators=2").code == 0


def test_an_order_of_a_column_that_is_not_there_names_the_option(run: Run, tmp_path: Path) -> None:
    write_csv(tmp_path / "t.csv", {"rank": ["a", "b"] * 20, "y": [0, 1] * 20})
    assert "--order names a column 'rnk'" in run("train", tmp_path / "t.csv", "--target", "y", "--order", "rnk=a,b").err
