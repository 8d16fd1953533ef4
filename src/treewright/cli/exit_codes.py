"""What the shell is told: one number for each kind of end."""

from __future__ import annotations

from treewright.errors import DataError, ModelFileError, TreewrightError

UNEXPECTED = 1
WRONG_USAGE = 2
DATA_PROBLEM = 3
MODEL_FILE_PROBLEM = 4
GATE_FAILED = 5
INTERRUPTED = 130


class QualityGateError(TreewrightError):
    """A model was scored, and the score is worse than the limit that was set."""


def code_of(error: Exception) -> int:
    """Give the exit code of an error.

    Examples
    --------
    >>> code_of(DataError("Column 'age' is empty."))
    3
    >>> code_of(ZeroDivisionError())
    1
    """
    kinds: tuple[tuple[type[Exception], int], ...] = (
        (QualityGateError, GATE_FAILED),
        (ModelFileError, MODEL_FILE_PROBLEM),
        (DataError, DATA_PROBLEM),
        (TreewrightError, DATA_PROBLEM),
        (OSError, DATA_PROBLEM),
    )
    return next((code for kind, code in kinds if isinstance(error, kind)), UNEXPECTED)
