"""Restaurant guests drawn at random, judged by the true tree of the example, for learning curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from treewright.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

# In the order of the columns of the restaurant table.
LEVELS = {
    "Alt": ("F", "T"),
    "Bar": ("F", "T"),
    "Fri": ("F", "T"),
    "Hun": ("F", "T"),
    "Pat": ("None", "Some", "Full"),
    "Price": ("$", "$$", "$$$"),
    "Rain": ("F", "T"),
    "Res": ("F", "T"),
    "Type": ("Burger", "French", "Italian", "Thai"),
    "Est": ("0-10", "10-30", "30-60", ">60"),
}


def make_restaurant(n: int, random_state: int | np.random.Generator = 0) -> pd.DataFrame:
    """Draw guests with every value equally likely, and let the true tree say who waits.

    Parameters
    ----------
    n : int
        Number of rows.
    random_state : int or numpy Generator, default 0
        The same number gives the same rows.

    Returns
    -------
    pandas.DataFrame
        The columns of the restaurant table, the answer in `WillWait`.

    Examples
    --------
    >>> guests = make_restaurant(1000, random_state=1)
    >>> guests.groupby("Pat")["WillWait"].agg(lambda answers: round((answers == "T").mean(), 2)).to_dict()
    {'Full': 0.66, 'None': 0.0, 'Some': 1.0}
    """
    import pandas as pd

    if not isinstance(n, (int, np.integer)) or n < 0:
        raise DataError(f"make_restaurant takes a number of rows of at least 0, but it was given {n!r}.")
    random = np.random.default_rng(random_state)
    drawn = {name: np.array(levels)[random.integers(len(levels), size=n)] for name, levels in LEVELS.items()}
    drawn["WillWait"] = np.where(will_wait(drawn), "T", "F")
    return pd.DataFrame({name: pd.Series(column, dtype="str") for name, column in drawn.items()})


def will_wait(guests: dict[str, npt.NDArray[np.str_]]) -> npt.NDArray[np.bool_]:
    """Tell by the true tree who waits.

    >>> will_wait({name: np.array([levels[0]]) for name, levels in LEVELS.items()})
    array([False])
    """
    yes = {name: guests[name] == "T" for name in ("Alt", "Bar", "Fri", "Hun", "Rain", "Res")}
    if_long = np.where(yes["Alt"], yes["Fri"], yes["Res"] | yes["Bar"])
    if_short = ~yes["Hun"] | ~yes["Alt"] | yes["Rain"]
    by_estimate = np.select(
        [guests["Est"] == ">60", guests["Est"] == "30-60", guests["Est"] == "10-30"], [False, if_long, if_short], True
    )
    return np.asarray(np.select([guests["Pat"] == "None", guests["Pat"] == "Some"], [False, True], by_estimate))
