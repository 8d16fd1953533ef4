"""How a lesson looks: aligned text, Markdown, one HTML page, JSON."""

from __future__ import annotations

import json
import math
from html.parser import HTMLParser

import pandas as pd
import pytest

import treewright as tw
from treewright.errors import DataError
from treewright.lesson.measures import fixed, p_text
from treewright.pages.blocks import Heading, Paragraph, Table, Verbatim, Working
from treewright.pages.markdown_page import write_markdown
from treewright.pages.text_page import write_text

NASTY = "<script>alert('x')</script> | *a* `b` & _c_"


@pytest.fixture(scope="module")
def tennis() -> tw.Lesson:
    X, y = tw.datasets.load_tennis(return_X_y=True)
    return tw.lesson(X, y, "cart", criterion="entropy")


@pytest.fixture(scope="module")
def nasty() -> tw.Lesson:
    """Names and values that mean something in Markdown and HTML."""
    frame = pd.DataFrame({NASTY: ["<b>", "|", "<b>", "|"], "two\nlines": ["`x`", "y", "y", "`x`"]})
    return tw.lesson(frame, pd.Series(["<i>", "*", "<i>", "*"], name="<target>"), "cart")


ROOT = """\
Node 0: the root
----------------

14 rows: No 5, Yes 9.

  H = − 5/14·log2(5/14) − 9/14·log2(9/14) = 0.9403 bits

  column       branch       rows  No  Yes  entropy
  Outlook      Rain, Sunny    10   5    5   1.0000
               Overcast        4   0    4   0.0000
  Temperature  Hot             4   2    2   1.0000
               Cool, Mild     10   3    7   0.8813
  Humidity     High            7   4    3   0.9852
               Normal          7   1    6   0.5917
  Wind         Strong          6   3    3   1.0000
               Weak            8   2    6   0.8113

  Outlook is Rain, Sunny: 10/14·1.0000 + 4/14·0.0000 = 0.7143
  Temperature is Hot: 4/14·1.0000 + 10/14·0.8813 = 0.9152
  Humidity is High: 7/14·0.9852 + 7/14·0.5917 = 0.7885
  Wind is Strong: 6/14·1.0000 + 8/14·0.8113 = 0.8922

  test                    remainder    gain
> Outlook is Rain, Sunny     0.7143  0.2260
  Temperature is Hot         0.9152  0.0251
  Humidity is High           0.7885  0.1518
  Wind is Strong             0.8922  0.0481

Chosen: Outlook is Rain, Sunny. Why: it has the largest gain.

  Outlook is Rain or Sunny → node 1
  Outlook is Overcast → node 12
"""


def test_the_root_of_tennis_is_written_as_a_teacher_would(tennis: tw.Lesson) -> None:
    assert ROOT in tennis.text
    assert str(tennis) == tennis.text


def test_every_line_fits_a_terminal_of_eighty_columns(tennis: tw.Lesson) -> None:
    assert max(map(len, tennis.text.splitlines())) <= 80
    assert max(map(len, tennis.to_text(width=60).splitlines())) <= 60


def test_ascii_text_has_nothing_else(tennis: tw.Lesson) -> None:
    assert tennis.to_text(ascii=True).isascii()


def test_nats_change_the_numbers_and_not_the_tree() -> None:
    X, y = tw.datasets.load_tennis(return_X_y=True)
    bits, nats = (tw.lesson(X, y, "cart", criterion="entropy", base=base) for base in (2, "e"))
    assert "ln(9/14) = 0.6518 nats" in nats.text
    for one, other in zip(bits.to_dict()["nodes"], nats.to_dict()["nodes"], strict=True):
        assert one["winner"] == other["winner"]
        for a, b in zip(one["candidates"], other["candidates"], strict=True):
            assert b["measures"] == pytest.approx({name: v * math.log(2) for name, v in a["measures"].items()})


def test_an_unknown_base_is_refused_with_the_known_ones() -> None:
    with pytest.raises(DataError, match="base=2 for bits or base='e' for nats"):
        tw.lesson([["a"], ["b"]], ["x", "y"], "cart", base=10)


def test_json_holds_every_number_of_the_root(tennis: tw.Lesson) -> None:
    read = json.loads(tennis.to_json())
    root = read["nodes"][0]
    assert root["counts"] == {"No": 5.0, "Yes": 9.0}
    assert root["entropy"] == pytest.approx(0.9403, abs=5e-5)
    assert root["winner"] == "Outlook"
    offer = root["candidates"][0]
    assert [branch["label"] for branch in offer["branches"]] == ["Rain, Sunny", "Overcast"]
    assert offer["measures"] == pytest.approx({"remainder": 0.7143, "gain": 0.2260}, abs=5e-5)
    assert read["tree"] == json.loads(tennis.grown.tree_.to_json())
    assert read["hypotheses"]["functions"] == 2**36
    assert read == json.loads(json.dumps(tennis.to_dict()))


class _Page(HTMLParser):
    """Collects the tags and the text of a page, and complains about tags that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.words: list[str] = []
        self.links: set[str] = set()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links |= {str(value)[1:] for name, value in attrs if name == "href"}
        self.names |= {str(value) for name, value in attrs if name == "id"}
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def parse(html: str) -> _Page:
    page = _Page()
    page.feed(html)
    page.close()
    assert not page.open
    return page


def test_html_is_one_whole_page_without_scripts_or_links_to_elsewhere(tennis: tw.Lesson) -> None:
    page = parse(tennis.html())
    assert not page.tags & {"script", "link", "img", "iframe"}
    assert {"table", "h1", "h2", "pre", "nav"} <= page.tags
    assert page.links <= page.names
    assert "http" not in tennis.html().replace("<meta http-equiv=", "")  # the policy that forbids to load anything


def test_names_and_values_cannot_become_html(nasty: tw.Lesson) -> None:
    page = parse(nasty.html())
    assert not page.tags & {"script", "b", "i"}
    assert any(NASTY in text for text in page.words)


def test_names_and_values_cannot_become_markdown(nasty: tw.Lesson) -> None:
    page = nasty.markdown()
    for line in page.splitlines():
        if line.startswith("|"):
            plain = line.replace("\\|", "")
            assert plain.count("|") == plain.count(" | ") + 2 or "---" in line
    assert "<script>" not in page.split("```")[0]
    assert "\\<script\\>" in page


def test_text_of_a_nasty_table_stays_on_its_lines(nasty: tw.Lesson) -> None:
    assert "two\\nlines" in nasty.text
    assert "two\nlines" not in nasty.text


def test_a_long_name_is_clipped_in_a_table_and_numbers_are_not() -> None:
    table = Table(("column", "gain"), (("a very long name " * 8, "0.12345678901234567890"),), frozenset({1}))
    line = write_text([table], width=60).splitlines()[1]
    assert len(line) <= 60
    assert line.endswith("0.12345678901234567890")


def test_wide_characters_keep_columns_under_each_other() -> None:
    rows = (("東京", "1.0"), ("Ulm", "2.0"))
    lines = write_text([Table(("city", "gain"), rows, frozenset({1}))]).splitlines()
    assert [line.endswith(end) for line, end in zip(lines, ("gain", " 1.0", " 2.0"), strict=True)] == [True] * 3
    assert lines[1].index("1.0") == lines[2].index("2.0") - 2  # two characters, four cells


def test_markdown_has_a_fence_longer_than_any_inside() -> None:
    page = write_markdown([Heading(1, "t"), Paragraph("p"), Working(("a = 1",)), Verbatim("```")])
    assert "````text\n```\n````" in page


@pytest.mark.parametrize(
    ("log_p", "text"),
    [(math.log(0.05), "0.0500"), (math.log(9.99e-5), "1.0e-04"), (-2000.0, "2.6e-869"), (0.0, "1.0000")],
)
def test_p_values_are_written_from_their_logarithm(log_p: float, text: str) -> None:
    assert p_text(log_p) == text


def test_numbers_have_four_decimals_and_no_minus_before_zero() -> None:
    assert [fixed(value) for value in (0.25, -1e-15, 1234.56, math.inf)] == ["0.2500", "0.0000", "1234.6", "inf"]


def test_a_long_lesson_says_what_it_leaves_out() -> None:
    X, y = tw.datasets.load_glass(return_X_y=True)
    found = tw.lesson(X, y, "cart", max_nodes=3)
    assert len(found.nodes) == 3
    assert "Explained so far: 3 of 99 nodes." in found.text
    assert repr(found) == "<Lesson in CART: Type, 3 of 99 nodes>"
