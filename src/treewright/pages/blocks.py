"""What a page is made of, whatever its format: headings, sentences, working, tables, pictures, text kept as it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title of the page. `anchor` names it for links, in formats that have them.

    In a list of contents `entry` stands for its text where that is long, `depth` steps below the entries above it.
    """

    level: int
    text: str
    anchor: str = ""
    entry: str = ""
    depth: int = 0


@dataclass(frozen=True)
class Paragraph:
    """Sentences."""

    text: str


@dataclass(frozen=True)
class Working:
    """Lines of reckoning, each on its own."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table. `numbers` says which columns are aligned to the right; `marked` rows are the ones to look at."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()
    caption: str = ""


@dataclass(frozen=True)
class Verbatim:
    """Text with its own layout, such as a drawn tree."""

    text: str


@dataclass(frozen=True)
class Drawing:
    """A picture as the text of an SVG file, what it shows in words, and what formats without pictures have instead.

    Nothing stands in its place, not even its caption, where the numbers are told elsewhere.
    """

    svg: str
    words: str
    instead: Table | Verbatim | Paragraph | None = None


Block = Heading | Paragraph | Working | Table | Verbatim | Drawing
