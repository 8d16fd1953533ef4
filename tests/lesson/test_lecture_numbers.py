"""The numbers of the lectures, on the lectures' tables."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest

from lesson.rows import BITS, NATS, by_column, load, measured, root, sample_of, within
from treewright.lesson.methods.c45 import C45Method
from treewright.lesson.methods.cart import CartMethod
from treewright.lesson.methods.chaid import ChaidMethod
from treewright.lesson.methods.id3 import ID3Method
from treewright.reference.criteria import IMPURITIES, entropy, gini, measures_of, remainder
from treewright.reference.error_based import Pessimism
from treewright.reference.group_tests import Classes
from treewright.reference.tally import ClassTally, NumberTally

C45 = {"min_samples_leaf": 2, "variant": "j48"}
CHAID = {"alpha_merge": 0.05, "alpha_split": 0.05, "min_samples_split": 2, "min_samples_leaf": 1, "bins": 10}


def tallies(*counts: tuple[float, ...]) -> list[ClassTally]:
    return [ClassTally(int(sum(pair)), tuple(map(float, pair))) for pair in counts]


# ---------------------------------------------------------------- criteria on one split
@pytest.mark.parametrize(("counts", "nats"), [((1, 7), 0.3768), ((5, 3), 0.6616)])
def test_entropy_in_nats_is_the_lectures(counts: tuple[float, ...], nats: float) -> None:
    assert NATS.show(entropy(counts)) == pytest.approx(nats, abs=5e-5)


@pytest.mark.parametrize(
    ("split", "nats", "gini_left"),
    # The lecture prints .4427 for the Gini index of the second split: a slip for .4227.
    [(((1, 7), (5, 3)), 0.5192, 0.3438), (((3, 2), (3, 8)), 0.6132, 0.4227), (((4, 2), (2, 8)), 0.5514, 0.3667)],
)
def test_what_is_left_after_the_lectures_splits(
    split: tuple[tuple[float, ...], ...], nats: float, gini_left: float
) -> None:
    assert NATS.show(remainder(IMPURITIES["entropy"], tallies(*split))) == pytest.approx(nats, abs=5e-5)
    assert remainder(IMPURITIES["gini"], tallies(*split)) == pytest.approx(gini_left, abs=5e-5)


def test_the_gain_of_the_thirty_rows() -> None:
    assert entropy((14, 16)) == pytest.approx(0.9968, abs=5e-5)
    assert [round(entropy(counts), 3) for counts in ((1, 12), (13, 4))] == [0.391, 0.787]
    found = measures_of("entropy", tallies((1, 12), (13, 4)))
    assert found["remainder"] == pytest.approx(0.6156, abs=5e-5)
    assert found["gain"] == pytest.approx(0.3812, abs=5e-5)


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        (((1, 7), (5, 3)), {"error": 0.125, "entropy": 0.2054, "gini": 0.125, "twoing": 0.0625, "hellinger": 0.5629}),
        (((4, 2), (2, 8)), {"error": 0.125, "gini": 0.1021, "gain_ratio": 0.1665, "twoing": 0.0510}),
        (((1, 12), (13, 4)), {"error": 0.3, "gini": 0.2323, "gain_ratio": 0.3862, "hellinger": 0.7573}),
    ],
)
def test_every_criterion_on_the_worked_splits(split: tuple[tuple[float, ...], ...], expected: dict[str, float]) -> None:
    for criterion, value in expected.items():
        assert list(measures_of(criterion, tallies(*split)).values())[-1] == pytest.approx(value, abs=5e-5), criterion


def test_the_squared_errors_of_the_lecture_add_up_to_31_583() -> None:
    groups = [NumberTally.of([(y, 1.0) for y in ys]) for ys in ((0, 1, 2, 4), (0, 0, 0, 3, 3, 5))]
    assert [round(group.squared_errors, 4) for group in groups] == [8.75, 22.8333]
    assert measures_of("squared_error", groups)["squared_errors"] == pytest.approx(31.583, abs=5e-4)


def test_a_regression_stump_cuts_after_the_fourth_value() -> None:
    sample = sample_of(pd.DataFrame({"x": range(8)}), [3.0, 4.0, 5.0, 6.0, 12.0, 13.0, 14.0, 20.0])
    method = CartMethod(sample, {"criterion": "squared_error", "missing": "learn"}, BITS)
    found = by_column(method, root(sample))["x"]
    assert found.test == "x <= 3.5"
    assert found.measures == pytest.approx({"squared_errors": 43.75, "squared_errors_gain": 210.125})


# ---------------------------------------------------------------- ID3
def test_tennis_gains_are_the_lectures() -> None:
    method = ID3Method(load("tennis"), {}, BITS)
    place = root(method.sample)
    assert method.impurity(place.tally) == pytest.approx(0.9403, abs=5e-5)
    expected = {"Outlook": 0.2467, "Temperature": 0.0292, "Humidity": 0.1518, "Wind": 0.0481}
    assert measured(method, place, "gain") == expected
    assert method.choose(place, method.candidates(place)).winner == 0
    assert measured(method, within(method.sample, Outlook="Sunny"), "gain")["Humidity"] == 0.9710
    assert measured(method, within(method.sample, Outlook="Rain"), "gain")["Wind"] == 0.9710
    assert method.stop(within(method.sample, Outlook="Overcast")) == "all rows are of one class"


def test_restaurant_gains_are_the_lectures() -> None:
    method = ID3Method(load("restaurant"), {}, BITS)
    place = root(method.sample)
    gains = measured(method, place, "gain")
    assert gains["Pat"] == 0.5409
    assert gains["Est"] == 0.2075
    assert gains["Hun"] == gains["Price"] == 0.1957
    assert gains["Fri"] == gains["Res"] == 0.0207
    assert all(gains[name] == 0 for name in ("Type", "Alt", "Bar", "Rain"))
    full = within(method.sample, Pat="Full")
    assert measured(method, full, "gain")["Hun"] == 0.2516
    assert measured(method, within(method.sample, Pat="Full", Hun="T"), "gain")["Type"] == 0.5


def test_credit_risk_gains_are_the_lectures() -> None:
    method = ID3Method(load("credit_risk"), {}, BITS)
    place = root(method.sample)
    assert method.impurity(place.tally) == pytest.approx(1.5306, abs=5e-5)
    expected = {"credit_history": 0.2657, "debt": 0.0629, "collateral": 0.2060, "income": 0.9663}
    assert measured(method, place, "gain") == expected
    middle = within(method.sample, income="$15 to $35k")
    assert measured(method, middle, "gain")["credit_history"] == 0.5
    assert (
        measured(method, within(method.sample, income="$15 to $35k", credit_history="unknown"), "gain")["debt"] == 1.0
    )
    assert measured(method, within(method.sample, income="over $35k"), "gain")["credit_history"] == 0.65


def test_an_identifier_has_the_largest_gain_and_not_the_largest_ratio() -> None:
    frame = pd.DataFrame(
        {
            "day": [f"D{i}" for i in range(14)],
            "outlook": ["sunny"] * 5 + ["overcast"] * 4 + ["rain"] * 5,
            "wind": ["weak", "strong"] * 7,
        }
    )
    sample = sample_of(frame, [*"NNNYY", *"YYYY", *"YYYNN"])
    gains = measured(ID3Method(sample, {}, BITS), root(sample), "gain")
    assert max(gains, key=gains.__getitem__) == "day"
    method = C45Method(sample, C45, BITS)
    found = method.candidates(root(sample))
    assert found[0].remark == "under two branches of 2 rows"
    assert method.choose(root(sample), found).winner == 1


# ---------------------------------------------------------------- C4.5
def test_tennis_gain_ratios_are_the_books() -> None:
    method = C45Method(load("tennis"), C45, BITS)
    ratios = measured(method, root(method.sample), "gain_ratio")
    assert ratios == {"Outlook": 0.1564, "Temperature": 0.0188, "Humidity": 0.1518, "Wind": 0.0488}
    assert method.choose(root(method.sample), method.candidates(root(method.sample))).winner == 0


def test_a_missing_outlook_lowers_gain_and_raises_split_information() -> None:
    sample = load("weather_numeric")
    hidden = 11  # overcast, 72, 90, strong
    outlook, *others = sample.table.columns
    cells = tuple(None if row == hidden else code for row, code in enumerate(outlook.values))
    table = replace(sample.table, columns=(replace(outlook, values=cells), *others))
    sample = replace(sample, table=table)
    method = C45Method(sample, C45, BITS)
    found = by_column(method, root(sample))
    numbers = [round(found["outlook"].measures[name], 4) for name in ("gain", "split_information", "gain_ratio")]
    assert numbers == [0.1990, 1.8092, 0.1100]
    wind = [round(found["windy"].measures[name], 4) for name in ("gain", "split_information", "gain_ratio")]
    assert wind == [0.0481, 0.9852, 0.0488]


def test_the_choice_of_a_cut_is_paid_for_at_the_root_of_the_numeric_weather() -> None:
    method = C45Method(load("weather_numeric"), C45, BITS)
    place = root(method.sample)
    found = by_column(method, place)
    assert found["temperature"].split is None
    assert found["humidity"].split is None
    assert found["humidity"].test == "humidity <= 82.5"
    cuts = {row[0]: row[-1] for row in found["temperature"].steps[0].rows}
    assert cuts["<= 70.5"] == "0.0453"
    sunny = by_column(method, within(method.sample, outlook="sunny"))["humidity"]
    assert sunny.test == "humidity <= 77.5"
    assert sunny.measures["gain"] == pytest.approx(0.7710, abs=5e-5)


def test_three_leaves_of_the_book_are_worse_than_one() -> None:
    book, weka = Pessimism(0.25, "c45"), Pessimism(0.25)
    leaves = tallies((6, 0), (9, 0), (0, 1))
    assert sum(map(book.estimate, leaves)) == pytest.approx(3.273, abs=5e-4)
    assert book.estimate(leaves[0] + leaves[1] + leaves[2]) == pytest.approx(2.507, abs=5e-4)
    assert weka.estimate(leaves[0] + leaves[1] + leaves[2]) == pytest.approx(2.476, abs=5e-4)


@pytest.mark.parametrize(("n", "e", "j48", "release_8"), [(14, 5, 1.7611, 1.7950), (100, 10, 2.7496, 2.8147)])
def test_extra_errors_of_the_two_programs(n: int, e: int, j48: float, release_8: float) -> None:
    assert Pessimism(0.25).extra_errors(n, e) == pytest.approx(j48, abs=5e-5)
    assert Pessimism(0.25, "c45").extra_errors(n, e) == pytest.approx(release_8, abs=5e-5)


# ---------------------------------------------------------------- chi-square
def test_chi_square_of_a_split_has_branches_and_classes_less_one_as_degrees_of_freedom() -> None:
    # A lecture writes p + n - 1: with 11 degrees nothing would ever be significant.
    method = ID3Method(load("restaurant"), {}, BITS)
    patrons = by_column(method, root(method.sample))["Pat"]
    found = Classes().test([branch.tally for branch in patrons.branches])
    assert (round(found.statistic, 4), found.degrees, round(math.exp(found.log_p), 4)) == (6.6667, 2, 0.0357)
    method = ID3Method(load("tennis"), {}, BITS)
    outlook = by_column(method, root(method.sample))["Outlook"]
    found = Classes().test([branch.tally for branch in outlook.branches])
    assert (round(found.statistic, 4), found.degrees, round(math.exp(found.log_p), 4)) == (3.5467, 2, 0.1698)


def test_chaid_merges_sunny_and_rain_and_does_not_split() -> None:
    method = ChaidMethod(load("tennis"), CHAID, BITS)
    place = root(method.sample)
    found = by_column(method, place)["Outlook"]
    assert [branch.label for branch in found.branches] == ["Overcast", "Rain, Sunny"]
    merging = found.steps[1]
    assert merging.rows[0] == ("Rain | Sunny", "0.4000", "1", "0.5271", "merged")
    assert found.measures["chi_square"] == pytest.approx(3.1111, abs=5e-5)
    assert found.measures["multiplier"] == 3
    assert [round(math.exp(found.measures[name]), 4) for name in ("log_p", "log_p_adjusted")] == [0.0778, 0.2333]
    assert method.choose(place, method.candidates(place)).winner is None


def test_chaid_finds_the_three_groups_of_the_worked_example() -> None:
    counts = [(40, 10), (38, 12), (20, 30), (18, 32), (5, 45)]
    rows = [
        (str(level), k)
        for level, pair in enumerate(counts, 1)
        for k, n in zip("ab", pair, strict=True)
        for _ in range(n)
    ]
    levels = pd.Categorical([level for level, _ in rows], categories=list("12345"), ordered=True)
    sample = sample_of(pd.DataFrame({"x": levels}), [k for _, k in rows])
    method = ChaidMethod(sample, CHAID, BITS)
    found = by_column(method, root(sample))["x"]
    assert [branch.label for branch in found.branches] == ["1, 2", "3, 4", "5"]
    steps = [(row[0], row[3], row[4]) for row in found.steps[1].rows]
    assert steps == [
        ("3 | 4", "0.6803", "merged"),
        ("1 | 2", "0.6292", "merged"),
        ("3, 4 | 5", "0.0004", "differ: stop"),
    ]
    assert found.measures["chi_square"] == pytest.approx(68.9346, abs=5e-5)
    assert found.measures["multiplier"] == 6
    assert math.exp(found.measures["log_p"]) == pytest.approx(1.074e-15, rel=1e-3)
    assert math.exp(found.measures["log_p_adjusted"]) == pytest.approx(6.4e-15, rel=1e-2)


# ---------------------------------------------------------------- CART
def test_the_gini_index_of_the_bankruptcy_root() -> None:
    assert gini((7, 7)) == 0.5
    method = CartMethod(load("bankruptcy"), {"criterion": "gini", "missing": "learn"}, BITS)
    found = by_column(method, root(method.sample))
    assert found["late_payments"].test == "late_payments <= 1.5"
    assert found["late_payments"].measures["impurity_gain"] == pytest.approx(0.2)


def test_a_lemon_is_a_lemon_because_it_is_sour() -> None:
    method = ID3Method(load("fruit"), {}, BITS)
    assert method.stop(within(method.sample, taste="sour")) == "all rows are of one class"
