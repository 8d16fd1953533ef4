"""Texts are as wide as they are said to be, and lines are no longer than their room."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import get_data_path
from matplotlib.ft2font import FT2Font, LoadFlags

from thorough import examples
from treewright.plot.text_size import _pieces, fit, text_width, wrap

texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=60)


def test_the_widths_are_those_of_the_font() -> None:
    for bold, file in ((False, "DejaVuSans.ttf"), (True, "DejaVuSans-Bold.ttf")):
        font = FT2Font(f"{get_data_path()}/fonts/ttf/{file}")
        font.set_size(1000, 72)
        for code in range(32, 127):
            glyph = font.load_char(code, flags=LoadFlags.NO_SCALE)
            assert text_width(chr(code), 1000, bold) == round(glyph.linearHoriAdvance / 65536)


def test_letters_with_accents_and_usual_signs_are_as_wide_as_in_the_font() -> None:
    font = FT2Font(f"{get_data_path()}/fonts/ttf/DejaVuSans.ttf")
    font.set_size(1000, 72)
    for char in "éÄñçŠ≤≥…·–—→×":
        glyph = font.load_char(ord(char), flags=LoadFlags.NO_SCALE)
        assert text_width(char, 1000) == round(glyph.linearHoriAdvance / 65536)


@given(texts, st.floats(30, 200), st.booleans(), st.integers(1, 5))
@settings(max_examples=examples(300))
def test_no_line_is_longer_than_its_room(text: str, room: float, bold: bool, most: int) -> None:
    lines = wrap(text, room, 7.5, bold, most)
    assert 1 <= len(lines) <= most
    assert all(text_width(line, 7.5, bold) <= room for line in lines)


@given(texts, st.floats(30, 200))
def test_lines_hold_the_whole_text_where_there_is_room(text: str, room: float) -> None:
    lines = wrap(text, room, 7.5, most=1000)
    pieces = list(_pieces(text, room, 7.5, False))
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")
    if all(text_width(piece.strip(" "), 7.5) <= room for piece in pieces):  # else a part of a word ends with dots
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


@given(texts, st.floats(30, 200))
def test_a_shortened_text_begins_as_the_text_does_and_ends_with_dots(text: str, room: float) -> None:
    short = fit(text, room, 7.5)
    assert text_width(short, 7.5) <= room
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))


def test_lines_break_at_words_before_they_break_inside_them() -> None:
    assert wrap("bill_length_mm over time", 70, 7.5) == ["bill_length_mm", "over time"]
    assert wrap("from 1,000 to 3.5", 24, 7.5) == ["from", "1,000", "to 3.5"]
