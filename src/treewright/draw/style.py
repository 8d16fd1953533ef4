"""How every picture looks: colours that all eyes can tell apart, quiet axes, files that are the same every time.

Figures are made without pyplot, so that nothing depends on a screen and nothing has to be closed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
    return figure, figure.subplots()


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


def figure_svg(figure: Figure) -> str:
    """Give a figure as an SVG element that can stand in a page; the same figure gives the same text."""
    import io

    text = io.StringIO()
    with treewright_style():
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return text.getvalue()[text.getvalue().index("<svg") :]


def plain(name: object) -> str:
    r"""Write a name as it is: in a text of matplotlib a dollar sign would start a formula.

    Examples
    --------
    >>> print(plain("price in $"))
    price in \$
    """
    return str(name).replace("$", r"\$")


def save_figure(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Save a picture in the format of its ending; the same figure gives the same bytes."""
    ending = Path(path).suffix.lower()
    if ending not in PICTURE_ENDINGS:
        raise DataError(f"{os.fspath(path)}: the name of a picture must end with {', '.join(PICTURE_ENDINGS)}.")
    no_date = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[ending]
    figure.savefig(path, dpi=150, metadata=no_date)
