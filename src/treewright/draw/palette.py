"""The colours of classes and numbers, told apart by colour-blind readers too.

Classes take the palette of Okabe and Ito (2008). It has seven colours that differ for every kind of colour vision;
where there are more classes, the largest have one each and the others share a grey: nobody tells forty colours apart.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from treewright.draw.style import PALETTE

OKABE_ITO = (*(colour.lower() for colour in PALETTE[:6]), "#f0e442")  # without black, which would hide the lines on it
OTHERS = "#8c8c8c"
INK, FAINT, EDGE = "#222222", "#666666", "#9a9a9a"
LOW, MIDDLE, HIGH = "#fff7d6", "#41a5b5", "#0b2c6b"  # numbers: light is low, dark is high


def class_colours(sizes: Sequence[float] | NDArray[np.float64]) -> list[str]:
    """Give each class a colour; of many classes the largest ones have one of their own.

    >>> class_colours([5, 9])
    ['#0072b2', '#d55e00']
    >>> class_colours([1, 1, 1, 1, 1, 1, 1, 5, 1])[7:]
    ['#e69f00', '#8c8c8c']
    """
    if len(sizes) <= len(OKABE_ITO):
        return list(OKABE_ITO[: len(sizes)])
    own = sorted(np.argsort(-np.asarray(sizes, dtype=np.float64), kind="stable")[: len(OKABE_ITO) - 1].tolist())
    colours = [OTHERS] * len(sizes)
    for colour, index in zip(OKABE_ITO, own, strict=False):
        colours[index] = colour
    return colours


def mixed(colour: str, other: str, share: float) -> str:
    """Mix two colours; a share of 0 is the first, 1 the second.

    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    one, two = _channels(colour), _channels(other)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in zip(one, two, strict=True))


def tint(colour: str, strength: float = 0.2) -> str:
    """Give a light version of a colour, to write on.

    >>> tint("#0072b2", 0.0), tint("#0072b2", 1.0)
    ('#ffffff', '#0072b2')
    """
    return mixed("#ffffff", colour, strength)


def number_colour(share: float) -> str:
    """Give the colour of a number that lies so far between the lowest and the highest.

    >>> number_colour(0.0), number_colour(1.0)
    ('#fff7d6', '#0b2c6b')
    """
    share = min(max(share, 0.0), 1.0)
    return mixed(LOW, MIDDLE, 2 * share) if share < 0.5 else mixed(MIDDLE, HIGH, 2 * share - 1)


def ink_on(ground: str) -> str:
    """Choose black or white letters, whichever reads better on this ground (relative luminance, WCAG 2).

    >>> ink_on("#ffffff"), ink_on("#0b2c6b")
    ('#222222', '#ffffff')
    """
    light = sum(
        weight * _linear(c / 255) for weight, c in zip((0.2126, 0.7152, 0.0722), _channels(ground), strict=True)
    )
    return INK if light > 0.2 else "#ffffff"


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _linear(channel: float) -> float:
    return float(channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4)
