"""A scene as PNG or PDF, painted by matplotlib from the same shapes as the SVG."""

from __future__ import annotations

import io
import logging
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ft2font import LoadFlags
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray

from treewright.errors import DataError
from treewright.plot.scene import Bars, Bend, Box, Dots, Group, Mark, Scene, Stroke, Words, bend_points
from treewright.plot.text_size import text_width

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase


# Plain letters as outlines, found once and kept: pictures of pixels with thousands of words are painted from them.


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


MOST_PIXELS = 20_000_000  # of a PNG; a larger picture is painted with fewer dots per inch
_SMALL = 4_000_000  # pixels
_LONGEST_SIDE = 32_000  # pixels; the painter takes no more than twice that
_LONGEST_PAGE = 14_400.0  # points; readers of PDF take no larger page
_LEAST_DPI = 36.0  # below it letters are no longer letters
_CORNER = 0.4477  # how near to the corner the curve of a round corner is pulled


def to_png(scene: Scene, dpi: float = 150.0) -> bytes:
    """Paint a scene as PNG; a huge one gets fewer dots per inch, and is refused where letters would be lost.

    >>> from treewright.plot.scene import Box, Group, Scene
    >>> to_png(Scene(20, 10, [Group(1, 2, (Box(0, 0, 5, 5, fill="#0072b2"),))]))[1:4]
    b'PNG'
    """
    inches = scene.width * scene.height / 72**2
    most = min((MOST_PIXELS / inches) ** 0.5, 72 * _LONGEST_SIDE / max(scene.width, scene.height))
    if min(dpi, most) < _LEAST_DPI:
        raise DataError(
            f"The picture is {scene.width / 72:,.0f} × {scene.height / 72:,.0f} inches: as PNG its letters would be "
            "too small to read. Write SVG or PDF, which can be enlarged, or draw less with max_depth."
        )
    dpi = min(dpi, most)
    level = 6 if inches * dpi**2 < _SMALL else 1  # packing a large picture well takes longer than painting it
    return _painted(to_figure(scene), "png", dpi, {"Software": None}, pil_kwargs={"compress_level": level})


def to_pdf(scene: Scene) -> bytes:
    """Paint a scene as a PDF of one page, text as text; the same bytes for the same scene.

    >>> from treewright.plot.scene import Box, Group, Scene
    >>> to_pdf(Scene(20, 10, [Group(1, 2, (Box(0, 0, 5, 5, fill="#0072b2"),))]))[:5]
    b'%PDF-'
    """
    scale = min(1.0, _LONGEST_PAGE / max(scene.width, scene.height))
    nothing = {"CreationDate": None, "Producer": None, "Creator": "treewright"}
    return _painted(to_figure(scene, scale), "pdf", 72.0, nothing)


def to_figure(scene: Scene, scale: float = 1.0) -> Figure:
    """Give a scene as a figure of matplotlib, to be put on a screen or saved in any format that it knows.

    >>> from treewright.plot.scene import Scene
    >>> to_figure(Scene(144, 72)).get_size_inches().tolist()
    [2.0, 1.0]
    """
    figure = Figure(figsize=(scene.width * scale / 72, scene.height * scale / 72), facecolor="white")
    FigureCanvasAgg(figure)
    figure.add_artist(_SceneArtist(scene, scale))
    return figure


def _painted(figure: Figure, ending: str, dpi: float, metadata: dict[str, Any], **packing: Any) -> bytes:
    page = io.BytesIO()
    quiet = logging.getLogger("fontTools.subset")
    quiet.setLevel(max(quiet.level, logging.WARNING))
    with mpl.rc_context({"pdf.fonttype": 42, "text.hinting": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # a box stands for it
        figure.savefig(page, format=ending, dpi=dpi, metadata=metadata, **packing)
    return page.getvalue()


class _SceneArtist(Artist):
    """Hands the shapes of a scene to whatever paints: a picture of pixels, or a page."""

    def __init__(self, scene: Scene, scale: float) -> None:
        super().__init__()
        self.scene, self.scale = scene, scale
        self.fonts = {
            bold: FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal") for bold in (False, True)
        }

    def draw(self, renderer: RendererBase) -> None:
        """Paint all groups in their order."""
        unit = float(cast(float, renderer.points_to_pixels(1.0))) * self.scale
        brush = _Brush(renderer, unit, self.scene.height, self.fonts)
        for group in self.scene.groups:
            brush.paint(group)


class _Brush:
    """Turns shapes into the calls of a renderer; y grows upwards there."""

    def __init__(self, renderer: Any, unit: float, height: float, fonts: dict[bool, FontProperties]) -> None:
        self.renderer, self.unit, self.height, self.fonts = renderer, unit, height, fonts

    def paint(self, group: Group) -> None:
        to_page = Affine2D().translate(group.x, group.y).scale(1, -1).translate(0, self.height).scale(self.unit)
        for mark in group.marks:
            if isinstance(mark, Words):
                self._words(mark, group)
            else:
                self._shape(mark, to_page)

    def _shape(self, mark: Mark, to_page: Affine2D) -> None:
        gc = self.renderer.new_gc()
        gc.set_antialiased(True)
        if isinstance(mark, Dots):
            self._dots(mark, gc, to_page)
        else:
            path, fill, stroke = _outline(mark)
            gc.set_linewidth(getattr(mark, "line", 0.0) * self.unit if stroke else 0)
            gc.set_foreground(stroke or "#000000")
            if isinstance(mark, Stroke) and mark.dashed:
                gc.set_dashes(0, [2 * self.unit, 2 * self.unit])
            self.renderer.draw_path(gc, path, to_page, to_rgba(fill) if fill else None)
        gc.restore()

    def _dots(self, dots: Dots, gc: Any, to_page: Affine2D) -> None:
        gc.set_linewidth(0)
        disc = Affine2D().scale(dots.size / 2 * self.unit)
        self.renderer.draw_markers(gc, Path.unit_circle(), disc, Path(dots.points), to_page, to_rgba(dots.fill))

    def _words(self, words: Words, group: Group) -> None:
        width = text_width(words.text, words.size, words.bold)
        before = {"start": 0.0, "middle": width / 2, "end": width}[words.anchor]
        x, y = (group.x + words.x - before) * self.unit, (self.height - group.y - words.y) * self.unit
        gc = self.renderer.new_gc()
        gc.set_foreground(words.fill)
        if isinstance(self.renderer, RendererAgg) and is_plain(words.text):
            self._letters(words, gc, Affine2D().scale(words.size * self.unit).translate(x, y))
        else:
            font = self.fonts[words.bold]
            font.set_size(words.size * self.unit / self.renderer.points_to_pixels(1.0))
            top = self.height * self.unit - y if self.renderer.flipy() else y
            self.renderer.draw_text(gc, x, top, words.text, font, 0, ismath=False)
        gc.restore()

    def _letters(self, words: Words, gc: Any, to_page: Affine2D) -> None:
        path = word_path(words.text, words.bold)
        if path is not None:
            gc.set_linewidth(0)
            gc.set_antialiased(True)
            self.renderer.draw_path(gc, path, to_page, to_rgba(words.fill))


def _outline(mark: Mark) -> tuple[Path, str | None, str | None]:
    """Give the path of a shape, what fills it and what draws its edge."""
    if isinstance(mark, Bend):
        curve = [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
        points, codes = [mark.start, *bend_points(mark), mark.end], [Path.MOVETO, *curve, Path.LINETO]
        return Path(points, codes), None, mark.stroke
    if isinstance(mark, Stroke):
        points = [*mark.points, mark.points[0]] if mark.closed else list(mark.points)
        codes = [Path.MOVETO] + [Path.LINETO] * (len(points) - 1)
        if mark.closed:
            codes[-1] = Path.CLOSEPOLY
        return Path(points, codes), mark.fill, mark.stroke
    if isinstance(mark, Bars):
        return Path.make_compound_path(*(_box_path(Box(*bar)) for bar in mark.bars)), mark.fill, None
    assert isinstance(mark, Box)
    return _box_path(mark), mark.fill, mark.stroke


def _box_path(box: Box) -> Path:
    left, top, right, bottom = box.x, box.y, box.x + box.width, box.y + box.height
    if not box.radius:
        return Path([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], closed=True)
    r, k = box.radius, box.radius * _CORNER
    points = [(left + r, top), (right - r, top), (right - k, top), (right, top + k), (right, top + r)]
    points += [(right, bottom - r), (right, bottom - k), (right - k, bottom), (right - r, bottom)]
    points += [(left + r, bottom), (left + k, bottom), (left, bottom - k), (left, bottom - r)]
    points += [(left, top + r), (left, top + k), (left + k, top), (left + r, top), (left + r, top)]
    side = [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
    return Path(points, [Path.MOVETO, *side * 4, Path.CLOSEPOLY])
