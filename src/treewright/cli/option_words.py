"""What the library says in the words of Python, in those of the command line."""

from __future__ import annotations

import re
from collections.abc import Callable

_WORDS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"column_kinds=\{'([^']+)': '(\w+)'\}"), r"--kind \1=\2"),
    (re.compile(r"missing_values=\[('[^']*'|[^\]]*)\]"), r"--missing-value \1"),
    (re.compile(r"drop\(columns='([^']+)'\)"), r"--ignore \1"),
    (re.compile(r"print\(model\.summary\(\)\)"), "treewright show MODEL"),
    (
        re.compile(r"model = tw\.conformal\(model, X, y\) with (.*); with new rows say cv='prefit'"),
        r"treewright conformal MODEL DATA --out FILE with \1; with new rows say --unseen",
    ),
    (re.compile(r"model\.rules\(\)"), "treewright show MODEL --rules"),
    (
        re.compile(r"Got unexpected extra arguments? \((\S+\.\w+.*)\)"),
        r"One table is taken, not \1 too. Join the files first.",
    ),
    (re.compile(r"'not_class' is "), "--not is "),
    (re.compile(r"Pass it as db= and give"), "Pass it as --db and give"),
    (
        re.compile(r"predicts (\w+), so there is no '(\w+?)(?:_class)?'\. Use '(\w+?)(?:_class)?'(?: or 'above')?\."),
        lambda found: f"predicts {found[1]}, so there is no --{found[2]}. Use {_ways(found[3])}.",
    ),
    (
        re.compile(r"but y holds numbers with fractions\. Use the regressor, or turn y into text or integers\."),
        "but the target holds numbers with fractions. Leave out --task classification, or write it as text or as whole "
        "numbers.",
    ),
    (re.compile(r"positive, cut_off and costs"), "--positive, --cut-off and --costs"),
    (re.compile(r"Pass a file that tw\.save wrote"), "Pass a file that treewright train --out wrote"),
    (re.compile(r"Use tw\.load to open it"), "treewright show prints it"),
    (re.compile(r"\bmissing='(\w+)'"), r"--set missing=\1"),
    (re.compile(r"\buse C45Classifier, which"), "use --algorithm c45, which"),
    (re.compile(r"\bcolumn_kinds\b"), "--kind"),
    (re.compile(r"\bmissing_values\b"), "--missing-value"),
)


def _ways(first: str) -> str:
    return f"--{first}" if first == "not" else "--below or --above"


def in_options(text: str) -> str:
    """Give a text with options in the place of parameters.

    Examples
    --------
    >>> in_options("Make it a number, or train with column_kinds={'zip': 'nominal'}.")
    'Make it a number, or train with --kind zip=nominal.'
    >>> in_options("Pass missing_values=['n/a'] if it means a missing value, or leave 'a' out of column_kinds.")
    "Pass --missing-value 'n/a' if it means a missing value, or leave 'a' out of --kind."
    >>> in_options("This model predicts classes, so there is no 'below'. Use 'not_class'.")
    'This model predicts classes, so there is no --below. Use --not.'
    >>> in_options("Fill it, or choose missing='branch'.")
    'Fill it, or choose --set missing=branch.'
    >>> in_options("Got unexpected extra argument (b.csv)")
    'One table is taken, not b.csv too. Join the files first.'
    """
    for pattern, words in _WORDS:
        text = pattern.sub(words, text)
    return text
