"""`treewright report`: the page is written whole, or nothing is."""

from __future__ import annotations

from pathlib import Path

import treewright as tw
from cli.terminal import Run


def test_the_verb_writes_the_page(run: Run, tmp_path: Path) -> None:
    tw.datasets.load_credit_g().head(200).to_csv(tmp_path / "credit.csv", index=False)
    few = ("--algorithms", "cart,naive_bayes", "--cv", "3", "--jobs", "1")
    outcome = run("report", "credit.csv", "credit.html", "--target", "class", *few, "--json")
    assert outcome.code == 0, outcome.err
    assert '"held_out"' in outcome.out
    assert "The report is in credit.html" in outcome.err
    page = (tmp_path / "credit.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "--kind" in page
    assert not any(word in page for word in ("column_kinds=", "random_state=", "test_share="))  # the words of Python


def test_a_learner_that_takes_no_missing_values_is_answered_in_options(run: Run, titanic: Path, tmp_path: Path) -> None:
    few = ("--algorithms", "cart,id3", "--cv", "2", "--jobs", "1")
    assert run("report", titanic, "r.md", "--target", "survived", *few).code == 0
    page = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "id3 could not be trained: Column 'age'" in page
    assert "--set id3.missing=branch" in page
    assert "missing='" not in page
    assert "Fill it, or choose --set id3.missing=branch." in run("compare", titanic, "--target", "survived", *few).out


def test_a_wrong_ending_or_column_is_told_before_anything_is_done(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    outcome = run("report", "t.csv", "t.pdf", "--target", "b")
    assert (outcome.code, "must end with .html" in outcome.err) == (2, True)
    outcome = run("report", "t.csv", "t.html", "--target", "c")
    assert outcome.code == 2
    assert not (tmp_path / "t.html").exists()
