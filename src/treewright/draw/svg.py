"""A scene as SVG: text stays text, so that it can be searched, copied and read aloud.

Names of columns and levels come from strangers. Everything that is not a number of ours goes through `escape`, which
leaves nothing that could end a tag, an attribute or a script, nor a character that XML does not allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from treewright.draw.scene import Bars, Bend, Box, Dots, Group, Mark, Scene, Stroke, Words, bend_points

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

    >>> from treewright.draw.scene import Box, Group, Scene
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
        return f'<path d="M{start}C{" ".join(rest)}" fill="none"{_stroked(mark.stroke, mark.line)}/>'
    return _stroke(mark)


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
