"""What a picture is made of: a few plain shapes, with no word about how they get on paper or on a screen.

Lengths are in points (1/72 inch); x grows to the right and y downwards. A colour is written ``#rrggbb``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
    """A smooth line that leaves one point and reaches another in the same direction: down, or to the right."""

    start: Point
    end: Point
    stroke: str
    line: float
    sideways: bool = False


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
    """Give the four points of the cubic curve that a bend is.

    >>> bend_points(Bend((0, 0), (10, 20), "#000000", 1.0))
    ((0, 0), (0, 10.0), (10, 10.0), (10, 20))
    """
    (x0, y0), (x1, y1) = bend.start, bend.end
    if bend.sideways:
        half = (x0 + x1) / 2
        return bend.start, (half, y0), (half, y1), bend.end
    half = (y0 + y1) / 2
    return bend.start, (x0, half), (x1, half), bend.end
