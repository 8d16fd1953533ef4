"""The table that a verb learns from: its columns, its target, and notes on what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import click

from treewright.cli.options import split_kinds
from treewright.cli.table_input import TableRequest
from treewright.errors import nearest

if TYPE_CHECKING:
    import pandas as pd


class TrainingRequest(TableRequest, Protocol):
    """What a verb that learns was told about its table."""

    @property
    def target(self) -> str: ...
    @property
    def kinds(self) -> Sequence[str]: ...
    @property
    def ignore(self) -> Sequence[str]: ...


class TaskRequest(TrainingRequest, Protocol):
    """What a verb was told that learns classes or numbers."""

    @property
    def task(self) -> str | None: ...


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


def learning_table(request: TaskRequest, *aside: tuple[str, str | None]) -> Learning:
    """Read the table, tell the task, and put the columns aside that options such as --groups name."""
    from treewright.cli.table_input import describe, need_column
    from treewright.cli.task import decide_task

    columns, target, notes = read_training_table(request)
    for option, name in aside:
        if name is not None:
            need_column(columns, name, option, request.data)
    named = {option: None if name is None else columns[name].to_numpy() for option, name in aside}
    task, note = decide_task(target, request.task)
    left = columns.drop(columns=[name for _, name in aside if name is not None])
    return Learning(describe(request.data), task, left, target, named, [*notes, *filter(None, [note])])


def check_target(request: TrainingRequest) -> None:
    """Refuse a target that is ignored or given a kind, before anything is read."""
    if request.target in request.ignore:
        raise click.UsageError(f"--ignore {request.target}: the target cannot be ignored.")
    if request.target in split_kinds(request.kinds):
        raise click.UsageError(
            f"--kind {request.target}: the target has no kind. Use --task classification or --task regression."
        )


def read_training_table(request: TrainingRequest) -> tuple[pd.DataFrame, pd.Series, list[str]]:
    """Give the columns to learn from, the target, and notes on what was left out."""
    from treewright.cli.screen import count
    from treewright.cli.table_input import describe, need_column, read_table
    from treewright.errors import DataError

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
    return frame.drop(columns=[request.target, *request.ignore]), frame[request.target], notes
