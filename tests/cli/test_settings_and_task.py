from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

from cli.terminal import Run, write_csv
from treewright.cli.inputs import decide_task
from treewright.cli.options import parse_value, split_kinds, split_pairs
from treewright.cli.screen import cut_lines


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
