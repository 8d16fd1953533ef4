"""Numbers, dates and times as people write them: a column is one format, or it is text with a sentence."""

import datetime
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treewright as tw
from oracle.written_cells import column_values, date_values
from thorough import examples
from treewright.errors import ColumnWarning, DataError, ReadingWarning
from treewright.table.column_kinds import guess_kinds
from treewright.table.reading.read import read
from treewright.table.schema import Column
from treewright.table.written.date_formats import DateFormat
from treewright.table.written.number_formats import NumberFormat
from treewright.table.written.written_column import Wishes, WrittenColumn, read_written


def told(folder: Path, *cells: str, **options: Any) -> tuple["pd.Series[Any]", str]:
    """Read a column of cells; give it with what was told about it."""
    (folder / "t.csv").write_text("n,x\n" + "".join(f'{i},"{cell}"\n' for i, cell in enumerate(cells)), "utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = read(folder / "t.csv", **options)
    assert all(each.category is ReadingWarning for each in caught)
    return frame["x"], " ".join(str(each.message) for each in caught)


def remarks(series: "pd.Series[Any]") -> str:
    return " ".join(guess_kinds(series.to_frame())[0].remarks)


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["5.0 %", "7%"], [5, 7]),
        (["$1,200", "$950"], [1200, 950]),
        (["3.50 €", "12 €"], [3.5, 12]),
        (["12 kg", "7.5 kg"], [12, 7.5]),
        (["(5)", "7"], [-5, 7]),
        (["($1,200)", "$5"], [-1200, 5]),
        (["1.234,56", "7"], [1234.56, 7]),
        (["1 234,5", "12"], [1234.5, 12]),
        (["1\u00a0234,5", "12"], [1234.5, 12]),
        (["1\u2009234", "2\u202f000"], [1234, 2000]),
        (["1e3", "2"], [1000, 2]),
        (["1,5e3", "2"], [1500, 2]),
        (["1'234.50", "2"], [1234.5, 2]),
        (["12,34,567", "1"], [1234567, 1]),
        (["10 years", "1 year"], [10, 1]),
        (["CHF 5.50", "CHF 7"], [5.5, 7]),
        (["\u22125 %", "3 %"], [-5, 3]),
        (["1,234", "987"], [1234, 987]),
        (["0,567", "1,234"], [0.567, 1.234]),
    ],
)
def test_numbers_as_people_write_them_are_numbers(tmp_path: Path, cells: list[str], values: list[float]) -> None:
    series, _ = told(tmp_path, *cells)
    assert series.tolist() == values
    assert "identifier" not in remarks(pd.Series(series.tolist() * 3, name="x"))


@pytest.mark.parametrize(
    "cells",
    [
        ["12 kg", "13 lb"],
        ["12 kg", "13"],
        ["1.5", "2,5"],
        ["$5", "€5"],
        ["A12", "A13"],
        ["12A", "13A"],
        ["1st", "2nd"],
        ["007", "12 kg"],
        ["1,2,3", "4,5,6"],
        ["10-20", "20-30"],
        ["5 Main Street 7", "6 Main Street 8"],
        ["--5", "5"],
        ["(-5)", "5"],
    ],
)
def test_what_is_not_one_format_stays_text(tmp_path: Path, cells: list[str]) -> None:
    series, said = told(tmp_path, *cells)
    assert series.tolist() == cells
    assert said == ""


@pytest.mark.parametrize(
    ("cells", "order", "days"),
    [
        (["31.12.2020", "1.2.2020"], None, ["2020-12-31", "2020-02-01"]),
        (["12/31/2020", "1/2/2020"], None, ["2020-12-31", "2020-01-02"]),
        (["31/12/2020", "01/02/2020"], None, ["2020-12-31", "2020-02-01"]),
        (["05 Jan 2020", "31 December 2021"], None, ["2020-01-05", "2021-12-31"]),
        (["5-Jan-20", "31-Dec-99"], None, ["2020-01-05", "1999-12-31"]),
        (["Jan 5, 2020", "Dec 31, 2020"], None, ["2020-01-05", "2020-12-31"]),
        (["2020/12/31", "2020/1/5"], None, ["2020-12-31", "2020-01-05"]),
        (["31.12.20", "1.2.99"], None, ["2020-12-31", "1999-02-01"]),
        (["01/02/2020", "03/04/2020"], "dmy", ["2020-02-01", "2020-04-03"]),
        (["01/02/2020", "03/04/2020"], "mdy", ["2020-01-02", "2020-03-04"]),
        (["20201231", "20210101"], "ymd", ["2020-12-31", "2021-01-01"]),
        (["01/02/03", "04/05/06"], "ymd", []),
    ],
)
def test_dates_as_people_write_them_are_dates(
    tmp_path: Path, cells: list[str], order: str | None, days: list[str]
) -> None:
    series, _ = told(tmp_path, *cells, date_order=order)
    assert (series.dt.strftime("%Y-%m-%d").tolist() if days else series.tolist()) == (days or cells)


def test_dates_with_a_time_and_a_zone_are_moments(tmp_path: Path) -> None:
    series, _ = told(tmp_path, "12/31/2020 10:05 PM", "1/2/2020 0:30")
    assert series.tolist() == [pd.Timestamp("2020-12-31 22:05"), pd.Timestamp("2020-01-02 00:30")]
    assert told(tmp_path, "2020-12-31T10:00Z")[0].dtype == "datetime64[us, UTC]"


def test_times_as_people_write_them_are_times(tmp_path: Path) -> None:
    series, _ = told(tmp_path, "9:30", "12:15 am", "11:59 PM")
    assert series.tolist() == [datetime.time(9, 30), datetime.time(0, 15), datetime.time(23, 59)]


def test_an_order_of_day_and_month_that_nothing_decides_is_asked_for(tmp_path: Path) -> None:
    series, _ = told(tmp_path, "01/02/2020", "03/04/2020")
    assert series.dtype == "str"
    assert "'01/02/2020' is 2020-02-01 or 2020-01-02" in remarks(series)
    assert "tw.read(file, date_order='dmy') or tw.read(file, date_order='mdy')" in remarks(series)


def test_days_in_two_orders_are_text_with_a_sentence(tmp_path: Path) -> None:
    series, _ = told(tmp_path, "13/1/2020", "1/13/2020")
    assert "dates in more than one format" in remarks(series)
    assert "row 1 holds '13/1/2020', row 2 '1/13/2020'" in remarks(series)


def test_numbers_in_two_formats_are_text_with_a_sentence(tmp_path: Path) -> None:
    series, _ = told(tmp_path, "1.5", "7", "2,5")
    assert "numbers in more than one format, which stay text: row 1 holds '1.5', row 3 '2,5'" in remarks(series)


def test_whole_numbers_that_look_like_dates_are_numbers_and_ask(tmp_path: Path) -> None:
    series, _ = told(tmp_path, *[str(20200101 + i) for i in range(28)])
    assert series.dtype == "int64"
    assert "tw.read(file, date_order='ymd') reads them as dates" in remarks(series)
    assert "identifier" not in remarks(series)


def test_codes_with_leading_zeros_are_text_on_purpose_and_say_so(tmp_path: Path) -> None:
    series, _ = told(tmp_path, "01", "00202", "7")
    assert "stay text on purpose: column_kinds={'x': 'numeric'}" in remarks(series)


@pytest.mark.parametrize(
    ("numbers", "words", "read_as_numbers"),
    [(2000, 1, True), (2000, 19, True), (2000, 25, False), (20, 4, True), (20, 5, False), (3, 2, False), (2, 1, True)],
)
def test_few_unreadable_cells_become_missing_and_many_keep_the_text(
    tmp_path: Path, numbers: int, words: int, read_as_numbers: bool
) -> None:
    series, said = told(tmp_path, *[str(i) for i in range(numbers)], *["unknown"] * words)
    assert (series.dtype == "float64") == read_as_numbers
    if read_as_numbers:
        assert series.isna().sum() == words
        assert f"row {numbers + 1} holds 'unknown'" in said
        assert "column_kinds={'x': 'nominal'} keeps the text" in said
    else:
        assert said == ""


def test_a_cell_of_another_format_never_becomes_missing(tmp_path: Path) -> None:
    for odd in ("1,5", "007", "5 kg", "31.12.2020", "10:30"):
        series, said = told(tmp_path, *[f"{i}.5" for i in range(1, 1000)], odd)
        assert series.dtype == "str", odd
        assert said == ""


def test_unreadable_cells_are_forbidden_by_the_kind(tmp_path: Path) -> None:
    cells = [*map(str, range(100)), "unknown"]
    assert told(tmp_path, *cells, column_kinds={"x": "nominal"})[0].iloc[-1] == "unknown"
    with pytest.raises(DataError, match=r"t\.csv:102: column 'x' is asked to be numeric"):
        told(tmp_path, *cells, column_kinds={"x": "numeric"})


def test_a_day_that_does_not_exist_is_an_unreadable_cell(tmp_path: Path) -> None:
    series, said = told(tmp_path, *["31.12.2020"] * 50, "30.02.2020")
    assert series.isna().sum() == 1
    assert "row 51 holds '30.02.2020'" in said


def test_a_file_with_semicolons_and_decimal_commas_is_found_by_itself(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a;b;c;d\n1,5;1,234;1.234;x\n2,75;0;987;y\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = read(tmp_path / "t.csv")
    assert any("'1,234' is read as 1.234; if it means 1234: decimal='.'" in str(each.message) for each in caught)
    assert frame["a"].tolist() == [1.5, 2.75]
    assert frame["b"].tolist() == [1.234, 0]  # semicolons make a comma the mark of decimals
    assert frame["c"].tolist() == [1234, 987]  # and then a point stands between thousands


def test_the_users_mark_decides_what_cells_leave_open(tmp_path: Path) -> None:
    assert told(tmp_path, "1,234", decimal=",")[0].tolist() == [1.234]
    assert told(tmp_path, "1.234", decimal=",")[0].tolist() == [1234]
    assert told(tmp_path, "1.5", decimal=",")[0].tolist() == [1.5]


def test_thousands_are_known_by_their_column_even_beside_decimal_commas(tmp_path: Path) -> None:
    dollars = ["$1,234", "$987", "$2,500", "$3,100", "$1,075", "$4,999"]
    rows = [f'"{cell}","{n},5"' for n, cell in enumerate(dollars)]
    (tmp_path / "t.csv").write_text("\n".join(["price,share", *rows]) + "\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = read(tmp_path / "t.csv")
    notes = " ".join(str(each.message) for each in caught)
    assert "'$1,234' is read as 1234, without '$'; if it means 1.234: decimal=','" in notes
    assert frame["price"].tolist() == [1234, 987, 2500, 3100, 1075, 4999]
    assert frame["share"].tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    assert told(tmp_path, *dollars, decimal=",")[0].tolist() == [1.234, 987, 2.5, 3.1, 1.075, 4.999]
    assert told(tmp_path, "1.234 €", "987 €", "2.500 €", "3.100 €", "1.075 €", "4.999 €")[0].tolist()[0] == 1234


@pytest.mark.parametrize(
    ("option", "value"), [("decimal", ";"), ("date_order", "dym"), ("delimiter", "::"), ("delimiter", '"')]
)
def test_an_option_that_makes_no_sense_is_refused(tmp_path: Path, option: str, value: str) -> None:
    with pytest.raises(DataError, match="not"):
        told(tmp_path, "1", **{option: value})


DIGITS = st.sampled_from(
    ["0", "1", "12", "1234", "1234567", "0.5", "1.5", "1.234", "1.234.567", "1,5", "1,234", "1,234,567"]
)
MARKED = st.sampled_from(["1.234,5", "1,234.5", "1 234", "1 234,5", "1'234.5", "123 45", "01", "1.23.456", "1,"])
CELLS = st.builds(
    lambda sign, unit, digits, after: f"{sign}{unit}{digits}{after}",
    st.sampled_from(["", "", "", "-"]),
    st.sampled_from(["", "", "", "$"]),
    DIGITS | MARKED,
    st.sampled_from(["", "", "", " kg"]),
)


@given(st.lists(CELLS, min_size=1, max_size=4, unique=True))
@settings(max_examples=examples(300), deadline=None)
def test_columns_of_numbers_are_read_as_the_definition_reads_them(cells: list[str]) -> None:
    ways = [] if any("$" in cell and "kg" in cell for cell in cells) else column_values(cells)
    column = WrittenColumn(cells, np.ones(len(cells), dtype=np.int64))
    reading = read_written(column, Wishes(kind="numeric"))
    if not ways:
        assert reading is None
        return
    assert reading is not None
    assert reading.values.tolist() in ways
    assert reading.certain == (len(ways) == 1)
    if len(ways) > 1:  # the other mark gives the other way
        other = read_written(column, Wishes(decimal=",", kind="numeric"))
        assert other is not None
        assert other.values.tolist() in ways
        assert other.values.tolist() != reading.values.tolist()


@given(
    st.lists(
        st.tuples(st.integers(1, 31), st.integers(1, 31), st.integers(1900, 2100)), min_size=1, max_size=4, unique=True
    ),
    st.sampled_from("./-"),
)
@settings(max_examples=examples(300), deadline=None)
def test_columns_of_dates_are_read_as_the_definition_reads_them(parts: list[tuple[int, int, int]], mark: str) -> None:
    cells = [mark.join(map(str, part)) for part in parts]
    ways = date_values(cells, mark)
    column = WrittenColumn(cells, np.ones(len(cells), dtype=np.int64))
    reading = read_written(column, Wishes())
    if len(ways) == 1:
        assert reading is not None
        assert reading.values.astype("datetime64[D]").tolist() == next(iter(ways.values()))
    elif reading is not None:  # only if the rest are days that do not exist
        assert not ways
        assert reading.unread.any()
    for order, days in ways.items():
        asked = read_written(column, Wishes(date_order=order))
        assert asked is not None
        assert asked.values.astype("datetime64[D]").tolist() == days


@pytest.mark.parametrize("mark", ["", "$", "CHF"])
@pytest.mark.parametrize("unit", ["", "%", "kg", "years"])
@pytest.mark.parametrize("marks", [(".", ""), (".", ","), (",", "."), (",", " "), (".", "'")])
def test_a_sample_shows_its_number_format(mark: str, unit: str, marks: tuple[str, str]) -> None:
    if not (mark and unit):
        written = NumberFormat(*marks, mark, unit)
        assert NumberFormat.of_sample(written.sample) == written


def test_a_sample_shows_its_date_format() -> None:
    for written in (
        DateFormat("dmy", "digits", "."),
        DateFormat("mdy", "digits", "/", True),
        DateFormat("ymd", "digits", "-", True),
        DateFormat("ymd", "compact", ""),
        DateFormat("dmy", "day name", " "),
        DateFormat("mdy", "name day", " "),
    ):
        assert DateFormat.of_sample(written.sample) == written


def test_a_stored_column_keeps_its_format_and_refuses_another() -> None:
    column = Column("price", "numeric", written="$1,234.5")
    assert Column.from_json(column.to_json()).written == "$1,234.5"
    assert "written" not in Column("price", "numeric").to_json()
    for wrong in ("x", 5, "1" * 1000, "$1,300"):
        with pytest.raises(DataError, match="no way to write"):
            Column.from_json({**column.to_json(), "written": wrong})


def test_a_model_reads_new_text_in_the_format_of_its_training_file(tmp_path: Path) -> None:
    rows = "".join(f"{i}.100,5 €;{'high' if i > 20 else 'low'}\n" for i in range(1, 41))
    (tmp_path / "t.csv").write_text("price;y\n" + rows, "utf-8")
    with pytest.warns(ReadingWarning, match="without '€'"):
        frame = read(tmp_path / "t.csv")
    model = tw.DecisionTreeClassifier().fit(frame[["price"]], frame["y"])
    tw.save(model, tmp_path / "m.tw")
    again = tw.load(tmp_path / "m.tw")
    assert again.predict(pd.DataFrame({"price": ["20.000", "21.000"]})).tolist() == ["low", "high"]
    assert again.predict_one({"price": "21.000,00 €"}) == "high"
    assert again.predict_one({"price": 20000}) == "low"


def test_fit_warns_of_a_text_column_that_is_nearly_all_numbers() -> None:
    frame = pd.DataFrame({"age": [*map(str, range(99)), "unknown"]})
    with pytest.warns(ColumnWarning, match=r"Column 'age': nearly all numbers, but row 100 holds the text 'unknown'"):
        tw.DecisionTreeClassifier().fit(frame, [0, 1] * 50)
    tw.DecisionTreeClassifier(column_kinds={"age": "nominal"}).fit(frame, [0, 1] * 50)  # asked for, so without a word


def test_fit_takes_text_in_one_format_as_numbers_where_it_is_asked() -> None:
    frame = pd.DataFrame({"price": [f"${i},000" for i in range(1, 41)]})
    model = tw.DecisionTreeClassifier(column_kinds={"price": "numeric"}).fit(frame, [i > 20 for i in range(40)])
    assert model.tree_.root.test.threshold == 21500.0


def test_whether_the_day_stands_first_is_told_by_all_cells_not_by_the_first_hundred(tmp_path: Path) -> None:
    """A column that is sorted as text begins with days up to the twelfth, which could be months as well."""
    early = [f"{day:02d}.{month:02d}.2018" for day in range(1, 13) for month in range(1, 13)]
    cells = [*early, "31.01.2019", "30.06.2019"]
    assert not any(int(cell[:2]) > 12 for cell in cells[:100])
    (tmp_path / "t.csv").write_text("day\n" + "\n".join(cells) + "\n", "utf-8")
    with pytest.warns(ReadingWarning, match="day, month, year"):
        assert str(read(tmp_path / "t.csv")["day"].dtype).startswith("datetime64")
    with pytest.warns(ColumnWarning, match="dates written as text such as"):
        tw.DecisionTreeClassifier().fit(pd.DataFrame({"day": cells}), [i % 2 for i in range(len(cells))])


def test_a_number_in_brackets_is_negative_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("loss\n" + "\n".join(f"({i})" if i % 2 else str(i) for i in range(1, 41)), "utf-8")
    with pytest.warns(ReadingWarning, match=r"numbers in brackets are negative: '\(1\)' is read as -1"):
        assert read(tmp_path / "t.csv")["loss"].tolist()[:2] == [-1, 2]


def test_fit_says_that_codes_with_leading_zeros_stay_text() -> None:
    frame = pd.DataFrame({"zip": [f"{i:05d}" for i in range(0, 120, 3)]})
    with pytest.warns(ColumnWarning, match=r"codes with leading zeros such as '00000' stay text on purpose"):
        tw.DecisionTreeClassifier().fit(frame, [0, 1] * 20)


@pytest.mark.parametrize(
    ("cells", "cure"),
    [
        ([f"{1 + i % 12:02d}/{1 + i // 12:02d}/2020" for i in range(60)], r"tw\.read\(file, date_order='dmy'\)"),
        ([*map(str, range(60)), "unknown"], r"tw\.read\(file, missing_values=\['unknown'\]\)"),
    ],
)
def test_the_cure_that_fit_names_is_a_call_that_has_such_an_option(cells: list[str], cure: str) -> None:
    with pytest.warns(ColumnWarning, match=cure):
        tw.DecisionTreeClassifier().fit(pd.DataFrame({"x": cells}), [i % 2 for i in range(len(cells))])


def test_answers_of_a_scale_that_begin_with_numbers_are_levels_without_a_remark(tmp_path: Path) -> None:
    series, _ = told(tmp_path, "3 good", "1 bad", "2 ok", "3 good")
    assert remarks(series) == ""


def test_a_kind_that_was_asked_for_is_not_advised_again() -> None:
    series = pd.Series([*(str(n % 15) for n in range(30)), "unknown"], name="x")
    assert "'unknown': tw.read(file, missing_values=['unknown']) or" in remarks(series)
    assert guess_kinds(series.to_frame(), {"x": "nominal"})[0].remarks == ()


@pytest.mark.parametrize("order", ["dmy", "mdy", "ymd"])
@pytest.mark.parametrize(
    ("cells", "day"),
    [
        (["12/31/2020", "1/2/2020"], "2020-12-31"),
        (["31.12.2020", "1.2.2020"], "2020-12-31"),
        (["December 31, 2020", "May 1, 2020"], "2020-12-31"),
        (["5 Jan 2020", "31 Dec 2020"], "2020-01-05"),
        (["2020/12/31", "2020/1/5"], "2020-12-31"),
    ],
)
def test_an_order_that_is_asked_for_is_not_that_of_a_column_whose_cells_tell_another(
    tmp_path: Path, cells: list[str], day: str, order: str
) -> None:
    series, _ = told(tmp_path, *cells, date_order=order)
    assert str(series.iloc[0]) == f"{day} 00:00:00"


def test_years_of_two_digits_that_are_asked_to_stand_first_are_not_read_as_days(tmp_path: Path) -> None:
    series, _ = told(tmp_path, "31/12/20", "30/11/20", date_order="ymd")
    assert series.dtype == "str"


@pytest.mark.parametrize(
    ("odd", "says"),
    [
        (["unknown"] * 4 + ["refused"] * 4, "numbers in 80 % of the rows, but row 33 holds the text 'unknown', so all"),
        (["<5"] * 8, "numbers, but row 33 holds '<5', so all of them stay text: write the number itself"),
        (["90+"] * 8, "numbers, but row 33 holds '90+'"),
        (["1.5k"] * 8, "numbers, but row 33 holds '1.5k'"),
        (["$2M"] * 4 + ["unknown"] * 4, "numbers, but row 33 holds '$2M'"),
    ],
)
def test_numbers_beside_words_or_with_a_mark_are_text_with_a_sentence(
    tmp_path: Path, odd: list[str], says: str
) -> None:
    series, _ = told(tmp_path, *[str(10 + i % 16) for i in range(32)], *odd)
    assert says in remarks(series)
    assert ("missing_values=['unknown', 'refused']) counts them as missing" in remarks(series)) == ("refused" in odd)


@pytest.mark.parametrize("cell", ["{}A", "A-{}", "{}-14", "{}/7"])
def test_texts_with_digits_that_are_no_numbers_are_no_mixed_numbers(tmp_path: Path, cell: str) -> None:
    series, _ = told(tmp_path, *[str(10 + i % 16) for i in range(32)], *[cell.format(i) for i in range(2, 10)])
    assert "numbers" not in remarks(series)


@pytest.mark.parametrize("cells", [["2018-05", "2019-12"], ["May 2018", "Dec 2019"], ["2018/05", "2019/12"]])
def test_months_are_text_with_a_sentence_that_says_how_they_become_dates(tmp_path: Path, cells: list[str]) -> None:
    months = [cell.replace("18", f"{year}").replace("19", f"{year + 20}") for cell in cells for year in range(30, 40)]
    series, _ = told(tmp_path, *months)
    assert "months such as" in remarks(series)
    assert "with a day (2020-12-01) they are read as dates" in remarks(series)
