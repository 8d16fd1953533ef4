"""Which texts are numbers: the one rule that cells of files, attributes of ARFF and columns of frames share."""

from __future__ import annotations

import re

# White space around a number is no part of it. 1_000, 1,234, 0x1F, 12% and nan are no numbers: people who write these
# in a table mean something else, or a missing value.
_NUMBER = re.compile(r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|infinity)\s*", re.IGNORECASE | re.ASCII)
_ZERO_PADDED = re.compile(r"\s*[+-]?0\d.*", re.ASCII | re.DOTALL)
_INTEGER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)


def is_number_text(text: str) -> bool:
    """Tell whether a text is a number.

    >>> is_number_text("1e5"), is_number_text(" 7 "), is_number_text("007"), is_number_text("1,234")
    (True, True, True, False)
    """
    return _NUMBER.fullmatch(text) is not None


def is_plain_number_text(text: str) -> bool:
    """Tell whether a text is a number without leading zeros, which mean a code such as a postcode.

    >>> is_plain_number_text("0.5"), is_plain_number_text("0"), is_plain_number_text("-007")
    (True, True, False)
    """
    return is_number_text(text) and _ZERO_PADDED.match(text) is None


def is_integer_text(text: str) -> bool:
    """Tell whether a text is a whole number without leading zeros, written with digits and a sign only.

    >>> is_integer_text("-20"), is_integer_text("1e5"), is_integer_text("2."), is_integer_text("00")
    (True, False, False, False)
    """
    return _INTEGER.fullmatch(text) is not None and _ZERO_PADDED.match(text) is None
