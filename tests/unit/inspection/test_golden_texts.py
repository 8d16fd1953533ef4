"""What why, rules and diff say about the tables of the lecture, word for word."""

from __future__ import annotations

from typing import Any

import pytest

import treewright as tw


def table(name: str) -> Any:
    return getattr(tw.datasets, f"load_{name}")(return_X_y=True)


def test_why_a_guest_does_not_wait() -> None:
    X, y = table("restaurant")
    assert (
        str(tw.ID3Classifier().fit(X, y).why(X.iloc[1]))
        == """\
F, because Pat is Full and Hun is T and Type is Thai and Fri is F; the only training row like it was
F.

  on the way         this row  rows  what they are
  all training rows              12  F 50 %, T 50 %
  Pat is Full        Full         6  F 67 %, T 33 %
  Hun is T           T            4  F 50 %, T 50 %
  Type is Thai       Thai         2  F 50 %, T 50 %
  Fri is F           F            1  F 100 %

It would be T if Type goes from Thai to Burger; the only training row like it was T."""
    )


def test_why_a_lemon_is_no_apple() -> None:
    X, y = table("fruit")
    lemon = {"shape": "round", "color": "yellow", "taste": "sour", "leaf": "yes"}
    assert (
        str(tw.ID3Classifier().fit(X, y).why(lemon, not_class="apple"))
        == """\
lemon, because shape is round and color is yellow; the only training row like it was lemon.

  on the way         this row  rows  what they are
  all training rows               5  apple 40 %, banana 40 %, lemon 20 %
  shape is round     round        3  apple 67 %, lemon 33 %
  color is yellow    yellow       1  lemon 100 %

Why not apple? It would be apple if color goes from yellow to green; the only training row like it
was apple."""
    )


def test_kept_candidates_are_told_at_every_step() -> None:
    X, y = table("restaurant")
    assert (
        str(tw.DecisionTreeClassifier(keep_candidates=True).fit(X, y).why(X.iloc[1], fixed=["Fri", "Price"]))
        == """\
F, because Pat is Full or None and Hun is T and Fri is F; the only training row like it was F.

  on the way           this row  rows  what they are   next best test                 as good
  all training rows                12  F 50 %, T 50 %  Hun: F | T                        51 %
  Pat is Full or None  Full         8  F 75 %, T 25 %  Est: 0-10, >60 | 10-30, 30-60    100 %
  Hun is T             T            4  F 50 %, T 50 %  Price: $$$ | $                   100 %
  Fri is F             F            1  F 100 %

It would be T if Pat goes from Full to Some; 4 of 4 training rows like it were T."""
    )


def test_conditions_on_the_same_column_are_one_interval() -> None:
    X, y = table("bankruptcy")
    assert (
        str(tw.DecisionTreeClassifier().fit(X, y).why(X.iloc[0]))
        == """\
No, because 1.5 < late_payments <= 5 and expense_ratio <= 0.9; 3 of 3 training rows like it were No.

  on the way            this row  rows  what they are
  all training rows                 14  No 50 %, Yes 50 %
  late_payments > 1.5   3           10  Yes 70 %, No 30 %
  expense_ratio <= 0.9  0.2          6  No 50 %, Yes 50 %
  late_payments <= 5    3            3  No 100 %

It would be Yes if late_payments goes from 3 to 6 (late_payments > 5); 3 of 3 training rows like it
were Yes."""
    )


def test_a_row_in_pieces_says_so() -> None:
    X, y = table("tennis")
    row = {**X.iloc[0].to_dict(), "Outlook": None}
    assert (
        str(tw.C45Classifier().fit(X, y).why(row))
        == """\
Yes, because Wind is Weak and Outlook is missing; it is spread over 3 leaves, 36 % of it in the
largest.

  on the way         this row  rows  what they are
  all training rows              14  Yes 64 %, No 36 %
  Outlook is Rain    missing      5  Yes 60 %, No 40 %
  Wind is Weak       Weak         3  Yes 100 %

Outlook is missing: at node 0 the row goes down every branch, in pieces as large as the branches.

It would be No if Wind goes from Weak to Strong."""
    )


def test_the_rules_of_the_restaurant() -> None:
    X, y = table("restaurant")
    assert (
        str(tw.ID3Classifier().fit(X, y).rules())
        == """\
IF Pat is Full AND Hun is F THEN F  (2 rows, support 17 %, confidence 100 % (34 % to 100 %), lift 2)
IF Pat is Full AND Hun is T AND Type is Burger THEN T  (1 row, support 8 %, confidence 100 % (21 % to 100 %), lift 2)
IF Pat is Full AND Hun is T AND Type is French THEN F  (0 rows, support 0 %)
IF Pat is Full AND Hun is T AND Type is Italian THEN F  (1 row, support 8 %, confidence 100 % (21 % to 100 %), lift 2)
IF Pat is Full AND Hun is T AND Type is Thai AND Fri is F THEN F  (1 row, support 8 %, confidence 100 % (21 % \
to 100 %), lift 2)
IF Pat is Full AND Hun is T AND Type is Thai AND Fri is T THEN T  (1 row, support 8 %, confidence 100 % (21 % \
to 100 %), lift 2)
IF Pat is None THEN F  (2 rows, support 17 %, confidence 100 % (34 % to 100 %), lift 2)
IF Pat is Some THEN T  (4 rows, support 33 %, confidence 100 % (51 % to 100 %), lift 2)"""
    )


def test_the_rules_of_the_fruit_as_markdown() -> None:
    X, y = table("fruit")
    assert (
        tw.ID3Classifier().fit(X, y).rules().sorted("lift").to_markdown()
        == """\
| if | then | rows | support | confidence | lift |
|:---|:---|---:|---:|---:|---:|
| shape is round AND color is yellow | lemon | 1 | 20 % | 100 % (21 % to 100 %) | 5 |
| shape is curved | banana | 2 | 40 % | 100 % (34 % to 100 %) | 2.5 |
| shape is round AND color is green | apple | 1 | 20 % | 100 % (21 % to 100 %) | 2.5 |
| shape is round AND color is red | apple | 1 | 20 % | 100 % (21 % to 100 %) | 2.5 |
"""
    )


def test_id3_and_cart_on_the_credit_table() -> None:
    X, y = table("credit_risk")
    found = tw.diff(tw.ID3Classifier().fit(X, y), tw.DecisionTreeClassifier().fit(X, y), X)
    assert (
        found.to_text(width=140)
        == """\
0 splits are the same, 3 moved, 1 lost, 2 new.

  split  in a                                          in b                                         rows in a  rows in b
  cut    income: $0 to $15k | $15 to $35k | over $35k  income: $0 to $15k, $15 to $35k | over $35k         14         14
  cut    credit_history: bad | good | unknown          credit_history: bad | good, unknown                  6          6
  place  debt: high | low                              debt: high | low                                     2          3
  lost   credit_history: bad | good | unknown                                                               4
  new                                                  income: $0 to $15k | $15 to $35k                                8
  new                                                  credit_history: bad, unknown | good                             4

None of 14 rows changes its answer."""
    )


def test_a_smaller_tree_loses_a_split_and_three_rows_change() -> None:
    X, y = table("bankruptcy")
    full, small = tw.DecisionTreeClassifier().fit(X, y), tw.DecisionTreeClassifier(max_depth=2).fit(X[1:], y[1:])
    assert (
        str(tw.diff(full, small, X))
        == """\
2 splits are the same, 0 moved, 1 lost, 0 new.

  split  in a                  in b                  rows in a  rows in b
  same   late_payments <= 1.5  late_payments <= 1.5         14         13
  same   expense_ratio <= 0.9  expense_ratio <= 0.9         10          9
  lost   late_payments <= 5                                  6

3 of 14 rows change their answer (21 %): No → Yes 3. They are rows 1, 3, 4."""
    )


@pytest.mark.parametrize("name", ["restaurant", "fruit", "tennis", "credit_risk", "bankruptcy"])
def test_every_page_is_whole_and_asks_nobody(name: str) -> None:
    X, y = table(name)
    model = tw.DecisionTreeClassifier().fit(X, y)
    for page in (model.why(X.iloc[0]), model.rules(), tw.diff(model, model, X), model.holdout_leaves(X, y)):
        html = page.to_html()
        assert html.startswith("<!DOCTYPE html>")
        assert html.rstrip().endswith("</html>")
        assert "http" not in html.replace("<meta http-equiv=", "")  # the policy that forbids to load anything
        assert "<script" not in html
        assert page._repr_html_() in html
