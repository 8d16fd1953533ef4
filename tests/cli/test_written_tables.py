"""Tables as people write them, on the command line: what was decided is a note, and a model reads new rows alike."""

import json
from pathlib import Path

import pytest

from cli.terminal import Run, write_csv


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    prices = range(1000, 41000, 400)
    return write_csv(
        tmp_path / "sales.csv",
        {
            "price": [f"{price:,} €".replace(",", ".") + "" for price in prices],
            "rate": [f"{i},5 %" for i in range(100)],
            "day": [f"{i % 28 + 1:02}/{i % 12 + 1:02}/2020" for i in range(100)],
            "age": [*map(str, range(99)), "unknown"],
            "zip": [f"{i % 40:05}" for i in range(100)],
            "y": ["dear" if price > 20000 else "cheap" for price in prices],
        },
    )


def test_every_remark_of_profile_is_a_note_of_the_verbs_that_learn(run: Run, sales: Path, tmp_path: Path) -> None:
    profile = json.loads(run("profile", sales, "--json").out)
    remarks = [(c["name"], remark) for c in profile["columns"] if c["name"] != "y" for remark in c["remarks"]]
    assert (
        "zip",
        "codes with leading zeros such as '00000' stay text on purpose: --kind zip=numeric reads them as numbers",
    ) in remarks
    few = ("--algorithms", "cart", "--cv", "2")
    for arguments in (
        ("train", sales, "--cv", "0"),
        ("compare", sales, *few),
        ("report", sales, tmp_path / "report.md", *few),
        ("curve", sales, "--algorithms", "cart", "--trials", "2", "--sizes", "20"),
    ):
        said = run(*arguments, "--target", "y")
        assert said.code == 0, said.err
        for name, remark in remarks:
            assert said.err.count(f"Note: Column '{name}': {remark}.") == 1
        assert said.err.count("Column 'age' is read as numbers, but 1 cell is none") == 1
        assert "row 100 holds 'unknown'. To forbid it: --kind age=nominal keeps the text" in said.err
        assert "column_kinds" not in said.err


def test_a_note_names_the_way_to_forbid_what_was_done(run: Run, sales: Path) -> None:
    assert run("train", sales, "--target", "y", "--cv", "0", "--kind", "age=nominal").code == 0
    said = run("train", sales, "--target", "y", "--cv", "0", "--kind", "age=numeric")
    assert said.code == 3
    assert "sales.csv:101" in said.err
    assert "--missing-value unknown" in said.err


def test_a_model_reads_one_new_row_as_it_was_trained(run: Run, sales: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.tw"
    assert run("train", sales, "--target", "y", "--cv", "0", "--out", model).code == 0
    rows = {
        "price": ["20.001", "19.999 €"],
        "rate": ["1,5 %"] * 2,
        "day": ["01/02/2020"] * 2,
        "age": ["old"] * 2,
        "zip": ["7"] * 2,
    }
    said = run("predict", model, write_csv(tmp_path / "new.csv", rows))
    assert said.out.split() == ["prediction", "dear", "cheap"]
    assert "row 1 holds 'old', row 2 holds 'old'." in said.err
    one = write_csv(tmp_path / "one.csv", {name: cells[:1] for name, cells in rows.items()})
    assert run("predict", model, one).out.split() == ["prediction", "dear"]
    plain = write_csv(tmp_path / "plain.csv", {**rows, "price": [20001, 19999], "rate": [1.5, 1.5], "age": [1, 2]})
    assert run("predict", model, plain).out == said.out
    assert run("evaluate", model, sales, "--fail-under", "accuracy=1").code == 0


def test_the_order_of_dates_is_asked_for_and_can_be_said(run: Run, tmp_path: Path) -> None:
    rows = {"day": [f"{i % 12 + 1}/{i // 12 + 1}/2020" for i in range(60)], "y": ["a", "b"] * 30}
    table = write_csv(tmp_path / "t.csv", rows)
    assert "say --date-order dmy or --date-order mdy" in run("train", table, "--target", "y", "--cv", "0").err
    report = json.loads(run("profile", table, "--date-order", "mdy", "--json").out)["columns"][0]
    assert report["face"] == "date"


def test_the_command_line_takes_an_order_and_asks_for_one(run: Run, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "t.csv", {"rank": ["P", "Asst", "Assoc"] * 10, "y": ["a", "b", "a"] * 10})
    said = run("train", table, "--target", "y", "--kind", "rank=ordinal", "--cv", "0")
    assert said.code == 3
    assert "such as --order rank=Assoc,Asst,P" in said.err
    said = run("train", table, "--target", "y", "--order", "rank=Asst,Assoc,P", "--cv", "0")
    assert "rank <= Asst" in said.out
    assert run("train", table, "--target", "y", "--order", "rank").code == 2
    for verb in ("compare", "curve"):
        said = run(verb, table, "--target", "y", "--order", "rank=Asst,Assoc,P", "--algorithms", "cart")
        assert said.code == 0, said.err


def test_dollars_with_three_digits_behind_a_comma_are_thousands_beside_decimal_commas_too(
    run: Run, tmp_path: Path
) -> None:
    sums = ["$3,790", "$4,120", "$1,999", "$2,857"]
    path = tmp_path / "sums.csv"
    path.write_text("price;rate\n" + "".join(f'"{each}";1,{i}5\n' for i, each in enumerate(sums)))
    said = run("profile", path)
    assert "'$3,790' is read as 3790, without '$'; if it means 3.79: --decimal ','." in said.err
    assert "'1,05' is read as 1.05" in said.err
    assert "is read as 3.79, without" in run("profile", path, "--decimal", ",").err


@pytest.mark.parametrize("algorithm", ["cart", "forest"])
def test_a_tree_that_splits_on_a_date_is_told_to_know_nothing_of_later_days(
    run: Run, tmp_path: Path, algorithm: str
) -> None:
    days = [f"2020-{1 + i // 28:02}-{1 + i % 28:02}" for i in range(300)]
    columns = {"day": days, "size": [str(i * 7 % 50) for i in range(300)], "y": ["ab"[i > 150] for i in range(300)]}
    path = write_csv(tmp_path / "days.csv", columns)
    said = run("train", path, "--target", "y", "--cv", "0", "--algorithm", algorithm).err
    assert "A date decides: 'day'. Rows of days after those of the table all fall on one side" in said
    assert "--ignore day" in said
    assert "A date decides" not in run("train", path, "--target", "y", "--cv", "0", "--ignore", "day").err
