"""The quick look at the shape of a file says the same as the careful walk, whatever blocks it takes the file in."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from thorough import examples
from treewright.errors import DataError
from treewright.table.reading import csv_layout
from treewright.table.reading.csv_header import Header
from treewright.table.reading.csv_layout import look_at_layout, walk_records
from treewright.table.reading.source_file import SourceFile

HEADER = Header(("a", "b", "c"), ",")
CELLS = st.sampled_from(
    ["", "1", "x", " 7", "007", "-01", '"q"', '"a,b"', '"say ""hi"""', '"two\nlines"', 'a"b', '"x"y']
)
RECORDS = st.lists(st.lists(CELLS, min_size=1, max_size=4) | st.lists(CELLS, min_size=3, max_size=3), max_size=6)


def written(folder: Path, text: str) -> Path:
    path = folder / "t.csv"
    path.write_text("a,b,c\n" + text, encoding="utf-8", newline="")
    return path


@given(RECORDS, st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans(), st.integers(1, 40))
@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_shape_that_passes_has_no_fault(
    tmp_path: Path, records: list[list[str]], end: str, ended: bool, block: int
) -> None:
    path = written(tmp_path, end.join(",".join(cells) for cells in records) + (end if ended else ""))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_layout, "BLOCK", block)
        regular = look_at_layout(path, HEADER).regular
    try:
        rows = [cells for _, cells in walk_records(SourceFile("t.csv", path, ".csv"), HEADER)]
    except DataError:
        rows = None
    # A bare cell may hold a quote, which is right but not regular.
    has_loose_quote = any('a"b' in cells for cells in records)
    assert regular == (rows is not None and not has_loose_quote)


@pytest.mark.parametrize("block", [1, 2, 3, 4, 7, 100])
def test_columns_with_leading_zeros_are_found_in_any_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(csv_layout, "BLOCK", block)
    path = written(tmp_path, "0,1,2\n0.5,-0.5,10\n100,-007,+1\n1, 01,00\n")
    assert look_at_layout(path, HEADER).zero_padded == {1, 2}


@pytest.mark.parametrize("block", [1, 2, 3, 100])
@pytest.mark.parametrize(("text", "padded"), [("a b,c d,e f\n", False), ("1,2, 3\n", True), ("1,2 ,3\n", True)])
def test_blanks_around_cells_are_found_in_any_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, text: str, padded: bool
) -> None:
    monkeypatch.setattr(csv_layout, "BLOCK", block)
    assert look_at_layout(written(tmp_path, text), HEADER).padded is padded
