"""`tw.report` and `treewright report`: what stands on the page is true, and it needs nothing else."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.pages.blocks import Drawing, Table
from treewright.pages.html_page import write_html
from treewright.report.split_rows import split_table


@pytest.fixture(scope="module")
def credit() -> pd.DataFrame:
    return tw.datasets.load_credit_g().sample(300, random_state=0)


@pytest.fixture(scope="module")
def made(credit: pd.DataFrame) -> tw.Report:
    return tw.report(
        credit.drop(columns="class"), credit["class"], algorithms=["cart", "naive_bayes", "forest"], cv=3, n_jobs=1
    )


def test_every_part_is_on_the_page(made: tw.Report) -> None:
    page = made.to_html()
    for heading in ("The table", "Learners compared", "A tree to read", "Its rules", "nobody had seen", "Which columns",
                    "more rows", "What was decided"):  # fmt: skip
        assert heading in page


def test_a_report_of_python_names_parameters_and_not_options(made: tw.Report) -> None:
    assert "column_kinds=" in made.to_html()
    assert "--kind" not in made.to_html()


def test_the_page_asks_nobody_for_anything(made: tw.Report) -> None:
    page = made.to_html()
    assert "<script" not in page
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', page) == []


def test_its_pictures_are_well_formed(made: tw.Report) -> None:
    pictures = re.findall(r"<svg.*?</svg>", made.to_html(), flags=re.S)
    assert len(pictures) >= 7
    for picture in pictures:
        ElementTree.fromstring(picture)


def test_held_out_scores_are_those_of_rows_that_no_model_saw(made: tw.Report, credit: pd.DataFrame) -> None:
    rows = split_table(credit.drop(columns="class"), credit["class"], 0.25, None, 0)
    assert set(rows.train) | set(rows.test) == set(range(300))
    assert not set(rows.train) & set(rows.test)
    again = tw.DecisionTreeClassifier(prune=tw.Readable(), random_state=0).fit(rows.table, rows.truth)
    assert again.tree_.to_json() == made.tree.tree_.to_json()
    right = np.mean(again.predict(rows.held_out) == rows.held_out_truth)
    assert made.held_out["cart"]["accuracy"] == pytest.approx(right)


@pytest.mark.thorough
def test_the_same_report_comes_twice(credit: pd.DataFrame) -> None:
    X, y = credit.drop(columns="class"), credit["class"]
    pages = [tw.report(X, y, algorithms=["cart"], cv=3, n_jobs=jobs).to_html() for jobs in (1, 2)]
    assert pages[0] == pages[1]


@pytest.mark.thorough
def test_numbers_have_reports_too(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.normal(size=120), "b": random.choice(list("xyz"), 120)})
    y = pd.Series(frame["a"] * 2 + (frame["b"] == "x"), name="price $ <b>")
    made = tw.report(frame, y, tmp_path / "r.html", algorithms=["cart", "forest"], cv=3, n_jobs=1)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "RMSE" in page
    assert "price $ &lt;b&gt;" in page
    assert "price $ <b>" not in re.sub(r"<svg.*?</svg>", "", page, flags=re.S)
    assert set(made.held_out) == {"cart", "the best learner: forest"} or set(made.held_out) == {"cart"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"path": "report.pdf"}, "end with .html"),
        ({"test_share": 0.99}, "between 0.05 and 0.9"),
        ({"algorithms": ["carrt"]}, "Did you mean 'cart'"),
        ({"task": "ranking"}, "There is no task"),
    ],
)
def test_a_wrong_wish_is_refused_with_a_sentence(given: dict[str, object], words: str, credit: pd.DataFrame) -> None:
    with pytest.raises(DataError, match=words):
        tw.report(credit.drop(columns="class"), credit["class"], **given)  # type: ignore[arg-type]


def test_a_few_rows_are_too_few() -> None:
    with pytest.raises(DataError, match="takes 20 at least"):
        tw.report([[1], [2]], ["a", "b"])


def test_markdown_has_tables_in_place_of_pictures_and_no_captions(made: tw.Report) -> None:
    text = made.to_markdown()
    captions = [block.words for block in made.blocks if isinstance(block, Drawing)]
    assert len(captions) > 5
    assert [words for words in captions if words in text] == []
    assert made.tree.tree_.to_text(max_depth=5, width=100).rstrip() in text
    assert "| class | rows |" in text
    assert "| training rows | accuracy of cart |" in text
    assert "each node shows" not in text.lower()


def test_a_report_says_confidence_interval_and_p_value(made: tw.Report) -> None:
    page = re.sub("</?span[^>]*>", "", made.to_html())  # no line ends between 95 and its per cent
    assert "95 % confidence interval of its accuracy: " in page
    assert "p-value" in page
    assert "false positive rate" in page
    assert "predicted probability" in page


def test_the_tree_is_the_best_of_those_compared_that_can_be_read() -> None:
    X, y = tw.datasets.load_titanic(return_X_y=True)
    found = tw.report(X, y, algorithms=["ctree", "forest"], cv=2, n_jobs=1)
    assert type(found.tree).__name__ == "ConditionalTreeClassifier"
    assert 2 <= found.tree.get_n_leaves() <= 16
    assert next(iter(found.held_out)) == "ctree"
    page = found.to_markdown()
    assert "The tree of ctree, the best learner of trees that can be read" in page
    assert "| training rows | accuracy of ctree |" in page
    assert "no better than a guess" not in page


def test_a_report_on_noise_says_that_the_tree_is_no_better_than_a_guess() -> None:
    draw = np.random.default_rng(3)
    X = pd.DataFrame({"a": draw.normal(size=120).round(2), "b": draw.normal(size=120).round(2)})
    y = pd.Series(np.where(draw.random(120) < 0.3, "yes", "no"), name="y")
    page = tw.report(X, y, algorithms=["cart", "forest"], cv=2, n_jobs=1).to_markdown()
    assert "The tree is no better than a guess that looks at no column" in page


def test_learners_that_fail_are_not_counted_and_scores_that_are_not_there_are_one_dash(credit: pd.DataFrame) -> None:
    learners = ["cart", "forest", "perceptron", "id3"]  # id3 takes no numbers, a perceptron has no log loss
    page = tw.report(credit.drop(columns="class"), credit["class"], algorithms=learners, cv=2, n_jobs=1).to_markdown()
    assert "id3 could not be trained" in page
    assert "the best of 3 learners" in page
    line = next(line for line in page.splitlines() if line.startswith("| perceptron"))
    assert "| - |" in line
    assert "- ±" not in line.replace("\u00a0", " ")


def test_no_line_of_a_table_ends_inside_an_option_or_a_date() -> None:
    page = write_html([Table(("a", "b"), (("--kind <x>", "2020-12-31 | 2021-01-02"),))], "t")
    assert '<span class="whole">--kind</span> &lt;x&gt;' in page
    assert page.count('<span class="whole">20') == 2


def test_a_target_of_more_classes_than_a_matrix_can_show_has_a_report_all_the_same() -> None:
    table = pd.DataFrame({"x": np.arange(300) % 97, "y": [f"k{i // 4}" for i in range(300)]})
    with pytest.warns(UserWarning, match="75 classes"):
        made = tw.report(table[["x"]], table["y"], algorithms=["cart"], cv=3, n_jobs=1)
    assert "classes is too large to be read, and is left out" in made.to_html()


def test_where_one_class_has_most_rows_all_is_judged_by_auc() -> None:
    draw = np.random.default_rng(5)
    X = pd.DataFrame({"a": draw.random(600).round(2), "b": draw.random(600).round(2)})
    y = pd.Series(np.where(draw.random(600) < 0.03 + 0.25 * (X["a"] > 0.7), "yes", "no"), name="late")
    found = tw.report(X, y, algorithms=["cart", "logistic"], cv=3, n_jobs=1)
    assert (found.comparison.scoring, found.comparison.best) == ("auc", "logistic")
    page = found.to_markdown()
    assert "91 % of the rows are no, which a guess says of all: learners are judged by AUC, not by accuracy." in page
    assert "A guess that looks at no column has AUC 0.500." in page
    assert "no better than a guess" not in page
    assert "| training rows | AUC of cart | AUC of logistic |" in page
    even = tw.report(X, pd.Series(np.where(X["a"] > 0.5, "yes", "no")), algorithms=["cart"], cv=2, n_jobs=1)
    assert even.comparison.scoring == "accuracy"
