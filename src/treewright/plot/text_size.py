"""How wide a text is, and where it breaks into lines, without a font at hand.

Pictures are set in DejaVu Sans, which matplotlib brings along and which is as wide as the fonts that a browser takes in
its place, or wider. So a text that fits here fits everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from treewright.plot.style import INK

# The widths of the printable ASCII letters of DejaVu Sans, from the space on, in thousandths of the size.


# fmt: off
PLAIN = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656,
    557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613,
    635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818,
    592, 592, 525, 636, 337, 636, 838,
)

BOLD = (
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696, 696,
    696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775,
    637, 995, 837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500, 500, 675,
    716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924,
    645, 652, 582, 712, 365, 712, 838,
)
# fmt: on


_FIRST = 32  # the character that the lists start with
_WIDE, _CAPITAL, _OTHER = 1000, 850, 680  # characters that are not in the lists: East Asian, capitals, others
KEEP = "\u00a0"  # a space at which no line ends
_SIGNS = {KEEP: PLAIN[0], "…": 1000, "≤": 838, "≥": 838, "·": 318, "–": 500, "—": 1000, "→": 838, "×": 838}
LINE = 1.2  # distance of two lines, in sizes of the letters


@lru_cache(maxsize=20_000)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Tell how wide a text is when it is set in this size.

    >>> text_width("iris", 10), text_width("iris", 10, bold=True) > text_width("iris", 10)
    (14.88, True)
    """
    widths = BOLD if bold else PLAIN
    total = 0
    for char in text:
        place = ord(char) - _FIRST
        total += widths[place] if 0 <= place < len(widths) else _unlisted(char, widths)
    return total * size / 1000


@lru_cache(maxsize=2_000)
def _unlisted(char: str, widths: tuple[int, ...]) -> int:
    """The width of a letter that is not in the list: that of the letter under its accent, or an upper bound."""
    if char in _SIGNS:
        return _SIGNS[char]
    if unicodedata.combining(char) or char in "\u200d\ufe0f":
        return 0
    base = ord(unicodedata.normalize("NFD", char)[0]) - _FIRST
    if 0 <= base < len(widths):
        return widths[base]
    if unicodedata.east_asian_width(char) in "WF":
        return _WIDE
    return _CAPITAL if char.isupper() or unicodedata.category(char).startswith("S") else _OTHER


@dataclass(frozen=True)
class Line:
    """A line of text, set in one size and colour."""

    text: str
    size: float
    bold: bool = False
    fill: str = INK


def width_of(lines: Iterable[Line], least: float = 0.0) -> float:
    """Tell how wide the widest of some lines is, `least` where all are narrower.

    >>> width_of([Line("iris", 10), Line("is", 10)])
    14.88
    """
    return max([least, *(text_width(line.text, line.size, line.bold) for line in lines)])


def width_in_a_row(lines: Sequence[Line], gap: float) -> float:
    """Tell how wide lines are that stand behind each other.

    >>> width_in_a_row([Line("iris", 10), Line("iris", 10)], gap=4)
    33.7...
    """
    return sum(text_width(line.text, line.size, line.bold) for line in lines) + gap * (len(lines) - 1)


def wrapped(text: str, room: float, size: float, bold: bool = False, most: int = 3) -> list[Line]:
    """Break a text into lines that fit, ready to be set.

    >>> [line.text for line in wrapped("no checking account", 60, 8)]
    ['no checking', 'account']
    """
    return [Line(text, size, bold) for text in wrap(text, room, size, bold, most)]


def fit(text: str, room: float, size: float, bold: bool = False) -> str:
    """Shorten a text to the room there is, in whole words; dots stand for what is left out at its end.

    Only a word that is too long by itself is cut inside.

    >>> fit("sepal width in centimetres", 60, 8), fit("Mississippi_in_winter", 40, 8), fit("Mississippi", 40, 8)
    ('sepal width…', 'Mississi…', 'Mississi…')
    """
    if text_width(text, size, bold) <= room:
        return text
    words = _whole_words(text, room, size, bold)
    if words:
        return words
    low, high = 0, len(text)
    while low < high:  # the longest beginning that fits
        middle = (low + high + 1) // 2
        shown = text[:middle].rstrip() + "…"
        low, high = (middle, high) if text_width(shown, size, bold) <= room else (low, middle - 1)
    return text[:low].rstrip() + "…"


_LEAST = 3  # letters before the dots: fewer say nothing


def _whole_words(text: str, room: float, size: float, bold: bool) -> str:
    """The longest beginning in whole words that fits with dots behind it; nothing where no word fits."""
    best, shown = "", ""
    for word in _words(text):
        shown += word
        cut = shown.rstrip(" ,;") + "…"
        if text_width(cut, size, bold) > room:
            break
        best = cut if len(cut) > _LEAST else best
    return best


def _words(text: str) -> Iterator[str]:
    """Cut a text where a line may end, each sign staying with what is before it."""
    for word in _cut_behind(text, " "):
        yield from _cut_behind(word, "_-/,.")


def wrap(text: str, room: float, size: float, bold: bool = False, most: int = 3) -> list[str]:
    """Break a text into lines that fit; what does not fit into so many lines ends with dots.

    Lines break at spaces. A word that is too long for a line breaks behind ``_ - / , .`` or before a capital; what is
    still too long ends with dots.

    >>> wrap("no checking account or less than 200 marks", 90, 8)
    ['no checking account', 'or less than 200', 'marks']
    >>> wrap("personal_status_and_sex", 60, 8, most=2)
    ['personal_', 'status_and_…']
    """
    lines, line = [], ""
    for piece in _pieces(text, room, size, bold):
        if line and text_width((line + piece).rstrip(), size, bold) > room:
            lines.append(line)
            line = ""
        line += piece
    lines.append(line)
    if len(lines) > most:
        rest = "".join(lines[most - 1 :])
        if most > 1 and not _whole_words(rest, room, size, bold):  # rather a line less than a part of a word
            lines[most - 2 :] = [lines[most - 2].rstrip() + " …"]
        else:
            lines[most - 1 :] = [rest]
    return [fit(line.strip(" "), room, size, bold) for line in lines]


def _pieces(text: str, room: float, size: float, bold: bool) -> Iterator[str]:
    """Cut a text where a line may end; a word is cut inside only where it is too long for a line."""
    for word in _cut_behind(text, " "):
        if text_width(word.rstrip(), size, bold) <= room:
            yield word
            continue
        for part in _cut_behind(word, "_-/,."):
            yield from _CAPITALS.split(part) if text_width(part.rstrip(), size, bold) > room else (part,)


_CAPITALS = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _cut_behind(text: str, signs: str) -> Iterator[str]:
    start = 0
    for place, (char, following) in enumerate(pairwise(text)):
        is_inside = following in signs or (char in ".,-" and following.isdigit())  # 1,000 and 3.5 stay whole
        if char in signs and not is_inside:
            yield text[start : place + 1]
            start = place + 1
    yield text[start:]
