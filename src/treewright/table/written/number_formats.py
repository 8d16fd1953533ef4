"""Numbers as people write them: $1,200, 3.50 €, 5.0 %, 12 kg, (5), 1.234,56, 1 234,5. A column has one format.

A format is the mark before decimals, the mark between thousands and what stands before and after the number. It is
found from many cells at once, because one cell alone may be read in two ways: 1,234 is a thousand here and
a little more than one there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

# Blanks of every kind, and the minus sign of typographers, become those of a keyboard.
_PLAIN_LETTERS = {ord(letter): " " for letter in "\u00a0\u2007\u2009\u202f\t"} | {0x2212: "-", 0x2019: "'"}
_CURRENCY = (
    r"(?:(?:US|A|C|R|NZ|HK|S)?\$|[€£¥₹₩₽₺₫฿₴₪₦₱]|USD|EUR|GBP|JPY|CHF|CAD|AUD|NZD|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL"
    r"|MXN|ZAR|SGD|HKD|KRW|TRY|RUB|Rs\.?|kr\.?|Fr\.)"
)
# Behind a blank every word is a unit; without one only these, since 12A or 7X may be a code.
_CLOSE_UNITS = """
    kg g mg t km m cm mm µm nm lb lbs oz ft in mi yd km/h mph kmh m/s W kW MW kWh MWh V mA Hz kHz MHz GHz kB KB MB GB TB
    l L ml mL cl dl °C °F ° K M s sec ms min h hr hrs yr yrs px pt bp bps ppm m² m2 km² m³ m3 cm³ cc hp PS
"""
_UNITS = frozenset(_CLOSE_UNITS.split())
_UNIT = r"[^\W\d_°µ][^\d\s,;()]*(?: [^\W\d_][^\d\s,;()]*)?|[°µ][^\d\s,;()]*"
_CELL = re.compile(
    rf"(?P<sign>[+-]?) ?(?P<prefix>{_CURRENCY})? ?(?P<inner>[+-]?)"
    r"(?P<core>\d[\d.,' ]*(?:(?<! )e[+-]?\d+)?|[.,]\d+(?:e[+-]?\d+)?)(?P<trailing>-?)"
    rf"(?P<blank> ?)(?P<suffix>[%‰]|{_CURRENCY}|{_UNIT})?",
    re.IGNORECASE,
)
_WHOLE = r"(?:0|[1-9]\d*)"
LONGEST_UNIT = 20
# <5 and 90+ are limits; 10.6k, $1.2M and 3 bn are thousands, millions and milliards.
_DIGITS = r"[€£$]? ?\d[\d.,]*"
_MARKED = re.compile(rf"[<>≤≥~≈]=? ?{_DIGITS}|{_DIGITS} ?(?:\+|k|m|b|t|bn|mn|mio|mrd|tsd)\.?", re.IGNORECASE)


@dataclass(frozen=True)
class NumberFormat:
    """How the numbers of a column are written.

    >>> NumberFormat(decimal=",", group=".", suffix="€").sample
    '1.234,5 €'
    >>> NumberFormat.of_sample("$1,234.5")
    NumberFormat(decimal='.', group=',', prefix='$', suffix='')
    """

    decimal: str = "."
    group: str = ""
    prefix: str = ""
    suffix: str = ""

    @property
    def sample(self) -> str:
        """How 1234.5 is written; a model remembers the format by it."""
        blank = "" if self.suffix in ("", "%") else " "
        return f"{self.prefix}1{self.group}234{self.decimal}5{blank}{self.suffix}"

    @classmethod
    def of_sample(cls, sample: str) -> NumberFormat:
        """Give the format that a sample shows."""
        found = find_number_format([sample])
        if found is None:
            raise ValueError(f"{sample!r} shows no way to write a number.")
        return found.format

    @cached_property
    def _core(self) -> re.Pattern[str]:
        decimal, whole = re.escape(self.decimal), _WHOLE
        grouped = _grouped(self.group) if self.group else "(?!)"
        return re.compile(
            rf"(?:{grouped}(?:{decimal}\d*)?|(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:e[+-]?\d+)?)", re.IGNORECASE
        )

    def reads_core(self, core: str) -> bool:
        """Tell whether digits and marks, without what stands around them, are a number of this format."""
        return self._core.fullmatch(core) is not None

    def number(self, text: str, unit_needed: bool = True) -> float | None:
        """Give the number that a cell holds, None where it is none of this format.

        >>> NumberFormat(group=",", prefix="$").number("($1,200)")
        -1200.0
        """
        parts = split_cell(text)
        if parts is None or not self.reads_core(parts.core):
            return None
        same = (parts.prefix, unit_key(parts.suffix)) == (self.prefix, unit_key(self.suffix))
        if not same and (unit_needed or parts.prefix or parts.suffix):
            return None
        value = float(parts.core.replace(self.group or " ", "").replace(self.decimal, "."))
        return -value if parts.negative else value

    def numbers(self, texts: Sequence[str], unit_needed: bool = True) -> npt.NDArray[np.float64]:
        """Give the numbers of many cells, NaN where there is none.

        >>> NumberFormat(decimal=",").numbers(["1,5", "x"])
        array([1.5, nan])
        """
        if self.prefix or self.suffix or self.group == " ":
            found = [self.number(text, unit_needed) for text in texts]
            return np.array([np.nan if number is None else number for number in found], dtype=np.float64)
        # The common case, digits and marks only, needs no look at what stands around them.
        signed = re.compile(rf"\s*[+-]?{self._core.pattern}\s*", re.IGNORECASE).fullmatch
        plain = {ord(self.decimal): "."} | ({ord(self.group): ""} if self.group else {})
        return np.array(
            [float(text.translate(plain)) if signed(text) else self._other(text, unit_needed) for text in texts],
            dtype=np.float64,
        )

    def _other(self, text: str, unit_needed: bool) -> float:
        number = self.number(text, unit_needed)
        return np.nan if number is None else number


def _grouped(group: str) -> str:
    mark = re.escape(group)
    inner = rf"(?:{mark}\d{{2,3}})*" if group == "," else rf"(?:{mark}\d{{3}})*"  # India groups by two
    return rf"[1-9]\d{{0,2}}{inner}{mark}\d{{3}}"


@dataclass(frozen=True)
class CellParts:
    """A cell taken apart: digits and marks, their sign, and what stands around them."""

    core: str
    negative: bool
    prefix: str
    suffix: str


def split_cell(text: str) -> CellParts | None:
    """Take a cell apart, None where it holds no number in any format.

    >>> split_cell("(1.234,50 €)")
    CellParts(core='1.234,50', negative=True, prefix='', suffix='€')
    >>> split_cell("A12"), split_cell("12A4")
    (None, None)
    """
    plain = text.translate(_PLAIN_LETTERS).strip()
    in_brackets = plain.startswith("(") and plain.endswith(")")
    found = _CELL.fullmatch(plain[1:-1].strip() if in_brackets else plain)
    if found is None:
        return None
    signs = [sign for sign in (found["sign"], found["inner"], found["trailing"]) if sign]
    core, suffix = found["core"].rstrip(" "), found["suffix"] or ""
    glued = not found["blank"] and not found["core"].endswith(" ")
    if len(signs) + in_brackets > 1 or len(suffix) > LONGEST_UNIT or (found["prefix"] and suffix):
        return None
    if suffix and glued and not _stands_close(suffix):
        return None
    return CellParts(core, in_brackets or signs == ["-"], found["prefix"] or "", suffix)


def _stands_close(suffix: str) -> bool:
    return suffix in _UNITS or suffix in "%‰" or re.fullmatch(_CURRENCY, suffix) is not None


def is_marked_number(text: str) -> bool:
    """Tell whether a text is a limit, or a number with a word for thousands or millions.

    >>> is_marked_number("<5"), is_marked_number("90+"), is_marked_number("$1.2M"), is_marked_number("12A")
    (True, True, True, False)
    """
    return _MARKED.fullmatch(text) is not None


def unit_key(suffix: str) -> str:
    """Give what units have in common that differ by number only: 1 year, 2 years.

    >>> unit_key("years"), unit_key("ms")
    ('year', 'ms')
    """
    return suffix[:-1] if len(suffix) > 2 and suffix.endswith("s") else suffix


@dataclass(frozen=True)
class FoundFormat:
    """A format, and whether the cells alone decide on its marks: 1,234 alone may be large or small."""

    format: NumberFormat
    certain: bool


def shows_thousands(cores: Collection[str]) -> bool:
    """Tell whether a mark stands between thousands by what else is in the column: 2,857 beside 912 and 1,200.

    Who writes decimals writes three of them always, or leaves out their zeros: among some cells with a mark
    one has fewer digits behind it, or none is without.

    >>> shows_thousands({"2,857", "912", "1,200", "3,004", "1,999", "2,001"})
    True
    >>> shows_thousands({"2,857", "912", "1,2"}), shows_thousands({"2,857", "1,200"})
    (False, False)
    """
    marked = {core for core in cores if "," in core or "." in core}
    whole = {core for core in cores if core.isdigit()}
    in_groups = all(re.fullmatch(r"[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*", core) for core in marked)
    return bool(whole) and len(marked) >= _ENOUGH_GROUPS and in_groups and all(len(core) <= 3 for core in whole)


def _are_whole_dollars(cores: Collection[str]) -> bool:
    """Tell whether sums behind a $ are thousands whatever else is in the file: $3,790 is none with three decimals.

    Each sum with a comma has groups of three digits behind it, and none without a comma has more than three digits.
    """
    in_groups = all(re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+", core) for core in cores if not core.isdigit())
    return in_groups and all(len(core) <= 3 for core in cores if core.isdigit())


# In the order of preference where both marks are possible; a plain number is always read as such first.
_POINT = (".", ""), (".", ","), (".", " "), (".", "'")
_COMMA = (",", ""), (",", "."), (",", " "), (",", "'")
_ENOUGH_GROUPS = 5  # cells with three digits behind a mark, among cells without one


def find_number_format(texts: Sequence[str], decimal: str | None = None, is_guess: bool = True) -> FoundFormat | None:
    """Find the format that reads most of the cells, and among several the one that reads all numbers among them.

    Parameters
    ----------
    texts : sequence of str
        Different cells of one column.
    decimal : "." or ",", optional
        The mark before decimals where the cells leave it open.
    is_guess : bool, default True
        Whether that mark is a guess, by other columns of the file, which thousands in this column may prove wrong.

    Examples
    --------
    >>> find_number_format(["1.234,50 €", "3 €"])
    FoundFormat(format=NumberFormat(decimal=',', group='.', prefix='', suffix='€'), certain=True)
    >>> find_number_format(["1,234", "987"], decimal=",")
    FoundFormat(format=NumberFormat(decimal=',', group='', prefix='', suffix=''), certain=False)
    >>> find_number_format(["$1,234", "$2,500"], decimal=",").format.group
    ','
    """
    parts = [part for part in map(split_cell, texts) if part is not None]
    if 2 * len(parts) <= len(texts):
        return None
    around = Counter((part.prefix, unit_key(part.suffix)) for part in parts).most_common(1)[0][0]
    like_most = [part for part in parts if (part.prefix, unit_key(part.suffix)) == around]
    cores = {part.core for part in like_most}
    pairs = (*_COMMA, *_POINT) if decimal == "," else (*_POINT, *_COMMA)
    fitting = [pair for pair in pairs if all(map(NumberFormat(*pair).reads_core, cores))]
    if not fitting:
        return None
    marked = any("," in core or "." in core for core in cores)
    certain = len({pair[0] for pair in fitting}) == 1 or not marked
    is_plain = around == ("", "") and not any("," in core for core in cores)
    in_thousands = shows_thousands(cores) or (around[0].endswith("$") and _are_whole_dollars(cores))
    if is_guess and not certain and not is_plain and in_thousands:
        fitting = [pair for pair in fitting if any(pair[1] and pair[1] in core for core in cores)]
    return FoundFormat(NumberFormat(*fitting[0], around[0], like_most[0].suffix), certain)
