"""A tree asks only what it needs, and answers as the model does; the page in a browser does the same."""

from __future__ import annotations

import html
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from thorough import some
from treewright.errors import DataError
from treewright.inspection.decision_path import read_row, walk

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def table(rows: int = 120, seed: int = 0) -> tuple[pd.DataFrame, pd.Series, pd.DataFrame]:
    """Numbers, levels with odd names, ordered levels, dates and holes; and rows to be asked about."""
    rng = np.random.default_rng(seed)

    def draw(n: int, more: list[str]) -> pd.DataFrame:
        frame = pd.DataFrame(
            {
                "size </script>": rng.integers(0, 20, n) / 2,
                "colour 😀": rng.choice(["red", "<b>green", "blue & white", *more], n),
                "grade": pd.Categorical(rng.choice(["low", "mid", "top"], n), ["low", "mid", "top"], ordered=True),
                "born": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
                "weight": rng.normal(50, 9, n).round(3),
            }
        )
        return frame.mask(rng.random(frame.shape) < 0.15)

    X = draw(rows, [])
    late = X["born"].fillna(pd.Timestamp("2020-01-01")) > "2021-03-01"
    score = X["size </script>"].fillna(4) + 3 * (X["colour 😀"] == "red") + 2 * late + X["weight"].fillna(50) / 9
    return X, score, draw(40, ["never seen"])


MODELS: dict[str, Any] = {
    "cart": lambda: tw.DecisionTreeClassifier(max_depth=6),
    "branch": lambda: tw.DecisionTreeClassifier(missing="branch", max_depth=6),
    "stop": lambda: tw.DecisionTreeClassifier(missing="stop", max_depth=6),
    "surrogates": lambda: tw.DecisionTreeClassifier(missing="surrogates", max_depth=6),
    "c45": lambda: tw.C45Classifier(min_samples_leaf=2),
    "chaid": lambda: tw.CHAIDClassifier(min_samples_split=10, min_samples_leaf=3, alpha_split=0.5),
    "oblique": lambda: tw.ObliqueTreeClassifier(prune=None, max_depth=5),
    "regression": lambda: tw.DecisionTreeRegressor(max_depth=5),
    "model tree": lambda: tw.ModelTreeRegressor(),
}


def fitted(name: str) -> tuple[Any, pd.DataFrame]:
    X, score, rows = table()
    is_number = name in ("regression", "model tree")
    y = score if is_number else pd.cut(score, [-99, 11, 14, 99], labels=["few", "some", "</script>many"]).astype(str)
    return MODELS[name]().fit(X, y.rename("how many")), rows


@pytest.mark.parametrize("name", MODELS)
def test_answering_every_question_gives_the_answer_of_the_model(name: str) -> None:
    model, rows = fitted(name)
    answers = model.predict(rows)
    for i in range(len(rows)):
        asking = tw.questionnaire(model)
        while asking.question is not None:
            value = rows.iloc[i][asking.question.name]
            asking.answer(None if pd.isna(value) else value)
        expected = answers[i]
        found = asking.result.prediction
        assert found == (pytest.approx(expected) if isinstance(found, float) else expected)
        assert len(asking.answers) == len(set(asking.answers)) <= len(rows.columns)


@pytest.mark.parametrize("name", ["cart", "branch", "stop", "chaid", "regression"])
def test_only_columns_on_the_way_of_the_row_are_asked_for(name: str) -> None:
    model, rows = fitted(name)
    for i in range(len(rows)):
        asking = tw.questionnaire(model)
        while (question := asking.question) is not None:
            value = rows.iloc[i][question.name]
            asking.answer(None if pd.isna(value) else value)
        steps, _ = walk(model.tree_, read_row(model._lookup.encoder, rows.iloc[i]).numbers)
        on_the_way = {rows.columns[model.tree_.arrays["column"][step.node]] for step in steps}
        assert set(asking.answers) == on_the_way


def test_a_text_that_people_type_is_understood() -> None:
    X = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "ok": [True, False, True, False]})
    asking = tw.questionnaire(tw.DecisionTreeClassifier().fit(X, list("aabb")))
    for text, answer in (("1,5", "a"), (" 3.5 ", "b"), ("1,000.5", "b")):
        asking.start_again()
        asking.answer(text)
        assert asking.result.prediction == answer
    asking.start_again()
    with pytest.raises(DataError, match="'two' is no number, but age needs one"):
        asking.answer("two")
    flags = tw.questionnaire(tw.DecisionTreeClassifier().fit(X[["ok"]], list("abab")))
    flags.answer("true")
    assert flags.result.prediction == "a"
    with pytest.raises(DataError, match="Nothing is asked any more"):
        flags.answer("true")


def test_forests_are_refused_with_the_way_to_one_tree() -> None:
    forest = tw.RandomForestClassifier(2).fit([[1], [2]], ["a", "b"])
    with pytest.raises(DataError, match=r"model\.trees_\[0\]"):
        tw.questionnaire(forest)
    assert tw.questionnaire(forest.trees_[0]).tree.n_nodes >= 1


def test_the_page_holds_no_request_and_no_markup_of_names(tmp_path: Path) -> None:
    model, _ = fitted("cart")
    tw.questionnaire(model).save(tmp_path / "q.html", title="</title><script>alert(1)</script>")
    page = (tmp_path / "q.html").read_text(encoding="utf-8")
    assert page.count("<script") == page.count("</script>") == 2
    assert "default-src 'none'" in page
    assert not any(sign in page for sign in ("http://", "https://", "src=", "<link", "import("))


def page_answers(name: str, tmp_path: Path) -> tuple[list[Any], Any, pd.DataFrame]:
    """Let the script of the page answer rows: a second script gives it the values it asks for."""
    assert BROWSER is not None
    model, rows = fitted(name)
    page = tw.questionnaire(model).to_html()
    numbers = [
        [None if x != x else x for x in read_row(model._lookup.encoder, rows.iloc[i]).numbers] for i in range(len(rows))
    ]
    script = f"""<script>
    const found = {json.dumps(numbers)}.map((row) => {{
      answers = [];
      for (let state = walk(); ; state = walk()) {{
        if (state.ends) {{ const a = answerOf(state.ends); return tree.classes ? tree.classes[a.best] : a.value; }}
        answers.push({{ column: state.ask, value: row[state.ask], text: "" }});
      }}
    }});
    answers = []; show();
    document.body.replaceChildren(JSON.stringify(found));
    </script></body>"""
    path = tmp_path / "page.html"
    path.write_text(page.replace("</body>", script), encoding="utf-8")
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run([BROWSER, *flags, path.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    body = done.stdout[done.stdout.index("<body>") + 6 : done.stdout.rindex("</body>")]
    return json.loads(html.unescape(body)), model, rows


if BROWSER is not None:  # the script can only run where a browser is

    @pytest.mark.parametrize("name", some(["cart", "surrogates", "c45", "chaid", "oblique", "stop", "model tree"], 3))
    def test_the_page_answers_as_the_model_does(name: str, tmp_path: Path) -> None:
        found, model, rows = page_answers(name, tmp_path)
        expected = model.predict(rows).tolist()
        assert found == (pytest.approx(expected) if isinstance(expected[0], float) else expected)
