"""`treewright why`, `ask`, `diff` and `show --rules`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import treewright as tw
from cli.terminal import Run


def test_why_explains_a_row_of_a_file(run: Run, model: Path, titanic: Path) -> None:
    said = run("why", model, titanic, "--row", 7)
    X = tw.read(titanic).drop(columns="survived")
    assert said.code == 0
    assert said.out.rstrip("\n") == str(tw.load(model).why(X.iloc[6]))


def test_why_takes_a_question_and_columns_that_may_not_change(run: Run, model: Path, titanic: Path) -> None:
    plain = json.loads(run("why", model, titanic, "--row", 1, "--not", "no", "--fixed", "sex", "--json").out)
    assert plain["change"]["answer"] == "no"
    assert all(change["column"] != "sex" for change in plain["change"]["changes"])


def test_why_of_a_number_below_a_bound(run: Run, regressor: Path, cars: Path) -> None:
    said = run("why", regressor, cars, "--above", 30)
    assert "Why not above 30? It would be" in said.out


def test_why_writes_a_page(run: Run, model: Path, titanic: Path, tmp_path: Path) -> None:
    said = run("why", model, titanic, "--out", tmp_path / "why.html")
    assert (said.code, said.out) == (0, "")
    assert "<h1>Why" in (tmp_path / "why.html").read_text()


def test_why_refuses_rows_and_classes_that_are_not_there(run: Run, model: Path, titanic: Path) -> None:
    assert run("why", model, titanic, "--row", 5000).code == 2
    wrong = run("why", model, titanic, "--not", "maybe")
    assert wrong.code == 3
    assert "no class of the model" in wrong.err


def test_ask_asks_only_what_is_needed_and_takes_answers_from_a_pipe(run: Run, model: Path) -> None:
    said = run("ask", model, stdin=b"female\n1st\n")
    assert said.code == 0
    because = "yes, because sex is female and passengerClass is 1st"
    assert said.out == f"{because}; 139 of 144 training rows like it were yes.\n"
    assert said.err.count("empty if not known") == 2


def test_ask_asks_again_after_a_wrong_number(run: Run, model: Path) -> None:
    said = run("ask", model, "--json", stdin=b"male\nold\n40\n1st\n")
    assert "Note: 'old' is no number, but age needs one." in said.err
    assert json.loads(said.out)["answers"] == {"sex": "male", "age": "40", "passengerClass": "1st"}


def test_ask_says_when_the_answers_end_too_early(run: Run, model: Path) -> None:
    said = run("ask", model, stdin=b"female\n")
    assert said.code == 3
    assert "The answers ended after 1, but the tree asks for more." in said.err


def test_ask_writes_a_page(run: Run, model: Path, tmp_path: Path) -> None:
    assert run("ask", model, "--out", tmp_path / "q.html", "--title", "Who <lived>?").code == 0
    assert "<title>Who &lt;lived&gt;?</title>" in (tmp_path / "q.html").read_text()
    assert run("ask", model, "--title", "x").code == 2
    assert run("ask", "-").code == 2


def test_diff_compares_two_models_with_and_without_rows(run: Run, model: Path, titanic: Path, tmp_path: Path) -> None:
    frame = tw.read(titanic)
    tw.save(tw.DecisionTreeClassifier(max_depth=2).fit(frame.drop(columns="survived"), frame["survived"]), "small.tw")
    said = run("diff", model, "small.tw")
    assert said.out.startswith("From model.tw to small.tw.\n\n3 splits are the same, 0 moved, ")
    assert "rows in model.tw  rows in small.tw" in said.out
    plain = json.loads(run("diff", model, "small.tw", "--data", titanic, "--json").out)
    assert plain["rows"]["n_rows"] == 1309
    assert run("diff", model, "small.tw", "--out", "d.html").code == 0
    assert "model.tw and small.tw side by side" in Path("d.html").read_text()
    assert run("diff", "-", "-").code == 2
    assert run("diff", model, "none.tw").code == 4


def test_diff_says_when_the_models_predict_different_columns(run: Run, model: Path, titanic: Path) -> None:
    frame = tw.read(titanic)
    tw.save(tw.DecisionTreeClassifier(max_depth=2).fit(frame[["age", "survived"]], frame["sex"]), "sex.tw")
    said = run("diff", model, "sex.tw").out
    assert "The targets differ: model.tw predicts 'survived', sex.tw predicts 'sex'." in " ".join(said.split())
    assert "answer differently" not in said
    plain = json.loads(run("diff", model, "sex.tw", "--json").out)
    assert (plain["targets"], plain["is_same"]) == (["survived", "sex"], False)


def test_show_prints_the_rules_of_the_model(run: Run, model: Path) -> None:
    fitted = tw.load(model)
    assert run("show", model, "--rules").out.rstrip("\n") == str(fitted.rules())
    plain = json.loads(run("show", model, "--rules", "--json").out)["rules"]
    assert [rule["text"] for rule in plain] == [rule.text() for rule in fitted.rules()]


def test_rules_are_sorted_and_written_in_the_format_of_the_file(run: Run, model: Path) -> None:
    rules = tw.load(model).rules().sorted("lift")
    assert run("show", model, "--rules", "--sort", "lift").out.rstrip("\n") == str(rules)
    for ending, text in ((".txt", str(rules) + "\n"), (".md", rules.to_markdown()), (".html", rules.to_html())):
        said = run("show", model, "--rules", "--sort", "lift", "--out", f"rules{ending}")
        assert (said.code, said.out) == (0, "")
        assert Path(f"rules{ending}").read_text(encoding="utf-8") == text
    assert run("show", model, "--rules", "--out", "rules.csv").code == 0
    assert tw.read("rules.csv")["n_rows"].sum() == 1309
    assert run("show", model, "--rules", "--out", "rules.xlsx").code == 0
    assert Path("rules.xlsx").read_bytes().startswith(b"PK")


def test_options_of_rules_need_rules(run: Run, model: Path) -> None:
    assert "Add --rules." in run("show", model, "--sort", "lift").err
    assert "Did you mean 'lift'?" in run("show", model, "--rules", "--sort", "lfit").err
    assert run("show", model, "--rules", "--out", "rules.doc").code == 2


def test_models_without_a_single_tree_are_compared_by_their_answers(run: Run, titanic: Path, model: Path) -> None:
    frame = tw.read(titanic)
    forest = tw.RandomForestClassifier(3, random_state=0).fit(frame.drop(columns="survived"), frame["survived"])
    tw.save(forest, "forest.tw")
    assert "--data TABLE" in run("diff", model, "forest.tw").err
    assert "rows change their answer" in run("diff", model, "forest.tw", "--data", titanic).out
    assert "of 3 trees say so" in run("why", "forest.tw", titanic).out


def test_an_interrupt_while_asking_leaves_with_130(run: Run, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("treewright.inspection.questionnaire.Questionnaire.answer", interrupt)
    assert run("ask", model, stdin=b"male\n").code == 130
