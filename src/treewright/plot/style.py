"""How every picture looks: colours that all eyes can tell apart, quiet axes, files that are the same every time."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.given_names import path_given

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# How every picture looks: colours that all eyes can tell apart, quiet axes, files that are the same every time.


# M. Okabe and K. Ito (2008), "Color universal design"; the yellow left out, since it is too light for lines.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#777777"
PICTURE_ENDINGS = (".png", ".svg", ".pdf")

_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.7,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "legend.frameon": False,
    "svg.hashsalt": "treewright",
    "svg.fonttype": "none",
}


@contextmanager
def treewright_style() -> Iterator[None]:
    """Draw in the style of treewright inside; the user's own settings stay as they are.

    Examples
    --------
    >>> with treewright_style():
    ...     figure, ax = new_figure(4, 3)
    """
    import matplotlib

    with matplotlib.rc_context(_STYLE):
        yield


def new_figure(width: float, height: float, ax: Axes | None = None) -> tuple[Figure, Axes]:
    """Give a figure of so many inches with one set of axes, or those that are there."""
    if ax is not None:
        figure: Figure = ax.get_figure()  # type: ignore[assignment]
        return figure, ax
    from matplotlib.figure import Figure as NewFigure

    figure = NewFigure(figsize=(width, height), layout="constrained")
    ax = figure.subplots()
    group_digits(ax)
    return figure, ax


def group_digits(ax: Axes) -> None:
    """Write large numbers under the axes as everywhere else: 160,000 and not 160000.

    Examples
    --------
    >>> figure, ax = new_figure(4, 3)
    >>> lines = ax.plot([0, 40000], [-1, 1])
    >>> figure.draw_without_rendering()
    >>> [label.get_text() for label in ax.get_xticklabels()][-2]
    '40,000'
    """
    from matplotlib.ticker import ScalarFormatter

    class Grouped(ScalarFormatter):
        def __call__(self, x: float, pos: int | None = None) -> str:
            return _LONG_NUMBER.sub(lambda found: f"{int(found[0]):,}", super().__call__(x, pos))

    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(Grouped())
        axis.isDefault_majfmt = True  # names and dates still take its place


def looks(n: int) -> list[tuple[str, str]]:
    """Give n different pairs of colour and marker.

    Examples
    --------
    >>> looks(2)
    [('#0072B2', 'o'), ('#D55E00', 's')]
    >>> len(set(looks(20)))
    20
    """
    # After each round of colours the markers move on by one, so that 49 pairs differ.
    pairs = (
        (colour, MARKERS[(number + shift) % len(MARKERS)])
        for shift in cycle(range(len(MARKERS)))
        for number, colour in enumerate(PALETTE)
    )
    return list(islice(pairs, n))


_LONG_NUMBER = re.compile(r"(?<![\d.])\d{5,}")  # four digits may be a year
_AIR = 3.0  # dots between two labels
_NUMBER = re.compile(r"[\s\d.,e+−-]*")


def part_ticks(figure: Figure) -> None:
    """See that no label of a tick runs into the next: numbers are thinned out, names are turned.

    Examples
    --------
    >>> with treewright_style():
    ...     figure, ax = new_figure(2, 2)
    ...     lines = ax.plot([0, 1000], [0, 1])
    ...     ax.set_xticks(range(0, 1001, 100))
    ...     part_ticks(figure)
    [<matplotlib...
    >>> len(ax.get_xticks()) < 11
    True
    """
    figure.draw_without_rendering()
    for ax in figure.axes:
        if not _touch(ax):
            continue
        if not all(_NUMBER.fullmatch(label.get_text()) for label in ax.get_xticklabels()):
            for label in ax.get_xticklabels():
                label.set(rotation=40, horizontalalignment="right", rotation_mode="anchor")
            continue
        limits = sorted(ax.get_xlim())
        ticks = [tick for tick in ax.get_xticks().tolist() if limits[0] <= tick <= limits[1]]
        while len(ticks) > 2 and _touch(ax):
            ticks = ticks[::2]
            ax.set_xticks(ticks)
            figure.draw_without_rendering()


def _touch(ax: Axes) -> bool:
    """Whether two labels under an axis have no air between them; turned ones stand one behind the other."""
    labels = [label for label in ax.get_xticklabels() if label.get_text() and label.get_visible()]
    if any(label.get_rotation() for label in labels):
        return False
    spans = sorted((box.x0, box.x1) for box in (label.get_window_extent() for label in labels))
    return any(after[0] < before[1] + _AIR for before, after in pairwise(spans))


def figure_svg(figure: Figure) -> str:
    """Give a figure as an SVG element that can stand in a page; the same figure gives the same text."""
    import io

    text = io.StringIO()
    with treewright_style():
        part_ticks(figure)
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _kept_to_itself(text.getvalue()[text.getvalue().index("<svg") :])


# What matplotlib says of all its lines, as a style and not as what lines inherit.
_FOR_ALL = re.compile(r"<defs>\s*<style type=\"text/css\">\*\{([^}]*)\}</style>\s*</defs>\s*")


def _kept_to_itself(svg: str) -> str:
    """Let the lines of a figure inherit what a style would say of every line of the page around it.

    >>> _kept_to_itself('<svg height="9"><defs><style type="text/css">*{stroke-width: 2}</style></defs><g/></svg>')
    '<svg style="stroke-width: 2" height="9"><g/></svg>'
    """
    found = _FOR_ALL.search(svg)
    if found is None:
        return svg
    return (svg[: found.start()] + svg[found.end() :]).replace("<svg", f'<svg style="{found[1]}"', 1)


def plain(name: object) -> str:
    r"""Write a name as it is: in a text of matplotlib a dollar sign would start a formula.

    Examples
    --------
    >>> print(plain("price in $"))
    price in \$
    """
    return str(name).replace("$", r"\$")


_JOINT = re.compile(r"[\s_\-/,;]+|(?<=[a-z])(?=[A-Z])")


def shortened(name: object, most: int) -> str:
    r"""Cut a long name to so many letters, between its words if half of them stay; a dollar sign starts no formula.

    Examples
    --------
    >>> shortened("Product line 07 (international edition)", 28), shortened("kindOfContractWithTheCustomer", 20)
    ('Product line 07…', 'kindOfContractWith…')
    >>> shortened("Donaudampfschifffahrt", 12), shortened("age", 12)
    ('Donaudampfs…', 'age')
    """
    text = str(name)
    if len(text) <= most:
        return plain(text)
    ends = [found.start() for found in _JOINT.finditer(text) if most // 2 <= found.start() < most]
    return plain(text[: ends[-1] if ends else most - 1].rstrip(" (,;") + "…")


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Save a picture in the format of its ending; the same figure gives the same bytes."""
    path = path_given("A picture", path)
    ending = path.suffix.lower()
    if ending not in PICTURE_ENDINGS:
        raise DataError(f"{path}: the name of a picture must end with {', '.join(PICTURE_ENDINGS)}.")
    part_ticks(figure)
    no_date = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[ending]
    figure.savefig(path, dpi=150, metadata=no_date)


# The colours of classes and numbers, told apart by colour-blind readers too.


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
