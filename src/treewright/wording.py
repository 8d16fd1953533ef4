"""The same advice in two languages: Python's names for those who write Python, options for the command line.

A message about a table says what to do. In Python that is `column_kinds={'zip': 'nominal'}`, on the command line
`--kind zip=nominal`; the message is written once and asks here for the words.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from shlex import quote

_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)
_whole_models: ContextVar[bool] = ContextVar("whole_models", default=False)


@contextmanager
def command_line_words() -> Iterator[None]:
    """Let messages name options of the command line as long as this lasts.

    >>> with command_line_words():
    ...     kind_words("zip", "nominal")
    '--kind zip=nominal'
    """
    token = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(token)


def on_command_line() -> bool:
    """Whether this is the command line, which tells what is odd about columns in notes of its own.

    >>> on_command_line()
    False
    """
    return _on_command_line.get()


def kind_words(column: str, kind: str) -> str:
    """Say how to decide the kind of a column.

    >>> kind_words("zip", "nominal")
    "column_kinds={'zip': 'nominal'}"
    """
    return f"--kind {quote(f'{column}={kind}')}" if _on_command_line.get() else f"column_kinds={{{column!r}: {kind!r}}}"


def missing_words(text: str) -> str:
    """Say how to make a text mean a missing value.

    >>> missing_words("unknown")
    "missing_values=['unknown']"
    """
    return f"--missing-value {quote(text)}" if _on_command_line.get() else f"missing_values=[{text!r}]"


def option_words(name: str, value: str) -> str:
    """Say how to give an option of reading a value.

    >>> option_words("date_order", "dmy")
    "date_order='dmy'"
    >>> with command_line_words():
    ...     option_words("date_order", "dmy")
    '--date-order dmy'
    >>> with command_line_words():
    ...     option_words("decimal", ".")
    "--decimal '.'"
    """
    shown = f"'{value}'" if value in ".," else quote(value)
    return f"--{name.replace('_', '-')} {shown}" if _on_command_line.get() else f"{name}={value!r}"


def read_words(name: str, value: object) -> str:
    """Say how to read the file anew with an option: a frame that is there cannot be given one.

    >>> read_words("date_order", "dmy")
    "tw.read(file, date_order='dmy')"
    >>> with command_line_words():
    ...     read_words("date_order", "dmy")
    '--date-order dmy'
    """
    return option_words(name, str(value)) if _on_command_line.get() else f"tw.read(file, {name}={value!r})"


def leave_out_words(column: str) -> str:
    """Say how to leave a column out of training.

    >>> leave_out_words("id")
    "drop(columns='id')"
    """
    return f"--ignore {quote(column)}" if _on_command_line.get() else f"drop(columns={column!r})"


def task_words(task: str) -> str:
    """Say how to decide what is learnt.

    >>> task_words("classification")
    "task='classification'"
    """
    return f"--task {task}" if _on_command_line.get() else f"task={task!r}"


def set_words(name: str, *values: str) -> str:
    """Say how to set a parameter of a learner, to one value or one of several.

    >>> set_words("missing", "learn"), set_words("missing", "learn", "larger", "branch")
    ("missing='learn'", "missing='learn', 'larger' or 'branch'")
    >>> with command_line_words():
    ...     set_words("missing", "learn", "larger", "branch")
    '--set missing=learn, larger or branch'
    """
    *first, last = values if _on_command_line.get() else map(repr, values)
    words = f"{', '.join(first)} or {last}" if first else last
    return f"--set {name}={words}" if _on_command_line.get() else f"{name}={words}"


def order_words(column: str, levels: tuple[str, ...]) -> str:
    """Say how to put the levels of a column in order.

    >>> order_words("rank", ("low", "high"))
    "column_kinds={'rank': ['low', 'high']}"
    """
    if _on_command_line.get():
        return f"--order {quote(column + '=' + ','.join(levels))}"
    return f"column_kinds={{{column!r}: {list(levels)!r}}}"


def rest_of_model_words(python: str = "") -> str:
    """Say after a colon what prints the rest of a model whose strongest part is printed.

    >>> rest_of_model_words("print(model.summary())")
    ': print(model.summary())'
    >>> with command_line_words():
    ...     rest_of_model_words()
    ': treewright show MODEL'
    """
    words = "treewright show MODEL" if _on_command_line.get() else python
    return f": {words}" if words else ""


@contextmanager
def whole_models() -> Iterator[None]:
    """Let models as text have all of their lines as long as this lasts: `treewright show` is asked for them.

    >>> most_lines(12)
    12
    >>> with whole_models():
    ...     print(most_lines(12))
    None
    """
    token = _whole_models.set(True)
    try:
        yield
    finally:
        _whole_models.reset(token)


def most_lines(number: int) -> int | None:
    """How many lines of a model are printed: so many, or None for all."""
    return None if _whole_models.get() else number


def all_of_it_words() -> str:
    """Say what has all of the rows where only some are printed.

    >>> all_of_it_words()
    'to_frame() has all'
    """
    return "--json has all" if _on_command_line.get() else "to_frame() has all"
