"""Options of functions, checked as the parameters of estimators are: by name, and before anything is done."""

from __future__ import annotations

from typing import Any

from sklearn.utils._param_validation import validate_parameter_constraints

from treewright.errors import DataError
from treewright.learners.base.parameters import plain_value, whole

SEED = whole(0, 2**64 - 1)  # as the core draws by it
JOBS = (whole(1), whole(None, -1), None)


def option(owner: str, name: str, value: Any, *takes: Any) -> Any:
    """Give an option as Python's own value; one that the function does not take is refused in a sentence.

    Parameters
    ----------
    owner, name : str
        The function as a user writes it, and the option.
    value
        What was given.
    *takes : constraints
        The values it takes: `one_of`, `whole`, `number`, a class, None, or a word of scikit-learn's.

    Examples
    --------
    >>> import numpy as np
    >>> option("tw.compare", "cv", np.int8(5), whole(2))
    5
    >>> option("compare", "cv", "five", whole(2, 9))
    Traceback (most recent call last):
    treewright.errors.DataError: The 'cv' parameter of compare must be an int in the range [2, 9]. Got 'five' instead.
    """
    plain = plain_value(value)
    if isinstance(plain, bool) and "boolean" not in [each for each in takes if isinstance(each, str)]:
        plain = int(plain)
    try:
        validate_parameter_constraints({name: list(takes)}, {name: plain}, caller_name=owner)
    except ValueError as problem:
        raise DataError(str(problem)) from None
    return plain


def checked_run(owner: str, random_state: Any, n_jobs: Any) -> tuple[int, int | None]:
    """Check what every run over many fits takes: its seed, and how many processes share it.

    Examples
    --------
    >>> checked_run("tw.compare", 0, None)
    (0, None)
    """
    return option(owner, "random_state", random_state, SEED), option(owner, "n_jobs", n_jobs, *JOBS)
