"""Plain letters as outlines, found once and kept: pictures of pixels with thousands of words are painted from them.

matplotlib lays out every word anew, which takes longer than all else in a large picture. Latin letters need no layout:
they stand side by side, as far apart as `text_size` says. Other scripts are left to matplotlib.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LoadFlags
from matplotlib.path import Path
from numpy.typing import NDArray

from treewright.draw.text_size import text_width

_SIZE = 100.0  # at which outlines are read; they are scaled to the size of the text
_LAST_PLAIN = 0x24F  # Latin letters; above them are accents that stand on others, and other scripts
_MORE = frozenset("≤≥…–—·→×")


def is_plain(text: str) -> bool:
    """Tell whether letters can simply be put side by side.

    >>> is_plain("≤ 2.45"), is_plain("日本")
    (True, False)
    """
    return all(ord(char) <= _LAST_PLAIN or char in _MORE for char in text)


@lru_cache(maxsize=20_000)
def word_path(text: str, bold: bool) -> Path | None:
    """Give the outline of a text of size 1 that starts at (0, 0), y upwards; None where there is nothing to see.

    >>> bool(word_path("tree", False).get_extents().width < text_width("tree", 1))
    True
    """
    vertices, codes = [], []
    x = 0.0
    for char in text:
        outline, kinds = _letter(char, bold)
        if len(kinds):
            vertices.append(outline + np.array([x, 0.0]))
            codes.append(kinds)
        x += text_width(char, 1.0, bold)
    return Path(np.concatenate(vertices), np.concatenate(codes)) if vertices else None


@lru_cache(maxsize=2_000)
def _letter(char: str, bold: bool) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    font = get_font(findfont(FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")))
    font.set_size(_SIZE, 72)
    font.load_char(ord(char), flags=LoadFlags.NO_HINTING)
    outline, kinds = font.get_path()
    return np.asarray(outline) / _SIZE, np.asarray(kinds)
