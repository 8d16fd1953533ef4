"""Comma-, semicolon-, tab- and bar-separated text: checked for its shape, then parsed, then typed by all cells.

The parser is that of pandas, the fastest at hand that reads every float to its last bit. It is lenient about short rows
and loose quotes and drops leading zeros, so `csv_layout` looks at the file first and says what to trust it with.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from treewright.read.byte_check import check_bytes
from treewright.read.csv_layout import Layout, look_at_layout
from treewright.read.csv_records import walk_records
from treewright.read.header import Header, check_names, read_header
from treewright.read.kind_request import check_column_kinds
from treewright.read.number_text import is_number_text
from treewright.read.source_file import SourceFile
from treewright.read.text_types import LADDER, ZERO_PADDED, TextColumn
from treewright.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

# The first version of pandas that reads floats exactly unless told otherwise.
EXACT_PANDAS = (3, 1)


def read_csv(file: SourceFile, missing_cells: tuple[str, ...], column_kinds: Mapping[str, str] | None) -> pd.DataFrame:
    """Read a delimited file into a frame, with types decided by all cells."""
    import pandas as pd

    header = read_header(file)
    check_bytes(file)
    check_names(file, header)
    kinds = check_column_kinds(column_kinds, header.names)
    layout = look_at_layout(file.path, header)
    if not layout.regular:
        # It raises the fault, if there is one.
        deque(walk_records(file, header), maxlen=0)
    parsing = _Parsing(file, header, missing_cells)
    asked = {i: kinds[name] for i, name in enumerate(header.names) if name in kinds}
    frame = parsing.frame([i for i, kind in asked.items() if kind == "nominal"])
    _settle_types(parsing, frame, layout, asked)
    frame.columns = pd.Index(header.names, dtype="str")
    return frame


@dataclass(frozen=True)
class _Parsing:
    """How the parser is to read one file."""

    file: SourceFile
    header: Header
    missing_cells: tuple[str, ...]

    def frame(self, as_text: Collection[int], only: Collection[int] | None = None) -> pd.DataFrame:
        """Parse all columns, or only some; those not read as text get the type that the parser sees in them."""
        import pandas as pd

        width = len(self.header.names)
        version = tuple(int(part) for part in pd.__version__.split(".")[:2])
        exact: dict[str, Any] = {} if version >= EXACT_PANDAS else {"float_precision": "round_trip"}
        return pd.read_csv(
            self.file.path,
            sep=self.header.delimiter,
            header=0,
            names=range(width),
            usecols=None if only is None else sorted(only),
            index_col=False,
            dtype=dict.fromkeys(as_text, "str"),
            na_values=list(self.missing_cells),
            keep_default_na=False,
            skip_blank_lines=width > 1,
            compression=None,
            engine="c",
            # Otherwise types would be guessed from a part of the rows.
            low_memory=False,
            **exact,
        )


def _settle_types(parsing: _Parsing, frame: pd.DataFrame, layout: Layout, asked: Mapping[int, str]) -> None:
    """Put right, in place, what the parser leaves as text or may have typed too boldly."""
    again = [i for i, dtype in enumerate(frame.dtypes) if _is_doubtful(dtype, i in layout.zero_padded, asked.get(i))]
    texts = parsing.frame(again, again) if again else frame[[]]
    for i, dtype in enumerate(frame.dtypes):
        kind = asked.get(i)
        if dtype == "uint64":
            # Integers that need the 64th bit are as rare as types for them.
            frame.isetitem(i, frame[i].astype("float64"))
        elif i in texts or dtype == "str":
            column = TextColumn(texts[i] if i in texts else frame[i], parsing.missing_cells, layout.padded)
            ladder = () if kind == "nominal" else (*LADDER, ZERO_PADDED) if kind == "numeric" else LADDER
            series = column.typed(ladder)
            if kind == "numeric" and series.dtype == "str":
                _refuse_text(parsing, series, i)
            frame.isetitem(i, series)


def _is_doubtful(dtype: Any, zero_padded: bool, kind: str | None) -> bool:
    """Tell whether a column must be read again as text: the parser drops leading zeros, and may mix Python objects."""
    if dtype in ("int64", "uint64", "float64"):
        return zero_padded and kind != "numeric"
    return dtype not in ("bool", "str")


def _refuse_text(parsing: _Parsing, texts: pd.Series[Any], column: int) -> None:
    file, header = parsing.file, parsing.header
    row = next(row for row, text in enumerate(texts) if isinstance(text, str) and not is_number_text(text))
    line, cells = next(islice(walk_records(file, header), row, None))
    name = header.names[column]
    raise DataError(
        f"{file.at(line)}: column '{name}' is asked to be numeric, but holds text here ({cells[column]!r}). Pass "
        f"missing_values=[{cells[column]!r}] if it means a missing value, or leave '{name}' out of column_kinds."
    )
