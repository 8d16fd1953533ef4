"""What the library says in the words of Python, in those of the command line."""

from __future__ import annotations

import re

_WORDS = (
    (re.compile(r"column_kinds=\{'([^']+)': '(\w+)'\}"), r"--kind \1=\2"),
    (re.compile(r"missing_values=\[('[^']*'|[^\]]*)\]"), r"--missing-value \1"),
    (re.compile(r"drop\(columns='([^']+)'\)"), r"--ignore \1"),
    (re.compile(r"print\(model\.summary\(\)\)"), "treewright show MODEL"),
    (re.compile(r"model\.rules\(\)"), "treewright show MODEL --rules"),
    (re.compile(r"\bcolumn_kinds\b"), "--kind"),
    (re.compile(r"\bmissing_values\b"), "--missing-value"),
)


def in_options(text: str) -> str:
    """Give a text with options in the place of parameters.

    Examples
    --------
    >>> in_options("Make it a number, or train with column_kinds={'zip': 'nominal'}.")
    'Make it a number, or train with --kind zip=nominal.'
    >>> in_options("Pass missing_values=['n/a'] if it means a missing value, or leave 'a' out of column_kinds.")
    "Pass --missing-value 'n/a' if it means a missing value, or leave 'a' out of --kind."
    """
    for pattern, words in _WORDS:
        text = pattern.sub(words, text)
    return text
