"""What a page is made of, whatever its format: headings, sentences, lines of working, tables, text kept as it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title of the page. `anchor` names it for links, in formats that have them."""

    level: int
    text: str
    anchor: str = ""


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


Block = Heading | Paragraph | Working | Table | Verbatim
