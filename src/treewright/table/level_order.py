"""The order of levels: given by the user, told by numbers in them, or that of a scale everybody knows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from treewright.errors import DataError, nearest
from treewright.table.schema import Level, level_text
from treewright.wording import order_words

# Scales from low to high; what stands in one place means the same. Letters count without their case.
_SCALES = (
    "very low|lowest, low, medium|med|middle|mid|moderate|average|normal, high, very high|highest, extreme",
    "never, rarely|seldom|hardly ever, sometimes|occasionally, often|frequently|usually, very often, always",
    "xxs, xs, s, m, l, xl, xxl, xxxl",
    "tiny|very small|extra small, small, medium|middle, large|big, extra large|very large, huge",
    "strongly disagree, disagree, neutral|neither agree nor disagree|undecided, agree, strongly agree",
    "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
    "terrible|very bad|very poor, bad|poor, fair|average|ok, good, very good, excellent|outstanding",
    "none|no, slight, mild|minor, moderate|medium, severe|major, very severe|critical",
    "young, middle-aged|middle aged|middle, old, very old",
    "cold, cool, mild, warm, hot",
    "first, second, third, fourth, fifth, sixth",
    "jan|january, feb|february, mar|march, apr|april, may, jun|june, jul|july, aug|august, sep|sept|september, "
    "oct|october, nov|november, dec|december",
    "mon|monday, tue|tues|tuesday, wed|wednesday, thu|thur|thurs|thursday, fri|friday, sat|saturday, sun|sunday",
)
_KNOWN = tuple(
    {word: place for place, words in enumerate(scale.split(", ")) for word in words.split("|")} for scale in _SCALES
)
_LEADING = re.compile(r"\s*([<>≤≥~]?)\s*=?\s*[$€£]?\s*(-?\d+(?:[.,]\d+)*)")
_TRAILING = re.compile(r"(\D*?)[ _-]?(\d+)")
MOST_SHOWN = 5


def orders_of(column_kinds: Mapping[Any, Any] | None) -> dict[Any, tuple[Any, ...]]:
    """Give the orders among the wishes: `column_kinds={"rank": ["low", "high"]}`.

    >>> orders_of({"rank": ["low", "high"], "zip": "nominal"})
    {'rank': ('low', 'high')}
    """
    kinds = column_kinds or {}
    return {name: tuple(kind) for name, kind in kinds.items() if isinstance(kind, list | tuple)}


def ordered_levels(name: str, levels: Sequence[Level], order: Sequence[Any] | None = None) -> list[Level]:
    """Put the levels of an ordinal column in order, or ask for it.

    Examples
    --------
    >>> ordered_levels("size", ["L", "M", "S"]), ordered_levels("age", ["18-25", "26+", "<18"])
    (['S', 'M', 'L'], ['<18', '18-25', '26+'])
    >>> ordered_levels("rank", ["Assistant", "Full"])
    Traceback (most recent call last):
    treewright.errors.DataError: Column 'rank' is asked to be ordinal, but nothing tells the order of its levels ...
    """
    if order is not None:
        return _as_given(name, levels, order)
    places = _places(levels)
    if places is None:
        shown = ", ".join(repr(level) for level in levels[:MOST_SHOWN]) + (" …" if len(levels) > MOST_SHOWN else "")
        raise DataError(
            f"Column '{name}' is asked to be ordinal, but nothing tells the order of its levels {shown}. Say it from "
            f"low to high, such as {order_words(name, tuple(map(str, levels[:MOST_SHOWN])))}."
        )
    return sorted(levels, key=lambda level: (places[level], str(level)))


def has_own_order(levels: Sequence[Level]) -> bool:
    """Tell whether levels need nobody to put them in order.

    >>> has_own_order([1, 2]), has_own_order(["Mon", "Tue"]), has_own_order(["red", "blue"])
    (True, True, False)
    """
    return _places(levels) is not None


def _places(levels: Sequence[Level]) -> dict[Level, Any] | None:
    """The place of each level, by what is known of all of them; None where nothing is."""
    texts = [level for level in levels if isinstance(level, str)]
    if len(texts) < len(levels):
        return {level: place for place, level in enumerate(levels)}  # numbers and truth values, sorted already
    for scale in _KNOWN:
        words = [text.strip().lower() for text in texts]
        if len(texts) > 1 and all(word in scale for word in words):
            return {text: scale[word] for text, word in zip(texts, words, strict=True)}
    leading = [_LEADING.match(text) for text in texts]
    if all(leading):
        return {text: _leading_key(match) for text, match in zip(texts, leading, strict=True) if match is not None}
    trailing = [_TRAILING.fullmatch(text) for text in texts]
    if all(trailing) and len({match[1] for match in trailing if match is not None}) == 1:
        return {text: int(match[2]) for text, match in zip(texts, trailing, strict=True) if match is not None}
    if len(texts) < 2 or all(len(text) == 1 for text in texts):
        return {text: text for text in texts}  # grades A, B, C
    return None


def _leading_key(match: re.Match[str]) -> tuple[float, int]:
    number = match[2].replace(",", "." if match[2].count(",") == 1 and "." not in match[2] else "")
    whole, _, rest = number.partition(".")
    value = float(f"{whole}.{rest.replace('.', '')}" if rest else whole)
    return value, {"<": -1, "≤": -1, ">": 1, "≥": 1}.get(match[1], 0)


def _as_given(name: str, levels: Sequence[Level], order: Sequence[Any]) -> list[Level]:
    """The user's list, in which a level of the table may be written as its text."""
    by_text = {level_text(level): level for level in levels}
    given = [by_text.get(str(level), level) for level in order]
    for place, level in enumerate(given):
        if level in given[:place]:
            raise DataError(f"The order of column '{name}' has the level {level!r} twice. List every level once.")
    for level in levels:
        if level not in given:
            raise DataError(
                f"The order of column '{name}' leaves out the level {level!r}. {nearest(str(level), map(str, order))} "
                "List every level once, from low to high."
            )
    return given
