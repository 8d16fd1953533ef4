"""Files as a source: Parquet and CSV, one or many, in folders by value or not; read a batch at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from treewright.errors import DataError
from treewright.sources.batches import BatchSource, EncodedRows, columns_of, encode_rows, put_together
from treewright.sources.questions import Plan
from treewright.wording import on_command_line

if TYPE_CHECKING:
    import pyarrow as pa

_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv"}
_BATCH_ROWS = 131_072
_WAITS = (0.1, 1.0)  # seconds before a file that cannot be read is tried again


class FileSource(BatchSource):
    """Parquet or CSV files that need not fit into memory."""

    engine = "files"

    def __init__(self, what: Any, fetch_rows: int) -> None:
        self.fetch_rows = fetch_rows
        self.paths, self.root = find_files(what)
        self._dataset = self._open()
        self._stamps = {path: _stamp(path) for path in self.paths}

    def _open(self) -> Any:
        import pyarrow as pa
        import pyarrow.dataset as ds

        kind = format_of(self.paths)
        how: Any = kind
        if kind == "csv":
            import pyarrow.csv as pc

            tabs = pc.ParseOptions(delimiter="\t") if self.paths[0].lower().endswith(".tsv") else None
            how = ds.CsvFileFormat(parse_options=tabs)
        partitioning = ds.partitioning(flavor="hive")
        try:
            options = {"format": how, "partitioning": partitioning, "partition_base_dir": self.root}
            first = ds.dataset(self.paths, **options)
            return ds.dataset(self.paths, schema=one_schema(first), **options)
        except (pa.ArrowInvalid, pa.ArrowTypeError, OSError) as error:
            raise DataError(f"{self.paths[0]}: the files cannot be read as {kind}: {error}") from error

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self._dataset.schema.names)

    def empty_table(self) -> pa.Table:
        """A table with the types of the columns and no rows."""
        return plain_types(self._dataset.schema.empty_table())

    def ask_tables(
        self, names: Sequence[str], question: Callable[[pa.Table, str], Any], together: Callable[[list[Any]], Any]
    ) -> Any:
        """Ask one batch after the other."""
        return put_together((question(table, where) for table, where in self._tables(names)), together)

    def ask_rows(
        self, plan: Plan, question: Callable[[EncodedRows, Plan], Any], together: Callable[[list[Any]], Any]
    ) -> Any:
        """Ask one batch after the other, each encoded when it is its turn."""
        tables = self._tables(columns_of(plan))
        return put_together((question(encode_rows(table, where, plan), plan) for table, where in tables), together)

    def each_table(self, names: Sequence[str], question: Callable[[pa.Table, str], Any]) -> Iterator[Any]:
        """Ask one batch after the other, and give each answer."""
        return (question(table, where) for table, where in self._tables(names))

    def batches(self, names: Sequence[str]) -> Iterator[pa.Table]:
        """Hand over all rows, some at a time, in the order of the files."""
        for table, _ in self._tables(names):
            yield table

    def _tables(self, names: Sequence[str]) -> Iterator[tuple[pa.Table, str]]:
        for fragment in self._dataset.get_fragments():
            yield from self._read(fragment, names)

    def _read(self, fragment: Any, names: Sequence[str]) -> Iterator[tuple[pa.Table, str]]:
        """Read one file. What cannot be read for a moment is tried again, from the row where it ended."""
        import pyarrow as pa

        path, done = str(fragment.path), 0
        for wait in (*_WAITS, None):
            try:
                self._refuse_changed(path)
                for table in self._scan(fragment, names, done):
                    done += table.num_rows
                    yield table, path
                return
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise DataError(f"{path}: this file cannot be read: {error}") from error
            except OSError as error:
                if wait is None:
                    raise DataError(
                        f"{path}: this file cannot be read: {error}. It was tried {len(_WAITS) + 1} times. Put it "
                        "back, or make the source anew, and repeat."
                    ) from error
                time.sleep(wait)

    def _scan(self, fragment: Any, names: Sequence[str], after: int) -> Iterator[pa.Table]:
        import pyarrow as pa

        scan = fragment.scanner(
            schema=self._dataset.schema,
            columns=list(names),
            batch_size=_BATCH_ROWS,
            batch_readahead=2,
            fragment_readahead=1,
            use_threads=False,
        )
        for batch in scan.to_batches():
            left = batch[min(after, batch.num_rows) :]
            after -= batch.num_rows - left.num_rows
            if left.num_rows:
                yield plain_types(pa.Table.from_batches([left]))

    def _refuse_changed(self, path: str) -> None:
        """Refuse a file that is not the one which was looked at first: counts of several passes have to agree."""
        if _stamp(path) != self._stamps.setdefault(path, _stamp(path)):
            raise DataError(f"{path}: this file has changed since the source was made. Make it anew and repeat.")

    def __str__(self) -> str:
        return self.paths[0] if len(self.paths) == 1 else f"{self.paths[0]} and {len(self.paths) - 1} more files"


def _stamp(path: str) -> tuple[int, int]:
    found = Path(path).stat()
    return found.st_size, found.st_mtime_ns


def find_files(what: Any) -> tuple[list[str], str]:
    """Give the files that a path, a folder, a pattern or a list of these names, sorted, and the folder above them.

    Examples
    --------
    >>> find_files("nowhere/*.parquet")
    Traceback (most recent call last):
    treewright.errors.DataError: nowhere/*.parquet: there is no such file. Check the folder and the pattern.
    """
    given = [what] if isinstance(what, str | os.PathLike) else list(what)
    found: list[str] = []
    roots = []
    for one in [os.fspath(path) for path in given]:
        if Path(one).is_dir():
            paths = _in_folder(Path(one))
            roots.append(one)
        else:
            paths, root = _matching(one)
            roots.append(root)
        if not paths and Path(one).is_dir():
            raise DataError(f"{one}: no file in this folder ends with {', '.join(_FORMATS)}. Name the files.")
        if not paths or not Path(paths[0]).is_file():
            raise DataError(f"{one}: there is no such file. Check the folder and the pattern.")
        found += paths
    return list(dict.fromkeys(found)), os.path.commonpath(roots) if len(set(roots)) > 1 else roots[0]


def _matching(pattern: str) -> tuple[list[str], str]:
    """The files of a pattern, and the folder that it begins with; a file that is there is no pattern."""
    parts = Path(pattern).parts
    first = next((i for i, part in enumerate(parts) if set(part) & set("*?[")), len(parts))
    if first == len(parts) or Path(pattern).exists():
        return [pattern], str(Path(pattern).parent)
    root = Path(*parts[:first])
    found = sorted(root.glob(str(Path(*parts[first:]))))
    return [path for one in found for path in (_in_folder(one) if one.is_dir() else [str(one)])], str(root)


def _in_folder(folder: Path) -> list[str]:
    return [str(path) for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix.lower() in _FORMATS]


def format_of(paths: Sequence[str]) -> str:
    """The one format of files, by their endings.

    Examples
    --------
    >>> format_of(["a.parquet", "b.parquet"])
    'parquet'
    """
    formats = {_FORMATS.get(Path(path).suffix.lower(), ""): path for path in paths}
    if "" in formats:
        whole = "" if on_command_line() else " tw.read reads others, whole."
        raise DataError(f"{formats['']}: files of a source end with {', '.join(_FORMATS)}.{whole}")
    if len(formats) > 1:
        one, other = sorted(formats.values())
        pattern = Path(one).parent / f"*{Path(one).suffix}"
        raise DataError(f"{one} and {other} have two formats, and a source has one. Name those of one: '{pattern}'.")
    return next(iter(formats))


def one_schema(dataset: Any) -> pa.Schema:
    """The types that hold the columns of all files: numbers widen, anything else is refused with the file's name."""
    import pyarrow as pa

    schema = dataset.schema
    for fragment in dataset.get_fragments():
        try:
            schema = pa.unify_schemas([schema, fragment.physical_schema], promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise DataError(
                f"{fragment.path}: its columns have other types than those of the files before it ({error}). "
                "Write all files with the same types."
            ) from None
    return schema


def plain_types(table: pa.Table) -> pa.Table:
    """The same table with dictionaries as the values they stand for."""
    import pyarrow as pa

    for j, one in enumerate(table.schema):
        if pa.types.is_dictionary(one.type):
            if one.type.ordered:
                raise DataError(
                    f"Column '{one.name}' has ordered categories, whose order may differ from file to file. Write it "
                    f"as text and give the order: column_kinds={{'{one.name}': ['low', 'high']}}."
                )
            table = table.set_column(j, one.name, table.column(j).cast(one.type.value_type))
    return table
