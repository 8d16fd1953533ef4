"""What a picture is made of: a few plain shapes; written as SVG, shown in a notebook, saved."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from treewright.errors import DataError
from treewright.given_names import path_given
from treewright.plot.style import PICTURE_ENDINGS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# What a picture is made of: a few plain shapes, with no word about how they get on paper or on a screen.


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, with round corners if asked for."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    line: float = 0.75
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through some points, or the outline of an area where it is closed."""

    points: tuple[Point, ...]
    stroke: str | None = None
    line: float = 0.75
    fill: str | None = None
    closed: bool = False
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Bend:
    """A smooth line that leaves one point and reaches another in the same direction: down, or to the right.

    It is straight up to the beginning of its lane and from the end of it, and bent only between them.
    """

    start: Point
    end: Point
    stroke: str
    line: float
    sideways: bool = False
    lane: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Dots:
    """Many small discs of one colour."""

    points: tuple[Point, ...]
    fill: str
    size: float = 2.0


@dataclass(frozen=True, slots=True)
class Bars:
    """Many rectangles of one colour: (x, y, width, height) each."""

    bars: tuple[tuple[float, float, float, float], ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text; `y` is where its letters stand."""

    x: float
    y: float
    text: str
    size: float
    fill: str = "#222222"
    bold: bool = False
    anchor: str = "start"  # or "middle" or "end"


Mark = Box | Stroke | Bend | Dots | Bars | Words


@dataclass(frozen=True)
class Group:
    """Shapes that belong together, moved to (x, y); `title` is what a reader is told who points at them."""

    x: float
    y: float
    marks: tuple[Mark, ...]
    title: str = ""
    name: str = ""


@dataclass(frozen=True)
class Scene:
    """A whole picture.

    >>> Scene(20.0, 10.0, [Group(0, 0, (Box(1, 1, 18, 8, fill="#0072b2"),))]).width
    20.0
    """

    width: float
    height: float
    groups: list[Group] = field(default_factory=list)
    title: str = ""


def bend_points(bend: Bend) -> tuple[Point, Point, Point, Point]:
    """Give the four points of the cubic curve that a bend is inside its lane.

    >>> bend_points(Bend((0, 0), (10, 20), "#000000", 1.0))
    ((0, 0), (0, 10.0), (10, 10.0), (10, 20))
    >>> bend_points(Bend((0, 0), (10, 20), "#000000", 1.0, lane=(4, 12)))
    ((0, 4), (0, 8.0), (10, 8.0), (10, 12))
    """
    (x0, y0), (x1, y1) = bend.start, bend.end
    if bend.sideways:
        x0, x1 = bend.lane or (x0, x1)
        half = (x0 + x1) / 2
        return (x0, y0), (half, y0), (half, y1), (x1, y1)
    y0, y1 = bend.lane or (y0, y1)
    half = (y0 + y1) / 2
    return (x0, y0), (x0, half), (x1, half), (x1, y1)


# A scene as SVG: text stays text, so that it can be searched, copied and read aloud.


FONT = "'DejaVu Sans', Verdana, Geneva, sans-serif"
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_SPECIAL = re.compile("[&<>\"']")
# What XML 1.0 has no place for: control characters, halves of a pair, and two that are no characters.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """Make any text safe inside an SVG or HTML page.

    >>> escape("</script>"), escape('a "b" & c'), escape("bell" + chr(7))
    ('&lt;/script&gt;', 'a &quot;b&quot; &amp; c', 'bell\ufffd')
    """
    return _SPECIAL.sub(lambda found: _ESCAPES[found.group()], _FORBIDDEN.sub("\ufffd", text))


def to_svg(scene: Scene) -> str:
    """Write a scene as an SVG document, the same text for the same scene.

    >>> from treewright.plot.scene import Box, Group, Scene
    >>> print(to_svg(Scene(20, 10, [Group(1, 2, (Box(0, 0, 5, 5, fill="#0072b2"),), "a box")], "One box")))
    <svg xmlns="http://www.w3.org/2000/svg" width="20pt" height="10pt" viewBox="0 0 20 10" role="img" ...>
    <title>One box</title>
    <rect width="20" height="10" fill="#ffffff"/>
    <g transform="translate(1 2)"><title>a box</title><rect width="5" height="5" fill="#0072b2"/></g>
    </svg>
    <BLANKLINE>
    """
    size = (
        f'width="{_n(scene.width)}pt" height="{_n(scene.height)}pt" viewBox="0 0 {_n(scene.width)} {_n(scene.height)}"'
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="{FONT}">'
    ground = f'<rect width="{_n(scene.width)}" height="{_n(scene.height)}" fill="#ffffff"/>'
    groups = [_group(group) for group in scene.groups]
    return "\n".join([head, f"<title>{escape(scene.title)}</title>", ground, *groups, "</svg>", ""])


def _group(group: Group) -> str:
    name = f' id="{escape(group.name)}"' if group.name else ""
    title = f"<title>{escape(group.title)}</title>" if group.title else ""
    where = f' transform="translate({_n(group.x)} {_n(group.y)})"' if group.x or group.y else ""
    return f"<g{name}{where}>{title}{''.join(map(_mark, group.marks))}</g>"


def _mark(mark: Mark) -> str:
    if isinstance(mark, Words):
        return _words(mark)
    if isinstance(mark, Box):
        return _box(mark)
    if isinstance(mark, Dots):
        dots = "".join(f"M{_n(x)} {_n(y)}h0" for x, y in mark.points)  # a line of no length with round ends is a disc
        return f'<path d="{dots}" stroke="{mark.fill}" stroke-width="{_n(mark.size)}" stroke-linecap="round"/>'
    if isinstance(mark, Bars):
        bars = "".join(f"M{_n(x)} {_n(y)}h{_n(w)}v{_n(h)}h{_n(-w)}z" for x, y, w, h in mark.bars)
        return f'<path d="{bars}" fill="{mark.fill}"/>'
    if isinstance(mark, Bend):
        start, *rest = (f"{_n(x)} {_n(y)}" for x, y in bend_points(mark))
        before, after = (_step(point, mark.sideways) if mark.lane else "" for point in (bend_points(mark)[0], mark.end))
        start = f"{_n(mark.start[0])} {_n(mark.start[1])}{before}" if mark.lane else start
        return f'<path d="M{start}C{" ".join(rest)}{after}" fill="none"{_stroked(mark.stroke, mark.line)}/>'
    return _stroke(mark)


def _step(point: Point, sideways: bool) -> str:
    """A straight line to a point, along the direction of a bend."""
    return f"H{_n(point[0])}" if sideways else f"V{_n(point[1])}"


def _words(words: Words) -> str:
    anchor = f' text-anchor="{words.anchor}"' if words.anchor != "start" else ""
    bold = ' font-weight="bold"' if words.bold else ""
    where = f'x="{_n(words.x)}" y="{_n(words.y)}" font-size="{_n(words.size)}"'
    return f'<text {where}{anchor}{bold} fill="{words.fill}" xml:space="preserve">{escape(words.text)}</text>'


def _box(box: Box) -> str:
    place = "".join(f' {name}="{_n(value)}"' for name, value in (("x", box.x), ("y", box.y)) if value)
    radius = f' rx="{_n(box.radius)}"' if box.radius else ""
    edge = _stroked(box.stroke, box.line)
    return f'<rect{place} width="{_n(box.width)}" height="{_n(box.height)}"{radius} fill="{box.fill or "none"}"{edge}/>'


def _stroke(stroke: Stroke) -> str:
    points = _joined(f"{_n(x)} {_n(y)}" for x, y in stroke.points)
    dashed = ' stroke-dasharray="2 2"' if stroke.dashed else ""
    edge = _stroked(stroke.stroke, stroke.line) + dashed
    return f'<path d="M{points}{"Z" if stroke.closed else ""}" fill="{stroke.fill or "none"}"{edge}/>'


def _joined(points: Iterable[str]) -> str:
    return "L".join(points)


def _stroked(stroke: str | None, line: float) -> str:
    return f' stroke="{stroke}" stroke-width="{_n(line)}"' if stroke else ""


def _n(value: float) -> str:
    """A length to a hundredth of a point, in as few characters as that takes."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


# A finished picture: shown in a notebook, saved as SVG, PNG or PDF.


TREE_ENDINGS = (*PICTURE_ENDINGS, ".html")  # the last is no picture but a page to look around in


class Picture:
    """A picture of a tree. In a notebook it shows itself.

    Examples
    --------
    >>> import treewright as tw
    >>> from treewright.tree import example_tree
    >>> picture = tw.draw(example_tree())
    >>> picture
    <Picture of 2.6 × 3.0 inches>
    >>> picture.to_svg()[:38]
    '<svg xmlns="http://www.w3.org/2000/svg'
    """

    def __init__(self, scene: Callable[[], Scene], page: Callable[[], str]) -> None:
        self._make_scene = scene
        self._page = page

    @cached_property
    def scene(self) -> Scene:
        """The shapes; laid out when they are first asked for, so that a page costs no picture."""
        return self._make_scene()

    def to_html(self) -> str:
        """Give the tree as a page that can be searched, folded and asked: one HTML file that opens offline.

        >>> import treewright as tw
        >>> tw.draw(tw.tree.example_tree()).to_html()[:15]
        '<!doctype html>'
        """
        return self._page()

    def to_svg(self) -> str:
        """Give the picture as the text of an SVG file."""
        return to_svg(self.scene)

    def to_bytes(self, ending: str, dpi: float = 150.0) -> bytes:
        """Give the picture as the bytes of a file with this ending: ".svg", ".png", ".pdf" or ".html".

        >>> import treewright as tw
        >>> from treewright.tree import example_tree
        >>> tw.draw(example_tree()).to_bytes(".pdf")[:4]
        b'%PDF'
        """
        if ending == ".svg":
            return self.to_svg().encode("utf-8")
        if ending == ".html":
            return self.to_html().encode("utf-8")
        from treewright.plot.paint import to_pdf, to_png

        return to_png(self.scene, dpi) if ending == ".png" else to_pdf(self.scene)

    def save(self, path: str | os.PathLike[str], dpi: float = 150.0) -> None:
        """Save the picture in the format that the ending of the name tells.

        >>> import treewright as tw
        >>> from treewright.tree import example_tree
        >>> tw.draw(example_tree()).save("tree.jpg")
        Traceback (most recent call last):
        treewright.errors.DataError: tree.jpg: the name of a picture must end with .png, .svg, .pdf, .html.
        """
        Path(path).write_bytes(self.to_bytes(picture_ending(path), dpi))

    def figure(self) -> Figure:
        """Give the picture as a figure of matplotlib."""
        from treewright.plot.paint import to_figure

        return to_figure(self.scene)

    def _repr_html_(self) -> str:
        return f'<div style="max-width:100%;overflow:auto">{self.to_svg()}</div>'

    def __repr__(self) -> str:
        return f"<Picture of {self.scene.width / 72:.1f} × {self.scene.height / 72:.1f} inches>"


def picture_ending(path: str | os.PathLike[str]) -> str:
    """Tell the format of a picture by its name.

    >>> picture_ending("Tree.SVG")
    '.svg'
    """
    ending = path_given("tw.draw", path).suffix.lower()
    if ending not in TREE_ENDINGS:
        raise DataError(f"{os.fsdecode(path)}: the name of a picture must end with {', '.join(TREE_ENDINGS)}.")
    return ending
