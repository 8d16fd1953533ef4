"""Numbers, shares and names as people read them, the same in every text, and the order of numbers for people."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

# Numbers, shares and names as people read them, the same in every text that shows a tree.


# Where wide characters and accents may be: all but the Latin letters and the signs that trees are drawn with.
_UNUSUAL = re.compile("[\u0300-\u1fff\u2e80-\U0010ffff]")


def number_text(value: float, digits: int = 6) -> str:
    """Write a number with so many significant digits, never fewer than its whole part and one decimal.

    A threshold lies between two values of the table; cut to a whole number it could name the wrong side.

    Parameters
    ----------
    value : float
    digits : int, default 6
        Significant digits. 17 gives back exactly the same float.

    Examples
    --------
    >>> number_text(41.5), number_text(3.0), number_text(1 / 3), number_text(1234567.5)
    ('41.5', '3', '0.333333', '1234567.5')
    >>> number_text(1 / 3, digits=17), number_text(1e-9), number_text(float("inf"))
    ('0.3333333333333333', '1e-09', 'inf')
    """
    if not math.isfinite(value):
        return str(float(value))
    value = float(value) + 0.0  # no minus before a zero
    size = abs(value)
    if digits >= 17 or size >= 1e16 or 0 < size < 1e-4:
        text = repr(value) if digits >= 17 else f"{value:.{digits}g}"
        return text.removesuffix(".0")
    whole = len(str(int(size)))
    precision = max(digits, whole + 1)
    return np.format_float_positional(value, precision=precision, unique=True, fractional=False, trim="-")


def measured_text(value: float, digits: int = 4) -> str:
    """Write what was measured, in the unit of the target, as people do: 23,790 and not 2.379e+04.

    So many significant digits, but never fewer than the whole part has; e-notation only for what no one would read.

    Examples
    --------
    >>> [measured_text(value) for value in (23790.4, 9999.96, 3.4, 0.01234)], measured_text(1 / 3, 2)
    (['23,790', '10,000', '3.400', '0.01234'], '0.33')
    >>> measured_text(1e-9), measured_text(float("nan")), measured_text(-1234.5)
    ('1e-09', '-', '-1,234')
    """
    if value != value:
        return "-"
    size = abs(value)
    if math.isinf(value) or size >= 1e15 or 0 < size < 1e-4:
        return f"{value:.{digits}g}"
    first = 0 if size == 0 else math.floor(math.log10(float(f"{size:.{digits}g}")))  # the place of the first digit
    return f"{value:,.{max(digits - 1 - first, 0)}f}"


def estimate_text(value: float, digits: int = 4) -> str:
    """Write an estimate as `measured_text` does, but without zeros at its end: a column of them is read by their size.

    Examples
    --------
    >>> [estimate_text(value) for value in (23790.4, 1234.5, 3.4, 0.01234, 0.0)], estimate_text(1e-9, 3)
    (['23,790', '1,234', '3.4', '0.01234', '0'], '1e-09')
    """
    text = measured_text(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def mean_text(value: float, digits: int = 4) -> str:
    """Write a mean, a median or a spread of a node, in the unit of the target, as measures are written.

    Examples
    --------
    >>> [mean_text(value) for value in (113706.5, 9999.96, 23.446, 3.0)], mean_text(1 / 3, digits=17)
    (['113,706', '10,000', '23.45', '3'], '0.3333333333333333')
    >>> mean_text(-0.0), mean_text(float("inf"))
    ('0', 'inf')
    """
    return number_text(value, digits) if digits >= 17 else estimate_text(value + 0.0, digits)


def signed_text(value: float, digits: int = 4) -> str:
    """Write a change, with its sign.

    >>> signed_text(0.25, 3), signed_text(-1234.5), signed_text(0.0)
    ('+0.25', '-1,234', '0')
    """
    return f"{'+' if value > 0 else ''}{estimate_text(value, digits)}"


def even_texts(values: Sequence[float], digits: int = 4, signed: bool = False) -> list[str]:
    """Write numbers that stand under each other with the same decimals: the largest has so many digits.

    What is nothing in these decimals has no sign. Where `measured_text` takes e-notation for the largest, all have it.

    Parameters
    ----------
    values : sequence of numbers
    digits : int, default 4
        Significant digits of the largest of them, but never fewer than its whole part has.
    signed : bool, default False
        Whether they are changes, and a plus stands before those above zero.

    Examples
    --------
    >>> even_texts([0.48, -0.0468, 4e-05, 1e-9], signed=True), even_texts([23790.4, 3.4])
    (['+0.4800', '-0.0468', '0.0000', '0.0000'], ['23,790', '3'])
    >>> even_texts([]), even_texts([2e-6, -1e-7]), even_texts([0.0, 0.0])
    ([], ['2e-06', '-1e-07'], ['0.000', '0.000'])
    """
    largest = measured_text(max((abs(value) for value in values), default=0.0), digits)
    sign = "+" if signed else ""
    if "e" in largest or not largest[-1].isdigit():  # infinity, or no number
        return [f"{sign if value > 0 else ''}{measured_text(value, digits)}" for value in values]
    decimals = len(largest.partition(".")[2])
    rounded = [round(float(value), decimals) + 0.0 for value in values]  # no minus before a zero
    return [f"{sign if value > 0 else ''}{value:,.{decimals}f}" for value in rounded]


def share_text(share: float) -> str:
    """Write a share in percent; 100 % is said only of everything and 0 % only of nothing.

    >>> share_text(0.883), share_text(1.0), share_text(0.9999), share_text(0.0001)
    ('88 %', '100 %', '>99 %', '<1 %')
    """
    percent = round(100 * share)
    if percent >= 100 and share < 1:
        return ">99 %"
    if percent <= 0 and share > 0:
        return "<1 %"
    return f"{percent} %"


def rows_text(count: int) -> str:
    """Write how many rows there are.

    >>> rows_text(1), rows_text(1309)
    ('1 row', '1,309 rows')
    """
    return "1 row" if count == 1 else f"{count:,} rows"


@lru_cache(maxsize=4096, typed=True)  # typed: 1 and True are two names
def name_text(name: Hashable) -> str:
    """Write a name or a level on one line: line ends and other unprintable characters are spelled out.

    >>> name_text("two\\nlines"), name_text(""), name_text(True)
    ('two\\\\nlines', "''", 'True')
    """
    text = str(name)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return f"'{text}'" if text != text.strip() or not text else text


def clip(text: str, limit: int, dots: str = "…") -> str:
    """Shorten a text in its middle, between words, so that its first words and its last (the number of a test) stay.

    A word is cut inside only where it is most of what would be left.

    >>> clip("a_very_long_column_name <= 41.5", 20), clip("credit_history is delayed previously or paid", 30)
    ('a_very_…<= 41.5', 'credit_history…or paid')
    """
    if len(text) <= limit:
        return text
    room = max(limit - len(dots), 2)
    tail = min(room // 2, 40)
    head, end = text[: room - tail + 1], text[-tail - 1 :]  # with the letter beyond, which may be where a word ends
    starts = [found.start() for found in _WORD_END.finditer(head) if found.start() >= _KEPT * (room - tail)]
    ends = [found.start() for found in _WORD_END.finditer(end) if 1 <= found.start() <= (1 - _KEPT) * tail + 1]
    head = head[: starts[-1]] if starts else head[:-1]
    return head.rstrip() + dots + (end[ends[0] :] if ends else end[1:]).lstrip()


_WORD_END = re.compile(r"(?<=[\s_\-/,.])(?=\S)|(?<=\S)(?=\s)|(?<=[a-z])(?=[A-Z])")
_KEPT = 0.4  # of what fits, at the least


def cells(text: str) -> int:
    """Count the cells of a terminal that a text fills: two for each wide (East Asian) character, none for accents.

    >>> cells("abc"), cells("東京"), cells("é" + chr(0x301))
    (3, 4, 1)
    """
    if not _UNUSUAL.search(text):
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def padded(text: str, width: int) -> str:
    """Fill a text up with spaces until it takes so many cells of a terminal.

    >>> padded("東京", 6) + "|"
    '東京  |'
    """
    return text + " " * (width - cells(text))


def fact_texts(n: int, share: float | None, answer: Any, is_class: bool) -> tuple[str, str, str]:
    """Write how many rows a node has, the share of its class, and its class or number.

    >>> fact_texts(14, 9 / 14, "yes", True), fact_texts(14, None, 41.25, False)
    (('14 rows', '64 %', 'yes'), ('14 rows', '', '41.25'))
    """
    said = name_text(answer) if is_class else mean_text(float(answer))
    return rows_text(n), "" if share is None else share_text(share), said


# The order of numbers for people: the largest first, of equals the first in the table.


SURE_DIGITS = 10  # of a sum of products, whatever the processor


def largest_first(sizes: Iterable[float], digits: int = SURE_DIGITS) -> list[int]:
    """Give the places of the numbers from the largest to the smallest; what is no number comes last.

    Parameters
    ----------
    sizes : numbers
    digits : int, default 10
        Numbers that are the same in so many digits are equals, and stay in their order.

    Examples
    --------
    >>> largest_first([0.1 + 0.2, 0.5, 0.3])
    [1, 0, 2]
    >>> largest_first([0.3, 0.5, 0.1 + 0.2])
    [1, 0, 2]
    >>> largest_first([0.68349, 0.68351, 0.7], digits=4)
    [2, 0, 1]
    """
    rounded = [rounded_to(size, digits) for size in sizes]
    return [int(place) for place in np.argsort(-np.array(rounded), kind="stable")]


def rounded_to(number: float, digits: int = SURE_DIGITS) -> float:
    """Round a number to so many digits, as it is printed with them.

    Examples
    --------
    >>> rounded_to(0.1 + 0.2), rounded_to(-1234.5, 2)
    (0.3, -1200.0)
    """
    return float(f"{number:.{digits - 1}e}")
