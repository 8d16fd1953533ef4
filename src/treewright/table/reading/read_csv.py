"""Comma-, semicolon-, tab- and bar-separated text: checked for its shape, then parsed, then typed by all cells.

The parser is that of pandas, the fastest at hand that reads every float to its last bit. It is lenient about short rows
and loose quotes and drops leading zeros, so `csv_layout` looks at the file first and says what to trust it with.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from treewright.errors import DataError
from treewright.table.frame import WRITTEN
from treewright.table.reading.csv_header import Header, check_names, read_header
from treewright.table.reading.csv_layout import Layout, copy_plainly, look_at_layout, walk_records
from treewright.table.reading.reading_options import ReadingOptions
from treewright.table.reading.source_file import SourceFile
from treewright.table.reading.text_encoding import in_utf8
from treewright.table.reading.unnamed_index import without_index
from treewright.table.written.text_types import LADDER, ZERO_PADDED, TextColumn, TextType, is_number_text
from treewright.table.written.written_columns import WrittenColumns
from treewright.wording import kind_words, missing_words

if TYPE_CHECKING:
    import pandas as pd


# The first version of pandas that reads floats exactly unless told otherwise.
EXACT_PANDAS = (3, 1)


def read_csv(file: SourceFile, options: ReadingOptions, notes: list[str]) -> pd.DataFrame:
    """Read a delimited file into a frame, with types decided by all cells; what is worth telling goes to `notes`."""
    with in_utf8(file, options.encoding, notes) as plain:
        return without_index(_read_plain(plain, options, notes), notes)


def _read_plain(file: SourceFile, options: ReadingOptions, notes: list[str]) -> pd.DataFrame:
    """Read a file that is UTF-8."""
    import pandas as pd

    header = read_header(file, options.delimiter)
    check_names(file, header)
    kinds = options.kinds(header.names)
    asked = {i: kinds[name] for i, name in enumerate(header.names) if name in kinds}
    with _sound_text(file, header) as text:
        parsing = _Parsing(text, len(header.names), options.missing_cells)
        in_format = [i for i, name in enumerate(header.names) if options.sample(name)]
        frame = parsing.frame([*(i for i, kind in asked.items() if kind == "nominal"), *in_format])
        # Without rows there is nothing to tell a type by, and numbers are the type that disturbs least.
        if len(frame) == 0:
            frame = frame.astype("float64")
        else:
            frame = _settled(parsing, frame, asked, in_format)
            found = WrittenColumns(header.names, asked, options, parsing.text.layout.padded)
            found.read(frame, header.delimiter, lambda columns: parsing.frame(columns, only=columns))
            notes += found.notes()
    for i, kind in asked.items():
        if kind == "numeric" and frame[i].dtype == "str":
            _refuse_text(file, header, frame[i], i)
    frame.columns = pd.Index(header.names, dtype="str")
    if len(frame) and found.samples:
        frame.attrs[WRITTEN] = found.samples
    return frame


@dataclass(frozen=True)
class _SoundText:
    """Text in which every record fits the header, and quotes stand around cells only."""

    path: Path
    delimiter: str
    layout: Layout


@contextmanager
def _sound_text(file: SourceFile, header: Header) -> Iterator[_SoundText]:
    """Give the file itself if its shape is regular; else a plain copy, unless the careful walk finds a fault."""
    layout = look_at_layout(file.path, header)
    if layout.regular:
        yield _SoundText(file.path, header.delimiter, layout)
        return
    with TemporaryDirectory(prefix="treewright-") as folder:
        plain = Path(folder) / "plain.csv"
        copy_plainly(file, header, plain)
        yield _SoundText(plain, ",", look_at_layout(plain, replace(header, delimiter=",")))


@dataclass(frozen=True)
class _Parsing:
    """How the parser is to read one file."""

    text: _SoundText
    width: int
    missing_cells: tuple[str, ...]

    def frame(self, as_text: Collection[int], only: Collection[int] | None = None) -> pd.DataFrame:
        """Parse all columns, or only some; those not read as text get the type that the parser sees in them."""
        import pandas as pd

        version = tuple(int(part) for part in pd.__version__.split(".")[:2])
        exact: dict[str, Any] = {} if version >= EXACT_PANDAS else {"float_precision": "round_trip"}
        frame: pd.DataFrame = pd.read_csv(
            self.text.path,
            sep=self.text.delimiter,
            header=0,
            names=range(self.width),
            usecols=None if only is None else sorted(only),
            dtype=dict.fromkeys(as_text, "str") or None,
            na_values=list(self.missing_cells),
            keep_default_na=False,
            skip_blank_lines=self.width > 1,
            compression=None,
            engine="c",
            # Otherwise types would be guessed from a part of the rows.
            low_memory=False,
            **exact,
        )
        return frame


def _settled(
    parsing: _Parsing, frame: pd.DataFrame, asked: Mapping[int, str], in_format: Collection[int]
) -> pd.DataFrame:
    """Put right what the parser leaves as text or may have typed too boldly; columns in a known format wait."""
    layout = parsing.text.layout
    again = [i for i, dtype in enumerate(frame.dtypes) if _is_doubtful(dtype, i in layout.zero_padded, asked.get(i))]
    if again:
        for i, text in parsing.frame(again, only=again).items():
            frame.isetitem(cast(int, i), text.array)
    for i, dtype in enumerate(frame.dtypes):
        if i in in_format:
            continue
        if dtype == "str":
            series = TextColumn(frame[i], parsing.missing_cells, layout.padded).typed(_ladder(asked.get(i)))
            frame.isetitem(i, series.array)
        elif dtype == "uint64":
            # Whole numbers too large for 64 bits with a sign are floats, as those too large for any 64 bits.
            frame.isetitem(i, frame[i].astype("float64").array)
    return frame


def _ladder(kind: str | None) -> tuple[TextType, ...]:
    """A nominal column keeps its cells as they are written; a numeric one may have leading zeros."""
    if kind == "nominal":
        return ()
    return (*LADDER, ZERO_PADDED) if kind == "numeric" else LADDER


def _is_doubtful(dtype: Any, zero_padded: bool, kind: str | None) -> bool:
    """Tell whether a column must be read again as text: the parser drops leading zeros, and may mix Python objects."""
    if dtype in ("int64", "uint64", "float64"):
        return zero_padded and kind != "numeric"
    return dtype not in ("bool", "str")


def _refuse_text(file: SourceFile, header: Header, texts: pd.Series[Any], column: int) -> None:
    row = next(row for row, text in enumerate(texts) if isinstance(text, str) and not is_number_text(text))
    line, cells = next(islice(walk_records(file, header), row, None))
    name = header.names[column]
    raise DataError(
        f"{file.at(line)}: column '{name}' is asked to be numeric, but holds text here ({cells[column]!r}). Pass "
        f"{missing_words(cells[column])} if it means a missing value, or {kind_words(name, 'nominal')} for text."
    )
