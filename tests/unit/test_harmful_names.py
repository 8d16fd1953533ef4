"""Names, levels and classes of a table are data on every page and picture: whatever they say, nothing runs."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import treewright as tw

HARM = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&"
DRAW = np.random.default_rng(0)
X = pd.DataFrame({f"number {HARM}": DRAW.normal(size=80).round(2), f"level {HARM}": DRAW.choice([HARM, "b", "c"], 80)})
Y = pd.Series(np.where(X.iloc[:, 0] > 0, f"yes {HARM}", "no"), name=f"class {HARM}")


class Elements(HTMLParser):
    """Counts scripts and pictures, and attributes that would run something."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts, self.images, self.running = 0, 0, 0

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.scripts += tag == "script"
        self.images += tag == "img" and dict(attributes).get("src") == "x"
        self.running += any(name.startswith("on") for name, _ in attributes)


def elements(page: str) -> Elements:
    found = Elements()
    found.feed(page)
    return found


def tree_page(X: Any, y: Any, file: Path) -> str:
    tw.draw(tw.DecisionTreeClassifier(max_depth=3).fit(X, y), file)
    return file.read_text("utf-8")


def questions(X: Any, y: Any, file: Path) -> str:
    tw.questionnaire(tw.DecisionTreeClassifier(max_depth=3).fit(X, y)).save(file)
    return file.read_text("utf-8")


def report_page(X: Any, y: Any, file: Path) -> str:
    return str(tw.report(X, y, algorithms=["cart"], cv=2, n_jobs=1).to_html())


def lesson_page(X: Any, y: Any, file: Path) -> str:
    return str(tw.lesson(X[:12], y[:12], "cart").html())


@pytest.mark.parametrize("write", [tree_page, questions, report_page, lesson_page])
def test_a_harmful_name_adds_no_script_to_a_page(write: Any, tmp_path: Path) -> None:
    page = write(X, Y, tmp_path / "page.html")
    plain = write(X.set_axis(["a", "b"], axis=1), pd.Series(np.where(Y == "no", "no", "yes")), tmp_path / "plain.html")
    found, ours = elements(page), elements(plain).scripts
    assert (found.scripts, found.images) == (ours, 0)
    assert ours or not found.running
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src" in policy[1]
    assert ours or "script-src" not in policy[1]
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)


def test_a_harmful_name_is_text_in_a_picture() -> None:
    picture = tw.draw(tw.DecisionTreeClassifier(max_depth=3).fit(X, Y)).to_svg()
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(picture).iter()}
    assert not tags & {"script", "img", "image", "foreignObject"}
