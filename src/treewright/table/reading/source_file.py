"""From the name a user typed to a plain file of bytes, and one quick look at every byte: is it text, is it UTF-8."""

from __future__ import annotations

import codecs
import gzip
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

from treewright.errors import DataError, nearest, nearest_file

# From the name a user typed to a plain file of bytes: near misses are named, gzip unpacked, standard input kept.


AS_DATABASE = "Pass it as db= and give a table name or a query."
DUCKDB_MAGIC = b"DUCK"  # from the ninth byte on
# What a file is by its first bytes, and what to do about it. Text files have none of these.
FOREIGN = (
    (b"PK\x03\x04", "a zip archive or an office workbook", "Unpack it, or save the sheet as CSV, and read that file."),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)", "Save it as .xlsx or the sheet as CSV, and read that file."),
    (b"BZh", "packed with bzip2", "Unpack it with bunzip2 first."),
    (b"\xfd7zXZ\x00", "packed with xz", "Unpack it with unxz first."),
    (b"\x28\xb5\x2f\xfd", "packed with zstd", "Unpack it with unzstd first."),
    (b"%PDF", "a PDF document", "Export the table it shows as CSV."),
    (b"\x89TWTREE\n", "a treewright model, not a table", "Use tw.load to open it."),
    (b"SQLite format 3\x00", "an SQLite database", AS_DATABASE),
)
# Text that is no delimited text, by its first letters (in small letters), and the endings that such a file may have.
OTHER_TEXT = (
    ((b"<!doctype", b"<html", b"<?xml"), (), "a web page or XML", "Was it a failed download? Get the table itself."),
    ((b"@relation",), (".arff",), "an ARFF file", "Give it a name that ends in .arff."),
    ((b'{"', b"[{"), (".json", ".jsonl", ".ndjson"), "JSON", "Give it a name that ends in .jsonl or .json."),
)
# Files of other programs, by how their names end: their bytes are packed, and would be told as damaged text.
IN_R = (
    "In R write the table as CSV, write.csv(table, 'table.csv', row.names = FALSE), or with the levels of its factors "
    "as Feather, arrow::write_feather(table, 'table.feather'), and read that file."
)
IN_PYTHON = "In Python write the table as Parquet or CSV (frame.to_parquet, frame.to_csv), or pass the frame itself."
OF_OTHERS = {
    **dict.fromkeys((".rds", ".rda", ".rdata"), ("a file of R", IN_R)),
    **dict.fromkeys((".pkl", ".pickle", ".joblib"), ("a pickle, which may run code when it is opened", IN_PYTHON)),
    **dict.fromkeys((".h5", ".hdf", ".hdf5"), ("an HDF5 file", IN_PYTHON)),
    **dict.fromkeys((".npy", ".npz"), ("a file of numpy", IN_PYTHON)),
    **dict.fromkeys((".orc", ".avro"), ("a file of Hadoop", "Write the table as Parquet, and read that file.")),
    ".ods": ("a workbook of LibreOffice", "Save it as .xlsx or the sheet as CSV, and read that file."),
}
PARQUET_MAGIC = b"PAR1"
WORKBOOKS = (".xlsx", ".xlsm")
GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True)
class SourceFile:
    """A file ready to be parsed: `shown` is its name in messages, `path` holds the bytes, `suffix` tells the form.

    >>> SourceFile("people.csv.gz", Path("/tmp/spool"), ".csv").at(17)
    'people.csv.gz:17'
    """

    shown: str
    path: Path
    suffix: str

    def at(self, line: int) -> str:
        """Say where a line is, in the form that editors and terminals make clickable."""
        return f"{self.shown}:{line}"


@contextmanager
def open_source(source: str | os.PathLike[str]) -> Iterator[SourceFile]:
    """Find the file, unpack it if it is gzipped, refuse what is no table, and clean up afterwards.

    >>> with open_source("no_such_table.csv") as file:
    ...     pass
    Traceback (most recent call last):
    treewright.errors.DataError: no_such_table.csv: there is no such file...
    """
    with tempfile.TemporaryDirectory(prefix="treewright-") as folder:
        spool = Path(folder) / "table"
        if os.fspath(source) == "-":
            with spool.open("wb") as plain:
                shutil.copyfileobj(sys.stdin.buffer, plain)
            yield from _unpacked("<stdin>", spool, ".csv", Path(folder) / "plain")
        else:
            shown = os.fspath(source)
            if "://" in shown:
                raise DataError(
                    f"{shown}: tables are read from files, and nothing goes to the network. Download it first and give "
                    "the file name."
                )
            path = _existing(Path(source))
            suffixes = [s.lower() for s in path.suffixes]
            suffix = suffixes[-2] if len(suffixes) > 1 and suffixes[-1] == ".gz" else "".join(suffixes[-1:])
            if suffix in OF_OTHERS:
                what, cure = OF_OTHERS[suffix]
                raise DataError(f"{shown}: this is {what}. {cure}")
            yield from _unpacked(shown, path.resolve(), suffix, spool)


def _existing(path: Path) -> Path:
    if path.is_dir():
        inside = sorted(p.name for p in path.iterdir() if p.is_file())
        raise DataError(f"{path}: this is a folder, not a file. Give one of the files in it. {nearest('', inside)}")
    if path.exists():
        return path
    if str(path).lower().startswith(("select ", "with ")):
        raise DataError(f"{path}: this is a query. Say which database it asks with db= (on the command line --db).")
    if any(letter in str(path) for letter in "*?"):
        raise DataError(f"{path}: a table is one file. Put many files into one first, with one header above all rows.")
    if not path.parent.is_dir():
        raise DataError(f"{path}: there is no such file, and no folder '{path.parent}' either. Check the path.")
    beside = sorted(p.name for p in path.parent.iterdir() if p.is_file() and not p.name.startswith("."))
    raise DataError(f"{path}: there is no such file in '{path.parent.resolve()}'. {nearest_file(path.name, beside)}")


def _unpacked(shown: str, path: Path, suffix: str, spool: Path) -> Iterator[SourceFile]:
    try:
        with path.open("rb") as file:
            start = file.read(32)
            if start.startswith(GZIP_MAGIC):
                file.seek(0)
                start = _gunzip(file, spool, shown)
                path = spool
    except OSError as error:
        raise DataError(f"{shown}: the file cannot be read ({error.strerror or error}).") from error
    _refuse_foreign(start, shown, suffix)
    if any(letter in str(path) for letter in "*?[]{}"):
        # The engine reads such letters as a pattern for many files, so it gets a plain name for this one.
        spool.symlink_to(path)
        path = spool
    yield SourceFile(shown, path, suffix)


def _gunzip(packed: IO[bytes], spool: Path, shown: str) -> bytes:
    try:
        with gzip.open(packed) as inside, spool.open("wb") as plain:
            shutil.copyfileobj(inside, plain, 1 << 20)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(
            f"{shown}: the gzip file is damaged or cut short ({error}). Copy or download it again."
        ) from error
    with spool.open("rb") as plain:
        return plain.read(32)


def _refuse_foreign(start: bytes, shown: str, suffix: str) -> None:
    for magic, what, cure in FOREIGN:
        if start.startswith(magic) and suffix not in WORKBOOKS:
            raise DataError(f"{shown}: this is {what}. {cure}")
    if start[8:12] == DUCKDB_MAGIC:
        raise DataError(f"{shown}: this is a DuckDB database. {AS_DATABASE}")
    letters = start.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for beginnings, endings, what, cure in OTHER_TEXT:
        if letters.startswith(beginnings) and suffix not in endings:
            raise DataError(f"{shown}: this is {what}. {cure}")
    if start.startswith(PARQUET_MAGIC) and suffix not in (".parquet", ".pq"):
        raise DataError(f"{shown}: this is a Parquet file. Give it a name that ends in .parquet.")


# One quick look at every byte of a text file: is it UTF-8, and is it text at all.


BLOCK = 1 << 20


def check_bytes(file: SourceFile) -> None:
    """Refuse bytes that are not UTF-8 text, with their place."""
    fault = first_fault(file)
    if fault is not None:
        _refuse_encoding(file, *fault)


def first_fault(file: SourceFile) -> tuple[int, int] | None:
    """Find the first byte that is not UTF-8: its place and the byte. A NUL byte is refused at once."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    position = 0
    with file.path.open("rb") as stream:
        while block := stream.read(BLOCK):
            if (nul := block.find(b"\0")) >= 0:
                _refuse_nul(file, position + nul)
            held = len(decoder.getstate()[0])
            # Plain ASCII needs no decoding, unless a letter of several bytes is still open.
            if held or not block.isascii():
                try:
                    decoder.decode(block)
                except UnicodeDecodeError as error:
                    return position - held + error.start, error.object[error.start]
            position += len(block)
    rest = decoder.getstate()[0]
    return (position - len(rest), rest[0]) if rest else None


def _refuse_nul(file: SourceFile, offset: int) -> NoReturn:
    raise DataError(
        f"{file.at(line_of(file.path, offset))}: there is a NUL byte (byte {offset + 1} of the file), so this is no "
        "text table. If it is UTF-16 text save it as UTF-8; if it is a damaged file get it again."
    )


def _refuse_encoding(file: SourceFile, offset: int, byte: int) -> NoReturn:
    raise DataError(
        f"{file.at(line_of(file.path, offset))}: byte 0x{byte:02X} (byte {offset + 1} of the file) is not UTF-8. Save "
        "the file as UTF-8; if it comes from Excel or an older Windows program, this often helps: "
        "iconv -f WINDOWS-1252 -t UTF-8 old.csv > new.csv"
    )


def line_of(path: Path, offset: int) -> int:
    """Count the lines before an offset. Files of the classic Mac end lines in a lone carriage return."""
    newlines = returns = 0
    with path.open("rb") as stream:
        left = offset
        while left and (block := stream.read(min(BLOCK, left))):
            newlines += block.count(b"\n")
            returns += block.count(b"\r")
            left -= len(block)
    return (newlines or returns) + 1
