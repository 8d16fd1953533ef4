"""What users of conditional trees may rely on: chances, policies for missing rows, threads, words."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency, f_oneway, linregress, norm

import treewright as tw
from treewright.errors import DataError

POLICIES = ["larger", "learn", "fractional", "branch", "stop"]


def noise(seed: int, n_rows: int) -> pd.DataFrame:
    """Columns of all kinds that have nothing to do with anything."""
    draw = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "few": draw.integers(0, 2, n_rows),
            "many": draw.normal(size=n_rows),
            "letters": draw.choice(list("abcdefghijklmnopqrst"), n_rows),
            "grade": pd.Categorical(draw.choice(["low", "mid", "top"], n_rows), ["low", "mid", "top"], ordered=True),
        }
    )


def root_of(X: Any, y: Any, **parameters: Any) -> Any:
    """The root of a tree with one split at most, whatever its chance."""
    is_class = isinstance(np.asarray(y)[0], str)
    estimator = tw.ConditionalTreeClassifier if is_class else tw.ConditionalTreeRegressor
    return estimator(alpha=0.999999, test="univariate", max_depth=1, **parameters).fit(X, y).tree_.root


def test_two_nominal_columns_are_compared_by_pearsons_statistic_times_n_less_one_over_n() -> None:
    x, y = ["a"] * 11 + ["b"] * 5, ["u"] * 3 + ["v"] * 8 + ["u"] * 3 + ["v"] * 2
    root = root_of(pd.DataFrame({"x": x}), y, min_samples_split=2)
    assert root.statistic == pytest.approx(chi2_contingency([[3, 8], [3, 2]], correction=False)[0] * 15 / 16)
    assert root.statistic == pytest.approx(1.472727, abs=1e-6)
    assert root.df == 1


def test_two_numbers_are_compared_by_their_correlation() -> None:
    X = noise(1, 60)[["many"]]
    y = noise(2, 60)["many"]
    assert root_of(X, y).statistic == pytest.approx(59 * linregress(X["many"], y).rvalue ** 2)


def test_groups_of_numbers_are_compared_by_what_lies_between_them() -> None:
    table = noise(3, 90)
    groups = [part["many"].to_numpy() for _, part in table.groupby("letters")]
    f, k = f_oneway(*groups).statistic, len(groups)
    between = f * (k - 1) / (f * (k - 1) + 90 - k)
    for x, y in (("letters", "many"), ("many", "letters")):
        root = root_of(table[[x]], table[y].astype(object) if y == "letters" else table[y])
        assert root.statistic == pytest.approx(89 * between)
        assert root.df == k - 1


def test_noise_is_split_about_as_often_as_alpha_says() -> None:
    splits = sum(
        tw.ConditionalTreeRegressor(alpha=0.2, n_jobs=1)
        .fit(noise(seed, 80), noise(seed + 1000, 80)["many"])
        .get_depth()
        > 0
        for seed in range(150)
    )
    assert 15 <= splits <= 46  # 30 expected, three standard deviations of 4.9 to either side


def test_no_column_is_favoured_for_having_many_values() -> None:
    chosen = []
    for seed in range(120):
        y = np.random.default_rng(seed + 5000).normal(size=60)
        chosen.append(
            tw.ConditionalTreeRegressor(alpha=0.9999, max_depth=1, n_jobs=1).fit(noise(seed, 60), y).tree_.root
        )
    counts = np.bincount([node.test.column_index for node in chosen], minlength=4)
    assert counts.min() >= 14  # 30 expected each, and 20 levels or 60 numbers are no better than two values


def test_permutations_agree_with_the_limiting_distribution_where_rows_are_many() -> None:
    table = noise(7, 300)
    y = table["many"] + np.random.default_rng(8).normal(scale=6, size=300)
    for statistic in ("quadratic", "maximum"):
        limit = root_of(table[["many"]], y, statistic=statistic).p_value
        model = tw.ConditionalTreeRegressor(test="monte_carlo", statistic=statistic, max_depth=1, alpha=0.999)
        drawn = model.fit(table[["many"]], y).tree_.root.p_value
        assert drawn == pytest.approx(limit, abs=0.02)


def test_the_chance_of_a_maximum_is_exact_for_one_entry_and_bounded_for_many() -> None:
    table = noise(9, 200)
    one = root_of(table[["few"]], table["many"], statistic="maximum")
    assert one.log_p == pytest.approx(np.log(2 * norm.sf(one.statistic)))
    many = root_of(table[["letters"]], table["many"], statistic="maximum")
    assert np.log(2 * norm.sf(many.statistic)) < many.log_p < np.log(40 * norm.sf(many.statistic))


@pytest.mark.parametrize("name", ["titanic", "vote", "credit_g", "auto_mpg"])
@pytest.mark.parametrize("missing", POLICIES)
def test_threads_change_no_byte(name: str, missing: str) -> None:
    X, y = getattr(tw.datasets, f"load_{name}")(return_X_y=True)
    estimator = tw.ConditionalTreeRegressor if name == "auto_mpg" else tw.ConditionalTreeClassifier
    one, eight = (estimator(missing=missing, n_jobs=n).fit(X, y) for n in (1, 8))
    assert one.fingerprint() == eight.fingerprint()


@pytest.mark.parametrize("test", ["monte_carlo", "monte_carlo_bonferroni", "bonferroni"])
@pytest.mark.parametrize("statistic", ["quadratic", "maximum"])
def test_a_seed_gives_one_tree_on_any_number_of_threads(test: str, statistic: str) -> None:
    X, y = tw.datasets.load_penguins(return_X_y=True)
    settings: dict[str, Any] = {"test": test, "statistic": statistic, "n_permutations": 99, "random_state": 3}
    one, eight = (tw.ConditionalTreeClassifier(n_jobs=n, **settings).fit(X, y) for n in (1, 8))
    assert one.fingerprint() == eight.fingerprint()


@pytest.mark.parametrize("missing", POLICIES)
def test_every_policy_loses_no_row(missing: str) -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    model = tw.ConditionalTreeClassifier(missing=missing, alpha=0.3).fit(X, y)
    shares = model.predict_proba(X)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    a = model.tree_.arrays
    if missing != "stop":
        assert a["weight"][a["n_children"] == 0].sum() == pytest.approx(1309, rel=1e-9)


def test_missing_rows_follow_the_larger_branch_and_the_right_one_of_equals() -> None:
    X = pd.DataFrame({"x": [1.0] * 10 + [2.0] * 10 + [np.nan] * 4})
    y = ["a"] * 10 + ["b"] * 10 + ["a"] * 4
    assert tw.ConditionalTreeClassifier().fit(X, y).tree_.root.test.missing_branch == 1
    more = tw.ConditionalTreeClassifier().fit(X.drop(index=19), y[:19] + y[20:])
    assert more.tree_.root.test.missing_branch == 0


def test_learning_puts_missing_rows_where_they_fit() -> None:
    X = pd.DataFrame({"x": [1.0] * 10 + [2.0] * 20 + [np.nan] * 4})
    model = tw.ConditionalTreeClassifier(missing="learn").fit(X, ["a"] * 10 + ["b"] * 20 + ["a"] * 4)
    assert model.tree_.root.test.missing_branch == 0
    assert model.predict(X.tail(1)).tolist() == ["a"]


def test_the_second_column_is_tried_where_the_first_has_no_cut() -> None:
    X = pd.DataFrame({"wild": [0] * 19 + [1], "plain": [0] * 10 + [1] * 10})
    y = [0.0] * 10 + [1.0] * 9 + [30.0]
    settings: dict[str, Any] = {"alpha": 0.9, "min_samples_leaf": 10}
    one, two = (tw.ConditionalTreeRegressor(split_tries=tries, **settings).fit(X, y).tree_.root for tries in (1, 2))
    assert one.is_leaf
    assert two.test.column == "plain"
    assert one.statistic > two.statistic  # "wild" was better, but its only cut leaves one row alone


def test_infinities_are_values() -> None:
    X = pd.DataFrame({"x": [-np.inf] * 10 + list(range(20)) + [np.inf] * 10})
    model = tw.ConditionalTreeRegressor().fit(X, [5.0] * 10 + [0.0] * 20 + [9.0] * 10)
    assert model.predict(pd.DataFrame({"x": [-np.inf, 3.0, np.inf]})).tolist() == [5.0, 0.0, 9.0]


def test_thirty_levels_of_two_classes_are_divided_at_once() -> None:
    names = [f"level {i:02d}" for i in range(60)]
    X = pd.DataFrame({"x": names * 20})
    y = ["yes" if int(name[-2:]) % 3 == 0 else "no" for name in X["x"]]
    model = tw.ConditionalTreeClassifier().fit(X, y)
    assert model.get_n_leaves() == 2
    assert model.score(X, y) == 1.0


def test_ordered_categories_make_an_ordinal_target_as_a_written_order_does() -> None:
    X, y = tw.datasets.load_car(return_X_y=True)
    order = ["unacc", "acc", "good", "vgood"]
    by_type = tw.ConditionalTreeClassifier().fit(X, pd.Series(pd.Categorical(y, order, ordered=True), name=y.name))
    by_order = tw.ConditionalTreeClassifier(target_order=order).fit(X, y)
    by_score = tw.ConditionalTreeClassifier(class_scores=dict(zip(order, [2, 4, 6, 8], strict=True))).fit(X, y)
    for other in (by_order, by_score):
        assert np.array_equal(by_type.tree_.arrays["column"], other.tree_.arrays["column"])
    assert by_type.tree_.root.df == 2  # the column has three levels, the target is one number
    assert tw.ConditionalTreeClassifier().fit(X, y).tree_.root.df == 6


def test_a_model_survives_its_file(tmp_path: Any) -> None:
    X, y = tw.datasets.load_car(return_X_y=True)
    model = tw.ConditionalTreeClassifier(class_scores={"unacc": 1, "acc": 2, "good": 3, "vgood": 4}).fit(X, y)
    tw.save(model, tmp_path / "car.tw")
    loaded = tw.load(tmp_path / "car.tw")
    assert loaded.fingerprint() == model.fingerprint()
    assert loaded.get_params() == model.get_params()
    assert loaded.tree_.root.log_p == model.tree_.root.log_p


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": 1.0}, "alpha"),
        ({"test": "exact"}, "test"),
        ({"n_permutations": 0}, "n_permutations"),
        ({"min_branch_share": 0.7}, "min_branch_share"),
        ({"class_scores": {"a": 1}}, "class 'b' has None"),
        ({"class_scores": {"a": 1, "b": np.inf}}, "finite number"),
        ({"class_scores": {"a": 1, "b": 2}, "target_order": ["a", "b"]}, "Give one of them"),
        ({"test": "monte_carlo", "missing": "fractional"}, "whole rows"),
        ({"missing": "refuse"}, "missing values"),
    ],
)
def test_what_cannot_be_done_is_said(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tw.ConditionalTreeClassifier(**parameters).fit([[1.0], [2.0], [np.nan]], ["a", "b", "a"])


def test_permutations_need_whole_weights() -> None:
    model = tw.ConditionalTreeRegressor(test="monte_carlo")
    with pytest.raises(DataError, match=r"row 2 has the weight 0\.5"):
        model.fit([[1.0], [2.0]], [1.0, 2.0], sample_weight=[1, 0.5])


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_permutations_are_interrupted_at_once(n_jobs: int) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    table = noise(11, 20_000)  # one test of one column would take minutes
    model = tw.ConditionalTreeRegressor(test="monte_carlo", n_permutations=1_000_000, n_jobs=n_jobs)
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.process_time())
        signal.raise_signal(signal.SIGINT)

    threading.Timer(0.3, press).start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(table[["few", "letters"]], table["many"])
    assert time.process_time() - pressed[0] < 1.0
    assert not hasattr(model, "tree_")
    signal.signal(signal.SIGINT, before)


def test_surrogates_say_where_rows_without_a_value_go(tmp_path: Path) -> None:
    cells = np.random.default_rng(4)
    size = cells.normal(size=300)
    frame = pd.DataFrame(
        {"size": size, "twin": -2 * size + 0.1 * cells.normal(size=300), "noise": cells.normal(size=300)}
    )
    y = np.where(size > 0, "large", "small")
    frame.loc[:60, "size"] = np.nan
    frame.loc[50:90, "twin"] = np.nan
    larger, other = (
        tw.ConditionalTreeClassifier(missing=m, max_depth=1).fit(frame, y) for m in ("larger", "surrogates")
    )
    assert other.tree_.root.test.column in ("size", "twin")
    assert other.score(frame, y) > larger.score(frame, y) + 0.05
    assert other.feature_importances_.sum() == pytest.approx(1)
    assert (other.feature_importances_ >= 0).all()
    tw.save(other, tmp_path / "model.tw")
    again = tw.load(tmp_path / "model.tw")
    assert again.predict(frame).tolist() == other.predict(frame).tolist()
    one, eight = (tw.ConditionalTreeClassifier(missing="surrogates", n_jobs=n).fit(frame, y) for n in (1, 8))
    assert one._tw_bytes() == eight._tw_bytes()


def test_no_surrogates_are_the_larger_branch() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    none, larger = (
        tw.ConditionalTreeClassifier(missing=m, max_surrogates=0).fit(X, y) for m in ("surrogates", "larger")
    )
    assert none.predict(X).tolist() == larger.predict(X).tolist()
    with pytest.raises(ValueError, match="max_surrogates"):
        tw.ConditionalTreeClassifier(missing="surrogates", max_surrogates=-1).fit(X, y)
