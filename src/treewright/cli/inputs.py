"""The way in: tables and models from files, stdin or a database; the table that a verb learns from; the task."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from treewright.cli.fitted_model import has_trees, schema_of
from treewright.cli.options import LearningRequest, ModelRequest, TableRequest, split_kinds
from treewright.cli.row_names import without_names, without_row_numbers
from treewright.cli.screen import count, note, tell_at_once
from treewright.errors import DataError, ModelFileError, nearest

if TYPE_CHECKING:
    import pandas as pd

    from treewright.table.reading.plain_csv import PlainRows


# Classification or regression: told by the target column.


def decide_task(target: pd.Series, wish: str | None) -> tuple[str, str | None]:
    """Give the task, and a note where the choice could surprise.

    Text, categories and booleans are classes; so are integers with at most ten different values; other numbers
    are learnt as numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> decide_task(pd.Series(["good", "bad"], name="class"), None)
    ('classification', None)
    >>> decide_task(pd.Series([1.5, 2.5], name="price"), None)
    ('regression', None)
    >>> decide_task(pd.Series([0, 1, 1], name="died"), None)[1]
    "'died' holds 2 different integers: taken as classes. To learn it as a number: --task regression."
    """
    from treewright.model_selection.task import holds_numbers, is_target_of_classes

    is_number = holds_numbers(target)
    if wish == "regression" and not is_number:
        raise DataError(
            f"Column '{target.name}' holds no numbers ({_example(target)}), so it cannot be the target of a "
            "regression. Leave out --task, or choose another target."
        )
    if wish is not None:
        return wish, None
    if not is_target_of_classes(target):
        return "regression", None
    if not is_number or target.nunique() < 2:
        return "classification", None
    return "classification", (
        f"'{target.name}' holds {target.nunique()} different integers: taken as classes. "
        "To learn it as a number: --task regression."
    )


def _example(target: pd.Series) -> str:
    return f"'{target.iloc[0]}' in its first row" if len(target) else "it is empty"


# The way in for tables: a file, stdin or a database becomes a data frame, and columns are looked up in it by name.


def read_table(request: TableRequest, kinds: Mapping[str, Any] | None = None, trained: Any = None) -> pd.DataFrame:
    """Read DATA as the command line names it; a kind fixes how a column of a text file is read."""
    from treewright.table.reading.read import read_by
    from treewright.table.reading.reading_options import ReadingOptions

    options = ReadingOptions(
        tuple(request.missing_values),
        dict(kinds) if kinds else None,
        request.decimal,
        request.delimiter,
        request.encoding,
        request.sheet,
        request.date_order,
        trained=trained,
    )
    return read_by(request.data, options, request.db)


def read_table_for_model(request: TableRequest, fitted: Any, target: str | None = None) -> pd.DataFrame:
    """Read DATA the way the training table was read, and see that it has every column the model needs.

    A text file has no types. A column that held '1', '2' and 'x' in training holds text, although a new file may have
    only '1' and '2' in it, and one that was written as 1.234,5 is written so again: so the model says how each column
    is to be read.
    """
    kinds = {}
    if target is not None and isinstance(getattr(fitted, "classes_", [None])[0], str):
        kinds[target] = "nominal"
    try:
        frame = read_table(request, kinds, schema_of(fitted))
    except DataError:
        # Perhaps a column is missing, which is told better by us; stdin cannot be read again.
        if request.data != "-":
            _need_columns(read_table(request), fitted, target, request.data)
        raise
    _need_columns(frame, fitted, target, request.data)
    return _aligned(frame, fitted)


def _aligned(frame: pd.DataFrame, fitted: Any) -> pd.DataFrame:
    """Match levels that are written in another way; dates that nobody asks for are missing if they cannot be taken."""
    from treewright.inspection.align import aligned, used_columns

    schema, used = schema_of(fitted), used_columns(fitted)
    frame, notes = aligned(frame.drop(columns=_idle_dates(frame, schema, used)), schema, used)
    for text in notes:
        note(text)
    return frame


def _idle_dates(frame: pd.DataFrame, schema: Any, used: set[str]) -> list[str]:
    """Columns of dates by another clock, with a zone or without, which would be refused, but no node asks for them."""
    import narwhals.stable.v2 as nw

    from treewright.table.time_zones import have_zone

    dates = [column for column in schema.columns if column.zoned is not None and column.name not in used]
    cells = {column: frame[column.name] for column in dates if column.name in frame.columns}
    zoned = {column: have_zone(nw.from_native(series, series_only=True)) for column, series in cells.items()}
    return [column.name for column, here in zoned.items() if here not in (None, column.zoned)]


def need_column(frame: pd.DataFrame, column: str, option: str, data: str) -> None:
    """Refuse a column that the table does not have, naming the nearest."""
    if column not in frame.columns:
        raise click.UsageError(
            f"{option} {column}: {describe(data)} has no such column. {nearest(column, map(str, frame.columns))}"
        )


def need_row(row: int, n_rows: int, data: str) -> None:
    """Refuse a row, counted from 1, that the table does not have."""
    if row > n_rows:
        raise click.UsageError(f"--row {row}: {describe(data)} has {count(n_rows, 'row')}.")


def _need_columns(frame: pd.DataFrame, fitted: Any, target: str | None, data: str) -> None:
    """Refuse a table that lacks a column which the model asks for, or the truth to compare with."""
    from treewright.inspection.align import used_columns

    present = [str(name) for name in frame.columns]
    used = used_columns(fitted)
    needed = [name for name in fitted.feature_names_in_ if name in used]
    lacking = [name for name in needed if name not in present]
    if lacking:
        shown = ", ".join(f"'{name}'" for name in lacking[:10]) + (" …" if len(lacking) > 10 else "")
        if all(name == f"x{place}" for place, name in enumerate(fitted.feature_names_in_)):
            shown += " (it learnt from an array without names, and calls the columns x0, x1 …)"
        raise DataError(
            f"{describe(data)} lacks {len(lacking)} of the {len(needed)} columns that the model needs: {shown}. "
            f"{nearest(lacking[0], present)} Add or rename the columns; empty cells are allowed."
        )
    if target is not None and target not in present:
        raise DataError(
            f"{describe(data)} has no column '{target}', which holds the truth to compare with. "
            f"{nearest(target, present)} Pass another name with --target."
        )


def describe(data: str) -> str:
    """Name a source of rows in a message.

    Examples
    --------
    >>> describe("-"), describe("credit.csv")
    ('stdin', 'credit.csv')
    """
    return "stdin" if data == "-" else data


# The way in for models: a .tw file or stdin.


def load_tree(source: str) -> Any:
    """Load a model to look at: its trees alone where it has some, without the estimator, which takes long to import."""
    from treewright.learners.asked_model import open_asked_model

    asked = None if source == "-" else open_asked_model(source)
    return asked if asked is not None and has_trees(asked) else load_model(source)


def load_model(source: str) -> Any:
    """Load a fitted model, every byte of its file checked."""
    from treewright.save.persist import load

    if source != "-":
        return _named(_of_one_target(load(source), source))
    with tempfile.TemporaryDirectory() as folder:
        spool = Path(folder) / "stdin.tw"
        spool.write_bytes(sys.stdin.buffer.read())
        try:
            return _named(_of_one_target(load(spool), "stdin"))
        except ModelFileError as error:
            raise ModelFileError(str(error).replace(str(spool), "stdin")) from error


def _named(model: Any) -> Any:
    """A model that learnt from an array calls its columns x0, x1 …; tables that come from files have names."""
    if not hasattr(model, "feature_names_in_"):
        import numpy as np

        model.feature_names_in_ = np.array(schema_of(model).names, dtype=object)
    return model


def _of_one_target(model: Any, source: str) -> Any:
    if "targets_" in model.__dict__:
        raise ModelFileError(
            f"{source} holds a model of {len(model.targets_)} targets, and the command line asks models of one. In "
            f"Python: tw.save(tw.load({source!r}).targets_[0], 'first.tw') makes a file of the first of them."
        )
    return model


def ask_at_once(request: ModelRequest, of_one_tree: bool = False) -> tuple[Any, PlainRows] | None:
    """Open a model and a small, plain file without the estimators and pandas, which take long to import.

    None where something has to be decided or told, or where rows come from elsewhere: then the whole way is gone.
    """
    if request.model == "-" or not _is_plain(request):
        return None
    from treewright.inspection.align import used_columns
    from treewright.learners.asked_model import open_asked_model
    from treewright.learners.trees.asked_tree import open_asked
    from treewright.table.reading.plain_csv import read_plain_csv

    asked = open_asked(request.model) if of_one_tree else open_asked_model(request.model)
    rows = None if asked is None else read_plain_csv(request.data, asked.encoder, used_columns(asked))
    if asked is None or rows is None or (asked.refuses_missing and rows.n_missing()):
        return None
    return asked, rows


def _is_plain(request: TableRequest) -> bool:
    """Tell whether nothing is said about how the rows are read."""
    said = [getattr(request, each.name) for each in fields(TableRequest) if each.name not in ("data", "as_json")]
    return request.data != "-" and not any(said)


def refuse_two_stdins(model: str, data: str) -> None:
    """Stdin can be read once: by the model or by the table."""
    if model == "-" and data == "-":
        raise click.UsageError("MODEL and DATA cannot both be stdin. Put one of them into a file.")


# The table that a verb learns from: its columns, its target, and notes on what was left out.


@dataclass(frozen=True)
class Learning:
    """What is learnt from what; columns that are neither, such as groups, stand aside."""

    source: str
    task: str
    columns: pd.DataFrame
    target: pd.Series
    asides: dict[str, Any]  # option → the column that it names
    notes: list[str]

    def class_of(self, text: str | None, option: str) -> Any:
        """Give the class of the target that an option names in text."""
        if text is None:
            return None
        classes = {str(value): value for value in self.target.unique().tolist()}
        if text not in classes:
            raise click.UsageError(f"{option} {text}: there is no such class. {nearest(text, classes)}")
        return classes[text]

    def advice_on_scoring(self, scoring: str | None) -> list[str]:
        """Say that accuracy, which decides if nobody asks for more, tells little where one class has most rows."""
        from treewright.prune.readable import LOPSIDED
        from treewright.tree.format import name_text, share_text

        shares = self.target.value_counts(normalize=True)
        if scoring is not None or self.task != "classification" or not LOPSIDED <= shares.max() < 1:
            return []
        return [
            f"{share_text(shares.max())} of the rows are {name_text(shares.idxmax())}, which a guess says of all: "
            "accuracy hardly tells learners apart. --scoring auc or --scoring log_loss judges their probabilities."
        ]


def learning_table(request: LearningRequest, *aside: tuple[str, str | None]) -> Learning:
    """Read the table, tell the task, and put the columns aside that options such as --groups name."""

    columns, target, notes = read_training_table(request, [name for _, name in aside if name is not None])
    for option, name in aside:
        if name is not None:
            need_column(columns, name, option, request.data)
    named = {option: None if name is None else columns[name].to_numpy() for option, name in aside}
    task, note = decide_task(target, request.task)
    left = columns.drop(columns=[name for _, name in aside if name is not None])
    return Learning(describe(request.data), task, left, target, named, [*notes, *filter(None, [note])])


def check_target(request: LearningRequest) -> None:
    """Refuse a target that is ignored or given a kind, before anything is read."""
    if request.target in request.ignore:
        raise click.UsageError(f"--ignore {request.target}: the target cannot be ignored.")
    if request.target in split_kinds(request.kinds):
        raise click.UsageError(
            f"--kind {request.target}: the target has no kind. Use --task classification or --task regression."
        )


def read_training_table(
    request: LearningRequest, kept: Collection[str] | None = ()
) -> tuple[pd.DataFrame, pd.Series, list[str]]:
    """Give the columns to learn from, the target, and notes on what was left out.

    A column of names, a text of its own in every row, is left out unless it is among `kept`; None keeps all.
    """
    from treewright.model_selection.suspicious import MANY_CLASSES, target_notes
    from treewright.model_selection.task import is_target_of_classes

    frame = read_table(request, split_kinds(request.kinds))
    need_column(frame, request.target, "--target", request.data)
    for name in request.ignore:
        need_column(frame, name, "--ignore", request.data)
    known = frame[request.target].notna()
    notes = []
    if not known.all():
        notes.append(f"{count(int((~known).sum()), 'row')} without a value of '{request.target}' left out.")
        frame = frame[known]
    if len(frame) == 0:
        raise DataError(
            f"{describe(request.data)}: no row has a value of '{request.target}'. There is nothing to learn."
        )
    columns, target = frame.drop(columns=[request.target, *request.ignore]), frame[request.target]
    if columns.shape[1] == 0:
        raise DataError(
            f"{describe(request.data)}: beside the target '{request.target}' there is no column to learn from. Give "
            "the table some, or --ignore fewer."
        )
    is_class = request.task == "classification" or (request.task is None and is_target_of_classes(target))
    if kept is not None:
        stay = {*split_kinds(request.kinds), *kept}
        for leave_out in (without_row_numbers, without_names):
            columns, said = leave_out(columns, stay)
            notes += said
    notes += column_notes(columns, split_kinds(request.kinds))
    strange = target_notes(columns, target, is_class)
    if is_class and target.nunique() > MANY_CLASSES:  # which takes long to learn
        for text in strange:
            tell_at_once(text)
    return columns, target, [*notes, *strange]


def column_notes(columns: pd.DataFrame, kinds: Mapping[str, Any]) -> list[str]:
    """Tell what `profile` remarks about the columns, so that nothing is learnt from a spoilt one in silence.

    Examples
    --------
    >>> import pandas as pd
    >>> column_notes(pd.DataFrame({"a": [1, 1]}), {})
    ["Column 'a': the same value in every row: it cannot split anything; drop(columns='a') leaves it out."]
    """
    from treewright.table.column_kinds import guess_kinds

    return [f"Column '{report.name}': {text}." for report in guess_kinds(columns, kinds) for text in report.remarks]


# The rows of a table whose truth is known, with the columns that a model needs.


def columns_and_truth(request: TableRequest, fitted: Any, target: str | None) -> tuple[pd.DataFrame, pd.Series]:
    """Read DATA; give the columns of the model and the target, without the rows whose truth is missing."""
    target = target or schema_of(fitted).target
    if target is None:
        raise click.UsageError("The model does not know the name of its target. Pass it: --target COLUMN.")
    frame = read_table_for_model(request, fitted, target)
    known = frame[target].notna()
    if not known.all():
        note(f"{count(int((~known).sum()), 'row')} without a value of '{target}' left out.")
    if not known.any():
        raise DataError(f"{describe(request.data)}: no row has a value of '{target}', so nothing can be compared.")
    return frame.loc[known, list(fitted.feature_names_in_)], frame.loc[known, target]
