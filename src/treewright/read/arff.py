"""ARFF, the file form of Weka: a header that declares each column, then rows. Read in blocks, so memory stays small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
import numpy.typing as npt

from treewright.errors import DataError
from treewright.read.arff_header import Attribute, cells_of, read_attributes
from treewright.read.byte_check import check_bytes
from treewright.read.number_text import is_number_text
from treewright.read.source_file import SourceFile

if TYPE_CHECKING:
    import pandas as pd

ROWS_AT_ONCE = 65_536
UNKNOWN_LEVEL = -2


def read_arff(file: SourceFile) -> pd.DataFrame:
    """Read an ARFF file: nominal attributes become categories with the declared levels, in their order."""
    import pandas as pd

    check_bytes(file)
    with file.path.open(encoding="utf-8-sig") as text:
        attributes, n_lines = read_attributes(file, text)
        blocks = [_convert(file, attributes, block) for block in _blocks(file, attributes, text, n_lines)]
    blocks = blocks or [_convert(file, attributes, Block())]
    series = {i: _series(a, [block[i] for block in blocks]) for i, a in enumerate(attributes)}
    frame = pd.DataFrame(series)
    frame.columns = pd.Index([a.name for a in attributes], dtype="str")
    return frame


@dataclass
class Block:
    """Some rows, as text, with the line of each."""

    lines: list[int] = field(default_factory=list)
    rows: list[list[str | None]] = field(default_factory=list)


def _blocks(file: SourceFile, attributes: list[Attribute], text: TextIO, n_lines: int) -> Iterator[Block]:
    block = Block()
    for line, raw in enumerate(text, start=n_lines + 1):
        row = raw.strip()
        if not row or row.startswith("%"):
            continue
        if row.startswith("{"):
            raise DataError(
                f"{file.at(line)}: this is a sparse row ({{index value, …}}), which is not read. In Weka, apply the "
                "filter SparseToNonSparse and save again."
            )
        cells = cells_of(file, line, row)
        if len(cells) != len(attributes):
            raise DataError(
                f"{file.at(line)}: cells in this row: {len(cells)}; attributes declared: {len(attributes)}. Put "
                "a cell that holds a comma or a blank in quotes; write ? for a missing value."
            )
        block.lines.append(line)
        block.rows.append(cells)
        if len(block.rows) == ROWS_AT_ONCE:
            yield block
            block = Block()
    if block.rows:
        yield block


def _convert(file: SourceFile, attributes: list[Attribute], block: Block) -> list[npt.NDArray[Any]]:
    columns = list(zip(*block.rows, strict=True)) if block.rows else [()] * len(attributes)
    return [_values(file, a, block, cells) for a, cells in zip(attributes, columns, strict=True)]


def _values(file: SourceFile, attribute: Attribute, block: Block, cells: tuple[str | None, ...]) -> npt.NDArray[Any]:
    if attribute.kind == "string":
        return np.array(cells, dtype=object)
    if attribute.kind == "nominal":
        return _codes(file, attribute, block, cells)
    parse: Callable[[str], Any] = attribute.parse_date if attribute.kind == "date" else _number
    hole: Any = np.datetime64("NaT") if attribute.kind == "date" else np.nan
    values = np.empty(len(cells), dtype=np.dtype("datetime64[us]" if attribute.kind == "date" else "float64"))
    for row, cell in enumerate(cells):
        try:
            values[row] = hole if cell is None else parse(cell)
        except ValueError:
            expected = "a number" if attribute.kind == "numeric" else f"a date like '{attribute.date_format}'"
            _refuse(file, attribute, block.lines[row], cell, expected)
    return values


def _codes(file: SourceFile, attribute: Attribute, block: Block, cells: tuple[str | None, ...]) -> npt.NDArray[Any]:
    codes = {None: -1} | {level: code for code, level in enumerate(attribute.levels)}
    values = np.array([codes.get(cell, UNKNOWN_LEVEL) for cell in cells], dtype=np.int64)
    if (values == UNKNOWN_LEVEL).any():
        row = int((values == UNKNOWN_LEVEL).argmax())
        _refuse(file, attribute, block.lines[row], cells[row], f"one of {{{','.join(attribute.levels[:20])}}}")
    return values


def _number(cell: str) -> float:
    if not is_number_text(cell) and cell.lower() != "nan":
        raise ValueError(cell)
    return float(cell)


def _refuse(file: SourceFile, attribute: Attribute, line: int, cell: str | None, expected: str) -> None:
    raise DataError(
        f"{file.at(line)}: attribute '{attribute.name}' must hold {expected}, but here is {cell!r}. Write ? for a "
        "missing value, or change the declaration of the attribute."
    )


def _series(attribute: Attribute, parts: list[npt.NDArray[Any]]) -> pd.Series[Any]:
    import pandas as pd

    values = np.concatenate(parts)
    if attribute.kind == "nominal":
        return pd.Series(pd.Categorical.from_codes(values, categories=pd.Index(attribute.levels, dtype="str")))
    if attribute.kind == "string":
        return pd.Series(values, dtype="str")
    whole = attribute.kind == "numeric" and len(values) > 0 and bool(np.all(np.mod(values, 1) == 0))
    if whole and bool(np.all(np.abs(values) < 2.0**53)):
        return pd.Series(values.astype(np.int64))
    return pd.Series(values)
